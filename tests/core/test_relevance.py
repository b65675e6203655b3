"""A quote counts only if it speaks of the part, read as the sentences that it lies in, in their place."""

from __future__ import annotations

import time

import pytest

from veriscore_agent.core.verification.quotes import locate_quote
from veriscore_agent.core.verification.relevance import Surroundings, speaks_of, surroundings

SPEAKS = [
    ("a name and a word", "Marie Curie won the Nobel Prize.", "Curie was the winner in Stockholm", "", ""),
    ("a name with its possessive", "Darwin wrote a book on worms.", "Darwin’s last book is about them", "", ""),
    ("a name without accents", "Dvořák composed it in New York.", "Dvorak composed the end there", "", ""),
    ("another form of a name", "The firm is in Italy.", "an Italian firm since then", "", ""),
    ("initials of a country", "The law was passed in the United States.", "a U.S. law of that year", "", ""),
    ("a name that the part begins with", "Daktronics was founded early.", "Daktronics has several founders", "", ""),
    ("a name between others", "It was bought by Acme Corp.", "ACME bought that firm", "", ""),
    ("a year", "The bridge was completed in 1932.", "It was completed in 1932.", "", ""),
    ("a date in another form", "It opened on March 3, 2014.", "since 2014-03-03", "", ""),
    ("a date the other way round", "It opened on March 3, 2014.", "am 3. März 2014", "", ""),
    ("a number with another separator", "The town has 9,800 inhabitants.", "9.800 Einwohner (2020)", "", ""),
    ("a number with blanks", "The town has 9800 inhabitants.", "zählt 9 800 Menschen", "", ""),
    ("a number in words", "The treaty has eleven signatories.", "all 11 signatories met", "", ""),
    ("a magnitude in words", "It cost 1.5 million euros.", "a price of 1,500,000", "", ""),
    ("an ordinal", "It was built in the 19th century.", "a church of the nineteenth century", "", ""),
    ("an ordinal in digits", "She finished 12th.", "she came in twelfth", "", ""),
    ("half of the content words", "Vikings transported livestock in longships.", "livestock went in longships", "", ""),
    ("other forms of the words", "Stress affects the menstrual cycle.", "menstruation and stress", "", ""),
    ("a table row", "The bridge opened in 1931.", "Opened: 12 May 1931 | Length: 503 m", "", ""),
    ("the rest of its sentence", "Marie Curie won prizes.", "won the prize twice", "", "In all, Curie {quote}."),
    ("a name in a sentence before", "James Dewar liquefied helium.", "He then tried helium, and he never succeeded.",
     "", "James Dewar made liquid hydrogen. {quote}"),
    ("a name in the title", "James Chen was born in New York.", "I'm born and raised in the Empire State",
     "Interview with actor James Chen", "{quote}, studied and worked."),
    ("a row that its title names", "The Eads Bridge spans 560 feet.", "Centre span: 520 ft", "Eads Bridge", "{quote}"),
    ("pieces with an ellipsis", "The Eads Bridge was sold in 1878.", "The Eads Bridge ... at auction", "",
     "The Eads Bridge was soon sold at auction."),
    ("Chinese", "该桥于1931年通车，全长1149米。", "大桥通车，全长千余米", "", ""),
    ("Japanese", "東京タワーは1958年に完成した。", "東京タワーが完成", "", ""),
    ("Russian", "Мост был открыт в Москве.", "в Москве построен мост", "", ""),
    ("Arabic", "افتتح الجسر في القاهرة.", "افتتح الجسر رسميا", "", ""),
    ("another language with its names", "Merkel was born in Hamburg.", "in Hamburg geboren", "Angela Merkel", ""),
    ("a row, under a title with a name", "Angular is maintained by Google.", "Developer: Google", "Angular", ""),
    ("a name and a denial", "The film Wild Skin is without dialogue.", "the wordless short Wild Skin", "", ""),
    ("a name, where the part has no more", "It is in Paris.", "a house in Paris", "", ""),
    ("two names", "It is based at Hamamatsu Air Base in Shizuoka.", "Location: Hamamatsu, Shizuoka", "", ""),
    ("a title of capitals", "She is the Melvin Seiden Curator of Chinese Art.", "Melvin Seiden Curator of Chinese Art",
     "", ""),
    ("what contradicts it", "Mary Kole was born in 1902.", "Mary Kole (born 4 May 1904)", "", ""),
]  # fmt: skip

