"""``rescore``: other aggregations of a run, which stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import RunCommand, write_answers
from tests.services import Services


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but the lock, with its content."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_rescore_prints_another_k_and_leaves_the_run_as_it_is(command: RunCommand, tmp_path: Path) -> None:
    """The command that made the run is then still the command of the run."""
    words = ("score", write_answers(tmp_path), "--out", "run")
    with Services() as services:
        command(*words, services=services)
    before = contents(tmp_path / "run")
    ended = command("rescore", "run", "--k", "2", "--json", "--fail-under", "pages=0.67", "--csv", "c.csv")
    assert ended.code == 1
    assert ended.json()["k_rule"] == "2"
    assert ended.json()["groups"][0]["stages"][1]["f1"]["value"] == pytest.approx(2 / 3)
    assert (tmp_path / "c.csv").read_text(encoding="utf-8").startswith("model,domain,answer,claim_id")
    assert command("rescore", "run", "--sampling-seed", "5").code == 0
    assert command("rescore", "run", "--k", "run/k.json").code == 0
    assert contents(tmp_path / "run") == before
    again = command(*words, "--allow-private-hosts")
    assert (again.code, "complete already" in again.err) == (0, True)


def test_rescore_needs_no_file_of_k_that_the_run_was_scored_with(command: RunCommand, tmp_path: Path) -> None:
    """What the file said stands in the run; a file that is named now has to be there."""
    (tmp_path / "ks.csv").write_text(",2\n", encoding="utf-8")
    with Services() as services:
        scored = command("score", write_answers(tmp_path), "--out", "run", "--k", "ks.csv", services=services)
    (tmp_path / "ks.csv").unlink()
    ended = command("rescore", "run")
    assert (ended.code, ended.out) == (0, scored.out), ended.err
    named = command("rescore", "run", "--k", "ks.csv")
    assert (named.code, "ks.csv: neither reference, median" in named.err) == (2, True)


def test_an_unwritable_csv_is_told_before_anything_is_printed(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        command("score", write_answers(tmp_path), "--out", "run", services=services)
    ended = command("rescore", "run", "--k", "9", "--csv", "none/c.csv")
    assert (ended.code, ended.out) == (2, "")
    assert "none/c.csv" in ended.err


@pytest.mark.parametrize("csv", ["run/claims.jsonl", "link.jsonl", "answers.jsonl", "hard.jsonl"])
def test_results_are_never_written_over_a_run_or_its_input(command: RunCommand, tmp_path: Path, csv: str) -> None:
    """By whatever name: a link leads to the same file."""
    words = ("score", write_answers(tmp_path), "--out", "run", "--allow-private-hosts")
    with Services() as services:
        command(*words, services=services)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "run" / "claims.jsonl")
    (tmp_path / "hard.jsonl").hardlink_to(tmp_path / "answers.jsonl")
    before = contents(tmp_path)
    for ended in (command(*words, "--csv", csv), command("rescore", "run", "--csv", csv)):
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"veriscore-agent: cannot write {csv}: it ")
        assert ended.err.count("\n") == 1
    assert contents(tmp_path) == before
