"""Extraction in processes: ended when they take too long, replaced when they break down, gone at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from veriscore_agent.adapters.pages.extract import ExtractedPage, extract_page
from veriscore_agent.adapters.pages.extraction import ExtractionError, PageExtractor
from veriscore_agent.settings import Settings

SETTINGS = Settings(extraction_workers=1)
PAGE = b"<p>The bridge weighs 9,800 tonnes.</p>"


async def _extract(extractor: PageExtractor, body: bytes = PAGE, seconds: float = 20.0) -> ExtractedPage:
    return await extractor.extract(body, "https://a.example/", "text/html", seconds)


@pytest.mark.anyio
async def test_a_process_does_what_the_function_does() -> None:
    async with PageExtractor(SETTINGS) as extractor:
        assert await _extract(extractor) == extract_page(PAGE, "https://a.example/", "text/html")


@pytest.mark.anyio
async def test_a_page_that_takes_too_long_is_ended_and_the_next_is_read() -> None:
    async with PageExtractor(SETTINGS) as extractor:
        await _extract(extractor)
        started = time.monotonic()
        with pytest.raises(ExtractionError, match="in time"):
            await _extract(extractor, b"<p>word word</p>" * 200_000, seconds=0.2)
        assert time.monotonic() - started < 20
        assert "9,800" in (await _extract(extractor)).text


@pytest.mark.anyio
async def test_the_reason_of_an_unreadable_page() -> None:
    async with PageExtractor(SETTINGS) as extractor:
        with pytest.raises(ExtractionError, match="nested too deeply"):
            await _extract(extractor, b"<div>" * 100_000)


@pytest.mark.anyio
async def test_a_process_that_breaks_down_at_a_page_is_replaced() -> None:
    async with PageExtractor(SETTINGS) as extractor:
        await _extract(extractor)
        (process,) = extractor.process_ids
        os.kill(process, signal.SIGSTOP)
        async with anyio.create_task_group() as group:

            async def end() -> None:
                await anyio.sleep(0.1)
                os.kill(process, signal.SIGKILL)

            group.start_soon(end)
            with pytest.raises(ExtractionError, match="broke down"):
                await _extract(extractor)
        assert "9,800" in (await _extract(extractor)).text


@pytest.mark.anyio
async def test_a_process_that_ended_between_two_pages_costs_neither() -> None:
    """Short memory ends the largest process, whatever it is doing."""
    async with PageExtractor(SETTINGS) as extractor:
        await _extract(extractor)
        (process,) = extractor.process_ids
        os.kill(process, signal.SIGKILL)
        with anyio.fail_after(10), suppress(ProcessLookupError):
            while True:
                os.kill(process, 0)
                await anyio.sleep(0.01)
        await anyio.sleep(0.05)
        assert "9,800" in (await _extract(extractor)).text
        assert process not in extractor.process_ids


@pytest.mark.anyio
async def test_a_cancelled_caller_leaves_no_stuck_process() -> None:
    async with PageExtractor(SETTINGS) as extractor:
        await _extract(extractor)
        before = extractor.process_ids
        with anyio.move_on_after(0.2):
            await _extract(extractor, b"<p>word word</p>" * 200_000)
        assert not any(map(_is_running, before))
        assert "9,800" in (await _extract(extractor)).text


@pytest.mark.anyio
async def test_no_more_processes_than_set_and_none_afterwards() -> None:
    async with PageExtractor(Settings(extraction_workers=2)) as extractor:
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(_extract, extractor)
        processes = extractor.process_ids
        assert len(processes) == 2
    assert not any(map(_is_running, processes))


@pytest.mark.anyio
async def test_the_event_loop_goes_on_meanwhile() -> None:
    """G15: while a page of 1.5 MB is read, everything else is served."""
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await anyio.sleep(0.005)
            longest = max(longest, time.monotonic() - before)

    async with PageExtractor(SETTINGS) as extractor:
        await _extract(extractor)
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            await _extract(extractor, b"<p>The bridge was opened by the mayor.</p>" * 37_000)
            group.cancel_scope.cancel()
    assert longest < 1


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on address space is of Linux")
@pytest.mark.anyio
async def test_memory_of_a_process_is_limited() -> None:
    """What the worker itself sets, asked of the system."""
    async with PageExtractor(SETTINGS) as extractor:
        await _extract(extractor)
        limits = await anyio.Path(f"/proc/{extractor.process_ids[0]}/limits").read_text(encoding="ascii")
    (line,) = [line for line in limits.splitlines() if line.startswith("Max address space")]
    assert int(line.split()[3]) == 1_500_000_000


SCRIPT = """
import anyio
from veriscore_agent.adapters.pages import PageExtractor
from veriscore_agent.settings import Settings

print("the script runs")

async def main():
    {body}

anyio.run(main)
"""
READ = 'print((await extractor.extract(b"<p>Nine tonnes.</p>", "", "text/html", 30)).text)'


@pytest.mark.parametrize(
    "body",
    [f"async with PageExtractor(Settings()) as extractor: {READ}", f"extractor = PageExtractor(Settings()); {READ}"],
)
def test_a_script_without_a_main_guard_runs_once_and_ends(body: str, tmp_path: Path) -> None:
    """Its workers do not run it again; nor do they keep it from ending where nobody closes them."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(body=body), encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split("\n") == ["the script runs", "Nine tonnes.", ""]
    assert done.returncode == 0


def _is_running(process_id: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process_id, 0)
        return True
    return False
