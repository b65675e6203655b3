"""The blocks of a plain text, whose sentences may be broken over lines of 72 characters.

A line was broken for want of room if the first word of the next one would not have fitted on it. Such lines are joined;
verses, addresses, lists, tables and code keep theirs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from veriscore_agent.adapters.pages.blocks import Block

_WIDTHS = range(55, 121)
"""Widths at which texts are wrapped by hand or by program; what is longer has a line a paragraph."""
_SLACK = 4
"""Characters by which a line may miss its width: programs balance, people guess."""
_OWN_WIDTH_LINES = 4
"""Lines from which a paragraph shows its own width."""
_MARKED = re.compile(r"\s*(?:#{1,6} |[-*+•>|] ?|\d{1,3}[.)] |={3,}|-{3,})")
_ITEM = re.compile(r"\s*(?:[-*+•] |\d{1,3}[.)] )")
_COLUMNS = re.compile(r"\S(?:\t| {3,})\S")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def plain_blocks(text: str) -> list[Block]:
    """The paragraphs of a text, each on one line unless its lines were broken on purpose."""
    lines = text.expandtabs(8).split("\n")
    width = _usual_width(lines)
    return [
        Block("paragraph", block, "body")
        for paragraph in _paragraphs(lines)
        if (block := "\n".join(_joined(paragraph, width)))
    ]


def _paragraphs(lines: Sequence[str]) -> list[list[str]]:
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line.rstrip())
        elif paragraphs[-1]:
            paragraphs.append([])
    return paragraphs


def _usual_width(lines: Sequence[str]) -> int:
    """The width of nearly all lines."""
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    return lengths[int(len(lengths) * 0.98)] if lengths else 0


def _joined(paragraph: Sequence[str], usual_width: int) -> list[str]:
    width = max(map(len, paragraph), default=0) if len(paragraph) >= _OWN_WIDTH_LINES else usual_width
    is_wrapped = width in _WIDTHS and not _is_verse(paragraph)
    lines: list[str] = []
    for at, line in enumerate(paragraph):
        words = " ".join(line.split())
        if at and is_wrapped and _was_broken(paragraph[at - 1], line, width):
            lines[-1] += ("" if _is_seamless(lines[-1], words) else " ") + words
        else:
            lines.append(words)
    return lines


def _is_verse(paragraph: Sequence[str]) -> bool:
    """Whether every line begins with a capital, which by chance happens in short paragraphs alone."""
    return len(paragraph) >= _OWN_WIDTH_LINES and all(line.lstrip()[:1].isupper() for line in paragraph)


def _was_broken(line: str, following: str, width: int) -> bool:
    if _MARKED.match(following) or _COLUMNS.search(following) or _COLUMNS.search(line):
        return False
    if _MARKED.match(line) and not _ITEM.match(line):
        return False
    deeper = _indent(following) - _indent(line)
    if deeper >= 2 and not _ITEM.match(line):
        return False
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) > width - _SLACK


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_seamless(before: str, after: str) -> bool:
    """Whether nothing belongs between two lines: behind a hyphen, and in scripts without spaces."""
    if before.endswith("-") and before[-2:-1].isalpha() and after[:1].islower():
        return True
    return bool(_WIDE.match(before[-1:]) and _WIDE.match(after[:1]))
