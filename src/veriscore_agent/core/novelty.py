"""Which results of further queries are new evidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from veriscore_agent.core.links import page_key
from veriscore_agent.domain import Page, Snippet

_CUT = re.compile(r"\.\.\.|…")


def new_snippets(found: Iterable[Snippet], old: Sequence[Snippet], pages: Sequence[Page]) -> tuple[Snippet, ...]:
    """Those that say something that was not there, numbered on after ``old``.

    Not new is the same text of the same page, whatever the address's spelling, and a text that stands in a page of
    that address which was read: its passages were chosen from the whole of it.
    """
    known = {_key(snippet) for snippet in old}
    texts: dict[str, str] = {}
    for page in pages:
        texts.setdefault(page_key(page.url), _folded(page.text))
    new: list[Snippet] = []
    for snippet in found:
        read = texts.get(page_key(snippet.link), "")
        if _key(snippet) not in known and not (read and _stands_in(snippet.text, read)):
            known.add(_key(snippet))
            new.append(replace(snippet, id=f"S{len(old) + len(new) + 1}"))
    return tuple(new)


def _key(snippet: Snippet) -> tuple[str, str]:
    return page_key(snippet.link) or snippet.link, _folded(snippet.text)


def _stands_in(text: str, page: str) -> bool:
    """Whether every piece of a snippet, which an engine may cut and join, is on the page."""
    return all(_folded(piece) in page for piece in _CUT.split(text))


def _folded(text: str) -> str:
    """Letters and digits alone."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(each for each in folded if each.isalnum())
