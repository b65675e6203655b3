"""Bounded concurrency that follows what a service can bear."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
import httpx

from veriscore_agent.adapters.http.attempts import Attempt, Place, attempt_log

_OVERLOADED = frozenset({429, 503})
_LOWEST = 1 / 1024
_LONGEST_PAUSE_S = 5.0
_NEWEST_WEIGHS = 0.2
"""Share of the newest try in the moving average of a call's duration."""


class Limiter(Protocol):
    """Says whose turn it is."""

    def limiter_for(self, request: httpx.Request) -> AdaptiveLimiter:
        """The limiter that counts this request."""
        ...


class AdaptiveLimiter:
    """At most ``limit`` calls at a time; fewer while the service is overloaded.

    At a 429 or 503 the limit is halved, at most once per round trip: answers to requests that were sent before the
    last halving tell nothing about the limit that is in force. It grows back by one for every ``4 x limit`` answers
    that went well.

    Below one it is the share of time in which a single call may run: where a provider allows five calls a second, and
    answers each in a hundredth, one at a time is still too many. There it grows by half with each good answer, for a
    limit that is counted by the second is found far too low when the second is over.

    Calls wait in the order in which they came, those that come back for a retry behind the others, so that no call
    alone bears all the refusals.
    """

    def __init__(
        self,
        limit: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
    ) -> None:
        self._highest, self._limit = limit, float(limit)
        self._clock, self._sleep = clock, sleep
        self._lowered_s = float("-inf")
        self._call_s = 0.0
        self._in_use = 0
        self._waiting: OrderedDict[anyio.Event, None] = OrderedDict()

    @property
    def limit(self) -> int:
        """Calls that may run at a time now."""
        return max(1, int(self._limit))

    @property
    def pause_s(self) -> float:
        """Seconds for which a call keeps its place unused before it runs; 0 where the limit is one or more."""
        return min(_LONGEST_PAUSE_S, self._call_s * max(0.0, 1 / self._limit - 1))

    @property
    def in_use(self) -> int:
        """Calls that have a place now."""
        return self._in_use

    @property
    def idle(self) -> bool:
        """True where nothing runs, nothing waits, and nothing is remembered of an overload."""
        return not self._in_use and not self._waiting and self._limit >= self._highest

    def limiter_for(self, request: httpx.Request) -> AdaptiveLimiter:
        """Itself: every request counts."""
        return self

    async def take(self) -> None:
        """Wait for a place."""
        turn = anyio.Event()
        self._waiting[turn] = None
        self._call_up()
        try:
            # Neither waits where there is no need to.
            await turn.wait()
            if self._limit < 1:
                await self._sleep(self.pause_s)
        except BaseException:
            if turn.is_set():
                self.give_back()
            else:
                del self._waiting[turn]
            raise

    def give_back(self) -> None:
        """Return a place."""
        self._in_use -= 1
        self._call_up()

    def heard(self, attempt: Attempt) -> None:
        """Learn from one try."""
        if attempt.status is None or attempt.final:
            return
        self._call_s += (attempt.seconds - self._call_s) * (_NEWEST_WEIGHS if self._call_s else 1)
        if attempt.status not in _OVERLOADED:
            more = 0.25 / self._limit if self._limit >= 1 else 0.5 * self._limit
            self._limit = min(float(self._highest), self._limit + more)
            self._call_up()
        elif attempt.began_s >= self._lowered_s:
            self._limit = max(_LOWEST, self._limit / 2)
            self._lowered_s = self._clock()

    def _call_up(self) -> None:
        while self._waiting and self._in_use < self.limit:
            turn, _ = self._waiting.popitem(last=False)
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
        self._held = False

    async def take(self) -> None:
        await self._limiter.take()
        self._held = True

    def give_back(self) -> None:
        if self._held:
            self._held = False
            self._limiter.give_back()
