"""The visible text of an HTML page, block by block in document order.

One walk over the tree that lexbor builds, without recursion, so that no nesting is too deep. What a reader cannot see
(see ``hidden``) is in no block. Every node costs, so text and attributes are only asked for where they can matter.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veriscore_agent.adapters.pages.hidden import hidden_nodes
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
_INVISIBLE_TAGS = """script style noscript template svg head iframe frame noframes object embed canvas audio video
select datalist option textarea input img picture source link meta title annotation annotation-xml -comment -doctype"""
_INVISIBLE = frozenset(_INVISIBLE_TAGS.split())
_FURNITURE_TAGS = frozenset({"nav", "footer", "aside", "form", "menu", "button", "dialog"})
_NEVER_ARTICLE = frozenset({"nav", "footer", "button", "dialog"})
"""Furniture that no article stands in; asides and forms are put around articles."""
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
_KINDS: dict[str, Kind] = {"li": "item", "dt": "term", "dd": "definition", "pre": "code"}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BREAK = "\x00"
"""Stands for ``br`` in collected text; no page has it after decoding."""
_INVISIBLE_CHARACTERS = re.compile("[\u00ad\u200b\u2060\ufeff]")
_MOSTLY_LINKS = 0.5
_LEAST_PROSE = 100
"""Characters of a block that may be a part of an article."""
_MAX_TABLE_CELLS = 20_000
_MAX_NAMES = 500
"""Characters of a class or an id that are looked at."""
_NONE: AbstractSet[int] = frozenset()


class _Surroundings(NamedTuple):
    """What an element hands down to its children."""

    kind: Kind = "paragraph"
    level: int = 0
    zone: Zone = "body"
    linked: bool = False
    heading: bool = False


_OUTERMOST = _Surroundings()


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk over a page found."""

    blocks: tuple[Block, ...]
    """All visible ones, in document order."""
    apart: tuple[LexborNode, ...]
    """The outermost elements that no article stands in or that nobody sees, inner ones before outer ones."""
    bare: tuple[LexborNode, ...] = ()
    """Other furniture, where it has no prose."""


def html_blocks(html: str) -> tuple[Block, ...]:
    """All visible blocks of an HTML document, in document order."""
    parser = LexborHTMLParser(html)
    return walk_blocks(parser, hidden_nodes(parser)).blocks


def walk_blocks(parser: LexborHTMLParser, hidden: AbstractSet[int] = _NONE) -> Walked:
    """The blocks of a document without the elements in ``hidden`` (by ``mem_id``)."""
    body = parser.body
    if body is None:
        return Walked((), ())
    walk = _Walk(hidden, {}, {}, {})
    blocks = _joined_definitions(walk.blocks_of(body))
    return Walked(blocks, (*walk.unseen.values(), *walk.furniture.values()), tuple(walk.bare.values()))


