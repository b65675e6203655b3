"""The visible text of an HTML page, block by block in document order.

One walk over the tree that lexbor builds, without recursion, so that no nesting is too deep. What a reader cannot see
(scripts, ``hidden``, ``aria-hidden``, ``display:none``) is in no block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veriscore_agent.adapters.pages.tables import Cell, table_lines

Kind = Literal["paragraph", "heading", "item", "term", "definition", "row", "code"]

Zone = Literal["body", "furniture"]
"""furniture: navigation, footers, asides, forms, and what class names call related, shared or commented."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row."""

    kind: Kind
    text: str
    zone: Zone
    level: int = 0
    """Of a heading, 1 to 6."""
    linked: int = 0
    """How many of the characters are links."""
    starts_article: bool = False
    """The first block of an ``article`` element, or the first behind a rule."""


_INLINE_TAGS = """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark math mi mn mo mrow
msup nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr slot"""
_INLINE = frozenset(_INLINE_TAGS.split())
_INVISIBLE_TAGS = """script style noscript template svg head iframe object embed canvas audio video select datalist
option textarea input img picture source link meta title annotation annotation-xml -comment -doctype"""
_INVISIBLE = frozenset(_INVISIBLE_TAGS.split())
_FURNITURE_TAGS = frozenset({"nav", "footer", "aside", "form", "menu", "button", "dialog"})
_FURNITURE_ROLES = frozenset(
    {"navigation", "contentinfo", "complementary", "search", "banner", "dialog", "alertdialog", "menu", "menubar"}
)
_FURNITURE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|footer|sidebar|side-?bar|cookies?|consent|gdpr|newsletter"
    r"|subscribe|social|share|sharing|sharedaddy|related|recommend(?:ed|ations?)?|promo|advert(?:isement)?|ads?|banner"
    r"|comments?|respond|disqus|pagination|pager|popup|modal|toolbar|masthead|widget|teasers?|catlinks|navbox"
    r"|mw-editsection|printfooter|toc)(?:$|[\s_-])",
    re.I,
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?:\s*(?:;|!|$))"
    r"|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|!|$)",
    re.I,
)
_KINDS: dict[str, Kind] = {"li": "item", "dt": "term", "dd": "definition", "pre": "code"}
_HEADING = re.compile(r"h[1-6]")
_SPACE = re.compile(r"[^\S\n]+")
_INVISIBLE_CHARACTERS = re.compile("[\u00ad\u200b\u2060\ufeff]")
_MAX_TABLE_CELLS = 20_000


@dataclass(slots=True)
class _Surroundings:
    """What an element hands down to its children."""

    kind: Kind = "paragraph"
    level: int = 0
    zone: Zone = "body"
    linked: bool = False
    heading: bool = False


def html_blocks(html: str) -> tuple[Block, ...]:
    """All visible blocks of an HTML document, in document order."""
    body = LexborHTMLParser(html).body
    return () if body is None else _joined_definitions(_Walk().blocks_of(body))


class _Walk:
    """One pass over a tree, with the block that is being filled."""

    def __init__(self) -> None:
        self._done: list[Block] = []
        self._text: list[str] = []
        self._linked = 0
        self._fresh = False
        self._now = _Surroundings()

    def blocks_of(self, root: LexborNode) -> list[Block]:
        # Entries are nodes to enter, or the surroundings to go back to once a block element is left.
        todo: list[tuple[LexborNode | None, _Surroundings]] = [(root.first_child, _Surroundings())]
        while todo:
            node, around = todo.pop()
            if node is None:
                self._flush(around)
                continue
            following = node.next
            if following is not None:
                todo.append((following, around))
            self._enter(node, around, todo)
        self._flush(_Surroundings())
        return self._done

    def _enter(
        self, node: LexborNode, around: _Surroundings, todo: list[tuple[LexborNode | None, _Surroundings]]
    ) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._add(node.text_content or "", around)
        elif tag == "br":
            self._text.append("\n")
        elif tag in _INLINE:
            attributes = node.attributes
            if not _is_hidden(attributes):
                inner = replace(around, linked=True) if tag == "a" and "href" in attributes else around
                _push_children(node, inner, todo)
        elif tag not in _INVISIBLE:
            attributes = node.attributes
            if not _is_hidden(attributes):
                self._flush(around)
                self._fresh |= tag in ("article", "hr")
                if tag == "table" and self._table(node, around):
                    return
                todo.append((None, around))
                _push_children(node, _inside(tag, attributes, around), todo)

    def _add(self, text: str, around: _Surroundings) -> None:
        if not self._text:
            self._now = around
        self._text.append(text if around.kind == "code" else text.replace("\n", " ").replace("\r", " "))
        if around.linked:
            self._linked += len(text.strip())

    def _flush(self, following: _Surroundings) -> None:
        text = _clean("".join(self._text), code=self._now.kind == "code")
        if text:
            now = self._now
            self._keep(Block(now.kind, text, now.zone, now.level, min(self._linked, len(text)), self._fresh))
        self._text.clear()
        self._linked = 0
        self._now = following

    def _table(self, table: LexborNode, around: _Surroundings) -> bool:
        """Take a table of data in, row by row. False: it only lays out the page, so its cells are blocks."""
        rows = _table_cells(table)
        lines = table_lines(rows) if rows else None
        if lines is None:
            return False
        zone = _inside("table", table.attributes, around).zone
        caption = next((node for node in table.iter() if node.tag == "caption"), None)
        for line in ([_text_of(caption)] if caption is not None else []) + list(lines):
            if line:
                self._keep(Block("row", line, zone, starts_article=self._fresh))
        return True

    def _keep(self, block: Block) -> None:
        self._done.append(block)
        self._fresh = False


