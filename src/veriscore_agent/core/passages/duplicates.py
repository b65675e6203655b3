"""Text that several pages share: syndicated articles, mirrors, boilerplate. It is one source, however many print it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from veriscore_agent.core.passages.terms import is_number

_SHARE = 0.75
"""Share of a text's pairs of neighbouring terms that must be known from one other page for the text to be known."""
_NEGATIONS = frozenset({"not", "no", "never", "without", "neither", "nor"})

Pair = tuple[str, ...]


class SharedText:
    """What stands on which page."""

    def __init__(self, decisive: Iterable[str]) -> None:
        """``decisive``: terms that no copy may lack. Numbers and negations never may."""
        self._decisive = _NEGATIONS.union(decisive)
        self._pairs: defaultdict[int, set[Pair]] = defaultdict(set)
        self._terms: defaultdict[int, set[str]] = defaultdict(set)

    def add(self, terms: Sequence[str], page: int) -> None:
        """Remember that the text stands on the page."""
        self._pairs[page].update(_pairs(terms))
        self._terms[page].update(terms)

    def pages_with(self, terms: Sequence[str], page: int) -> list[int]:
        """The other pages that have (almost) the same text, in their order.

        Almost: most pairs of neighbouring terms are there, every number beside one of its neighbours, every negation
        and decisive term; and where the two differ, the other has none of those that this text has not.
        """
        wanted = set(_pairs(terms))
        needed = self._decisive.intersection(terms)
        return [
            other
            for other in sorted(self._pairs)
            if other != page
            and needed <= self._terms[other]
            and len(wanted & self._pairs[other]) >= max(1, _SHARE * len(wanted))
            and self._says_the_same(wanted, self._pairs[other])
        ]

    def _says_the_same(self, wanted: set[Pair], known: set[Pair]) -> bool:
        missing = wanted - known
        confirmed = {term for pair in wanted & known for term in pair}
        if any(is_number(term) and term not in confirmed for pair in missing for term in pair):
            return False
        before, behind = {pair[0] for pair in missing}, {pair[-1] for pair in missing}
        return not any(
            any((term, other) in known for term in before) and any((other, term) in known for term in behind)
            for other in self._decisive - before - behind - confirmed
        )


def _pairs(terms: Sequence[str]) -> Iterable[Pair]:
    return pairwise(terms) if len(terms) > 1 else [tuple(terms)] if terms else []
