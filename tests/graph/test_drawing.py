"""The drawing in graphs/ shows the graph as the code builds it."""

from __future__ import annotations

from tests.conftest import ROOT
from tests.fakes import FakeModel, ports
from veriscore_agent.graph import nodes
from veriscore_agent.graph.build import build_claim_graph

DRAWING = ROOT / "graphs" / "claim.mmd"
ARROWS = {
    ("__start__", "search"),
    ("search", "judge_snippets"),
    ("search", "conclude"),
    ("judge_snippets", "look_again"),
    ("look_again", "choose_pages"),
    ("look_again", "conclude"),
    ("judge_snippets", "choose_pages"),
    ("judge_snippets", "conclude"),
    ("choose_pages", "read_pages"),
    ("read_pages", "choose_passages"),
    ("choose_passages", "judge_pages"),
    ("judge_pages", "choose_pages"),
    ("judge_pages", "plan_queries"),
    ("judge_pages", "conclude"),
    ("plan_queries", "search_again"),
    ("plan_queries", "conclude"),
    ("search_again", "choose_pages"),
    ("search_again", "conclude"),
    ("conclude", "__end__"),
}


def test_the_drawing_is_that_of_the_code() -> None:
    """Write it anew with: python graphs/draw.py."""
    drawn = build_claim_graph(ports(FakeModel(lambda _: ""))).get_graph()
    assert DRAWING.read_text(encoding="utf-8") == drawn.draw_mermaid()


def test_the_arrows_are_those_of_the_design() -> None:
    drawn = build_claim_graph(ports(FakeModel(lambda _: ""))).get_graph()
    assert {(edge.source, edge.target) for edge in drawn.edges} == ARROWS


def test_every_node_is_the_function_of_its_name() -> None:
    drawn = build_claim_graph(ports(FakeModel(lambda _: ""))).get_graph()
    for name in drawn.nodes:
        assert name.startswith("__") or callable(getattr(nodes, name))
