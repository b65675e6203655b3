"""A page cut into the smallest pieces that are evidence: sentences, list items, table rows, headings.

The text of a page is plain, with a little structure in its lines: ``#`` to ``######`` begin a heading, ``- `` an item,
a line is a block, and a blank line parts what must not be read as one (sections, teasers of different stories).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

import sentencex

from veriscore_agent.core.passages.terms import terms
from veriscore_agent.domain import Page

_HEADING = re.compile(r"(#{1,6}) +(.*)")
_WHOLE_LINE = 300
"""Characters up to which a list item or table row is one piece."""
_LONGEST = 1000
"""Characters of a piece; what has no end before is cut at a space, or anywhere."""
_ENDS = frozenset(".!?。！？”\"')")
_INNER_END = re.compile(r"[.!?](?=[^a-z0-9]*\s)|[^\x00-\x7f]")
"""Where a line could hold a further sentence; a line without is one."""


class Piece(NamedTuple):
    """``page.text[start:end]``, with what it stands under."""

    start: int
    end: int
    section: int
    """Number of the stretch between two blank lines; pieces of two sections never make one passage."""
    heading: str
    """The headings above, outermost first, parted by `` > ``. The first of level 1 is the page's title: left out."""
    main: bool
    kind: Literal["heading", "sentence", "line"]
    """A sentence ends like one; a line is anything else: an item, a table row, a caption."""
    terms: tuple[str, ...]
    """Its terms in order."""


@lru_cache(maxsize=64)
def split_pieces(page: Page) -> tuple[Piece, ...]:
    """All pieces of a page in order. They do not overlap, and leave out nothing but white space."""
    text = page.text
    main_chars = len(text) if page.main_chars is None else page.main_chars
    pieces: list[Piece] = []
    headings: list[tuple[int, str]] = []
    above, section, at, titled = "", 0, 0, False
    for line in text.split("\n"):
        heading = _HEADING.match(line) if line.startswith("#") else None
        if heading:
            headings = [each for each in headings if each[0] < len(heading[1])]
            above = " > ".join(title for _, title in headings)
        for start, end in _spans(line, offset=at):
            found = tuple(terms(text[start:end]))
            pieces.append(Piece(start, end, section, above, start < main_chars, _kind(text, start, end), found))
        if heading and (titled or len(heading[1]) > 1):
            headings.append((len(heading[1]), heading[2].strip()))
            above = " > ".join(title for _, title in headings)
        titled = titled or bool(heading and len(heading[1]) == 1)
        section += not line
        at += len(line) + 1
    return tuple(pieces)


def _kind(text: str, start: int, end: int) -> Literal["heading", "sentence", "line"]:
    if text[start] == "#":
        return "heading"
    return "sentence" if text[end - 1] in _ENDS else "line"


def _spans(line: str, offset: int) -> list[tuple[int, int]]:
    """Where the pieces of one line begin and end, without the white space between them."""
    if len(line) <= _WHOLE_LINE and (line.startswith(("- ", "#")) or " | " in line or not _INNER_END.search(line)):
        inner = line.strip()
        first = offset + len(line) - len(line.lstrip())
        return [(first, first + len(inner))] if inner else []
    spans = []
    for sentence in _sentences(line):
        spans += [(offset + start, offset + end) for start, end in _cut(sentence)]
        offset += len(sentence)
    return spans


def _sentences(line: str) -> list[str]:
    """The sentences of a line, which joined give the line again. A lone surrogate counts as one character.

    What begins with a small letter goes on with the sentence before (a quoted title with an exclamation mark).
    """
    found = sentencex.segment("en", line.encode("utf-8", "replace").decode())
    sentences: list[str] = []
    for each in found:
        if sentences and each.lstrip()[:1].islower():
            sentences[-1] += each
        else:
            sentences.append(each)
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
