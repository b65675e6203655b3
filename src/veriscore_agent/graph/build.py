"""The graph of one claim: nodes bound to their ports, and the edges between them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from veriscore_agent.domain import Unscored
from veriscore_agent.errors import ModelOutputError, ReplayMissError, ServiceError
from veriscore_agent.graph import nodes, routing
from veriscore_agent.graph.state import ClaimInput, ClaimState, ClaimUpdate, whole_state
from veriscore_agent.ports import Limits, Ports

ClaimGraph = CompiledStateGraph[ClaimState, None, ClaimInput, ClaimState]

Node = Callable[[ClaimState, Ports], Awaitable[ClaimUpdate]]
Route = Callable[[ClaimState, Limits], str]

_NODES: tuple[Node, ...] = (
    nodes.search,
    nodes.judge_snippets,
    nodes.look_again,
    nodes.choose_pages,
    nodes.read_pages,
    nodes.choose_passages,
    nodes.judge_pages,
    nodes.plan_queries,
    nodes.search_again,
    nodes.conclude,
)
_EDGES = (
    (START, "search"),
    ("choose_pages", "read_pages"),
    ("read_pages", "choose_passages"),
    ("choose_passages", "judge_pages"),
    ("conclude", END),
)
_ROUTES: tuple[tuple[str, Route, tuple[str, ...]], ...] = (
    ("search", routing.after_search, ("judge_snippets", "conclude")),
    ("judge_snippets", routing.after_snippets, ("look_again", "choose_pages", "conclude")),
    ("look_again", routing.after_second_look, ("choose_pages", "conclude")),
    ("judge_pages", routing.after_pages, ("choose_pages", "plan_queries", "conclude")),
    ("plan_queries", routing.after_plan, ("search_again", "conclude")),
    ("search_again", routing.after_search_again, ("choose_pages", "conclude")),
)


def build_claim_graph(ports: Ports) -> ClaimGraph:
    """The compiled state machine that verifies one claim.

    Give it ``{"claim": "..."}`` (a ``Claim`` or its text); the state it ends with becomes a ``ClaimOutcome`` by
    ``outcome_of``. A service that fails, or a reply that cannot be read, ends that claim with the reason in its state.
    A replay miss, a configuration error, and whatever stops the whole run are raised.
    """
    graph = StateGraph(ClaimState, input_schema=ClaimInput)
    for node in _NODES:
        graph.add_node(node.__name__, _bound(node, ports))  # type: ignore[call-overload]
    for start, end in _EDGES:
        graph.add_edge(start, end)
    for source, route, targets in _ROUTES:
        paths: dict[Hashable, str] = {target: target for target in targets}
        graph.add_conditional_edges(source, _limited(route, ports.limits), paths)
    return graph.compile(name="claim")


def recursion_limit(limits: Limits) -> int:
    """More steps than any claim takes within its limits."""
    return 10 + (limits.rounds + 1) * (2 + 4 * limits.batches)


def _bound(node: Node, ports: Ports) -> Callable[[ClaimState], Awaitable[ClaimUpdate]]:
    """The node with its ports, its failures turned into values that travel to ``conclude``."""

    async def run(state: ClaimState) -> ClaimUpdate:
        try:
            return await node(whole_state(state), ports)
        except (ServiceError, ModelOutputError) as problem:
            return {"failure": Unscored(problem.reason, str(problem))}
        except ReplayMissError as problem:
            problem.add_note(f"while {node.__name__} worked on the claim {whole_state(state)['claim'].text!r}")
            raise

    run.__name__ = node.__name__
    return run


def _limited(route: Route, limits: Limits) -> Callable[[ClaimState], str]:
    def follow(state: ClaimState) -> str:
        return route(whole_state(state), limits)

    follow.__name__ = route.__name__
    return follow
