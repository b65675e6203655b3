"""How the program names itself in what it advises to type."""

from __future__ import annotations

import pytest

from veriscore_agent.cli.output import program


@pytest.mark.parametrize(
    ("started", "on_path", "named"),
    [
        (".venv/bin/veriscore-agent", None, ".venv/bin/veriscore-agent"),
        ("a folder/veriscore-agent", None, "'a folder/veriscore-agent'"),
        (".venv/bin/veriscore-agent", "/bin/veriscore-agent", "veriscore-agent"),
        ("/somewhere/__main__.py", None, "veriscore-agent"),
    ],
)
def test_advice_can_be_typed_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, started: str, on_path: str | None, named: str
) -> None:
    monkeypatch.setattr("sys.argv", [started])
    monkeypatch.setattr("shutil.which", lambda _: on_path)
    assert program() == named
