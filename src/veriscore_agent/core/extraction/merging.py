"""Equal claims counted once, with every sentence and wording that they came from.

Equal means the same exact text under the paper's protocol, and the same folded text otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from veriscore_agent.core.extraction.asking import answer_name
from veriscore_agent.core.extraction.denial import is_no_claim
from veriscore_agent.domain import Answer, Claim, GivenClaim

_APOSTROPHES = re.compile(r"(?<=\w)['’‘`´](?=\w)")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_BEFORE_PERCENT = re.compile(r"(?<=\d)\s+(?=[%‰])")
_MEANINGFUL = frozenset("%‰#&@§/")
"""Punctuation to Unicode, and yet part of what is said (5 % is not 5, C# is not C)."""


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """How many distinct claims a list holds: by exact text, and by folded text."""

    exact: int
    folded: int


@dataclass(slots=True)
class _Merged:
    """One claim in the making; the keys of a dict are an ordered set."""

    first: GivenClaim
    sentences: dict[int, None] = field(default_factory=dict)
    wordings: dict[str, None] = field(default_factory=dict)


def claim_id(answer: Answer, number: int) -> str:
    """The id of an answer's claim: its name (``answer_name``), ``#`` and n from 1."""
    return f"{answer_name(answer)}#{number}"


def fold_claim(text: str) -> str:
    """A claim's text without what does not change its meaning: case, white space, punctuation, Unicode variants.

    Kept are signs that do: decimal points, minus signs, slashes of fractions, and ``%``, ``#``, ``&``, ``@``.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _DASHES.sub("-", text)
    text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    text = _BEFORE_PERCENT.sub("", _APOSTROPHES.sub("", text))
    kept = "".join(character if _says_something(text, place) else " " for place, character in enumerate(text))
    return " ".join(kept.split()) or " ".join(text.split())


def _says_something(text: str, place: int) -> bool:
    character = text[place]
    if not unicodedata.category(character).startswith("P"):
        return True
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if character in ".,:":
        return before.isdigit() and after.isdigit()
    if character == "-":
        # A minus sign; in "1914-1918" or "well-known" a dash only joins.
        return after.isdigit() and (not before or before.isspace() or before in "([")
    return character in _MEANINGFUL


def count_claims(texts: Iterable[str]) -> ClaimCounts:
    """Distinct claims among texts, those that say that there is none left out."""
    claims = [text.strip() for text in texts if text.strip() and not is_no_claim(text)]
    return ClaimCounts(exact=len(set(claims)), folded=len({fold_claim(text) for text in claims}))


def merge_claims(answer: Answer, read: Sequence[tuple[int, Sequence[str]]], *, exact: bool) -> tuple[Claim, ...]:
    """The distinct claims of an answer in the order in which they first appear.

    ``read`` pairs the index of a sentence with the claims read for it. ``exact``: only equal texts are one claim
    (the paper's protocol); otherwise equal folded texts are.
    """
    read_in_order = [(sentence, GivenClaim(text)) for sentence, texts in read for text in texts]
    return tuple(claim for claim, _ in _merge(answer, read_in_order, exact=exact))


def given_claims(answer: Answer, *, exact: bool) -> tuple[tuple[Claim, GivenClaim], ...]:
    """The distinct claims that the input file holds for an answer, each with what the file holds of it.

    A claim is known by its own id where the file gives one that no earlier claim has. Of equal claims the first id,
    the first searched snippets and the first label are kept. Empty where nothing is given.
    """
    return _merge(answer, [(None, given) for given in answer.given or ()], exact=exact)


def _merge(
    answer: Answer, found: Iterable[tuple[int | None, GivenClaim]], *, exact: bool
) -> tuple[tuple[Claim, GivenClaim], ...]:
    merged: dict[str, _Merged] = {}
    for sentence, given in found:
        text = given.text.strip()
        if not text or is_no_claim(text):
            continue
        entry = merged.setdefault(text if exact else fold_claim(text), _Merged(given))
        entry.first = _completed(entry.first, given)
        entry.wordings[text] = None
        if sentence is not None:
            entry.sentences[sentence] = None
    return _numbered(answer, list(merged.values()))


def _completed(first: GivenClaim, other: GivenClaim) -> GivenClaim:
    """The first of equal claims, with what only a later one brings."""
    return GivenClaim(
        text=first.text.strip(),
        snippets=other.snippets if first.snippets is None else first.snippets,
        reference_label=other.reference_label if first.reference_label is None else first.reference_label,
        id=first.id or other.id,
    )


def _free_id(answer: Answer, number: int, taken: Collection[str | None]) -> str:
    """The id of a claim without one of its own, lengthened where the file gives it to another claim."""
    identity = claim_id(answer, number)
    while identity in taken:
        identity += "'"
    return identity


def _numbered(answer: Answer, entries: Sequence[_Merged]) -> tuple[tuple[Claim, GivenClaim], ...]:
    claims: list[tuple[Claim, GivenClaim]] = []
    taken = {entry.first.id for entry in entries}
    named: set[str] = set()
    for number, entry in enumerate(entries, start=1):
        own = entry.first.id
        identity = own if own and own not in named else _free_id(answer, number, taken)
        named.add(identity)
        claim = Claim(
            id=identity,
            text=next(iter(entry.wordings)),
            sentences=tuple(entry.sentences),
            wordings=tuple(entry.wordings),
            reference_label=entry.first.reference_label,
        )
        claims.append((claim, entry.first))
    return tuple(claims)
