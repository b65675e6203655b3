"""The loopback server itself: what every other test of a service rests on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.loopback import LoopbackServer, Reply, in_turn, json_reply

pytestmark = pytest.mark.anyio


async def test_it_answers_and_keeps_what_it_received() -> None:
    with LoopbackServer(lambda method, path, headers, body: json_reply([method, path, body.decode()])) as server:
        async with httpx.AsyncClient() as client:
            reply = await client.post(f"{server.url}/a?b=1", content=b"hello", headers={"X-One": "1"})
            streamed = await client.post(f"{server.url}/s", content=_pieces())
    assert reply.json() == ["POST", "/a?b=1", "hello"]
    assert streamed.json() == ["POST", "/s", "xxx"]
    assert server.requests[0].headers["x-one"] == "1"
    assert server.connections == 1, "connections are kept open"


async def _pieces() -> AsyncIterator[bytes]:
    for _ in range(3):
        yield b"x"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(body=b"0123456789", cut=True), httpx.RemoteProtocolError),
        (Reply(cut=True), httpx.RemoteProtocolError),
        (Reply(body=b"0123456789", cut=True, chunk_bytes=2), httpx.RemoteProtocolError),
        (Reply(delay_s=30), httpx.ReadTimeout),
        (Reply(body=b"01234", chunk_bytes=1, chunk_delay_s=30), httpx.ReadTimeout),
    ],
    ids=["half a body", "no byte", "half the chunks", "never answers", "head and then nothing"],
)
async def test_its_faults_are_seen_by_a_client(reply: Reply, error: type[Exception]) -> None:
    with LoopbackServer(in_turn(reply)) as server:
        async with httpx.AsyncClient(timeout=0.3) as client:
            with pytest.raises(error):
                await client.get(server.url)


async def test_it_serves_many_at_once() -> None:
    with LoopbackServer(in_turn(Reply(body=b"x" * 1000, delay_s=0.1))) as server:
        async with httpx.AsyncClient(limits=httpx.Limits(max_connections=50)) as client:
            start = time.monotonic()
            replies = await asyncio.gather(*(client.get(server.url) for _ in range(50)))
    assert [each.content for each in replies] == [b"x" * 1000] * 50
    assert time.monotonic() - start < 2
    assert server.most_open_requests > 10
