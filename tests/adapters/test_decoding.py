"""Bytes of pages become characters, whatever the server says of them."""

from __future__ import annotations

import gzip
import json
import re
import time
from encodings.aliases import aliases
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


LABELS = [
    ("Москва", "cp1251", "text/html", b'<!--<meta charset="gbk">--><meta charset="windows-1251">', "not in a comment"),
    ("Москва", "cp1251", "text/html; charset=iso-8859-1", b"<meta charset=windows-1251>", "what the bytes look like"),
    ("Zürich", "cp1252", "text/html; charset=iso-8859-1", b"<meta charset=windows-1251>", "what the header says"),
    ("Москва", "cp1251", "text/html; charset=utf-8", b"", "the label is impossible"),
    ("東京は日本の首都", "cp932", "text/html; charset=utf8,shift_jis", b"", "the second of two labels"),
    ("Москва", "cp1251", "text/html; charset=hex", b"<meta charset=rot13>", "labels of no encoding"),
    ("Москва", "cp1251", 'text/html; charset="\u0441p1251"', b"", "a label that is not ASCII"),
    ("Москва", "koi8-r", "", b'<meta http-equiv=content-type content="text/html; charset=koi8-r">', "old form"),
    ("Москва", "cp1251", "", b'<p title="<meta charset=koi8-r>">', "not within an attribute"),
    ("Zürich", "utf-8", "text/html; charset=utf-16", b"", "UTF-16 that it cannot be"),
]
TEXT = " стал столицей страны в этом году, и многие люди приехали посмотреть на него."


@pytest.mark.parametrize(("word", "codec", "content_type", "markup", "why"), LABELS)
def test_labels(word: str, codec: str, content_type: str, markup: bytes, why: str) -> None:
    """The label that is one and fits, as browsers look for it; else what the bytes look like."""
    text = word + (TEXT if word == "Москва" else "")
    assert text in decode_body(markup + b"<p>" + text.encode(codec), content_type), why


UNDECLARED = [
    ("Tromsø ligger på øya.", "cp1252", "few words, no Cyrillic letters within them"),
    ("La città è più bella. Perché?", "cp1252", "the same"),
    ("It’s the “oldest” bridge – sold for £400.", "cp1252", "signs alone"),
    ("Żółć i gęś: książka wyszła w Łodzi w roku 1931, a potem także w Krakowie.", "iso8859-2", "Polish"),
    ("東京は日本の首都であり、人口は千四百万人である。", "euc_jp", "Japanese"),
    ("東京は日本の首都であり、人口は千四百万人である。", "iso2022_jp", "Japanese of seven bits"),
    ("서울은 대한민국의 수도이며 인구는 천만 명이다.", "cp949", "Korean"),
    ("Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.", "iso8859-7", "Greek"),
    ("Bridge " * 20_000 + "Москва стала столицей страны в этом году.", "cp1251", "behind much ASCII"),
]


@pytest.mark.parametrize(("text", "codec", "why"), UNDECLARED)
def test_undeclared_encodings(text: str, codec: str, why: str) -> None:
    assert decode_body(text.encode(codec), "") == text, why


HOSTILE = {
    "all bytes": bytes(range(256)) * 10_000,
    "high bytes": b"\xe9 \xff" * 600_000,
    "escapes": b"\x1b$B" * 800_000,
    "open comments": b"<!--" * 600_000 + b"\xe9",
    "open attributes": b'<meta content="' * 160_000 + b"\xe9",
    "labels": b"<meta charset=gbk>" * 130_000 + b"\xe9",
    "cut UTF-8": b"\xc3" * 2_400_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_decoded_in_time(name: str) -> None:
    """Some 2 MB each in well under a second, whatever is declared."""
    started = time.process_time()
    for content_type in ("", "text/html; charset=utf-8,gbk,iso-2022-jp"):
        decode_body(HOSTILE[name], content_type).encode()
    assert time.process_time() - started < 3


@pytest.mark.parametrize("declared", [True, False])
def test_labelled_encodings(shared_data: Path, declared: bool) -> None:
    """All files decode as labelled, with their label in the header and with every label taken away."""
    wrong = []
    index = (shared_data / "data" / "encodings" / "index.jsonl").read_text(encoding="utf-8")
    for row in map(json.loads, index.splitlines()):
        body = gzip.decompress((shared_data / "data" / row["file"]).read_bytes())
        label = row["python_codec"]
        if not declared:
            body = re.sub(rb"charset|encoding\s*=", b"x", body, flags=re.I)
        decoded = decode_body(body, f"text/html; charset={label}" if declared else "text/html")
        if _letters(decoded) != _letters(body.decode(label, "replace")):
            wrong.append(row["file"])
    assert wrong == []


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("name", sorted({*aliases.values(), "idna", "punycode", "raw_unicode_escape", "undefined"}))
def test_no_codec_that_a_page_can_name_raises(name: str) -> None:
    """Whatever Python has under that name."""
    for body in (b"caf\xe9 hello", bytes(range(256)), b"\xff" * 9):
        assert decode_body(body, f"text/plain; charset={name}")
