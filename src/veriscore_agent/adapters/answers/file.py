"""Reading of an answers file, line by line, with every problem told by path, line and remedy."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from veriscore_agent.adapters.answers.gathering import Gathering
from veriscore_agent.adapters.answers.lines import Line, read_lines
from veriscore_agent.adapters.answers.rows import read_row
from veriscore_agent.adapters.answers.values import RowError
from veriscore_agent.adapters.strict_json import StrictJsonError, parse_json
from veriscore_agent.domain import Answer
from veriscore_agent.errors import InputError

MAX_LINE_BYTES = 16_000_000
"""A line of the authors' files with 300 claims and all their searches has about 3 MB."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How a file is read."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """Our name of a field to the file's name."""
    limit: int | None = None
    """Take the first answers only."""
    skip_bad: bool = False
    """Leave bad lines out, and count them."""
    max_line_bytes: int = MAX_LINE_BYTES


@dataclass(frozen=True, slots=True)
class AnswersFile:
    """What was read."""

    name: str
    """Path, or ``standard input``."""
    answers: tuple[Answer, ...]
    skipped: tuple[InputError, ...] = ()
    """Bad lines that were left out."""
    warnings: tuple[str, ...] = ()


def read_answers(source: str, options: ReadingOptions | None = None) -> AnswersFile:
    """The answers of the file ``source``, or of standard input for ``-``.

    Raises InputError at the first problem; with ``skip_bad``, only where no answer is left.
    """
    chosen = options or ReadingOptions()
    name = "standard input" if source == "-" else source
    gathering = Gathering(chosen.limit)
    skipped: list[InputError] = []
    warnings: list[str] = []
    with _opened(source) as stream:
        for line in read_lines(stream, path=name, max_bytes=chosen.max_line_bytes):
            try:
                warnings += _take(line, gathering, chosen.fields, name)
            except RowError as problem:
                skipped.append(InputError(str(problem), path=name, line=line.number))
                if not chosen.skip_bad:
                    raise skipped[-1] from None
            if gathering.full:
                break
    answers = gathering.answers()
    if not answers:
        raise _nothing_usable(name, skipped)
    return AnswersFile(name, answers, tuple(skipped), tuple(warnings))


def _take(line: Line, gathering: Gathering, fields: Mapping[str, str], name: str) -> list[str]:
    if line.problem:
        raise RowError(line.problem)
    if not line.text:
        raise RowError("a blank line")
    try:
        value = parse_json(line.text)
    except StrictJsonError as problem:
        raise RowError(f"{problem}{_form_hint(line, name)}") from None
    if isinstance(value, list) and line.number == 1:
        raise RowError(f"a list, where a JSON object is wanted{_form_hint(line, name)}")
    try:
        row = read_row(value, line=line.number, fields=fields)
    except RecursionError:
        raise RowError("brackets are nested too deeply") from None
    gathering.add(row.content, line.number)
    return [f"{name}:{line.number}: {warning}" for warning in row.warnings]


def _form_hint(line: Line, name: str) -> str:
    """What to do about a first line that begins some other usual form."""
    if line.number > 1:
        return ""
    if line.text.startswith("["):
        return f"; make it one object a line: jq -c '.[]' {name} > answers.jsonl"
    if line.text.startswith("{"):
        return f"; if the object spans several lines: jq -c . {name} > answers.jsonl"
    return "; one JSON object a line is wanted"


def _nothing_usable(name: str, skipped: list[InputError]) -> InputError:
    if skipped:
        return InputError(f"none of its {len(skipped)} lines can be used; the first: {skipped[0]}", path=name)
    return InputError("the file is empty; one JSON object a line is wanted", path=name)


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    name = "standard input" if source == "-" else source
    try:
        with _standard_input() if source == "-" else Path(source).open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise InputError("no such file", path=name) from None
    except IsADirectoryError:
        raise InputError("it is a folder, where a file is wanted", path=name) from None
    except (OSError, ValueError) as problem:
        raise InputError(_reason(problem), path=name) from problem


@contextmanager
def _standard_input() -> Iterator[IO[bytes]]:
    """Standard input, which stays open."""
    if sys.stdin is None:
        raise InputError("it is closed", path="standard input")
    yield sys.stdin.buffer


def _reason(problem: OSError | ValueError) -> str:
    number = problem.errno if isinstance(problem, OSError) else None
    return os.strerror(number) if number else str(problem)
