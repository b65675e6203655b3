"""A notebook cell that is interrupted while it waits for a run."""

from __future__ import annotations

import subprocess
import sys

CELL = """
import asyncio, os, signal, threading, time
from veriscore_agent import run_blocking

ended = []

async def run():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        await asyncio.sleep(30)
    finally:
        ended.append("ended")

async def cell():
    try:
        run_blocking(run())
    except KeyboardInterrupt:
        print("interrupted", *ended)

# As in a notebook: the loop is there already, and an interrupt is raised in the main thread.
signal.signal(signal.SIGINT, signal.default_int_handler)
asyncio.new_event_loop().run_until_complete(cell())
"""


def test_an_interrupted_cell_ends_its_run() -> None:
    """What would go on in the background would go on paying."""
    done = subprocess.run([sys.executable, "-c", CELL], check=False, capture_output=True, text=True, timeout=25)
    assert done.stdout.split() == ["interrupted", "ended"], done.stderr
