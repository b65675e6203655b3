"""What may be evidence: by site, by date, by where the answer came from; and which text is a copy of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from veriscore_agent.core.admission import UNDATED, EvidenceRules, admit, admit_reading, why_excluded
from veriscore_agent.core.copies import is_copy
from veriscore_agent.domain import Page, PageReading, PageVisit, Snippet

ANY = EvidenceRules()
ONLY = EvidenceRules(only_sites=("example.org",))
NOT = EvidenceRules(excluded_sites=("example.org",))
AS_OF = EvidenceRules(as_of="2024-05-31")

SITES = [
    ("https://example.org/a", True, "the site itself"),
    ("https://EXAMPLE.org./a", True, "case and the root dot"),
    ("http://en.example.org:8080/a", True, "a host below it"),
    ("https://user@example.org/", True, "a user name is no host"),
    ("https://notexample.org/a", False, "another name that ends alike"),
    ("https://example.org.evil.test/a", False, "another site that begins alike"),
    ("https://evil.test/?u=https://example.org/", False, "the name in the query"),
    ("https://example.com/a", False, "another ending"),
]


@pytest.mark.parametrize(("link", "is_of", "why"), SITES)
def test_sites(link: str, is_of: bool, why: str) -> None:
    assert (why_excluded(link, ONLY) == "") is is_of, why
    assert (why_excluded(link, NOT) == "") is not is_of, why


@pytest.mark.parametrize("site", ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example"])
@pytest.mark.parametrize("host", ["www.bücher.example", "xn--bcher-kva.example"])
def test_a_site_is_one_in_letters_and_encoded(site: str, host: str) -> None:
    assert why_excluded(f"https://{host}/a", EvidenceRules(excluded_sites=(site,))).startswith("excluded site")
    assert why_excluded(f"https://{host}/a", EvidenceRules(only_sites=(site,))) == ""


def test_a_part_of_an_allowed_site_can_be_excluded() -> None:
    rules = EvidenceRules(only_sites=("example.org",), excluded_sites=("blog.example.org",))
    assert why_excluded("https://www.example.org/", rules) == ""
    assert why_excluded("https://blog.example.org/", rules) == "excluded site: blog.example.org"


def test_what_has_no_address_is_of_no_allowed_site() -> None:
    """A knowledge panel without a link."""
    assert why_excluded("", ONLY) == "not one of the sites that are evidence: no address"
    assert why_excluded("", NOT) == ""


DATES = [
    ("2024-05-31", True, "the day itself"),
    ("2024-05-31T23:00:00", True, "with a time"),
    ("2024-06-01", False, "the day after"),
    ("2024-05", True, "a month that had begun"),
    ("2024-06", False, "a month that had not"),
    ("2024", True, "the same year"),
    ("2025", False, "a later year"),
    (None, True, "undated"),
    ("", True, "undated"),
]


@pytest.mark.parametrize(("date", "may", "why"), DATES)
def test_dates(date: str | None, may: bool, why: str) -> None:
    assert (why_excluded("https://a.example/", AS_OF, date=date) == "") is may, why
    assert why_excluded("https://a.example/", ANY, date=date) == ""


@pytest.mark.parametrize(
    "link", ["https://a.example/post", "http://www.a.example/post/", "https://A.example/post?utm_source=x#c"]
)
def test_the_page_that_the_answer_was_written_from_is_no_evidence_under_any_spelling(link: str) -> None:
    sources = ("https://a.example/post",)
    assert why_excluded(link, ANY, sources=sources) == "the answer was written from it"
    assert why_excluded("https://a.example/other", ANY, sources=sources) == ""
    assert why_excluded("", ANY, sources=("no address",)) == "", "what is no address is not the same page"


def test_results_are_parted_and_each_link_told_once() -> None:
    found = [
        Snippet("S1", "", "https://example.org/a", "box", "answer_box"),
        Snippet("S2", "", "https://b.example/", "text"),
        Snippet("S3", "", "https://example.org/a", "organic"),
    ]
    admitted = admit(found, NOT)
    assert [each.id for each in admitted.snippets] == ["S2"]
    assert admitted.excluded == (PageVisit("https://example.org/a", "excluded", "excluded site: example.org"),)


TEXT = "The bridge opened in 1931."


def reading(url: str = "https://b.example/", date: str | None = "2024-01-01", text: str = TEXT) -> PageReading:
    page = Page(url, "title", text, date, "0" * 64)
    return PageReading(PageVisit("https://b.example/", "read", url=url, status=200), page)


def test_a_page_that_a_link_led_to_is_held_to_the_rules_as_well() -> None:
    moved = admit_reading(reading("https://www.example.org/moved"), NOT)
    assert (moved.page, moved.visit.outcome, moved.visit.status) == (None, "excluded", 200)
    assert moved.visit.reason == "excluded site: www.example.org"
    assert admit_reading(reading("https://b.example/moved"), ONLY).page is None
    source = admit_reading(reading("https://c.example/x"), ANY, sources=("http://c.example/x",))
    assert source.visit.reason == "the answer was written from it"


def test_a_page_of_a_later_day_is_no_evidence_and_one_without_a_date_is_told() -> None:
    later = admit_reading(reading(date="2024-06-01"), AS_OF)
    assert (later.page, later.visit.reason) == (None, "dated 2024-06-01, after 2024-05-31")
    undated = admit_reading(reading(date=None), AS_OF)
    assert undated.page
    assert (undated.visit.outcome, undated.visit.reason) == ("read", UNDATED)
    partly = replace(reading(date=None), visit=replace(reading().visit, reason="cut at 500 pages"))
    assert admit_reading(partly, AS_OF).visit.reason == f"cut at 500 pages; {UNDATED}"
    assert admit_reading(reading(date=None), ANY) == reading(date=None)
    assert admit_reading(reading(), AS_OF) == reading()


def test_a_page_that_could_not_be_read_stays_what_it_is() -> None:
    blocked = PageReading(PageVisit("https://example.org/", "blocked", "consent"))
    assert admit_reading(blocked, NOT) is blocked


# ---------------------------------------------------------------- copies

ANSWER = """The Larkspur Bridge crosses the river Tamm near the old town of Verrin. It opened to traffic in May 1931,
after four years of work and two floods. Its engineer, Ada Verrin, had built three smaller bridges before. The main span
measures 503 metres, which made it the longest of its kind in the country until 1957. Today it carries six lanes."""
FRAME = "Menu. Home. {} Related: ten more bridges to see. All rights reserved."
OTHER = """The bridge near Verrin was opened in 1931 by the mayor. Ada Verrin drew its plans, and the span of 503
metres was long the longest of the country, as visitors are told. Six lanes cross it today,
and two floods delayed the work."""


@pytest.mark.parametrize(
    ("page", "copied", "why"),
    [
        (FRAME.format(ANSWER), True, "the whole answer in a page"),
        (FRAME.format(ANSWER.upper().replace("\n", "  ").replace(",", " –")), True, "case, marks and line ends"),
        (FRAME.format(" ".join(ANSWER.split()[5:56])), True, "a run of 50 words across sentences"),
        (FRAME.format(" ".join(ANSWER.split()[5:40])), False, "35 words in a row, not most of the answer"),
        (FRAME.format(ANSWER.split(". ")[1]), False, "one sentence: a quotation"),
        (OTHER, False, "the same facts in other words"),
        ("", False, "no text"),
    ],
)
def test_copies(page: str, copied: bool, why: str) -> None:
    assert is_copy(page, ANSWER) is copied, why


def test_most_of_the_sentences_in_another_order_are_a_copy() -> None:
    sentences = ANSWER.replace("\n", " ").split(". ")
    page = ". ".join([sentences[3], "Between them stands something else entirely", sentences[2], sentences[0]])
    assert is_copy(FRAME.format(page), ANSWER)


@pytest.mark.parametrize("answer", ["", "It opened in 1931.", "Yes. No. " * 3])
def test_a_short_answer_has_no_copies(answer: str) -> None:
    assert not is_copy(FRAME.format(answer), answer)


def test_a_short_answer_of_one_sentence_is_copied_where_it_stands_whole() -> None:
    answer = (
        "The Larkspur Bridge, built by Ada Verrin between 1927 and 1931, crosses the river Tamm near the old town "
        "of Verrin in the north."
    )
    assert is_copy(FRAME.format(answer), answer)
    assert not is_copy(FRAME.format(answer.replace("north", "south")), answer)


def test_text_without_spaces() -> None:
    answer = "東京タワーは一九五八年に完成した電波塔であり、高さは三百三十三メートルである。" * 2
    assert is_copy(f"はじめに。{answer}おわり。", answer)
    assert not is_copy("東京タワーは一九五八年に完成した。", answer)


@pytest.mark.parametrize("start", range(0, 27, 3))
def test_a_run_is_found_wherever_it_begins(start: int) -> None:
    words = [f"word{number}" for number in range(140)]
    page = " ".join(["x", *words[start : start + 50], "y"])
    assert is_copy(page, " ".join(words))
    assert not is_copy(page.replace(words[start + 30], "other"), " ".join(words))
