"""One page over HTTP: a GET, its redirects followed one by one, under one clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version

import httpx

from veriscore_agent.adapters.http.exchange import call_headers, exchange_of
from veriscore_agent.adapters.pages.addresses import redirect_address
from veriscore_agent.adapters.pages.transport import PageClock
from veriscore_agent.settings import Settings

MAX_REDIRECTS = 5
USER_AGENT = f"veriscore-agent/{version('veriscore-agent')} (reads pages to check claims against them)"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LOCATION = "veriscore.location"
_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/xml;q=0.8,*/*;q=0.1"

Check = Callable[[httpx.URL], Awaitable[None]]
"""Called before each request, redirects included; raises what keeps it from being sent."""


class TooManyRedirectsError(Exception):
    """A chain of redirects that does not end."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response that is no redirect, read whole, and the address that it came from."""

    url: httpx.URL
    response: httpx.Response


class PageFetcher:
    """Fetches over a client that is closed elsewhere.

    Cookies live for one chain of redirects, where some sites need them to let anyone in, and are then forgotten.
    Nothing of the client but its transport is used: no default headers, cookies or credentials.
    """

    def __init__(self, client: httpx.AsyncClient, settings: Settings) -> None:
        self._client = client
        # The client would otherwise collect the cookies of every site for ever, and raise whatever a URL library
        # raises for a bad Location, although it is asked not to follow it.
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        client.event_hooks["response"].append(_put_location_aside)
        self._headers = {
            "User-Agent": settings.user_agent or USER_AGENT,
            "Accept": _ACCEPT,
            "Accept-Language": f"{settings.hl},*;q=0.5",
        }

    @property
    def user_agent(self) -> str:
        """What it calls itself."""
        return self._headers["User-Agent"]

    async def fetch(self, url: httpx.URL, *, kind: str, clock: PageClock, check: Check | None = None) -> Fetched:
        """What ``url`` leads to, after at most ``MAX_REDIRECTS`` redirects.

        Raises httpx.RequestError, BadAddressError, TooManyRedirectsError, and what ``check`` raises.
        """
        cookies = httpx.Cookies()
        asked: Counter[str] = Counter()
        for _ in range(MAX_REDIRECTS + 1):
            if check:
                await check(url)
            response = await self._get(url, kind, clock, cookies, sample=asked[str(url)])
            asked[str(url)] += 1
            location = str(response.extensions.get(_LOCATION, ""))
            if response.status_code not in _REDIRECTS or not location:
                return Fetched(url, response)
            exchange_of(response).accept()
            cookies.extract_cookies(response)
            url = redirect_address(url, location)
        raise TooManyRedirectsError(f"more than {MAX_REDIRECTS} redirects")

    async def _get(
        self, url: httpx.URL, kind: str, clock: PageClock, cookies: httpx.Cookies, *, sample: int
    ) -> httpx.Response:
        """One request. The same address once more in one chain is another exchange: its cookies may differ."""
        headers = self._headers | call_headers(kind=kind, subject=str(url), sample=sample)
        request = httpx.Request("GET", url, headers=headers, extensions=clock.extensions())
        cookies.set_cookie_header(request)
        return await self._client.send(request, auth=_no_credentials, follow_redirects=False)


def _no_credentials(request: httpx.Request) -> httpx.Request:
    return request


async def _put_location_aside(response: httpx.Response) -> None:
    response.extensions[_LOCATION] = response.headers.pop("Location", "")
