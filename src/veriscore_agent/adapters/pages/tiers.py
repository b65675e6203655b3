"""Which blocks of a page are its main text, and how blocks are written as one text.

trafilatura tells the article from what surrounds it better than any rule here would, but it loses table rows, list
items and whole sections on the way. So its result is a vote: the text itself is that of the block walk, a block is
main where trafilatura has it too, and so are the tables, lists and headings that belong to such blocks. All other
visible text is periphery. Measured on labelled pages, main then keeps at least what trafilatura keeps, with the rows
of tables that it loses, and both tiers together keep all visible text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from veriscore_agent.adapters.pages.blocks import Block

_SHORT = 25
"""Letters and digits below which a text may stand in another one by chance."""
_SHORT_INSIDE = 12
"""The same for a block between two that are main."""
_MOSTLY_LINKS = 0.5
_ROW_SHARE = 0.7
_FEW_HEADLINES = 0.2
_NOT_LETTERS = re.compile(r"[\W_]+")
_MARKS = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u00a0\u2022\u00b7\u00ab\u00bb"
"""Most of what stands beyond ASCII in English, and is no letter."""
_LOWER = bytes(range(256)).lower()
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())
_HEAD = re.compile(r"^[^:|]{1,80}: ")


def split_tiers(blocks: Sequence[Block], article: str) -> tuple[list[Block], list[Block]]:
    """Main and periphery, each in document order. ``article`` is what trafilatura found, or an empty text.

    Without an article all that is no furniture is main.
    """
    main = _voted(blocks, article) if article else []
    if not any(main):
        main = [block.zone == "body" for block in blocks]
    _add_headings(blocks, main)
    _drop_headlines(blocks, main)
    return (
        [block for block, is_main in zip(blocks, main, strict=True) if is_main],
        [block for block, is_main in zip(blocks, main, strict=True) if not is_main],
    )


def render(blocks: Sequence[Block]) -> str:
    """Blocks as lines. A blank line parts what must not be read as one.

    ``#`` begins a heading and ``-`` an item. A new stretch begins with every heading, with every block that is a link
    (the headline of a teaser), and where the page begins a new article.
    """
    lines: list[str] = []
    for at, block in enumerate(blocks):
        if at and (block.kind == "heading" or block.starts_article or _is_linked(block)):
            lines.append("")
        lines.append(_line(block))
    return "\n".join(lines)


def prose_chars(blocks: Sequence[Block]) -> int:
    """Characters of the blocks that may be an article: no furniture, no rows, and no links."""
    return sum(
        len(block.text) for block in blocks if block.zone == "body" and block.kind != "row" and not _is_linked(block)
    )


def visible_in(blocks: Sequence[Block]) -> Callable[[str], bool]:
    """Tells of a text whether these blocks have it; of short ones, which stand in others by chance, never."""

    @cache
    def whole() -> str:
        return "".join(_letters(block.text) for block in blocks)

    def is_visible(text: str) -> bool:
        letters = _letters(text)
        return len(letters) >= _SHORT and letters in whole()

    return is_visible


def _line(block: Block) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.text.replace(chr(10), ' ')}"
    if block.kind in ("item", "definition", "term"):
        return f"- {block.text}"
    return block.text


def _voted(blocks: Sequence[Block], article: str) -> list[bool]:
    lines = {_letters(line) for line in article.split("\n")}
    whole = _letters(article)
    letters = [_letters(block.text) for block in blocks]
    main = [
        bool(text)
        and (
            text in lines
            or (len(text) >= _SHORT and text in whole)
            or (block.kind == "row" and _row_is_in(block, whole))
        )
        for block, text in zip(blocks, letters, strict=True)
    ]
    voted = [at for at, is_main in enumerate(main) if is_main]
    inside = range(voted[0], voted[-1]) if voted else range(0)
    for at, block in enumerate(blocks):
        if not main[at] and voted:
            main[at] = _belongs(block, at in inside, letters[at], whole)
    return main


def _belongs(block: Block, inside: bool, letters: str, whole: str) -> bool:
    """Whether a block that trafilatura has not, or not on a line of its own, is main all the same."""
    if inside and len(letters) >= _SHORT_INSIDE and letters in whole:
        return True
    if block.zone == "furniture":
        return False
    return block.kind == "row" or (inside and block.kind in ("item", "definition", "term") and not _is_linked(block))


def _row_is_in(block: Block, whole: str) -> bool:
    cells = [_letters(_HEAD.sub("", cell)) for cell in block.text.split(" | ")]
    return bool(cells) and sum(len(cell) for cell in cells if cell in whole) > max(
        8, _ROW_SHARE * sum(len(cell) for cell in cells)
    )


def _add_headings(blocks: Sequence[Block], main: list[bool]) -> None:
    """A heading goes with the block below it."""
    for at in range(len(blocks) - 2, -1, -1):
        if blocks[at].kind == "heading" and blocks[at].zone == "body" and main[at + 1]:
            main[at] = True


def _drop_headlines(blocks: Sequence[Block], main: list[bool]) -> None:
    """A heading that leads elsewhere is that of another article; on a page that lists these, they are its text."""
    headlines = [
        at
        for at, block in enumerate(blocks)
        if main[at] and block.kind == "heading" and block.level > 1 and _is_linked(block)
    ]
    if sum(len(blocks[at].text) for at in headlines) <= _FEW_HEADLINES * sum(
        len(block.text) for block, is_main in zip(blocks, main, strict=True) if is_main
    ):
        for at in headlines:
            main[at] = False


def _is_linked(block: Block) -> bool:
    return block.linked > _MOSTLY_LINKS * len(block.text)


def _letters(text: str) -> str:
    """Letters and digits alone, in one form and case: trafilatura's spacing and punctuation are not the page's."""
    if not text.isascii():
        for mark in _MARKS:
            text = text.replace(mark, " ")
    if text.isascii():
        return text.encode("ascii").translate(_LOWER, _NO_LETTERS).decode("ascii")
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text)).lower()
