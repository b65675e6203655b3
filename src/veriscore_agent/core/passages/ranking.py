"""How much each piece of the pages bears on a claim: BM25, with what stands around a piece."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veriscore_agent.core.passages.pieces import Piece, split_pieces
from veriscore_agent.core.passages.terms import terms
from veriscore_agent.domain import Page

_SATURATION = 1.2
_LENGTH = 0.75
"""The usual k1 and b of BM25 (Robertson and Zaragoza, 2009)."""
_NEAR = (0.35, 0.15)
"""What the best of the two pieces next to a piece, and of the two behind those, adds of its own score."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece and where it stands: number of its page, and its own number on that page."""

    page: int
    number: int
    piece: Piece


class Ranking:
    """The pieces of some pages, weighed together, so that they can be scored for any question."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.places = [
            Place(at, number, piece) for at, page in enumerate(pages) for number, piece in enumerate(split_pieces(page))
        ]
        self._mean_words = sum(place.piece.words for place in self.places) / max(1, len(self.places)) or 1.0
        self._holding = Counter(term for place in self.places for term in place.piece.counts)

    def scores(self, question: str) -> list[float]:
        """A score for every place, 0 and above, higher for what bears more on the question."""
        weights = {term: self._rarity(term) for term in set(terms(question)) if term in self._holding}
        own = [self._own_score(index, weights) for index in range(len(self.places))]
        return [score + self._from_neighbours(index, own) for index, score in enumerate(own)]

    def _rarity(self, term: str) -> float:
        holding = self._holding[term]
        return math.log(1 + (len(self.places) - holding + 0.5) / (holding + 0.5))

    def _own_score(self, index: int, weights: Mapping[str, float]) -> float:
        piece = self.places[index].piece
        penalty = _SATURATION * (1 - _LENGTH + _LENGTH * piece.words / self._mean_words)
        counted = ((weight, piece.counts[term]) for term, weight in weights.items() if term in piece.counts)
        return sum(weight * count * (_SATURATION + 1) / (count + penalty) for weight, count in counted)

    def _from_neighbours(self, index: int, own: Sequence[float]) -> float:
        place = self.places[index]
        added = 0.0
        for distance, share in enumerate(_NEAR, 1):
            near = [
                own[other]
                for other in (index - distance, index + distance)
                if 0 <= other < len(own) and _same_section(place, self.places[other])
            ]
            added += share * max(near, default=0.0)
        return added


def _same_section(one: Place, other: Place) -> bool:
    return one.page == other.page and one.piece.section == other.piece.section
