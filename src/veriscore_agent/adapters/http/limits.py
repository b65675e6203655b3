"""Bounded concurrency that follows what a service can bear."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

import anyio
import httpx

from veriscore_agent.adapters.http.attempts import Attempt, Place, attempt_log

_OVERLOADED = frozenset({429, 503})


class Limiter(Protocol):
    """Says whose turn it is."""

    def limiter_for(self, request: httpx.Request) -> AdaptiveLimiter:
        """The limiter that counts this request."""
        ...


class AdaptiveLimiter:
    """At most ``limit`` calls at a time; halved when the service is overloaded, growing back slowly.

    Halving happens at most once per round trip: answers to requests that were sent before the last halving tell
    nothing about the limit that is in force. It grows back by one for every ``4 x limit`` calls that went well.
    Calls that wait are served in order; a call that comes back for a retry goes first.
    """

    def __init__(self, limit: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._highest, self._limit = limit, float(limit)
        self._clock = clock
        self._lowered_s = float("-inf")
        self._in_use = 0
        self._waiting: OrderedDict[anyio.Event, None] = OrderedDict()
        self._returning: OrderedDict[anyio.Event, None] = OrderedDict()
        """Waiting for a retry: they go first, so that a call that was begun ends."""

    @property
    def limit(self) -> int:
        """Calls that may run at a time now."""
        return int(self._limit)

    @property
    def in_use(self) -> int:
        """Calls that run now."""
        return self._in_use

    @property
    def idle(self) -> bool:
        """True where nothing runs, nothing waits, and nothing is remembered of an overload."""
        return not (self._in_use or self._waiting or self._returning) and self._limit >= self._highest

    def limiter_for(self, request: httpx.Request) -> AdaptiveLimiter:
        """Itself: every request counts."""
        return self

    async def take(self, *, returning: bool = False) -> None:
        """Wait for a place; ahead of all that had none yet where the call is ``returning``."""
        turn = anyio.Event()
        queue = self._returning if returning else self._waiting
        queue[turn] = None
        self._call_up()
        try:
            # Waits for nothing where the turn has come already.
            await turn.wait()
        except BaseException:
            if turn.is_set():
                self.give_back()
            else:
                del queue[turn]
            raise

    def give_back(self) -> None:
        """Return a place."""
        self._in_use -= 1
        self._call_up()

    def heard(self, attempt: Attempt) -> None:
        """Learn from one try."""
        if attempt.status in _OVERLOADED and not attempt.final:
            if attempt.began_s >= self._lowered_s:
                self._limit = max(1.0, self._limit / 2)
                self._lowered_s = self._clock()
        elif attempt.status is not None:
            self._limit = min(float(self._highest), self._limit + 0.25 / self._limit)
            self._call_up()

    def _call_up(self) -> None:
        while self._in_use < self.limit and (queue := self._returning or self._waiting):
            turn, _ = queue.popitem(last=False)
            self._in_use += 1
            turn.set()


class PerHostLimiter:
    """An AdaptiveLimiter for each host (and port)."""

    def __init__(self, limit: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit, self._clock = limit, clock
        self._hosts: dict[str, AdaptiveLimiter] = {}
        self._sweep_at = 256

    def limiter_for(self, request: httpx.Request) -> AdaptiveLimiter:
        """The limiter of the request's host."""
        host = request.url.netloc.decode("ascii", "replace")
        if host not in self._hosts:
            self._forget_idle_hosts()
            self._hosts[host] = AdaptiveLimiter(self._limit, clock=self._clock)
        return self._hosts[host]

    def _forget_idle_hosts(self) -> None:
        if len(self._hosts) >= self._sweep_at:
            self._hosts = {host: limiter for host, limiter in self._hosts.items() if not limiter.idle}
            self._sweep_at = max(256, 2 * len(self._hosts))


class LimitTransport(httpx.AsyncBaseTransport):
    """Let a call in when the limiter has a place for it, and tell the limiter how each try went.

    It stands over a transport that delivers complete responses: the place is free again when the response is handed
    on. Several can be nested, the one that splits the requests (PerHostLimiter) outermost.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, limiter: Limiter) -> None:
        self._inner, self._limiter = inner, limiter

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Wait for a place, then send it."""
        limiter = self._limiter.limiter_for(request)
        place = _Place(limiter)
        log = attempt_log(request)
        await place.take()
        log.places.append(place)
        log.listeners.append(limiter.heard)
        try:
            return await self._inner.handle_async_request(request)
        finally:
            log.places.remove(place)
            log.listeners.remove(limiter.heard)
            place.give_back()

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()


class _Place(Place):
    """A call's place at one limiter."""

    def __init__(self, limiter: AdaptiveLimiter) -> None:
        self._limiter = limiter
        self._held, self._held_before = False, False

    async def take(self) -> None:
        await self._limiter.take(returning=self._held_before)
        self._held = self._held_before = True

    def give_back(self) -> None:
        if self._held:
            self._held = False
            self._limiter.give_back()
