"""Addresses of strangers: whatever they look like, they become a request or a BadAddressError, and nothing else."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriscore_agent.adapters.address_guard import AddressRefused, check_destination
from veriscore_agent.adapters.pages.addresses import BadAddressError, page_address, redirect_address, robots_address
from veriscore_agent.core.links import normalise_url

HERE = httpx.URL("http://a.example/x/y?z")
LONG = "http://a.example/" + "x" * 70_000

REFUSED = [
    ("http://\u200bfoo.com", "an invisible character in the host"),
    ("http://xn--ls8h.example", "Punycode that IDNA does not allow"),
    ("http://\U0001f4a9.example/", "the same, not encoded"),
    ("http://xn--a.example/", "Punycode that is none"),
    ("http://\uff41.example/", "wide letters"),
    ("http://\u0378.example/", "a character that is none yet"),
    ("http://[::1", "half a bracket"),
    ("http://::1]/", "the other half"),
    ("http://[zz]/", "no address in brackets"),
    ("http://a\0b.example/", "NUL in the host"),
    ("http://a.example:99999/", "a port out of range"),
    ("http://a.example:0/", "no port"),
    ("http://a.example:-1/", "a negative port"),
    ("http://a.example:x/", "a port that is no number"),
    ("http://\ud83d.example/", "a lone surrogate in the host"),
    ("http://", "no host"),
    ("http:///path", "no host, but a path"),
    ("http://@/", "nobody at nowhere"),
    ("http://:80/", "a port and no host"),
    ("http:a.example", "no slashes"),
    ("http:\\\\a.example\\", "backslashes"),
    ("//a.example/", "no scheme"),
    ("a.example/b", "neither scheme nor slashes"),
    ("", "nothing"),
    ("javascript:alert(1)", "a script"),
    ("data:text/html,<p>x", "the page itself"),
    ("file:///etc/passwd", "a file"),
    ("ftp://a.example/", "another protocol"),
    ("mailto:a@example.org", "a person"),
    (LONG, "70 kB"),
]


@pytest.mark.parametrize(("link", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_is_no_address_of_a_page(link: str, why: str) -> None:
    with pytest.raises(BadAddressError) as caught:
        page_address(link)
    assert str(caught.value)
    assert len(str(caught.value)) < 200, "it stands in the ledger"


OPENED = [
    (" HTTP://A.Example:80/b#c ", "http://a.example/b", "space around, capitals, the usual port, a fragment"),
    ("http://user:secret@a.example/", "http://a.example/", "a user name is not sent"),
    ("http://a.example/\ud83d", "http://a.example/%EF%BF%BD", "a lone surrogate in the path"),
    ("http://a.example/a\tb\nc", "http://a.example/abc", "tabs and line ends inside, as browsers read them"),
    ("http://a.example/\0", "http://a.example/%00", "NUL in the path"),
    ("http://a.example/b c", "http://a.example/b%20c", "a space in the path"),
    ("http://a.example/%zz", "http://a.example/%zz", "a percent sign that escapes nothing"),
    ("http://b\u00fccher.example/", "http://xn--bcher-kva.example/", "an international name"),
    ("http://a\u3002example/", "http://a.example/", "an ideographic dot"),
    ("http://a.example./", "http://a.example/", "the root's dot"),
    ("http://127.0.0.1/", "http://127.0.0.1/", "an address is checked where it is connected to"),
    ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/", "this one too"),
]


@pytest.mark.parametrize(("link", "expected", "why"), OPENED, ids=[row[2] for row in OPENED])
def test_what_is_requested(link: str, expected: str, why: str) -> None:
    assert str(page_address(link)) == expected


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("http://[fe80::1%25eth0]/", "a scope"),
        ("http://a b.example/", "a space in the host"),
        ("http://a%00b.example/", "NUL in the host, escaped"),
        ("http://a.example:\u0661/", "a port in other digits"),
        ("http://\uff11\uff12\uff17.1/", "a short address in wide digits"),
    ],
)
def test_what_is_refused_at_the_latest_where_it_would_be_connected_to(link: str, why: str) -> None:
    with pytest.raises((BadAddressError, AddressRefused)):
        _connect(page_address(link))


def _connect(url: httpx.URL) -> None:
    check_destination(url.scheme, url.raw_host.decode("ascii"), url.port)


REDIRECTED = [
    ("/z", "http://a.example/z"),
    ("z", "http://a.example/x/z"),
    ("?q", "http://a.example/x/y?q"),
    ("//b.example/z", "http://b.example/z"),
    ("https://b.example:443/", "https://b.example/"),
    (" /z ", "http://a.example/z"),
    ("", "http://a.example/x/y?z"),
]


@pytest.mark.parametrize(("location", "expected"), REDIRECTED)
def test_where_a_redirect_leads(location: str, expected: str) -> None:
    assert str(redirect_address(HERE, location)) == expected


@pytest.mark.parametrize(("location", "why"), [row for row in REFUSED if "a.example:" in row[0] or "[" in row[0]])
def test_where_no_redirect_leads(location: str, why: str) -> None:
    with pytest.raises(BadAddressError, match="redirects to where no page is"):
        redirect_address(HERE, location)


_PIECES = st.sampled_from(
    [
        *("http://", "https://", "//", "/", "\\", "[", "]", "::1", "%", "%41", "%zz", "@", ":", "?", "#", "\0", "\t"),
        *("\u200b", "\ud83d", "\u3002", "\uff0e", "\uff11", "xn--", "\xdf", "\xad", "\u0130", "a" * 64, ".", "99999"),
    ]
)
_LINKS = st.lists(st.one_of(_PIECES, st.characters(), st.text(max_size=5)), max_size=12).map("".join)


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(st.one_of(_LINKS, _LINKS.map("http://".__add__), _LINKS.map("https://a.example:".__add__)))
def test_no_other_error_ever_leaves(link: str) -> None:
    """And what is let through can be sent, has a host, and a robots.txt."""
    normalise_url(link)
    for read in (page_address, lambda text: redirect_address(HERE, text)):
        try:
            url = read(link)
        except BadAddressError:
            continue
        assert url.host
        assert httpx.Request("GET", url).headers["host"]
        assert robots_address(url).path == "/robots.txt"
