"""Response bodies: read whole, within bounds on the wire and after decompression."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

import anyio.to_thread
import httpx

from veriscore_agent.adapters.http.codings import ACCEPT_ENCODING, BodyTooLarge, codings_of, decode

_STEP = 65_536
_UNDECODED = "veriscore.undecoded"
_FIRST_BYTES = "veriscore.first_bytes"
_FRAMING_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def first_bytes(most: int) -> dict[str, object]:
    """For ``httpx.Request(extensions=...)``: the body is asked for uncompressed, and what is behind its first ``most``
    bytes is left where it is. (A body that comes compressed all the same is bounded like any other.)"""
    return {_FIRST_BYTES: most, _UNDECODED: True}


class BoundedBodyTransport(httpx.AsyncBaseTransport):
    """Deliver complete, decoded responses: no Content-Encoding, a right Content-Length, the body read.

    Raises BodyTooLarge over ``max_wire_bytes`` as received or ``max_decoded_bytes`` after decompression, of which no
    more than that is ever held; httpx.DecodingError where the body is not what Content-Encoding says. Only the
    codings that can be decoded within bounds are offered to the server; and none when the same request is sent once
    more because its body could not be decoded, for some servers get only their compression wrong.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, max_wire_bytes: int, max_decoded_bytes: int) -> None:
        self._inner = inner
        self._max_wire_bytes, self._max_decoded_bytes = max_wire_bytes, max_decoded_bytes

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send it and read the answer to its end."""
        request.headers["Accept-Encoding"] = "identity" if request.extensions.get(_UNDECODED) else ACCEPT_ENCODING
        response = await self._inner.handle_async_request(request)
        enough = _enough_of(response, request.extensions.get(_FIRST_BYTES))
        try:
            wire = b"" if request.method == "HEAD" else await self._read(response, enough)
        finally:
            await response.aclose()
        try:
            return await decoded_response(response, wire, max(self._max_decoded_bytes, enough))
        except httpx.DecodingError:
            request.extensions[_UNDECODED] = True
            raise

    async def _read(self, response: httpx.Response, enough: int) -> bytes:
        announced = response.headers.get("Content-Length", "")
        if announced.isdecimal() and int(announced) > self._max_wire_bytes and not enough:
            raise BodyTooLarge(f"the body has {announced} bytes, more than {self._max_wire_bytes}")
        read = bytearray()
        async for piece in body_pieces(response):
            read += piece
            if enough and len(read) >= enough:
                return bytes(read[:enough])
            if len(read) > self._max_wire_bytes and not enough:
                raise BodyTooLarge(f"the body has more than {self._max_wire_bytes} bytes")
        return bytes(read)

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()


def _enough_of(response: httpx.Response, most: object) -> int:
    """The bytes of the body that are enough; 0 where it takes all of them."""
    return most if isinstance(most, int) and not codings_of(response.headers.get("Content-Encoding", "")) else 0


class RawBody(httpx.AsyncByteStream):
    """A complete body that can be streamed. Unlike httpx.ByteStream it leaves the response unread, so that a caller
    may read it in any way that httpx knows."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._content), _STEP):
            yield self._content[start : start + _STEP]


async def body_pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as its transport delivers it, before any decoding."""
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        raise TypeError("an asynchronous transport delivered a synchronous stream")
    async for piece in stream:
        yield piece


async def whole_body(response: httpx.Response) -> bytes:
    """All of ``body_pieces``; the response is closed."""
    try:
        return b"".join([piece async for piece in body_pieces(response)])
    finally:
        await response.aclose()


def headers_of(pairs: Iterable[tuple[str, str]]) -> httpx.Headers:
    """Headers of a response. httpx takes text for ASCII, and raises where a stranger's header is not."""
    return httpx.Headers([(name.encode("utf-8"), value.encode("utf-8")) for name, value in pairs])


async def decoded_response(response: httpx.Response, wire: bytes, max_bytes: int) -> httpx.Response:
    """The response with ``wire`` decoded as its Content-Encoding says, read, and with the headers to match.

    Raises BodyTooLarge, httpx.DecodingError.
    """
    codings = codings_of(response.headers.get("Content-Encoding", ""))
    # A few hundred bytes can unfold to the bound, so nothing is decompressed on the event loop.
    content = await anyio.to_thread.run_sync(decode, wire, codings, max_bytes) if codings and wire else wire
    if len(content) > max_bytes:
        raise BodyTooLarge(f"the body has more than {max_bytes} bytes")
    headers = headers_of(pair for pair in response.headers.multi_items() if pair[0] not in _FRAMING_HEADERS)
    if "Content-Length" in response.headers or content:
        headers["Content-Length"] = str(len(content))
    extensions = {name: value for name, value in response.extensions.items() if name != "network_stream"}
    return httpx.Response(response.status_code, headers=headers, content=content, extensions=extensions)
