"""The entry that LangGraph Studio loads."""

from __future__ import annotations

import importlib.util
import json

import pytest

from tests.conftest import ROOT
from tests.services import Services
from veriscore_agent.domain import AnswerKey
from veriscore_agent.graph.state import outcome_of

pytestmark = pytest.mark.anyio


async def test_the_graph_that_langgraph_json_names_verifies_a_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    path, _, name = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]["claim"].partition(":")
    spec = importlib.util.spec_from_file_location("studio_entry", ROOT / path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with Services() as services:
        for variable, value in services.environment().items():
            monkeypatch.setenv(variable, value)
        async with getattr(module, name)() as graph:
            state = await graph.ainvoke({"claim": "The bridge plainly stands."})
    outcome = outcome_of(state, AnswerKey("", "studio", ""))
    assert [(verdict.stage, verdict.label) for verdict in outcome.verdicts] == [("snippets", "supported")]
