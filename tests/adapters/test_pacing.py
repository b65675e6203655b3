"""Requests to one host are an interval apart, each host on its own, and nobody waits for ever."""

from __future__ import annotations

import itertools

import anyio
import httpx
import pytest

from veriscore_agent.adapters.http.pacing import PaceTransport, TurnTooFar, paced

pytestmark = pytest.mark.anyio


class Web(httpx.AsyncBaseTransport):
    """Answers at once; a clock that only sleeping moves."""

    def __init__(self) -> None:
        self.at_s = 0.0
        self.sent: list[tuple[str, float]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append((str(request.url), self.at_s))
        return httpx.Response(200)

    async def sleep(self, seconds: float) -> None:
        self.at_s += seconds

    def paced(self, interval_s: float = 0.0) -> PaceTransport:
        return PaceTransport(self, interval_s, clock=lambda: self.at_s, sleep=self.sleep)


async def ask(transport: httpx.AsyncBaseTransport, url: str, interval_s: float | None = None) -> None:
    extensions = {} if interval_s is None else paced(interval_s)
    await transport.handle_async_request(httpx.Request("GET", url, extensions=extensions))


async def test_each_host_has_its_own_pace() -> None:
    web = Web()
    transport = web.paced(2.0)
    for url in ("http://a.example/1", "http://b.example/1", "http://a.example/2", "http://a.example/3"):
        await ask(transport, url)
    assert [at_s for _, at_s in web.sent] == [0.0, 0.0, 2.0, 4.0]


async def test_the_larger_of_both_intervals_counts() -> None:
    web = Web()
    transport = web.paced(2.0)
    for interval_s in (5.0, 0.5, None):
        await ask(transport, "http://a.example/", interval_s)
    assert [at_s for _, at_s in web.sent] == [0.0, 5.0, 7.0]


async def test_without_an_interval_nobody_waits() -> None:
    web = Web()
    transport = web.paced()
    for _ in range(3):
        await ask(transport, "http://a.example/")
    assert [at_s for _, at_s in web.sent] == [0.0, 0.0, 0.0]


async def test_who_does_not_wait_takes_no_turn() -> None:
    """A minute is waited for, and no more; those that are turned away do not make the others wait."""
    web = Web()
    transport = web.paced()
    await ask(transport, "http://a.example/", 61.0)
    for _ in range(3):
        with pytest.raises(TurnTooFar, match="61 s apart"):
            await ask(transport, "http://a.example/", 61.0)
    web.at_s = 1.0
    await ask(transport, "http://a.example/", 61.0)
    assert [at_s for _, at_s in web.sent] == [0.0, 61.0]


async def test_turns_are_taken_side_by_side_too() -> None:
    sent: list[float] = []

    class Now(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            sent.append(anyio.current_time())
            return httpx.Response(200)

    transport = PaceTransport(Now(), 0.1)
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(ask, transport, "http://a.example/")
    assert [later - earlier > 0.08 for earlier, later in itertools.pairwise(sent)] == [True] * 3


async def test_hosts_that_are_done_are_forgotten() -> None:
    web = Web()
    transport = web.paced(1.0)
    for number in range(3_000):
        web.at_s = float(number)
        await ask(transport, f"http://h{number}.example/")
    assert len(transport._free_at_s) <= 1_024
