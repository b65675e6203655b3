"""What robots.txt asks for is obeyed, and asked for once."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from tests.loopback import Reply
from tests.page_site import SETTINGS, SITE, Site, page, read, reader_on, redirect

pytestmark = pytest.mark.anyio

ROBOTS = [
    ("User-agent: *\nDisallow: /private", "/private/x", "refused", "disallowed to all"),
    ("User-agent: *\nDisallow: /private", "/public", "read", "another path"),
    ("User-agent: veriscore-agent\nDisallow: /\n\nUser-agent: *\nAllow: /", "/public", "refused", "disallowed to us"),
    ("User-agent: other-bot\nDisallow: /", "/public", "read", "disallowed to another"),
    ("<html>not a robots file</html>", "/public", "read", "no rules in it"),
    ("", "/public", "read", "empty"),
]


@pytest.mark.parametrize(("rules", "path", "outcome", "why"), ROBOTS)
async def test_robots(rules: str, path: str, outcome: str, why: str) -> None:
    site = Site({"/robots.txt": Reply(200, {"Content-Type": "text/plain"}, rules.encode()), path: page()})
    reading = await read(site, SITE + path, replace(SETTINGS, obey_robots=True))
    assert reading.visit.outcome == outcome, why
    assert site.paths() == (["/robots.txt", path] if outcome == "read" else ["/robots.txt"])


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(404), "none there"),
        (Reply(500), "a broken server"),
        (redirect("/robots.txt"), "an endless redirect"),
        (Reply(cut=True), "no answer"),
        (redirect("http://inside.example/robots.txt"), "a refused address"),
        (Reply(200, body=b"User-agent: *\nDisallow: /\n" + b"#" * 300_000), "too large to be had"),
    ],
)
async def test_robots_that_cannot_be_had_allow_everything(reply: Reply, why: str) -> None:
    site = Site({"/robots.txt": reply, "/a": page()})
    assert (await read(site, f"{SITE}/a", replace(SETTINGS, obey_robots=True))).visit.outcome == "read", why


async def test_robots_are_asked_for_once_a_host_and_for_redirects_too() -> None:
    rules = Reply(200, body=b"User-agent: *\nDisallow: /secret")
    site = Site({"/robots.txt": rules, "/a": page(), "/b": page(), "/c": redirect("http://other.example/secret")})
    with site.server:
        async with reader_on(site, replace(SETTINGS, obey_robots=True)) as reader:
            async with anyio.create_task_group() as group:
                for path in "ab":
                    group.start_soon(reader.read, f"{SITE}/{path}")
            reading = await reader.read(f"{SITE}/c")
    assert (reading.visit.outcome, reading.visit.reason) == ("refused", "robots.txt disallows it")
    hosts = [request.headers["host"] for request in site.server.requests if request.path == "/robots.txt"]
    assert sorted(hosts) == ["other.example", "site.example"]
    assert "/secret" not in site.paths()
