"""A folder of exchanges.

    FOLDER/recording.json     what the recording is (``manifest``)
    FOLDER/SERVICE/KEY.yaml   an exchange (``cassette``), with what became of it in its last line

The name is the key, so finding one costs the same however many there are. A file is written aside and put in place by
``os.replace``, for a change of state too: readers, other tasks and other processes see one whole exchange or the
other, and of two that write the same key the later one stays. What a kill leaves aside has a name that begins with a
dot and is never read. Nothing is synced to the disk: a process that is killed
loses nothing that was written, and syncing each of thousands of files against a loss of power would cost more time
than asking again for the few that it could take.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from veriscore_agent.adapters.http.secrets import NO_SECRETS, Secrets
from veriscore_agent.adapters.recording.cassette import (
    Recorded,
    State,
    UnreadableCassetteError,
    dump,
    load,
    plain,
    scrubbed,
    with_end,
)
from veriscore_agent.errors import InputError, Service, StopRunError

_counter = itertools.count()


@dataclass(frozen=True, slots=True)
class Stored:
    """An exchange as it is kept."""

    recorded: Recorded
    key: str
    cassette: bytes
    """The text of its file."""


class ExchangeStore:
    """The exchanges in one folder. All methods block, for a few milliseconds; many threads and processes may use it.

    ``secrets`` are taken out of everything that is written. Raises StopRunError where the folder cannot be
    written to, InputError where a file cannot be read.
    """

    def __init__(self, folder: Path, secrets: Secrets = NO_SECRETS) -> None:
        self.folder, self.secrets = folder, secrets
        self._of_this_run: set[tuple[Service, str]] = set()

    def holds_new(self, service: Service, key: str) -> bool:
        """Whether this object wrote the exchange: one run has one outcome for one key."""
        return (service, key) in self._of_this_run

    def find(self, service: Service, key: str) -> Stored | None:
        """The exchange of a key, or None."""
        path = self._path(service, key)
        try:
            cassette = path.read_bytes()
            return Stored(load(cassette), key, cassette)
        except FileNotFoundError:
            return None
        except (OSError, UnreadableCassetteError) as problem:
            raise InputError(str(problem), path=str(path)) from problem

    def write(self, recorded: Recorded, key: str) -> Stored:
        """Keep an exchange in place of what its key had, and return it as it was kept."""
        kept = scrubbed(recorded, self.secrets)
        stored = Stored(kept, key, dump(kept))
        self._put(stored)
        self._of_this_run.add((kept.service, key))
        return stored

    def change_state(self, stored: Stored, state: State, notes: Mapping[str, Any]) -> Stored:
        """Say what became of an exchange, and keep its notes. Writes nothing where nothing changes."""
        kept = replace(stored.recorded, state=state, notes=self.secrets.json(plain(notes)))
        if kept == stored.recorded:
            return stored
        changed = Stored(kept, stored.key, with_end(stored.cassette, kept.notes, state))
        self._put(changed)
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

    def _path(self, service: Service, key: str) -> Path:
        return self.folder / service / f"{key}.yaml"

    def _put(self, stored: Stored) -> None:
        path = self._path(stored.recorded.service, stored.key)
        try:
            write_whole(path, stored.cassette)
        except OSError as problem:
            raise StopRunError(f"the recording cannot be written: {path}: {problem.strerror or problem}") from problem


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that whoever looks sees the old one or the new one, whole. Makes the folder. Raises OSError."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.{next(_counter)}")
    try:
        aside.write_bytes(content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(content)
    os.replace(aside, path)
