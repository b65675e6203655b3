"""A run's folder: ``run.json``, ``answers.jsonl``, ``claims.jsonl``, ``k.json`` and ``exchanges/``."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from veriscore_agent.adapters.run_folder.lines import (
    RecordWriter,
    mend_tail,
    read_records,
    replace_file,
    replace_json,
    replace_records,
)
from veriscore_agent.adapters.run_folder.lock import FolderLock
from veriscore_agent.adapters.strict_json import StrictJsonError, parse_json
from veriscore_agent.core.scoring import ScoredAnswer
from veriscore_agent.domain import STAGES, AnswerOutcome, ClaimOutcome, Stage
from veriscore_agent.errors import ConfigurationError, InputError
from veriscore_agent.report.records import answer_record, claim_record, read_answer_record, read_claim_record
from veriscore_agent.report.run_record import RunRecord, read_run_record, run_record_json

RECORD = "run.json"
ANSWERS = "answers.jsonl"
CLAIMS = "claims.jsonl"
KS = "k.json"
EXCHANGES = "exchanges"

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """What a run's folder holds."""

    path: Path
    record: RunRecord
    answers: tuple[AnswerOutcome, ...]
    """Empty until the run came to its end."""
    claims: tuple[ClaimOutcome, ...]
    unreadable: tuple[str, ...] = ()
    """Lines that could not be read, each with its reason."""

    @property
    def k_path(self) -> Path:
        """Where its K of each domain stands, once it came to its end."""
        return self.path / KS


class RunFolder:
    """The one writer of a run's folder, within a ``with`` block.

    Entering makes the folder where there is none and mends a half written last line. Raises ConfigurationError where
    another process writes to it or the disk does not allow it.
    """

    def __init__(self, path: Path, *, stages: Sequence[Stage] = STAGES) -> None:
        """``stages``: those that the run can reach."""
        self.path = path
        self.mended = False
        """A half written last claim was cut off when the folder was opened."""
        self._stages = stages
        self._made: tuple[Path, ...] = ()
        self._discarded = False
        self._lock = FolderLock(path)
        self._claims = RecordWriter(path / CLAIMS)

    @property
    def exchanges(self) -> Path:
        """Where the run's exchanges are kept."""
        return self.path / EXCHANGES

    def __enter__(self) -> Self:
        try:
            self._made = tuple(each for each in (self.path, *self.path.parents) if not each.exists())
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
        if self._discarded:
            with suppress(OSError):
                for folder in self._made:
                    folder.rmdir()

    def discard(self) -> None:
        """Remove the run, of which nothing is worth keeping, and at the end of the block the folders made for it."""
        self._claims.close()
        for name in (RECORD, ANSWERS, CLAIMS, KS):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.exchanges, ignore_errors=True)
        self._discarded = True

    def append_claim(self, outcome: ClaimOutcome) -> None:
        """Keep one finished claim. Raises StopRunError where the disk does not take it."""
        self._claims.append(claim_record(outcome, stages=self._stages))

    def replace_claims(self, outcomes: Iterable[ClaimOutcome]) -> None:
        """Put all claims there anew, in the order given."""
        self._claims.close()
        replace_records(self.path / CLAIMS, (claim_record(each, stages=self._stages) for each in outcomes))

    def replace_answers(self, answers: Iterable[ScoredAnswer]) -> None:
        """Put all answers there anew, with their scores."""
        records = (answer_record(each.outcome, tuple(each.scores.values())) for each in answers)
        replace_records(self.path / ANSWERS, records)

    def write_k(self, table: str) -> None:
        """Write ``k.json``."""
        replace_file(self.path / KS, [table.encode()])

    def write_record(self, record: RunRecord) -> None:
        """Write ``run.json``."""
        replace_json(self.path / RECORD, run_record_json(record))


def holds_run(path: Path) -> bool:
    """Whether ``path`` is a run's folder; False where there is nothing yet.

    Raises ConfigurationError where something else stands there, or nothing can be written there.
    """
    if (path / RECORD).is_file():
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
    """Read a run's folder without writing to it.

    Of a claim that was tried again the last outcome counts. Raises InputError where the folder is none of a run, or
    its record cannot be read.
    """
    record = read_record(path)
    answers, bad_answers = _read_outcomes(path / ANSWERS, read_answer_record)
    claims, bad_claims = _read_outcomes(path / CLAIMS, read_claim_record)
    latest = {(outcome.answer, outcome.claim.id): outcome for outcome in claims}
    return StoredRun(path, record, tuple(answers), tuple(latest.values()), (*bad_answers, *bad_claims))


def read_record(path: Path) -> RunRecord:
    """What a run's ``run.json`` says. Raises InputError where there is none, or it cannot be read."""
    file = path / RECORD
    try:
        value = parse_json(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"not the folder of a run (no {RECORD})", path=str(path)) from None
    except OSError as problem:
        raise InputError(problem.strerror or str(problem), path=str(file)) from problem
    except (StrictJsonError, UnicodeDecodeError) as problem:
        raise InputError(str(problem), path=str(file)) from None
    return read_run_record(value, path=str(file))


def _read_outcomes(file: Path, read: Callable[..., Outcome]) -> tuple[list[Outcome], list[str]]:
    """Every outcome that can be read, and what is wrong with the others."""
    outcomes: list[Outcome] = []
    problems: list[str] = []
    try:
        for line in read_records(file):
            try:
                outcomes.append(read(line.record or {}, path=str(file), line=line.number))
            except InputError as problem:
                problems.append(str(problem) if line.record else f"{file}:{line.number}: not a whole record")
    except OSError as problem:
        raise InputError(problem.strerror or str(problem), path=str(file)) from problem
    return outcomes, problems


def _check_writable(path: Path) -> None:
    parent = path.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir():
        raise ConfigurationError(f"{path} cannot be made: {parent} is a file")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"{path} cannot be made: {parent} is not writable")
