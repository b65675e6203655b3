"""The layers of one service's transport, put together in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx

from veriscore_agent.adapters.http.ask_once import AskOnceTransport
from veriscore_agent.adapters.http.body import BoundedBodyTransport
from veriscore_agent.adapters.http.limits import Limiter, LimitTransport
from veriscore_agent.adapters.http.retries import REAL_TIME, USUAL_RETRIES, RetryPolicy, RetryTransport, Timing
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.transport import StoreTransport
from veriscore_agent.errors import Service

Layer = Callable[[httpx.AsyncBaseTransport], httpx.AsyncBaseTransport]
"""Puts a transport over another."""


@dataclass(frozen=True, slots=True)
class BodyBounds:
    """Bytes of one response body."""

    wire: int = 20_000_000
    decoded: int = 20_000_000


USUAL_BOUNDS = BodyBounds()


class NoNetworkTransport(httpx.AsyncBaseTransport):
    """The innermost layer of a replay: it has no socket, and being asked is a programming error."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Raise RuntimeError."""
        raise RuntimeError(f"a replay tried to send a {request.method} request")


def build_stack(
    inner: httpx.AsyncBaseTransport,
    *,
    service: Service,
    store_policy: StorePolicy | None,
    limiter: Limiter | Sequence[Limiter] = (),
    retry: RetryPolicy = USUAL_RETRIES,
    layers: Sequence[Layer] = (),
    bounds: BodyBounds = USUAL_BOUNDS,
    timing: Timing = REAL_TIME,
) -> httpx.AsyncBaseTransport:
    """Ask-once over store over ``layers`` (outermost first), limits, retries, bounded bodies and ``inner``.

    ``store_policy`` None records nothing. Of several limiters the first is outermost: one that splits the requests by
    host goes before one that counts them all. Closing the client that is built on it closes every layer.
    """
    transport: httpx.AsyncBaseTransport = BoundedBodyTransport(inner, bounds.wire, bounds.decoded)
    transport = RetryTransport(transport, retry, timing)
    for each in reversed([limiter] if not isinstance(limiter, Sequence) else limiter):
        transport = LimitTransport(transport, each)
    for layer in reversed(layers):
        transport = layer(transport)
    if store_policy is not None:
        transport = StoreTransport(transport, store_policy, service)
    return AskOnceTransport(transport)
