"""Files of the run folder: JSON Lines that grow and survive a kill, and whole files that are replaced at once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from veriscore_agent.adapters.strict_json import StrictJsonError, parse_json
from veriscore_agent.errors import StopRunError

Record = dict[str, Any]

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line of a file; ``record`` is None where it is no whole JSON object."""

    number: int
    record: Record | None


def encode_record(record: Record) -> bytes:
    """One line in UTF-8. A number that JSON does not know raises ValueError: no such line can be read again."""
    return (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")


def read_records(path: Path) -> Iterator[RecordLine]:
    """Every line of the file; none where there is no file."""
    if not path.exists():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                value = parse_json(line.decode("utf-8"))
            except (StrictJsonError, UnicodeDecodeError):
                value = None
            yield RecordLine(number, value if isinstance(value, dict) else None)


def mend_tail(path: Path) -> bool:
    """End the file with a whole line: half a line, as a kill leaves it, is cut off. True where one was."""
    if not path.exists():
        return False
    with path.open("r+b") as stream:
        start = _start_of_last_line(stream)
        stream.seek(start)
        tail = stream.read()
        if not tail:
            return False
        try:
            parse_json(tail.decode("utf-8"))
        except (StrictJsonError, UnicodeDecodeError):
            stream.truncate(start)
            return True
        stream.write(b"\n")
    return False


def _start_of_last_line(stream: IO[bytes]) -> int:
    """Where the text after the last newline begins."""
    end = stream.seek(0, os.SEEK_END)
    while end > 0:
        begin = max(0, end - _PIECE)
        stream.seek(begin)
        found = stream.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


class RecordWriter:
    """Appends records, each one on disk when the call returns: a killed process keeps what it had finished."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: IO[bytes] | None = None

    def append(self, record: Record) -> None:
        """Write one record. Raises StopRunError where the disk does not take it."""
        line = memoryview(encode_record(record))
        try:
            if self._stream is None:
                self._stream = self._path.open("ab", buffering=0)
            while line:
                line = line[self._stream.write(line) :]
        except OSError as problem:
            raise _disk_problem(self._path, problem) from problem

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def replace_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a whole file so that at any time either the old or the new one stands there.

    Raises StopRunError where the disk does not take it.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as problem:
        draft.unlink(missing_ok=True)
        raise _disk_problem(path, problem) from problem


def replace_records(path: Path, records: Iterable[Record]) -> None:
    """Write a whole file of records at once."""
    replace_file(path, _encoded(records))


def replace_json(path: Path, value: Record) -> None:
    """Write one JSON object, indented for people."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    replace_file(path, [text.encode("utf-8", "replace")])


def _encoded(records: Iterable[Record]) -> Iterator[bytes]:
    for record in records:
        yield encode_record(record)


def _disk_problem(path: Path, problem: OSError) -> StopRunError:
    return StopRunError(f"cannot write {path}: {problem.strerror or problem}")
