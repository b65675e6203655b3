"""What robots.txt asks for is obeyed, and asked for once."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from tests.loopback import Reply
from tests.page_site import SETTINGS, SITE, Site, page, read, reader_on, redirect
from veriscore_agent.adapters.pages.robots import _names_in, _parse
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.store import ExchangeStore

pytestmark = pytest.mark.anyio

ME = frozenset({"veriscore-agent"})
OBEDIENT = replace(SETTINGS, obey_robots=True)

ROBOTS = [
    ("User-agent: *\nDisallow: /private", "/private/x", "refused", "disallowed to all"),
    ("User-agent: *\nDisallow: /private", "/public", "read", "another path"),
    ("User-agent: veriscore-agent\nDisallow: /\n\nUser-agent: *\nAllow: /", "/public", "refused", "disallowed to us"),
    ("User-agent: other-bot\nDisallow: /", "/public", "read", "disallowed to another"),
    ("User-agent: a\nUser-agent: veriscore-agent\nUser-agent: b\nDisallow: /", "/public", "refused", "one of a group"),
    ("User-agent: veri\nDisallow: /", "/public", "read", "our name only begins like that"),
    ("User-agent: against\nDisallow: /", "/public", "read", "a word of how we describe ourselves"),
    ("User-agent: Veriscore-Agent/1.0 # you\nDisallow: /", "/public", "refused", "in capitals, with a version"),
    ("User-agent: a\nUser-agent: b\nDisallow: /\nUser-agent: c\nAllow: /", "/public", "read", "all of it to others"),
    ("user agent veriscore-agent\r\ndisallow /\r\n", "/public", "refused", "as careless people write it"),
    ("\ufeffUser-agent: *\nDisallow: /", "/public", "refused", "a byte order mark before the first line"),
    ("User-agent: *\nDisallow: /*.php$", "/x.php", "refused", "a wildcard and an end"),
    ("User-agent: *\nDisallow: /\nAllow: /public", "/public", "read", "the longer rule goes first"),
    ("<html>not a robots file</html>", "/public", "read", "no rules in it"),
    ("", "/public", "read", "empty"),
]


@pytest.mark.parametrize(("rules", "path", "outcome", "why"), ROBOTS)
async def test_robots(rules: str, path: str, outcome: str, why: str) -> None:
    site = Site({"/robots.txt": Reply(200, {"Content-Type": "text/plain"}, rules.encode()), path: page()})
    reading = await read(site, SITE + path, OBEDIENT)
    assert reading.visit.outcome == outcome, why
    assert site.paths() == (["/robots.txt", path] if outcome == "read" else ["/robots.txt"])


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(404), "none there"),
        (Reply(403), "RFC 9309: any 4xx means that there is none"),
        (redirect("/robots.txt"), "an endless redirect"),
        (redirect("mailto:a@example.org"), "a redirect to where no file is"),
        (redirect("http://inside.example/robots.txt"), "a refused address"),
        (
            Reply(200, body=b"User-agent: *\nDisallow: /private\n" + b"#" * 700_000),
            "larger than is read",
        ),
    ],
)
async def test_robots_that_are_not_there_allow_everything(reply: Reply, why: str) -> None:
    site = Site({"/robots.txt": reply, "/a": page()})
    assert (await read(site, f"{SITE}/a", OBEDIENT)).visit.outcome == "read", why


@pytest.mark.parametrize(
    ("reply", "reason", "why"),
    [
        (Reply(500), "status 500", "a broken server"),
        (Reply(503), "status 503", "an overloaded one"),
        (Reply(429, {"Retry-After": "3600"}), "status 429", "too many requests"),
        (Reply(cut=True), "disconnected", "no answer"),
        (Reply(200, {"Content-Encoding": "gzip"}, b"no gzip"), "header", "unreadable"),
    ],
)
async def test_robots_that_cannot_be_had_allow_nothing(reply: Reply, reason: str, why: str) -> None:
    """RFC 9309: what cannot be reached may disallow everything."""
    site = Site({"/robots.txt": reply, "/a": page()})
    visit = (await read(site, f"{SITE}/a", OBEDIENT)).visit
    assert visit.outcome == "failed", why
    assert visit.reason.startswith("robots.txt cannot be read: ")
    assert reason in visit.reason
    assert "/a" not in site.paths()


async def test_rules_before_the_bound_hold_however_large_the_file_is() -> None:
    """Ten megabytes are sent, half of one is read; a rule that the bound cuts in two is left out."""
    many = b"User-agent: *\nDisallow: /private\n" + b"# filler" * 1_300_000
    site = Site({"/robots.txt": Reply(200, body=many, chunk_bytes=100_000), "/private": page()})
    assert (await read(site, f"{SITE}/private", OBEDIENT)).visit.outcome == "refused"
    start = b"User-agent: *\n"
    cut = start + b"#" * (512_000 - len(start) - 12) + b"\nDisallow: /abc\n"
    assert cut[:512_000].endswith(b"\nDisallow: /")
    site = Site({"/robots.txt": Reply(200, body=cut), "/a": page()})
    assert (await read(site, f"{SITE}/a", OBEDIENT)).visit.outcome == "read"


async def test_robots_of_another_host_hold_where_they_are_redirected_to() -> None:
    """RFC 9309: at least five redirects are followed, to other hosts too; the rules are those of the first host."""

    def rules(headers: object) -> Reply:
        assert isinstance(headers, dict)
        if headers["host"] == "site.example":
            return redirect("http://other.example/robots.txt")
        return Reply(200, body=b"User-agent: *\nDisallow: /private")

    site = Site({"/robots.txt": rules, "/private": page(), "/public": page()})
    with site.server:
        async with reader_on(site, OBEDIENT) as reader:
            outcomes = [(await reader.read(f"{SITE}/{path}")).visit.outcome for path in ("private", "public")]
    assert outcomes == ["refused", "read"]


HOSTILE = [
    ("User-agent: *\nDisallow: /" + "*a" * 200_000 + "b$\n", "one pattern of nothing but wildcards"),
    ("User-agent: *\n" + "".join(f"Disallow: /*a*a*a*a*b{n}$\n" for n in range(18_000)), "thousands of wildcards"),
    ("".join(f"User-agent: agent{n}\n" for n in range(14_000)) + "Disallow: /x\n" * 14_000, "agents times rules"),
    (
        "".join(f"User-agent: {'veriscore-agent'[a:b]}\n" for a in range(15) for b in range(a + 1, 16))
        + "Disallow: /x\n" * 30_000,
        "agents that might all be us, times rules",
    ),
    ("User-agent: *\n" + "Disallow: /" + "$" * 400_000, "dollar signs"),
]


@pytest.mark.parametrize(("text", "why"), HOSTILE, ids=[row[1] for row in HOSTILE])
def test_rules_that_are_built_to_be_slow(text: str, why: str) -> None:
    """Read and asked within seconds of processor time: without a guard the third would take minutes."""
    started = time.process_time()
    rules = _parse(text[:512_000], ME).rules
    assert rules is not None
    rules.can_fetch("https://a.example/" + "a" * 7_000, *ME)
    assert time.process_time() - started < 10, why


@pytest.mark.parametrize(
    ("rules", "interval_s"),
    [
        ("User-agent: *\nCrawl-delay: 2", 2.0),
        ("User-agent: *\nCrawl-delay: 0.5\nRequest-rate: 1/10s", 10.0),
        ("User-agent: *\nRequest-rate: 30/1m", 2.0),
        ("User-agent: other\nCrawl-delay: 9", 0.0),
        ("User-agent: *\nCrawl-delay: inf", 0.0),
        ("User-agent: *\nCrawl-delay: -1", 0.0),
        ("User-agent: *\nRequest-rate: 1/0", 0.0),
        ("", 0.0),
    ],
)
def test_the_interval_that_is_asked_for(rules: str, interval_s: float) -> None:
    assert _parse(rules, ME).interval_s == interval_s


@pytest.mark.parametrize(
    ("user_agent", "names"),
    [
        ("veriscore-agent/0.1.0 (reads pages to check claims against them)", {"veriscore-agent"}),
        ("Mozilla/5.0 (compatible; Foobot/2.1; +https://a.example/bot)", {"mozilla", "foobot"}),
        ("Checker of claims", {"checker"}),
        ("", set()),
    ],
)
def test_the_names_that_rules_may_mean_us_by(user_agent: str, names: set[str]) -> None:
    assert _names_in(user_agent) == names


async def test_pages_are_as_far_apart_as_the_host_asks_and_a_replay_does_not_wait(tmp_path: Path) -> None:
    """Each page waits for its turn on no one's time; a redirect within the host is no new page."""
    pages = {"/a": redirect("/b"), "/b": page(), "/c": page(), "/d": page()}
    site = Site({"/robots.txt": Reply(200, body=b"User-agent: *\nCrawl-delay: 0.5"), **pages})
    links = [f"{SITE}/{path}" for path in "acd"]
    settings = replace(OBEDIENT, page_timeout_s=0.4)
    with site.server:
        async with reader_on(site, settings, policy=StorePolicy.record(ExchangeStore(tmp_path))) as reader:
            for link in links:
                assert (await reader.read(link)).visit.outcome == "read"
    at_s = {request.path: request.at_s for request in site.server.requests}
    assert at_s["/c"] - at_s["/a"] > 0.45
    assert at_s["/d"] - at_s["/c"] > 0.45
    assert at_s["/b"] - at_s["/a"] < 0.4
    started = time.monotonic()
    async with reader_on(site, settings, policy=StorePolicy.replay(ExchangeStore(tmp_path))) as reader:
        assert [(await reader.read(link)).visit.outcome for link in links] == ["read"] * 3
    assert time.monotonic() - started < 0.9


