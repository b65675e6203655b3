"""Which links are opened, and when two are one page."""

from __future__ import annotations

import pytest

from veriscore_agent.core.links import choose_links, normalise_url
from veriscore_agent.domain import Snippet

SAME = [
    ("HTTP://Example.ORG", "http://example.org/", "case of scheme and host, missing path"),
    ("https://example.org:443/a", "https://example.org/a", "default port"),
    ("https://example.org:8443/a", "https://example.org:8443/a", "another port stays"),
    ("https://example.org/a#part", "https://example.org/a", "fragment never reaches a server"),
    ("https://example.org/a?utm_source=x&id=3&fbclid=y", "https://example.org/a?id=3", "tracking parameters"),
    ("https://example.org/a?id=3&ID=4", "https://example.org/a?id=3&ID=4", "other parameters stay, in order"),
    ("https://example.org/%7euser/%c3%a9", "https://example.org/~user/%C3%A9", "one percent-encoding"),
    ("https://example.org/é ü", "https://example.org/%C3%A9%20%C3%BC", "characters that must be encoded"),
    ("https://example.org/a%2Fb", "https://example.org/a%2Fb", "an encoded slash is no slash"),
    ("https://example.org/a%40b%60c", "https://example.org/a%40b%60c", "reserved characters stay encoded"),
    ("https://me:secret@example.org/", "https://example.org/", "a password is not sent on"),
    ("https://example.org./a", "https://example.org/a", "the root dot"),
    ("http://[::1]:8080/", "http://[::1]:8080/", "IPv6 keeps its brackets"),
    (" https://example.org/a\n", "https://example.org/a", "white space around"),
    ("https://example.org/\ud83d", "https://example.org/%EF%BF%BD", "a lone surrogate raises nothing"),
    ("http://[::1", "http://[::1", "no address: left alone"),
    ("http://example.org:99999/", "http://example.org:99999/", "no port: left alone"),
    ("mailto:a@example.org", "mailto:a@example.org", "not of the web: left alone"),
    ("", "", "empty"),
]


@pytest.mark.parametrize(("url", "expected", "why"), SAME)
def test_one_spelling(url: str, expected: str, why: str) -> None:
    assert normalise_url(url) == expected, why


@pytest.mark.parametrize(("url", "expected", "why"), SAME)
def test_normalising_twice_changes_nothing_more(url: str, expected: str, why: str) -> None:
    assert normalise_url(normalise_url(url)) == normalise_url(url), why


def _snippets(*links: str) -> list[Snippet]:
    return [Snippet(f"S{index}", "title", link, "text") for index, link in enumerate(links, 1)]


CHOICES = [
    (
        ["https://a.example/1", "https://b.example/2"],
        [],
        ["https://a.example/1", "https://b.example/2"],
        "in rank order",
    ),
    (["https://a.example/1", "https://b.example/2"], ["https://a.example/1"], ["https://b.example/2"], "not again"),
    (["https://a.example/1?utm_source=x"], ["http://www.a.example/1/"], [], "another spelling of an open page"),
    (["https://a.example/1", "http://a.example/1#x"], [], ["https://a.example/1"], "one page twice in the results"),
    (["", "mailto:a@b.example", "javascript:void(0)", "ftp://a.example/x", "http://[::1"], [], [], "nothing to open"),
    (
        ["https://a.example/x.JPG", "https://a.example/x.zip?y=1", "https://b.example/"],
        [],
        ["https://b.example/"],
        "media",
    ),
    (["https://a.example/x.pdf", "https://b.example/"], [], ["https://b.example/", "https://a.example/x.pdf"], "last"),
    (["https://a.example/?file=x.zip"], [], ["https://a.example/?file=x.zip"], "only the path names a type"),
]


@pytest.mark.parametrize(("links", "opened", "expected", "why"), CHOICES)
def test_choice(links: list[str], opened: list[str], expected: list[str], why: str) -> None:
    assert choose_links(_snippets(*links), opened, limit=10) == tuple(expected), why


def test_no_more_than_the_limit() -> None:
    assert choose_links(_snippets("https://a.example/", "https://b.example/"), (), limit=1) == ("https://a.example/",)


def test_another_scheme_or_a_final_slash_is_another_request() -> None:
    """Only choosing folds these; fetching must not."""
    urls = {normalise_url(url) for url in ("http://a.example/x", "https://a.example/x", "https://a.example/x/")}
    assert len(urls) == 3
