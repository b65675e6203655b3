"""The flags that say what may be evidence, from the command line to the run's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.cli.conftest import RunCommand, write_answers
from tests.services import Services

PLAIN = "The mill plainly stood by the river in 1902."


def claims_of(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "claims.jsonl").read_text(encoding="utf-8").splitlines()]


def outcome_of(run: Path) -> tuple[str, list[str], list[str]]:
    """Label at snippets, flags, and the outcome of every line of the ledger."""
    (claim,) = claims_of(run)
    return claim["labels"]["snippets"]["ternary"], claim["flags"], [visit["outcome"] for visit in claim["visits"]]


def test_excluded_domains_may_be_given_one_by_one_or_with_commas(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path, PLAIN)
    flags = ("--exclude-domain", "a.example", "--exclude-domain", "127.0.0.1,b.example")
    with Services() as services:
        ended = command("score", name, "--out", "run", "--stages", "snippets", *flags, services=services)
        assert services.requests("page") == []
    assert ended.code == 0, ended.err
    settings = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["settings"]
    assert settings["exclude_domains"] == "a.example,127.0.0.1,b.example"
    assert outcome_of(tmp_path / "run") == ("inconclusive", ["all_results_excluded"], ["excluded", "excluded"])
    told = command("show", "run", "q1#1").out
    assert "excluded http://127.0.0.1" in told
    assert "why: excluded site: 127.0.0.1" in told


@pytest.mark.parametrize(
    ("domain", "label", "flags"),
    [("127.0.0.1", "supported", []), ("example.org", "inconclusive", ["all_results_excluded"])],
)
def test_only_domains(command: RunCommand, tmp_path: Path, domain: str, label: str, flags: list[str]) -> None:
    name = write_answers(tmp_path, PLAIN)
    with Services() as services:
        words = ("score", name, "--out", "run", "--stages", "snippets", "--only-domain", domain)
        assert command(*words, services=services).code == 0
        assert services.requests("search")[0].json()["q"] == f"{PLAIN} (site:{domain})"
    assert outcome_of(tmp_path / "run")[:2] == (label, flags)


def test_a_live_judge_may_take_less_of_the_frozen_evidence(command: RunCommand, tmp_path: Path) -> None:
    """The searches are asked for as they were recorded, whatever is taken of their results."""
    name = write_answers(tmp_path, PLAIN)
    with Services() as services:
        assert command("score", name, "--out", "run", "--stages", "snippets", services=services).code == 0
        words = ("score", name, "--replay", "run", "--live", "judge", "--stages", "snippets")
        for flags, label in (
            (("--only-domain", "example.org"), "inconclusive"),
            (("--as-of", "2020-01-01"), "supported"),
        ):
            out = f"judged{flags[0]}"
            ended = command(*words, "--out", out, *flags, services=services)
            assert ended.code == 0, ended.err
            assert outcome_of(tmp_path / out)[0] == label
        assert len(services.requests("search")) == 1


def test_as_of_a_day_is_part_of_the_search_and_of_its_replay(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path, PLAIN)
    with Services() as services:
        words = ("score", name, "--stages", "snippets")
        assert command(*words, "--out", "run", "--as-of", "2024-05-31", services=services).code == 0
        assert services.requests("search")[0].json()["tbs"] == "cdr:1,cd_max:05/31/2024"
    assert command(*words, "--out", "again", "--replay", "run").code == 0
    other = command(*words, "--out", "other", "--replay", "run", "--as-of", "2024-06-30")
    assert other.code == 3
    assert "not in the recording" in other.err


def test_the_source_of_an_answer_is_no_evidence_for_its_claims(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        source = f"{services.url}/pages/1/{quote(PLAIN, safe='')}"
        row = {"id": "q1", "response": PLAIN, "source": source}
        (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        assert command("score", "a.jsonl", "--out", "run", "--stages", "snippets", services=services).code == 0
    (claim,) = claims_of(tmp_path / "run")
    assert claim["labels"]["snippets"]["ternary"] == "inconclusive"
    assert [(visit["link"], visit["reason"]) for visit in claim["visits"]] == [
        (source, "the answer was written from it")
    ]
    assert [snippet["id"] for snippet in claim["snippets"]] == ["S1"]


def test_a_page_that_holds_the_answer_is_no_evidence_where_that_is_asked_for(
    command: RunCommand, tmp_path: Path
) -> None:
    long = (
        "The bell of the old harbour church deeply rang at noon on every Sunday between the years 1850 and 1902, in "
        "all weathers."
    )
    name = write_answers(tmp_path, long)
    labels = {}
    for out, flags in (("kept", ()), ("left-out", ("--exclude-copies",))):
        with Services() as services:
            assert command("score", name, "--out", out, "--rounds", "0", *flags, services=services).code == 0
        (claim,) = claims_of(tmp_path / out)
        labels[out] = claim["labels"]["pages"]["ternary"], claim["visits"][0]["outcome"]
    assert labels == {"kept": ("supported", "read"), "left-out": ("inconclusive", "excluded")}


def test_a_run_that_did_not_know_a_setting_is_not_gone_on_with_under_another_value(
    command: RunCommand, tmp_path: Path
) -> None:
    name = write_answers(tmp_path, PLAIN)
    words = ("score", name, "--out", "run", "--stages", "snippets")
    record = tmp_path / "run" / "run.json"
    with Services() as services:
        assert command(*words, services=services).code == 0
        known = json.loads(record.read_text(encoding="utf-8"))
        del known["settings"]["as_of"]
        record.write_text(json.dumps(known), encoding="utf-8")
        ended = command(*words, "--as-of", "2024-05-31", services=services)
        assert (ended.code, "as_of: '' in the run, '2024-05-31' now" in ended.err) == (2, True)
        assert command(*words, services=services).code == 0
        assert len(services.requests("search")) == 1
