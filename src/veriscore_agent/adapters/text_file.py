"""Small text files of the user's."""

from __future__ import annotations

from pathlib import Path

from veriscore_agent.errors import ConfigurationError


def read_text(path: str) -> str:
    """The text of a UTF-8 file, a byte order mark left out. Raises OSError or UnicodeDecodeError."""
    return Path(path).read_text(encoding="utf-8-sig")


def write_text(path: str, text: str) -> None:
    """Write a file in UTF-8, line ends as they are. Raises ConfigurationError where the disk does not take it."""
    try:
        Path(path).write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise ConfigurationError(f"cannot write {path}: {problem.strerror or problem}") from problem


def check_writable(path: str) -> None:
    """Raise ConfigurationError where no file can be written to ``path``. What stands there is left as it is."""
    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            new = stream.tell() == 0
    except OSError as problem:
        raise ConfigurationError(f"cannot write {path}: {problem.strerror or problem}") from problem
    if new and Path(path).stat().st_size == 0:
        Path(path).unlink()
