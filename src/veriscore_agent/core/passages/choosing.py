"""The passages that a judge sees: the best pieces of all pages, joined where they stand together, within a budget."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import count

from veriscore_agent.core.passages.duplicates import SharedText
from veriscore_agent.core.passages.page_passages import PagePassages
from veriscore_agent.core.passages.ranking import Place, Ranking
from veriscore_agent.domain import Page, Passage

_FLOOR = 0.001
"""Share of the best worth up to which a piece is no evidence."""
_LARGEST_SHARE = 0.5
"""Share of the budget that one of several pages may take before all others had their turn."""
_FEWEST_TOKENS = 8
"""What is left of a budget when nothing more is tried."""
_CHARACTERS_A_TOKEN = 12
"""No text has more, so that what cannot fit need not be counted."""
_OWN_CHARACTERS = 20
"""What a passage costs beside its text, about, when pieces are compared by their worth for their length."""
_THRIFT = 0.8
"""Power of the length by which worth is divided: 0 would take the best, 1 the most for the money."""
_NEAR_TAKEN = {1: 1.5, 2: 1.5, 3: 1.2}
"""How much more a piece is worth once the piece so many places away is taken: what was said goes on there."""


def choose_passages(
    claim: str,
    parts: tuple[str, ...],
    pages: Sequence[Page],
    *,
    budget_tokens: int,
    count_tokens: Callable[[str], int],
    taken: Sequence[Passage] = (),
) -> tuple[Passage, ...]:
    """The passages of ``pages`` that bear on the claim, each a verbatim stretch of its page.

    Pages come in the order of their best passage, passages of one page in the page's order. The best piece for each
    of ``parts`` goes first, then the best for the claim; text that several pages share is taken once, and tells in
    ``copies`` where else it stands; periphery is taken only for words of the claim that no chosen main text has.
    What the prompt holds of all passages, titles and addresses included, stays within ``budget_tokens``. A passage
    that is among ``taken`` keeps its id; new ones are numbered on from there.
    """
    distinct = list({page.url: page for page in pages}.values())
    ranking = Ranking(distinct)
    look = ranking.look_for(claim)
    about = look.pages_about_it()
    worth = _worth_a_look({at: each for at, each in look.worth().items() if ranking.places[at].page in about})
    shared = _shared_text(ranking, look.found, about)
    selection = _Selection(
        distinct, ranking, shared, look.found, budget_tokens=budget_tokens, count_tokens=count_tokens
    )
    main = {number: each for number, each in worth.items() if ranking.places[number].piece.main}
    selection.take_first(_best_for_parts(ranking, parts, main or worth))
    selection.take_main(main)
    selection.take_periphery({number: each for number, each in worth.items() if number not in main}, look.found)
    selection.add_neighbours()
    return _numbered(selection.passages(), taken)


def _worth_a_look(worth: Mapping[int, float]) -> dict[int, float]:
    floor = max(worth.values(), default=0.0) * _FLOOR
    return {number: each for number, each in worth.items() if each > floor}


def _best_for_parts(ranking: Ranking, parts: tuple[str, ...], worth: Mapping[int, float]) -> list[int]:
    """The place that has most of each part, the one that is worth most to the claim first."""
    best = []
    for part in parts if len(parts) > 1 and worth else ():
        scores = ranking.look_for(part).scores
        best.append(max(worth, key=lambda number: (scores[number], worth[number])))
    return sorted(dict.fromkeys(best), key=lambda number: -worth[number])


def _numbered(passages: Sequence[Passage], taken: Sequence[Passage]) -> tuple[Passage, ...]:
    known = {_span(passage): passage.id for passage in taken}
    used = set(known.values())
    free = (number for number in count(1) if f"P{number}" not in used)
    return tuple(replace(each, id=known.get(_span(each)) or f"P{next(free)}") for each in passages)


def _span(passage: Passage) -> tuple[str, str, int, int]:
    return passage.url, passage.page_sha256, passage.start, passage.end


def _shared_text(ranking: Ranking, asked: Set[str], pages: Set[int]) -> SharedText | None:
    """What stands on which of these pages, where there are several."""
    if len(pages) < 2:
        return None
    shared = SharedText(asked)
    for number in sorted(pages):
        shared.add([term for piece in ranking.pieces[number] for term in piece.terms], number)
    return shared


class _Selection:
    """The pieces that are taken of every page, and what they cost as passages."""

    def __init__(
        self,
        pages: Sequence[Page],
        ranking: Ranking,
        everything: SharedText | None,
        asked: set[str],
        *,
        budget_tokens: int,
        count_tokens: Callable[[str], int],
    ) -> None:
        self._places = ranking.places
        self._starts = [0]
        for pieces in ranking.pieces:
            self._starts.append(self._starts[-1] + len(pieces))
        self._everything = everything
        self._pages = [
            PagePassages(page, pieces, asked, count_tokens, self._copies_of(number))
            for number, (page, pieces) in enumerate(zip(pages, ranking.pieces, strict=True))
        ]
        self._budget = budget_tokens
        self._used = 0
        self._shared = SharedText(asked)
        self._too_long: dict[int, int] = {}
        """By page, characters of the shortest piece for which no tokens were left: a longer one need not be tried."""
        self._turn: list[int] = []
        """Numbers of the pages in the order in which they first gave a piece."""

    def take_first(self, numbers: Sequence[int]) -> None:
        """Take these places before all others."""
        for number in numbers:
            self._take(self._places[number], self._share())

    def take_main(self, worth: Mapping[int, float]) -> None:
        """Take the best places; a page that has had its share waits until all others had their turn."""
        for limit in dict.fromkeys((self._share(), self._budget)):
            self._too_long.clear()
            self._take_all(worth, limit)

    def take_periphery(self, worth: Mapping[int, float], wanted: set[str]) -> None:
        """Take a place only for a wanted term that nothing taken so far has."""
        missing = wanted - {term for page in self._pages for term in page.terms_taken()}
        for number in sorted(worth, key=lambda number: (-worth[number], number)):
            place = self._places[number]
            if missing.intersection(place.piece.terms) and self._take(place, self._budget):
                missing.difference_update(place.piece.terms)

    def add_neighbours(self) -> None:
        """Give short passages the piece before and the piece behind, the first pages first."""
        for number in self._turn:
            for neighbour in self._pages[number].neighbours_of_short():
                self._take(self._places[self._starts[number] + neighbour], self._budget)

    def passages(self) -> list[Passage]:
        """Everything taken, without ids."""
        return [each for number in self._turn for each in self._pages[number].passages()]

    def _copies_of(self, page: int) -> Callable[[Sequence[str]], tuple[str, ...]]:
        def copies(found: Sequence[str]) -> tuple[str, ...]:
            others = self._everything.pages_with(found, page) if self._everything else ()
            return tuple(self._pages[other].page.url for other in others)

        return copies

    def _share(self) -> int:
        return int(self._budget * _LARGEST_SHARE) if len(self._pages) > 1 else self._budget

    def _take_all(self, worth: Mapping[int, float], limit: int) -> None:
        value = {number: round(each / self._length(number), 9) for number, each in worth.items()}
        waiting = [(-each, number) for number, each in value.items()]
        heapq.heapify(waiting)
        while waiting and self._budget - self._used >= _FEWEST_TOKENS:
            offered, number = heapq.heappop(waiting)
            if -offered == value[number] and self._take(self._places[number], limit):
                for other, factor in self._near(number):
                    if other in value:
                        value[other] *= factor
                        heapq.heappush(waiting, (-value[other], other))

    def _length(self, number: int) -> float:
        return float((self._places[number].characters + _OWN_CHARACTERS) ** _THRIFT)

    def _near(self, number: int) -> Iterator[tuple[int, float]]:
        place = self._places[number]
        for distance, factor in _NEAR_TAKEN.items():
            for other in (number - distance, number + distance):
                if 0 <= other < len(self._places):
                    neighbour = self._places[other]
                    if (neighbour.page, neighbour.piece.section) == (place.page, place.piece.section):
                        yield other, factor

    def _take(self, place: Place, page_limit: int) -> bool:
        """Take a place, unless it is taken, known from another page, or too much for the page or the budget."""
        page = self._pages[place.page]
        left = min(self._budget - self._used, page_limit - page.tokens)
        longest = min(left * _CHARACTERS_A_TOKEN, self._too_long.get(place.page, place.characters))
        if place.number in page.taken or place.characters > longest:
            return False
        added = page.tokens_added(place.number)
        if added > left:
            self._too_long[place.page] = place.characters - 1
            return False
        if self._everything and self._is_known(place):
            return False
        page.take(place.number, added)
        self._used += added
        if place.page not in self._turn:
            self._turn.append(place.page)
        return True

    def _is_known(self, place: Place) -> bool:
        """Whether another page's copy of the place is taken; if not, it is remembered as taken now."""
        if self._shared.pages_with(place.piece.terms, place.page):
            return True
        self._shared.add(place.piece.terms, place.page)
        return False
