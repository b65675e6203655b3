"""Which results of a further query are new evidence."""

from __future__ import annotations

import pytest

from veriscore_agent.core.novelty import new_snippets
from veriscore_agent.domain import Page, Snippet

OLD = (Snippet("S1", "T", "https://a.example/1", "The bridge opened in 1931."),)
PAGE = Page("https://b.example/1", "T", "History. The bridge is 503 metres long – and six lanes wide.", None, "0" * 64)

CASES = [
    ("https://c.example/1", "Another text.", True, "another page"),
    ("https://a.example/1", "The bridge opened in 1931.", False, "the same result"),
    (
        "http://www.a.example/1/?utm_source=x",
        "The bridge opened in 1931",
        False,
        "the same page under another spelling",
    ),
    ("https://a.example/1", "It was closed in 1990.", True, "the same page, which was not read, says more"),
    ("https://c.example/1", "The bridge opened in 1931.", True, "the same text on another page, which may say more"),
    ("https://b.example/1", "the bridge is 503 metres long", False, "it stands in the page that was read"),
    ("https://b.example/1", "... 503 metres long ... six lanes wide ...", False, "pieces of the page that was read"),
    ("https://b.example/1", "The bridge was closed.", True, "what the text that was read does not have"),
    ("https://b.example/2", "the bridge is 503 metres long", True, "another page of that site"),
]


@pytest.mark.parametrize(("link", "text", "is_new", "why"), CASES)
def test_new(link: str, text: str, is_new: bool, why: str) -> None:
    found = new_snippets([Snippet("S7", "T", link, text)], OLD, [PAGE])
    assert [each.id for each in found] == ["S2"] * is_new, why


def test_new_ones_are_numbered_on_and_each_is_taken_once() -> None:
    again = Snippet("S1", "T", "https://c.example/1", "Text.")
    found = new_snippets([again, *OLD, again, Snippet("S2", "T", "https://d.example/", "Text.")], OLD, ())
    assert [(each.id, each.link) for each in found] == [("S2", "https://c.example/1"), ("S3", "https://d.example/")]
