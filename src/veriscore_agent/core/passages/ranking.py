"""How much each piece of the pages bears on a claim: BM25, and what else tells evidence from mere likeness.

``worth`` is a logistic function of a few features of a piece. Its weights were fitted to sentences that annotators had
marked as the support of claims; ``benchmarks/passage_weights.py`` fits them again, and says how they do on claims that
they were not fitted to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import mul
from typing import NamedTuple

from veriscore_agent.core.passages.pieces import Piece, split_pieces
from veriscore_agent.core.passages.terms import is_number, terms
from veriscore_agent.domain import Page

_SATURATION = 1.2
_LENGTH = 0.75
"""The usual k1 and b of BM25 (Robertson and Zaragoza, 2009)."""
_NEAR = (1, 2, 3)
"""Distances at which the pieces before and behind a piece count, where they are of its section."""
_AROUND = 8
"""Pieces on either side of a piece whose mean tells whether its surroundings are about the claim."""
_SHORT_CHARACTERS = 40
_STRETCH = 3
_LEAST_OF_CLAIM = 0.08
"""Share of the weight of all terms of the question that one stretch of so many pieces must hold, or else its page is
about something else. On WiCE, 0.3% of the pages that hold the evidence are below it, and 64% of the pages of others."""

FEATURES = (
    "bm25",
    "bm25_of_best",
    *(f"{side}_{distance}" for distance in _NEAR for side in ("before", "behind")),
    "nearest",
    "around",
    "share_of_claim",
    "share_of_terms",
    "share_of_numbers",
    "rarest",
    "pairs",
    "position",
    "share_of_page",
    "length",
    "short",
    "heading",
    "sentence",
)
"""Names of the features in order."""

WEIGHTS: tuple[float, ...] = (
    *(-1.136, 2.631, 0.505, 0.646, 0.798, 0.572, 0.07, 0.216, 0.723, -1.571),
    *(7.884, -5.065, 0.874, 3.012, 1.539, -1.117, -0.446, -0.438, 0.115, -0.081, 0.616),
)
"""One for each of ``FEATURES``, in their order, as ``benchmarks/passage_weights.py`` prints them."""
BIAS = -6.088


class Place(NamedTuple):
    """A piece and where it stands: number of its page, its own number on that page, and its length in characters."""

    page: int
    number: int
    piece: Piece
    characters: int


class Ranking:
    """The pieces of some pages, weighed together, so that they can be scored for any question."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pieces = [split_pieces(page) for page in pages]
        self.places = [
            Place(at, number, piece, piece.end - piece.start)
            for at, pieces in enumerate(self.pieces)
            for number, piece in enumerate(pieces)
        ]
        self._mean_terms = sum(len(place.piece.terms) for place in self.places) / max(1, len(self.places)) or 1.0

    def look_for(self, question: str) -> Look:
        """What each place has of the question's terms."""
        asked = terms(question)
        wanted = frozenset(asked)
        hits = [
            () if wanted.isdisjoint(place.piece.terms) else [term for term in place.piece.terms if term in wanted]
            for place in self.places
        ]
        holding = Counter(term for each in hits if each for term in set(each))
        rarity = {term: self._rarity(holding[term]) for term in wanted}
        return Look(self, asked, hits, rarity, {term for term in wanted if holding[term]})

    def bm25(self, number: int, hits: Sequence[str], rarity: Mapping[str, float]) -> float:
        """The score of one place, given the terms that it shares with the question."""
        length = len(self.places[number].piece.terms) / self._mean_terms
        penalty = _SATURATION * (1 - _LENGTH + _LENGTH * length)
        counted = Counter(hits).items() if len(hits) > 1 else [(hits[0], 1)]
        return sum(rarity[term] * count * (_SATURATION + 1) / (count + penalty) for term, count in counted)

    def _rarity(self, holding: int) -> float:
        return math.log(1 + (len(self.places) - holding + 0.5) / (holding + 0.5))


