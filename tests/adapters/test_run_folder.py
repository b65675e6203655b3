"""The run folder: one writer, nothing lost at a kill, nothing half written."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from veriscore_agent.adapters.run_folder import (
    RunFolder,
    answers_digest,
    begin_record,
    holds_run,
    move_aside,
    read_record,
    read_run,
)
from veriscore_agent.core.scoring import score_all
from veriscore_agent.domain import (
    Answer,
    AnswerKey,
    AnswerOutcome,
    Claim,
    ClaimOutcome,
    Finding,
    GivenClaim,
    Snippet,
    Verdict,
)
from veriscore_agent.errors import ConfigurationError, InputError, StopRunError
from veriscore_agent.report.records import claim_record
from veriscore_agent.report.run_record import (
    RUN_SCHEMA,
    InputRecord,
    RecordingRecord,
    RunRecord,
    SessionRecord,
    UsageRecord,
    differences,
)
from veriscore_agent.settings import LOCAL_SETTINGS, Settings

KEY = AnswerKey("m", "a", "d")
ANSWERS = (Answer("a", "One."), Answer("b", "Two."))


def outcome(name: str, text: str = "Oslo is in Norway.") -> ClaimOutcome:
    finding = Finding(0, "S1", "supports", "Oslo, Norway", start=0, end=12)
    verdict = Verdict("supported", "snippets", "grounded", (text,), (finding,))
    return ClaimOutcome(Claim(name, text, (0,), (text,)), KEY, (verdict,), snippets=(Snippet("S1", "t", "l", "x"),))


def line(name: str) -> bytes:
    return json.dumps(claim_record(outcome(name))).encode() + b"\n"


def record(settings: Settings | None = None, answers: tuple[Answer, ...] = ANSWERS, **more: Any) -> RunRecord:
    read = InputRecord("answers.jsonl", len(answers), answers_digest(answers))
    recording = RecordingRecord(replay=more.pop("replay", None))
    return begin_record(settings or Settings(), read, recording, **more)


def names(folder: Path) -> list[str]:
    return [each.claim.id for each in read_run(folder).claims]


def strict(text: str) -> Any:
    """Parse as other languages do: NaN and Infinity are no JSON."""

    def refuse(name: str) -> float:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


TAILS = [
    ("K03: half a line", b'{"schema":"ver', ["q1", "q2"], True),
    ("half a character", '{"id":"Ž'.encode()[:-1], ["q1", "q2"], True),
    ("a whole line but for its newline", line("q7").strip(), ["q1", "q2", "q7"], False),
    ("nothing", b"", ["q1", "q2"], False),
    ("half a line longer than one piece of the search for its start", b'{"x":"' + b"y" * 200_000, ["q1", "q2"], True),
]


@pytest.mark.parametrize(("tail", "known", "mended"), [row[1:] for row in TAILS], ids=[row[0] for row in TAILS])
def test_a_killed_run_goes_on_after_its_last_whole_claim(
    tmp_path: Path, tail: bytes, known: list[str], mended: bool
) -> None:
    claims = tmp_path / "claims.jsonl"
    claims.write_bytes(line("q1") + line("q2") + tail)
    with RunFolder(tmp_path) as folder:
        folder.write_record(record())
        assert folder.mended is mended
        assert names(tmp_path) == known
        folder.append_claim(outcome("next"))
    written = [strict(each)["claim"]["id"] for each in claims.read_text(encoding="utf-8").splitlines()]
    assert written == [*known, "next"]


def test_a_file_that_is_half_a_line_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "claims.jsonl").write_bytes(b'{"id":"q1"')
    with RunFolder(tmp_path) as folder:
        assert folder.mended
    assert (tmp_path / "claims.jsonl").read_bytes() == b""


def test_a_broken_line_in_the_middle_costs_that_line_alone(tmp_path: Path) -> None:
    other = b'{"schema": "veriscore-agent/claims/99"}\n'
    (tmp_path / "claims.jsonl").write_bytes(line("q1") + b'{"id":"q\xff\n[3]\n' + other + line("q4"))
    with RunFolder(tmp_path) as folder:
        folder.write_record(record())
    run = read_run(tmp_path)
    assert names(tmp_path) == ["q1", "q4"]
    assert [problem.partition("claims.jsonl:")[2][:6] for problem in run.unreadable] == ["2: not", "3: not", "4: its"]


def test_of_a_claim_that_was_tried_again_the_last_outcome_counts(tmp_path: Path) -> None:
    again = replace(outcome("q1"), flags=("second",))
    with RunFolder(tmp_path) as folder:
        folder.write_record(record())
        for each in (outcome("q1"), outcome("q2"), again):
            folder.append_claim(each)
    assert read_run(tmp_path).claims == (again, outcome("q2"))


def test_every_claim_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        for number in range(3):
            folder.append_claim(outcome(str(number)))
            assert (tmp_path / "claims.jsonl").read_bytes().count(b"\n") == number + 1


def test_any_text_is_written_as_utf8_whatever_the_locale(tmp_path: Path) -> None:
    """K05: characters that cp1252 lacks, and half an emoji, which no encoding has."""
    script = (
        "from pathlib import Path; import sys; from veriscore_agent.adapters.run_folder import RunFolder\n"
        "from tests.adapters.test_run_folder import outcome, record\n"
        "with RunFolder(Path(sys.argv[1])) as folder:\n"
        "    folder.append_claim(outcome('id', '\\u017d \\u2705 \\u2192 \\ud83d'))\n"
        "    folder.write_record(record())\n"
    )
    root = Path(__file__).parent.parent.parent
    environment = os.environ | {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C", "PYTHONUTF8": "0"}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], env=environment, check=True, timeout=60, cwd=root)
    assert strict((tmp_path / "claims.jsonl").read_text(encoding="utf-8"))["claim"]["text"] == "Ž ✅ → \ufffd"
    assert read_run(tmp_path).claims[0].claim.text == "Ž ✅ → \ufffd"


def test_files_are_replaced_whole_and_leave_no_draft(tmp_path: Path) -> None:
    answer = AnswerOutcome(KEY, None, 1, 2, 2, 2)
    session = SessionRecord("2026-01-02T03:04:05+00:00", spent=0.5, usage={"judge": UsageRecord(2, 10, 0, 3, None)})
    whole = replace(record(), status="complete", sessions=(session, session))
    with RunFolder(tmp_path) as folder:
        folder.append_claim(outcome("2"))
        folder.append_claim(outcome("1"))
        folder.replace_claims(outcome(name) for name in ("1", "2"))
        folder.append_claim(outcome("3"))
        folder.replace_answers(score_all([answer], [outcome("1")], k={"d": 1}))
        folder.write_record(whole)
        folder.write_k('{"k": {}}\n')
    run = read_run(tmp_path)
    assert names(tmp_path) == ["1", "2", "3"]
    assert (run.answers, run.record, run.unreadable) == ((answer,), whole, ())
    assert run.record.spent == 1.0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["answers.jsonl", "claims.jsonl", "k.json", "run.json"]


def test_every_file_parses_with_a_strict_reader(tmp_path: Path) -> None:
    """K06: a score that is no number is null, never a bare NaN."""
    (scored,) = score_all([AnswerOutcome(KEY, None, 1, 2, 2, 2)], [outcome("1")], k={"d": 1})
    scores = {stage: replace(score, f1=float("nan"), high=float("inf")) for stage, score in scored.scores.items()}
    with RunFolder(tmp_path) as folder:
        folder.replace_answers([replace(scored, scores=scores)])
    written = strict((tmp_path / "answers.jsonl").read_text(encoding="utf-8"))
    assert (written["scores"]["snippets"]["f1"], written["scores"]["snippets"]["high"]) == (None, None)


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/full")
def test_a_full_disk_stops_the_run_with_a_reason(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        (tmp_path / "claims.jsonl").symlink_to("/dev/full")
        with pytest.raises(StopRunError, match=r"cannot write .*claims\.jsonl: No space left"):
            folder.append_claim(outcome("1"))


# ---------------------------------------------------------------- one writer

HOLD = (
    "from pathlib import Path; import sys, time; from veriscore_agent.adapters.run_folder import RunFolder\n"
    "with RunFolder(Path(sys.argv[1])) as folder: print('held', flush=True); time.sleep(60)\n"
)


def hold(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_writes(tmp_path: Path) -> None:
    process = hold(tmp_path)
    try:
        with (
            pytest.raises(ConfigurationError, match=f"being written by another process .process {process.pid}."),
            RunFolder(tmp_path),
        ):
            pass
        with pytest.raises(ConfigurationError, match="being written"):
            move_aside(tmp_path)
    finally:
        process.kill()
        process.communicate()


def test_the_lock_of_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    process = hold(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (tmp_path / ".lock").exists()
    with RunFolder(tmp_path) as folder:
        folder.append_claim(outcome("1"))
    assert not (tmp_path / ".lock").exists()


def test_the_lock_ends_with_the_block(tmp_path: Path) -> None:
    for _ in range(2):
        with RunFolder(tmp_path):
            assert (tmp_path / ".lock").read_text(encoding="ascii") == f"process {os.getpid()}\n"


# ---------------------------------------------------------------- what stands there


def test_a_place_for_a_run_is_told_from_other_folders(tmp_path: Path) -> None:
    assert not holds_run(tmp_path / "new" / "deeper")
    (tmp_path / "empty").mkdir()
    assert not holds_run(tmp_path / "empty")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}", encoding="utf-8")
    assert holds_run(tmp_path / "run")
    with pytest.raises(ConfigurationError, match="holds other files and no run"):
        holds_run(tmp_path)
    with pytest.raises(ConfigurationError, match="is a file; a run needs a folder"):
        holds_run(tmp_path / "run" / "run.json")
    with pytest.raises(ConfigurationError, match=r"cannot be made: .*run\.json is a file"):
        holds_run(tmp_path / "run" / "run.json" / "run")


def test_a_run_is_moved_aside_whole(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with RunFolder(run) as folder:
        folder.write_record(record())
    other = move_aside(run)
    assert not run.exists()
    assert other.name.startswith(f"run.old-{time.gmtime().tm_year}")
    assert read_record(other) == record()


UNREADABLE = [
    ("no folder", None, "no run.json"),
    ("not JSON", b"{", "not JSON"),
    ("not UTF-8", b"\xff", "codec"),
    ("not an object", b"[]", "its schema is None"),
    ("another schema", b'{"schema": "veriscore-agent/run/99"}', "run/99'; this version reads"),
    (
        "a part is missing",
        json.dumps({"schema": RUN_SCHEMA, "status": "complete"}).encode(),
        "software: Field required",
    ),
]


@pytest.mark.parametrize(("content", "expected"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, content: bytes | None, expected: str) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(InputError, match=expected):
        read_run(tmp_path if content is not None else tmp_path / "none")


# ---------------------------------------------------------------- whether a run may go on

CHANGES: list[tuple[str, dict[str, Any], tuple[Answer, ...], dict[str, Any], tuple[str, ...]]] = [
    ("nothing", {}, ANSWERS, {}, ()),
    ("K11: another model", {"model": "n"}, ANSWERS, {}, ("model: 'gpt-4o' in the run, 'n' now",)),
    ("K11: another K", {"k": "5"}, ANSWERS, {}, ("k: 'reference' in the run, '5' now",)),
    ("two settings", {"hl": "de", "audit": 0.5}, ANSWERS, {}, ("audit: 0.0 in the run, 0.5 now", "hl: 'en' in")),
    ("how fast and where", {"base_url": "http://x/v1", "model_concurrency": 3, "max_cost": 1.0}, ANSWERS, {}, ()),
    ("more answers at the end", {}, (*ANSWERS, Answer("c", "Three.")), {}, ()),
    ("an answer less", {}, ANSWERS[:1], {}, ("answers: 2 in the run, 1 now",)),
    ("another text", {}, (Answer("a", "Other."), ANSWERS[1]), {}, ("answers: their content",)),
    ("another order", {}, ANSWERS[::-1], {}, ("answers: their content",)),
    ("K11: prompts of the user's", {}, ANSWERS, {"prompts_folder": {"f.txt": "1"}}, ("prompt file f.txt: nothing in",)),
    ("a replay", {}, ANSWERS, {"replay": "DIR"}, ("--replay: nothing in the run, 'DIR' now",)),
]


@pytest.mark.parametrize(
    ("settings", "answers", "more", "expected"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_a_run_goes_on_only_with_what_decided_its_results(
    tmp_path: Path,
    settings: dict[str, Any],
    answers: tuple[Answer, ...],
    more: dict[str, Any],
    expected: tuple[str, ...],
) -> None:
    with RunFolder(tmp_path) as folder:
        folder.write_record(record())
    stored = read_record(tmp_path)
    digest = answers_digest(answers[: stored.input.answers])
    found = differences(
        stored, record(Settings(**settings), answers, **more), local=LOCAL_SETTINGS, digest_of_old=digest
    )
    assert len(found) == len(expected)
    assert all(text.startswith(start) for text, start in zip(found, expected, strict=True))


def test_another_text_of_a_prompt_is_a_difference_and_a_further_prompt_is_none() -> None:
    old = replace(record(), prompts={"judge_system.v1": "0" * 64, "gone.v1": "1" * 64})
    found = differences(old, record(), local=LOCAL_SETTINGS, digest_of_old=old.input.sha256)
    assert [text.split(":")[0] for text in found] == ["prompt judge_system.v1"]


def test_answers_without_what_is_new_have_the_hash_that_the_first_release_gave_them() -> None:
    snippet = {"id": "S1", "title": "t", "link": "l", "text": "x", "kind": "organic"}
    given = {"text": "One.", "snippets": [snippet], "reference_label": None, "id": None}
    row = {"id": "a", "response": "One.", "question": None, "model": "", "domain": "", "given": [given]}
    as_released = json.dumps({**row, "given_sentences": None}, sort_keys=True).encode() + b"\n"
    answer = Answer("a", "One.", given=(GivenClaim("One.", (Snippet("S1", "t", "l", "x"),)),))
    assert answers_digest((answer,)) == hashlib.sha256(as_released).hexdigest()
    dated = GivenClaim("One.", (Snippet("S1", "t", "l", "x", date="2024-05-31"),))
    others = (replace(answer, sources=("https://a.example/",)), replace(answer, given=(dated,)))
    assert len({answers_digest((each,)) for each in (answer, *others)}) == 3


def test_claims_of_one_name_in_two_answers_are_both_read(tmp_path: Path) -> None:
    first = outcome("x/y/z#1")
    second = replace(first, answer=AnswerKey("other", "a", "d"))
    again = replace(first, flags=("tried again",))
    with RunFolder(tmp_path) as folder:
        folder.write_record(record())
        for each in (first, second, again):
            folder.append_claim(each)
    assert read_run(tmp_path).claims == (again, second)
