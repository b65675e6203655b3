"""Values of a row, checked: text and search results."""

from __future__ import annotations

from typing import Any

from veriscore_agent.core.dates import result_date
from veriscore_agent.core.links import page_key
from veriscore_agent.domain import Snippet


class RowError(ValueError):
    """What is wrong with one line, and what to do about it."""


def optional_text(row: dict[str, Any], name: str) -> str | None:
    """The text called ``name``; None where it is absent, null or blank. Raises RowError for any other type."""
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RowError(f"`{name}` is not text")
    return value.strip() or None


def links_in(value: Any) -> tuple[str, ...]:
    """The http(s) links in a text or a list of texts, each once; anything else in it is left alone."""
    given = value if isinstance(value, list) else [value]
    texts = (each.strip() for each in given if isinstance(each, str))
    return tuple(dict.fromkeys(text for text in texts if page_key(text)))


def snippets_of(results: Any, name: str) -> tuple[Snippet, ...]:
    """Search results as the authors' files hold them: objects with title, snippet and link; Serper's have a date."""
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise RowError(f"`{name}` holds search results that are not a list of objects with title, snippet and link")
    return tuple(
        Snippet(
            id=f"S{number}",
            title=optional_text(each, "title") or "",
            link=optional_text(each, "link") or "",
            text=optional_text(each, "snippet") or "",
            date=_date_of(each),
        )
        for number, each in enumerate(results, 1)
    )


def _date_of(result: dict[str, Any]) -> str | None:
    said = result.get("date")
    return result_date(said) if isinstance(said, str) else None
