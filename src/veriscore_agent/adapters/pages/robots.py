"""robots.txt, asked once for every host (RFC 9309)."""

from __future__ import annotations

import anyio.to_thread
import httpx
from protego import Protego

from veriscore_agent.adapters.http.exchange import exchange_of
from veriscore_agent.adapters.pages.addresses import BadAddressError, robots_address
from veriscore_agent.adapters.pages.fetching import PageFetcher, TooManyRedirectsError
from veriscore_agent.adapters.pages.once import AskedOnce
from veriscore_agent.adapters.pages.transport import PageClock

_MAX_BYTES = 512_000
"""What RFC 9309 asks a crawler to read at least."""
_SECONDS = 10.0
_HOSTS = 2_000


class DisallowedError(Exception):
    """robots.txt asks not to open the page."""


class RobotsRules:
    """What the hosts of pages allow. A robots.txt that cannot be had allows everything."""

    def __init__(self, fetcher: PageFetcher) -> None:
        self._fetcher = fetcher
        self._rules: AskedOnce[str, Protego | None] = AskedOnce(_HOSTS, weight_of=lambda _: 1)

    async def check(self, url: httpx.URL) -> None:
        """Raises DisallowedError where the host's robots.txt disallows the address."""
        address = robots_address(url)
        rules = await self._rules.get(str(address), lambda: self._read(address))
        if rules and not rules.can_fetch(str(url), self._fetcher.user_agent):
            raise DisallowedError("robots.txt disallows it")

    async def _read(self, address: httpx.URL) -> Protego | None:
        try:
            fetched = await self._fetcher.fetch(address, kind="robots", clock=PageClock(_SECONDS))
        except (httpx.RequestError, BadAddressError, TooManyRedirectsError):
            return None
        response = fetched.response
        exchange_of(response).accept()
        if response.status_code != httpx.codes.OK:
            return None
        text = response.content[:_MAX_BYTES].decode("utf-8", "replace")
        # Half a megabyte of rules takes a tenth of a second.
        return await anyio.to_thread.run_sync(Protego.parse, text)