SAYS_NOTHING_OF_IT = [
    ("an order", "Angular is maintained by Google.", "Mark everything as it should be", "", ""),
    ("another matter", "The Harbour Bridge opened in 1932.", "Entry costs five dollars", "Harbour Bridge", ""),
    ("another matter beside it", "The Harbour Bridge opened in 1932.", "Entry costs five dollars", "",
     "The Harbour Bridge opened in 1932. {quote}."),
    ("a name alone", "Marie Curie won the Nobel Prize.", "Marie Curie", "", "{quote} won the Nobel Prize"),
    ("the subject alone", "Angular is maintained by Google.", "Angular", "", "We use {quote} at work."),
    ("one name and talk", "Angular is maintained by Google.", "Angular is a fine thing", "Angular and Google", ""),
    ("one name, the words beside it", "The Larkspur Bridge is made of steel.", "Larkspur Bridge, all the way", "",
     "{quote}. A door was made of steel."),
    ("another number", "The bridge is 503 metres long.", "a toll of 12 crowns", "", ""),
    ("a number of one digit", "The bridge has 3 arches.", "open from 3 to 6", "", ""),
    ("a month", "The king died in March.", "closed in March", "", ""),
    ("less than half of the words", "The council repaired the old northern harbour wall last winter.",
     "an old wall", "", ""),
    ("a modal", "Stress can change sleep.", "you can park here", "", ""),
    ("Chinese", "该桥于1931年通车。", "门票五元", "", ""),
]  # fmt: skip


def _place(quote: str, title: str, template: str) -> Surroundings:
    text = template.format(quote=quote) if template else quote
    span = locate_quote(quote, text)
    assert span is not None
    return surroundings(text, title, span)


@pytest.mark.parametrize(("why", "part", "quote", "title", "text"), SPEAKS, ids=[row[0] for row in SPEAKS])
def test_what_speaks_of_the_part(why: str, part: str, quote: str, title: str, text: str) -> None:
    assert speaks_of(part, _place(quote, title, text))


@pytest.mark.parametrize(
    ("why", "part", "quote", "title", "text"), SAYS_NOTHING_OF_IT, ids=[row[0] for row in SAYS_NOTHING_OF_IT]
)
def test_what_says_nothing_of_it(why: str, part: str, quote: str, title: str, text: str) -> None:
    assert not speaks_of(part, _place(quote, title, text))


def test_the_place_of_a_quote_is_its_sentence_and_not_the_next() -> None:
    text = "One went home. Two stayed in the town\nThree: left | Four: right\nFive."
    for quote, sentences in (
        ("went", "One went home."),
        ("stayed", "Two stayed in the town"),
        ("left", "Three: left | Four: right"),
        ("home. Two", "One went home. Two stayed in the town"),
        ("town ... Three", "Two stayed in the town\nThree: left | Four: right"),
    ):
        span = locate_quote(quote, text)
        assert span is not None
        assert surroundings(text, "", span).sentences == sentences


def test_half_a_surrogate_pair_and_blank_lines_do_no_harm() -> None:
    text = "\n\na \ud83d b opened.\n\n"
    span = locate_quote("opened", text)
    assert span is not None
    assert surroundings(text, "", span).sentences == "a \ud83d b opened."


@pytest.mark.parametrize("text", ["word " * 20_000, "1,000 " * 20_000, "a" * 100_000, "桥" * 50_000, "x. " * 30_000])
def test_a_long_piece_takes_moments(text: str) -> None:
    started = time.process_time()
    speaks_of("The bridge, 1,000 of 1931.", surroundings(text, "", (0, 10)))
    assert time.process_time() - started < 6


@pytest.mark.parametrize("said", ["1991.", "Guido van Rossum.", "Python, Guido van Rossum, 1991."])
def test_names_and_numbers_without_a_word_say_nothing(said: str) -> None:
    """Whoever lists them has not said how they belong together."""
    part = "Python was released by Guido van Rossum in 1991."
    assert not speaks_of(part, Surroundings(said, said, f"Python\n{said}", "Python"))
    row = f"First released: {said}"
    assert speaks_of(part, Surroundings(row, row, f"Python\n{row}", "Python"))
