"""The innermost layer under a page client: guarded connections, and the total time of one page."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import anyio
import httpcore
import httpx

from veriscore_agent.adapters.address_guard import GuardedTransport, Resolver
from veriscore_agent.adapters.http.failures import FinalTransportError
from veriscore_agent.settings import Settings

_EXTENSION = "veriscore.page_clock"


class PageTimeout(FinalTransportError):  # noqa: N818
    """The page has used up its time."""


class ChainTimeout(PageTimeout):
    """The page has used up its time at an address that it was redirected to, and which others may still have time for.

    Unlike a PageTimeout it says nothing of the address: that had no more than what the redirects before it had left.
    """


class PageClock:
    """The seconds that one page has left, over all its redirects, retries and its extraction.

    They run only while something is done for the page, not while it waits for its turn: how busy a run is does not
    decide which pages can be read.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = self.left_s = seconds
        self.redirected = False
        """Set once the page has been redirected."""

    @property
    def is_used_up(self) -> bool:
        """Whether no time is left."""
        return self.left_s <= 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the time run. Raises PageTimeout or ChainTimeout when none is left, also in the middle."""
        started = time.monotonic()
        try:
            with anyio.move_on_after(max(0.0, self.left_s)) as scope:
                yield
        finally:
            self.left_s -= time.monotonic() - started
        if scope.cancelled_caught:
            self.left_s = min(self.left_s, 0.0)
            kind = ChainTimeout if self.redirected else PageTimeout
            raise kind(f"the page took more than {self._seconds:g} s")

    def extensions(self) -> dict[str, object]:
        """For ``httpx.Request(extensions=...)``: puts the request under this clock."""
        # The clock is the limit; httpx's own, per read, stands a little behind it for the layers that look at it.
        timeout = httpx.Timeout(max(0.0, self.left_s) + 1.0, pool=None)
        return {_EXTENSION: self, "timeout": timeout.as_dict()}


class ClockedTransport(httpx.AsyncBaseTransport):
    """Lets the ``PageClock`` of a request run from sending it to the last byte of the answer.

    So a body that comes in drop by drop ends like any other. A request without a clock passes as it is.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send it. Raises PageTimeout, here or while the body is read."""
        clock = request.extensions.get(_EXTENSION)
        if not isinstance(clock, PageClock):
            return await self._inner.handle_async_request(request)
        with clock.running():
            response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _ClockedBody(response.stream, clock)
        return response

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()


class _ClockedBody(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, clock: PageClock) -> None:
        self._inner, self._clock = inner, clock

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = aiter(self._inner)
        while True:
            with self._clock.running():
                piece = await anext(pieces, None)
            if piece is None:
                return
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def build_page_transport(
    settings: Settings,
    *,
    resolver: Resolver | None = None,
    connector: httpcore.AsyncNetworkBackend | None = None,
) -> httpx.AsyncBaseTransport:
    """The transport that everything else of the page client stands on.

    Only public addresses are connected to, unless ``allow_private_hosts``. No proxy is used, whatever the environment
    says, unless ``page_proxy`` names one: a proxy resolves the name again, so that nothing could be pinned.
    Certificates are checked as httpx does by default (``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` are heard).
    """
    return ClockedTransport(
        GuardedTransport(
            resolver=resolver,
            connector=connector,
            allow_private=settings.allow_private_hosts,
            proxy=settings.page_proxy,
            max_connections=settings.page_concurrency * 2,
        )
    )
