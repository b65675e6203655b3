"""Markup that no parser here reads in reasonable time, told by counting, before any parser sees it.

Measured on one machine: lexbor takes 33 s for 100,000 nested elements and 18 s for 100,000 attributes of one, both
growing with the square of the number; trafilatura takes some 50 microseconds for every tag. Of 320 real pages the
largest has 9,300 tags.
"""

from __future__ import annotations

import re

MAX_TAGS_FOR_TRAFILATURA = 50_000
_MAX_DEPTH = 5_000
_MAX_ATTRIBUTES = 5_000
_LONG_TAG_CHARS = 20_000
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_WITHOUT_END_TEXT = """area base br col colgroup dd dt embed hr img input li link meta option p param rp rt source tbody
td tfoot th thead tr track wbr"""
_WITHOUT_END = frozenset(_WITHOUT_END_TEXT.split())


class UnreadablePageError(ValueError):
    """A page that is built to be slow to read, or broken beyond reading."""


def check_markup(html: str) -> None:
    """Raises UnreadablePageError where elements are nested too deeply or have too many attributes."""
    # Looking for long tags with an expression in all the markup would take longer than parsing it does.
    for piece in [piece for piece in html.split("<") if len(piece) > _LONG_TAG_CHARS]:
        tag = piece.partition(">")[0]
        if (
            len(tag) > _LONG_TAG_CHARS
            and _TAG.match(f"<{tag}")
            and len(_QUOTED.sub(" ", tag).split()) > _MAX_ATTRIBUTES
        ):
            raise UnreadablePageError("an element has too many attributes")
    if html.count("<") > _MAX_DEPTH and _depth(html) > _MAX_DEPTH:
        raise UnreadablePageError("elements are nested too deeply")


def is_too_large_for_trafilatura(html: str) -> bool:
    """Whether it has so many tags that trafilatura would take seconds."""
    return html.count("<") > MAX_TAGS_FOR_TRAFILATURA


def _depth(html: str) -> int:
    """How deeply elements are nested at most, where each is closed by the next end tag."""
    depth = deepest = 0
    for end, name in _TAG.findall(html):
        if name.lower() in _WITHOUT_END:
            continue
        depth += -1 if end else 1
        deepest = max(deepest, depth)
        depth = max(depth, 0)
    return deepest
