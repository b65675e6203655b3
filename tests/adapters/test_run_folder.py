"""The run folder: one writer, nothing lost at a kill, nothing half written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from veriscore_agent.adapters.run_folder import (
    RUN_SCHEMA,
    RunFolder,
    RunIdentity,
    holds_run,
    identify,
    move_aside,
    read_run,
)
from veriscore_agent.domain import Answer
from veriscore_agent.errors import ConfigurationError, InputError, StopRunError
from veriscore_agent.settings import Settings

MANIFEST = {"schema": RUN_SCHEMA, "status": "complete"}


def strict(text: str) -> Any:
    """Parse as other languages do: NaN and Infinity are no JSON."""

    def refuse(name: str) -> float:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


TAILS = [
    ("K03: half a line", b'{"id":"q7","cla', ["q1", "q2"], True),
    ("half a character", '{"id":"Ž'.encode()[:-1], ["q1", "q2"], True),
    ("a whole line but for its newline", b'{"id":"q7"}', ["q1", "q2", "q7"], False),
    ("nothing", b"", ["q1", "q2"], False),
    ("half a line longer than one piece of the search for its start", b'{"x":"' + b"y" * 200_000, ["q1", "q2"], True),
]


@pytest.mark.parametrize(("tail", "ids", "mended"), [row[1:] for row in TAILS], ids=[row[0] for row in TAILS])
def test_a_killed_run_goes_on_after_its_last_whole_claim(
    tmp_path: Path, tail: bytes, ids: list[str], mended: bool
) -> None:
    claims = tmp_path / "claims.jsonl"
    claims.write_bytes(b'{"id":"q1"}\n{"id":"q2"}\n' + tail)
    with RunFolder(tmp_path) as folder:
        assert folder.mended is mended
        assert [each["id"] for each in folder.claims().records] == ids
        folder.append_claim({"id": "next"})
    written = [strict(line)["id"] for line in claims.read_text(encoding="utf-8").splitlines()]
    assert written == [*ids, "next"]


def test_a_file_that_is_half_a_line_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "claims.jsonl").write_bytes(b'{"id":"q1"')
    with RunFolder(tmp_path) as folder:
        assert folder.claims().records == ()
    assert (tmp_path / "claims.jsonl").read_bytes() == b""


def test_a_broken_line_in_the_middle_costs_that_line_alone(tmp_path: Path) -> None:
    (tmp_path / "claims.jsonl").write_bytes(b'{"id":"q1"}\n{"id":"q\xff\n[3]\n{"id":"q4"}\n')
    with RunFolder(tmp_path) as folder:
        read = folder.claims()
    assert ([each["id"] for each in read.records], read.unreadable) == (["q1", "q4"], (2, 3))


def test_every_claim_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        for number in range(3):
            folder.append_claim({"id": number})
            assert (tmp_path / "claims.jsonl").read_bytes().count(b"\n") == number + 1


def test_any_text_is_written_as_utf8_whatever_the_locale(tmp_path: Path) -> None:
    """K05: characters that cp1252 lacks, and half an emoji, which no encoding has."""
    script = (
        "from pathlib import Path; import sys; from veriscore_agent.adapters.run_folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])) as folder:\n"
        "    folder.append_claim({'claim': '\\u017d \\u2705 \\u2192 \\ud83d'})\n"
        "    folder.write_manifest({'claim': '\\u017d'})\n"
    )
    environment = os.environ | {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C", "PYTHONUTF8": "0"}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], env=environment, check=True, timeout=60)
    assert strict((tmp_path / "claims.jsonl").read_text(encoding="utf-8"))["claim"] == "Ž ✅ → ?"
    assert strict((tmp_path / "run.json").read_text(encoding="utf-8"))["claim"] == "Ž"


def test_a_number_that_json_does_not_know_is_never_written(tmp_path: Path) -> None:
    """K06: bare NaN would break every strict reader, so it is an error where it arises."""
    with RunFolder(tmp_path) as folder:
        folder.append_claim({"f1": None})
        with pytest.raises(ValueError, match="JSON compliant"):
            folder.append_claim({"f1": float("nan")})
        with pytest.raises(ValueError, match="JSON compliant"):
            folder.replace_claims([{"f1": 1.0}, {"f1": float("inf")}])
    assert strict((tmp_path / "claims.jsonl").read_text(encoding="utf-8")) == {"f1": None}


def test_files_are_replaced_whole_and_leave_no_draft(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        folder.append_claim({"id": 2})
        folder.append_claim({"id": 1})
        folder.replace_claims({"id": number} for number in (1, 2))
        folder.append_claim({"id": 3})
        folder.replace_answers([{"id": "a"}])
        folder.write_manifest(MANIFEST)
        folder.write_k('{"k": {}}\n')
    run = read_run(tmp_path)
    assert [each["id"] for each in run.claims.records] == [1, 2, 3]
    assert (run.answers.records, run.manifest) == (({"id": "a"},), MANIFEST)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["answers.jsonl", "claims.jsonl", "k.json", "run.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/full")
def test_a_full_disk_stops_the_run_with_a_reason(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        (tmp_path / "claims.jsonl").symlink_to("/dev/full")
        with pytest.raises(StopRunError, match=r"cannot write .*claims\.jsonl: No space left"):
            folder.append_claim({"id": 1})


# ---------------------------------------------------------------- one writer

HOLD = (
    "from pathlib import Path; import sys, time; from veriscore_agent.adapters.run_folder import RunFolder\n"
    "with RunFolder(Path(sys.argv[1])) as folder:\n"
    "    folder.append_claim({'id': 1}); print('held', flush=True); time.sleep(60)\n"
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
    """K09: what it had finished is there, and the next process may write."""
    process = hold(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (tmp_path / ".lock").exists()
    with RunFolder(tmp_path) as folder:
        assert folder.claims().records == ({"id": 1},)
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
        folder.write_manifest(MANIFEST)
    other = move_aside(run)
    assert not run.exists()
    assert other.name.startswith(f"run.old-{time.gmtime().tm_year}")
    assert read_run(other).manifest == MANIFEST


UNREADABLE = [
    ("no folder", None, "no run.json"),
    ("not JSON", b"{", "not JSON"),
    ("not UTF-8", b"\xff", "codec"),
    ("not an object", b"[]", "not the record of a run"),
    ("another schema", b'{"schema": "veriscore-agent/run/99"}', "that this version reads"),
]


@pytest.mark.parametrize(("manifest", "expected"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, manifest: bytes | None, expected: str) -> None:
    if manifest is not None:
        (tmp_path / "run.json").write_bytes(manifest)
    with pytest.raises(InputError, match=expected):
        read_run(tmp_path if manifest is not None else tmp_path / "none")


# ---------------------------------------------------------------- whether a run may go on

ANSWERS = (Answer("a", "One."), Answer("b", "Two."))


def as_manifest(identity: RunIdentity) -> dict[str, Any]:
    """The parts of run.json that the identity is read back from, by way of JSON."""
    record = {
        "settings": dict(identity.settings),
        "prompts": dict(identity.prompts),
        "prompts_folder": dict(identity.prompts_folder),
        "input": {"answers": identity.answers, "answers_sha256": identity.answers_sha256},
        "recording": {"replay": identity.replay, "live": identity.live},
    }
    loaded: dict[str, Any] = json.loads(json.dumps(record))
    return loaded


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
    ("K11: prompts of the user's", {}, ANSWERS, {"prompts_folder": {"f.txt": "1"}}, ("prompt file f.txt: None in",)),
    ("a replay", {}, ANSWERS, {"replay": "DIR"}, ("--replay: '' in the run, 'DIR' now",)),
]


@pytest.mark.parametrize(
    ("settings", "answers", "more", "expected"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_a_run_goes_on_only_with_what_decided_its_results(
    settings: dict[str, Any], answers: tuple[Answer, ...], more: dict[str, Any], expected: tuple[str, ...]
) -> None:
    stored = RunIdentity.from_manifest(as_manifest(identify(Settings(), ANSWERS)))
    found = stored.differences(identify(Settings(**settings), answers, **more), answers)
    assert len(found) == len(expected)
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True))


def test_another_text_of_a_prompt_is_a_difference_and_a_further_prompt_is_none() -> None:
    manifest = as_manifest(identify(Settings(), ANSWERS))
    manifest["prompts"] = {"judge_system.v1": "0" * 64, "gone.v1": "1" * 64}
    found = RunIdentity.from_manifest(manifest).differences(identify(Settings(), ANSWERS), ANSWERS)
    assert [line.split(":")[0] for line in found] == ["prompt judge_system.v1"]
