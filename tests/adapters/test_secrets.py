"""Keys are taken out of addresses, messages, log lines and tracebacks."""

from __future__ import annotations

import hashlib
import io
import logging

import httpx
import pytest

from tests.loopback import LoopbackServer, Reply, in_turn
from veriscore_agent.adapters.http.secrets import NO_SECRETS, RedactingFilter, Secrets

KEY = "k-0123456789abcdef"

MARK = "scrubbed-" + hashlib.sha256(b"abc").hexdigest()[:12]

URLS = [
    ("https://a.example/?key=abc", "https://a.example/?key=MARK", "key"),
    ("https://a.example/?API-KEY=abc", "https://a.example/?API-KEY=MARK", "capitals"),
    ("https://a.example/?api%5Fkey=abc", "https://a.example/?api%5Fkey=MARK", "an encoded name"),
    ("https://a.example/?q=x&access_token=abc&p=2", "https://a.example/?q=x&access_token=MARK&p=2", "among others"),
    ("https://a.example/?X-Amz-Signature=abc", "https://a.example/?X-Amz-Signature=MARK", "signed"),
    ("https://user:pw@a.example/x", "https://a.example/x", "user and password"),
    ("https://token@a.example/x", "https://a.example/x", "user alone"),
    ("https://a.example/x#access_token=abc", "https://a.example/x", "fragment"),
    ("https://a.example/?key=", "https://a.example/?key=", "empty"),
    ("https://a.example/?monkey=1&keyword=2&tokens=3", "https://a.example/?monkey=1&keyword=2&tokens=3", "no keys"),
    ("https://a.example/@user/x?mail=a@b.example", "https://a.example/@user/x?mail=a@b.example", "an @ elsewhere"),
    ("/next?token=abc", "/next?token=MARK", "relative"),
    ("https://a.example/é?q=ü%20+", "https://a.example/é?q=ü%20+", "nothing to do: as it was"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "clean", "why"), URLS, ids=[row[2] for row in URLS])
def test_addresses(url: str, clean: str, why: str) -> None:
    marked = clean.replace("MARK", MARK)
    assert NO_SECRETS.url(url) == marked
    assert NO_SECRETS.url(marked) == marked, "a scrubbed address scrubs to itself"


TEXTS = [
    (f"Incorrect API key provided: {KEY}.", "Incorrect API key provided: [scrubbed].", "a known value"),
    ("for url 'https://u:p@a.example/?key=abc&q=1'", "for url 'https://a.example/?key=MARK&q=1'", "an address"),
    ("at https://a.example/x#access_token=abc", "at https://a.example/x#access_token=MARK", "a fragment"),
    ("Authorization: Bearer abcdefghijk", "Authorization: Bearer [scrubbed]", "a header"),
    ("mail to a@b.example about tokens=3", "mail to a@b.example about tokens=3", "nothing to do"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "clean", "why"), TEXTS, ids=[row[2] for row in TEXTS])
def test_messages(text: str, clean: str, why: str) -> None:
    assert Secrets([KEY]).text(text) == clean.replace("MARK", MARK)


@pytest.mark.parametrize("form", ["{}", "https://a.example/{}/x", '"{}"', "k={}"])
@pytest.mark.parametrize("value", [KEY, 'quote"and\\slash!', "a b+c/d=e&f", "schlüssel-größe"])
def test_a_known_value_is_found_in_every_form_it_is_written_in(form: str, value: str) -> None:
    secrets = Secrets([value])
    for written in (value, httpx.QueryParams({"k": value})["k"], str(httpx.QueryParams({"k": value}))[2:]):
        assert written not in secrets.text(form.format(written))
        assert written.encode() not in secrets.data(form.format(written).encode())


@pytest.mark.parametrize("value", ["", "EMPTY", "none", "x", None])
def test_what_stands_for_no_key_is_left_in_texts(value: str | None) -> None:
    assert Secrets([value]).text("EMPTY none x") == "EMPTY none x"


@pytest.mark.anyio
async def test_log_lines_and_tracebacks_hold_no_key() -> None:
    """A22: the HTTP library logs whole addresses at INFO, and its errors name them."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    handler.addFilter(RedactingFilter(Secrets([KEY])))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with LoopbackServer(in_turn(Reply(401, {"Set-Cookie": f"c={KEY}"}, b"no"))) as server:
            async with httpx.AsyncClient(headers={"X-API-KEY": KEY}) as client:
                response = await client.get(f"{server.url}/?key=only-in-the-address&q={KEY}&page=2")
                try:
                    response.raise_for_status()
                except httpx.HTTPStatusError:
                    logging.getLogger("test").exception("failed with %s and %r", KEY, {"key": KEY})
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    text = written.getvalue()
    assert "httpx HTTP Request: GET http://127.0.0.1" in text
    assert "HTTPStatusError: Client error '401 Unauthorized'" in text
    assert text.count("page=2") >= 2, "the rest of the address stays"
    assert KEY not in text
    assert "only-in-the-address" not in text
