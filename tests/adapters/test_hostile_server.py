"""Every attack of a hostile server, over real HTTP on loopback and through the whole page stack as a run wires it.

Each ends within its limit and with its reason in the ledger, takes bounded memory, and harms nothing beside it: a page
of another site is read at the same time.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from tests.hostile_web import (
    GOOD_PAGE,
    HAS_BROTLI,
    SILENT_ADDRESS,
    Attack,
    HostileWeb,
    answer,
    bombs,
    hostile_web,
    is_silent,
    large,
    redirects,
    resets,
    run_settings,
    sends,
    sends_without_end,
    wants_a_cookie,
)
from tests.stub_network import PUBLIC, Names
from veriscore_agent.domain import PageReading

pytestmark = pytest.mark.anyio

NAMES: Names = {
    "metadata.google.internal": ["169.254.169.254"],
    "inside.example": ["10.0.0.5"],
    "half.example": [PUBLIC, "192.168.1.1"],
    "rebinding.example": [[PUBLIC], ["127.0.0.1"]],
    "nowhere.hostile.example": [SILENT_ADDRESS],
}
STATUS = Path("/proc/self/status")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
TEXT = "The bridge weighs 9,800 tonnes."

_ENTITIES = (
    b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
    + b"".join(b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(8))
    + b"]><html xmlns='http://www.w3.org/1999/xhtml'><body><p>&i;</p></body></html>"
)
"""A billion letters, for who replaces them."""

REDIRECTS = [
    ("http://169.254.169.254/latest/meta-data/", "leads to a link-local address", "metadata of a cloud"),
    ("http://[fd00:ec2::254]/latest/meta-data/", "leads to a private address", "the same over IPv6"),
    ("http://metadata.google.internal/computeMetadata/v1/", "leads to a link-local address", "by name"),
    ("http://168.63.129.16/metadata", "leads to a cloud metadata address", "of another cloud"),
    ("http://100.100.100.200/", "leads to a carrier-grade NAT address", "of a third"),
    ("http://127.0.0.1:8080/", "leads to a loopback address", "this machine"),
    ("http://127.0.0.1:6379/", "port 6379 is not one of the web", "a database on this machine"),
    ("http://10.0.0.5/", "leads to a private address", "10/8"),
    ("http://172.16.0.1/", "leads to a private address", "172.16/12"),
    ("http://192.168.1.1/", "leads to a private address", "192.168/16"),
    ("http://inside.example/", "leads to a private address", "a name that leads inside"),
    ("http://half.example/", "leads to a private address", "one of two addresses leads inside"),
    ("http://0.0.0.0/", "leads to a unspecified address", "all addresses of this machine"),
    ("http://2130706433/", "unusual way to write an address", "decimal"),
    ("http://0177.0.0.1/", "redirects to where no page is", "octal"),
    ("http://0x7f000001/", "unusual way to write an address", "hexadecimal"),
    ("http://0x7f.0x0.0x0.0x1/", "unusual way to write an address", "hexadecimal in parts"),
    ("http://127.1/", "unusual way to write an address", "short"),
    ("http://127.0.0.1./", "leads to a loopback address", "a root dot"),
    ("http://%31%32%37.0.0.1/", "", "percent-encoded"),
    ("http://\uff11\uff12\uff17.0.0.1/", "", "wide digits"),
    ("http://127\u30020\u30020\u30021/", "", "ideographic dots"),
    ("http://[::1]/", "leads to a loopback address", "IPv6"),
    ("http://[::ffff:127.0.0.1]/", "leads to a loopback address", "IPv4 mapped"),
    ("http://[::ffff:a9fe:a9fe]/", "leads to a link-local address", "IPv4 mapped, in hexadecimal"),
    ("http://[64:ff9b::7f00:1]/", "leads to a loopback address", "NAT64"),
    ("http://[2002:7f00:1::]/", "leads to a 6to4 address", "6to4"),
    ("http://[2001:0:5ef5:79fd::1]/", "leads to a Teredo address", "Teredo"),
    ("http://good.example@127.0.0.1/", "leads to a loopback address", "a user name that looks like a host"),
    ("//127.0.0.1/", "leads to a loopback address", "no scheme"),
    ("file:///etc/passwd", "only http and https are opened", "a local file"),
    ("gopher://127.0.0.1:6379/_INFO", "only http and https are opened", "another protocol"),
    ("http://good.example:22/", "port 22 is not one of the web", "another service"),
    ("http://[::1", "redirects to where no page is", "half an address"),
    ("http://good.example/" + "x" * 70_000, "redirects to where no page is", "70 kB"),
]

ENDING: dict[str, tuple[Attack, str, str]] = {
    **{f"{coding.replace(', ', '-')}-bomb": (bombs(coding), "failed", "unfolds to more than 5000000 bytes") for coding
       in ("gzip", "deflate", "br", "zstd", "gzip, gzip", "br, gzip")},
    "two-coding-headers": (
        sends(answer(b"x", "200 OK", "Content-Encoding: gzip", "Content-Encoding: br")), "failed", "."
    ),
    "many-codings": (sends(answer(b"x", "200 OK", "Content-Encoding: " + "gzip, " * 50)), "failed", "content codings"),
    "no-such-gzip": (sends(answer(b"plain", "200 OK", "Content-Encoding: gzip")), "failed", "incorrect header"),
    "large-announced": (large(50, "Content-Length: 52428800"), "failed", "has 52428800 bytes, more than 5000000"),
    "large-in-chunks": (large(50, "Transfer-Encoding: chunked"), "failed", "more than 5000000 bytes"),
    "large-until-closed": (large(50), "failed", "more than 5000000 bytes"),
    "endless-body": (sends_without_end(HEAD + b"\r\n", b"x" * 65_536), "failed", "more than 5000000 bytes"),
    "announced-and-not-sent": (sends(answer(length=10**12)), "failed", "has 1000000000000 bytes"),
    "length-too-long": (sends(answer(length=1000)), "failed", "incomplete|without sending complete"),
    "length-too-short": (sends(answer(GOOD_PAGE + answer(b"forged"), length=len(GOOD_PAGE))), "read", ""),
    "length-is-no-number": (sends(answer(length="many")), "failed", "(?i)content-length"),
    "length-is-negative": (sends(answer(length=-1)), "failed", "(?i)content-length"),
    "two-lengths": (sends(answer(GOOD_PAGE, "200 OK", "Content-Length: 5")), "failed", "(?i)content-length"),
    "length-of-no-end": (sends(answer(length="9" * 5_000)), "failed", "."),
    "image-as-html": (sends(answer(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")), "failed", "no text is read from .*text/html"),
    "html-as-image": (sends(answer(kind="image/png")), "read", ""),
    "type-of-no-type": (sends(answer(kind="; ; ;=/")), "read", ""),
    "charset-rot13": (sends(answer(kind="text/html; charset=rot13")), "read", ""),
    "charset-of-no-name": (sends(answer(kind="text/html; charset=\xff\xfe\x01")), "read|failed", ""),
    "charset-endless": (sends(answer(kind="text/html; charset=" + "x" * 50_000)), "read", ""),
    "redirect-loop": (redirects("/again"), "failed", "more than 5 redirects"),
    "redirect-with-backslashes": (redirects("http:\\\\127.0.0.1\\"), "failed", "more than 5 redirects"),
    "redirect-to-nowhere": (sends(answer(b"", "302 Found")), "failed", "status 302"),
    "cookie-gate": (wants_a_cookie, "read", ""),
    "one-huge-header": (sends(HEAD + b"X: " + b"y" * 1_000_000 + b"\r\n\r\n"), "failed", "too long|Receive buffer"),
    "ten-thousand-headers": (
        sends(HEAD + b"".join(b"X-%d: some value\r\n" % n for n in range(10_000)) + b"\r\n"), "failed",
        "too long|Receive buffer",
    ),
    "endless-headers": (sends_without_end(HEAD, b"X-Header: value\r\n" * 4_000), "failed", "too long|Receive buffer"),
    "no-headers": (sends(b"HTTP/1.1 200 OK\r\n\r\n" + GOOD_PAGE), "read", ""),
    "no-status-line": (sends(GOOD_PAGE + b"\r\n\r\n"), "failed", "(?i)illegal status line"),
    "another-protocol": (sends(b"SSH-2.0-OpenSSH_9.6\r\n"), "failed", "(?i)illegal|disconnected"),
    "nothing": (sends(), "failed", "disconnected without sending a response"),
    "status-of-four-digits": (sends(b"HTTP/1.1 2000 OK\r\n\r\n"), "failed", "(?i)illegal status line"),
    "nul-in-header": (sends(HEAD + b"X: a\0b\r\n\r\n"), "failed", "(?i)illegal header"),
    "broken-chunk": (sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello"), "failed", "(?i)illegal chunk"),
    "chunk-of-no-end": (sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 15 + b"\r\nx"), "failed",
                        "without sending complete"),
    "chunk-size-of-no-end": (sends_without_end(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 10_000), "failed",
                             "(?i)illegal chunk|too long|Receive buffer"),
    "chunks-that-stop": (sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), "failed",
                         "without sending complete"),
    "reset-before-the-head": (resets(b"HTTP/1."), "failed", "."),
    "reset-in-the-body": (resets(HEAD + b"Content-Length: 1000\r\n\r\n<p>half"), "failed", "."),
    "early-hints": (sends(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 1_000 + answer()), "read", ""),
    "switching-protocols": (sends(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
                            "failed", "SWITCH"),
    "status-204": (sends(answer(b"", "204 No Content", length="")), "empty", "no usable text"),
    "status-304": (sends(answer(b"", "304 Not Modified", length="")), "failed", "status 304"),
    "status-206": (sends(answer(GOOD_PAGE, "206 Partial Content")), "failed", "status 206"),
    "status-999": (sends(answer(GOOD_PAGE, "999 Request denied")), "failed", "status 999"),
    "header-of-no-charset": (sends(answer(GOOD_PAGE, "200 OK", "X-Place: Z\xfcrich \xff\xfe")), "read", ""),
    "come-back-in-an-hour": (sends(answer(b"", "429 Too Many Requests", "Retry-After: 3600")), "blocked", "status 429"),
    "nested-tags": (sends(answer(b"<div>" * 100_000)), "failed", "nested too deeply"),
    "nested-tags-with-text": (sends(answer(b"<b>x" * 100_000)), "failed", "nested too deeply"),
    "comments-without-end": (sends(answer(b"<!-- x " * 300_000)), "empty", "no usable text"),
    "entities-of-entities": (sends(answer(_ENTITIES, kind="application/xhtml+xml")), "empty", "no usable text"),
    "nested-json-ld": (
        sends(answer(b"<script type='application/ld+json'>" + b"[" * 400_000 + b"</script>" + GOOD_PAGE)), "read", "",
    ),
    "attributes": (
        sends(answer(b"<p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">x</p>")), "failed",
        "too many attributes",
    ),
}  # fmt: skip


def _named(index: int) -> str:
    return f"redirect-{index}"


@pytest.fixture(scope="module")
async def web() -> AsyncIterator[HostileWeb]:
    """One run for all attacks that end by themselves: what one of them leaves behind would be met by the next."""
    attacks = {name: attack for name, (attack, _, _) in ENDING.items()}
    attacks |= {_named(index): redirects(location) for index, (location, _, _) in enumerate(_as_sent())}
    attacks["rebinding"] = sends(answer())
    async with hostile_web(attacks, run_settings(page_timeout_s=20.0), NAMES) as opened:
        yield opened


def _as_sent() -> list[tuple[str, str, str]]:
    """A header holds bytes: what is not Latin-1 comes as UTF-8."""
    return [(location.encode().decode("latin-1"), reason, why) for location, reason, why in REDIRECTS]


async def _read_beside_a_good_page(web: HostileWeb, link: str, good: str) -> PageReading:
    readings: dict[str, PageReading] = {}

    async def one(address: str) -> None:
        readings[address] = await web.reader.read(address)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            for address in (link, f"http://good.example/{good}"):
                group.start_soon(one, address)
    page = readings[f"http://good.example/{good}"].page
    assert page is not None
    assert page.text == TEXT
    return readings[link]


NO_BROTLI = pytest.mark.skipif(not HAS_BROTLI, reason="brotli, which is optional, is not installed")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[NO_BROTLI] * name.startswith("br-")) for name in ENDING])
async def test_an_attack_ends_with_its_reason(web: HostileWeb, name: str) -> None:
    _, outcome, reason = ENDING[name]
    reading = await _read_beside_a_good_page(web, f"http://{name}.hostile.example/page", name)
    assert re.fullmatch(outcome, reading.visit.outcome), reading.visit
    assert re.search(reason, reading.visit.reason), reading.visit
    assert (reading.page is not None) == (reading.visit.outcome == "read")
    if reading.page is not None:
        assert reading.page.text == TEXT
    else:
        assert reading.visit.reason


@pytest.mark.parametrize("index", range(len(REDIRECTS)), ids=[why for _, _, why in REDIRECTS])
async def test_a_redirect_to_where_no_page_may_come_from(web: HostileWeb, index: int) -> None:
    """Refused with the reason, and the connector is never given an address that is not public."""
    reading = await _read_beside_a_good_page(web, f"http://{_named(index)}.hostile.example/", _named(index))
    assert reading.visit.outcome == "refused", reading.visit
    assert REDIRECTS[index][1] in reading.visit.reason, reading.visit
    assert {address for address, _ in web.connector.attempts} <= {PUBLIC, "192.1.2.4"}


async def test_a_name_that_leads_inside_between_two_connections(web: HostileWeb) -> None:
    """Rebinding: robots.txt comes from outside, and by the time of the page the same name leads to this machine."""
    reading = await _read_beside_a_good_page(web, "http://rebinding.example/", "rebinding")
    assert (reading.visit.outcome, reading.page) == ("refused", None)
    assert "leads to a loopback address" in reading.visit.reason
    assert web.resolver.asked.count("rebinding.example") == 2, "once a connection: no second look-up to disagree with"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("alert-version", "alert protocol version"),
        ("alert-handshake", "handshake failure"),
        ("no-renegotiation-info", "unsafe legacy renegotiation disabled"),
        ("plain-http", "(?i)wrong version number|record layer failure"),
        ("no-answer", "."),
    ],
)
async def test_a_server_whose_tls_is_broken_or_too_old(web: HostileWeb, name: str, reason: str) -> None:
    """G14: the page fails with the reason that the TLS library gives; nothing is loosened for it."""
    reading = await _read_beside_a_good_page(web, f"https://{name}.tls.example/", name)
    assert (reading.visit.outcome, reading.page) == ("failed", None)
    assert re.search(reason, reading.visit.reason), reading.visit


async def test_cookies_go_nowhere_else(web: HostileWeb) -> None:
    """A cookie set for a whole domain lives for one chain of redirects on one site."""
    for link in ("http://cookie-gate.hostile.example/other", "http://no-headers.hostile.example/other"):
        assert (await web.reader.read(link)).visit.outcome == "read"
    sent = [(wire.headers["host"], wire.path) for wire in web.requests if "cookie" in wire.headers]
    assert set(sent) <= {("cookie-gate.hostile.example", path) for path in ("/other", "/page")}
    first = next(wire for wire in web.requests if wire.path == "/other")
    assert "cookie" not in first.headers


UNENDING: dict[str, Attack] = {
    "silent": is_silent,
    "drip-of-body": sends_without_end(HEAD + b"Content-Length: 100000\r\n\r\n", b"x", pause_s=0.05),
    "drip-of-chunks": sends_without_end(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", pause_s=0.05),
    "drip-of-headers": sends_without_end(HEAD + b"X: ", b"y", pause_s=0.05),
    "drip-of-status": sends_without_end(b"H", b"", pause_s=0.05),
    "flood-of-1xx": sends_without_end(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500),
    "head-and-nothing": sends_without_end(HEAD + b"Content-Length: 10\r\n\r\n", b"", pause_s=0.1),
    "gzip-drip": sends_without_end(HEAD + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08", b"\0", pause_s=0.05),
    "nowhere": is_silent,
}


async def test_what_never_ends_is_ended_with_the_time_of_its_page() -> None:
    """All of it at once, while pages of another site are read one after the other."""
    settings = run_settings(page_timeout_s=2.0)
    links = [f"http://{name}.hostile.example/" for name in UNENDING] + ["https://silent.hostile.example/"]
    readings: dict[str, PageReading] = {}
    async with hostile_web(UNENDING, settings, NAMES) as web:

        async def one(link: str) -> None:
            readings[link] = await web.reader.read(link)

        assert (await web.reader.read("http://good.example/before")).visit.outcome == "read"
        started = time.monotonic()
        async with anyio.create_task_group() as group:
            for link in links:
                group.start_soon(one, link)
            for number in range(5):
                assert (await web.reader.read(f"http://good.example/{number}")).visit.outcome == "read"
        took_s = time.monotonic() - started
    for link in links:
        visit = readings[link].visit
        assert (visit.outcome, readings[link].page) == ("failed", None), visit
        assert "more than 2 s" in visit.reason, visit
    assert took_s < 12, "robots.txt and page, two seconds each"


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not tell a process's peak of memory there")
def test_memory_stays_within_bounds() -> None:
    """In a process of its own: the peak of all attacks on memory, one after the other, against one good page."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.adapters.test_hostile_server"],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    before, after, *outcomes = run.stdout.split()
    assert outcomes == ["failed"] * (11 if HAS_BROTLI else 9)
    assert (int(after) - int(before)) / 1024 < 80, "MB; each body is bounded to 5 MB, the bombs unfold to 200 MB"


async def _print_peak_memory() -> None:
    names = [name for name in ENDING if "bomb" in name or "large" in name or name.startswith("endless")]
    names = [name for name in names if HAS_BROTLI or not name.startswith("br-")]
    async with hostile_web({name: ENDING[name][0] for name in names}, run_settings(20.0), NAMES) as web:
        await web.reader.read("http://good.example/")
        before = _peak_kb()
        visits = [(await web.reader.read(f"http://{name}.hostile.example/")).visit for name in names]
        after = _peak_kb()
    print(before, after, *(visit.outcome for visit in visits))


def _peak_kb() -> int:
    """Of this process alone: ru_maxrss would begin with what the process that started it had."""
    return int(re.findall(r"VmHWM:\s+(\d+) kB", STATUS.read_text())[0])


if __name__ == "__main__":
    anyio.run(_print_peak_memory)
