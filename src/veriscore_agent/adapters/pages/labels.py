"""What a page says of its own encoding, in its first bytes.

The way of browsers (HTML standard, "prescan a byte stream to determine its encoding"), so that a ``meta`` in a comment,
or within the value of another element's attribute, is none. Ours reads further than they must.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PRESCAN_BYTES = 16_384
_TAG = rb"(?:=\s*+(?:\"[^\"]*+\"|'[^']*+'|(?![\"']))|[^>=])*+>"
"""The rest of a tag. A quote counts behind an equals sign only."""
_MARKUP = re.compile(
    # What does not end is taken to the end of what is read: nothing behind it counts, and no byte is read twice.
    rb"<!--(?:.*?-->|.*)"
    rb"|<meta(?=[\s/])(?:(?P<meta>" + _TAG + rb")|.*)"
    rb"|</?[a-z](?:" + _TAG + rb"|.*)"
    rb"|<[!/?][^>]*",
    re.I | re.S,
)
_ATTRIBUTE = re.compile(rb"([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>\"'][^\s>]*+)))?+")
_CHARSET = re.compile(rb"charset\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s;\"'][^\s;]*+))", re.I)
_XML = re.compile(rb"\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:+-]+)", re.I)


def labels_in_markup(body: bytes) -> Iterator[str]:
    """The labels of the XML declaration and of ``meta`` elements, in order, whatever they are worth."""
    head = body[:_PRESCAN_BYTES]
    if declaration := _XML.match(head):
        yield declaration[1].decode("ascii", "ignore")
    for markup in _MARKUP.finditer(head):
        if markup["meta"] and (label := _label_of_meta(markup["meta"])):
            yield label.decode("ascii", "ignore").strip()


def _label_of_meta(tag: bytes) -> bytes:
    attributes: dict[bytes, bytes] = {}
    for found in _ATTRIBUTE.finditer(tag):
        attributes.setdefault(found[1].lower(), found[2] or found[3] or found[4] or b"")
    if b"charset" in attributes:
        return attributes[b"charset"]
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return b""
    label = _CHARSET.search(attributes.get(b"content", b""))
    return label[1] or label[2] or label[3] or b"" if label else b""
