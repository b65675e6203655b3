"""Entry for LangGraph Studio: the graph of one claim, its ports built from the settings in force.

Keys and addresses come from the environment (``OPENAI_API_KEY``, ``SERPER_API_KEY``, ``VERISCORE_*``). Input in Studio:
``{"claim": "The Eads Bridge opened in 1874."}``. Nothing is contacted before a claim is given.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from veriscore_agent.graph.build import ClaimGraph, build_claim_graph
from veriscore_agent.settings import load_settings
from veriscore_agent.wiring import open_services


@asynccontextmanager
async def graph() -> AsyncIterator[ClaimGraph]:
    """The graph, for as long as its clients are open."""
    async with open_services(load_settings()) as services:
        yield build_claim_graph(services.ports)
