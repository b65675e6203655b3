"""Bytes of pages become characters, whatever the server says of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from veriscore_agent.adapters.pages.decode import decode_body

DECODED = [
    (b'<meta charset="iso-8859-1"><p>Z\xfcrich</p>', "text/html", "Zürich", "G08"),
    ("<p>Zürich</p>".encode(), "text/html; charset=utf8,gbk", "Zürich", "G07"),
    ("<p>Zürich</p>".encode(), "text/html; charset=rot13", "Zürich", "G07"),
    (b"<p>Z\xfcrich ist sch\xf6n</p>", "text/html; charset=hex", "Zürich ist schön", "G07, and not UTF-8 either"),
    (b"<p>Z\xfcrich</p>", "text/html; charset=iso-8859-1", "Zürich", "header"),
    (b"<p>\x93Z\xfcrich\x94</p>", "text/html; charset=iso-8859-1", "“Zürich”", "as browsers understand the label"),
    ("<p>Zürich</p>".encode(), "text/html; charset=iso-8859-1", "Zürich", "the label is wrong"),
    ("塔は1931年".encode("shift_jis"), "text/html; charset=x-sjis", "塔は1931年", "a label of old"),
    (b'<?xml version="1.0" encoding="windows-1251"?>' + "Москва".encode("cp1251"), "", "Москва", "XML declaration"),
    ("\ufeffZürich".encode("utf-16"), "text/html; charset=utf-8", "Zürich", "byte order mark before all else"),
    ("Zürich und Bern".encode("utf-16-le"), "text/plain", "Zürich und Bern", "UTF-16 without a mark"),
    ("塔は1931年".encode("iso2022_jp"), "text/html; charset=iso-2022-jp", "塔は1931年", "seven bits"),
    ("abc \ud83d opened in 1931".encode("utf-8", "surrogatepass"), "", "abc \ufffd opened in 1931", "H13"),
    ("Zürich".encode()[:-1] + b"\xc3", "text/html; charset=utf-8", "Züric\ufffd", "cut off in a character"),
    (b"a\x00b\x0bc", "text/plain", "a b c", "characters that XML cannot have"),
    (b"", "", "", "nothing"),
]


@pytest.mark.parametrize(("body", "content_type", "expected", "why"), DECODED)
def test_decoding(body: bytes, content_type: str, expected: str, why: str) -> None:
    decoded = decode_body(body, content_type)
    assert expected in decoded, why
    decoded.encode()


def test_labelled_encodings(shared_data: Path) -> None:
    """With their label in the header, all files decode as labelled."""
    wrong = []
    index = (shared_data / "data" / "encodings" / "index.jsonl").read_text(encoding="utf-8")
    for row in map(json.loads, index.splitlines()):
        if row.get("python_codec"):
            body = gzip.decompress((shared_data / "data" / row["file"]).read_bytes())
            decoded = decode_body(body, f"text/html; charset={row['python_codec']}")
            if _letters(decoded) != _letters(body.decode(row["python_codec"], "replace")):
                wrong.append(row["file"])
    assert wrong == []


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
