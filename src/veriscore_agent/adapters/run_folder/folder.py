"""A run's folder: ``run.json``, ``answers.jsonl``, ``claims.jsonl``, ``k.json`` and ``exchanges/``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from veriscore_agent.adapters.run_folder.lines import (
    ReadRecords,
    Record,
    RecordWriter,
    mend_tail,
    read_records,
    replace_file,
    replace_json,
    replace_records,
)
from veriscore_agent.adapters.run_folder.lock import FolderLock
from veriscore_agent.adapters.run_folder.record import RUN_SCHEMA
from veriscore_agent.adapters.strict_json import StrictJsonError, parse_json
from veriscore_agent.errors import ConfigurationError, InputError

MANIFEST = "run.json"
ANSWERS = "answers.jsonl"
CLAIMS = "claims.jsonl"
KS = "k.json"
EXCHANGES = "exchanges"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """What a run's folder holds, as it stands there."""

    path: Path
    manifest: Record
    answers: ReadRecords
    claims: ReadRecords


class RunFolder:
    """The one writer of a run's folder, within a ``with`` block.

    Entering makes the folder where there is none and mends a half written last line. Raises ConfigurationError where
    another process writes to it or the disk does not allow it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mended = False
        """A half written last claim was cut off when the folder was opened."""
        self._lock = FolderLock(path)
        self._claims = RecordWriter(path / CLAIMS)

    @property
    def exchanges(self) -> Path:
        """Where the run's exchanges are kept."""
        return self.path / EXCHANGES

    def __enter__(self) -> Self:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self.mended = mend_tail(self.path / CLAIMS)
        except OSError as problem:
            self._lock.release()
            raise ConfigurationError(f"cannot write to {self.path}: {problem.strerror or problem}") from problem
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._claims.close()
        self._lock.release()

    def append_claim(self, record: Record) -> None:
        """Keep one finished claim. Raises StopRunError where the disk does not take it."""
        self._claims.append(record)

    def claims(self) -> ReadRecords:
        """The claims kept so far, in the order in which they finished; a claim tried again comes twice."""
        return read_records(self.path / CLAIMS)

    def replace_claims(self, records: Iterable[Record]) -> None:
        """Put all claims there anew, in the order given."""
        self._claims.close()
        replace_records(self.path / CLAIMS, records)

    def replace_answers(self, records: Iterable[Record]) -> None:
        """Put all answers there anew."""
        replace_records(self.path / ANSWERS, records)

    def write_manifest(self, manifest: Record) -> None:
        """Write ``run.json``."""
        replace_json(self.path / MANIFEST, manifest)

    def write_k(self, table: str) -> None:
        """Write ``k.json``."""
        replace_file(self.path / KS, [table.encode()])


def holds_run(path: Path) -> bool:
    """Whether ``path`` is a run's folder; False where there is nothing yet.

    Raises ConfigurationError where something else stands there, or nothing can be written there.
    """
    if (path / MANIFEST).is_file():
        return True
    if not path.exists():
        _check_writable(path)
        return False
    if not path.is_dir():
        raise ConfigurationError(f"{path} is a file; a run needs a folder")
    if any(each.name != ".lock" for each in path.iterdir()):
        raise ConfigurationError(f"{path} holds other files and no run; choose another --out")
    return False


def move_aside(path: Path) -> Path:
    """Rename a run's folder, so that nothing of it is lost, and return its new path."""
    lock = FolderLock(path)
    lock.acquire()
    lock.release()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    for number in range(1, 1000):
        other = path.with_name(f"{path.name}.old-{stamp}" + (f"-{number}" if number > 1 else ""))
        if not other.exists():
            path.rename(other)
            return other
    raise ConfigurationError(f"cannot find a free name to move {path} to")


def read_run(path: Path) -> StoredRun:
    """Read a run's folder without writing to it. Raises InputError where it is none, or cannot be read."""
    manifest_path = path / MANIFEST
    try:
        manifest = parse_json(manifest_path.read_text(encoding="utf-8"))
        answers, claims = read_records(path / ANSWERS), read_records(path / CLAIMS)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"not the folder of a run (no {MANIFEST})", path=str(path)) from None
    except OSError as problem:
        raise InputError(problem.strerror or str(problem), path=str(path)) from problem
    except (StrictJsonError, UnicodeDecodeError) as problem:
        raise InputError(str(problem), path=str(manifest_path)) from None
    if not isinstance(manifest, dict) or manifest.get("schema") != RUN_SCHEMA:
        raise InputError(f"not the record of a run that this version reads ({RUN_SCHEMA})", path=str(manifest_path))
    return StoredRun(path, manifest, answers, claims)


def _check_writable(path: Path) -> None:
    parent = path.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir():
        raise ConfigurationError(f"{path} cannot be made: {parent} is a file")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"{path} cannot be made: {parent} is not writable")
