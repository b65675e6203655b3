"""The passages that a judge sees: the best pieces of all pages, joined where they stand together, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count

from veriscore_agent.core.passages.duplicates import SharedText
from veriscore_agent.core.passages.pieces import Piece, split_pieces
from veriscore_agent.core.passages.ranking import Place, Ranking
from veriscore_agent.core.passages.terms import terms
from veriscore_agent.domain import Page, Passage

_FLOOR = 0.05
"""Share of the best score up to which a piece is no evidence."""
_LONGEST_WORDS = 200
_SHORT_WORDS = 40
"""A passage below this gets its neighbours too, where tokens are left."""
_LARGEST_SHARE = 0.5
"""Share of the budget that one of several pages may take before all others had their turn."""
_TITLE_CHARACTERS = 90
_LONGEST_STEP = 2
"""From one piece of a passage to the next: at most one is left out between them."""
_FEWEST_TOKENS = 8
"""What is left of a budget when nothing more is tried."""
_CHARACTERS_A_TOKEN = 12
"""No text has more, so that what cannot fit need not be counted."""


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
    of ``parts`` goes first, then the best for the claim; text that several pages share is taken once; periphery is
    taken only for words of the claim that no chosen main text has. All passages with their titles and addresses stay
    within ``budget_tokens``. A passage that is among ``taken`` keeps its id; new ones are numbered on from there.
    """
    distinct = list({page.url: page for page in pages}.values())
    selection = _Selection(distinct, budget_tokens, count_tokens)
    order = _order(Ranking(distinct), claim, parts)
    selection.take_main([place for place in order if place.piece.main])
    selection.take_periphery([place for place in order if not place.piece.main], set(terms(claim)))
    selection.add_neighbours()
    return _numbered(selection.passages(), taken)


def _order(ranking: Ranking, claim: str, parts: tuple[str, ...]) -> list[Place]:
    """All places worth a look: the best for each part, then by their score for the claim."""
    scores = ranking.scores(claim)
    floor = max(scores, default=0.0) * _FLOOR
    order = [at for at in sorted(range(len(scores)), key=lambda at: -scores[at]) if scores[at] > floor]
    best = []
    for part in parts if len(parts) > 1 and order else ():
        for_part = ranking.scores(part)
        best.append(max(order, key=lambda at: (ranking.places[at].piece.main, for_part[at])))
    best.sort(key=lambda at: -scores[at])
    return [ranking.places[at] for at in dict.fromkeys([*best, *order])]


def _numbered(passages: Sequence[Passage], taken: Sequence[Passage]) -> tuple[Passage, ...]:
    known = {_span(passage): passage.id for passage in taken}
    used = set(known.values())
    free = (number for number in count(1) if f"P{number}" not in used)
    return tuple(replace(each, id=known.get(_span(each)) or f"P{next(free)}") for each in passages)


def _span(passage: Passage) -> tuple[str, str, int, int]:
    return passage.url, passage.page_sha256, passage.start, passage.end


class _Selection:
    """The pieces that are taken of every page, and what they cost as passages."""

    def __init__(self, pages: Sequence[Page], budget_tokens: int, count_tokens: Callable[[str], int]) -> None:
        self._pages = [_PagePassages(page, count_tokens) for page in pages]
        self._budget = budget_tokens
        self._used = 0
        self._shared = SharedText()
        self._turn: list[int] = []
        """Numbers of the pages in the order in which they first gave a piece."""

    def take_main(self, order: Sequence[Place]) -> None:
        """Take the best places; a page that has had its share waits until all others had their turn."""
        share = int(self._budget * _LARGEST_SHARE) if len(self._pages) > 1 else self._budget
        for limit in dict.fromkeys((share, self._budget)):
            self._take_all(order, limit)

    def take_periphery(self, order: Sequence[Place], wanted: set[str]) -> None:
        """Take a place only for a wanted term that nothing taken so far has."""
        missing = wanted - {term for page in self._pages for term in page.terms_taken()}
        for place in order:
            if missing & place.piece.counts.keys() and self._take(place, self._budget):
                missing -= place.piece.counts.keys()

    def add_neighbours(self) -> None:
        """Give short passages the piece before and the piece behind, the first pages first."""
        for number in self._turn:
            page = self._pages[number]
            for neighbour in page.neighbours_of_short():
                self._take(Place(number, neighbour, page.pieces[neighbour]), self._budget)

    def passages(self) -> list[Passage]:
        """Everything taken, without ids."""
        return [passage for number in self._turn for passage in self._pages[number].passages()]

    def _take_all(self, order: Iterable[Place], limit: int) -> None:
        for place in order:
            if self._budget - self._used < _FEWEST_TOKENS:
                return
            self._take(place, limit)

    def _take(self, place: Place, page_limit: int) -> bool:
        """Take a place, unless it is taken, known from another page, or too much for the page or the budget."""
        page = self._pages[place.page]
        left = min(self._budget - self._used, page_limit - page.tokens)
        text = page.text_of(place.piece)
        if place.number in page.taken or len(text) > left * _CHARACTERS_A_TOKEN:
            return False
        added = page.tokens_added(place.number)
        if added > left or self._shared.knows(text, page.page.url):
            return False
        page.take(place.number)
        self._used += added
        self._shared.add(text, page.page.url)
        if place.page not in self._turn:
            self._turn.append(place.page)
        return True


