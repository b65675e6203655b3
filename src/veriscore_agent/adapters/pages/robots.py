"""robots.txt, asked once for every host (RFC 9309)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import anyio.to_thread
import httpx
from protego import Protego

from veriscore_agent.adapters.address_guard import AddressRefused
from veriscore_agent.adapters.http.exchange import exchange_of
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.pages.addresses import BadAddressError, robots_address
from veriscore_agent.adapters.pages.fetching import Fetched, PageFetcher, TooManyRedirectsError
from veriscore_agent.adapters.pages.once import AskedOnce
from veriscore_agent.adapters.pages.transport import PageClock

_MAX_BYTES = 512_000
"""What RFC 9309 asks a crawler to read at least; lines behind it are not read."""
_LONGEST_S = 10.0
_REMEMBERED_BYTES = 5_000_000
"""Of all hosts together. Rules take some sixty times the memory of their text."""
_PRODUCT = re.compile(r"([A-Za-z][\w-]*)/\d")
_AGENT = re.compile(r"\s*user[- ]?agent\s*[:\s]\s*([^#]*)", re.IGNORECASE)
_ANOTHER = "User-agent: (another)"


class DisallowedError(Exception):
    """robots.txt asks not to open the page."""


class UnknownRulesError(Exception):
    """There may be a robots.txt, but what it asks for cannot be told."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """What one host asks for."""

    rules: Protego | None = None
    """None: nothing at all."""
    interval_s: float = 0.0
    """Seconds between two pages."""
    problem: str = ""
    """Why it is not known. Then nothing may be opened."""
    text_bytes: int = 0


_NO_RULES = _Rules()


class RobotsRules:
    """What the hosts of pages allow.

    As RFC 9309 has it, a robots.txt that is not there (status 4xx, or redirects to nowhere) allows everything, and one
    that cannot be had (status 5xx or 429, no connection, no end) nothing.
    """

    def __init__(self, fetcher: PageFetcher, page_timeout_s: float) -> None:
        self._fetcher = fetcher
        self._seconds = min(_LONGEST_S, page_timeout_s)
        self._names = _names_in(fetcher.user_agent)
        self._rules: AskedOnce[str, _Rules] = AskedOnce(_REMEMBERED_BYTES, weight_of=lambda each: 500 + each.text_bytes)

    async def check(self, url: httpx.URL) -> float:
        """The seconds that the host wants between two of its pages (Crawl-delay or Request-rate; 0: it does not say).

        Raises DisallowedError where its robots.txt disallows the address, UnknownRulesError where it cannot be had.
        """
        address = robots_address(url)
        found = await self._rules.get(str(address), lambda: self._read(address))
        if found.problem:
            raise UnknownRulesError(f"robots.txt cannot be read: {found.problem}")
        # In a thread, for a hostile one may hold tens of thousands of patterns.
        if found.rules and not await anyio.to_thread.run_sync(
            found.rules.can_fetch, str(url), " ".join(sorted(self._names))
        ):
            raise DisallowedError("robots.txt disallows it")
        return found.interval_s

    async def _read(self, address: httpx.URL) -> _Rules:
        try:
            fetched = await self._fetcher.fetch(
                address, kind="robots", clock=PageClock(self._seconds), most_bytes=_MAX_BYTES
            )
        except (BadAddressError, TooManyRedirectsError, AddressRefused, NotRecorded):
            # The page itself is refused, or not recorded, for the same reason where it concerns the host.
            return _NO_RULES
        except httpx.RequestError as problem:
            return _Rules(problem=str(problem) or type(problem).__name__)
        return await self._rules_of(fetched)

    async def _rules_of(self, fetched: Fetched) -> _Rules:
        response, exchange = fetched.response, exchange_of(fetched.response)
        if response.is_server_error or response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            exchange.reject()
            return _Rules(problem=f"status {response.status_code}")
        exchange.accept()
        if not response.is_success:
            return _NO_RULES
        text = _readable_part(response.content)
        # Half a megabyte of rules takes a quarter of a second.
        return await anyio.to_thread.run_sync(_parse, text, self._names)


def _readable_part(content: bytes) -> str:
    """The text up to the bound, without a line that the bound cuts: half a path disallows more than the whole."""
    if len(content) >= _MAX_BYTES:
        content = content[:_MAX_BYTES].rpartition(b"\n")[0]
    return content.decode("utf-8-sig", "replace")


def _parse(text: str, names: frozenset[str]) -> _Rules:
    me = " ".join(sorted(names))
    rules = Protego.parse(_without_other_agents(text, names))
    rate = rules.request_rate(me)
    interval_s = max(rules.crawl_delay(me) or 0.0, rate.seconds / rate.requests if rate else 0.0)
    return _Rules(rules, interval_s, text_bytes=len(text))


def _without_other_agents(text: str, names: frozenset[str]) -> str:
    """The same rules for us, with one name for all others.

    Protego keeps each rule once for every agent of its group: thousands of agents with thousands of rules would take
    minutes and gigabytes. It also takes any beginning of a word for our name.
    """
    lines = []
    for line in text.splitlines():
        agent = _AGENT.match(line)
        name = agent[1].partition("/")[0].replace("*", "").strip().lower() if agent else ""
        if agent and agent[1].strip() != "*":
            lines.append(f"User-agent: {name}" if name in names else _ANOTHER)
        else:
            lines.append(line)
    return "\n".join(lines)


def _names_in(user_agent: str) -> frozenset[str]:
    """The product names of a User-Agent, in lower case: what comes before each version, or else its first word."""
    found = _PRODUCT.findall(user_agent) or user_agent.split()[:1]
    return frozenset(name.lower() for name in found)
