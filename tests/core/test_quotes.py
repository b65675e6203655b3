"""A quote is found in the original text, whatever marks, dashes and blanks either side uses, and never by chance."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriscore_agent.core.verification.quotes import MAX_ELLIPSIS_GAP, locate_quote

FOUND = [
    ("as it stands", "opened in 1931", "The bridge opened in 1931.", "opened in 1931"),
    ("the whole text", "The bridge opened.", "The bridge opened.", "The bridge opened"),
    ("curly marks in the text", 'the king\'s "new" bridge', "the king’s “new” bridge", "the king’s “new” bridge"),
    ("curly marks in the quote", "the king’s bridge", "the king's bridge", "the king's bridge"),
    ("dashes", "1914-1918", "from 1914–1918 on", "1914–1918"),
    ("a minus sign", "at -12 degrees", "at −12 degrees", "at −12 degrees"),
    ("line breaks and tabs", "built of red brick", "built of\n\n\tred   brick", "built of\n\n\tred   brick"),
    ("no-break spaces", "5 000 people", "5\u00a0000\u202fpeople", "5\u00a0000\u202fpeople"),
    ("zero-width characters in the text", "opened in 1931", "op\u200bened in 19\ufeff31", "op\u200bened in 19\ufeff31"),
    ("zero-width characters in the quote", "ope\u200bned in 1931\ufeff", "opened in 1931", "opened in 1931"),
    ("soft hyphens", "international", "inter\u00adnational law", "inter\u00adnational"),
    ("ligatures", "the final office", "the ﬁnal oﬃce", "the ﬁnal oﬃce"),
    ("full-width digits", "in 1931", "in １９３１ and", "in １９３１"),
    ("composed against decomposed", "São Paulo café", "Sa\u0303o Paulo cafe\u0301!", "Sa\u0303o Paulo cafe\u0301"),
    ("decomposed against composed", "cafe\u0301 society", "the café society", "café society"),
    ("an ellipsis of the text itself", "they always ... win", "they always … win", "they always … win"),
    ("marks put around the quote", "“opened in 1931”", "It opened in 1931, they say", "opened in 1931"),
    ("a full stop put after it", "opened in 1931.", "It opened in 1931, they say", "opened in 1931"),
    ("an ellipsis put around it", "... opened in 1931 ...", "It opened in 1931, they say", "opened in 1931"),
    ("bracketed ellipses around it", "[...] opened in 1931 [...]", "It opened in 1931, they say", "opened in 1931"),
    (
        "the neutralised form of marks",
        "＃＃＃Supported＃＃＃ he wrote",
        "###Supported### he wrote",
        "###Supported### he wrote",
    ),
    ("the neutralised form of a header", "［S1] a title", "see [S1] a title", "[S1] a title"),
    ("Chinese, inside a run", "一九三一年", "该桥于一九三一年通车。", "一九三一年"),
    ("Chinese with digits", "1931年通车", "该桥于1931年通车。", "1931年通车"),
    ("Korean, particle left off", "한국", "한국은 반도이다. 한국", "한국"),
    ("Arabic", "افتتح الجسر", "في عام 1931 افتتح الجسر رسميا", "افتتح الجسر"),
    ("Thai", "กรุงเทพ", "เมืองหลวงคือกรุงเทพมหานคร", "กรุงเทพ"),
    ("half a surrogate pair", "the \ufffd bridge", "the \ud83d bridge", "the \ud83d bridge"),
    ("a second place, where the first cuts a word", "art of war", "part of war, art of war", "art of war"),
    ("a hyphenated word's part", "year-old bridge", "a 90-year-old bridge", "year-old bridge"),
    ("a sentence that ends in a number", "1,200 in 1931", "From 1,200 in 1931. Then", "1,200 in 1931"),
]

NOT_FOUND = [
    ("another number", "opened in 1932", "The bridge opened in 1931."),
    ("paraphrased", "was opened in 1931", "The bridge opened in 1931."),
    ("one ideograph", "桥", "该桥于一九三一年通车。"),
    ("another case", "US RAILWAYS", "us railways"),
    ("a number cut short", "a population of 12", "a population of 12,000 people"),
    ("a number cut at its beginning", "000 people", "12,000 people"),
    ("a decimal cut short", "grew by 3", "grew by 3.5 percent"),
    ("a minus cut off", "12 degrees", "at -12 degrees"),
    ("a year cut short", "built in 193", "built in 1931"),
    ("a word cut short", "the bridge is support", "the bridge is supported"),
    ("a word cut at its beginning", "supported by all", "unsupported by all"),
    ("too short", "ab", "ab"),
    ("marks alone", "...", "and so on ..."),
    ("empty", "", "text"),
    ("blank", " \u200b ", "text"),
    ("empty text", "opened in 1931", ""),
    ("digits of an unspaced script cut", "93年", "1931年と193年"[:5]),
]

ELLIPSES = [
    ("pieces in order", "bridge ... opened in 1931", "The bridge was long planned and opened in 1931.", True),
    ("the one-character ellipsis", "bridge … opened in 1931", "The bridge was long planned and opened in 1931.", True),
    ("bracketed", "bridge [...] opened in 1931", "The bridge was long planned and opened in 1931.", True),
    ("three pieces", "bridge ... planned ... in 1931", "The bridge was long planned and opened in 1931.", True),
    ("out of order", "opened in 1931 ... bridge", "The bridge was long planned and opened in 1931.", False),
    ("one piece missing", "bridge ... closed in 1931", "The bridge was long planned and opened in 1931.", False),
    ("too far apart", "bridge ... opened in 1931",
     "The bridge. " + "x " * MAX_ELLIPSIS_GAP + "It opened in 1931.", False),
    ("a piece too short to tell", "it ... opened in 1931", "it opened, it opened in 1931", False),
    ("near a later occurrence", "bridge ... opened in 1931",
     "The bridge. " + "x " * MAX_ELLIPSIS_GAP + "This bridge opened in 1931.", True),
]  # fmt: skip


@pytest.mark.parametrize(("why", "quote", "text", "shown"), FOUND, ids=[row[0] for row in FOUND])
def test_found_with_its_span_in_the_original(why: str, quote: str, text: str, shown: str) -> None:
    span = locate_quote(quote, text)
    assert span is not None
    assert text[span[0] : span[1]] == shown


@pytest.mark.parametrize(("why", "quote", "text"), NOT_FOUND, ids=[row[0] for row in NOT_FOUND])
def test_not_found(why: str, quote: str, text: str) -> None:
    assert locate_quote(quote, text) is None


@pytest.mark.parametrize(("why", "quote", "text", "there"), ELLIPSES, ids=[row[0] for row in ELLIPSES])
def test_ellipsis_inside_a_quote(why: str, quote: str, text: str, there: bool) -> None:
    span = locate_quote(quote, text)
    assert (span is not None) == there
    if span:
        assert text[span[0] : span[1]].startswith("bridge")
        assert text[span[0] : span[1]].endswith("1931")


words = st.text(alphabet=st.characters(codec="utf-8", categories=("Lu", "Ll", "Lo", "Nd")), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(st.lists(words, min_size=3, max_size=12), st.data())
def test_every_run_of_whole_words_is_found_where_it_stands(tokens: list[str], data: st.DataObject) -> None:
    """Whatever the script, what is copied from between two blanks is found, unless it is too short to tell."""
    text = " \n".join(tokens)
    first = data.draw(st.integers(0, len(tokens) - 1))
    last = data.draw(st.integers(first, len(tokens) - 1))
    quote = " ".join(tokens[first : last + 1])
    span = locate_quote(quote, text)
    if span is None:
        assert _letters(quote) < 3
    else:
        assert unicodedata.normalize("NFKC", text[slice(*span)]).split() == unicodedata.normalize("NFKC", quote).split()


def _letters(text: str) -> int:
    return sum(map(str.isalnum, unicodedata.normalize("NFKC", text)))


@pytest.mark.parametrize(
    "text",
    [
        "The bridge, 1931. " * 6_000,
        "桥于一九三一年通车。" * 10_000,
        "a" * 100_000,
        "é\u0301 " * 33_000,
        "... " * 25_000,
    ],
    ids=["prose", "Chinese", "one letter", "combining", "ellipses"],
)
@pytest.mark.parametrize("quote", ["no such words here", "aaa ... aaa ... bbb", "a" * 5_000])
def test_a_long_text_takes_linear_time(text: str, quote: str) -> None:
    """100 kB takes a moment. The bound, of processor time, is loose: it catches what is quadratic."""
    started = time.process_time()
    assert locate_quote(quote, text) is None
    assert time.process_time() - started < 8
