"""Bounded concurrency that gives way to an overloaded service, and loses no call."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping

import anyio
import httpx
import pytest

from tests.loopback import Handler, LoopbackServer, Reply
from veriscore_agent.adapters.http.attempts import Attempt, attempt_log
from veriscore_agent.adapters.http.limits import AdaptiveLimiter, Limiter, LimitTransport, PerHostLimiter
from veriscore_agent.adapters.http.retries import RetryPolicy
from veriscore_agent.adapters.http.stack import build_stack

pytestmark = pytest.mark.anyio


def tried(status: int | None, began_s: float = 0.0, *, final: bool = False) -> Attempt:
    return Attempt(began_s=began_s, seconds=0.1, status=status, final=final)


class Clock:
    at = 0.0

    def __call__(self) -> float:
        return self.at


def test_overload_halves_at_most_once_per_round_trip() -> None:
    clock = Clock()
    limiter = AdaptiveLimiter(16, clock=clock)
    clock.at = 1.0
    for _ in range(10):
        limiter.heard(tried(429, began_s=0.5))
    assert limiter.limit == 8, "ten answers to requests that were sent under the old limit"
    clock.at = 2.0
    limiter.heard(tried(503, began_s=1.5))
    assert limiter.limit == 4
    for at in range(3, 20):
        clock.at = float(at)
        limiter.heard(tried(429, began_s=at - 0.5))
    assert limiter.limit == 1, "never none"


@pytest.mark.parametrize(
    ("attempt", "why"),
    [
        (tried(500), "an error, but no overload"),
        (tried(None), "no connection says nothing of load"),
        (tried(429, final=True), "one call's own trouble: no credit, or too large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_overload(attempt: Attempt, why: str) -> None:
    limiter = AdaptiveLimiter(16)
    limiter.heard(attempt)
    assert limiter.limit == 16


def test_it_grows_back_slowly_and_not_beyond_what_is_set() -> None:
    limiter = AdaptiveLimiter(8)
    limiter.heard(tried(429))
    assert limiter.limit == 4
    for _ in range(10):
        limiter.heard(tried(200))
    assert limiter.limit == 4, "not at the first good answers"
    for _ in range(10):
        limiter.heard(tried(200))
    assert limiter.limit == 5, "by one for about four times the limit"
    for _ in range(1_000):
        limiter.heard(tried(200))
    assert limiter.limit == 8
    assert limiter.idle


async def test_where_one_at_a_time_is_too_many_there_are_pauses() -> None:
    clock, slept = Clock(), []

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 3))

    limiter = AdaptiveLimiter(2, clock=clock, sleep=sleep)
    for at in (1.0, 2.0, 3.0):
        clock.at = at
        limiter.heard(tried(429, began_s=at))
        await limiter.take()
        limiter.give_back()
    assert slept == [0.1, 0.3], "calls of 0.1 s: at half the time, then at a quarter"
    for _ in range(4):
        limiter.heard(tried(200))
    await limiter.take()
    assert slept == [0.1, 0.3], "four good answers, each half as much again"
    assert limiter.limit == 1


def test_pauses_are_bounded() -> None:
    clock = Clock()
    limiter = AdaptiveLimiter(2, clock=clock)
    for at in range(30):
        clock.at = float(at)
        limiter.heard(tried(429, began_s=float(at)))
    assert limiter.pause_s == 5.0


async def test_places_are_given_in_the_order_of_asking() -> None:
    limiter = AdaptiveLimiter(1)
    order: list[int] = []

    async def call(number: int) -> None:
        await limiter.take()
        order.append(number)
        limiter.give_back()

    await limiter.take()
    async with anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(call, number)
        await anyio.wait_all_tasks_blocked()
        limiter.give_back()
    assert order == [0, 1, 2, 3, 4]
    assert limiter.in_use == 0


async def test_who_is_cancelled_while_waiting_takes_no_place_along() -> None:
    limiter = AdaptiveLimiter(1)
    await limiter.take()
    waiting = asyncio.create_task(limiter.take())
    called_up = asyncio.create_task(limiter.take())
    await anyio.wait_all_tasks_blocked()
    waiting.cancel()
    await asyncio.wait([waiting])
    limiter.give_back()
    called_up.cancel()  # it has its place already, and does not know yet
    await asyncio.wait([called_up])
    assert limiter.in_use == 0
    with anyio.fail_after(1):
        await limiter.take()


async def test_no_more_than_the_limit_are_sent_at_a_time() -> None:
    with LoopbackServer(lambda *_: Reply(delay_s=0.02)) as server:
        transport = LimitTransport(httpx.AsyncHTTPTransport(), AdaptiveLimiter(4))
        async with httpx.AsyncClient(transport=transport) as client:
            await asyncio.gather(*(client.get(server.url) for _ in range(20)))
        assert server.most_open_requests == 4


async def test_each_host_has_its_own_limit_within_the_limit_of_all() -> None:
    running: dict[str, int] = {}
    most: dict[str, int] = {}

    class Web(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            for name in (request.url.host, "all"):
                running[name] = running.get(name, 0) + 1
                most[name] = max(most.get(name, 0), running[name])
            await asyncio.sleep(0.01)
            for name in (request.url.host, "all"):
                running[name] -= 1
            return httpx.Response(200)

    limiters: list[Limiter] = [PerHostLimiter(2), AdaptiveLimiter(5)]
    stack = build_stack(Web(), service="page", store_policy=None, limiter=limiters)
    async with httpx.AsyncClient(transport=stack) as client:
        urls = [f"http://{host}.example/{number}" for number in range(8) for host in "abcd"]
        await asyncio.gather(*(client.get(url) for url in urls))
    assert most == {"a.example": 2, "b.example": 2, "c.example": 2, "d.example": 2, "all": 5}


def test_hosts_that_are_done_are_forgotten() -> None:
    limiter = PerHostLimiter(2)
    slowed = limiter.limiter_for(httpx.Request("GET", "http://slow.example/"))
    slowed.heard(tried(429))
    for number in range(1_000):
        limiter.limiter_for(httpx.Request("GET", f"http://h{number}.example/"))
    assert len(limiter._hosts) <= 256
    assert limiter.limiter_for(httpx.Request("GET", "http://slow.example/x")) is slowed, "an overload is remembered"


async def test_a_call_that_waits_for_a_retry_gives_its_place_to_others() -> None:
    limiter = AdaptiveLimiter(1)
    finished: list[str] = []

    class Waiting(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path == "/first":
                async with attempt_log(request).places_given_back():
                    await asyncio.sleep(0.05)
            finished.append(request.url.path)
            return httpx.Response(200)

    async with httpx.AsyncClient(transport=LimitTransport(Waiting(), limiter)) as client:
        await asyncio.gather(*(client.get(f"http://a.example/{name}") for name in ("first", "second")))
    assert finished == ["/second", "/first"]
    assert limiter.in_use == 0


def at_most_per_second(rate: int) -> Handler:
    """A provider with a sliding window, which answers 429 to what is too much."""
    served: deque[float] = deque()

    def handle(_method: str, _path: str, _headers: Mapping[str, str], _body: bytes) -> Reply:
        now = time.monotonic()
        while served and served[0] < now - 1.0:
            served.popleft()
        if len(served) >= rate:
            return Reply(429, delay_s=0.005)
        served.append(now)
        return Reply(body=b"found", delay_s=0.02)

    return handle


@pytest.mark.parametrize(
    ("concurrency", "per_second", "queries"),
    [(8, 100, 150), (32, 20, 35)],
    ids=["eight at a time", "one at a time is too many"],
)
async def test_queries_that_come_all_at_once_are_all_answered(concurrency: int, per_second: int, queries: int) -> None:
    """F04: the provider allows fewer in a second; no call is lost, and the service is not hammered."""
    with LoopbackServer(at_most_per_second(per_second)) as server:
        stack = build_stack(
            httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=concurrency)),
            service="search",
            store_policy=None,
            limiter=AdaptiveLimiter(concurrency),
            retry=RetryPolicy(first_wait_s=0.2),
        )
        async with httpx.AsyncClient(transport=stack, timeout=30) as client:
            asking = (client.post(server.url, json={"q": f"claim {number}"}) for number in range(queries))
            replies = await asyncio.gather(*asking)
        sent = len(server.requests)
    assert [reply.status_code for reply in replies] == [200] * queries
    assert sent < 2.5 * queries
