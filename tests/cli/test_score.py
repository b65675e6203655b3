"""``score`` against scripted services: results, resume, limits on spending, record and replay."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import CLAIMS, RunCommand, write_answers
from tests.conftest import ROOT
from tests.loopback import Received, Reply, json_reply
from tests.services import KEY, Services


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def labels(run: Path) -> dict[str, str]:
    """The last label of every claim, by its text."""
    rows = read_rows(run / "claims.jsonl")
    return {row["claim"]["text"]: row["verdicts"][-1]["label"] if row["verdicts"] else "unscored" for row in rows}


def test_answers_become_a_run_with_its_scores(command: RunCommand, tmp_path: Path) -> None:
    claims = (*CLAIMS, "The well secretly ran dry in 1950.", "The gate later opened to the public in 1980.")
    name = write_answers(tmp_path, *claims, "Perhaps nobody knows.")
    with Services() as services:
        ended = command("score", name, "--out", "run", "--csv", "claims.csv", services=services)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("VeriScore-style F1@K")
    assert "run: run" in ended.err
    assert labels(tmp_path / "run") == dict(
        zip(
            claims,
            ("supported", "contradicted", "supported", "inconclusive", "contradicted", "supported"),
            strict=True,
        )
    )
    stages = [[verdict["stage"] for verdict in row["verdicts"]] for row in read_rows(tmp_path / "run" / "claims.jsonl")]
    assert stages[:3] == [["snippets"], ["snippets"], ["snippets", "pages"]]
    assert stages[5][-1] == "rounds"
    (answer,) = read_rows(tmp_path / "run" / "answers.jsonl")
    assert [answer["scores"][stage]["supported"] for stage in ("snippets", "pages", "rounds")] == [1, 2, 3]
    assert json.loads((tmp_path / "run" / "k.json").read_text(encoding="utf-8"))["k"] == {"": 6}
    with (tmp_path / "claims.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["claim"] for row in csv.DictReader(stream)] == list(claims)


def test_the_record_of_a_run_says_what_it_was_made_of(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        command("score", write_answers(tmp_path), "--out", "run", "--hl", "de", services=services)
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    schema = json.loads((ROOT / "docs" / "schema" / "run.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(record, schema)
    assert (record["status"], record["settings"]["hl"], record["input"]["answers"]) == ("complete", "de", 1)
    assert record["prompts"]["judge_system.v1"]
    assert record["software"]["libraries"]["openai"]
    (session,) = record["sessions"]
    assert session["usage"]["extract"]["calls"] == 4
    assert session["ended"] >= session["started"]
    assert record["summary"]["groups"][0]["claims"] == 4


def test_nothing_of_a_run_holds_a_key(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        ended = command("score", write_answers(tmp_path), "--out", "run", "--verbose", services=services)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in ended.out + ended.err


def test_json_is_one_object_for_machines_and_quiet_says_nothing(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        ended = command("score", write_answers(tmp_path), "--json", "--quiet", "--stages", "pages", services=services)
    assert (ended.code, ended.err) == (0, "")
    assert ended.json()["stages"] == ["snippets", "pages"]
    assert ended.json()["overall"][0]["stages"][1]["f1"]["value"] == 0.5
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.startswith("answers-2")


def test_a_missed_threshold_is_told_and_exits_with_1(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path)
    with Services() as services:
        words = ("score", name, "--out", "run", "--fail-under", "snippets=0.25", "--fail-under")
        assert command(*words, "pages=0.5", services=services).code == 0
        ended = command(*words, "pages=0.51", services=services)
    assert ended.code == 1
    assert "F1@K after pages is 0.500, below 0.51" in ended.err


def test_lines_that_are_skipped_are_counted(command: RunCommand, tmp_path: Path) -> None:
    row = json.dumps({"response": CLAIMS[0]})
    (tmp_path / "a.jsonl").write_text(f"{row}\nbroken\n[]\n{row}\n", encoding="utf-8")
    with Services() as services:
        ended = command("score", "a.jsonl", "--out", "run", "--skip-bad", services=services)
    assert ended.code == 0
    assert "skipped 2 bad lines; the first: a.jsonl:2: not JSON" in ended.err
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert [text.split(": ")[0] for text in record["input"]["skipped"]] == ["a.jsonl:2", "a.jsonl:3"]


def test_given_claims_and_searches_are_not_asked_for_again(command: RunCommand, tmp_path: Path) -> None:
    """No search is needed, so that no search service need be configured."""
    result = {"title": "T", "snippet": CLAIMS[0], "link": "https://a.example/"}
    row = {
        "response": "The mill. The tower.",
        "all_claims": [CLAIMS[0], CLAIMS[3]],
        "claim_search_results": {CLAIMS[0]: [result], CLAIMS[3]: []},
        "claim_verification_result": [{"claim": CLAIMS[0], "verification_result": "supported"}],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with Services() as services:
        dead = {"SERPER_BASE_URL": "", "SERPER_API_KEY": ""}
        ended = command("score", "a.jsonl", "--out", "run", "--stages", "snippets", services=services, **dead)
        assert (services.requests("extract"), services.requests("search")) == ([], [])
    assert ended.code == 0, ended.err
    assert labels(tmp_path / "run") == {CLAIMS[0]: "supported", CLAIMS[3]: "inconclusive"}
    assert read_rows(tmp_path / "run" / "claims.jsonl")[0]["claim"]["reference_label"] == "supported"


def test_the_authors_own_file_is_judged_and_nothing_else(
    command: RunCommand, tmp_path: Path, shared_data: Path
) -> None:
    """Its claims, its searches and its verdicts are taken as they are, and its links stay closed."""
    source = str(shared_data / "data" / "veriscore_reference_output.jsonl")
    with Services() as services:
        ended = command("score", source, "--out", "run", "--stages", "snippets", services=services)
        asked = {kind: len(services.requests(kind)) for kind in ("extract", "search", "page", "plan", "judge")}
    assert ended.code == 0, ended.err
    assert asked == {"extract": 0, "search": 0, "page": 0, "plan": 0, "judge": 25}
    rows = read_rows(tmp_path / "run" / "claims.jsonl")
    assert [row["claim"]["reference_label"] for row in rows].count("supported") == 24
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["summary"]["reference"][0]["agreement"]["total"] == 25
    assert "reference_label" in ended.out
    assert command("score", source, "--out", "again", "--replay", "run").code == 0
    assert (tmp_path / "again" / "claims.jsonl").read_bytes() == (tmp_path / "run" / "claims.jsonl").read_bytes()


# ---------------------------------------------------------------- stop and resume

STOPS = [
    ("a refused key", 401, {"error": {"message": "bad key", "code": "invalid_api_key"}}),
    ("no credit", 402, {"error": {"message": "Insufficient credits"}}),
    ("exhausted quota, whatever its status", 429, {"error": {"message": "quota", "code": "insufficient_quota"}}),
]


@pytest.mark.parametrize(("status", "body"), [row[1:] for row in STOPS], ids=[row[0] for row in STOPS])
def test_a_refusal_in_mid_run_keeps_results_and_the_same_command_goes_on(
    command: RunCommand, tmp_path: Path, status: int, body: dict[str, Any]
) -> None:
    name = write_answers(tmp_path)
    refused = True

    def fault(request: Received, before: int, kind: str) -> Reply | None:
        return json_reply(body, status) if refused and kind == "judge" and before >= 2 else None

    with Services(fault) as services:
        ended = command("score", name, "--out", "run", services=services)
        assert ended.code == 4
        assert "stopped: model: " in ended.err
        assert (
            "what is finished is kept in run; go on with:\n  veriscore-agent score answers.jsonl --out run" in ended.err
        )
        assert list(labels(tmp_path / "run").values()).count("unscored") == 2
        record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
        assert (record["status"], record["summary"]["complete"]) == ("stopped", False)
        answered = services.paid()[: -len(services.requests("judge")) + 2]
        refused = False
        again = command("score", name, "--out", "run", services=services)
        assert again.code == 0, again.err
        assert "going on with run" in again.err
        asked_twice = [each for each in set(answered) if services.paid().count(each) > answered.count(each)]
        judged = [request.body for request in services.requests("judge")]
    assert [each for each in asked_twice if '"q"' in each] == []
    assert len(judged) - len(set(judged)) <= 2
    assert list(labels(tmp_path / "run")) == list(CLAIMS)
    assert "unscored" not in labels(tmp_path / "run").values()


def test_a_run_that_is_whole_asks_for_nothing(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path)
    with Services() as services:
        first = command("score", name, "--out", "run", services=services)
    again = command("score", name, "--out", "run", "--allow-private-hosts")
    assert (again.code, again.out) == (0, first.out)
    assert "is complete already" in again.err
    assert "\ncalls of this run so far: extract 4" in again.err
    assert "\ncalls: extract 4" in first.err


def test_a_recording_that_cannot_be_written_stops_the_run_and_tells_how_to_go_on(
    command: RunCommand, tmp_path: Path
) -> None:
    words = ("score", write_answers(tmp_path), "--out", "run", "--record", "kept")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "search").write_text("no folder", encoding="utf-8")
    with Services() as services:
        stopped = command(*words, services=services)
        assert (stopped.code, "Traceback" in stopped.err) == (4, False)
        assert "stopped: the recording cannot be written: " in stopped.err
        assert "go on with:\n  veriscore-agent score" in stopped.err
        (tmp_path / "kept" / "search").unlink()
        assert command(*words, services=services).code == 0
        extracted = [request.body for request in services.requests("extract")]
    assert len(extracted) == len(set(extracted)) == len(CLAIMS)


@pytest.mark.parametrize("line", ["", "{}\n", "no JSON\n"])
def test_a_line_that_is_damaged_after_the_end_is_made_anew_from_the_exchanges(
    command: RunCommand, tmp_path: Path, line: str
) -> None:
    words = ("score", write_answers(tmp_path), "--out", "run")
    file = tmp_path / "run" / "claims.jsonl"
    with Services() as services:
        command(*words, services=services)
        whole, paid = file.read_bytes(), len(services.paid())
        file.write_bytes(line.encode() + whole.partition(b"\n")[2])
        if line:
            ended = command("rescore", "run")
            assert (ended.code, ended.out) == (2, "")
            assert "claims.jsonl:1: " in ended.err
        ended = command(*words, services=services)
        assert (ended.code, file.read_bytes()) == (0, whole), ended.err
        assert len(services.paid()) == paid


def test_more_answers_at_the_end_go_on_with_the_run(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path, answers=2)
    with Services() as services:
        assert command("score", name, "--out", "run", "--limit", "1", services=services).code == 0
        before = len(services.paid())
        assert command("score", name, "--out", "run", services=services).code == 0
        assert len(services.paid()) == before
    assert len(read_rows(tmp_path / "run" / "claims.jsonl")) == 2 * len(CLAIMS)


def test_other_settings_are_refused_with_the_difference_and_force_keeps_the_old_run(
    command: RunCommand, tmp_path: Path
) -> None:
    """K11."""
    name = write_answers(tmp_path)
    with Services() as services:
        assert command("score", name, "--out", "run", services=services).code == 0
        old = (tmp_path / "run" / "claims.jsonl").read_bytes()
        ended = command("score", name, "--out", "run", "--model", "other", services=services)
        assert ended.code == 2
        assert "run holds a run of other settings: model: 'gpt-4o' in the run, 'other' now" in ended.err
        k = command("score", name, "--out", "run", "--k", "3", services=services)
        assert (k.code, "veriscore-agent rescore run --k" in k.err) == (2, True)
        assert (tmp_path / "run" / "claims.jsonl").read_bytes() == old
        forced = command("score", name, "--out", "run", "--model", "other", "--force", services=services)
    assert forced.code == 0
    (aside,) = tmp_path.glob("run.old-*")
    assert (aside / "claims.jsonl").read_bytes() == old


def test_a_cap_on_spending_ends_the_run_and_a_higher_one_goes_on(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path)
    (tmp_path / "prices.toml").write_text(
        '[models."gpt-4o"]\ninput = 100.0\noutput = 0.0\n[search."127.0.0.1"]\nper_thousand = 0.0\n', encoding="utf-8"
    )
    words = ("score", name, "--out", "run", "--prices", "prices.toml", "--model-concurrency", "1", "--max-cost")
    with Services() as services:
        ended = command(*words, "0.65", services=services)
        assert ended.code == 4
        assert "the cap of $0.65 is reached" in ended.err
        assert "go on with a higher cap in the place of USD:\n  veriscore-agent score" in ended.err
        assert ended.err.rstrip().endswith("--model-concurrency 1 --max-cost USD")
        spent = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["sessions"][0]["spent"]
        assert 0.4 <= spent <= 0.65
        before = len(services.paid())
        same = command(*words, "0.65", services=services)
        assert (same.code, len(services.paid())) == (4, before)
        assert "give a higher --max-cost" in same.err
        assert command(*words, "5", services=services).code == 0
    assert "unscored" not in labels(tmp_path / "run").values()


def test_a_failure_leaves_the_run_incomplete_and_is_tried_again(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path, *CLAIMS[:2])
    broken = True

    def fault(request: Received, before: int, kind: str) -> Reply | None:
        return (
            json_reply({"message": "no"}, 400) if broken and kind == "search" and b"wrongly" in request.body else None
        )

    with Services(fault) as services:
        ended = command("score", name, "--out", "run", services=services)
        assert ended.code == 4
        assert labels(tmp_path / "run") == {CLAIMS[0]: "supported", CLAIMS[1]: "unscored"}
        assert json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["status"] == "incomplete"
        broken = False
        assert command("score", name, "--out", "run", services=services).code == 0
        assert len(services.requests("judge")) == 2
    assert labels(tmp_path / "run") == {CLAIMS[0]: "supported", CLAIMS[1]: "contradicted"}


def test_what_is_missing_is_counted_by_reason_and_listed(command: RunCommand, tmp_path: Path) -> None:
    """One sentence is refused by the model's service, one claim by the search."""

    def fault(request: Received, before: int, kind: str) -> Reply | None:
        refused = (kind == "search" and b"wrongly" in request.body) or (
            kind == "extract" and b"<SOS>The bell" in request.body
        )
        return json_reply({"error": {"message": "no"}}, 400) if refused else None

    with Services(fault) as services:
        ended = command("score", write_answers(tmp_path, *CLAIMS[:3]), "--out", "run", services=services)
    missing = "1 claim unscored (search_failed 1), 1 sentence not extracted (model_failed 1)"
    assert ended.code == 4
    assert f"incomplete: {missing}; to try that again:\n  veriscore-agent score" in ended.err
    again = command("rescore", "run")
    assert (again.code, f"the run is incomplete: {missing}" in again.err) == (4, True)
    listed = command("show", "run").out.splitlines()
    assert len(listed) == 3
    assert listed[-1].startswith("q1 sentence 3 not extracted (model_failed: ")
    assert listed[-1].endswith(f" {CLAIMS[2]}")