class _PagePassages:
    """One page, the numbers of its pieces that are taken, and the passages that they make."""

    def __init__(self, page: Page, count_tokens: Callable[[str], int]) -> None:
        self.page = page
        self.pieces = split_pieces(page)
        self.taken: set[int] = set()
        self.tokens = 0
        self._count_tokens = count_tokens
        self._costs: dict[tuple[int, int], int] = {}

    def take(self, number: int) -> None:
        """Take one more piece."""
        self.tokens += self.tokens_added(number)
        self.taken.add(number)

    def tokens_added(self, number: int) -> int:
        """Tokens that the page's passages would have more if this piece were taken too."""
        near = self._taken_near(number)
        return self._tokens_of({*near, number}) - self._tokens_of(near)

    def _tokens_of(self, numbers: Iterable[int]) -> int:
        return sum(self._cost(first, last) for first, last in self._runs(numbers))

    def _taken_near(self, number: int) -> set[int]:
        """The taken pieces whose passages this one could change: those that lead to it in steps that can be joined."""
        near: set[int] = set()
        for direction in (-1, 1):
            at = number
            while steps := [step for step in range(1, _LONGEST_STEP + 1) if at + direction * step in self.taken]:
                at += direction * steps[0]
                near.add(at)
        return near

    def text_of(self, piece: Piece) -> str:
        """The text of one piece."""
        return self.page.text[piece.start : piece.end]

    def terms_taken(self) -> set[str]:
        """Every term of the pieces that are taken."""
        return {term for number in self.taken for term in self.pieces[number].counts}

    def neighbours_of_short(self) -> list[int]:
        """Numbers of the pieces next to passages of few words, in the page's order."""
        numbers = []
        for first, last in self._runs(self.taken):
            if self._words(first, last) < _SHORT_WORDS:
                numbers += [each for each in (first - 1, last + 1) if self._belong(first, each)]
        return numbers

    def passages(self) -> list[Passage]:
        """The passages that the taken pieces make, without ids, in the page's order."""
        return [self._passage(first, last) for first, last in self._runs(self.taken)]

    def _runs(self, numbers: Iterable[int]) -> list[tuple[int, int]]:
        """First and last piece of each passage: pieces of one section that follow each other.

        A piece left out between two is taken in where that costs less than to begin another passage.
        """
        runs: list[tuple[int, int]] = []
        for number in sorted(numbers):
            first, last = runs[-1] if runs else (-1, -1)
            if runs and self._belong(first, number) and self._joins(first, last, number):
                runs[-1] = (first, number)
            else:
                runs.append((number, number))
        return runs

    def _joins(self, first: int, last: int, number: int) -> bool:
        if self._words(first, number) > _LONGEST_WORDS or number - last > _LONGEST_STEP:
            return False
        apart = self._cost(first, last) + self._cost(number, number)
        return number - last == 1 or self._cost(first, number) <= apart

    def _belong(self, one: int, other: int) -> bool:
        if not 0 <= other < len(self.pieces):
            return False
        a, b = self.pieces[one], self.pieces[other]
        return (a.section, a.main) == (b.section, b.main)

    def _words(self, first: int, last: int) -> int:
        return sum(piece.words for piece in self.pieces[first : last + 1])

    def _cost(self, first: int, last: int) -> int:
        if (first, last) not in self._costs:
            passage = self._passage(first, last)
            head = f"[P10] {passage.url} ({passage.date or ''}) | {passage.title}\n  "
            self._costs[first, last] = self._count_tokens(head + passage.text.replace("\n", "\n  "))
        return self._costs[first, last]

    def _passage(self, first: int, last: int) -> Passage:
        start, end = self.pieces[first].start, self.pieces[last].end
        return Passage(
            id="",
            url=self.page.url,
            title=_title(self.page.title, self.pieces[first].heading),
            text=self.page.text[start:end],
            start=start,
            end=end,
            date=self.page.date,
            page_sha256=self.page.sha256,
        )


def _title(title: str, heading: str) -> str:
    """The page's title and the headings above, those left out that the title holds already."""
    title = title if len(title) <= _TITLE_CHARACTERS else title[: _TITLE_CHARACTERS - 1].rstrip() + "…"
    headings = [each for each in heading.split(" > ") if each and each.casefold() not in title.casefold()]
    return " > ".join([title, *headings] if title else headings)
