"""What each node of a claim's graph did, in a line or a few, as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from veriscore_agent.cli.output import one_line
from veriscore_agent.cli.story import ENDS
from veriscore_agent.domain import PageVisit, Verdict
from veriscore_agent.graph.state import ClaimState


class Trace:
    """The way of one claim, told node by node."""

    def __init__(self) -> None:
        self._visits = 0

    def lines(self, node: str, state: ClaimState) -> list[str]:
        """What ``node`` did, from the state after it."""
        failure = state["failure"]
        if failure and node != "conclude":
            return [f"{node}: failed: {failure.reason}: {one_line(failure.detail)}"]
        known, self._visits = self._visits, len(state["visits"])
        told = (*_TELLERS[node](state), *_visited(state["visits"][known:]))
        return [f"{node}: {line}" for line in told]


def _search(state: ClaimState) -> Iterator[str]:
    if not state["queries"]:
        yield f"{len(state['snippets'] or ())} results were given"
        return
    yield f"{len(state['snippets'] or ())} results for {one_line(state['queries'][0])!r}"


def _judge_snippets(state: ClaimState) -> Iterator[str]:
    yield from _verdict(state["verdicts"][-1])


def _look_again(state: ClaimState) -> Iterator[str]:
    yield f"second look: {state['second_look'].label}" if state["second_look"] else "the second look failed"


def _choose_pages(state: ClaimState) -> Iterator[str]:
    yield f"{len(state['links'])} links to open"


def _read_pages(state: ClaimState) -> Iterator[str]:
    """Nothing but its visits."""
    yield from ()


def _visited(visits: tuple[PageVisit, ...]) -> Iterator[str]:
    for visit in visits:
        why = f": {visit.reason}" if visit.reason else ""
        text = f" ({visit.text_chars:,} characters)" if visit.text_chars else ""
        yield one_line(f"{visit.outcome}{text} {visit.link}{why}")


def _choose_passages(state: ClaimState) -> Iterator[str]:
    tokens = sum(visit.passage_tokens for visit in state["visits"])
    yield f"{len(state['passages'])} passages, {tokens:,} tokens"


def _judge_pages(state: ClaimState) -> Iterator[str]:
    if not state["round_was_new"]:
        yield "nothing new to judge"
        return
    yield from _verdict(state["audit"] or state["verdicts"][-1])


def _plan_queries(state: ClaimState) -> Iterator[str]:
    if not state["plan"]:
        yield "no query could help"
    for query in state["plan"]:
        yield repr(one_line(query))


def _search_again(state: ClaimState) -> Iterator[str]:
    yield f"{len(state['snippets'] or ()) - state['round_start']} new results"


def _conclude(state: ClaimState) -> Iterator[str]:
    ended = state["ended"] or "unscored"
    label = state["verdicts"][-1].label if state["verdicts"] else "unscored"
    yield f"{label} ({ENDS[ended]})"


def _verdict(verdict: Verdict) -> Iterator[str]:
    yield one_line(f"{verdict.label}: {verdict.reason}" if verdict.reason else verdict.label)
    for finding in verdict.findings:
        yield "  " + one_line(f'part {finding.part + 1} {finding.stance} {finding.evidence}: "{finding.quote}"')
    for index in verdict.open_parts:
        if index < len(verdict.parts):
            yield "  " + one_line(f"part {index + 1} open: {verdict.parts[index]}")


_TELLERS: dict[str, Callable[[ClaimState], Iterator[str]]] = {
    "search": _search,
    "judge_snippets": _judge_snippets,
    "look_again": _look_again,
    "choose_pages": _choose_pages,
    "read_pages": _read_pages,
    "choose_passages": _choose_passages,
    "judge_pages": _judge_pages,
    "plan_queries": _plan_queries,
    "search_again": _search_again,
    "conclude": _conclude,
}
