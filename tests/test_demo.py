"""The bundled example: what it shows, that it needs nothing, and that its recording holds nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

DEMO = ROOT / "fixtures" / "demo"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo run, made in a process that has no setting and no key."""
    out = tmp_path_factory.mktemp("demo") / "run"
    code = "import sys; from veriscore_agent.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", "--out", str(out)],
        env={"PATH": "", "LANG": "C"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (out / "printed").write_text(done.stdout, encoding="utf-8")
    return out


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_it_prints_the_table_of_all_stages_for_both_models(run: Path) -> None:
    printed = (run / "printed").read_text(encoding="utf-8")
    for word in ("snippets", "pages", "rounds", "demo-model-a", "demo-model-b", "history", "science", "Overall"):
        assert word in printed


def test_claims_go_from_inconclusive_to_supported_and_to_contradicted_by_their_pages(run: Path) -> None:
    ways = [tuple(verdict["label"] for verdict in claim["verdicts"]) for claim in lines(run / "claims.jsonl")]
    assert ways.count(("inconclusive", "supported")) >= 8
    assert ways.count(("inconclusive", "contradicted")) >= 3
    assert any(way[-1] == "inconclusive" and len(way) > 1 for way in ways), "one stays inconclusive after its pages"


def test_every_claim_is_scored(run: Path) -> None:
    claims = lines(run / "claims.jsonl")
    assert len(claims) >= 45
    assert [claim["claim"]["id"] for claim in claims if claim["unscored"]] == []


def test_one_answer_has_no_claim_and_one_is_an_abstention(run: Path) -> None:
    answers = lines(run / "answers.jsonl")
    assert sum(answer["abstained"] for answer in answers) == 1
    assert sum(answer["claims"] == 0 and not answer["abstained"] for answer in answers) == 1


def test_every_quote_that_counts_stands_in_its_evidence(run: Path) -> None:
    for claim in lines(run / "claims.jsonl"):
        texts = {each["id"]: each for each in (*claim["snippets"], *claim["passages"])}
        for verdict in claim["verdicts"]:
            for finding in verdict["findings"]:
                evidence, start, end = texts[finding["evidence"]], finding["start"], finding["end"]
                quoted = evidence["text"][start:end] if start >= 0 else evidence["title"]
                letters = re.sub(r"\W+", "", finding["quote"])
                assert letters in re.sub(r"\W+", "", quoted)


def test_a_page_behind_a_challenge_and_one_that_is_gone_are_in_the_ledger(run: Path) -> None:
    visits = [visit for claim in lines(run / "claims.jsonl") for visit in claim["visits"]]
    outcomes = {(visit["outcome"], visit["status"]) for visit in visits}
    assert {("read", 200), ("blocked", 403), ("failed", 404)} <= outcomes


def test_two_runs_write_the_same_claims(run: Path, tmp_path: Path) -> None:
    from veriscore_agent.cli import main

    assert main(["demo", "--quiet", "--out", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "claims.jsonl").read_bytes() == (run / "claims.jsonl").read_bytes()


def test_the_recording_says_that_no_model_was_called() -> None:
    about = json.loads((DEMO / "exchanges" / "recording.json").read_text(encoding="utf-8"))["about"]
    assert "no hosted model" in about


def test_no_exchange_of_the_recording_is_unused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from veriscore_agent.adapters.recording.store import ExchangeStore
    from veriscore_agent.cli import main

    used: set[str] = set()
    find = ExchangeStore.find

    def watched(self: ExchangeStore, service: Any, key: str) -> Any:
        used.add(key)
        return find(self, service, key)

    monkeypatch.setattr(ExchangeStore, "find", watched)
    assert main(["demo", "--quiet", "--out", str(tmp_path / "run")]) == 0
    recorded = {path.name.split(".")[0] for path in (DEMO / "exchanges").rglob("*.yaml")}
    assert recorded
    assert recorded - used == set()


def test_the_recording_holds_no_key_and_made_hosts_alone() -> None:
    for path in (DEMO / "exchanges").rglob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?i)authorization|x-api-key|set-cookie", text), path.name
        hosts = set(re.findall(r"^    uri: \S+://([^/\s:]+)", text, re.MULTILINE))
        assert all(host.endswith(".example") or host == "127.0.0.1" for host in hosts), hosts
