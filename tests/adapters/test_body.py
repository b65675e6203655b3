"""Bodies: whole, decoded, and never larger than the bound in memory."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib
from collections.abc import Callable, Mapping

import httpx
import pytest

from tests.loopback import LoopbackServer, Reply, in_turn
from veriscore_agent.adapters.http.body import BoundedBodyTransport, first_bytes
from veriscore_agent.adapters.http.codings import ACCEPT_ENCODING, BodyTooLarge, codings_of, decode
from veriscore_agent.adapters.http.retries import RetryPolicy, RetryTransport

pytestmark = pytest.mark.anyio

BOUND = 1_000_000
TEXT = "Größe and other words, again and again. ".encode() * 500


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def brotli_packed(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("brotli", reason="brotli is optional").compress(data, quality=5)
    return packed


def zstd_packed(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard", reason="zstandard is optional").compress(data)
    return packed


Packer = Callable[[bytes], bytes]
PACKERS: dict[str, Packer] = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli_packed, "zstd": zstd_packed}


def twice(pack: Packer) -> Packer:
    """Packed in two pieces, one after the other."""
    return lambda data: pack(data[:100]) + pack(data[100:])


def as_it_is(data: bytes) -> bytes:
    return data


def client(wire: int = BOUND, decoded: int = BOUND) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=BoundedBodyTransport(httpx.AsyncHTTPTransport(), wire, decoded), timeout=5)


@pytest.mark.parametrize("coding", PACKERS)
async def test_a_packed_body_is_delivered_unpacked_with_headers_to_match(coding: str) -> None:
    headers = {"Content-Encoding": coding, "Content-Type": "text/plain"}
    with LoopbackServer(in_turn(Reply(headers=headers, body=PACKERS[coding](TEXT)))) as server:
        async with client() as asking:
            response = await asking.get(server.url)
        assert server.requests[0].headers["accept-encoding"] == ACCEPT_ENCODING
    assert coding in ACCEPT_ENCODING
    assert response.content == TEXT
    assert "content-encoding" not in response.headers
    assert response.headers["content-length"] == str(len(TEXT))
    assert response.headers["content-type"] == "text/plain"


async def test_a_chunked_body_gets_its_length() -> None:
    with LoopbackServer(in_turn(Reply(body=TEXT, chunk_bytes=1000))) as server:
        async with client() as asking:
            response = await asking.get(server.url)
    assert response.content == TEXT
    assert "transfer-encoding" not in response.headers
    assert response.headers["content-length"] == str(len(TEXT))


@pytest.mark.parametrize(
    ("coding", "pack", "why"),
    [
        ("x-gzip", gzip.compress, "an old name"),
        ("GZIP", gzip.compress, "in capitals"),
        ("gzip", twice(gzip.compress), "two members"),
        ("gzip", lambda data: gzip.compress(data) + b"\0" * 20, "padding behind the end"),
        ("deflate", raw_deflate, "deflate without the zlib header, as many servers send it"),
        ("zstd", twice(zstd_packed), "two frames"),
        ("gzip, br", lambda data: brotli_packed(gzip.compress(data)), "two codings, the last applied named last"),
        ("identity", as_it_is, "none"),
        ("utf-8", as_it_is, "a charset where a coding belongs"),
        ("", as_it_is, "empty header"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_codings_as_servers_write_them(coding: str, pack: Packer, why: str) -> None:
    assert decode(pack(TEXT), codings_of(coding), BOUND) == TEXT


@pytest.mark.parametrize("coding", PACKERS)
def test_a_packed_body_that_ends_early_is_no_body(coding: str) -> None:
    packed = PACKERS[coding](TEXT)
    for cut in (1, 3, len(packed) // 2, len(packed) - 1):
        with pytest.raises(httpx.DecodingError):
            decode(packed[:cut], [coding], BOUND)


@pytest.mark.parametrize("coding", [*PACKERS, "compress", "gzip, gzip, gzip, gzip"])
async def test_what_cannot_be_unpacked_is_a_decoding_error(coding: str) -> None:
    with LoopbackServer(in_turn(Reply(headers={"Content-Encoding": coding}, body=b"\xff plain text"))) as server:
        async with client() as asking:
            with pytest.raises(httpx.DecodingError):
                await asking.get(server.url)


async def test_a_body_that_cannot_be_unpacked_is_asked_for_once_more_unpacked() -> None:
    """Some servers get only their compression wrong. Another request is again offered all codings."""

    def only_plain_is_right(_method: str, _path: str, headers: Mapping[str, str], _body: bytes) -> Reply:
        if headers["accept-encoding"] == "identity":
            return Reply(body=TEXT)
        return Reply(headers={"Content-Encoding": "br"}, body=b"\xff no brotli")

    with LoopbackServer(only_plain_is_right) as server:
        body = BoundedBodyTransport(httpx.AsyncHTTPTransport(), BOUND, BOUND)
        async with httpx.AsyncClient(transport=RetryTransport(body, RetryPolicy(1, first_wait_s=0.01))) as asking:
            assert (await asking.get(server.url)).content == TEXT
            assert (await asking.get(server.url)).content == TEXT
        offered = [request.headers["accept-encoding"] for request in server.requests]
    assert offered == [ACCEPT_ENCODING, "identity"] * 2


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(body=TEXT), "announced"),
        (Reply(body=TEXT, chunk_bytes=100), "not announced"),
        (Reply(body=TEXT[:1000]), "no more than that"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_no_more_of_a_body_is_read_than_is_enough(reply: Reply, why: str) -> None:
    """Even where that is more than the bound for others, which is what robots.txt needs."""
    with LoopbackServer(in_turn(reply)) as server:
        async with client(500, 500) as asking:
            response = await asking.send(httpx.Request("GET", server.url, extensions=first_bytes(1000)))
        assert server.requests[0].headers["accept-encoding"] == "identity"
    assert response.content == TEXT[:1000]


async def test_headers_in_any_charset_are_handed_on() -> None:
    with LoopbackServer(in_turn(Reply(headers={"X-Place": "Zürich", "Content-Disposition": "ÿþ"}))) as server:
        async with client() as asking:
            response = await asking.get(server.url)
    assert (response.headers["x-place"], response.headers["content-disposition"]) == ("Zürich", "ÿþ")


@pytest.mark.parametrize("coding", PACKERS)
@pytest.mark.parametrize(("size", "fits"), [(BOUND, True), (BOUND + 1, False)])
def test_the_bound_is_exact(coding: str, size: int, fits: bool) -> None:
    packed = PACKERS[coding](b"\0" * size)
    if fits:
        assert len(decode(packed, [coding], BOUND)) == size
    else:
        with pytest.raises(BodyTooLarge):
            decode(packed, [coding], BOUND)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_body_of_very_many_members_takes_time_in_proportion(coding: str) -> None:
    """Five megabytes of empty ones would else keep a thread for minutes, past every deadline."""
    empty = PACKERS[coding](b"")

    def seconds(members: int) -> float:
        began_s = time.process_time()
        assert decode(empty * members + PACKERS[coding](TEXT), [coding], BOUND) == TEXT
        return time.process_time() - began_s

    few, many = seconds(5_000), seconds(80_000)
    assert many < 48 * few, "sixteen times as much takes some sixteen times as long"


@pytest.mark.parametrize("coding", PACKERS)
async def test_a_small_body_that_unfolds_to_a_huge_one_is_not_unfolded(coding: str) -> None:
    """Two hundred megabytes in a few hundred bytes of brotli."""
    bomb = PACKERS[coding](b"\0" * 200_000_000)
    with LoopbackServer(in_turn(Reply(headers={"Content-Encoding": coding}, body=bomb))) as server:
        async with client() as asking:
            tracemalloc.start()
            try:
                with pytest.raises(BodyTooLarge, match="unfolds"):
                    await asking.get(server.url)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
    assert peak < 12 * BOUND


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(body=b"x" * (BOUND + 1)), "announced"),
        (Reply(body=b"x" * (BOUND + 1), chunk_bytes=50_000), "not announced"),
        (Reply(headers={"Content-Length": "999999999999"}, body=b"x"), "announced, and never sent"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_body_over_the_bound_on_the_wire_is_left(reply: Reply, why: str) -> None:
    with LoopbackServer(in_turn(reply, Reply(body=b"fine"))) as server:
        async with client(decoded=10 * BOUND) as asking:
            with pytest.raises(BodyTooLarge):
                await asking.get(server.url)
            assert (await asking.get(server.url)).content == b"fine"


async def test_an_endless_body_is_left() -> None:
    with LoopbackServer(in_turn(Reply(body=b"x" * 50_000_000, chunk_bytes=100_000))) as server:
        async with client(wire=300_000) as asking:
            with pytest.raises(BodyTooLarge):
                await asking.get(server.url)


def _as_asked(method: str, _path: str, _headers: Mapping[str, str], _body: bytes) -> Reply:
    return Reply(204 if method == "DELETE" else 200, {"Content-Encoding": "gzip"}, b"")


@pytest.mark.parametrize("method", ["HEAD", "GET", "DELETE"])
async def test_an_answer_without_a_body_has_none(method: str) -> None:
    with LoopbackServer(_as_asked) as server:
        async with client() as asking:
            response = await asking.request(method, server.url)
    assert response.content == b""
    assert response.is_success


async def test_the_length_that_a_head_request_learns_is_not_taken_for_a_body() -> None:
    with LoopbackServer(in_turn(Reply(headers={"Content-Length": "999999999999"}))) as server:
        async with client() as asking:
            assert (await asking.head(server.url)).content == b""
