"""Which links are opened, and when two are one page."""

from __future__ import annotations

import pytest

from veriscore_agent.core.links import choose_links, normalise_url, openable_links, page_key, site_of
from veriscore_agent.core.links.choosing import is_closed_site
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


CLAIM = "The Larkspur Bridge opened in 1931 and is 503 metres long."


def _snippets(*links: str) -> list[Snippet]:
    """Results that say the same, so that nothing but their links and places tells them apart."""
    return [Snippet(f"S{index}", "Larkspur Bridge", link, "text") for index, link in enumerate(links, 1)]


def _choose(snippets: list[Snippet], opened: list[str] | None = None, limit: int = 10, **kind: object) -> list[str]:
    return list(choose_links(snippets, opened or [], claim=CLAIM, limit=limit, **kind))  # type: ignore[arg-type]


A, B, C, D = (f"https://{name}.example/1" for name in "abcd")

CHOICES = [
    ([A, B], [], [A, B], "the engine's order where nothing speaks against it"),
    ([A, B], [A], [B], "not again"),
    (["https://a.example/1?utm_source=x"], ["http://www.a.example/1/"], [], "another spelling of an open page"),
    ([A, "http://a.example/1#x"], [], [A], "one page twice in the results"),
    (["", "mailto:a@b.example", "javascript:void(0)", "ftp://a.example/x", "http://[::1"], [], [], "nothing to open"),
    (["https://a.example/x.JPG", "https://a.example/x.zip?y=1", B], [], [B], "media"),
    (["https://a.example/?file=x.zip"], [], ["https://a.example/?file=x.zip"], "only the path names a type"),
    (["https://a.example/x.pdf", B, C, D], [], [B, C, "https://a.example/x.pdf", D], "a document costs two places"),
    (["https://www.youtube.com/watch?v=1", A], [], [A, "https://www.youtube.com/watch?v=1"], "video comes last"),
    (["https://x.com/a/status/1"], [], ["https://x.com/a/status/1"], "and not never"),
    (
        [f"{A}/1", f"{A}/2", f"{A}/3", B],
        [],
        [f"{A}/1", B, f"{A}/2", f"{A}/3"],
        "another site goes before a second page",
    ),
]


@pytest.mark.parametrize(("links", "opened", "expected", "why"), CHOICES)
def test_choice(links: list[str], opened: list[str], expected: list[str], why: str) -> None:
    assert _choose(_snippets(*links), opened) == expected, why


def _said(*texts: str, title: str = "A page") -> list[Snippet]:
    links = (A, B, C, D)
    return [Snippet(f"S{index}", title, links[index - 1], text) for index, text in enumerate(texts, 1)]


BEARING = [
    (
        ("A bridge of the world.", "The Larkspur Bridge opened to traffic in 1931."),
        [B, A],
        "what names the claim's names and numbers goes before what shares one word",
    ),
    (
        ("The Larkspur Bridge.", "The Larkspur Bridge."),
        [A, B],
        "equal results stay in the engine's order",
    ),
    (("Weather today.", "Larkspur Bridge", "Cooking."), [B], "what shares nothing is not opened"),
    (("Das Wetter.", "Kochen."), [A, B], "where none shares anything the engine may know better"),
    (("", "Larkspur Bridge"), [B], "no text and a title that says nothing"),
]


@pytest.mark.parametrize(("texts", "expected", "why"), BEARING)
def test_a_result_that_bears_on_the_claim_goes_first(texts: tuple[str, ...], expected: list[str], why: str) -> None:
    assert _choose(_said(*texts)) == expected, why


def test_what_is_still_open_decides() -> None:
    """The opening is settled: the page that tells the length goes first now."""
    results = _said("The Larkspur Bridge opened in 1931.", "The Larkspur Bridge has a length of 503 metres.")
    parts = ("The Larkspur Bridge is 503 metres long.",)
    assert _choose(results, open_parts=("The Larkspur Bridge opened in 1931.",)) == [A, B]
    assert _choose(results, open_parts=parts) == [B, A]


def test_a_title_counts_as_text_does() -> None:
    results = [Snippet("S1", "News", A, "The bridge."), Snippet("S2", "Larkspur Bridge (1931)", B, "Read more.")]
    assert _choose(results) == [B, A]


def test_all_results_of_one_page_speak_for_it() -> None:
    """An answer box and the organic result below it lead to the same page."""
    results = [
        Snippet("S1", "", A, "Bridge"),
        Snippet("S2", "", B, "Larkspur, bridge"),
        Snippet("S3", "", A, "Larkspur 1931: 503 metres long"),
    ]
    assert _choose(results) == [A, B]


def test_what_shares_nothing_stays_closed_also_when_the_others_are_open() -> None:
    results = _said("Weather today.", "Larkspur Bridge")
    assert _choose(results, [B]) == []


def test_the_order_does_not_depend_on_how_many_are_taken() -> None:
    results = _said("A bridge.", "Larkspur", "The Larkspur Bridge of 1931", "503 metres")
    whole = _choose(results)
    assert [_choose(results, limit=count) for count in range(1, 5)] == [whole[:count] for count in range(1, 5)]


def test_a_far_better_result_at_the_end_is_opened_in_the_first_batch() -> None:
    results = [Snippet(f"S{n}", "", f"https://{n}.example/", "A long bridge.") for n in range(1, 10)]
    results.append(Snippet("S10", "", "https://10.example/", "The Larkspur Bridge: 503 metres, opened in 1931."))
    assert "https://10.example/" in _choose(results, limit=3)


def test_openable_are_all_that_could_ever_be_chosen() -> None:
    results = [*_said("Weather today.", "Larkspur Bridge"), Snippet("S3", "", "https://a.example/x.zip", "Larkspur")]
    assert openable_links(results) == (A, B)


@pytest.mark.parametrize(
    ("link", "site"),
    [
        ("https://en.wikipedia.org/wiki/X", "wikipedia.org"),
        ("https://www.bbc.co.uk/news", "bbc.co.uk"),
        ("https://health.gov.au/x", "health.gov.au"),
        ("https://t.co/x", "t.co"),
        ("http://127.0.0.1:8080/a", "127.0.0.1"),
        ("http://[::1]/a", "::1"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("nothing", ""),
    ],
)
def test_site(link: str, site: str) -> None:
    assert site_of(link) == site


@pytest.mark.parametrize(
    ("link", "closed"),
    [
        ("https://m.facebook.com/a", True),
        ("https://play.google.com/store/apps", True),
        ("https://google.com/", False),
        ("https://notyoutube.com/", False),
        ("https://x.com.example/", False),
    ],
)
def test_closed_sites(link: str, closed: bool) -> None:
    assert is_closed_site(link) is closed


def test_one_page_under_all_its_spellings() -> None:
    keys = {
        page_key(link) for link in ("https://www.a.example/1/", "http://a.example/1#x", "https://A.example/1?gclid=1")
    }
    assert keys == {"a.example/1"}


def test_another_scheme_or_a_final_slash_is_another_request() -> None:
    """Only choosing folds these; fetching must not."""
    urls = {normalise_url(url) for url in ("http://a.example/x", "https://a.example/x", "https://a.example/x/")}
    assert len(urls) == 3
