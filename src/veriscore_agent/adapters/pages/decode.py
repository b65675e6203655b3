"""From the bytes of a page to its characters, whatever the server says of them."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

from veriscore_agent.adapters.pages.charset import detect_encoding, is_seven_bit_encoded, wide_encoding
from veriscore_agent.adapters.pages.labels import labels_in_markup

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.I | re.A)
_LABEL = re.compile(r"[\w.:+-]+", re.A)
_FEW_WRONG = 0.02
"""Share of the characters beyond ASCII that may be undecodable where a label is believed."""
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "latin-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""What browsers take for a label (Encoding standard of WHATWG), where that is more than what the label says."""
_ALSO_KNOWN_AS = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "iso-8859-8-i": "iso8859-8",
}
_NOT_LEADING = bytes(range(0xC2))
"""All bytes that do not begin a character of several bytes in UTF-8."""
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


_NO_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"})
"""Codecs of Python's that are for something else than pages, or for nothing."""


def decode_body(body: bytes, content_type: str) -> str:
    """The text of a body. Never raises; what cannot be decoded is U+FFFD, and no character is unfit for XML.

    Asked in this order: a byte order mark, the null bytes of UTF-16 and UTF-32, whether it is UTF-8, Content-Type,
    ``meta`` or the XML declaration, and what the bytes look like.
    """
    text = _decoded(body, content_type)
    if not _is_readable(text):
        text = _UNREADABLE.sub(_replacement, text)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_readable(text: str) -> bool:
    """Whether nothing in it is ``_UNREADABLE``, which an expression would take ten times as long to tell."""
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError:  # Lone surrogates.
        return False
    return len(encoded.translate(None, _CONTROLS)) == len(encoded) and "\ufffe" not in text and "\uffff" not in text


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] < "\x80" else "\ufffd"


def _decoded(body: bytes, content_type: str) -> str:
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    if wide := wide_encoding(body[:400]):
        return body.decode(wide, "replace")
    seven_bits = is_seven_bit_encoded(body)
    # Strictly first, and lone surrogates allowed: most pages are UTF-8, and need not be asked for their label.
    with suppress(UnicodeDecodeError):
        if not seven_bits:
            return body.decode("utf-8", "surrogatepass")
    declared = _declared(body, content_type)
    if not (seven_bits and (not declared or any(map(_is_seven_bit, declared)))):
        text = _utf8(body, is_declared="utf-8" in declared)
        if text is not None:
            return text
    return _by_label(body, declared) or body.decode(browsers_codec(detect_encoding(body)), "replace")


def _by_label(body: bytes, declared: list[str]) -> str:
    """The body as its labels say, or nothing where it can be none of them.

    The label with the fewest undecodable bytes is right; where they are equal, the one that the bytes look like, or
    that of the header, which servers often add to files that they know nothing of.
    """
    if len(declared) > 1 and (looks_like := browsers_codec(detect_encoding(body))) in declared:
        declared = [looks_like, *declared]
    texts = [body.decode(name, "replace") for name in declared]
    best = min(texts, key=lambda text: text.count("\ufffd"), default="")
    beyond_ascii = sum(1 for character in best if character > "\x7f")
    return best if best.count("\ufffd") <= max(1, _FEW_WRONG * beyond_ascii) else ""


def _is_seven_bit(name: str) -> bool:
    return name.startswith(("iso2022", "hz"))


def _utf8(body: bytes, *, is_declared: bool) -> str | None:
    """The body as UTF-8, if it is that: text of another encoding is hardly ever valid by chance.

    A cut-off end changes nothing in that, nor do, where UTF-8 is declared, a few bad bytes.
    """
    text = body.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = len(body.translate(None, _NOT_LEADING))
    return text if not wrong or (wrong < right and wrong <= (right if is_declared else right / 20 + 1)) else None


def _declared(body: bytes, content_type: str) -> list[str]:
    """Names of the codecs that header and markup name, in this order, without what is no encoding of text."""
    labels = [match[1] for match in _CHARSET.finditer(content_type)]
    names = map(_codec, [*labels, *labels_in_markup(body)])
    return list(dict.fromkeys(name for name in names if name))


def _codec(label: str) -> str:
    if not _LABEL.fullmatch(label):
        return ""
    try:
        found = codecs.lookup(_ALSO_KNOWN_AS.get(label.lower(), label))
    except (LookupError, ValueError):
        return ""
    # rot13, hex and the like are codecs, but no encodings; so is UTF-16 where a meta element could be read.
    if not getattr(found, "_is_text_encoding", True) or found.name.replace("_", "-") in _NO_ENCODINGS:
        return ""
    return "utf-8" if found.name.startswith(("utf-16", "utf-32")) else browsers_codec(found.name)


def browsers_codec(name: str) -> str:
    """The Python codec of what browsers understand by the name of an encoding. Raises LookupError if there is none."""
    known = codecs.lookup(name).name
    return _MEANT.get(known, known)
