"""Signals while a run is under way: the first ends it cleanly, however many follow at once; a later one ends it now."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import start_process, write_answers
from tests.services import Services
from veriscore_agent.cli import exits
from veriscore_agent.cli.interrupts import SECONDS_OF_PATIENCE, run_until_interrupted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

MANY = tuple(f"The ship {number} was deeply lost." for number in range(8))


def started_run(folder: Path, services: Services) -> subprocess.Popen[bytes]:
    """A run that has asked its first questions."""
    name = write_answers(folder, *MANY, answers=6)
    process = start_process(folder, ["score", name, "--out", "run"], services.environment())
    deadline = time.monotonic() + 30
    while not services.requests("judge") and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("pause_s", [0.0, 0.01, 0.05, 0.2])
def test_two_signals_at_once_end_a_run_as_one_does(tmp_path: Path, pause_s: float) -> None:
    """As when a whole group of processes is ended: asyncio alone could then wait for its threads for ever."""
    with Services(delay_s=0.3) as services:
        process = started_run(tmp_path, services)
        process.send_signal(signal.SIGTERM)
        time.sleep(pause_s)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == exits.INTERRUPTED
    assert b"go on with" in err
    assert b"Traceback" not in err


def test_a_later_signal_ends_what_does_not_end() -> None:
    code = (
        "import asyncio\n"
        "from veriscore_agent.cli.interrupts import run_until_interrupted\n"
        "async def stubborn():\n"
        "    print('ready', flush=True)\n"
        "    while True:\n"
        "        try:\n"
        "            await asyncio.sleep(60)\n"
        "        except asyncio.CancelledError:\n"
        "            print('no', flush=True)\n"
        "run_until_interrupted(stubborn())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"no\n"
        time.sleep(SECONDS_OF_PATIENCE + 0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert process.returncode == exits.INTERRUPTED
    assert b"ended at once" in err


def test_work_without_a_signal_gives_its_result_and_leaves_the_signals_as_they_were() -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]

    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert run_until_interrupted(work()) == 7
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.fixture
def _signals_put_back() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.mark.usefixtures("_signals_put_back")
def test_a_signal_cancels_the_work_and_becomes_a_keyboard_interrupt() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(30)
        finally:
            ended.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        run_until_interrupted(work())
    assert ended == ["cleaned up"]
