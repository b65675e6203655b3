"""Small text files of the user's."""

from __future__ import annotations

from collections.abc import Iterable
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


def check_writable(path: str, *, kept: Iterable[Path] = ()) -> None:
    """Raise ConfigurationError where no file can be written to ``path``. What stands there is left as it is.

    Nothing is to be written over ``kept``: files that are read, and folders with all that is in them.
    """
    for each in kept:
        if _is_within(Path(path), each):
            why = "it is read here" if each.is_file() else f"it lies in {each}, whose files are kept"
            raise ConfigurationError(f"cannot write {path}: {why}; choose another file")
    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            new = stream.tell() == 0
    except OSError as problem:
        raise ConfigurationError(f"cannot write {path}: {problem.strerror or problem}") from problem
    if new and Path(path).stat().st_size == 0:
        Path(path).unlink()


def _is_within(path: Path, kept: Path) -> bool:
    """Whether they are the same, by whatever name, or one lies in the other."""
    try:
        if path.exists() and kept.exists() and path.samefile(kept):
            return True
        return path.resolve().is_relative_to(kept.resolve())
    except (OSError, RuntimeError) as problem:
        # A loop of links, or a name that is too long.
        raise ConfigurationError(f"cannot write {path}: {getattr(problem, 'strerror', None) or problem}") from problem
