"""A scriptable HTTP/1.1 server on 127.0.0.1, for tests that need a real service.

    def handler(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        return json_reply({"path": path})

    with LoopbackServer(handler) as server:
        httpx.get(server.url + "/x")
        assert server.requests[0].path == "/x"

It runs its own event loop in a thread, so it serves synchronous, asyncio and subprocess clients alike. The handler is
called in that thread and must not block: a slow answer is ``Reply(delay_s=...)``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

Pairs = Mapping[str, str] | Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Reply:
    """What the server answers."""

    status: int = 200
    headers: Pairs = field(default_factory=dict)
    """Sent as given; Content-Length is added unless given. Pairs where a name comes twice."""
    body: bytes = b""
    delay_s: float = 0
    """Seconds between the request and the first byte of the answer."""
    cut: bool = False
    """Send the head and half of the body, then close the connection. With an empty body: close before any byte."""
    chunk_bytes: int = 0
    """Above 0: the body is sent with chunked transfer coding in pieces of this size."""
    chunk_delay_s: float = 0
    """Seconds before each such piece."""


@dataclass(frozen=True)
class Received:
    """A request as it came over the wire; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at_s: float
    """``time.monotonic()`` when it was complete."""

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


Handler = Callable[[str, str, Mapping[str, str], bytes], Reply]


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None, delay_s: float = 0) -> Reply:
    """A reply that carries a JSON value."""
    kind = {"Content-Type": "application/json"}
    return Reply(status, kind | dict(headers or {}), json.dumps(value).encode(), delay_s)


def in_turn(*replies: Reply) -> Handler:
    """A handler that gives these replies one after the other, the last one for ever."""
    left = list(replies)

    def handle(_method: str, _path: str, _headers: Mapping[str, str], _body: bytes) -> Reply:
        return left.pop(0) if len(left) > 1 else left[0]

    return handle


class LoopbackServer:
    """Serve ``handler`` on an ephemeral port of 127.0.0.1 within a ``with`` block."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.requests: list[Received] = []
        self.open_requests = 0
        """Requests that came in and are not answered yet."""
        self.most_open_requests = 0
        self.connections = 0
        """Connections accepted so far."""
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="loopback server", daemon=True)

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT`` without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the loopback server did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        server = self._loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=1024))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end_connections())
        self._loop.close()

    async def _end_connections(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._serve_one(reader, writer):
                pass
        writer.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = await _read_request(reader)
        if request is None:
            return False
        self.requests.append(request)
        self.open_requests += 1
        self.most_open_requests = max(self.most_open_requests, self.open_requests)
        try:
            reply = self.handler(request.method, request.path, request.headers, request.body)
            if reply.delay_s:
                await asyncio.sleep(reply.delay_s)
            return await _write_reply(writer, request, reply)
        finally:
            self.open_requests -= 1


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _version = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = await _read_chunks(reader)
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(method, path, headers, body, time.monotonic())


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    pieces = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        pieces.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)


async def _write_reply(writer: asyncio.StreamWriter, request: Received, reply: Reply) -> bool:
    """Send it; False where the connection ends with it."""
    if reply.cut and not reply.body:
        return False
    writer.write(_head(reply))
    body = b"" if request.method == "HEAD" or reply.status in (204, 304) else reply.body
    if reply.cut:
        body = body[: len(body) // 2]
    if reply.chunk_bytes:
        await _write_chunks(writer, body, reply)
    else:
        writer.write(body)
    await writer.drain()
    return not reply.cut and request.headers.get("connection", "").lower() != "close"


async def _write_chunks(writer: asyncio.StreamWriter, body: bytes, reply: Reply) -> None:
    for start in range(0, len(body), reply.chunk_bytes):
        await asyncio.sleep(reply.chunk_delay_s)
        piece = body[start : start + reply.chunk_bytes]
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await writer.drain()
    if not reply.cut:
        writer.write(b"0\r\n\r\n")


def _head(reply: Reply) -> bytes:
    pairs = list(reply.headers.items()) if isinstance(reply.headers, Mapping) else list(reply.headers)
    names = {name.lower() for name, _ in pairs}
    if reply.chunk_bytes:
        pairs.append(("Transfer-Encoding", "chunked"))
    elif "content-length" not in names and reply.status not in (204, 304):
        pairs.append(("Content-Length", str(len(reply.body))))
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {value}" for name, value in pairs)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
