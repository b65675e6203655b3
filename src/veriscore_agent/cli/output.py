"""What goes to standard output (results) and to standard error (progress and problems)."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any, TextIO

from veriscore_agent.errors import StopRunError

PROGRAM = "veriscore-agent"

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of writing: text of strangers must not steer a terminal."""

WIDEST = 100
"""Characters of a line that are still easy to read."""


def prepare_streams() -> None:
    """Let any text be printed whatever the locale: what its encoding lacks is replaced, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def program() -> str:
    """What runs this program again: its name, or the path that it was started by where no folder of PATH has it."""
    started = sys.argv[0]
    if Path(started).name == PROGRAM and shutil.which(PROGRAM) is None:
        return shlex.quote(started)
    return PROGRAM


def print_result(text: str) -> None:
    """Print results. A reader who has gone, as in ``| head``, is no error.

    Raises StopRunError where they cannot be written, as on a full disk.
    """
    _print(text, sys.stdout)


def print_json(value: Any) -> None:
    """Print one JSON value, in ASCII, so that no locale can spoil it."""
    print_result(json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2))


def print_note(text: str) -> None:
    """Tell people something that is no result."""
    _print(text, sys.stderr)


def print_problem(text: str) -> None:
    """Tell of a problem."""
    _print(f"veriscore-agent: {plain(text)}", sys.stderr)


def plain(text: str) -> str:
    """The text without what could steer a terminal."""
    return _UNSAFE.sub("�", text)


def one_line(text: str) -> str:
    """The text on one line, safe for a terminal."""
    return plain(" ".join(text.split()))


def terminal_width(*, elsewhere: int) -> int:
    """Columns that text is wrapped to: those of the terminal, at most 100; ``elsewhere`` where there is none."""
    columns = shutil.get_terminal_size((elsewhere, 0)).columns
    return min(columns, WIDEST)


def wrap(line: str, width: int) -> list[str]:
    """The line in lines of at most ``width`` characters, broken between words; what follows on is indented by 2 more.

    A word that is longer, such as an address, stays whole, and on the line of its label.
    """
    if len(line) <= width or len(line.split()) <= 2:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.lstrip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _print(text: str, stream: TextIO | None) -> None:
    if stream is None:
        # The process was started with the stream closed; print() would take the other one.
        return
    try:
        print(text, file=stream, flush=True)
    except OSError as problem:
        # Python would flush once more at exit and complain: give it somewhere to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if stream is sys.stdout and not isinstance(problem, BrokenPipeError):
            raise StopRunError(f"cannot write to standard output: {problem.strerror or problem}") from problem
