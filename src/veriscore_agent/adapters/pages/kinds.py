"""What a body is, whatever the server says of it."""

from __future__ import annotations

import re
from typing import Literal

BodyKind = Literal["html", "text", "pdf", "other"]

_HTML_TYPES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml", "application/vnd.wap.xhtml+xml")
_UNTOLD_TYPES = ("", "application/octet-stream", "unknown/unknown", "*/*", "text")
_MARKUP = re.compile(
    rb"^[\s\x00]*<(?:!doctype|html|head|body|\?xml|!--|meta|title|div|p|h1|table|script|article)\b", re.I
)
_BINARY = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8|PK\x03\x04|\x1f\x8b|RIFF|\x7fELF|OggS|\xd0\xcf\x11\xe0|7z\xbc\xaf|Rar!|ID3|wOF"
)


def body_kind(body: bytes, content_type: str) -> BodyKind:
    """What a body is, by its first bytes and, where these do not tell, by what the server says."""
    if body[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if _BINARY.match(body):
        return "other"
    told = content_type.partition(";")[0].strip().lower()
    if told in _HTML_TYPES or _MARKUP.match(body[:1024]):
        return "html"
    if told.startswith("text/"):
        return "text"
    return "text" if told in _UNTOLD_TYPES and b"\x00" not in body[:1024] else "other"
