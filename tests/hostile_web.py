"""A server that does whatever a hostile one might, on loopback, and the product's own page reader in front of it.

The reader is wired as in a run; only its resolver and connector are stubs, so that nothing but loopback can be reached.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import importlib
import importlib.util
import socket
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import zstandard
from pydantic import SecretStr

from tests.stub_network import PUBLIC, Names, StubConnector, StubResolver
from veriscore_agent.adapters.pages import build_page_transport
from veriscore_agent.ports import PageReader
from veriscore_agent.settings import Settings
from veriscore_agent.wiring import Sockets, open_services

GOOD_ADDRESS, TLS_ADDRESS, SILENT_ADDRESS = "192.1.2.4", "192.1.2.5", "192.1.2.6"
"""Beside PUBLIC, where the hostile server is: all are only ever given to the stub connector."""
GOOD_PAGE = b"<html><head><title>The bridge</title></head><body><p>The bridge weighs 9,800 tonnes.</p></body></html>"
HAS_BROTLI = importlib.util.find_spec("brotli") is not None
_PLENTY = b"x" * 65_536


@dataclass(frozen=True)
class Wire:
    """One request on one connection."""

    path: str
    headers: Mapping[str, str]
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


Attack = Callable[[Wire], Awaitable[None]]
"""Writes an answer; the connection is closed when it returns."""


def answer(
    body: bytes = GOOD_PAGE, status: str = "200 OK", *headers: str, kind: str = "text/html", length: object = None
) -> bytes:
    """A whole answer. ``length`` is what Content-Length says, if not the truth; "" leaves the header out."""
    lines = [f"HTTP/1.1 {status}", *headers]
    if kind:
        lines.append(f"Content-Type: {kind}")
    if length != "":
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def sends(*pieces: bytes, pause_s: float = 0.0) -> Attack:
    """These bytes, and then the end."""

    async def attack(wire: Wire) -> None:
        for piece in pieces:
            await wire.send(piece)
            if pause_s:
                await asyncio.sleep(pause_s)

    return attack


def sends_without_end(start: bytes, again: bytes, *, pause_s: float = 0.0) -> Attack:
    """Some bytes, and then others for ever."""

    async def attack(wire: Wire) -> None:
        await wire.send(start)
        while True:
            await wire.send(again)
            await asyncio.sleep(pause_s)

    return attack


def redirects(location: str, *headers: str) -> Attack:
    """A redirect."""
    return sends(answer(b"", "302 Found", f"Location: {location}", *headers))


def resets(start: bytes) -> Attack:
    """Some bytes, and then a reset connection."""

    async def attack(wire: Wire) -> None:
        await wire.send(start)
        await asyncio.sleep(0.05)
        connection = wire.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.writer.transport.abort()

    return attack


async def is_silent(wire: Wire) -> None:
    """Accepts and never answers."""
    await asyncio.sleep(3600)


async def wants_a_cookie(wire: Wire) -> None:
    """Redirects to itself until its cookie comes back."""
    if wire.headers.get("cookie") == "seen=1":
        return await wire.send(answer())
    await redirects(wire.path, "Set-Cookie: seen=1; Path=/; Domain=hostile.example")(wire)
    return None


def large(megabytes: int, *headers: str) -> Attack:
    """So many megabytes of text."""

    async def attack(wire: Wire) -> None:
        await wire.send("\r\n".join(["HTTP/1.1 200 OK", "Content-Type: text/html", *headers]).encode() + b"\r\n\r\n")
        for _ in range(megabytes * 16):
            await wire.send(b"10000\r\n" + _PLENTY + b"\r\n" if "Transfer-Encoding: chunked" in headers else _PLENTY)

    return attack


@cache
def bomb(coding: str) -> bytes:
    """A small body that unfolds to 200 MB: 200 kB of gzip, 20 kB of zstd, a few hundred bytes of brotli."""
    zeros, times = b"\0" * 1_000_000, 200
    if coding == "br":
        brotli: Any = importlib.import_module("brotli")
        brotli_packer = brotli.Compressor(quality=9)
        return b"".join([*(brotli_packer.process(zeros) for _ in range(times)), brotli_packer.finish()])
    if coding == "zstd":
        zstd_packer = zstandard.ZstdCompressor().compressobj()
        return b"".join([*(zstd_packer.compress(zeros) for _ in range(times)), zstd_packer.flush()])
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | (16 if coding == "gzip" else 0))
    head = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * times


def bombs(coding: str) -> Attack:
    """The bomb of one coding, or of several, the last applied named last."""

    async def attack(wire: Wire) -> None:
        first, *others = coding.split(", ")
        body = bomb(first)
        for _ in others:
            body = gzip.compress(body)
        await wire.send(answer(body, "200 OK", f"Content-Encoding: {coding}"))

    return attack


TLS_ANSWERS = {
    "alert-version": b"\x15\x03\x01\x00\x02\x02\x46",
    "alert-handshake": b"\x15\x03\x03\x00\x02\x02\x28",
    "no-renegotiation-info": b"\x16\x03\x03\x00\x2a\x02\x00\x00\x26\x03\x03" + bytes(32) + b"\x00\xc0\x2f\x00",
    "plain-http": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "no-answer": b"",
}
"""What NAME.tls.example says to a TLS client. The third is a ServerHello of before RFC 5746 (2010)."""


@dataclass
class HostileWeb:
    """Attacks by host name (``NAME.hostile.example``), good pages at good.example, and what was asked for."""

    reader: PageReader
    connector: StubConnector
    resolver: StubResolver
    requests: list[Wire] = field(default_factory=list)


@asynccontextmanager
async def hostile_web(attacks: Mapping[str, Attack], settings: Settings, names: Names) -> AsyncIterator[HostileWeb]:
    """The servers, and the services of a run whose page reader can reach them and nothing else."""
    requests: list[Wire] = []
    hosts: dict[str, list[str]] = {f"{name}.hostile.example": [PUBLIC] for name in attacks}
    hosts |= {f"{name}.tls.example": [TLS_ADDRESS] for name in TLS_ANSWERS}
    resolver = StubResolver({"good.example": [GOOD_ADDRESS], **hosts, **names})
    async with (
        await asyncio.start_server(partial(_serve, attacks, requests), "127.0.0.1", 0) as hostile,
        await asyncio.start_server(_serve_good, "127.0.0.1", 0) as good,
        await asyncio.start_server(_serve_tls, "127.0.0.1", 0) as tls,
    ):
        ports = {PUBLIC: _port(hostile), GOOD_ADDRESS: _port(good), TLS_ADDRESS: _port(tls)}
        connector = StubConnector(ports, silent=[SILENT_ADDRESS])
        page = build_page_transport(settings, resolver=resolver, connector=connector)
        try:
            async with open_services(settings, sockets=Sockets(page=page)) as services:
                yield HostileWeb(services.ports.reader, connector, resolver, requests)
        finally:
            for task in asyncio.all_tasks():
                if task.get_name() == _TASK:
                    task.cancel()


def run_settings(page_timeout_s: float) -> Settings:
    """As a run has them, but for what makes a test slow. No service is asked for anything."""
    return Settings(
        api_key=SecretStr("none"),
        search_api_key=SecretStr("none"),
        page_timeout_s=page_timeout_s,
        max_retries=0,
        page_concurrency=32,
    )


_TASK = "hostile connection"


def _port(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


async def _serve(
    attacks: Mapping[str, Attack],
    requests: list[Wire],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    async def respond(wire: Wire) -> None:
        requests.append(wire)
        if wire.path == "/robots.txt":
            await wire.send(answer(b"", "404 Not Found", "Connection: close"))
        else:
            await attacks[wire.headers["host"].partition(".")[0]](wire)

    await _serve_one(respond, reader, writer)


async def _serve_good(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    async def respond(wire: Wire) -> None:
        await wire.send(answer(b"", "404 Not Found") if wire.path == "/robots.txt" else answer())

    await _serve_one(respond, reader, writer)


async def _serve_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    hello = await reader.read(4_096)
    writer.write(next(said for name, said in TLS_ANSWERS.items() if f"{name}.tls.example".encode() in hello))
    writer.close()


async def _serve_one(
    respond: Callable[[Wire], Awaitable[None]], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.set_name(_TASK)
    with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        pairs = (line.partition(":") for line in head[1:])
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        await respond(Wire(head[0].split(" ")[1], headers, writer))
    writer.close()
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()
