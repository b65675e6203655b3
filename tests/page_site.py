"""A made site on loopback, and a page reader on the product's own stack that can reach nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from tests.loopback import LoopbackServer, Reply
from tests.stub_network import PUBLIC, Names, StubConnector, StubResolver
from veriscore_agent.adapters.http.limits import AdaptiveLimiter
from veriscore_agent.adapters.http.pacing import PaceTransport
from veriscore_agent.adapters.http.retries import RetryPolicy
from veriscore_agent.adapters.http.stack import BodyBounds, NoNetworkTransport, build_stack
from veriscore_agent.adapters.pages import WebPageReader, build_page_transport
from veriscore_agent.adapters.pages.bounds import UnreadablePageError
from veriscore_agent.adapters.pages.extract import ExtractedPage, extract_page
from veriscore_agent.adapters.pages.extraction import ExtractionError, Extractor
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.domain import PageReading
from veriscore_agent.settings import Settings

SITE = "http://site.example"
NAMES: Names = {"site.example": [PUBLIC], "other.example": [PUBLIC], "inside.example": ["10.0.0.5"]}
SETTINGS = Settings(page_timeout_s=5.0, max_page_bytes=200_000, obey_robots=False)
HTML = {"Content-Type": "text/html; charset=utf-8"}
ARTICLE = "<html><head><title>The bridge</title></head><body><p>The bridge weighs 9,800 tonnes.</p></body></html>"
SHELL = '<html><body><div id="root"></div><script src="/app.js"></script></body></html>'


def page(html: str = ARTICLE, status: int = 200, **headers: str) -> Reply:
    """An HTML page; ``Content_Type`` is written with an underscore."""
    return Reply(status, HTML | {name.replace("_", "-"): value for name, value in headers.items()}, html.encode())


def redirect(location: str, **headers: str) -> Reply:
    return Reply(302, {"Location": location} | {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass
class InProcess:
    """The same extraction without a process, counting; fails on demand."""

    problem: str = ""
    calls: Counter[str] = field(default_factory=Counter)

    async def extract(self, body: bytes, url: str, content_type: str, seconds: float) -> ExtractedPage:
        self.calls[url] += 1
        assert seconds > 0
        if self.problem:
            raise ExtractionError(self.problem)
        try:
            return extract_page(body, url, content_type)
        except UnreadablePageError as problem:
            raise ExtractionError(str(problem)) from problem


class Site:
    """A server that answers by path, known as site.example and other.example."""

    def __init__(self, pages: Mapping[str, Reply | Callable[[Mapping[str, str]], Reply]]) -> None:
        self._pages = pages
        self.server = LoopbackServer(self._answer)

    def _answer(self, _method: str, path: str, headers: Mapping[str, str], _body: bytes) -> Reply:
        found = self._pages.get(path, Reply(404))
        return found if isinstance(found, Reply) else found(headers)

    def paths(self) -> list[str]:
        return [request.path for request in self.server.requests]


@asynccontextmanager
async def reader_on(
    site: Site,
    settings: Settings = SETTINGS,
    *,
    extractor: Extractor | None = None,
    policy: StorePolicy | None = None,
    limit: int = 8,
) -> AsyncIterator[WebPageReader]:
    """A reader on the stack that the product uses, over a guard whose connector only reaches the site."""
    offline = policy is not None and policy.own is None
    connector = StubConnector(site.server.port)
    inner = build_page_transport(settings, resolver=StubResolver(NAMES), connector=connector)
    stack = build_stack(
        NoNetworkTransport() if offline else inner,
        service="page",
        store_policy=policy,
        limiter=AdaptiveLimiter(limit),
        retry=RetryPolicy(1, settings.page_timeout_s, first_wait_s=0.01),
        layers=[lambda inner: PaceTransport(inner, settings.host_interval_s)],
        bounds=BodyBounds(settings.max_page_bytes, settings.max_page_bytes),
    )
    async with httpx.AsyncClient(transport=stack, trust_env=False, timeout=settings.page_timeout_s) as client:
        yield WebPageReader(client, extractor or InProcess(), settings)


async def read(site: Site, link: str, settings: Settings = SETTINGS) -> PageReading:
    with site.server:
        async with reader_on(site, settings) as reader:
            return await reader.read(link)
