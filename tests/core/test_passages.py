"""Pages cut into pieces, and the passages chosen from them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriscore_agent.core.passages import choose_passages, split_pieces
from veriscore_agent.core.passages.terms import terms
from veriscore_agent.core.verification.evidence import render_evidence
from veriscore_agent.domain import Page, Passage

FILLER = "The weather in the valley stayed mild for most of the season, with some rain."


def _page(text: str, *, url: str = "https://a.example/", title: str = "A page", main_chars: int | None = None) -> Page:
    return Page(url, title, text, None, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), main_chars)


def _words(text: str) -> int:
    return len(text.split())


def _sent(passages: Sequence[Passage]) -> str:
    """What a prompt holds of the passages, without the fence."""
    return "\n".join(render_evidence(passages).split("\n")[1:-1]) if passages else ""


def _choose(
    claim: str, *pages: Page, budget: int = 1000, parts: tuple[str, ...] = (), taken: tuple[Passage, ...] = ()
) -> tuple[Passage, ...]:
    return choose_passages(claim, parts, pages, budget_tokens=budget, count_tokens=_words, taken=taken)


TERMS = [
    ("The bridges were opened", ["bridg", "open"], "endings and stop words"),
    ("9,800 and 9.800 and 1,234,567", ["9800", "9800", "1234567"], "thousands in both notations"),
    ("3.14 3,14", ["3.14", "3.14"], "decimals in both notations"),
    ("Zürich ZURICH", ["zurich", "zurich"], "case and accents"),
    ("ﬁne ½", ["fine", "1", "2"], "compatibility forms"),
    ("東京塔", ["東京", "京塔"], "pairs of characters where words are not parted"),
    ("塔", ["塔"], "a single one"),
    ("В 1931 году", ["в", "1931", "году"], "another alphabet"),
    ("A\ud83dB", ["b"], "a lone surrogate parts words and raises nothing"),
    ("2014-03-03", ["2014", "mar", "3"], "a date in figures"),
    ("March 3, 2014", ["mar", "3", "2014"], "and in words"),
    ("1.5 million or 1,500,000", ["1500000", "million", "1500000"], "a number with its scale"),
    ("1.2345678 million", ["1.2345678", "million"], "and one that would be no whole number"),
    ("seven, the first", ["7", "1"], "small numbers as words"),
    ("planned, planning", ["plan", "plan"], "a doubled letter before an ending"),
    ("not opened", ["not", "open"], "a negation is no stop word"),
    ("e\u0301tude étude", ["etud", "etud"], "a mark of its own and a letter with its mark"),
    ("", [], "nothing"),
]


@pytest.mark.parametrize(("text", "expected", "why"), TERMS)
def test_terms(text: str, expected: list[str], why: str) -> None:
    assert terms(text) == expected, why


def _pieces(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in split_pieces(_page(text))]


PIECES = [
    ("One is here. Two is here.", ["One is here.", "Two is here."], "sentences"),
    (
        "He put a bar of Shout! into Baby. Then he left.",
        ["He put a bar of Shout! into Baby.", "Then he left."],
        "a mark within a sentence",
    ),
    ("- One is. Two is.\n- Three", ["- One is. Two is.", "- Three"], "a list item stays whole"),
    ("Year: 1931 | Place: St. Gallen. N.", ["Year: 1931 | Place: St. Gallen. N."], "a table row stays whole"),
    ("# Title. With stop\ntext", ["# Title. With stop", "text"], "a heading stays whole"),
    (
        "塔は1931年に開業した。高さは412メートルである。",
        ["塔は1931年に開業した。", "高さは412メートルである。"],
        "another script",
    ),
    ("a\n\n\n\n  b  ", ["a", "b"], "white space is in no piece"),
    ("", [], "nothing"),
]


@pytest.mark.parametrize(("text", "expected", "why"), PIECES)
def test_pieces(text: str, expected: list[str], why: str) -> None:
    assert _pieces(text) == expected, why


def test_an_unbroken_run_is_cut() -> None:
    assert max(map(len, _pieces("x" * 5000 + ". " + "word " * 1000))) <= 1000


def test_headings_above_a_piece_outermost_first() -> None:
    """A heading stands under those of a higher level, and a new one ends all of its level and below.

    The first of level 1 is the page's title, and no heading.
    """
    page = _page("# Title\none\n\n## B\ntwo\n\n### C\nthree\n\n## D\nfour\n\n# E\nfive\n## F\nsix")
    found = {page.text[piece.start : piece.end]: piece.heading for piece in split_pieces(page)}
    assert [found[each] for each in ("one", "two", "three", "## D", "four", "five", "six")] == [
        "",
        "B",
        "B > C",
        "",
        "D",
        "E",
        "E > F",
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="ab. \n#-|。1", max_size=120), max_size=3), st.integers(0, 200))
def test_whatever_the_pages_hold_spans_are_verbatim_and_the_budget_holds(texts: list[str], budget: int) -> None:
    """Equal pages, odd marks and all: what the prompt really holds is counted."""
    pages = [_page(text, url=f"https://{n}.example/") for n, text in enumerate(texts)]
    passages = choose_passages("a b 1 ab", ("a b", "1"), pages, budget_tokens=budget, count_tokens=len)
    by_url = {page.url: page for page in pages}
    assert all(by_url[each.url].text[each.start : each.end] == each.text for each in passages)
    assert len(_sent(passages)) <= budget
    assert passages == choose_passages("a b 1 ab", ("a b", "1"), pages, budget_tokens=budget, count_tokens=len)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab. \n#-|。é\ud83d1", max_size=200))
def test_pieces_never_overlap_and_lose_only_white_space(text: str) -> None:
    pieces = split_pieces(_page(text))
    ends = [0, *(piece.end for piece in pieces)]
    assert all(end <= piece.start for end, piece in zip(ends, pieces, strict=False))
    kept = "".join(text[piece.start : piece.end] for piece in pieces)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_passage_is_a_verbatim_stretch_of_its_page() -> None:
    page = _page(f"# Bridge\n{FILLER}\nThe bridge opened in 1931.\n{FILLER} It cost nine million.")
    (passage,) = _choose("The bridge opened in 1931.", page)
    assert passage.id == "P1"
    assert page.text[passage.start : passage.end] == passage.text
    assert "opened in 1931" in passage.text
    assert (passage.url, passage.page_sha256) == (page.url, page.sha256)


def test_the_right_sentence_is_found_far_down_a_long_page() -> None:
    text = "\n".join(
        [*(f"{FILLER} Part {number}." for number in range(300)), "Anna Berg won the medal in Oslo in 1998."]
    )
    (passage, *_) = _choose("Anna Berg won a medal in Oslo.", _page(text), budget=60)
    assert "Anna Berg won the medal" in passage.text


@pytest.mark.parametrize("budget", [5, 20, 37, 100, 500])
def test_the_budget_is_never_exceeded(budget: int) -> None:
    """Titles and addresses are counted too."""
    pages = [
        _page(
            "\n".join(f"The bridge number {n} opened in {1900 + n}. {FILLER}" for n in range(80)),
            url=f"https://{p}.example/",
        )
        for p in "abc"
    ]
    passages = _choose("The bridge opened in 1931.", *pages, budget=budget)
    assert _words(_sent(passages)) <= budget
    characters = choose_passages("The bridge opened in 1931.", (), pages, budget_tokens=budget * 5, count_tokens=len)
    assert len(_sent(characters)) <= budget * 5


def test_nothing_that_bears_on_the_claim_gives_no_passage() -> None:
    assert _choose("Quantum zebras juggle.", _page(FILLER)) == ()
    assert _choose("Quantum zebras juggle.") == ()
    assert _choose("", _page(FILLER)) == ()


def test_the_headings_are_in_the_title() -> None:
    """So that a judge can tell what a row or a pronoun is about; what the title says already is not repeated."""
    rows = "\n".join(f"Room {n}: {FILLER}" for n in range(5))
    page = _page(f"# Hotels of Lyon\n\n## Palace\n\n{rows}\nHeight: 412 m", title="Hotels of Lyon - Guide")
    (passage,) = _choose("It is 412 m high.", page, budget=20)
    assert (passage.title, passage.text) == ("Hotels of Lyon - Guide > Palace", "Height: 412 m")


def test_headings_without_a_word_of_the_claim_are_left_out_of_sentences() -> None:
    """They cost tokens and tell nothing; of a table row the innermost is kept."""
    text = "## Imprint\n\nThe Karlsund bridge opened in 1931.\n\n## Lengths\n\nLund: 14\nMalm: 15\nKarlsund: 1931"
    passages = _choose("The Karlsund bridge opened in 1931.", _page(text), budget=24)
    assert [each.title for each in passages] == ["A page", "A page > Lengths"]


def test_a_heading_is_joined_to_its_text_and_not_to_another_heading() -> None:
    """Though a blank line stands between; a list of headlines is a list of stories."""
    page = _page("## The Karlsund bridge\n\nIt opened in 1931.\n\n## A bridge at Lund\n\n## A bridge at Malm")
    passages = _choose("The Karlsund bridge opened in 1931.", page)
    assert passages[0].text == "## The Karlsund bridge\n\nIt opened in 1931."
    assert all(each.text.count("##") == 1 for each in passages)


def test_sections_are_never_joined() -> None:
    """A blank line parts teasers of different stories: no passage may read as if they were one."""
    stories = [f"Mayor number {n} of Lyon resigned over the bridge" for n in range(30)]
    passages = _choose("A mayor of Lyon resigned over the bridge.", _page("\n\n".join(stories)))
    assert len(passages) > 1
    assert all(sum(story in each.text for story in stories) == 1 for each in passages)


def test_no_page_crowds_out_the_rest() -> None:
    """The page with the higher scores gets no more than half, as long as another one has something."""
    loud = _page(
        "\n\n".join(f"Anna Berg won medal {n} in Oslo, Norway." for n in range(60)), url="https://loud.example/"
    )
    quiet = _page(f"{FILLER}\n\nAt the games in Oslo the medal went to Berg, {FILLER}", url="https://quiet.example/")
    passages = _choose("Anna Berg won a medal in Oslo, Norway.", loud, quiet, budget=200)
    assert {each.url for each in passages} == {loud.url, quiet.url}


def test_a_page_alone_may_use_the_whole_budget() -> None:
    page = _page("\n\n".join(f"Anna Berg won medal {n} in Oslo, Norway." for n in range(60)))
    passages = _choose("Anna Berg won a medal in Oslo.", page, budget=200)
    assert sum(_words(each.text) for each in passages) > 100


REPORT = "Anna Berg won the gold medal in Oslo in 1998 after a long race, the organisers said on Monday evening."


def test_text_that_pages_share_is_taken_once_and_tells_where_else_it_stands() -> None:
    """A syndicated report is one source, however many sites print it."""
    first = _page(f"Sport\n\n{REPORT}", url="https://a.example/")
    copy = _page(f"News\n\n{REPORT.replace('on Monday', 'late on Monday')}", url="https://b.example/")
    own = _page("Berg, the winner of Oslo 1998, was born in Lund.", url="https://c.example/")
    passages = _choose("Anna Berg won the gold medal in Oslo in 1998.", first, copy, own)
    assert {each.url: each.copies for each in passages} == {first.url: (copy.url,), own.url: ()}
    assert "a.example (same text at: b.example) | A page" in render_evidence(passages)


OTHER_REPORTS = [
    (REPORT.replace("1998", "1996"), "another year"),
    (REPORT.replace("won", "never won"), "a denial"),
    (REPORT.replace("Oslo", "Lund"), "another word where the claim has its own"),
]


@pytest.mark.parametrize(("text", "why"), OTHER_REPORTS)
def test_text_that_differs_in_what_decides_is_no_copy(text: str, why: str) -> None:
    """However alike two reports are, the one that says something else is further evidence."""
    first, other = _page(REPORT, url="https://a.example/"), _page(text, url="https://b.example/")
    passages = _choose("Anna Berg won the gold medal in Oslo in 1998.", first, other)
    assert {each.url for each in passages} == {first.url, other.url}, why
    assert all(other.url not in each.copies for each in passages if each.url == first.url), why


def test_three_sites_with_the_same_article_are_one_source() -> None:
    """Each has its own frame around it."""
    article = "\n".join([REPORT, "She had led since the second hill.", FILLER])
    pages = [_page(f"Site {n}\n\n{article}\n\nImprint {n}", url=f"https://{n}.example/x") for n in "abc"]
    (passage,) = _choose("Anna Berg won the gold medal in Oslo in 1998.", *pages)
    assert {passage.url, *passage.copies} == {page.url for page in pages}


def test_a_page_about_something_else_gives_nothing() -> None:
    """A common word or two make no evidence, and leave the budget to the pages that have some."""
    about = _page("The Karlsund bridge opened in May 1931. It was painted green.", url="https://a.example/")
    other = _page("\n".join(f"Shop {n} opened late on a day in May." for n in range(60)), url="https://b.example/")
    claim = "The Karlsund bridge of the engineer Olsen opened in May 1931 as the longest in northern Norway."
    assert {each.url for each in _choose(claim, about, other)} == {about.url}
    assert _choose(claim, other) == ()


def test_every_part_has_its_best_piece() -> None:
    """Where the budget is short, the second fact is not pushed out by five tellings of the first."""
    tellings = "\n\n".join(f"The Karlsund bridge opened in May 1931, paper {n} said of the bridge." for n in range(20))
    page = _page(f"{tellings}\n\nIts toll was abolished by Olsen.")
    parts = ("The Karlsund bridge opened in May 1931.", "Olsen abolished the toll.")
    claim = "The Karlsund bridge opened in May 1931 and Olsen abolished the toll."
    passages = _choose(claim, page, budget=60, parts=parts)
    assert any("abolished by Olsen" in each.text for each in passages)


def test_periphery_serves_only_where_main_text_has_nothing() -> None:
    main, aside = "The bridge opened in 1931.", "Related: the bridge opened in 1931, again. The toll was nine crowns."
    page = _page(f"{main}\n\n{aside}", main_chars=len(main))
    assert [each.text for each in _choose("The bridge opened in 1931.", page)] == [main]
    texts = [each.text for each in _choose("The bridge opened in 1931 and the toll was nine crowns.", page)]
    assert texts[0] == main
    assert any("nine crowns" in text for text in texts)


def test_a_page_opened_twice_counts_once() -> None:
    page = _page("The bridge opened in 1931.")
    assert len(_choose("The bridge opened in 1931.", page, page)) == 1


def test_short_passages_get_their_neighbours_where_tokens_are_left() -> None:
    page = _page("Karl Olsen was an engineer.\nHe built the bridge.\nHe died in Lund.")
    (passage,) = _choose("Olsen built the bridge.", page)
    assert passage.text == page.text


def test_the_same_question_gives_the_same_passages() -> None:
    pages = [_page("\n".join(f"Bridge {n} of town {p}." for n in range(50)), url=f"https://{p}.example/") for p in "ab"]
    assert _choose("Bridge of town.", *pages, budget=100) == _choose("Bridge of town.", *pages, budget=100)


def test_ids_stay_with_their_passages_when_more_pages_come() -> None:
    """A finding of an earlier verdict names the same text as before."""
    first = _page("The bridge opened in 1931.", url="https://a.example/")
    second = _page("The bridge opened in May 1931, and the bridge was long.", url="https://b.example/")
    before = _choose("The bridge opened in May 1931.", first)
    after = _choose("The bridge opened in May 1931.", first, second, taken=before)
    ids = {each.url: each.id for each in after}
    assert ids == {first.url: "P1", second.url: "P2"}


def test_a_huge_page_takes_no_time_to_speak_of() -> None:
    """360,000 characters, the most that extraction lets through, cut and ranked."""
    page = _page("\n".join(f"Bridge {n} {FILLER}" for n in range(4000)))
    started = time.process_time()
    _choose("Bridge 17 was opened.", page, budget=1500)
    assert time.process_time() - started < 2


def test_a_huge_page_that_is_all_about_the_claim_takes_no_time_to_speak_of() -> None:
    """Every piece is a candidate, and still is when its page has had its share and only a few tokens are left."""
    page = _page(
        " ".join(f"The bridge opened in {1000 + n % 900} with {n * 0.618 % 1:.5f} lamps." for n in range(14000))
    )
    other = _page("The bridge.", url="https://b.example/")
    parts = ("The bridge opened.", "It opened in 1931.")
    started = time.process_time()
    choose_passages(
        "The bridge opened in 1931.",
        parts,
        (page, other),
        budget_tokens=1500,
        count_tokens=lambda text: len(text) // 4,
    )
    assert time.process_time() - started < 4
