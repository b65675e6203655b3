"""One page over HTTP: a GET, its redirects followed one by one, under one clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version

import httpx

from veriscore_agent.adapters.http.body import first_bytes
from veriscore_agent.adapters.http.exchange import Exchange, call_headers, exchange_of
from veriscore_agent.adapters.http.pacing import paced
from veriscore_agent.adapters.pages.addresses import redirect_address
from veriscore_agent.adapters.pages.transport import ChainTimeout, PageClock
from veriscore_agent.settings import Settings

MAX_REDIRECTS = 5
_MOST_TURNS = 3
"""Times that one address is asked for because the time of another page ran out meanwhile."""
USER_AGENT = f"veriscore-agent/{version('veriscore-agent')} (reads pages to check claims against them)"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LOCATION = "veriscore.location"
_TIMEOUT = "timeout"
"""Name of the note that a chain of redirects has used up its time, on the exchange of its first redirect."""
_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/xml;q=0.8,*/*;q=0.1"

Check = Callable[[httpx.URL], Awaitable[float]]
"""Called before each request, redirects included: the seconds that the host wants between two pages. Raises what keeps
the request from being sent."""


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

    async def fetch(
        self, url: httpx.URL, *, kind: str, clock: PageClock, check: Check | None = None, most_bytes: int = 0
    ) -> Fetched:
        """What ``url`` leads to, after at most ``MAX_REDIRECTS`` redirects; of its body ``most_bytes``, if not 0.

        Raises httpx.RequestError, BadAddressError, TooManyRedirectsError, and what ``check`` raises.
        """
        chain = _Chain(kind, clock, first_bytes(most_bytes) if most_bytes else {})
        for _ in range(MAX_REDIRECTS + 1):
            chain.comes_to(url.netloc, await check(url) if check else 0.0)
            response = await self._get_in_own_time(url, chain)
            location = str(response.extensions.get(_LOCATION, ""))
            if response.status_code not in _REDIRECTS or not location:
                return Fetched(url, response)
            chain.redirected_by(response)
            url = redirect_address(url, location)
        raise TooManyRedirectsError(f"more than {MAX_REDIRECTS} redirects")

    async def _get_in_own_time(self, url: httpx.URL, chain: _Chain) -> httpx.Response:
        """One request, which ends with the time of this chain and not with that of another.

        An address to which several links redirect is asked for once, on the clock of the one who asked first. Where
        that one had little time left, the others ask again, each with what it has itself. (As another sample, so that
        what the first one met stays what it was, in this run and when it is replayed.)
        """
        for turn in range(1, _MOST_TURNS + 1):
            try:
                return await self._get(url, chain)
            except ChainTimeout as problem:
                if chain.clock.is_used_up:
                    chain.note_timeout(problem)
                if chain.clock.is_used_up or turn == _MOST_TURNS:
                    raise
        raise AssertionError("unreachable")

    async def _get(self, url: httpx.URL, chain: _Chain) -> httpx.Response:
        """One request. The same address once more in one chain is another exchange: its cookies may differ."""
        sample = chain.asked[str(url)]
        chain.asked[str(url)] += 1
        headers = self._headers | call_headers(kind=chain.kind, subject=str(url), sample=sample)
        request = httpx.Request("GET", url, headers=headers, extensions=chain.extensions())
        chain.cookies.set_cookie_header(request)
        return await self._client.send(request, auth=_no_credentials, follow_redirects=False)


class _Chain:
    """One page on its way over its redirects."""

    def __init__(self, kind: str, clock: PageClock, extensions: Mapping[str, object]) -> None:
        self.kind, self.clock, self._extensions = kind, clock, extensions
        self.cookies = httpx.Cookies()
        self.asked: Counter[str] = Counter()
        self._first: Exchange | None = None
        self._host = b""
        self._interval_s = 0.0

    def comes_to(self, host: bytes, interval_s: float) -> None:
        """The next request goes to this host, whose pages are to be so far apart; a redirect on it is no new page."""
        self._interval_s = 0.0 if host == self._host else interval_s
        self._host = host

    def extensions(self) -> dict[str, object]:
        """For ``httpx.Request``: its clock, its pace, and what all requests of the chain have."""
        return self.clock.extensions() | paced(self._interval_s) | dict(self._extensions)

    def redirected_by(self, response: httpx.Response) -> None:
        """Go on with its cookies. Raises ChainTimeout where a recording says that the time ran out behind it."""
        exchange = exchange_of(response)
        self.cookies.extract_cookies(response)
        self.clock.redirected = True
        if self._first is None:
            self._first = exchange
            if exchange.replayed and (noted := exchange.notes.get(_TIMEOUT)):
                raise ChainTimeout(str(noted))
        exchange.accept()

    def note_timeout(self, problem: ChainTimeout) -> None:
        """Keep with its first redirect that the time ran out: no time runs in a replay that could tell so again."""
        if self._first is not None:
            self._first.note(_TIMEOUT, str(problem))
            self._first.reject()


def _no_credentials(request: httpx.Request) -> httpx.Request:
    return request


async def _put_location_aside(response: httpx.Response) -> None:
    response.extensions[_LOCATION] = response.headers.pop("Location", "")
