"""Pages recorded, resumed and replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from tests.loopback import Reply
from tests.page_site import SETTINGS, SHELL, SITE, InProcess, Site, page, reader_on, redirect
from veriscore_agent.adapters.pages import WebPageReader
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.store import ExchangeStore
from veriscore_agent.domain import PageReading
from veriscore_agent.errors import ReplayMissError

pytestmark = pytest.mark.anyio


async def test_a_replay_takes_the_text_from_the_recording(tmp_path: Path) -> None:
    """Neither the network nor the extractor is asked, so another version of a library changes nothing."""
    site = Site(
        {"/a": redirect("/b"), "/b": page(), "/c": page(SHELL), "/d": page(status=403), "/robots.txt": Reply(404)}
    )
    links = [f"{SITE}/{path}" for path in "acd"] + ["http://inside.example/"]
    settings = replace(SETTINGS, obey_robots=True)
    with site.server:
        async with reader_on(site, settings, policy=StorePolicy.record(ExchangeStore(tmp_path))) as reader:
            recorded = [await reader.read(link) for link in links]
    replaying = InProcess(problem="nothing is extracted in a replay")
    policy = StorePolicy.replay(ExchangeStore(tmp_path))
    async with reader_on(site, settings, policy=policy, extractor=replaying) as reader:
        replayed = [await reader.read(link) for link in links]
    assert replayed == recorded
    assert [reading.visit.outcome for reading in replayed] == ["read", "empty", "blocked", "refused"]
    assert not replaying.calls


async def test_a_recorded_failure_of_extraction_is_replayed(tmp_path: Path) -> None:
    site = Site({"/a": page()})
    failing = InProcess(problem="its text was not extracted in time")
    with site.server:
        store = ExchangeStore(tmp_path)
        async with reader_on(site, extractor=failing, policy=StorePolicy.record(store)) as reader:
            recorded = await reader.read(f"{SITE}/a")
    async with reader_on(site, policy=StorePolicy.replay(ExchangeStore(tmp_path))) as reader:
        assert await reader.read(f"{SITE}/a") == recorded
    assert recorded.visit.reason == "its text was not extracted in time"


async def test_a_resumed_run_keeps_what_was_read_and_tries_again_what_was_not(tmp_path: Path) -> None:
    """A page that is read costs nothing again; one whose server failed gets another chance."""
    broken, mended = Site({"/a": page(), "/b": page(status=503)}), Site({"/b": page()})
    for site in (broken, mended):
        with site.server:
            async with reader_on(site, policy=StorePolicy.resume(ExchangeStore(tmp_path))) as reader:
                outcomes = [(await reader.read(f"{SITE}/{path}")).visit.outcome for path in "ab"]
    assert outcomes == ["read", "read"]
    assert mended.paths() == ["/b"]


async def test_a_page_that_a_frozen_recording_lacks(tmp_path: Path) -> None:
    """Where judging alone is live it counts as not recorded; in a plain replay it ends the run."""
    site = Site({"/a": page()})
    (tmp_path / "old").mkdir()
    frozen = ExchangeStore(tmp_path / "old")
    with site.server:
        live = StorePolicy.live_kinds(ExchangeStore(tmp_path / "new"), frozen)
        async with reader_on(site, policy=live) as reader:
            reading = await reader.read(f"{SITE}/a")
        assert (reading.visit.outcome, reading.page) == ("not_recorded", None)
        async with reader_on(site, policy=StorePolicy.replay(frozen)) as reader:
            with pytest.raises(ReplayMissError):
                await reader.read(f"{SITE}/a")
    assert site.paths() == []


def _a_slow_page_behind_a_slow_redirect() -> dict[str, Reply]:
    """A page that answers after a while, and a redirect to it that leaves too little time for it."""
    return {
        "/late": replace(redirect("/shared"), delay_s=0.9),
        "/shared": replace(page(), delay_s=0.8),
        "/robots.txt": Reply(404),
    }


async def test_a_page_is_not_lost_because_another_link_to_it_ran_out_of_time(tmp_path: Path) -> None:
    """Who asked first has 0.5 s left for 0.8 s; who waits along then asks in its own time. So it is replayed."""
    site = Site(_a_slow_page_behind_a_slow_redirect())
    settings = replace(SETTINGS, page_timeout_s=1.4)
    links = [f"{SITE}/late", f"{SITE}/shared"]

    async def read_both(reader: WebPageReader) -> list[tuple[str, str]]:
        readings: dict[str, PageReading] = {}

        async def one(link: str, wait_s: float) -> None:
            await anyio.sleep(wait_s)
            readings[link] = await reader.read(link)

        async with anyio.create_task_group() as group:
            for link, wait_s in zip(links, (0.0, 1.1), strict=True):
                group.start_soon(one, link, wait_s)
        return [(readings[link].visit.outcome, readings[link].visit.reason) for link in links]

    with site.server:
        async with reader_on(site, settings, policy=StorePolicy.record(ExchangeStore(tmp_path))) as reader:
            recorded = await read_both(reader)
    assert recorded == [("failed", "the page took more than 1.4 s"), ("read", "")]
    assert site.paths() == ["/late", "/shared", "/shared"]
    async with reader_on(site, settings, policy=StorePolicy.replay(ExchangeStore(tmp_path))) as reader:
        assert await read_both(reader) == recorded
    resumed = Site({path: replace(reply, delay_s=0) for path, reply in _a_slow_page_behind_a_slow_redirect().items()})
    with resumed.server:
        async with reader_on(resumed, settings, policy=StorePolicy.resume(ExchangeStore(tmp_path))) as reader:
            assert await read_both(reader) == [("read", ""), ("read", "")], "what failed is tried again"


async def test_a_page_that_has_too_little_time_from_the_start_is_asked_for_once() -> None:
    """Its own time-out is final for all who wait for it: they had no more."""
    site = Site({"/shared": Reply(delay_s=30)})
    with site.server:
        async with reader_on(site, replace(SETTINGS, page_timeout_s=0.5)) as reader:
            assert (await reader.read(f"{SITE}/shared")).visit.outcome == "failed"
    assert site.paths() == ["/shared"]