class Look:
    """The places as one question sees them."""

    def __init__(
        self,
        ranking: Ranking,
        asked: Sequence[str],
        hits: Sequence[Sequence[str]],
        rarity: Mapping[str, float],
        found: set[str],
    ) -> None:
        self.hits = hits
        self.rarity = rarity
        self.found = found
        self.scores = [ranking.bm25(at, each, rarity) if each else 0.0 for at, each in enumerate(hits)]
        """BM25 of every place."""
        self._places = ranking.places
        self._page_sizes = [len(pieces) for pieces in ranking.pieces]
        self._pairs = frozenset(pairwise(asked))
        self._numbers = {term for term in found if is_number(term)}
        self._all = sum(rarity[term] for term in found) or 1.0
        self._best = max(self.scores, default=0.0) or 1.0
        self._sums = [0.0, *accumulate(self.scores)]
        self._rarest = max((rarity[term] for term in found), default=1.0)

    def worth(self) -> dict[int, float]:
        """Between 0 and 1, for every place that has a term of the question or stands next to one that has."""
        return {
            number: 1 / (1 + math.exp(-BIAS - sum(map(mul, WEIGHTS, features)))) for number, features in self.features()
        }

    def pages_about_it(self) -> set[int]:
        """Numbers of the pages that have enough of the question in one place to be about the same thing."""
        least = _LEAST_OF_CLAIM * sum(self.rarity.values())
        about: set[int] = set()
        for first, place in enumerate(self._places):
            if self.hits[first] and place.page not in about:
                last = min(first + _STRETCH, first - place.number + self._page_sizes[place.page])
                found = {term for each in self.hits[first:last] for term in each}
                if sum(self.rarity[term] for term in found) >= least:
                    about.add(place.page)
        return about

    def features(self) -> Iterator[tuple[int, tuple[float, ...]]]:
        """The features of every such place, with its number."""
        last = len(self._places)
        for number in range(last):
            if self._sums[max(0, number - _NEAR[-1])] == self._sums[min(last, number + _NEAR[-1] + 1)]:
                continue
            near = self._near(number)
            if self.hits[number] or any(near):
                yield number, (*self._own(number), *near, max(near[:2]), *self._further(number))

    def _own(self, number: int) -> tuple[float, float]:
        return self.scores[number] / self._all, self.scores[number] / self._best

    def _near(self, number: int) -> list[float]:
        """Scores of the places before and behind, nearest first, as shares of the best score."""
        place, last = self._places[number], len(self._places)
        page, section = place.page, place.piece.section
        near = []
        for distance in _NEAR:
            for other in (number - distance, number + distance):
                score = self.scores[other] if 0 <= other < last else 0.0
                if score:
                    neighbour = self._places[other]
                    score = score / self._best if (neighbour.page, neighbour.piece.section) == (page, section) else 0.0
                near.append(score)
        return near

    def _further(self, number: int) -> tuple[float, ...]:
        place, hits = self._places[number], set(self.hits[number])
        text_terms = place.piece.terms
        first, last = number - min(place.number, _AROUND), number + _AROUND + 1
        last = min(last, number - place.number + self._page_sizes[place.page])
        around = (self._sums[last] - self._sums[first]) / (last - first) / self._best
        pairs = sum(each in self._pairs for each in pairwise(text_terms)) if hits else 0
        return (
            around,
            sum(self.rarity[term] for term in hits) / self._all,
            len(hits) / (len(self.found) or 1),
            len(hits & self._numbers) / (len(self._numbers) or 1),
            max((self.rarity[term] for term in hits), default=0.0) / self._rarest,
            pairs / (len(self._pairs) or 1),
            math.log1p(place.number) / 5,
            place.number / self._page_sizes[place.page],
            math.log1p(place.characters) / 6,
            float(place.characters < _SHORT_CHARACTERS),
            float(place.piece.kind == "heading"),
            float(place.piece.kind == "sentence"),
        )
