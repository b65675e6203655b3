"""Content codings: gzip, deflate, brotli and zstd, undone without ever holding more than a bound."""

from __future__ import annotations

import importlib
import importlib.util
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx

from veriscore_agent.adapters.http.failures import FinalTransportError

_MOST_CODINGS = 3
_STEP = 65_536
_ZLIB_STEP = 4_096
_ZSTD_STEP = 64
"""Wire bytes fed at a time: four of them can unfold to 128 KiB, and the library cannot be told to stop."""
_WINDOW_BYTES = 8 * 1024 * 1024
"""Largest zstd window, as RFC 9659 bounds it for HTTP."""

Decoder = Callable[[bytes, int], bytes]
"""(encoded, most bytes) -> decoded. Raises BodyTooLarge, httpx.DecodingError."""


class BodyTooLarge(FinalTransportError):  # noqa: N818
    """A body over the bound, on the wire or after decompression. What was read of it is thrown away."""


def codings_of(header: str) -> list[str]:
    """The codings that a Content-Encoding header names, last applied first.

    A name that is no coding at all (``utf-8`` is met) is left out. Raises httpx.DecodingError where there are too many.
    """
    names = [name.strip().lower() for name in header.split(",")]
    codings = [name.removeprefix("x-") for name in names if name.removeprefix("x-") in _KNOWN_CODINGS]
    if len(codings) > _MOST_CODINGS:
        raise httpx.DecodingError(f"{len(codings)} content codings on one body")
    return codings[::-1]


def decode(wire: bytes, codings: list[str], max_bytes: int) -> bytes:
    """Undo the codings. Raises BodyTooLarge as soon as more than ``max_bytes`` come out, and httpx.DecodingError."""
    content = wire
    for coding in codings:
        decoder = _DECODERS.get(coding)
        if decoder is None:
            raise httpx.DecodingError(f"content coding {coding} cannot be decoded here")
        content = decoder(content, max_bytes) if content else content
    return content


def _too_large(max_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"the body unfolds to more than {max_bytes} bytes")


def _inflate(data: bytes, max_bytes: int, *, window: int) -> bytes:
    out, at = bytearray(), 0
    # A gzip file may consist of several members; anything else behind the end is padding.
    while at == 0 or data.startswith(b"\x1f\x8b", at):
        member = zlib.decompressobj(window)
        while at < len(data) and not member.eof:
            # In pieces, for what a member leaves over is copied, and a body may hold a million members.
            piece = data[at : at + _ZLIB_STEP]
            try:
                out += member.decompress(piece, max_bytes + 1 - len(out))
            except zlib.error as problem:
                raise httpx.DecodingError(str(problem)) from problem
            if len(out) > max_bytes:
                raise _too_large(max_bytes)
            at += len(piece) - len(member.unused_data)
        if not member.eof:
            raise httpx.DecodingError("the compressed body ends early")
    return bytes(out)


def _deflate(data: bytes, max_bytes: int) -> bytes:
    # "deflate" means the zlib format, but servers send the bare stream too; a zlib header tells itself.
    zlib_header = len(data) >= 2 and data[0] & 0x0F == 8 and (data[0] * 256 + data[1]) % 31 == 0
    return _inflate(data, max_bytes, window=zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS)


def _brotli_decoder() -> Decoder | None:
    if importlib.util.find_spec("brotli") is None:
        return None
    brotli: Any = importlib.import_module("brotli")
    if not hasattr(brotli.Decompressor, "can_accept_more_data"):
        return None  # before 1.2 its output cannot be bounded

    def decode(data: bytes, max_bytes: int) -> bytes:
        decompressor, out = brotli.Decompressor(), bytearray()
        try:
            out += decompressor.process(data, output_buffer_limit=_STEP)
            while not decompressor.is_finished() and len(out) <= max_bytes:
                piece = decompressor.process(b"", output_buffer_limit=_STEP)
                if not piece and not decompressor.is_finished():
                    raise httpx.DecodingError("the compressed body ends early")
                out += piece
        except brotli.error as problem:
            raise httpx.DecodingError(str(problem)) from problem
        if len(out) > max_bytes:
            raise _too_large(max_bytes)
        return bytes(out)

    return decode


def _zstd_decoder() -> Decoder | None:
    if importlib.util.find_spec("zstandard") is None:
        return None
    zstandard: Any = importlib.import_module("zstandard")

    def decode(data: bytes, max_bytes: int) -> bytes:
        out, at = bytearray(), 0
        decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
        try:
            while at < len(data):
                frame = decompressor.decompressobj()
                while at < len(data) and not frame.eof:
                    piece = data[at : at + _ZSTD_STEP]
                    out += frame.decompress(piece)
                    at += len(piece) - len(frame.unused_data)
                    if len(out) > max_bytes:
                        raise _too_large(max_bytes)
                if not frame.eof:
                    raise httpx.DecodingError("the compressed body ends early")
        except zstandard.ZstdError as problem:
            raise httpx.DecodingError(str(problem)) from problem
        return bytes(out)

    return decode


_KNOWN_CODINGS = frozenset({"gzip", "deflate", "br", "zstd", "compress", "dcb", "dcz"})
_DECODERS: dict[str, Decoder] = {"gzip": partial(_inflate, window=zlib.MAX_WBITS | 16), "deflate": _deflate}
if (_brotli := _brotli_decoder()) is not None:
    _DECODERS["br"] = _brotli
if (_zstd := _zstd_decoder()) is not None:
    _DECODERS["zstd"] = _zstd
ACCEPT_ENCODING = ", ".join(_DECODERS)
"""What is offered to servers."""
