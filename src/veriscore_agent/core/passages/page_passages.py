"""One page's part in the evidence: which of its pieces are taken, the passages they make, and what those cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from itertools import accumulate, pairwise

from veriscore_agent.core.passages.pieces import Piece
from veriscore_agent.core.passages.terms import terms
from veriscore_agent.core.verification.evidence import HEADINGS, copies_note, cut, indented, plain_lines, render_piece
from veriscore_agent.domain import Page, Passage

_LONGEST_TERMS = 400
_SHORT_TERMS = 25
"""A passage of fewer gets its neighbours too, where tokens are left."""
_TITLE_CHARACTERS, _HEADING_CHARACTERS = 90, 60
_LONGEST_STEP = 2
"""From one piece of a passage to the next: at most one is left out between them."""
_LONGEST_ID = "P10"


class PagePassages:
    """A page, the numbers of its pieces that are taken, and the passages that they make.

    Costs are those of the rendered prompt: the line that names the page once, headings where they are new, and each
    passage with its id.
    """

    def __init__(
        self,
        page: Page,
        pieces: Sequence[Piece],
        asked: Set[str],
        count_tokens: Callable[[str], int],
        copies_of: Callable[[Sequence[str]], tuple[str, ...]],
    ) -> None:
        """``asked``: terms of the claim; ``copies_of``: addresses of the other pages that have a text of such terms."""
        self.page = page
        self.pieces = pieces
        self.taken: set[int] = set()
        self._joined_to_next = [_may_join(above, below) for above, below in pairwise(pieces)]
        self._terms_before = list(accumulate((len(piece.terms) for piece in pieces), initial=0))
        self.tokens = 0
        self._asked = asked
        self._count_tokens = count_tokens
        self._copies_of = copies_of
        self._costs: dict[tuple[int, int], int] = {}
        self._headings: set[tuple[str, ...]] = set()
        self._pieces_shown: dict[int, str] = {}
        self._paths: dict[tuple[str, bool], tuple[str, ...]] = {}

    def take(self, number: int, tokens: int) -> None:
        """Take one more piece, which adds so many tokens."""
        self.tokens += tokens
        self.taken.add(number)
        path = self._path(number)
        self._headings |= {path[:depth] for depth in range(1, len(path) + 1)}

    def tokens_added(self, number: int) -> int:
        """Tokens that the page's passages would have more if this piece were taken too."""
        near = self._taken_near(number)
        added = self._tokens_of({*near, number}) - self._tokens_of(near) if near else self._cost(number, number)
        added += self._heading_cost(number)
        return added if self.taken else added + self._count_tokens(render_piece(self._passage(0, 0, self._title())))

    def text_of(self, number: int) -> str:
        """The text of one piece."""
        return self.page.text[self.pieces[number].start : self.pieces[number].end]

    def terms_taken(self) -> set[str]:
        """Every term of the pieces that are taken."""
        return {term for number in self.taken for term in self.pieces[number].terms}

    def neighbours_of_short(self) -> list[int]:
        """Numbers of the pieces next to passages of few words, in the page's order."""
        numbers = []
        for first, last in self._runs(self.taken):
            if self._terms(first, last) < _SHORT_TERMS:
                numbers += [each for each in (first - 1, last + 1) if self._belong(first, each)]
        return numbers

    def passages(self) -> list[Passage]:
        """The passages that the taken pieces make, without ids, in the page's order."""
        return [self._run(first, last) for first, last in self._runs(self.taken)]

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

    def _runs(self, numbers: Iterable[int]) -> list[tuple[int, int]]:
        """First and last piece of each passage: pieces of one section in a row, or a heading and its text.

        A piece left out between two is taken in where that costs less than to begin another passage.
        """
        runs: list[tuple[int, int]] = []
        for number in sorted(numbers):
            first, last = runs[-1] if runs else (-1, -1)
            if runs and self._joins(first, last, number):
                runs[-1] = (first, number)
            else:
                runs.append((number, number))
        return runs

    def _joins(self, first: int, last: int, number: int) -> bool:
        if number - last > _LONGEST_STEP or self._terms(first, number) > _LONGEST_TERMS:
            return False
        if not all(self._joined_to_next[last:number]):
            return False
        return number - last == 1 or self._cost(first, number) <= self._cost(first, last) + self._cost(number, number)

    def _belong(self, one: int, other: int) -> bool:
        """Whether two pieces, in either order, are there and may be read as one."""
        first, last = min(one, other), max(one, other)
        return first >= 0 and last < len(self.pieces) and _may_join(self.pieces[first], self.pieces[last])

    def _terms(self, first: int, last: int) -> int:
        return self._terms_before[last + 1] - self._terms_before[first]

    def _cost(self, first: int, last: int) -> int:
        if (first, last) not in self._costs:
            text = indented("".join(self._shown(number) for number in range(first, last + 1)).strip())
            notes = copies_note(self.page.url, self._copies(first, last))
            self._costs[first, last] = self._count_tokens(f"[{_LONGEST_ID}]{notes and ' ' + notes}\n{text}\n")
        return self._costs[first, last]

    def _shown(self, number: int) -> str:
        """A piece as the prompt has it, with what parts it from the piece before."""
        if number not in self._pieces_shown:
            start = self.pieces[number].start
            parted = number == 0 or "\n" in self.page.text[self.pieces[number - 1].end : start]
            self._pieces_shown[number] = ("\n" if parted else " ") + plain_lines(self.text_of(number))
        return self._pieces_shown[number]

    def _heading_cost(self, number: int) -> int:
        path = self._path(number)
        new = [path[depth - 1] for depth in range(1, len(path) + 1) if path[:depth] not in self._headings]
        return self._count_tokens(f"{HEADINGS}{HEADINGS.join(new)}") if new else 0

    def _path(self, number: int) -> tuple[str, ...]:
        """The headings above that are worth their tokens: those with a word of the claim, and the innermost of what is
        no sentence (a table row, an item). What the title holds already is left out."""
        piece = self.pieces[number]
        key = piece.heading, piece.kind == "line"
        if key not in self._paths:
            known = self._title().casefold()
            above = [each for each in piece.heading.split(HEADINGS) if each and each.casefold() not in known]
            wanted = above[-1:] if piece.kind == "line" else []
            self._paths[key] = tuple(
                cut(each, _HEADING_CHARACTERS)
                for each in above
                if each in wanted or not self._asked.isdisjoint(terms(each))
            )
        return self._paths[key]

    def _title(self) -> str:
        return cut(self.page.title, _TITLE_CHARACTERS)

    def _run(self, first: int, last: int) -> Passage:
        start, end = self.pieces[first].start, self.pieces[last].end
        title = HEADINGS.join(filter(None, (self._title(), *self._path(first))))
        return self._passage(start, end, title, self._copies(first, last))

    def _copies(self, first: int, last: int) -> tuple[str, ...]:
        return self._copies_of([term for piece in self.pieces[first : last + 1] for term in piece.terms])

    def _passage(self, start: int, end: int, title: str, copies: tuple[str, ...] = ()) -> Passage:
        page, text = self.page, self.page.text[start:end]
        return Passage(_LONGEST_ID, page.url, title, text, start, end, page.date, page.sha256, copies)


def _may_join(above: Piece, below: Piece) -> bool:
    """Whether a piece and one behind it may be read as one."""
    headed = above.kind == "heading" and below.kind != "heading"
    return above.main == below.main and (headed or above.section == below.section)
