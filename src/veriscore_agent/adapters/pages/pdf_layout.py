"""Lines of a PDF, as they lie on its pages, become headings, paragraphs, items and rows.

A PDF knows where characters are, not what they belong to. Paragraphs are told by distance, indent, size and unfinished
lines; running headers, footers and page numbers by being there again on other pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from veriscore_agent.adapters.pages.blocks import Block, Kind


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page. All measures are in points; ``top`` and ``bottom`` grow upwards."""

    page: int
    text: str
    left: float
    right: float
    top: float
    bottom: float
    hyphenated: bool = False
    """Whether it ends within a word, whose hyphen ``text`` does not have."""

    @property
    def size(self) -> float:
        """Height of the line's font."""
        return self.top - self.bottom


@dataclass(slots=True)
class _Paragraph:
    kind: Kind
    text: str
    first: Line
    last: Line
    level: int = 0


_LARGER = 1.15
"""A font this much larger than that of most text is a heading's."""
_LONGEST_HEADING = 200
_OTHER_SIZE = 1.12
_GAP = 1.3
"""Distance between lines, in usual distances, that begins a paragraph."""
_LINES_WITH_A_PITCH = 5
_COMMON_PITCH = 1.2
"""In heights of the font."""
_SHORT_LINE = 0.85
"""Share of the column's width below which a line was ended on purpose."""
_INDENT = 0.7
"""In heights of the font."""
_EDGE_LINES = 2
_RUNNING_SHARE = 0.4
"""Of all pages; headers often differ on left and right pages."""
_LONGEST_RUNNING = 100
_LEADER = re.compile(r"(?:\. ?){4}\d*\Z")
"""From a title to its page, in a table of contents."""
_PAGE_NUMBER = re.compile(r"[0-9]{1,4}")
_ITEM = re.compile(r"[•◦▪‣●○■□–—*-]\s+(?=\S)|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+(?=\S)")
_BULLET = re.compile(r"[•◦▪‣●○■□–—*-]\s+")
_NUMBER = re.compile(r"[-+(]?[$€£]?\d[\d.,]*[%)]?")
_DIGITS = re.compile(r"\d+")
_END = re.compile(r"[.!?:;。！？؟][\"'”’)\]]*(?:\d{1,3})?$")


def running_lines(pages: Sequence[Sequence[Line]]) -> frozenset[Line]:
    """Headers, footers and page numbers: first or last lines that many pages have, but for their numbers, or that have
    the number of the page, counted as on many other pages.

    A page that has nothing else keeps its lines.
    """
    largest = _LARGER * _body_size(line for lines in pages for line in lines)
    edges = [[line for line in _edge_lines(lines) if line.size <= largest] for lines in pages]
    seen = Counter(pattern for lines in edges for pattern in {_pattern(line) for line in lines})
    starts = Counter(start for lines in edges for start in {each for line in lines for each in _numbered_from(line)})
    least = max(2, _RUNNING_SHARE * len(pages))
    numbered_from = {start for start, count in starts.items() if count >= least}
    running: set[Line] = set()
    for lines, edge in zip(pages, edges, strict=True):
        found = {line for line in edge if seen[_pattern(line)] >= least or line.text == str(line.page + 1)}
        found |= {line for line in edge if not numbered_from.isdisjoint(_numbered_from(line))}
        if len(found) < len(lines):
            running |= found
    return frozenset(running)


def _numbered_from(line: Line) -> list[int]:
    """What the first page's number would be, were the number at either end of this line that of its page."""
    words = line.text.split() if len(line.text) <= _LONGEST_RUNNING else []
    return [int(word) - line.page for word in {*words[:1], *words[-1:]} if _PAGE_NUMBER.fullmatch(word)]


def _edge_lines(lines: Sequence[Line]) -> list[Line]:
    """The highest and the lowest lines of a page, whatever their order in the file."""
    by_height = sorted(lines, key=lambda line: line.bottom)
    return by_height[:_EDGE_LINES] + by_height[_EDGE_LINES:][-_EDGE_LINES:]


def _pattern(line: Line) -> tuple[str, int]:
    """Equal for lines that differ in a page number alone, and stand at the same height."""
    text = " ".join(line.text.split()).lower()
    return (_DIGITS.sub("#", text) if len(_DIGITS.findall(text)) <= 2 else text), round(line.bottom / 12)


def page_blocks(pages: Sequence[Sequence[Line]]) -> list[Block]:
    """The blocks of all pages in reading order. A paragraph may go on over columns and pages."""
    body = _body_size(line for lines in pages for line in lines)
    paragraphs: list[_Paragraph] = []
    for lines in pages:
        pitch = _usual_pitch(lines)
        width = _column_width(lines)
        for line in lines:
            last = paragraphs[-1] if paragraphs else None
            if last is not None and _goes_on(last, line, pitch, width, body):
                _append(last, line)
            else:
                paragraphs.append(_begun(line, body))
    words = _Words(paragraphs)
    return [_block(paragraph, words) for paragraph in _leveled(paragraphs)]


