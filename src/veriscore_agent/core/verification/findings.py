"""Findings in a judge's reply: read, and checked against the evidence that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from veriscore_agent.core.instructions import (
    asks_for_something,
    beside_the_verdict,
    may_talk_to_a_judge,
    talks_to_a_judge,
)
from veriscore_agent.core.verification.quotes import locate_quote
from veriscore_agent.core.verification.relevance import (
    Surroundings,
    names_alone,
    says_half,
    shares_no_word,
    speaks_of,
    surroundings,
)
from veriscore_agent.core.verification.silencing import link_of, links_that_command
from veriscore_agent.domain import DroppedFinding, Evidence, Finding, Stance, Trust

_STANCES: dict[str, Stance] = {
    "supports": "supports",
    "support": "supports",
    "supported": "supports",
    "contradicts": "contradicts",
    "contradict": "contradicts",
    "contradicted": "contradicts",
}
_NO_STANCE = frozenset({"neither", "neutral", "none", "silent", "irrelevant", "unrelated", "inconclusive"})
_TRUST: dict[str, Trust] = {"high": "high", "ordinary": "ordinary", "medium": "ordinary", "low": "low"}

UNKNOWN_PART = -1
"""Index of the part of a finding whose number names none. Such a finding is dropped."""


def read_findings(entries: Sequence[object], numbers: Mapping[int, int]) -> tuple[tuple[Finding, ...], int]:
    """The findings among ``entries``, each once, and how many entries could not be read as one.

    ``numbers`` gives the index of each part by its number in the reply. An entry that says itself that its evidence
    takes no side is no finding. Where the trust is missing, a source is ordinary.
    """
    findings: dict[Finding, None] = {}
    malformed = 0
    for entry in entries:
        members = (
            {str(key).strip().casefold(): value for key, value in entry.items()} if isinstance(entry, dict) else {}
        )
        if _word(members.get("stance")) in _NO_STANCE:
            continue
        finding = _read_finding(members, numbers)
        if finding is None:
            malformed += 1
        else:
            findings[finding] = None
    return tuple(findings), malformed


def check_findings(
    findings: Sequence[Finding], evidence: Sequence[Evidence], parts: Sequence[str]
) -> tuple[tuple[Finding, ...], tuple[DroppedFinding, ...]]:
    """Those that may count, with the span of their quote, and those that may not, with the reason.

    Reasons: ``unknown_part``, ``unknown_evidence``, ``quote_not_found`` (neither in the text nor in the title),
    ``instruction`` (the quote's sentence speaks to the judge), ``page_gives_instructions`` (another of its page does),
    ``off_the_part`` (the quote's sentence says nothing of the part).
    """
    pieces = {piece.id: piece for piece in evidence}
    commanding = links_that_command(evidence)
    kept: list[Finding] = []
    dropped: list[DroppedFinding] = []
    for finding in findings:
        piece = pieces.get(finding.evidence)
        if finding.part == UNKNOWN_PART:
            dropped.append(DroppedFinding(finding, "unknown_part"))
        elif piece is None:
            dropped.append(DroppedFinding(finding, "unknown_evidence"))
        else:
            located, reason = _checked(finding, piece, parts[finding.part], link_of(piece) in commanding)
            if reason:
                dropped.append(DroppedFinding(located, reason))
            else:
                kept.append(located)
    return tuple(kept), tuple(dropped)


def _checked(finding: Finding, piece: Evidence, part: str, commanding: bool) -> tuple[Finding, str]:
    """The finding with its span, and why it may not count, or nothing."""
    if span := locate_quote(finding.quote, piece.text):
        finding = replace(finding, start=span[0], end=span[1])
        place = surroundings(piece.text, piece.title, span)
    elif locate_quote(finding.quote, piece.title):
        place = Surroundings(finding.quote, piece.title, piece.title)
    else:
        return finding, "quote_not_found"
    if talks_to_a_judge(place.sentences) or _is_bare_verdict(place.sentences, part) or _only_asks(part, place):
        return finding, "instruction"
    if commanding:
        return finding, "page_gives_instructions"
    if not speaks_of(part, place):
        return finding, "off_the_part"
    # A name or a number is soon told. Whoever means the judge gives himself away by one word, which others seldom use.
    doubtful = shares_no_word(part, place) and may_talk_to_a_judge(place.sentences)
    return finding, "instruction" if doubtful else ""


def _only_asks(part: str, place: Surroundings) -> bool:
    """Whether a sentence asks for something without saying most of the part, as advice does that is evidence of it."""
    return asks_for_something(place.sentences) and not says_half(part, place)


def _is_bare_verdict(sentence: str, part: str) -> bool:
    """Whether a sentence is names and a verdict ("Angular, Google: supported"), and nothing is said of the names."""
    rest = beside_the_verdict(sentence)
    return rest is not None and names_alone(part, rest)


def _read_finding(members: Mapping[str, Any], numbers: Mapping[int, int]) -> Finding | None:
    stance = _STANCES.get(_word(members.get("stance")))
    number, evidence, quote = _number(members.get("part")), members.get("evidence"), members.get("quote")
    if stance is None or number is None or not isinstance(evidence, str) or not isinstance(quote, str):
        return None
    return Finding(
        part=numbers.get(number, UNKNOWN_PART),
        evidence=evidence.strip(" []()#").upper(),
        stance=stance,
        quote=quote.strip(),
        trust=_TRUST.get(_word(members.get("trust")), "ordinary"),
    )


def _word(value: object) -> str:
    return value.strip().casefold() if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    """The number of a part, written as 2 or "2" or "part 2"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    digits = _word(value).removeprefix("part").strip(" .#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else None
