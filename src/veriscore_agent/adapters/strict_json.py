"""JSON as the standard has it, and one plain sentence for what is not.

Python's reader lets ``NaN``, ``1e999`` and a name given twice pass, and ends in a RecursionError or in advice about
its own integer limit elsewhere. None of these may reach a score or a user.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

Json = dict[str, Any] | list[Any] | str | int | float | bool | None


class StrictJsonError(ValueError):
    """A text that is not JSON, with what is wrong and where."""


def parse_json(text: str) -> Json:
    """The value that ``text`` holds. Raises StrictJsonError."""
    try:
        value: Json = _DECODER.decode(text)
    except StrictJsonError:
        raise
    except json.JSONDecodeError as problem:
        raise StrictJsonError(f"not JSON: {_plain(problem)}") from None
    except RecursionError:
        raise StrictJsonError("brackets are nested too deeply") from None
    return value


def _plain(problem: json.JSONDecodeError) -> str:
    if not problem.doc.strip():
        return "nothing there"
    if problem.pos >= len(problem.doc.rstrip()):
        return "it ends too early"
    return f"{problem.msg.removesuffix(' at')} at character {problem.pos + 1}"


def _no_constant(name: str) -> float:
    raise StrictJsonError(f"{name} is not a JSON number; use null where there is none")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise StrictJsonError(f"the number {text[:20]} is too large")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise StrictJsonError(f"an integer of {len(text):,} digits is too large") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise StrictJsonError(f"the name {twice[:60]!r} is given twice")
    return found


_DECODER = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=_finite, parse_int=_integer, object_pairs_hook=_unique
)