def _push_children(
    node: LexborNode, around: _Surroundings, todo: list[tuple[LexborNode | None, _Surroundings]]
) -> None:
    child = node.first_child
    if child is not None:
        todo.append((child, around))


def _inside(tag: str, attributes: dict[str, str | None], around: _Surroundings) -> _Surroundings:
    """The surroundings of an element's children."""
    heading = bool(_HEADING.fullmatch(tag))
    zone = around.zone
    if zone == "body" and not (tag == "button" and around.heading) and _is_furniture(tag, attributes):
        zone = "furniture"
    if heading:
        return _Surroundings("heading", int(tag[1]), zone, around.linked, heading=True)
    if around.heading or around.kind == "code":
        return replace(around, zone=zone)
    kind: Kind = _KINDS.get(tag, "paragraph" if tag in ("ul", "ol", "table", "dl") else around.kind)
    return _Surroundings(kind, 0, zone, around.linked)


def _is_furniture(tag: str, attributes: dict[str, str | None]) -> bool:
    if tag in _FURNITURE_TAGS or (attributes.get("role") or "").lower() in _FURNITURE_ROLES:
        return True
    if tag in ("body", "main", "article"):
        return False
    return any(_FURNITURE_NAMES.search(attributes.get(name) or "") for name in ("class", "id"))


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    if not attributes:
        return False
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").lower() == "true":
        return True
    style = attributes.get("style")
    return bool(style and _HIDDEN_STYLE.search(style))


def _clean(text: str, *, code: bool) -> str:
    text = _INVISIBLE_CHARACTERS.sub("", text)
    if code:
        return "\n".join(line.rstrip() for line in text.expandtabs(4).split("\n") if line.strip())
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _table_cells(table: LexborNode) -> list[list[Cell]]:
    """The cells of a table's rows, or nothing where it holds another table, or is too large to lay out."""
    rows: list[list[Cell]] = []
    count = 0
    # The search finds the table itself, too. Without this, tables in tables would be read once for every level.
    if len(table.css("table")) > 1:
        return []
    for row in _rows_of(table):
        cells: list[Cell] = []
        in_head = row.parent is not None and row.parent.tag == "thead"
        for node in row.iter():
            if node.tag in ("td", "th") and not _is_hidden(node.attributes):
                cells.append(_cell(node, in_head))
        count += len(cells)
        if count > _MAX_TABLE_CELLS:
            return []
        rows.append(cells)
    return rows


def _rows_of(table: LexborNode) -> list[LexborNode]:
    rows = []
    for child in table.iter():
        if _is_hidden(child.attributes):
            continue
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            rows += [node for node in child.iter() if node.tag == "tr" and not _is_hidden(node.attributes)]
    return rows


def _cell(node: LexborNode, in_head: bool) -> Cell:
    attributes = node.attributes
    return Cell(
        text=_text_of(node),
        header=node.tag == "th",
        in_head=in_head,
        columns=_span(attributes.get("colspan")),
        rows=_span(attributes.get("rowspan")),
    )


def _span(value: str | None) -> int:
    return min(int(value), 100) if value and value.isascii() and value.isdigit() and int(value[:6]) > 0 else 1


def _text_of(node: LexborNode) -> str:
    """The text of a small subtree on one line, its blocks parted by semicolons."""
    return "; ".join(block.text.replace("\n", ", ") for block in _Walk().blocks_of(node))


def _joined_definitions(blocks: list[Block]) -> tuple[Block, ...]:
    """A term and its first definition as one block, ``term: definition``."""
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if block.kind == "definition" and before is not None and before.kind == "term":
            joined[-1] = replace(block, text=f"{before.text}: {block.text}", linked=before.linked + block.linked)
        else:
            joined.append(block)
    return tuple(joined)
