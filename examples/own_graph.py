"""The claim graph inside a graph of one's own, over evidence of one's own.

The searcher is any object with an async ``search``; here it looks into two notes on this machine, and a stand-in for a
model judges them by a rule, so that the example runs without key and network.
"""

from __future__ import annotations

import asyncio
import json
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

from veriscore_agent import Limits, Ports, Snippet, build_claim_graph
from veriscore_agent.core.verification.grounded import GroundedJudge
from veriscore_agent.domain import ModelReply, ModelRequest, PageReading, PageVisit, SearchResults

NOTES = {
    "Larkspur Bridge": "The Larkspur Bridge opened in 1931 and is 412 m long.",
    "Salka ferry": "The Salka ferry stopped in 1954.",
}


class NotesSearcher:
    """Finds the notes whose title stands in the query."""

    async def search(self, query: str) -> SearchResults:
        """At most as many results as there are notes."""
        found = [(title, text) for title, text in NOTES.items() if title in query]
        snippets = [Snippet(f"S{at}", title, f"note:{title}", text) for at, (title, text) in enumerate(found, 1)]
        return SearchResults(query, tuple(snippets))


class NoPages:
    """There is nothing behind a note."""

    async def read(self, link: str) -> PageReading:
        """Say so in the ledger."""
        return PageReading(PageVisit(link, "refused", "notes have no pages"))


class RuleModel:
    """Stands in for a language model: it finds the claim in the evidence, or does not."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """A reply in the grounded judge's form."""
        claim = request.user.split("Claim: ")[1].splitlines()[0]
        quote = claim.removesuffix(".")
        findings = [{"part": 1, "evidence": "S1", "stance": "supports", "quote": quote, "trust": "high"}]
        held = quote in request.user.split("Claim: ")[1].split("\n", 1)[1]
        reply = {"parts": [claim], "referent_clear": True, "findings": findings if held else [], "reason": "by rule"}
        return ModelReply(json.dumps(reply))


class MyState(TypedDict, total=False):
    """A state of one's own."""

    text: str
    label: str


async def main() -> None:
    """Use the claim graph as one step of another graph."""
    ports = Ports(
        model=RuleModel(),
        searcher=NotesSearcher(),
        reader=NoPages(),
        judge=GroundedJudge(),
        count_tokens=lambda text: len(text) // 4,
        limits=Limits(last_stage="snippets"),
    )
    claim_graph = build_claim_graph(ports)

    async def verify(state: MyState) -> MyState:
        done = await claim_graph.ainvoke({"claim": state["text"]})
        return {"label": done["verdicts"][-1].label}

    graph = StateGraph(MyState)
    graph.add_node("verify", verify)
    graph.add_edge(START, "verify")
    graph.add_edge("verify", END)
    mine = graph.compile()
    for text in ("The Larkspur Bridge opened in 1931.", "The Salka ferry stopped in 1960."):
        print(text, "->", (await mine.ainvoke({"text": text}))["label"])


if __name__ == "__main__":
    asyncio.run(main())
