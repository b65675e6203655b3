"""Markdown taken apart into the blocks that can hold claims, each with what it stands under.

Language models write Markdown loosely, so what CommonMark would hide is kept: indented text is prose and not code,
HTML and link definitions are text, and a line of ``---`` under a sentence is a rule and makes no heading of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from veriscore_agent.core.sentences.prose import prose_sentences

BlockKind = Literal["prose", "item"]

_MAX_CONTEXT_CHARS = 200
_MAX_NESTING = 60
_MAX_LIST_DIGITS = 3
_PSEUDO_HEADING_LEVEL = 7
"""Of a bold line that stands for a heading: below all six levels of Markdown."""

_EMPHASIS = " \t*_`#"
_BOLD_LINE = re.compile(r"\*\*(?!\s)[^*\n]+(?<!\s)\*\*[:：]?|__(?!\s)[^_\n]+(?<!\s)__[:：]?")
_COLONS = (":", "：")
_ENUMERATOR = re.compile(r"(?:(?:[\w-]+ )?\(?\d{1,3}(?:\.\d{1,3})*[.):]|[IVXLC]+[.)])\s+")
_SENTENCE_END = (".", "!", "。", "！", "।", "۔", "…")
_QUESTION_END = ("?", "？", "؟")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKDOWN_FENCES = frozenset({"markdown", "md"})
_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, which is cut into sentences, or an item (list item, table row), which is not."""

    kind: BlockKind
    text: str
    context: tuple[str, ...] = ()
    """Headings, list introductions and parent items, outermost first."""


def markdown_blocks(text: str) -> Iterator[Block]:
    """The blocks of a Markdown text in order, code left out."""
    source = _LINE_END.sub("\n", text)
    return _walk(SyntaxTreeNode(_tokens(source)).children, (), source.split("\n"))


def _tokens(source: str) -> list[Token]:
    tokens = _parser().parse(source)
    if any(token.level >= _MAX_NESTING - 1 for token in tokens):
        # What lies deeper is left out by the parser: read such a text without lists and quotes instead.
        return _parser("blockquote", "list").parse(source)
    return tokens


def _parser(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING}).enable("table")
    parser.disable(["code", "reference", "lheading", *without])
    parser.core.ruler.enableOnly(["block"])
    return parser


@dataclass(frozen=True, slots=True)
class _Piece:
    """A node, or some lines of a paragraph; ``level`` is set where it is a heading."""

    node: SyntaxTreeNode
    text: str = ""
    level: int | None = None


def _walk(siblings: Sequence[SyntaxTreeNode], outer: tuple[str, ...], lines: list[str]) -> Iterator[Block]:
    """The blocks of nodes that follow each other, headings among them governing what comes after."""
    pieces = [piece for node in siblings if _says_something(node) for piece in _pieces(node)]
    headings: list[tuple[int, str]] = []
    introduction: tuple[str, ...] = ()
    for piece, following in zip_longest(pieces, pieces[1:]):
        level = piece.level
        if level is not None:
            headings = [heading for heading in headings if heading[0] < level]
        context = (*outer, *(text for _, text in headings))
        if level is None:
            yield from _block(piece, context, introduction, lines)
            introduction = _introduction(piece)
            continue
        if reads_as_statement(piece.text) or not _governs(level, following):
            yield Block("prose", piece.text, context)
        headings.append((level, _as_context(piece.text)))
        introduction = ()


def _says_something(node: SyntaxTreeNode) -> bool:
    """Whether there is anything to read in a node: not in a rule or an empty bullet; a list's number may be all."""
    return node.type in ("fence", "ordered_list") or any(map(str.isalnum, _own_text(node)))


def _pieces(node: SyntaxTreeNode) -> Iterator[_Piece]:
    """A node as it is, but a paragraph taken apart at the lines in it that do a heading's work."""
    if node.type == "heading":
        yield _Piece(node, _own_text(node), int(node.tag[1:]))
    elif node.type != "paragraph":
        yield _Piece(node)
    else:
        lines = _own_text(node).split("\n")
        titles = [_is_bold_line(line) or (place == 0 and _is_label(line)) for place, line in enumerate(lines)]
        for is_title, group in groupby(zip(lines, titles, strict=True), key=itemgetter(1)):
            texts = [line for line, _ in group]
            for text in texts if is_title else ["\n".join(texts)]:
                if any(map(str.isalnum, text)):
                    yield _Piece(node, text, _PSEUDO_HEADING_LEVEL if is_title else None)


def _is_bold_line(line: str) -> bool:
    """Whether a line is one bold text: a heading in all but name."""
    return bool(_BOLD_LINE.fullmatch(line.strip()))


def _is_label(line: str) -> bool:
    """Whether a line is a few words and a colon."""
    return line.rstrip(_EMPHASIS).endswith(_COLONS) and not _has_words(line, 4)


def _governs(level: int, following: _Piece | None) -> bool:
    """Whether something stands under a heading."""
    return following is not None and (following.level is None or following.level > level)


