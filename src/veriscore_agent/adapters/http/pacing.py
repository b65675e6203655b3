"""The pace at which one host is asked: a least interval between requests, where the user or the host wants one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import anyio
import httpx

from veriscore_agent.adapters.http.failures import FinalTransportError

_EXTENSION = "veriscore.interval_s"
_LONGEST_WAIT_S = 60.0
_SWEEP_AT = 1024


class TurnTooFar(FinalTransportError):  # noqa: N818
    """The host wants its requests so far apart that this one's turn does not come in reasonable time."""


def paced(interval_s: float) -> dict[str, object]:
    """For ``httpx.Request(extensions=...)``: the seconds that the request's host wants between requests."""
    return {_EXTENSION: interval_s}


class PaceTransport(httpx.AsyncBaseTransport):
    """Let the requests to one host (and port) begin at least an interval apart.

    The interval is the larger of ``interval_s`` and what the request itself says (``paced``). The first request to a
    host never waits. One that would have to wait for more than a minute is not sent: TurnTooFar. It stands over the
    limiters, so that no one who waits for the pace keeps a place from others, and under the store, so that a replay
    does not wait.
    """

    def __init__(
        self,
        inner: httpx.AsyncBaseTransport,
        interval_s: float = 0.0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
    ) -> None:
        self._inner, self._interval_s = inner, interval_s
        self._clock, self._sleep = clock, sleep
        self._free_at_s: dict[str, float] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Wait for its turn, then send it. Raises TurnTooFar."""
        asked_s = request.extensions.get(_EXTENSION, 0.0)
        interval_s = max(self._interval_s, asked_s if isinstance(asked_s, float) else 0.0)
        if interval_s > 0:
            wait_s = self._take_turn(request.url.netloc.decode("ascii", "replace"), interval_s)
            if wait_s > 0:
                await self._sleep(wait_s)
        return await self._inner.handle_async_request(request)

    def _take_turn(self, host: str, interval_s: float) -> float:
        """Seconds until the next free turn, which is then taken."""
        now_s = self._clock()
        turn_s = max(now_s, self._free_at_s.get(host, now_s))
        if turn_s - now_s > _LONGEST_WAIT_S:
            raise TurnTooFar(
                f"requests to the site are to be {interval_s:g} s apart, and this one's turn comes in "
                f"more than {_LONGEST_WAIT_S:g} s"
            )
        if len(self._free_at_s) >= _SWEEP_AT:
            self._free_at_s = {each: free_s for each, free_s in self._free_at_s.items() if free_s > now_s}
        self._free_at_s[host] = turn_s + interval_s
        return turn_s - now_s

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()
