"""The command line as a process: kills, signals, pipes, locales, and what is imported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import CLAIMS, Ended, RunCommand, clean_environment, start_process, write_answers
from tests.services import Services

MANY = tuple(f"The mill plainly ground {number} sacks of grain." for number in range(100, 130))
SLOW = ("--model-concurrency", "2", "--search-concurrency", "2")
UNSAVED = 8
"""Calls that a kill may catch between being sent and being on disk: two of each service on their way, and as many whose
answers have come in and are being written."""


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until it holds, or fail where the process ends before, or after a minute."""
    until = time.monotonic() + 60
    while not condition():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            raise AssertionError(process.communicate())
        time.sleep(0.02)


def kept_claims(run: Path) -> int:
    path = run / "claims.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def asked_again(paid: list[str]) -> int:
    return sum(count - 1 for count in Counter(paid).values())


def test_a_killed_run_keeps_what_was_finished_and_pays_for_nothing_twice(command: RunCommand, tmp_path: Path) -> None:
    """K09: SIGKILL in the middle; the finished claims are on disk, and the same command completes the run."""
    name = write_answers(tmp_path, *MANY)
    with Services(delay_s=0.02) as services:
        killed = start_process(tmp_path, ["score", name, "--out", "run", *SLOW], services.environment())
        wait_for(lambda: kept_claims(tmp_path / "run") >= 5, killed)
        killed.kill()
        killed.communicate()
        kept = kept_claims(tmp_path / "run")
        assert 5 <= kept < len(MANY)
        ended = command("score", name, "--out", "run", *SLOW, services=services)
        assert ended.code == 0, ended.err
        assert asked_again(services.paid()) <= UNSAVED
        assert len(set(services.paid())) == 3 * len(MANY)
    rows = [json.loads(line) for line in (tmp_path / "run" / "claims.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["claim"]["text"] for row in rows] == list(MANY)
    assert {row["verdicts"][-1]["label"] for row in rows} == {"supported"}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "a plea to end"])
def test_an_interrupted_run_says_how_to_go_on_and_goes_on(command: RunCommand, tmp_path: Path, how: int) -> None:
    name = write_answers(tmp_path, *MANY)
    with Services(delay_s=0.02) as services:
        interrupted = start_process(tmp_path, ["score", name, "--out", "a run", *SLOW], services.environment())
        wait_for(lambda: kept_claims(tmp_path / "a run") >= 3, interrupted)
        interrupted.send_signal(how)
        out, err = (text.decode() for text in interrupted.communicate(timeout=30))
        assert (interrupted.returncode, out) == (130, "")
        assert "go on with:\n  veriscore-agent score answers.jsonl --out 'a run' --model-concurrency 2" in err
        assert "Traceback" not in err
        record = json.loads((tmp_path / "a run" / "run.json").read_text(encoding="utf-8"))
        assert (record["status"], record["reason"]) == ("stopped", "interrupted")
        unfinished = command("rescore", "a run")
        assert (unfinished.code, "did not come to its end" in unfinished.err) == (2, True)
        ended = command("score", name, "--out", "a run", *SLOW, services=services)
        assert ended.code == 0, ended.err
        assert asked_again(services.paid()) <= UNSAVED
    record = json.loads((tmp_path / "a run" / "run.json").read_text(encoding="utf-8"))
    assert [session["status"] for session in record["sessions"]] == ["stopped", "complete"]
    assert len(record["sessions"]) == 2


def test_two_processes_do_not_write_to_one_run(command: RunCommand, tmp_path: Path) -> None:
    name = write_answers(tmp_path, *MANY)
    with Services(delay_s=0.1) as services:
        first = start_process(tmp_path, ["score", name, "--out", "run", *SLOW], services.environment())
        wait_for((tmp_path / "run" / "run.json").exists, first)
        second = command("score", name, "--out", "run", *SLOW, services=services)
        first.kill()
        first.communicate()
    assert second.code == 2
    assert f"run is being written by another process (process {first.pid})" in second.err


LOCALES = [
    {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
]


@pytest.mark.parametrize("variables", LOCALES, ids=["cp1252", "C"])
def test_any_text_survives_any_locale(process: RunCommand, tmp_path: Path, variables: dict[str, str]) -> None:
    """K05: what an encoding lacks is replaced on the screen, and whole in the files."""
    claim = "The mill at Ž plainly stood → by the river ✅ in 1902."
    name = write_answers(tmp_path, claim)
    with Services() as services:
        ended = process("score", name, "--out", "run", "--verbose", services=services, **variables)
        assert ended.code == 0, ended.err
    shown = process("show", "run", "q1#1", **variables)
    assert shown.code == 0, shown.err
    as_json = process("show", "run", "q1#1", "--json", **variables)
    assert json.loads(as_json.out)["claim"]["text"] == claim
    row = json.loads((tmp_path / "run" / "claims.jsonl").read_text(encoding="utf-8"))
    assert row["claim"]["text"] == claim


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of POSIX")
def test_a_reader_who_has_gone_is_no_error(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        command("score", write_answers(tmp_path), "--out", "run", services=services)
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "veriscore_agent", "show", "run"],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["score", "--help"]], ids=" ".join)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    script = (
        "import sys\n"
        "from veriscore_agent.cli import main\n"
        f"code = main({words!r})\n"
        "heavy = {'openai', 'langgraph', 'httpx', 'trafilatura', 'pydantic', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "veriscore-agent" in ended.stdout


def test_a_run_that_nobody_watches_prints_plain_lines(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        ended = command("score", write_answers(tmp_path), "--out", "run", services=services)
    assert f"answers read 1/1, claims {len(CLAIMS)}/{len(CLAIMS)}" in ended.err
    assert "\x1b" not in ended.err + ended.out


STREAMS = [
    ("results on a full disk", "score answers.jsonl --out RUN >/dev/full", 4, "cannot write to standard output"),
    ("a list on a full disk", "show RUN >/dev/full", 4, "cannot write to standard output"),
    ("no standard input", "score - <&-", 2, "standard input: it is closed"),
    ("standard input that cannot be read", "score - </proc/self/mem", 2, "standard input: "),
    ("no place for problems", "show none 2>/dev/full", 2, ""),
]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full and /proc")
@pytest.mark.parametrize(("words", "code", "expected"), [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS])
def test_a_stream_that_cannot_be_used(
    process: RunCommand, tmp_path: Path, words: str, code: int, expected: str
) -> None:
    write_answers(tmp_path, CLAIMS[0])
    with Services() as services:
        process("score", "answers.jsonl", "--out", "RUN", services=services)
        ended = in_shell(tmp_path, words, services)
    assert (ended.code, expected in ended.err) == (code, True)
    assert "Traceback" not in ended.err
    assert "Exception" not in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_without_standard_error_nothing_is_added_to_the_results(tmp_path: Path) -> None:
    with Services() as services:
        ended = in_shell(tmp_path, f"score {write_answers(tmp_path, CLAIMS[0])} --out RUN --json 2>&-", services)
    assert (ended.code, ended.json()["complete"]) == (0, True)


def in_shell(folder: Path, words: str, services: Services) -> Ended:
    """Run one command with the redirections of a shell."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m veriscore_agent {words}', sys.executable],
        cwd=folder,
        env=clean_environment() | services.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