def _block(piece: _Piece, context: tuple[str, ...], introduction: tuple[str, ...], lines: list[str]) -> Iterator[Block]:
    node = piece.node
    if node.type == "paragraph":
        yield Block("prose", piece.text, context)
    elif node.type in ("bullet_list", "ordered_list"):
        for item in node.children:
            yield from _item(item, context + introduction, lines)
    elif node.type == "blockquote":
        yield from _walk(node.children, context, lines)
    elif node.type == "table":
        yield from _table(node, context + introduction, lines)
    elif node.type == "fence" and node.info.strip().casefold() in _MARKDOWN_FENCES:
        for block in markdown_blocks(node.content):
            yield Block(block.kind, block.text, context + block.context)


def _item(item: SyntaxTreeNode, context: tuple[str, ...], lines: list[str]) -> Iterator[Block]:
    """A list item as one unit, and what is nested in it as units of their own under it."""
    marker = f"{item.info}{item.markup}" if item.info else ""
    own, nested = _split_item(item)
    text = "\n".join(filter(None, map(_own_text, own)))
    if text or not item.children or len(item.info) > _MAX_LIST_DIGITS:
        # An answer such as "1931." is a list item without text to Markdown.
        text = f"{marker} {text}".strip()
    if text and (not nested or not _is_mere_title(text)):
        yield Block("item", text, context)
    if nested:
        yield from _walk(nested, (*context, _as_context(text)) if text else context, lines)


def _split_item(item: SyntaxTreeNode) -> tuple[list[SyntaxTreeNode], list[SyntaxTreeNode]]:
    """What an item says itself, and the rest from its first nested list or table on."""
    children = item.children
    for position, child in enumerate(children):
        if child.type in ("bullet_list", "ordered_list", "table") and _says_something(child):
            return children[:position], children[position:]
    return children, []


def _table(table: SyntaxTreeNode, context: tuple[str, ...], lines: list[str]) -> Iterator[Block]:
    rows = [row for part in table.children for row in part.children]
    header = _cells(rows[0])
    if len(rows) == 1 or (len(header) == 2 and any(map(str.isdigit, "".join(header)))):
        # With two columns and a number in it, the first row is a fact like the others and no header.
        yield Block("item", " | ".join(filter(None, header)), context)
    for row in rows[1:]:
        raw = lines[row.map[0]].strip() if row.map and row.map[0] < len(lines) else ""
        yield _row(header, _cells(row), raw, context)


def _row(header: list[str], cells: list[str], raw: str, context: tuple[str, ...]) -> Block:
    if raw and "|" not in raw:
        # A table ends at a blank line only, so that a sentence right after it counts as a row.
        return Block("prose", raw, context)
    if _letters("".join(cells)) < _letters(raw):
        # The parser drops cells beyond the header's number.
        return Block("item", f"{' | '.join(filter(None, header))}\n{raw}", context)
    named = (f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=False) if cell)
    return Block("item", " | ".join(named), context)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _cells(row: SyntaxTreeNode) -> list[str]:
    return [_own_text(cell).strip() for cell in row.children]


def _own_text(node: SyntaxTreeNode) -> str:
    """The text of a node without code."""
    return "\n".join(inline.content for inline in node.walk() if inline.type == "inline").strip()


def _introduction(piece: _Piece) -> tuple[str, ...]:
    """The last sentence of a paragraph that leads over to a list or table."""
    if not piece.text.rstrip(_EMPHASIS).endswith(_COLONS):
        return ()
    *_, last = prose_sentences(piece.text)
    return (_as_context(last),)


def reads_as_statement(text: str) -> bool:
    """Whether a heading or parent item could hold a claim by itself.

    It ends like a sentence, or is long, or has a number among its words, or says something after a colon.
    """
    bare = _ENUMERATOR.sub("", text.strip(_EMPHASIS), count=1).strip(_EMPHASIS)
    if bare.endswith(_QUESTION_END):
        return False
    _, colon, remark = bare.partition(": ")
    return (
        bare.endswith(_SENTENCE_END)
        or _has_words(bare, 8)
        or (_has_words(bare, 3) and any(map(str.isdigit, bare)))
        or bool(colon and _has_words(remark, 3))
    )


def _is_mere_title(text: str) -> bool:
    """Whether a parent item only names what is nested in it."""
    bare = _ENUMERATOR.sub("", text, count=1)
    titled = _is_bold_line(bare) or bare.rstrip(_EMPHASIS).endswith(_COLONS) or not _has_words(bare, 4)
    return titled and not reads_as_statement(text)


def _has_words(text: str, count: int) -> bool:
    """Whether a text has so many words; two ideographs or syllables count as one."""
    return len(_IDEOGRAPH.sub(" ", text).split()) + len(_IDEOGRAPH.findall(text)) // 2 >= count


def _as_context(text: str) -> str:
    line = " ".join(text.strip(_EMPHASIS).split())
    return line if len(line) <= _MAX_CONTEXT_CHARS else line[:_MAX_CONTEXT_CHARS].rstrip() + "…"
