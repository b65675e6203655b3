"""What the package promises to its users: these names, documented, and an import that is quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import veriscore_agent
from tests.conftest import ROOT

PROMISED = [
    "Answer",
    "Claim",
    "ClaimOutcome",
    "ConfigurationError",
    "EvidenceRules",
    "Finding",
    "InputError",
    "Judge",
    "JudgingTask",
    "Limits",
    "Model",
    "PageReader",
    "Passage",
    "Ports",
    "ReplayMissError",
    "ScoreReport",
    "Searcher",
    "ServiceError",
    "Settings",
    "Snippet",
    "StopRunError",
    "Verdict",
    "VeriscoreError",
    "build_claim_graph",
    "check_claim",
    "load_settings",
    "open_services",
    "run_blocking",
    "score_answers",
]


def test_the_public_names_are_these() -> None:
    """A name that is taken away or added is a decision, and a line in the changelog."""
    assert sorted(PROMISED) == veriscore_agent.__all__


@pytest.mark.parametrize("name", PROMISED)
def test_a_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(veriscore_agent, name).__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonesuch"):
        _ = veriscore_agent.nonesuch


def test_importing_the_package_and_its_command_line_loads_nothing_heavy() -> None:
    code = "import sys, veriscore_agent.cli; print(sorted({'openai', 'langgraph', 'trafilatura'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_public_definition_has_a_docstring(path: Path) -> None:
    missing = [
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        and not _is_inner(path, node)
    ]
    assert missing == []


def _is_inner(path: Path, wanted: ast.AST) -> bool:
    """Whether it is defined within a function, or in a private class."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        private = isinstance(node, ast.ClassDef) and node.name.startswith("_")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or private:
            inner = (each for each in ast.walk(node) if each is not node)
            if any(getattr(each, "lineno", 0) == getattr(wanted, "lineno", -1) for each in inner):
                return True
    return False
