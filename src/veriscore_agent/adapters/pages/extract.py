"""From the body of a response to the text of a page: a pure function of bytes, address and content type."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from veriscore_agent.adapters.pages.article import BARE, FindArticle, find_article_with_trafilatura
from veriscore_agent.adapters.pages.blocks import Block, Walked, walk_blocks
from veriscore_agent.adapters.pages.bounds import check_markup
from veriscore_agent.adapters.pages.decode import decode_body
from veriscore_agent.adapters.pages.hidden import hidden_nodes
from veriscore_agent.adapters.pages.kinds import BodyKind, body_kind
from veriscore_agent.adapters.pages.plain import plain_blocks
from veriscore_agent.adapters.pages.structured import csv_blocks, json_blocks, xml_blocks
from veriscore_agent.adapters.pages.tiers import prose_chars, render, split_tiers, visible_in
from veriscore_agent.adapters.pages.told import read_told, told_blocks
from veriscore_agent.core.blocked import is_empty

MAX_HTML_CHARACTERS = 3_000_000
"""Markup behind this is not read."""
MAX_TEXT_CHARACTERS = 400_000
"""Text behind this is not kept; periphery goes first."""
_MAX_TITLE = 300

_CHALLENGE_SCRIPTS = (
    b"_cf_chl_opt",
    b"cf-chl-",
    b"_incapsula_resource?swudnsai",
    b"captcha-delivery.com/c.js",
    b"captcha-delivery.com/captcha",
    b"captcha-delivery.com/i.js",
    b"px-captcha",
    b"sec-if-cpt-container",
    b"awswafintegration.checkforcerefresh",
    b"/.well-known/sgcaptcha",
)
"""Of bot protections, and only of the pages that keep visitors out."""
_PASSWORD_FIELD = re.compile(rb"type\s*=\s*[\"']?password")


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """The text of a page, main tier first, and what else its markup tells."""

    title: str
    text: str
    date: str | None
    """Of publication, ISO 8601."""
    main_chars: int
    """Length of the main tier, with which ``text`` begins."""
    extractor: str
    """Names and versions of what extracted it."""
    clues: tuple[str, ...] = ()
    """See ``core.blocked.Clue``."""

    def as_note(self) -> dict[str, Any]:
        """As a JSON-able value, to be kept with the page's exchange."""
        return asdict(self) | {"clues": list(self.clues)}


def page_of_note(note: object) -> ExtractedPage | None:
    """What ``as_note`` gave, or None where the value is not of that form."""
    match note:
        case {
            "title": str(title),
            "text": str(text),
            "date": None | str() as date,
            "main_chars": int(main_chars),
            "extractor": str(extractor),
            "clues": [*clues],
        } if isinstance(note, Mapping):
            return ExtractedPage(title, text, date, main_chars, extractor, tuple(map(str, clues)))
    return None


def extract_page(
    body: bytes,
    url: str,
    content_type: str,
    find_article: FindArticle | None = None,
    seconds: float = math.inf,
) -> ExtractedPage:
    """The text of an HTML, plain-text or PDF body. What trafilatura cannot read, the block walk can.

    ``find_article`` stands in for trafilatura. Of a PDF, what can be read in half of ``seconds`` is read. Raises
    UnreadablePageError for markup that is built to be slow and for a PDF that is broken, encrypted or without text.
    """
    kind = body_kind(body, content_type)
    if kind == "pdf":
        return _pdf_page(body, seconds)
    text = decode_body(body, content_type)[:MAX_HTML_CHARACTERS]
    if kind != "html":
        return _page_of_other_text(kind, text, content_type)
    check_markup(text)
    return _html_page(text, url, find_article or find_article_with_trafilatura)


def _html_page(html: str, url: str, find_article: FindArticle) -> ExtractedPage:
    """One parse serves what the page tells of itself, the blocks, and the markup that trafilatura gets."""
    parser = LexborHTMLParser(html)
    told = read_told(parser)
    walked = walk_blocks(parser, hidden_nodes(parser))
    article = find_article(_without(parser, walked), url, prose_chars(walked.blocks))
    main, periphery = split_tiers(walked.blocks, article.text if article else "")
    has_text = not is_empty("".join(block.text for block in main[:_FIRST_BLOCKS]))
    told_main, told_aside = told_blocks(told, has_text, visible_in(walked.blocks))
    return _page(
        (told_main + main, periphery + told_aside),
        title=told.title,
        date=article.date if article else None,
        extractor=_EXTRACTOR + (f", trafilatura {_TRAFILATURA}" if article else ""),
        clues=_clues(html),
    )


def _without(parser: LexborHTMLParser, walked: Walked) -> str:
    """The markup of a page without what no article stands in, which is destroyed; its date stays."""
    for node in walked.bare:
        node.attrs[BARE] = ""
    head = parser.head
    for node in (*walked.apart, *(head.css("script,style,link") if head else ())):
        if node.tag != "meta" and not (node.tag == "script" and "json" in (node.attributes.get("type") or "")):
            node.decompose()
    return parser.root.html or "" if parser.root else ""


def _pdf_page(body: bytes, seconds: float) -> ExtractedPage:
    # Imported here: few runs meet a PDF, and pdfium is a large library to load.
    from veriscore_agent.adapters.pages.pdf import read_pdf

    found = read_pdf(body, max_characters=MAX_TEXT_CHARACTERS, seconds=seconds)
    return _page(([*found.main], [*found.periphery]), title=found.title, extractor=found.extractor)


_TRAFILATURA = version("trafilatura")
_EXTRACTOR = f"selectolax {version('selectolax')}, blocks 2"
"""The number changes whenever what is extracted does."""
_FIRST_BLOCKS = 50
"""Blocks that tell whether a page shows a text."""


def _page_of_other_text(kind: BodyKind, text: str, content_type: str) -> ExtractedPage:
    """The page of a text that is no HTML, all of it main."""
    title = ""
    if kind == "xml":
        title, blocks = xml_blocks(text)
    elif kind == "json":
        blocks = json_blocks(text)
    elif kind == "table":
        blocks = csv_blocks(text, delimiter="\t" if "tab-separated" in content_type.lower() else ",")
    else:
        blocks = plain_blocks(text)
    return _page((blocks, []), title=title, extractor={"text": "plain text", "table": "csv"}.get(kind, kind))


def _page(
    tiers: tuple[list[Block], list[Block]],
    *,
    extractor: str,
    title: str = "",
    date: str | None = None,
    clues: tuple[str, ...] = (),
) -> ExtractedPage:
    main = _cut(render(tiers[0]), MAX_TEXT_CHARACTERS)
    periphery = _cut(render(tiers[1]), MAX_TEXT_CHARACTERS - len(main))
    return ExtractedPage(
        title=" ".join(title.split())[:_MAX_TITLE],
        text=f"{main}\n\n{periphery}" if main and periphery else main or periphery,
        date=date,
        main_chars=len(main),
        extractor=extractor,
        clues=clues,
    )


def _cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, ending with a line where there is one."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    return cut[: cut.rfind("\n")] if cut.rfind("\n") > limit // 2 else cut


def _clues(html: str) -> tuple[str, ...]:
    # As bytes, which are put in lower case ten times as fast; all that is looked for is ASCII.
    markup = html.encode("utf-8", "replace").lower()
    told = {
        "challenge_script": any(script in markup for script in _CHALLENGE_SCRIPTS),
        "password_field": b"password" in markup and _PASSWORD_FIELD.search(markup) is not None,
        "script": b"<script" in markup,
    }
    return tuple(clue for clue, is_told in told.items() if is_told)
