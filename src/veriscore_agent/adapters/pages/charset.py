"""The encoding of a text that does not say, told from its bytes."""

from __future__ import annotations

import re

import chardet

_SAMPLE_BYTES = 65_536
_UNDECLARED_NAMES = """utf-16-le utf-16-be utf-32-le utf-32-be
big5hkscs shift_jis_2004 cp932 euc_jis_2004 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_ext gb18030 hz cp949 euc_kr
iso2022_kr johab
iso8859-1 cp1252 mac-roman iso8859-2 cp1250 cp1257 iso8859-9 cp1254 cp1258
iso8859-5 cp1251 koi8-r koi8-u mac-cyrillic cp855 cp866 iso8859-7 cp1253 iso8859-8 cp1255 iso8859-6 cp1256
cp874 tis-620"""
_UNDECLARED = frozenset(_UNDECLARED_NAMES.split())
"""What pages without a label are written in. Rarer encodings (those of mainframes and old printers, ISO 8859-3, -4,
-13, -14, -15 and -16) share most characters with these, and would be found more often by mistake than by right."""
_LETTERS_OF_OTHERS = re.compile("[\u0370-\u06ff\u0e00-\u0e7f]")
_MIXED = re.compile("[A-Za-z][\u0370-\u06ff\u0e00-\u0e7f]|[\u0370-\u06ff\u0e00-\u0e7f][A-Za-z]")
_LEAST_WIDE_BYTES = 8
_ASCII_BEFORE = 100
_LABEL = re.compile(rb"charset|encoding", re.I)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_LETTER_BYTES = bytes(range(0xC0, 0x100))
_ESCAPES = (b"\x1b$", b"\x1b(", b"\x0e", b"~{")
"""How the encodings of seven bits begin what is not ASCII."""


def is_seven_bit_encoded(body: bytes) -> bool:
    """Whether it is all ASCII and may yet be Japanese, Korean or Chinese, by its escape sequences."""
    return body.isascii() and any(escape in body for escape in _ESCAPES)


def wide_encoding(head: bytes) -> str:
    """UTF-16 or UTF-32 without a byte order mark, by where the null bytes of ASCII characters are, or nothing."""
    if len(head) < _LEAST_WIDE_BYTES or head.count(0) * 4 < len(head):
        return ""
    for name, width, full in (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1)):
        columns = [head[at::width] for at in range(width)]
        null = [column.count(0) / max(1, len(column)) for column in columns]
        if null[full] < 0.1 and min(share for at, share in enumerate(null) if at != full) > 0.6:
            return name
    return ""


def detect_encoding(body: bytes) -> str:
    """Name of the Python codec that this text is most likely written in; ``cp1252`` where nothing tells.

    One in which Greek, Cyrillic, Semitic or Thai letters stand within Latin words is not believed, nor is any but
    ``cp1252`` for a text whose only characters beyond ASCII are punctuation and signs.
    """
    # A label that browsers do not obey (in a comment, in an attribute's value) is none for the detector either.
    sample = _LABEL.sub(b"", _sample(body))
    if not is_seven_bit_encoded(sample) and len(sample.translate(None, _LETTER_BYTES)) == len(sample):
        return "cp1252"
    for found in chardet.detect_all(sample, ignore_threshold=True, compat_names=False, include_encodings=_UNDECLARED):
        name = found["encoding"]
        if name is not None and not _mixes_scripts(sample.decode(name, "replace")):
            return name
    return "cp1252"


def _sample(body: bytes) -> bytes:
    """The lines that are not all ASCII: a page may begin with more markup than a sample has room for."""
    if is_seven_bit_encoded(body) or 0 in body[:1000]:
        return body[:_SAMPLE_BYTES]
    first = _BEYOND_ASCII.search(body)
    start = max(0, first.start() - _ASCII_BEFORE) if first else 0
    lines = body[start : start + 16 * _SAMPLE_BYTES].splitlines()
    return b"\n".join(line for line in lines if not line.isascii())[:_SAMPLE_BYTES]


def _mixes_scripts(text: str) -> bool:
    return 5 * len(_MIXED.findall(text)) > len(_LETTERS_OF_OTHERS.findall(text))
