"""The Exchange that an adapter gets when there is a recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veriscore_agent.adapters.recording.cassette import State
from veriscore_agent.adapters.recording.store import ExchangeStore, Stored


class StoredExchange:
    """An Exchange kept in a store, or frozen in a recording that is only read.

    ``accept`` and ``reject`` copy one file. Raises
    StopRunError where the store cannot be written to.
    """

    def __init__(self, stored: Stored, store: ExchangeStore | None, *, replayed: bool) -> None:
        self._stored, self._store, self._replayed = stored, store, replayed
        self._notes = dict(stored.recorded.notes)

    def accept(self) -> None:
        """The adapter could read the response."""
        self._become("accepted")

    def reject(self) -> None:
        """The response is garbage: a resumed run asks again."""
        self._become("rejected")

    @property
    def state(self) -> State:
        """What is known of the exchange."""
        return self._stored.recorded.state

    @property
    def notes(self) -> Mapping[str, Any]:
        """What was noted, now or when it was recorded."""
        return self._notes

    def note(self, name: str, value: Any) -> None:
        """Keep a JSON-able value with the exchange; on disk with the next ``accept`` or ``reject``."""
        self._notes[name] = value

    @property
    def replayed(self) -> bool:
        """True where the response came from a recording and not from the network."""
        return self._replayed

    def _become(self, state: State) -> None:
        if self._store is not None:
            self._stored = self._store.change_state(self._stored, state, self._notes)
