"""JSON, CSV and XML (feeds above all) as blocks: a record is a row that says what each of its values is."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterator
from typing import Any

from veriscore_agent.adapters.pages.blocks import Block, html_blocks
from veriscore_agent.adapters.pages.bounds import check_markup
from veriscore_agent.adapters.pages.plain import plain_blocks
from veriscore_agent.adapters.pages.tables import Cell, table_lines

_LONG_VALUE = 200
"""Characters of a value that is a text of its own."""
_MAX_ROWS = 50_000
_DEEPEST = 100
_TITLE_WITHIN = 10_000
_CDATA = re.compile(r"<!\[CDATA\[(?:(.*?)\]\]>|.*)", re.S)
"""What does not end is taken to the end of the text, so that none is read twice."""
_XML_TAG = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*)?)>")
_XML_TITLE = re.compile(r"<(?:\w+:)?title\b[^>]*>(.*?)</(?:\w+:)?title\s*>", re.S)
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF|channel)\b")
_ESCAPED_TAG = re.compile(r"&lt;(/?[a-zA-Z](?:[^&<>]|&(?:quot|apos|amp|#\d+);)*+)&gt;")


def json_blocks(text: str) -> list[Block]:
    """The values of a JSON text with their names; a record of short values is one row. What is no JSON is plain."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return plain_blocks(text)
    return [Block("row" if " | " in line else "paragraph", line, "body") for line in _json_lines(value, "", 0)]


def _json_lines(value: Any, name: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        short = [_named(key, each) for key, each in value.items() if _is_short(each)]
        if any(short):
            yield " | ".join(filter(None, short))
        for key, each in value.items():
            if not _is_short(each):
                yield from _json_lines(each, str(key), depth + 1)
    elif isinstance(value, list):
        short = [_words(each) for each in value if _is_short(each)]
        if any(short):
            yield _named(name, ", ".join(filter(None, short)))
        for each in value:
            if not _is_short(each):
                yield from _json_lines(each, name, depth + 1)
    else:
        yield _named(name, value)


def _is_short(value: Any) -> bool:
    return not isinstance(value, (dict, list)) and len(str(value)) <= _LONG_VALUE


def _named(name: str, value: Any) -> str:
    words = _words(value)
    return f"{' '.join(name.split())}: {words}" if name and words else words


def _words(value: Any) -> str:
    if value is None:
        return ""
    return " ".join((value if isinstance(value, str) else json.dumps(value)).split())


def csv_blocks(text: str, *, delimiter: str = ",") -> list[Block]:
    """The rows of a table with the header of each cell. What has rows of different lengths is plain."""
    try:
        rows = [row for row in csv.reader(text.split("\n")[:_MAX_ROWS], delimiter=delimiter) if row]
    except csv.Error:
        return plain_blocks(text)
    if len(rows) < 2 or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return plain_blocks(text)
    cells = [
        [Cell(" ".join(cell.split()), header=not at, in_head=not at) for cell in row] for at, row in enumerate(rows)
    ]
    return [Block("row", line, "body") for line in table_lines(cells) or ()]


def xml_blocks(text: str) -> tuple[str, list[Block]]:
    """Title and blocks of XML that is no HTML: every element is a block, and what a feed quotes is read as HTML.

    Raises UnreadablePageError where it is built to be slow.
    """
    title = _XML_TITLE.search(text[:_TITLE_WITHIN])
    if _FEED.search(text[:2000]):
        text = _ESCAPED_TAG.sub(lambda tag: f"<{html.unescape(tag[1])}>", text)
    markup = _XML_TAG.sub(_as_html, _CDATA.sub(lambda quoted: f"<div>{quoted[1] or ''}</div>", text))
    check_markup(markup)
    return _inner_words(title[1]) if title else "", list(html_blocks(f"<body>{markup}"))


_HTML_NAMES_TEXT = """p div br a b i em strong span ul ol li table tr td th thead tbody h1 h2 h3 h4 h5 h6 blockquote
pre code"""
_HTML_NAMES = frozenset(_HTML_NAMES_TEXT.split())


def _as_html(tag: re.Match[str]) -> str:
    end, name, rest = tag.groups()
    if name.lower() in _HTML_NAMES:
        return tag[0]
    if rest.rstrip().endswith("/") and not end:
        return " "
    return f"<{end}div>"


def _inner_words(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>|<!\[CDATA\[|\]\]>", " ", markup)).split())
