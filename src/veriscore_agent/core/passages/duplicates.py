"""Text that several pages share: syndicated articles, mirrors, boilerplate. It is one source, however many print it."""

from __future__ import annotations

from collections import Counter, defaultdict
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
        self._pages: defaultdict[Pair, set[int]] = defaultdict(set)
        self._terms: defaultdict[int, set[str]] = defaultdict(set)

    def add(self, terms: Sequence[str], page: int) -> None:
        """Remember that the text stands on the page."""
        for pair in _pairs(terms):
            self._pages[pair].add(page)
        self._terms[page].update(terms)

    def pages_with(self, terms: Sequence[str], page: int) -> list[int]:
        """The other pages that have (almost) the same text, in their order.

        Almost: most pairs of neighbouring terms are there, every number beside one of its neighbours, every negation
        and decisive term; and where the two differ, the other has none of those that this text has not.
        """
        wanted = set(_pairs(terms))
        counts = Counter(other for pair in wanted for other in self._pages.get(pair, ()) if other != page)
        needed = self._decisive.intersection(terms)
        return sorted(
            other
            for other, count in counts.items()
            if count >= _SHARE * len(wanted) and needed <= self._terms[other] and self._says_the_same(wanted, other)
        )

    def _says_the_same(self, wanted: set[Pair], page: int) -> bool:
        missing = {pair for pair in wanted if page not in self._pages.get(pair, ())}
        confirmed = {term for pair in wanted - missing for term in pair}
        if any(is_number(term) and term not in confirmed for pair in missing for term in pair):
            return False
        before, behind = {pair[0] for pair in missing}, {pair[-1] for pair in missing}
        said = before | behind | confirmed
        return not any(
            any(self._stands(page, term, other) for term in before)
            and any(self._stands(page, other, term) for term in behind)
            for other in self._decisive - said
        )

    def _stands(self, page: int, *pair: str) -> bool:
        return page in self._pages.get(pair, ())


def _pairs(terms: Sequence[str]) -> Iterable[Pair]:
    return pairwise(terms) if len(terms) > 1 else [tuple(terms)] if terms else []
