"""List marks and emphasis taken off a line without touching what it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_BULLET = re.compile(r"\s*(?:[-*+•·●▪◦‣∙–—→✓✔]\s+(?:\[[ xX]\]\s+)?|[•●▪◦‣]\s*)")
_NUMBER = re.compile(r"(?P<bold>\*\*|__)?[(\[]?(?P<number>\d{1,3})(?:[.)\]、．]|\.\))(?P=bold)?[.:]?\s+(?=\S)")
"""``1. ``, ``2) ``, ``(3) ``, ``[4] ``, ``**5.** ``. A year has four digits and is none."""
_NESTED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2})+)(?P<end>[.)])?\s+(?=\S)")
_LETTER = re.compile(r"\(?[a-zA-Z]\)\s+(?=\S)")
_GERMAN_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
"""``3. Oktober`` is a date. Other languages with such dates write the month small."""
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_MARKED = re.compile(r"</?(?:SOS|EOS|claim|fact)>", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "«": "»", "「": "」", "`": "`", "'": "'"}


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line that opens with a number as lists do."""

    number: int
    rest: str


def strip_list_marks(lines: Sequence[str]) -> list[str]:
    """The lines without bullets and list numbers.

    ``3. Oktober`` opens a German date as well as a list item, so a number counts as a mark where the numbers of all
    lines form a list, or else where what follows reads like the beginning of a sentence.
    """
    bare = [_without_bullet(line) for line in lines]
    numbered = [_numbered(line) for line in bare]
    is_list = _form_a_list([each for each in numbered if each])
    nested = _nested_is_list(bare)
    return [
        _after_marks(line, each if each and (is_list or _begins_sentence(each)) else None, nested)
        for line, each in zip(bare, numbered, strict=True)
    ]


def strip_wrapping(text: str) -> str:
    """A text without emphasis, and without quotes or marks around the whole of it."""
    text = _MARKED.sub("", text).strip()
    text = _ITALIC.sub(r"\1", _BOLD.sub(r"\2", text)).strip()
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if closing and len(text) > 2 and text.endswith(closing) and text[0] not in inner and closing not in inner:
        return inner.strip()
    return text


def _numbered(line: str) -> _Numbered | None:
    match = _NUMBER.match(line)
    if match is None:
        return None
    bold = match["bold"] or ""
    opened_and_not_closed = bold and not match[0].rstrip(" .:").endswith(bold)
    return _Numbered(int(match["number"]), (bold if opened_and_not_closed else "") + line[match.end() :])


def _without_bullet(line: str) -> str:
    bullet = _BULLET.match(line)
    return line[bullet.end() if bullet else 0 :].strip()


def _form_a_list(lines: Sequence[_Numbered]) -> bool:
    """Whether numbers count items: one by one from 0 or 1, perhaps starting over, or all the same 1; and not days."""
    numbers = [line.number for line in lines]
    if len(numbers) < 2 or numbers[0] > 1 or all(map(_opens_date, lines)):
        return False
    return all(after in (0, 1) or after == before + 1 for before, after in pairwise(numbers))


def _begins_sentence(line: _Numbered) -> bool:
    """Whether what follows a number stands for itself: no word in lower case (but iPhone), no month."""
    low = line.rest[0].islower() and not any(map(str.isupper, line.rest[1:3]))
    return not low and not _opens_date(line)


def _opens_date(line: _Numbered) -> bool:
    return line.number <= 31 and bool(_GERMAN_MONTH.match(line.rest))


def _nested_is_list(lines: Sequence[str]) -> bool:
    """Whether lines count in two levels (1.1, 1.2) and are not amounts (1.1 million)."""
    matches = [match for line in lines if (match := _NESTED.match(line))]
    numbers = [tuple(map(int, match["number"].split("."))) for match in matches]
    starts = [match.string[match.end()].islower() for match in matches]
    return len(numbers) > 1 and numbers == sorted(set(numbers)) and not any(starts)


def _after_marks(line: str, numbered: _Numbered | None, nested: bool) -> str:
    if numbered:
        line = _without_bullet(numbered.rest)
    elif ((match := _NESTED.match(line)) and (nested or match["end"])) or (match := _LETTER.match(line)):
        line = line[match.end() :]
    return line.strip()
