"""Lines of a file that may be of any size, one at a time, and the formats that are told apart from JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from veriscore_agent.errors import InputError

_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 16
_FOREIGN_STARTS = {
    b"\x1f\x8b": "it is compressed with gzip; pipe it in: gzip -dc FILE | veriscore-agent score -",
    b"PK\x03\x04": "it is a zip archive or a spreadsheet; one JSON object a line is wanted",
    b"PAR1": "it is a Parquet file; one JSON object a line is wanted",
    b"\xff\xfe": "it is UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "it is UTF-16 text; save it as UTF-8",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end. ``problem`` says why there is no text."""

    number: int
    text: str = ""
    problem: str = ""


def read_lines(stream: IO[bytes], *, path: str, max_bytes: int) -> Iterator[Line]:
    """Every line of ``stream``, numbered from 1; never more than ``max_bytes`` of one are held.

    Only LF ends a line (a CR before it goes too): JSON text may hold U+2028 and its kin. Blank lines at the end are
    left out; one in between is given, as a line without text. Raises InputError where the file is of another format.
    """
    blank: list[Line] = []
    for number, raw in enumerate(_raw_lines(stream, max_bytes), 1):
        line = _decode(number, raw, path, max_bytes)
        if not line.text and not line.problem:
            blank.append(line)
            continue
        yield from blank
        blank.clear()
        yield line


def _raw_lines(stream: IO[bytes], max_bytes: int) -> Iterator[bytes | None]:
    """Raw lines; None for one that is too long, which is read over piece by piece."""
    while line := stream.readline(max_bytes + 1):
        if len(line) <= max_bytes or line.endswith(b"\n"):
            yield line
            continue
        while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
            pass
        yield None


def _decode(number: int, raw: bytes | None, path: str, max_bytes: int) -> Line:
    if raw is None:
        return Line(number, problem=f"the line is longer than {max_bytes / 1e6:,.0f} MB")
    if number == 1:
        _refuse_foreign(raw, path)
        raw = raw.removeprefix(_BOM)
    try:
        return Line(number, raw.decode("utf-8").strip(" \t\r\n"))
    except UnicodeDecodeError as problem:
        byte = raw[problem.start]
        return Line(number, problem=f"not UTF-8 (byte 0x{byte:02x} at position {problem.start + 1}); save it as UTF-8")


def _refuse_foreign(start: bytes, path: str) -> None:
    for magic, what in _FOREIGN_STARTS.items():
        if start.startswith(magic):
            raise InputError(f"not JSON Lines: {what}", path=path)
