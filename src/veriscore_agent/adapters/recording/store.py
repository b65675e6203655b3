"""A folder of exchanges.

    FOLDER/recording.json              what the recording is (``manifest``)
    FOLDER/SERVICE/KEY.yaml            accepted: its adapter could read it
    FOLDER/SERVICE/KEY.received.yaml   it came, and the run ended before its adapter said anything
    FOLDER/SERVICE/KEY.rejected.yaml   its adapter could not use it
    FOLDER/SERVICE/KEY.failed.yaml     the transport failed

The name is the key, so finding one costs the same however many there are. A file is written aside and put in place by
``os.replace``, and a change of state is a rename: readers, other tasks and other processes see a whole exchange or
none. Nothing is synced to the disk: a process that is killed loses nothing that was written, and syncing each of
thousands of files against a loss of power would cost more time than asking again for the few that it could take.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from veriscore_agent.adapters.http.secrets import NO_SECRETS, Secrets
from veriscore_agent.adapters.recording.cassette import (
    Recorded,
    RecordedFailure,
    RecordedResponse,
    UnreadableCassetteError,
    dump,
    load,
    plain,
    scrubbed,
    with_notes,
)
from veriscore_agent.errors import ConfigurationError, InputError, Service

State = Literal["accepted", "received", "rejected", "failed"]
_STATES: tuple[State, ...] = ("accepted", "received", "rejected", "failed")
"""In order of precedence, should a kill between writing the new file and removing the old leave two."""
_counter = itertools.count()


@dataclass(frozen=True, slots=True)
class Stored:
    """An exchange, and where it stands."""

    recorded: Recorded
    state: State
    key: str


class ExchangeStore:
    """The exchanges in one folder. All methods block, for a few milliseconds; many threads and processes may use it.

    ``secrets`` are taken out of everything that is written. Raises ConfigurationError where the folder cannot be
    written to, InputError where a file cannot be read.
    """

    def __init__(self, folder: Path, secrets: Secrets = NO_SECRETS) -> None:
        self.folder, self._secrets = folder, secrets
        self._of_this_run: set[tuple[Service, str]] = set()

    def holds_new(self, service: Service, key: str) -> bool:
        """Whether this object wrote the exchange: one run has one outcome for one key."""
        return (service, key) in self._of_this_run

    def find(self, service: Service, key: str) -> Stored | None:
        """The exchange of a key, or None."""
        # Accepted is looked for twice: another process may rename the file while the others are tried.
        for state in (*_STATES, "accepted"):
            path = self._path(service, key, state)
            try:
                return Stored(load(path.read_bytes()), state, key)
            except FileNotFoundError:
                continue
            except (OSError, UnreadableCassetteError) as problem:
                raise InputError(str(problem), path=str(path)) from problem
        return None

    def write(self, recorded: Recorded, key: str, state: State | None = None) -> Stored:
        """Keep an exchange in place of what its key had, and return it as it was kept.

        Without ``state`` it is received if it went well so far, rejected where the response is an error (unless its
        adapter accepts it, it is to be asked for again), and failed where there was no response.
        """
        kept = scrubbed(recorded, self._secrets)
        state = state or _first_state(kept)
        path = self._path(kept.service, key, state)
        self._put(path, dump(kept))
        for other in _STATES:
            if other != state:
                self._path(kept.service, key, other).unlink(missing_ok=True)
        self._of_this_run.add((kept.service, key))
        return Stored(kept, state, key)

    def change_state(self, stored: Stored, state: State, notes: Mapping[str, Any]) -> Stored:
        """Say what became of an exchange. Its notes are written only where they differ."""
        service, key = stored.recorded.service, stored.key
        old, new = self._path(service, key, stored.state), self._path(service, key, state)
        notes = self._secrets.json(plain(notes))
        changed = replace(stored, state=state, recorded=replace(stored.recorded, notes=notes))
        try:
            if notes != stored.recorded.notes:
                self._put(new, with_notes(old.read_bytes(), notes))
                if new != old:
                    old.unlink(missing_ok=True)
            elif new != old:
                os.replace(old, new)
        except FileNotFoundError:
            # Another process, or a second reader of the same answer, has moved it.
            return changed
        except OSError as problem:
            raise _unwritable(new, problem) from problem
        return changed

    def all(self, service: Service) -> Iterator[Path]:
        """The files of every exchange of a service, in order of their names."""
        try:
            names = sorted(entry.name for entry in os.scandir(self.folder / service))
        except FileNotFoundError:
            return
        for name in names:
            if name.endswith(".yaml") and not name.startswith("."):
                yield self.folder / service / name

    def _path(self, service: Service, key: str, state: State) -> Path:
        return self.folder / service / (f"{key}.yaml" if state == "accepted" else f"{key}.{state}.yaml")

    def _put(self, path: Path, content: bytes) -> None:
        try:
            write_whole(path, content)
        except OSError as problem:
            raise _unwritable(path, problem) from problem


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that whoever looks sees the old one or the new one, whole. Makes the folder. Raises OSError."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.{next(_counter)}")
    try:
        aside.write_bytes(content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(content)
    os.replace(aside, path)


def _first_state(recorded: Recorded) -> State:
    if isinstance(recorded.outcome, RecordedFailure):
        return "failed"
    return "rejected" if _is_error(recorded.outcome) else "received"


def _is_error(response: RecordedResponse) -> bool:
    return response.status >= 400


def _unwritable(path: Path, problem: OSError) -> ConfigurationError:
    return ConfigurationError(f"the recording cannot be written: {path}: {problem.strerror or problem}")
