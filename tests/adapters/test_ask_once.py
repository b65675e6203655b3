"""Equal requests in flight share one call, and nobody's leaving harms another."""

from __future__ import annotations

import asyncio

import anyio
import httpx
import pytest

from tests.loopback import LoopbackServer, Reply, in_turn
from veriscore_agent.adapters.http.ask_once import AskOnceTransport
from veriscore_agent.adapters.http.exchange import call_headers, exchange_of

pytestmark = pytest.mark.anyio


class GatedTransport(httpx.AsyncBaseTransport):
    """Answers when it is told to, and counts."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.gate = asyncio.Event()
        self.begun = asyncio.Semaphore(0)
        self.asked = self.cancelled = self.closed = 0
        self.problem = problem

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        self.begun.release()
        number = self.asked
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.problem:
            raise self.problem
        return httpx.Response(200, content=f"answer {number}".encode())

    async def aclose(self) -> None:
        self.closed += 1


async def until_asked(inner: GatedTransport, times: int) -> None:
    with anyio.fail_after(5):
        for _ in range(times):
            await inner.begun.acquire()


def client_over(inner: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AskOnceTransport(inner), base_url="http://a.example")


async def test_equal_requests_share_bytes_and_nothing_else() -> None:
    with LoopbackServer(in_turn(Reply(body=b"x" * 200_000, delay_s=0.1), Reply(body=b"later"))) as server:
        async with httpx.AsyncClient(transport=AskOnceTransport(httpx.AsyncHTTPTransport())) as client:
            one, *others = await asyncio.gather(*(client.post(server.url, json={"q": 1}) for _ in range(20)))
            exchange_of(one).note("mine", 1)
            later = await client.post(server.url, json={"q": 1})
        assert len(server.requests) == 2, "what is over is not remembered"
    assert later.content == b"later"
    for other in others:
        assert other is not one
        assert other.content == one.content == b"x" * 200_000
        other.headers["changed"] = "yes"
        assert exchange_of(other).notes == {}
    assert "changed" not in one.headers


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"method": "PUT"}, "method"),
        ({"url": "/other"}, "address"),
        ({"content": b"other"}, "body"),
        ({"headers": call_headers(kind="k", subject="s", sample=1)}, "sample"),
        ({"headers": call_headers(kind="j", subject="s")}, "kind of call"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_requests_that_differ_are_asked_apart(change: dict[str, object], why: str) -> None:
    inner = GatedTransport()
    usual = {"method": "POST", "url": "/x", "content": b"b", "headers": call_headers(kind="k", subject="s")}
    async with client_over(inner) as client, anyio.create_task_group() as tasks:
        for request in (usual, usual | {"headers": call_headers(kind="k", subject="another")}, usual | change):
            tasks.start_soon(lambda request=request: client.request(**request))  # type: ignore[misc]
        await until_asked(inner, 2)
        inner.gate.set()
    assert inner.asked == 2


async def test_a_caller_who_is_cancelled_does_not_fail_the_others() -> None:
    inner = GatedTransport()
    async with client_over(inner) as client:
        first = asyncio.create_task(client.get("/"))
        await until_asked(inner, 1)
        others = [asyncio.create_task(client.get("/")) for _ in range(3)]
        await asyncio.sleep(0.01)
        first.cancel()
        others[0].cancel()
        await asyncio.wait([first, others[0]])
        inner.gate.set()
        replies = await asyncio.gather(*others[1:])
    assert first.cancelled()
    assert [reply.text for reply in replies] == ["answer 1", "answer 1"]
    assert (inner.asked, inner.cancelled) == (1, 0)


async def test_a_deadline_of_one_caller_is_no_deadline_of_another() -> None:
    inner = GatedTransport()
    async with client_over(inner) as client:
        with anyio.move_on_after(0.01) as impatient:
            async with anyio.create_task_group() as tasks:
                patient = asyncio.create_task(client.get("/"))
                tasks.start_soon(client.get, "/")
                await until_asked(inner, 1)
        assert impatient.cancelled_caught
        inner.gate.set()
        assert (await patient).text == "answer 1"


async def test_a_call_that_nobody_waits_for_any_more_ends_and_is_asked_anew() -> None:
    inner = GatedTransport()
    async with client_over(inner) as client:
        callers = [asyncio.create_task(client.get("/")) for _ in range(2)]
        await until_asked(inner, 1)
        for caller in callers:
            caller.cancel()
        await asyncio.wait(callers)
        assert inner.cancelled == 1, "ended before the last caller is let go"
        inner.gate.set()
        assert (await client.get("/")).text == "answer 2"


async def test_a_failure_is_shared_and_then_forgotten() -> None:
    inner = GatedTransport(httpx.ConnectError("refused"))
    async with client_over(inner) as client:
        callers = [asyncio.create_task(client.get("/")) for _ in range(3)]
        await until_asked(inner, 1)
        inner.gate.set()
        outcomes = await asyncio.gather(*callers, return_exceptions=True)
        assert [str(outcome) for outcome in outcomes] == ["refused"] * 3
        inner.problem = None
        assert (await client.get("/")).text == "answer 2"


async def test_closing_ends_what_is_under_way() -> None:
    inner = GatedTransport()
    client = client_over(inner)
    caller = asyncio.create_task(client.get("/"))
    await until_asked(inner, 1)
    await client.aclose()
    with pytest.raises(httpx.CloseError):
        await caller
    assert (inner.cancelled, inner.closed) == (1, 1)


async def test_every_caller_may_stream_the_answer() -> None:
    inner = GatedTransport()
    inner.gate.set()

    async def read(client: httpx.AsyncClient) -> bytes:
        async with client.stream("GET", "/") as response:
            return b"".join([piece async for piece in response.aiter_raw()])

    async with client_over(inner) as client:
        assert await asyncio.gather(*(read(client) for _ in range(3))) == [b"answer 1"] * 3
