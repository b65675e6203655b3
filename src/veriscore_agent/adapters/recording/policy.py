"""Where an answer may come from, and where it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veriscore_agent.adapters.http.secrets import NO_SECRETS, Secrets
from veriscore_agent.adapters.recording.cassette import State
from veriscore_agent.adapters.recording.store import ExchangeStore

LIVE_JUDGE = frozenset({"judge", "plan"})
"""The kinds of call that ``--live judge`` makes anew."""
MAY_BE_MISSING = frozenset({"search", "page", "robots"})
"""What another judge may want and the recording may lack: no evidence, and no reason to stop."""

_REUSABLE: tuple[State, ...] = ("accepted", "received")
"""What a resumed run does not ask for again. Received: it was paid for, and its adapter has not seen it yet."""


@dataclass(frozen=True, slots=True)
class StorePolicy:
    """Made by ``record``, ``resume``, ``replay`` or ``live``; shared by the stacks of all services of one run."""

    own: ExchangeStore | None
    """Where what happens in this run is kept, so that the run can be resumed and replayed."""
    reuse: bool
    """Use what ``own`` holds from an earlier, stopped run."""
    frozen: ExchangeStore | None
    """The recording that answers. It is only read."""
    live: frozenset[str] | None
    """Kinds of call that go to the network. None: all that nothing recorded answers."""

    @staticmethod
    def record(own: ExchangeStore) -> StorePolicy:
        """A fresh run: whatever ``own`` holds from before is not read, and is overwritten."""
        return StorePolicy(own, reuse=False, frozen=None, live=None)

    @staticmethod
    def resume(own: ExchangeStore) -> StorePolicy:
        """Go on with a stopped run: what was rejected or failed is asked for again, all else is taken as it is."""
        return StorePolicy(own, reuse=True, frozen=None, live=None)

    @staticmethod
    def replay(frozen: ExchangeStore) -> StorePolicy:
        """Answer everything from the recording, failures included; a miss is a ReplayMissError."""
        return StorePolicy(None, reuse=False, frozen=frozen, live=frozenset())

    @staticmethod
    def live_kinds(own: ExchangeStore, frozen: ExchangeStore, kinds: frozenset[str] = LIVE_JUDGE) -> StorePolicy:
        """These kinds of call are made anew, the rest is frozen. ``own`` gets both, and resumes."""
        return StorePolicy(own, reuse=True, frozen=frozen, live=kinds)

    @property
    def secrets(self) -> Secrets:
        """What is taken out of requests before they are looked up or written."""
        store = self.own or self.frozen
        return store.secrets if store else NO_SECRETS

    def may_use(self, state: State) -> bool:
        """Whether an exchange of an earlier run in ``own`` is taken as it is."""
        return self.reuse and state in _REUSABLE

    def is_live(self, kind: str) -> bool:
        """Whether a call of this kind may go to the network."""
        return self.live is None or kind in self.live

    def miss(self, kind: str) -> Literal["stop", "not_recorded"]:
        """What a call is that is frozen and not in the recording."""
        return "not_recorded" if self.live and kind in MAY_BE_MISSING else "stop"
