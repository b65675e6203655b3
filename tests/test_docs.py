"""Every example in README, docs and examples/ is run, offline."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.services import Services

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    (veriscore-agent .*)$", re.MULTILINE)
ANSWERS = '{"question": "Q?", "response": "The bridge plainly stands.", "model": "m", "id": "q1"}\n'


def run(words: list[str], *, folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI", "SERPER", "VERISCORE"))}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**kept, **(environment or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_an_example_runs_offline(path: Path) -> None:
    assert run([sys.executable, str(path)]).strip()


def blocks() -> list[tuple[str, str]]:
    return [(page.name, block) for page in PAGES for block in PYTHON_BLOCK.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "block"), blocks())
def test_python_in_the_docs_runs(page: str, block: str) -> None:
    assert run([sys.executable, "-c", block]).strip()


def commands() -> list[str]:
    found = [match for page in PAGES for match in COMMAND.findall(page.read_text(encoding="utf-8"))]
    return [re.sub(r"\s{2,}#.*", "", command).strip() for command in found]


def test_the_commands_in_the_docs_run_one_after_the_other(tmp_path: Path) -> None:
    """In one folder, in the order in which they are read, against services on loopback."""
    (tmp_path / "answers.jsonl").write_text(ANSWERS, encoding="utf-8")
    (tmp_path / "claims.jsonl").write_text('{"claim": "The bridge plainly stands."}\n', encoding="utf-8")
    program = [sys.executable, "-m", "veriscore_agent"]
    seen = 0
    with Services() as services:
        environment = services.environment()
        for command in commands():
            words = shlex.split(command.replace("CLAIM-ID", "m/q1#1"))[1:]
            run([*program, *words], folder=tmp_path, environment=environment)
            seen += 1
    assert seen >= 6


def test_links_between_the_docs_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
