"""Where a claim goes next: pure functions of its state and limits, each naming the next node."""

from __future__ import annotations

from typing import Literal

from veriscore_agent.core.links import choose_links
from veriscore_agent.domain import EndReason, Label, Verdict
from veriscore_agent.graph.state import ClaimState
from veriscore_agent.ports import Escalate, Limits

AfterPages = Literal["choose_pages", "plan_queries", "conclude"]


def is_open(label: Label, escalate: Escalate) -> bool:
    """Whether a claim with this label is worth more evidence."""
    if escalate == "unsupported":
        return label != "supported"
    return label == "inconclusive"


def goes_on(verdict: Verdict, limits: Limits) -> bool:
    """Whether the verdict at snippets sends the claim to its pages."""
    if limits.last_stage == "snippets":
        return False
    return limits.escalate == "all" or is_open(verdict.label, limits.escalate)


def is_audit(state: ClaimState, limits: Limits) -> bool:
    """Whether pages are read only to see if the claim turns: it was drawn, and is decided without them."""
    return state["audited"] and not goes_on(state["verdicts"][0], limits)


def after_search(state: ClaimState, limits: Limits) -> Literal["judge_snippets", "conclude"]:
    """Snippets are judged, also where there are none: the claim is then inconclusive, not failed."""
    return "conclude" if state["failure"] else "judge_snippets"


def after_snippets(state: ClaimState, limits: Limits) -> Literal["look_again", "choose_pages", "conclude"]:
    """Open claims go on to pages, and so do audited ones; their snippets may be judged once more before."""
    if limits.second_look and not state["failure"] and _is_looked_into(state, limits):
        return "look_again"
    return after_second_look(state, limits)


def after_second_look(state: ClaimState, limits: Limits) -> Literal["choose_pages", "conclude"]:
    """On to the pages, unless they are out of bounds."""
    if state["failure"] or limits.last_stage == "snippets":
        return "conclude"
    return "choose_pages" if _is_looked_into(state, limits) else "conclude"


def after_pages(state: ClaimState, limits: Limits) -> AfterPages:
    """On to the next batch of links, to further queries, or to the end."""
    return _after_pages(state, limits)[0]


def after_plan(state: ClaimState, limits: Limits) -> Literal["search_again", "conclude"]:
    """Further queries are sent where there are any."""
    return "search_again" if state["plan"] and not state["failure"] else "conclude"


def after_search_again(state: ClaimState, limits: Limits) -> Literal["choose_pages", "conclude"]:
    """The results of further queries lead to their pages."""
    return "conclude" if state["failure"] else "choose_pages"


def end_reason(state: ClaimState, limits: Limits) -> EndReason:
    """Why the claim ends where it now stands."""
    if not state["verdicts"]:
        return "unscored"
    if state["failure"]:
        return "failed"
    if after_second_look(state, limits) == "conclude":
        return "stages" if is_open(state["verdicts"][0].label, limits.escalate) else "decided"
    next_node, reason = _after_pages(state, limits)
    return reason if next_node == "conclude" else "no_queries"


def _after_pages(state: ClaimState, limits: Limits) -> tuple[AfterPages, EndReason]:
    """The next node, and why the claim ends if that is ``conclude``."""
    latest = state["audit"] or state["verdicts"][-1]
    still_open = is_open(latest.label, limits.escalate)
    if state["failure"]:
        return "conclude", "failed"
    if not still_open and latest.stage != "snippets":
        return "conclude", "decided"
    if state["batch"] < limits.batches and links_to_open(state, 1):
        return "choose_pages", "decided"
    if is_audit(state, limits):
        return "conclude", "pages"
    if not still_open:
        return "conclude", "no_new_evidence"
    return _after_round(state, limits)


def _after_round(state: ClaimState, limits: Limits) -> tuple[AfterPages, EndReason]:
    if limits.last_stage != "rounds":
        return "conclude", "stages"
    if state["round"] > 0 and not state["round_was_new"]:
        return "conclude", "no_new_evidence"
    if state["round"] >= limits.rounds:
        return "conclude", "rounds"
    return "plan_queries", "decided"


def links_to_open(state: ClaimState, limit: int) -> tuple[str, ...]:
    """The next links among the results of this round, chosen for what is open in the claim by now."""
    latest = state["audit"] or state["verdicts"][-1]
    return choose_links(
        (state["snippets"] or ())[state["round_start"] :],
        [visit.link for visit in state["visits"]],
        claim=state["claim"].text,
        open_parts=[latest.parts[index] for index in latest.open_parts if index < len(latest.parts)],
        limit=limit,
    )


def _is_looked_into(state: ClaimState, limits: Limits) -> bool:
    return state["audited"] or goes_on(state["verdicts"][0], limits)