def _body_size(lines: Iterable[Line]) -> float:
    """The font height that most characters have."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _usual_pitch(lines: Sequence[Line]) -> float:
    """The usual distance from a line to the next one below it."""
    steps = [above.bottom - below.bottom for above, below in pairwise(lines)]
    near = [step for step, line in zip(steps, lines, strict=False) if 0 < step < 4 * line.size]
    if len(near) >= _LINES_WITH_A_PITCH:
        return median(near)
    return min([*near, _COMMON_PITCH * lines[0].size]) if lines else 0.0


def _column_width(lines: Sequence[Line]) -> float:
    """What a full line of this page measures: nine of ten are no longer."""
    widths = sorted(line.right - line.left for line in lines)
    return widths[int(len(widths) * 0.9)] if widths else 0.0


def _goes_on(paragraph: _Paragraph, line: Line, pitch: float, width: float, body: float) -> bool:
    above = paragraph.last
    if above.hyphenated:
        return True
    if _ITEM.match(line.text) or _is_row(line.text) or paragraph.kind == "row" or _LEADER.search(above.text[-40:]):
        return False
    unfinished = not _END.search(above.text)
    goes_on_in_words = unfinished and line.text[:1].islower()
    step = above.bottom - line.bottom
    if max(above.size, line.size) > _OTHER_SIZE * min(above.size, line.size) and not goes_on_in_words:
        return False
    if paragraph.kind == "heading":
        return line.page == above.page and 0 < step < 1.6 * above.size and line.size > _LARGER * body
    if line.page != above.page or step <= 0:
        return unfinished and (_is_full(above, width) or goes_on_in_words) and not line.text[:1].isupper()
    if step > _GAP * max(pitch, above.size):
        return False
    if line.left > above.left + _INDENT * line.size and (paragraph.kind != "item") and not unfinished:
        return False
    return _is_full(above, width) or goes_on_in_words


def _is_full(line: Line, width: float) -> bool:
    return line.right - line.left >= _SHORT_LINE * width


def _is_row(text: str) -> bool:
    """Whether this is a line of a table: two numbers or more, and little else."""
    tokens = text.split()
    numbers = sum(1 for token in tokens if _NUMBER.fullmatch(token))
    return numbers >= 2 and numbers >= 0.4 * len(tokens)


def _begun(line: Line, body: float) -> _Paragraph:
    kind: Kind = "paragraph"
    if line.size > _LARGER * body and len(line.text) <= _LONGEST_HEADING and any(map(str.isalpha, line.text)):
        kind = "heading"
    elif _is_row(line.text):
        kind = "row"
    elif _ITEM.match(line.text):
        kind = "item"
    return _Paragraph(kind, _opened(line), line, line)


_KEPT_HYPHEN = re.compile(r"\w[-–]\Z")
_HYPHEN = "\ufffe"
"""Stands for a hyphen at the end of a line, as in pdfium, until all words of the document are known."""


def _opened(line: Line) -> str:
    return line.text + (_HYPHEN if line.hyphenated else "")


def _append(paragraph: _Paragraph, line: Line) -> None:
    seamless = paragraph.text.endswith(_HYPHEN) or (_KEPT_HYPHEN.search(paragraph.text[-2:]) and line.text[0].isalnum())
    paragraph.text += ("" if seamless else " ") + _opened(line)
    paragraph.last = line


def _leveled(paragraphs: Sequence[_Paragraph]) -> Iterable[_Paragraph]:
    """With the levels of headings: the largest font is level 1, no font is below level 4."""
    sizes = sorted({round(each.first.size) for each in paragraphs if each.kind == "heading"}, reverse=True)
    for each in paragraphs:
        yield replace(each, level=min(4, sizes.index(round(each.first.size)) + 1) if each.kind == "heading" else 0)


_LONGEST_WORD = 100
_LAST_WORD = re.compile(r"\w*\Z")
_FIRST_WORD = re.compile(r"\w*")


class _Words:
    """The words of a document, asked whether a hyphen at a line's end belongs to the word."""

    def __init__(self, paragraphs: Iterable[_Paragraph]) -> None:
        self._known = Counter(
            word.lower() for paragraph in paragraphs for word in re.findall(r"\w+(?:-\w+)*", paragraph.text)
        )

    def joined(self, text: str) -> str:
        """The text without the hyphens that only its lines had."""
        first, *others = text.split(_HYPHEN)
        parts = [first]
        for part in others:
            before, after = _LAST_WORD.search(parts[-1][-_LONGEST_WORD:]), _FIRST_WORD.match(part[:_LONGEST_WORD])
            parts += [self._between(before[0] if before else "", after[0] if after else ""), part]
        return "".join(parts)

    def _between(self, before: str, after: str) -> str:
        with_hyphen = self._known[f"{before}-{after}".lower()]
        return "-" if not after[:1].islower() or with_hyphen > self._known[f"{before}{after}".lower()] else ""


def _block(paragraph: _Paragraph, words: _Words) -> Block:
    text = words.joined(paragraph.text)
    if paragraph.kind == "item":
        text = _BULLET.sub("", text, count=1)
    return Block(paragraph.kind, text, "body", level=paragraph.level)
