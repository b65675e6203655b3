"""The parts of a claim must say all that it says, and honest parts are rarely asked for again."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from veriscore_agent.core.verification.coverage import MAX_LEFT_OUT, left_out

HONEST: list[tuple[str, str, list[str]]] = [
    ("the claim itself", "Vikings used their longships to transport livestock.",
     ["Vikings used their longships to transport livestock."]),
    ("clauses", "Ada Lovelace, who was born in London in 1815, wrote the first published algorithm.",
     ["Ada Lovelace was born in London.", "Ada Lovelace was born in 1815.",
      "Ada Lovelace wrote the first published algorithm."]),
    ("pronouns resolved", "Marie Curie moved to Paris in 1891 and she married Pierre Curie there in 1895.",
     ["Marie Curie moved to Paris in 1891.", "Marie Curie married Pierre Curie in Paris in 1895."]),
    ("another voice", "The treaty was signed by eleven states.", ["Eleven states signed the treaty."]),
    ("a number in digits", "The treaty was signed by eleven states.", ["The treaty was signed by 11 states."]),
    ("a number in words", "The bridge has 3 arches.", ["The bridge has three arches."]),
    ("thousands", "The city has 1,250,000 inhabitants.", ["The city has 1250000 inhabitants."]),
    ("per cent", "The tax rose by 5%.", ["The tax rose by 5 percent."]),
    ("ordinals", "It was built in the 19th century.", ["It was built in the 19 century."]),
    ("a contraction", "The ship didn't sink.", ["The ship did not sink."]),
    ("neither, nor", "Neither Anna nor Boris was elected.", ["Anna was not elected.", "Boris was not elected."]),
    ("not only, but also", "Bees make not only honey but also wax.", ["Bees make honey.", "Bees make wax."]),
    ("possessives", "Darwin's theory was published in 1859.", ["The theory of Darwin was published in 1859."]),
    ("another form of the word", "The company was founded by an Italian engineer.",
     ["An engineer from Italy is the founder of the company."]),
    ("an irregular form", "Tolstoy wrote War and Peace.", ["War and Peace was written by Tolstoy."]),
    ("another connective", "The war ended before 1950.", ["The war ended prior to 1950."]),
    ("U.S.", "The United States Congress passed the act.", ["The U.S. Congress passed the act."]),
    ("names with diacritics", "Dvořák composed Rusalka.", ["Dvorak composed Rusalka."]),
    ("initials", "John F. Kennedy was elected in 1960.", ["John Kennedy was elected in 1960."]),
    ("German", "Die Brücke wurde im Jahr 1931 von der Stadt eröffnet.",
     ["Die Brücke wurde 1931 eröffnet.", "Die Stadt hat die Brücke im Jahr 1931 eröffnet."]),
    ("Chinese", "该桥于1931年通车，全长1149米。", ["该桥于1931年通车。", "该桥全长1149米。"]),
    ("Russian, inflected", "Мост был открыт в Москве.", ["Открыт мост, который был в городе Москва."]),
]  # fmt: skip

DROPPED: list[tuple[str, str, list[str], tuple[str, ...]]] = [
    ("a number", "The bridge has 3 arches and 12 lamps.", ["The bridge has arches.", "It has 12 lamps."], ("3",)),
    ("another number", "The bridge opened in 1931.", ["The bridge opened in 1932."], ("1931",)),
    ("a number word", "The treaty was signed by eleven states.", ["The treaty was signed by states."], ("eleven",)),
    ("a magnitude", "The city spent 5 million euros.", ["The city spent 5 euros."], ("million",)),
    ("a date", "It opened on 12 May 1931.", ["It opened in 1931."], ("12", "May")),
    ("a name", "Anna and Boris founded the club.", ["Anna founded the club."], ("Boris",)),
    ("a near name", "The firm is in Australia.", ["The firm is in Austria."], ("Australia",)),
    ("a place", "The poet died in Rome.", ["The poet died."], ("Rome",)),
    ("a negation", "The ship did not sink.", ["The ship sank."], ("sink", "not")),
    ("a negation alone", "The law never applied.", ["The law applied."], ("never",)),
    ("a contracted negation", "The law doesn't apply.", ["The law does apply."], ("doesn't",)),
    ("one of two negations", "Anna was not elected and was never mayor.", ["Anna was not elected.", "Anna was mayor."],
     ("never",)),
    ("a restriction", "Only members may vote.", ["Members may vote."], ("Only",)),
    ("a superlative", "It is the largest lake in Africa.", ["It is a lake in Africa."], ("largest",)),
    ("first", "She was the first woman on the board.", ["She was a woman on the board."], ("first",)),
    ("a quantifier", "All cantons accepted the law.", ["Cantons accepted the law."], ("All",)),
    ("the relation", "Kepler corrected Tycho's tables.", ["Kepler existed.", "Tycho's tables did."], ("corrected",)),
    ("a cause", "The dam broke because of rain.", ["The dam broke.", "There was rain."], ("because",)),
    ("an order in time", "The king died before the war.", ["The king died.", "There was a war."], ("before",)),
    ("a possibility", "The drug may cause sleep.", ["The drug causes sleep."], ("may",)),
    ("a condition", "Water boils at 80 degrees if pressure is low.", ["Water boils at 80 degrees.", "Pressure is low."],
     ("if",)),
    ("a negation in Chinese", "该桥没有通车。", ["该桥有通车。"], ("没",)),
    ("a word in Chinese", "该桥于一九三一年通车。", ["该桥通车。"], ("于一九三一年",)),
    ("all of it", "Kepler corrected Tycho's tables.", ["The Moon orbits the Earth."],
     ("Kepler", "corrected", "Tycho's", "tables")),
]  # fmt: skip


@pytest.mark.parametrize(("why", "claim", "parts"), HONEST, ids=[row[0] for row in HONEST])
def test_honest_parts_are_not_asked_for_again(why: str, claim: str, parts: list[str]) -> None:
    assert left_out(claim, parts) == ()


@pytest.mark.parametrize(("why", "claim", "parts", "words"), DROPPED, ids=[row[0] for row in DROPPED])
def test_what_was_dropped_is_named(why: str, claim: str, parts: list[str], words: tuple[str, ...]) -> None:
    assert sorted(left_out(claim, parts)) == sorted(words)


def test_words_are_named_in_the_claims_order_and_not_without_end() -> None:
    claim = (
        "Berlin, Paris, Rome, Madrid, Lisbon, Vienna, Prague, Warsaw, Sofia, Athens, Oslo, Riga, Dublin and Bern met."
    )
    words = left_out(claim, ["They met."])
    assert len(words) == MAX_LEFT_OUT
    assert words[:3] == ("Berlin", "Paris", "Rome")


def _claims(shared: Path) -> list[str]:
    files = ("factcheck_bench.jsonl", "wice_dev.jsonl")
    rows = [json.loads(line) for file in files for line in (shared / "data" / file).read_text("utf-8").splitlines()]
    return [row["claim"] for row in rows if row["claim"]]


def _clauses(claim: str) -> list[str]:
    """The claim cut mechanically at its joints, each piece given the claim's first words as its subject."""
    subject = " ".join(claim.split()[:3])
    pieces = re.split(r",\s+|;\s+|\s+and\s+|\s+which\s+|\s+who\s+|\s+while\s+", claim.rstrip("."))
    return [f"{subject} {piece}" if position else piece for position, piece in enumerate(pieces) if piece.strip()]


def test_on_real_claims_the_claim_itself_and_its_clauses_leave_nothing_out(shared_data: Path) -> None:
    for claim in _claims(shared_data):
        assert left_out(claim, [claim]) == ()
        assert left_out(claim, _clauses(claim)) == ()


def test_on_real_claims_a_dropped_number_is_always_seen(shared_data: Path) -> None:
    """Every number of 628 claims, taken out one at a time; one that the claim repeats is still there."""
    dropped = 0
    for claim in _claims(shared_data):
        for number in set(re.findall(r"(?<![\w.,])\d{1,4}(?![\w.,:\-–/])", claim)):
            rest = re.sub(rf"(?<![\w.,]){number}(?![\w.,:\-–/])", "", claim)
            if not re.search(rf"(?<!\d){number}", rest):
                dropped += 1
                assert number in left_out(claim, [rest])
    assert dropped > 100


def test_a_claim_as_long_as_a_report_is_checked_in_moments() -> None:
    claim = " ".join(f"{chr(97 + number % 26)}{number % 7}word{number}" for number in range(8000))
    started = time.process_time()
    assert len(left_out(claim, [" ".join(f"term{number}" for number in range(2000))])) == MAX_LEFT_OUT
    assert time.process_time() - started < 5