class _Walk:
    """One pass over a tree, with the block that is being filled."""

    def __init__(
        self,
        hidden: AbstractSet[int],
        unseen: dict[int, LexborNode],
        furniture: dict[int, LexborNode],
        bare: dict[int, LexborNode],
    ) -> None:
        self.unseen = unseen
        self.furniture = furniture
        self.bare = bare
        self._hidden = hidden
        self._done: list[Block] = []
        self._text: list[str] = []
        self._linked = 0
        self._fresh = False
        self._now = _OUTERMOST
        # The outermost furniture around what is read now, its tag, and the number of blocks before it.
        self._entered: tuple[LexborNode, str, int] | None = None

    def blocks_of(self, root: LexborNode) -> list[Block]:
        # Where to go on once an element's children are done, and whether it was a block.
        todo: list[tuple[LexborNode | None, _Surroundings, bool]] = []
        node, around = root.first_child, _OUTERMOST
        while node is not None or todo:
            if node is None:
                node, around, was_block = todo.pop()
                if was_block:
                    self._flush(around)
                    self._leave(around)
                continue
            tag, following = node.tag or "", node.next
            if tag == "-text":
                self._add(node.text_content or "", around)
            elif (inner := self._enter(node, tag, around)) is not None:
                todo.append((following, around, tag not in _INLINE))
                node, around = node.first_child, inner
                continue
            node = following
        self._flush(_OUTERMOST)
        return self._done

    def _enter(self, node: LexborNode, tag: str, around: _Surroundings) -> _Surroundings | None:
        """The surroundings of an element's children, or None where they are not to be read (any more)."""
        if tag == "br":
            self._text.append(_BREAK)
            return None
        if tag in _INVISIBLE or (self._hidden and node.mem_id in self._hidden):
            self.unseen[node.mem_id] = node
            return None
        if tag in _INLINE:
            return (
                around._replace(linked=True)
                if tag == "a" and not around.linked and _leads_on(node, around.heading)
                else around
            )
        self._flush(around)
        if tag in ("article", "hr"):
            self._fresh = True
        inner = _inside(tag, around, around.zone == "body" and _is_furniture(node, tag, around))
        if inner.zone != around.zone:
            self._entered = (node, tag, len(self._done))
        if tag == "table" and self._table(node, inner):
            self._leave(around)
            return None
        return inner

    def _leave(self, around: _Surroundings) -> None:
        """Note furniture that ends here, where no article stands in it."""
        if self._entered is None or around.zone != "body":
            return
        (node, tag, begin), self._entered = self._entered, None
        if tag in _NEVER_ARTICLE:
            self.furniture[node.mem_id] = node
        elif not any(_is_prose(block) for block in self._done[begin:]):
            self.bare[node.mem_id] = node

    def _add(self, text: str, around: _Surroundings) -> None:
        if not self._text:
            if around.kind != "code" and (not text or text.isspace()):
                return
            self._now = around
        self._text.append(text)
        if around.linked:
            self._linked += len(text.strip())

    def _flush(self, following: _Surroundings) -> None:
        if not self._text:
            self._now = following
            return
        now = self._now
        text = _clean("".join(self._text), code=now.kind == "code")
        if text:
            self._keep(Block(now.kind, text, now.zone, now.level, min(self._linked, len(text)), self._fresh))
        self._text.clear()
        self._linked = 0
        self._now = following

    def _table(self, table: LexborNode, inner: _Surroundings) -> bool:
        """Take a table of data in, row by row. False: it only lays out the page, so its cells are blocks."""
        rows = self._table_cells(table)
        lines = table_lines(rows) if rows else None
        if lines is None:
            return False
        caption = next((node for node in table.iter() if node.tag == "caption" and self._is_seen(node)), None)
        for line in ([self._text_of(caption)] if caption is not None else []) + list(lines):
            if line:
                self._keep(Block("row", line, inner.zone, starts_article=self._fresh))
        return True

    def _keep(self, block: Block) -> None:
        self._done.append(block)
        self._fresh = False

    def _table_cells(self, table: LexborNode) -> list[list[Cell]]:
        """The cells of a table's rows, or nothing where it holds another table, or is too large to lay out."""
        rows: list[list[Cell]] = []
        count = 0
        # The search finds the table itself, too. Without this, tables in tables would be read once for every level.
        if len(table.css("table")) > 1:
            return []
        for row in self._rows_of(table):
            in_head = row.parent is not None and row.parent.tag == "thead"
            cells = [
                self._cell(node, in_head) for node in row.iter() if node.tag in ("td", "th") and self._is_seen(node)
            ]
            count += len(cells)
            if count > _MAX_TABLE_CELLS:
                return []
            rows.append(cells)
        return rows

    def _rows_of(self, table: LexborNode) -> list[LexborNode]:
        rows = []
        for child in filter(self._is_seen, table.iter()):
            if child.tag == "tr":
                rows.append(child)
            elif child.tag in ("thead", "tbody", "tfoot"):
                rows += [node for node in child.iter() if node.tag == "tr" and self._is_seen(node)]
        return rows

    def _cell(self, node: LexborNode, in_head: bool) -> Cell:
        attributes = node.attributes
        return Cell(
            text=self._text_of(node),
            header=node.tag == "th",
            in_head=in_head,
            columns=_span(attributes.get("colspan")),
            rows=_span(attributes.get("rowspan")),
        )

    def _is_seen(self, node: LexborNode) -> bool:
        return node.mem_id not in self._hidden

    def _text_of(self, node: LexborNode) -> str:
        """The text of a small subtree on one line, its blocks parted by semicolons."""
        blocks = _Walk(self._hidden, self.unseen, self.furniture, self.bare).blocks_of(node)
        return "; ".join(block.text.replace("\n", ", ") for block in blocks)


def _is_prose(block: Block) -> bool:
    return len(block.text) >= _LEAST_PROSE and block.linked < _MOSTLY_LINKS * len(block.text)


def _leads_on(link: LexborNode, in_heading: bool) -> bool:
    """Whether it is a link, and none by which a heading names itself."""
    attributes = link.attributes
    return "href" in attributes and not (in_heading and (attributes["href"] or "").startswith("#"))


@lru_cache(4096)
def _inside(tag: str, around: _Surroundings, is_furniture: bool) -> _Surroundings:
    """The surroundings of an element's children."""
    zone: Zone = "furniture" if is_furniture else around.zone
    if tag in _HEADINGS:
        return _Surroundings("heading", int(tag[1]), zone, around.linked, heading=True)
    if around.heading or around.kind == "code":
        return around._replace(zone=zone)
    kind: Kind = _KINDS.get(tag, "paragraph" if tag in ("ul", "ol", "table", "dl") else around.kind)
    return _Surroundings(kind, 0, zone, around.linked)


def _is_furniture(node: LexborNode, tag: str, around: _Surroundings) -> bool:
    if tag in _FURNITURE_TAGS:
        return not (tag == "button" and around.heading)
    attributes = node.attributes
    if not attributes:
        return False
    if (attributes.get("role") or "").lower() in _FURNITURE_ROLES:
        return True
    if tag in ("body", "main", "article"):
        return False
    return _names_furniture(attributes.get("class") or "") or _names_furniture(attributes.get("id") or "")


@lru_cache(8192)
def _names_furniture(names: str) -> bool:
    return bool(names) and _FURNITURE_NAMES.search(names[:_MAX_NAMES]) is not None


def _clean(text: str, *, code: bool) -> str:
    if not text.isascii():
        text = _INVISIBLE_CHARACTERS.sub("", text)
    if code:
        lines = text.replace(_BREAK, "\n").expandtabs(4).split("\n")
        return "\n".join(line.rstrip() for line in lines if line.strip())
    if _BREAK not in text:
        return " ".join(text.split())
    lines = [" ".join(line.split()) for line in text.split(_BREAK)]
    return "\n".join(line for line in lines if line)


def _span(value: str | None) -> int:
    return min(int(value), 100) if value and value.isascii() and value.isdigit() and int(value[:6]) > 0 else 1


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