# ---------------------------------------------------------------- record and replay


def test_a_replay_needs_no_service_and_gives_an_identical_file(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path)
    with Services() as services:
        command("score", name, "--out", "run", "--gl", "de", "--audit", "0.5", "--second-look", services=services)
        command("score", name, "--out", "other", "--record", "kept", "--gl", "de", services=services)
    for recording, out, like in (("run", "a", "run"), ("run/exchanges", "b", "run"), ("kept", "c", "other")):
        ended = command("score", name, "--replay", recording, "--out", out)
        assert ended.code == 0, ended.err
        assert "no paid call was made" in ended.err
        for file in ("claims.jsonl", "answers.jsonl", "k.json"):
            assert (tmp_path / out / file).read_bytes() == (tmp_path / like / file).read_bytes()
    assert not (tmp_path / "other" / "exchanges").exists()


def test_a_request_that_is_not_recorded_ends_a_replay_with_3(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        command("score", write_answers(tmp_path), "--out", "run", services=services)
    other = write_answers(tmp_path, "The bridge plainly spans 90 metres.", name="other.jsonl")
    ended = command("score", other, "--replay", "run", "--out", "replayed")
    assert ended.code == 3
    assert "not in the recording" in ended.err
    assert "closest recorded:" in ended.err
    assert not (tmp_path / "replayed").exists()


def test_a_live_judge_judges_the_frozen_evidence_anew(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path)
    with Services() as services:
        command("score", name, "--out", "run", services=services)
        counts = {kind: len(services.requests(kind)) for kind in ("extract", "search", "page", "judge", "plan")}
        words = ("score", name, "--out", "judged", "--replay", "run", "--live", "judge", "--model", "other-model")
        ended = command(*words, services=services)
        after = {kind: len(services.requests(kind)) for kind in counts}
        models = [request.json()["model"] for request in services.requests("judge")[counts["judge"] :]]
    assert ended.code == 0, ended.err
    assert {kind: after[kind] - counts[kind] for kind in ("extract", "search", "page")} == dict.fromkeys(
        ("extract", "search", "page"), 0
    )
    assert models == ["other-model"] * counts["judge"]
    assert labels(tmp_path / "judged") == labels(tmp_path / "run")
    replayed = command("score", name, "--out", "again", "--replay", "judged")
    assert replayed.code == 0, replayed.err
    assert (tmp_path / "again" / "claims.jsonl").read_bytes() == (tmp_path / "judged" / "claims.jsonl").read_bytes()


def test_what_a_live_judge_wants_and_was_not_recorded_is_listed(command: RunCommand, tmp_path: Path) -> None:
    """The recorded run stops at snippets, so that it holds no page; with every page recorded nothing is missing."""
    name = write_answers(tmp_path, CLAIMS[2])
    with Services() as services:
        for out, more in (("few", []), ("all", ["--record-pages", "all"])):
            command("score", name, "--out", out, "--stages", "snippets", *more, services=services)
            words = ("score", name, "--out", f"judged-{out}", "--replay", out, "--live", "judge", "--stages", "pages")
            ended = command(*words, services=services)
            assert ended.code == 0, ended.err
            missing = [line for line in ended.err.splitlines() if line.startswith("not in the recording")]
            assert (len(missing) > 0) is (out == "few")
    assert labels(tmp_path / "judged-few") == {CLAIMS[2]: "inconclusive"}
    assert labels(tmp_path / "judged-all") == {CLAIMS[2]: "supported"}


# ---------------------------------------------------------------- after a run


def test_show_tells_a_claims_story_and_lists_near_ids(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        command("score", write_answers(tmp_path), "--out", "run", services=services)
    story = command("show", "run", "q1#3")
    assert story.code == 0
    for expected in ("snippets inconclusive -> pages supported", "SEARCH RESULTS", "PASSAGES", "supports P1 (trust"):
        assert expected in story.out
    assert command("show", "run", "q1#3", "--json").json()["claim"]["id"] == "q1#3"
    assert len(command("show", "run").out.splitlines()) == len(CLAIMS)
    assert len(command("show", "run", "--json").json()) == len(CLAIMS)
    unknown = command("show", "run", "q1#33")
    assert (unknown.code, "the closest: q1#3" in unknown.err) == (2, True)


def test_check_prints_its_trace_as_it_unfolds(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        ended = command("check", CLAIMS[2], services=services)
        assert ended.code == 0, ended.err
        nodes = list(dict.fromkeys(line.split(":")[0] for line in ended.out.splitlines()[:-1]))
        assert nodes[:3] == ["search", "judge_snippets", "choose_pages"]
        assert nodes[3:] == ["read_pages", "choose_passages", "judge_pages", "conclude"]
        assert ended.out.splitlines()[-1] == f"snippets inconclusive -> pages supported: {CLAIMS[2]}"
        assert not list(tmp_path.iterdir())
        kept = command("check", CLAIMS[2], "--out", "run", "--json", services=services)
        assert (kept.code, kept.json()["ended"]) == (0, "decided")
        assert "search: " in kept.err
    assert command("show", "run", "claim").code == 0
    assert command("check", CLAIMS[2], "--replay", "run", "--quiet").out.startswith("snippets inconclusive")


def test_show_and_check_fit_the_terminal(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        command("check", CLAIMS[3], "--out", "run", services=services)
        checked = command("check", CLAIMS[3], services=services, COLUMNS="50")
        whole = command("check", CLAIMS[3], services=services)
    shown = command("show", "run", "claim", COLUMNS="50")
    for text in (checked.out, shown.out):
        assert max(len(line) for line in text.splitlines() if len(line.split()) > 2) <= 50
    assert max(len(line) for line in whole.out.splitlines()) > 50
    assert checked.out.split() == whole.out.split()


def test_check_of_a_claim_without_a_verdict_exits_with_4(command: RunCommand, tmp_path: Path) -> None:
    def fault(request: Received, before: int, kind: str) -> Reply | None:
        return json_reply({"message": "no"}, 400) if kind == "search" else None

    with Services(fault) as services:
        ended = command("check", CLAIMS[0], services=services)
    assert ended.code == 4
    assert "no verdict: " in ended.err


def test_doctor_tells_what_is_there_and_what_is_missing(command: RunCommand) -> None:
    with Services() as services:
        ended = command("doctor", services=services)
        assert ended.code == 0, ended.out
        assert "OPENAI_API_KEY is set" in ended.out
        assert KEY not in ended.out
        checks = {check["name"]: check["ok"] for check in command("doctor", "--json", services=services).json()}
    assert checks.keys() >= {"software", "keys", "tokens", "prices", "model", "search"}
    bad = command("doctor", "--offline", "--prompts", "none")
    assert (bad.code, "FAIL  prompts" in bad.out) == (2, True)
    assert command("doctor").code == 2


def test_the_command_line_reads_standard_input(
    command: RunCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": CLAIMS[0]}), encoding="utf-8")
    with Services() as services, (tmp_path / "a.jsonl").open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        ended = command("score", "-", "--out", "run", services=services)
    assert ended.code == 0, ended.err
    assert os.listdir(tmp_path / "run")
