"""Retries: bounded in number and in time, jittered, obeying what the server asks for.

The loop is our own: of tenacity or stamina only ``while`` would be left. What decides here is whether the wait that
the *server* names still fits the time that is left (else its answer is handed on at once), a call that waits gives
its place at the limiters back, and every try is written down; each of these would be a callback of ours there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import cast

import anyio
import httpx

from veriscore_agent.adapters.http.attempts import Attempt, attempt_log
from veriscore_agent.adapters.http.failures import NEVER_SENT, FinalTransportError
from veriscore_agent.adapters.http.retry_after import retry_after_s

IsFinal = Callable[[httpx.Response], bool]
"""Whether no retry cures this response, whatever its status. It may read the body."""

_RETRIED_STATUSES = frozenset({408, 429})
_NEVER_RETRIED = (FinalTransportError, httpx.UnsupportedProtocol, httpx.LocalProtocolError)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a call is tried again, and how long that may take."""

    max_retries: int = 4
    """Tries after the first."""
    total_s: float = 90.0
    """Seconds from the first try within which another may begin. Waiting for a limiter does not count."""
    first_wait_s: float = 0.5
    """Back-off after the first try; it doubles with each."""
    longest_wait_s: float = 30.0
    is_final: IsFinal | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the retries get time and chance from."""

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    """Seconds since the epoch, for Retry-After dates."""
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep
    jitter: Callable[[], float] = field(default=random.random)
    """A number in [0, 1)."""


USUAL_RETRIES = RetryPolicy()
REAL_TIME = Timing()


class RetryTransport(httpx.AsyncBaseTransport):
    """Try again after transport errors, 408, 429 and 5xx.

    The wait is max(what the server asks for, back-off) plus a random share of the back-off. When the number or the
    time is used up, the last response is returned or the last error raised. One try takes at most the request's read
    timeout as a whole, however slowly bytes drip in, and all tries together at most the larger of that and
    ``total_s``: a try that is cut raises httpx.ReadTimeout.

    It stands over a transport that delivers complete responses (BoundedBodyTransport).
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, policy: RetryPolicy = USUAL_RETRIES, timing: Timing = REAL_TIME
    ) -> None:
        self._inner, self._policy, self._timing = inner, policy, timing

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send it, as often as it takes."""
        await request.aread()
        log = attempt_log(request)
        spent_s, waited_s = 0.0, 0.0
        for retries in range(self._policy.max_retries + 1):
            attempt, outcome = await self._try(request, spent_s, waited_s)
            log.add(attempt)
            spent_s += attempt.seconds
            wait_s = self._wait_s(outcome, attempt, retries)
            if wait_s is None or spent_s + wait_s >= self._policy.total_s:
                break
            async with log.places_given_back():
                await self._timing.sleep(wait_s)
            spent_s, waited_s = spent_s + wait_s, wait_s
        if isinstance(outcome, httpx.Response):
            return outcome
        raise outcome

    async def _try(
        self, request: httpx.Request, spent_s: float, waited_s: float
    ) -> tuple[Attempt, httpx.Response | httpx.RequestError]:
        clock = self._timing.clock
        began_s = clock()
        limit_s = self._limit_s(request, spent_s)
        outcome: httpx.Response | httpx.RequestError
        outcome = httpx.ReadTimeout(f"no complete answer within {limit_s} s", request=request)
        try:
            with anyio.move_on_after(limit_s):
                outcome = await self._inner.handle_async_request(request)
        except httpx.RequestError as problem:
            outcome = problem
        attempt = Attempt(began_s=began_s, seconds=clock() - began_s, waited_s=waited_s)
        if isinstance(outcome, httpx.RequestError):
            unseen = not isinstance(outcome, NEVER_SENT)
            return replace(attempt, error=f"{type(outcome).__name__}: {outcome}", unseen=unseen), outcome
        return replace(attempt, status=outcome.status_code, final=self._is_final(outcome)), outcome

    def _limit_s(self, request: httpx.Request, spent_s: float) -> float | None:
        read_s = cast("float | None", request.extensions.get("timeout", {}).get("read"))
        return None if read_s is None else min(read_s, max(self._policy.total_s, read_s) - spent_s)

    def _is_final(self, response: httpx.Response) -> bool:
        if response.headers.get("x-should-retry") == "false":
            return True
        asked = self._policy.is_final
        return response.is_error and asked is not None and asked(response)

    def _wait_s(self, outcome: httpx.Response | httpx.RequestError, attempt: Attempt, retries: int) -> float | None:
        """Seconds to wait before the next try; None where there is to be none."""
        if retries >= self._policy.max_retries or attempt.final or not _is_curable(outcome):
            return None
        back_off_s = min(self._policy.first_wait_s * 2.0**retries, self._policy.longest_wait_s)
        asked_s = retry_after_s(outcome, self._timing.now) if isinstance(outcome, httpx.Response) else None
        return max(asked_s or 0.0, back_off_s) + back_off_s * self._timing.jitter()

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()


def _is_curable(outcome: httpx.Response | httpx.RequestError) -> bool:
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in _RETRIED_STATUSES or outcome.is_server_error
    return isinstance(outcome, httpx.TransportError | httpx.DecodingError) and not isinstance(outcome, _NEVER_RETRIED)
