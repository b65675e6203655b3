"""What a body is, whatever the server says of it."""

from __future__ import annotations

import codecs
import re
from typing import Literal

from veriscore_agent.adapters.pages.charset import wide_encoding

BodyKind = Literal["html", "xml", "text", "json", "table", "pdf", "other"]
"""table: comma- or tab-separated values. other: nothing that text is read from."""

_HEAD_BYTES = 4096
_PDF_WITHIN = 1024
"""Bytes within which readers look for the beginning of a PDF."""
_PDF = re.compile(rb"%PDF-\d")
_HTML_TYPES = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_XML_TYPES = ("application/xml", "text/xml")
_PDF_TYPES = ("application/pdf", "application/x-pdf", "text/pdf")
_JSON_TYPES = ("application/json", "text/json", "application/x-json")
_TABLE_TYPES = ("text/csv", "application/csv", "text/tab-separated-values")
_CODE_TYPES = ("text/css", "text/javascript", "text/ecmascript", "text/x-javascript", "text/rtf", "text/cache-manifest")
_UNTOLD_TYPES = ("", "application/octet-stream", "unknown/unknown", "*/*", "text", "binary/octet-stream")
_MARKUP = re.compile(
    rb"^[\s\x00]*<(?:!doctype\s+html|html|head|body|!--|meta|title|div|p|h1|h2|table|script|article|section|main|a|b|br"
    rb"|span|font|center|ul|ol)\b",
    re.I,
)
_XML = re.compile(rb"^[\s\x00]*<(?:\?xml|!doctype|rss|feed|rdf:rdf)\b", re.I)
_HTML_ROOT = re.compile(rb"<(?:!doctype\s+html|html)\b", re.I)
_TAG = re.compile(rb"</?[a-zA-Z!]")
_JSON = re.compile(rb"^\s*(?:\{\s*[\"}]|\[\s*[\[{\"\d\]])")
_BINARY = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|PK\x03\x04|PK\x05\x06|\x1f\x8b|RIFF....(?:WAVE|AVI |WEBP)|\x7fELF|OggS\x00"
    rb"|\xd0\xcf\x11\xe0|7z\xbc\xaf|Rar!\x1a|ID3[\x02-\x04]|wOF[F2]|BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd|fLaC|II\*\x00|MM\x00\*"
    rb"|\x1aE\xdf\xa3|....ftyp|\x00\x00[\x01\x02]\x00|SQLite format 3|%!PS|\{\\rtf|\x00asm|BM....\x00\x00\x00\x00",
    re.S,
)
_NO_TEXT = bytes({*range(0x20), 0x7F} - {*b"\t\n\x0b\x0c\r\x1b\x0e\x0f\x1a"})
_CONTROL_SHARE = 0.03
"""Of control characters. Random bytes have a tenth, texts in all encodings but those of several bytes none."""


def body_kind(body: bytes, content_type: str) -> BodyKind:
    """What a body is, by its first bytes and, where these do not tell, by what the server says."""
    head = _head(body)
    told = content_type.partition(";")[0].strip().lower()
    if _is_pdf(body, head):
        return "pdf"
    if _BINARY.match(body) or is_binary(body):
        return "pdf" if told in _PDF_TYPES and not _BINARY.match(body) else "other"
    if _XML.match(head) and not _HTML_ROOT.search(head):
        return "xml" if not told.startswith(("image/", "audio/", "video/", "font/")) else "other"
    if _MARKUP.match(head) or _HTML_ROOT.match(head.lstrip()) or _XML.match(head):
        return "html"
    return _kind_by_type(body, head, told)


def _kind_by_type(body: bytes, head: bytes, told: str) -> BodyKind:
    """What a body is that does not begin as markup, and is no PDF and not binary."""
    if told in _HTML_TYPES and _TAG.search(body):
        return "html"
    if told in _XML_TYPES or told.endswith("+xml"):
        return "xml" if not told.startswith("image/") else "other"
    if told in _JSON_TYPES or told.endswith("+json"):
        return "json"
    if told in _PDF_TYPES:
        return "pdf"
    if told in _CODE_TYPES:
        return "other"
    if told in _TABLE_TYPES:
        return "table"
    if told.startswith("text/") or told in (*_HTML_TYPES, *_UNTOLD_TYPES):
        return "json" if _JSON.match(head) and body.rstrip()[-1:] in b"]}" else "text"
    return "other"


def why_unread(content_type: str) -> str:
    """The reason for which no text is read from a body of kind ``other``."""
    told = content_type.partition(";")[0].strip()
    if not told:
        return "no text is read from binary content"
    claims_text = told.lower().startswith("text/") or told.lower() in (*_HTML_TYPES, *_XML_TYPES, *_JSON_TYPES)
    if claims_text and told.lower() not in _CODE_TYPES:
        return f"no text is read from binary content sent as {told[:100]}"
    return f"no text is read from {told[:100]}"


def is_binary(body: bytes) -> bool:
    """Whether the first bytes have more control characters than any text."""
    head = body[:_HEAD_BYTES]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)) or wide_encoding(head[:400]):
        return False
    return len(head) - len(head.translate(None, _NO_TEXT)) > _CONTROL_SHARE * len(head)


def _is_pdf(body: bytes, head: bytes) -> bool:
    """Whether it begins as a PDF, or has a PDF behind some junk and is no page that speaks of PDFs."""
    begins = _PDF.search(body, 0, _PDF_WITHIN + 6)
    if begins is None:
        return False
    return not body[: begins.start()].strip() or (b"endobj" in body and not (_MARKUP.match(head) or _XML.match(head)))


def _head(body: bytes) -> bytes:
    """The first bytes as those of ASCII, of UTF-16 too."""
    head = body[:_HEAD_BYTES]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore").encode("ascii", "ignore")
    if name := wide_encoding(head[:400]):
        return head.decode(name, "ignore").encode("ascii", "ignore")
    return head.removeprefix(codecs.BOM_UTF8)
