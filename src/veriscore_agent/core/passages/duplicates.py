"""Text that several pages share: syndicated articles, mirrors, boilerplate."""

from __future__ import annotations

from collections import defaultdict

from veriscore_agent.core.passages.terms import terms

_SHINGLE = 3
"""Terms in a row that are compared as one."""
_SHARE = 0.8
"""Share of a text's shingles that must be known from one other page for the text to be known."""


class SharedText:
    """What has been taken from which page."""

    def __init__(self) -> None:
        self._known: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)

    def add(self, text: str, page: str) -> None:
        """Remember that the text was taken from the page."""
        self._known[page] |= _shingles(text)

    def knows(self, text: str, page: str) -> bool:
        """Whether (almost) the same text was taken from another page."""
        shingles = _shingles(text)
        needed = _SHARE * len(shingles)
        return any(len(shingles & known) >= needed for other, known in self._known.items() if other != page)


def _shingles(text: str) -> set[tuple[str, ...]]:
    found = terms(text)
    return {tuple(found[at : at + _SHINGLE]) for at in range(max(1, len(found) - _SHINGLE + 1))}
