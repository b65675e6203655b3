"""The command line as a function and as a process, in a folder of its own and without the user's settings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.services import Services
from veriscore_agent.cli import main

CLAIMS = (
    "The mill plainly stood by the river in 1902.",
    "The mill wrongly burned down in 1911.",
    "The bell deeply rang at noon on Sundays.",
    "The tower is 40 metres tall.",
)


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


RunCommand = Callable[..., Ended]


def clean_environment() -> dict[str, str]:
    """The environment without anything that the product reads; test runners set COLUMNS."""
    ours = ("VERISCORE_", "OPENAI_", "SERPER_", "PYTHONIOENCODING", "COLUMNS")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def write_answers(folder: Path, *claims: str, name: str = "answers.jsonl", answers: int = 1) -> str:
    """A file of answers that make these claims each; returns its name."""
    rows = [{"id": f"q{number}", "response": " ".join(claims or CLAIMS)} for number in range(1, answers + 1)]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def start_process(folder: Path, words: Sequence[str], variables: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start ``python -m veriscore_agent`` in ``folder``."""
    return subprocess.Popen(
        [sys.executable, "-m", "veriscore_agent", *words],
        cwd=folder,
        env=clean_environment() | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[RunCommand]:
    """Runs one command in this process, in ``tmp_path``, against ``services`` if they are given."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    for name in os.environ.keys() - clean_environment().keys():
        monkeypatch.delenv(name)

    def run(*words: str, services: Services | None = None, **variables: str) -> Ended:
        with monkeypatch.context() as patch:
            for name, value in ((services.environment() if services else {}) | variables).items():
                patch.setenv(name, value)
            code = main(words)
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err)

    yield run
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def process(tmp_path: Path) -> RunCommand:
    """Runs one command as a process of its own in ``tmp_path``."""

    def run(*words: str, services: Services | None = None, **variables: str) -> Ended:
        started = start_process(tmp_path, words, (services.environment() if services else {}) | variables)
        out, err = started.communicate(timeout=120)
        return Ended(started.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    return run
