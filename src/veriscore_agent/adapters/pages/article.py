"""What trafilatura takes for the article of a page, asked in the way that costs least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from veriscore_agent.adapters.pages.bounds import is_too_large_for_trafilatura

if TYPE_CHECKING:
    from lxml.html import HtmlElement, HTMLParser
    from trafilatura.metadata import Document

BARE = "data-veriscore-bare"
"""The attribute of elements that are hardly part of an article, as the walk over the page tells."""
_ENOUGH = 0.5
"""Share of a page's prose from which on an article is taken without its fallbacks."""
_SHORT = 1_000
_UNFIT = bytes({*range(0x20)} - {*b"\t\n\r"})
"""What XML cannot hold; decoding has left none, but references (``&#1;``) bring some."""


@dataclass(frozen=True, slots=True)
class Article:
    """What trafilatura makes of a page."""

    text: str = ""
    date: str | None = None
    """Of publication, as the page tells it, ISO 8601."""


FindArticle = Callable[[str, str, int], Article | None]
"""From markup, address, and the characters that the page has in prose; None where it could not say."""


def find_article_with_trafilatura(html: str, url: str, prose: int) -> Article | None:
    """The article of a page with its date, or None where trafilatura fails.

    Its balanced mode: on labelled pages it keeps more than ``favor_recall`` does and lets less boilerplate in. First
    without its fallbacks, which take a third of its time, and without the elements marked as ``BARE``, which take
    another; where that is not enough (see ``_is_enough``), with both. The markup comes from an HTML 5 parser, without
    what no article stands in: so it is faster, and finds more, than on the page as it came. Its own metadata would cost
    as much again as half of that; the date alone costs next to nothing on a tree that is there.
    """
    from htmldate import find_date

    if is_too_large_for_trafilatura(html):
        return None
    try:
        tree = _tree_of(html)
        # Metadata, time tags and bylines. The extensive search takes any date in the text for that of publication.
        date = find_date(tree, url=url or None, original_date=True, extensive_search=False)
        for element in tree.xpath(f"//*[@{BARE}]"):
            element.drop_tree()
        found = _vote(tree, url, fast=True)
        if found is None or not _is_enough(found, prose):
            found = _vote(_tree_of(html), url, fast=False)
    except Exception:  # A library that meets the worst of the web; its failure is a missing vote, no missing page.
        return None
    return Article((found.text or "") if found else "", date)


def _vote(tree: HtmlElement, url: str, *, fast: bool) -> Document | None:
    from trafilatura import bare_extraction
    from trafilatura.metadata import Document

    found = bare_extraction(tree, url=url or None, include_comments=False, fast=fast)
    return found if isinstance(found, Document) else None


def _is_enough(found: Document, prose: int) -> bool:
    """Whether it found most of the prose, in paragraphs; where the walk saw no prose, nothing tells.

    A short text is never enough: what it lacks would be much of it, and asking again costs little on a short page.
    """
    if not prose or len(found.text or "") < max(_SHORT, _ENOUGH * prose):
        return False
    paragraphs, tables = (len(found.body.findall(name)) for name in (".//p", ".//table"))
    return 0 < paragraphs >= tables


def _tree_of(html: str) -> HtmlElement:
    from lxml.etree import strip_attributes
    from lxml.html import document_fromstring

    tree = document_fromstring(html.encode("utf-8", "replace").translate(None, _UNFIT), parser=_parser())
    # It would write a cell out for every row and column that it spans, however many.
    strip_attributes(tree, "rowspan", "colspan")
    return tree


@cache
def _parser() -> HTMLParser:
    """A parser whose trees have one class for all elements.

    That of ``lxml.html`` asks a function of Python for the class of each element whenever it is touched, which is a
    tenth of trafilatura's time.
    """
    from lxml.etree import ElementDefaultClassLookup
    from lxml.html import HtmlElement, HTMLParser

    parser = HTMLParser(
        encoding="utf-8", collect_ids=False, default_doctype=False, remove_comments=True, remove_pis=True
    )
    parser.set_element_class_lookup(ElementDefaultClassLookup(element=HtmlElement))
    return parser