async def test_a_turn_that_does_not_come_in_time_is_not_waited_for() -> None:
    """An hour between pages: the first is read, the next one is left with the reason."""
    site = Site({"/robots.txt": Reply(200, body=b"User-agent: *\nCrawl-delay: 3600"), "/a": page(), "/b": page()})
    with site.server:
        async with reader_on(site, OBEDIENT) as reader:
            first, second = [(await reader.read(f"{SITE}/{path}")).visit for path in "ab"]
    assert (first.outcome, second.outcome) == ("read", "failed")
    assert "3600 s apart" in second.reason
    assert "/b" not in site.paths()


async def test_robots_are_asked_for_once_a_host_and_for_redirects_too() -> None:
    rules = Reply(200, body=b"User-agent: *\nDisallow: /secret")
    site = Site({"/robots.txt": rules, "/a": page(), "/b": page(), "/c": redirect("http://other.example/secret")})
    with site.server:
        async with reader_on(site, OBEDIENT) as reader:
            async with anyio.create_task_group() as group:
                for path in "ab":
                    group.start_soon(reader.read, f"{SITE}/{path}")
            reading = await reader.read(f"{SITE}/c")
    assert (reading.visit.outcome, reading.visit.reason) == ("refused", "robots.txt disallows it")
    hosts = [request.headers["host"] for request in site.server.requests if request.path == "/robots.txt"]
    assert sorted(hosts) == ["other.example", "site.example"]
    assert "/secret" not in site.paths()
