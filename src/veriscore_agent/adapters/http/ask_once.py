"""Equal requests in flight are asked once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import anyio
import httpx

from veriscore_agent.adapters.http.body import RawBody, whole_body
from veriscore_agent.adapters.http.exchange import take_call

_Key = tuple[str, str, bytes, str, int]
_PATIENCE_S = 10.0
"""Seconds that a cancelled call may take to clean up after itself."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    content: bytes
    extensions: dict[str, object]

    def response(self) -> httpx.Response:
        """A response of one caller's own."""
        return httpx.Response(
            self.status, headers=self.headers, stream=RawBody(self.content), extensions=dict(self.extensions)
        )


@dataclass(slots=True)
class _Flight:
    """One call that is under way, for everyone who wants it."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    task: asyncio.Task[_Answer] | None = None
    waiting: int = 0


class AskOnceTransport(httpx.AsyncBaseTransport):
    """Let equal requests that are in flight at the same time share one call, its answer or its failure.

    Equal: same method, address, body, kind and sample number. Each caller gets a response of its own. The call runs
    in a task of its own, so that a caller who is cancelled takes nothing from the others; it ends when nobody waits
    for it any more, and then the last one waits until it has ended. asyncio only.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self._flights: dict[_Key, _Flight] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Join an equal request, or send it."""
        call = take_call(request)
        key = (request.method, str(request.url), await request.aread(), call.kind, call.sample)
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight()
            flight.task = asyncio.create_task(self._fly(key, flight, request))
            flight.task.add_done_callback(_seen)
        return (await self._wait(key, flight)).response()

    async def _wait(self, key: _Key, flight: _Flight) -> _Answer:
        task = flight.task
        assert task is not None
        flight.waiting += 1
        try:
            await asyncio.wait([task])
        finally:
            flight.waiting -= 1
            if not task.done() and not flight.waiting:
                self._forget(key, flight)
                await _end(flight, task)
        if task.cancelled():
            raise httpx.CloseError("the client was closed while the call was under way")
        return task.result()

    async def _fly(self, key: _Key, flight: _Flight, request: httpx.Request) -> _Answer:
        try:
            with flight.scope:
                response = await self._inner.handle_async_request(request)
                content = await whole_body(response)
                return _Answer(response.status_code, response.headers, content, response.extensions)
            raise asyncio.CancelledError
        finally:
            self._forget(key, flight)

    def _forget(self, key: _Key, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    async def aclose(self) -> None:
        """End what is under way, and close what is inside."""
        flights = list(self._flights.values())
        self._flights.clear()
        for flight in flights:
            if flight.task is not None:
                await _end(flight, flight.task)
        await self._inner.aclose()


async def _end(flight: _Flight, task: asyncio.Task[_Answer]) -> None:
    """Cancel the call by its scope, which lets a write that has begun end, and wait for it."""
    flight.scope.cancel()
    with anyio.move_on_after(_PATIENCE_S, shield=True):
        await asyncio.wait([task])


def _seen(task: asyncio.Task[_Answer]) -> None:
    """A failure may find nobody left to be told; asyncio would complain of that."""
    if not task.cancelled():
        task.exception()
