"""A page cut into the smallest pieces that are evidence: sentences, list items, table rows, headings.

The text of a page is plain, with a little structure in its lines: ``#`` to ``######`` begin a heading, ``- `` an item,
a line is a block, and a blank line parts what must not be read as one (sections, teasers of different stories).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import sentencex

from veriscore_agent.core.passages.terms import terms
from veriscore_agent.domain import Page

_HEADING = re.compile(r"(#{1,6}) +(.*)")
_WHOLE_LINE = 300
"""Characters up to which a list item or table row is one piece."""
_LONGEST = 1000
"""Characters of a piece; what has no end before is cut at a space, or anywhere."""


@dataclass(frozen=True, slots=True)
class Piece:
    """``page.text[start:end]``, with what it stands under."""

    start: int
    end: int
    section: int
    """Number of the stretch between two blank lines; pieces of two sections never make one passage."""
    heading: str
    """The headings above, outermost first, parted by `` > ``."""
    main: bool
    counts: Counter[str]
    """Its terms, and how often."""
    words: int


@lru_cache(maxsize=64)
def split_pieces(page: Page) -> tuple[Piece, ...]:
    """All pieces of a page in order. They do not overlap, and leave out nothing but white space."""
    main_chars = len(page.text) if page.main_chars is None else page.main_chars
    pieces: list[Piece] = []
    headings: list[tuple[int, str]] = []
    section = 0
    for line in re.finditer(r"[^\n]+|\n(?=\n)", page.text):
        if line[0] == "\n":
            section += 1
            continue
        above = " > ".join(text for _, text in headings)
        if heading := _HEADING.match(line[0]):
            level = len(heading[1])
            headings = [each for each in headings if each[0] < level]
            above = " > ".join(text for _, text in headings)
            headings.append((level, heading[2].strip()))
        for start, end in _spans(line[0], offset=line.start()):
            found = terms(page.text[start:end])
            pieces.append(Piece(start, end, section, above, start < main_chars, Counter(found), len(found)))
    return tuple(pieces)


def _spans(line: str, offset: int) -> list[tuple[int, int]]:
    """Where the pieces of one line begin and end, without the white space between them."""
    whole = len(line) <= _WHOLE_LINE and (line.startswith("- ") or " | " in line or line.startswith("#"))
    spans = []
    at = 0
    for sentence in [line] if whole else _sentences(line):
        for start, end in _cut(sentence):
            spans.append((offset + at + start, offset + at + end))
        at += len(sentence)
    return spans


def _sentences(line: str) -> list[str]:
    """The sentences of a line, which joined give the line again. A lone surrogate counts as one character."""
    sentences = list(sentencex.segment("en", line.encode("utf-8", "replace").decode()))
    return sentences if sum(map(len, sentences)) == len(line) else [line]


def _cut(sentence: str) -> list[tuple[int, int]]:
    spans = []
    start = 0
    while start < len(sentence):
        stop = len(sentence)
        if stop - start > _LONGEST:
            stop = sentence.rfind(" ", start + _LONGEST // 2, start + _LONGEST) + 1 or start + _LONGEST
        text = sentence[start:stop]
        first = start + len(text) - len(text.lstrip())
        if inner := text.strip():
            spans.append((first, first + len(inner)))
        start = stop
    return spans
