"""Links opened over real HTTP on loopback: what is read, what is not and why, and how often anything is asked."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import httpx
import pytest

from tests.loopback import Reply
from tests.page_site import (
    ARTICLE,
    HTML,
    NAMES,
    SETTINGS,
    SHELL,
    SITE,
    InProcess,
    Site,
    page,
    read,
    reader_on,
    redirect,
)
from tests.stub_network import StubConnector, StubResolver
from veriscore_agent.adapters.pages import PageExtractor, WebPageReader, build_page_transport
from veriscore_agent.core.passages import choose_passages
from veriscore_agent.domain import PageReading
from veriscore_agent.settings import Settings

pytestmark = pytest.mark.anyio


async def test_a_page_and_its_ledger_line() -> None:
    reading = await read(Site({"/a": redirect("/b"), "/b": page()}), f"{SITE}/a#part")
    assert reading.page is not None
    assert reading.page.title == "The bridge"
    assert reading.page.text == "The bridge weighs 9,800 tonnes."
    assert len(reading.page.sha256) == 64
    visit = reading.visit
    assert (visit.link, visit.url, visit.outcome, visit.reason) == (f"{SITE}/a#part", f"{SITE}/b", "read", "")
    assert (visit.status, visit.content_type, visit.body_bytes) == (200, "text/html; charset=utf-8", len(ARTICLE))
    assert visit.text_chars == len(reading.page.text)
    assert visit.extractor.startswith("selectolax ")


NOT_READ = [
    (
        page("<title>Just a moment...</title><p>Please enable JavaScript and cookies to continue.</p>"),
        "blocked",
        "challenge",
        "G01",
    ),
    (page("<title>Just a moment...</title>", 403), "blocked", "status 403", "G01"),
    (page("<h1>Page not found</h1>"), "blocked", "not_found", "G02, a soft 404"),
    (
        page("<p>We and our 842 partners store and access information on a device</p><p>Accept all"),
        "blocked",
        "consent",
        "G02",
    ),
    (page(SHELL), "empty", "javascript_only", "G02"),
    (page(""), "empty", "no usable text", "nothing at all"),
    (page(status=404), "failed", "status 404", ""),
    (page(status=500), "failed", "status 500", ""),
    (page(status=401), "blocked", "status 401", ""),
    (page(status=429, Retry_After="3600"), "blocked", "status 429", "G17"),
    (page(status=204), "empty", "no usable text", "no content at all"),
    (redirect("mailto:a@example.org"), "refused", "mailto", "G06"),
    (redirect("http://[::1"), "refused", "", "G06"),
    (redirect("http://xn--ls8h.example/"), "refused", "", "G06"),
    (redirect("http://169.254.169.254/latest/"), "refused", "link-local", "G10"),
    (redirect("http://127.0.0.1:6379/"), "refused", "6379", "G10"),
    (redirect("http://127.0.0.1:8080/"), "refused", "loopback", "G10"),
    (redirect("http://inside.example/"), "refused", "private", "G10"),
    (redirect("http://[::ffff:127.0.0.1]/"), "refused", "loopback", "G10"),
    (redirect("file:///etc/passwd"), "refused", "file", "another scheme"),
    (Reply(302), "failed", "status 302", "a redirect to nowhere"),
    (Reply(200, {"Content-Type": "application/pdf"}, b"%PDF-1.7"), "failed", "the PDF is broken or cut off", ""),
    (Reply(200, {"Content-Type": "image/png"}, b"\x89PNG\r\n"), "failed", "no text is read from image/png", ""),
    (Reply(200, HTML, b"\x89PNG\r\n"), "failed", "binary content sent as text/html", "a lying type"),
    (Reply(200, HTML, b"<p>" + b"x" * 300_000), "failed", "more than 200000", "too large"),
    (Reply(200, HTML, b"<p>half of it", cut=True), "failed", "", "cut off"),
    (Reply(200, HTML | {"Content-Encoding": "gzip"}, b"no gzip"), "failed", "", "lying coding"),
    (page("<div>" * 20_000), "failed", "nested too deeply", "built to be slow"),
]


@pytest.mark.parametrize(("reply", "outcome", "reason", "why"), NOT_READ)
async def test_a_page_that_is_no_evidence(reply: Reply, outcome: str, reason: str, why: str) -> None:
    """A line in the ledger with its reason, and never an error."""
    site = Site({"/a": reply})
    reading = await read(site, f"{SITE}/a")
    assert reading.page is None
    assert reading.visit.outcome == outcome, why
    assert reason in reading.visit.reason
    assert reading.visit.reason
    assert reading.visit.link == f"{SITE}/a"


TRIES = [
    (page(status=500), 2, "a broken server may have come to itself"),
    (page(status=502), 2, "a gateway"),
    (page(status=503), 2, "an overloaded server"),
    (page(status=504), 2, "a gateway that waited too long"),
    (page(status=503, Retry_After="0"), 2, "at once, as it asks"),
    (page(status=503, Retry_After="3600"), 1, "not for an hour"),
    (page(status=429), 2, "too many at this moment"),
    (page(status=429, Retry_After="3600"), 1, "G17: not for an hour"),
    (Reply(cut=True), 2, "no answer"),
    (Reply(200, HTML, b"<p>half of it", cut=True), 2, "half an answer"),
    (Reply(200, HTML | {"Content-Encoding": "gzip"}, b"no gzip"), 2, "the second time without compression"),
    (page(status=400), 1, "a request that is wrong stays wrong"),
    (page(status=401), 1, "a login"),
    (page(status=403), 1, "a refusal"),
    (page(status=404), 1, "nothing there"),
    (page(status=410), 1, "nothing there any more"),
    (page(status=451), 1, "the law"),
    (page("<title>Just a moment...</title>"), 1, "a challenge is not fought with"),
    (Reply(200, HTML, b"<p>" + b"x" * 300_000), 1, "too large stays too large"),
    (Reply(delay_s=30), 1, "the page's time is over"),
    (redirect("http://inside.example/"), 1, "an address that is refused"),
]


@pytest.mark.parametrize(("reply", "tries", "why"), TRIES, ids=[row[2] for row in TRIES])
async def test_what_is_asked_for_once_more(reply: Reply, tries: int, why: str) -> None:
    """One more try at most, and only where it may help."""
    site = Site({"/a": reply})
    timeout_s = 0.5 if reply.delay_s else SETTINGS.page_timeout_s
    assert (await read(site, f"{SITE}/a", replace(SETTINGS, page_timeout_s=timeout_s))).page is None
    assert len(site.paths()) == tries, why


LINKS = [
    ("http://\u200bfoo.com", "G06"),
    ("http://xn--ls8h.example", "G06"),
    ("http://[::1", "G06"),
    ("http://a\x00b.example/", "G06"),
    (f"http://a.example/{'x' * 70_000}", "G06"),
    ("http://a.example:99999/", "no port"),
    ("http://a.example:0/", "no port"),
    ("http://", "no host"),
    ("//site.example/a", "no scheme"),
    ("site.example/a", "no scheme"),
    ("javascript:alert(1)", "no page"),
    ("", "nothing"),
    ("http://2130706433/", "decimal"),
    ("http://0177.0.0.1/", "octal"),
    ("http://127.0.0.1/", "loopback"),
    ("http://site.example:22/", "another service"),
    ("http://\ud83d.example/", "a lone surrogate"),
]


@pytest.mark.parametrize(("link", "why"), LINKS)
async def test_a_link_that_cannot_be_opened(link: str, why: str) -> None:
    site = Site({})
    reading = await read(site, link)
    assert (reading.visit.outcome, reading.visit.link, reading.page) == ("refused", link, None), why
    assert reading.visit.reason
    assert site.server.connections == 0


async def test_a_name_that_is_not_known() -> None:
    reading = await read(Site({}), "http://unknown.example/")
    assert reading.visit.outcome == "failed"
    assert "cannot be resolved" in reading.visit.reason


@pytest.mark.parametrize(
    ("body", "content_type", "expected", "why"),
    [
        ("<p>Zürich is a city</p>".encode(), "text/html; charset=utf8,gbk", "Zürich is a city", "G07"),
        ("<p>Zürich is a city</p>".encode(), "text/html; charset=rot13", "Zürich is a city", "G07"),
        ("<p>Zürich is a city</p>".encode(), "text/html; charset=hex", "Zürich is a city", "G07"),
        (b'<meta charset="iso-8859-1"><p>Z\xfcrich is a city</p>', "text/html", "Zürich is a city", "G08"),
        (b"Z\xfcrich is a city", "text/plain; charset=iso-8859-1", "Zürich is a city", "plain text"),
        (ARTICLE.encode(), "", "The bridge weighs 9,800 tonnes.", "no type at all"),
        (ARTICLE.encode(), "application/xhtml+xml", "The bridge weighs 9,800 tonnes.", "XHTML"),
    ],
)
async def test_types_and_charsets(body: bytes, content_type: str, expected: str, why: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    reading = await read(Site({"/a": Reply(200, headers, body)}), f"{SITE}/a")
    assert reading.page is not None, why
    assert reading.page.text == expected, why


async def test_redirects_are_followed_five_times_and_no_further() -> None:
    chain = {f"/{n}": redirect(f"/{n + 1}") for n in range(5)} | {"/5": page()}
    assert (await read(Site(chain), f"{SITE}/0")).visit.outcome == "read"
    longer = Site(chain | {"/start": redirect("/0")})
    reading = await read(longer, f"{SITE}/start")
    assert (reading.visit.outcome, reading.visit.reason) == ("failed", "more than 5 redirects")
    assert len(longer.paths()) == 6


async def test_an_endless_redirect_is_not_tried_again() -> None:
    """G09: to itself, with no cookie."""
    site = Site({"/a": redirect("/a")})
    assert (await read(site, f"{SITE}/a")).visit.reason == "more than 5 redirects"
    assert len(site.paths()) == 6


async def test_a_redirect_to_itself_that_sets_a_cookie() -> None:
    """G09: followed; the cookie goes nowhere else and is forgotten with the page."""

    def gate(headers: Mapping[str, str]) -> Reply:
        return page() if headers.get("cookie") == "seen=1" else redirect("/a", Set_Cookie="seen=1; Path=/")

    site = Site({"/a": gate, "/b": page()})
    with site.server:
        async with reader_on(site) as reader:
            assert (await reader.read(f"{SITE}/a")).visit.outcome == "read"
            await reader.read(f"{SITE}/b")
            await reader.read("http://other.example/b")
    assert [request.headers.get("cookie") for request in site.server.requests] == [None, "seen=1", None, None]


async def test_a_body_that_drips_ends_with_the_page_s_time() -> None:
    """G04: each byte comes well within any time-out for a read."""
    drip = Reply(200, HTML, ARTICLE.encode(), chunk_bytes=1, chunk_delay_s=0.05)
    started = time.monotonic()
    reading = await read(Site({"/a": drip}), f"{SITE}/a", replace(SETTINGS, page_timeout_s=0.6))
    assert reading.visit.outcome == "failed"
    assert "0.6 s" in reading.visit.reason
    assert time.monotonic() - started < 15


async def test_a_server_that_never_answers_ends_with_the_page_s_time() -> None:
    started = time.monotonic()
    reading = await read(Site({"/a": Reply(delay_s=30)}), f"{SITE}/a", replace(SETTINGS, page_timeout_s=0.4))
    assert reading.visit.outcome == "failed"
    assert time.monotonic() - started < 15


async def test_the_time_of_a_page_is_that_of_all_its_redirects() -> None:
    slow = {f"/{n}": replace(redirect(f"/{n + 1}"), delay_s=0.3) for n in range(5)}
    reading = await read(Site(slow), f"{SITE}/0", replace(SETTINGS, page_timeout_s=0.8))
    assert reading.visit.outcome == "failed"
    assert "0.8 s" in reading.visit.reason


async def test_waiting_for_its_turn_takes_none_of_a_page_s_time() -> None:
    """Twelve pages of 0.15 s, one at a time, each with 0.9 s of its own: a busy run loses none of them."""
    site = Site({f"/{n}": replace(page(), delay_s=0.15) for n in range(12)})
    outcomes = []
    with site.server:
        async with reader_on(site, replace(SETTINGS, page_timeout_s=0.9), limit=1) as reader:

            async def one(link: str) -> None:
                outcomes.append((await reader.read(link)).visit.outcome)

            async with anyio.create_task_group() as group:
                for n in range(12):
                    group.start_soon(one, f"{SITE}/{n}")
    assert outcomes == ["read"] * 12


async def test_too_many_requests_are_not_waited_for() -> None:
    """G17: an hour is asked for."""
    started = time.monotonic()
    site = Site({"/a": page(status=429, Retry_After="3600")})
    assert (await read(site, f"{SITE}/a")).visit.outcome == "blocked"
    assert time.monotonic() - started < 15


async def test_a_certificate_that_nobody_vouches_for_fails_one_page(tmp_path: Path) -> None:
    """G14: with the reason; nothing is accepted unseen."""
    async with _tls_port(tmp_path) as port:
        reading = await _read_from(port, "https://site.example/a")
    assert (reading.visit.outcome, reading.page) == ("failed", None)
    assert "certificate" in reading.visit.reason.lower()


async def test_a_server_that_speaks_no_tls_fails_one_page() -> None:
    with Site({"/a": page()}).server as server:
        reading = await _read_from(server.port, "https://site.example/a", replace(SETTINGS, page_timeout_s=0.5))
    assert (reading.visit.outcome, reading.page) == ("failed", None)
    assert "0.5 s" in reading.visit.reason


async def _read_from(port: int, link: str, settings: Settings = SETTINGS) -> PageReading:
    transport = build_page_transport(settings, resolver=StubResolver(NAMES), connector=StubConnector(port))
    async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
        return await WebPageReader(client, InProcess(), settings).read(link)


@asynccontextmanager
async def _tls_port(folder: Path) -> AsyncIterator[int]:
    """A TLS server on loopback with a certificate made for the occasion."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not here")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    names = ["-subj", "/CN=site.example", "-addext", "subjectAltName=DNS:site.example"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    await anyio.run_process([*made, "-keyout", str(key), "-out", str(certificate)])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_equal_pages_are_asked_for_once() -> None:
    """Side by side and one after the other, however the address is spelled."""
    site = Site({"/a": replace(page(), delay_s=0.1)})
    extractor = InProcess()
    spellings = [f"{SITE}/a", f"{SITE}:80/a#x", "HTTP://SITE.example/a?utm_source=y", f"{SITE}/%61"]
    with site.server:
        async with reader_on(site, extractor=extractor) as reader:
            readings: dict[str, PageReading] = {}

            async def one(link: str) -> None:
                readings[link] = await reader.read(link)

            async with anyio.create_task_group() as group:
                for link in spellings:
                    group.start_soon(one, link)
            await one(spellings[0])
    assert site.paths() == ["/a"]
    assert sum(extractor.calls.values()) == 1
    assert {reading.visit.link for reading in readings.values()} == set(spellings)
    assert len({reading.page for reading in readings.values()}) == 1


async def test_a_cancelled_reader_does_not_fail_who_waits_for_the_same_page() -> None:
    site = Site({"/a": replace(page(), delay_s=0.3)})
    with site.server:
        async with reader_on(site) as reader, anyio.create_task_group() as group:
            waiting: list[PageReading] = []

            async def wait() -> None:
                waiting.append(await reader.read(f"{SITE}/a"))

            with anyio.move_on_after(0.1):
                async with anyio.create_task_group() as first:
                    first.start_soon(reader.read, f"{SITE}/a")
                    await anyio.sleep(0.02)
                    group.start_soon(wait)
    assert [reading.visit.outcome for reading in waiting] == ["read"]


async def test_what_is_sent() -> None:
    """A truthful name, no cookie, no key, no internal header."""
    site = Site({"/a": page()})
    await read(site, f"http://user:secret@{SITE.removeprefix('http://')}/a")
    (request,) = site.server.requests
    assert request.headers["user-agent"].startswith("veriscore-agent/")
    assert request.headers["host"] == "site.example"
    assert not {"cookie", "authorization"} & request.headers.keys()
    assert not [name for name in request.headers if name.startswith("x-veriscore")]
    named = Site({"/a": page()})
    await read(named, f"{SITE}/a", replace(SETTINGS, user_agent="checker/1 (+https://a.example)"))
    assert named.server.requests[0].headers["user-agent"] == "checker/1 (+https://a.example)"


async def test_from_a_link_to_a_passage_through_a_real_process() -> None:
    """The middle of a long page, with its heading, quotable word for word."""
    filler = "<p>The valley is known for its orchards, its mills and a small museum of clocks.</p>" * 40
    fact = "<h2>The bridge</h2><p>It was opened on 12 May 1931 by the mayor.</p>"
    html = f"<html><body><article><h1>Karlsund</h1>{filler}{fact}{filler}</article></body></html>"
    site = Site({"/a": page(html)})
    with site.server:
        async with (
            PageExtractor(Settings(extraction_workers=1)) as extractor,
            reader_on(site, replace(SETTINGS, page_timeout_s=120.0), extractor=extractor) as reader,
        ):
            reading = await reader.read(f"{SITE}/a")
    assert reading.page is not None, reading.visit.reason
    (passage, *_) = choose_passages(
        "The mayor opened the bridge on 12 May 1931.",
        (),
        [reading.page],
        budget_tokens=100,
        count_tokens=lambda text: len(text) // 4,
    )
    assert "opened on 12 May 1931" in passage.text
    assert reading.page.text[passage.start : passage.end] == passage.text
    assert "Karlsund" in passage.title
