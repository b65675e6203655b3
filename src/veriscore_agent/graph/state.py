"""The state of one claim on its way through the graph, and what is made of it at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast

from veriscore_agent.domain import (
    AnswerKey,
    Claim,
    ClaimOutcome,
    EndReason,
    Page,
    PageVisit,
    Passage,
    Snippet,
    Unscored,
    Verdict,
)


class ClaimUpdate(TypedDict, total=False):
    """The keys that a node can change. (LangGraph drops unknown keys silently, so nodes return this type.)"""

    snippets: tuple[Snippet, ...] | None
    """None until the first search."""
    queries: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    audit: Verdict | None
    second_look: Verdict | None
    round: int
    """0 for the first search, then counting further rounds."""
    round_start: int
    """Index of the first snippet that this round found."""
    batch: int
    """Batches of links chosen in this round."""
    links: tuple[str, ...]
    """The batch that is to be opened."""
    plan: tuple[str, ...]
    """Queries that are to be sent."""
    visits: tuple[PageVisit, ...]
    pages: tuple[Page, ...]
    passages: tuple[Passage, ...]
    """Those that the next judging sees."""
    shown: tuple[Passage, ...]
    """Every passage that was ever chosen: an id means the same text in all verdicts of a claim."""
    judged: frozenset[str]
    """Text of all evidence that a judge has seen."""
    round_was_new: bool
    """This round put evidence before the judge that no earlier one had."""
    failure: Unscored | None
    """What stopped the claim, as the node wrapper made it a value."""
    ended: EndReason | None
    flags: tuple[str, ...]


class ClaimState(ClaimUpdate):
    """Everything known of one claim. Nodes return the keys that they change; none is changed in place."""

    claim: Claim
    audited: bool
    """Sent to its pages although it is decided, to see whether it turns."""
    sources: tuple[str, ...]
    """Links of the pages that the claim's answer was written from: no evidence for it."""
    answer_text: str
    """Text of the claim's answer, copies of which may be no evidence."""


class ClaimInput(TypedDict, total=False):
    """What the graph is given: the claim, as a ``Claim`` or as plain text, and what is known beforehand."""

    claim: Claim | str
    snippets: tuple[Snippet, ...] | None
    audited: bool
    sources: tuple[str, ...]
    answer_text: str


def start_state(given: ClaimInput) -> ClaimState:
    """The state before the first node. ``snippets`` that are there already are not searched for again."""
    claim = given["claim"]
    return ClaimState(
        claim=Claim(id="claim", text=claim) if isinstance(claim, str) else claim,
        audited=given.get("audited", False),
        sources=given.get("sources", ()),
        answer_text=given.get("answer_text", ""),
        snippets=given.get("snippets"),
        queries=(),
        verdicts=(),
        audit=None,
        second_look=None,
        round=0,
        round_start=0,
        batch=0,
        links=(),
        plan=(),
        visits=(),
        pages=(),
        passages=(),
        shown=(),
        judged=frozenset(),
        round_was_new=False,
        failure=None,
        ended=None,
        flags=(),
    )


def whole_state(given: Mapping[str, Any]) -> ClaimState:
    """The state with every key, also where a user's own graph or LangGraph Studio gave nothing but the claim."""
    start = start_state(cast("ClaimInput", given))
    return cast("ClaimState", {**start, **given, "claim": start["claim"]})


def outcome_of(given: Mapping[str, Any], answer: AnswerKey) -> ClaimOutcome:
    """The claim's story as it is kept, of the state that the graph ended with.

    A failure after a verdict leaves that verdict standing, flagged.
    """
    state = whole_state(given)
    failure = state["failure"]
    flags = state["flags"]
    if failure and state["verdicts"]:
        flags = (*flags, f"failed:{failure.reason}")
    return ClaimOutcome(
        claim=state["claim"],
        answer=answer,
        verdicts=state["verdicts"],
        unscored=failure if not state["verdicts"] else None,
        ended=state["ended"] or "unscored",
        audit=state["audit"],
        second_look=state["second_look"],
        queries=state["queries"],
        snippets=state["snippets"] or (),
        visits=state["visits"],
        passages=state["shown"],
        flags=flags,
    )
