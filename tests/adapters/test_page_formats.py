"""What a body is, whatever it is called, and the text of those that are no HTML."""

from __future__ import annotations

import gzip
import io
import json
import random
import time
import zipfile
from contextlib import suppress

import pytest

from veriscore_agent.adapters.pages.bounds import UnreadablePageError
from veriscore_agent.adapters.pages.extract import extract_page
from veriscore_agent.adapters.pages.kinds import BodyKind, body_kind, why_unread

HTML = b"<!DOCTYPE html><html><body><p>The bridge weighs 9,800 tonnes.</p></body></html>"
XHTML = b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0">' + HTML[15:]
RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News of bridges</title>
<item><title>A bridge is opened</title>
<description><![CDATA[<p>It weighs <b>9,800</b> tonnes.</p>]]></description></item>
<item><title>A bridge &amp; a king</title>
<description>&lt;p&gt;The &lt;a href="x"&gt;king&lt;/a&gt; came.&lt;/p&gt;</description></item></channel></rss>"""
PROSE = b"The bridge weighs 9,800 tonnes and was opened in 1931."


def _office_file() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "<w:document/>")
    return buffer.getvalue()


KINDS: list[tuple[bytes, str, BodyKind, str]] = [
    (HTML, "application/pdf", "html", "HTML by any name"),
    (HTML, "image/png", "html", "HTML by any name"),
    (HTML, "application/json", "html", "HTML by any name"),
    (HTML.decode().encode("utf-16"), "application/octet-stream", "html", "in UTF-16"),
    (b"\xef\xbb\xbf" + HTML, "text/plain", "html", "behind a byte order mark"),
    (XHTML, "application/xhtml+xml", "html", "XHTML with its prolog"),
    (XHTML, "text/xml", "html", "XHTML sent as XML"),
    (RSS, "application/rss+xml", "xml", "a feed"),
    (RSS, "text/html", "xml", "a feed sent as HTML"),
    (b"<svg xmlns='x'><text>9,800</text></svg>", "image/svg+xml", "other", "a drawing"),
    (b'{"weight": 9800}', "application/json", "json", "JSON"),
    (b'{"weight": 9800}', "application/ld+json", "json", "JSON"),
    (b'[{"weight": 9800}]', "text/html", "json", "JSON sent as HTML"),
    (b"[1] The bridge was opened in 1931.", "text/plain", "text", "a note is no JSON"),
    (b"# Bridges\n\nIt weighs 9,800 tonnes.", "text/markdown", "text", "Markdown"),
    (PROSE, "text/html", "text", "HTML without a tag"),
    (PROSE, "application/octet-stream", "text", "text by no name"),
    (b"a,b\n1,2", "text/csv", "table", "CSV"),
    (b"body { color: red }", "text/css", "other", "a style sheet"),
    (b"let weight = 9800;", "text/javascript", "other", "a script"),
    (b"\xff\xd8\xff\xe0\x00\x10JFIF", "text/html", "other", "JPEG"),
    (b"ID3\x03\x00\x00" + bytes(50), "text/plain", "other", "MP3"),
    (b"\x00\x00\x00\x18ftypmp42", "text/html", "other", "MP4"),
    (gzip.compress(HTML, mtime=0), "text/html", "other", "packed twice"),
    (_office_file(), "text/plain", "other", "a document of an office program"),
    (b"{\\rtf1\\ansi The bridge}", "text/plain", "other", "RTF"),
    (b"ID3 tags were introduced in 1996.", "text/plain", "text", "words like a signature"),
    ("The bridge, 9,800 tonnes".encode("utf-16-le"), "text/plain", "text", "UTF-16 without a mark"),
    ("東京は日本の首都である".encode("iso2022_jp"), "text/plain", "text", "an encoding with escapes"),
]


@pytest.mark.parametrize(("body", "content_type", "kind", "why"), KINDS, ids=[row[-1] for row in KINDS])
def test_kinds(body: bytes, content_type: str, kind: BodyKind, why: str) -> None:
    assert body_kind(body, content_type) == kind, why


@pytest.mark.parametrize("content_type", ["text/html", "text/plain", "application/json", "text/xml", ""])
def test_random_bytes_are_binary(content_type: str) -> None:
    """Whatever they are called."""
    source = random.Random(7)
    assert {body_kind(source.randbytes(2_000), content_type) for _ in range(200)} == {"other"}


REASONS = [
    ("text/html; charset=utf-8", "no text is read from binary content sent as text/html"),
    ("image/png", "no text is read from image/png"),
    ("text/css", "no text is read from text/css"),
    ("", "no text is read from binary content"),
]


@pytest.mark.parametrize(("content_type", "reason"), REASONS)
def test_why_a_body_is_not_read(content_type: str, reason: str) -> None:
    assert why_unread(content_type) == reason


def _lines(body: bytes | str, content_type: str) -> list[str]:
    return extract_page(body.encode() if isinstance(body, str) else body, "", content_type).text.split("\n")


WRAPPED = """                     THE BRIDGE

   It was opened in the year 1931, as all who were there have told us in
the letters that they wrote, by the king and by a very, very long-
standing friend of his.  Many came.

He said that it weighs 9,800 tonnes, and that no other bridge over the
river is as heavy.

Shall I compare thee to a summer's day, as I have never done?
Thou art more lovely and more temperate than all the others:
Rough winds do shake the darling buds of May, and of the June,
And summer's lease hath all too short a date for all of us;

* an item that is so long that it has to be broken over two lines, as this
  one here
* an item

Anna Olsen
12 Main Street
Oslo

City          People
Oslo          700,000
"""


def test_hard_wrapped_text_is_joined() -> None:
    """Sentences are whole, while verses, items, addresses and tables keep their lines."""
    assert _lines(WRAPPED, "text/plain") == [
        "THE BRIDGE",
        "It was opened in the year 1931, as all who were there have told us in the letters that they wrote, by the "
        "king and by a very, very long-standing friend of his. Many came.",
        "He said that it weighs 9,800 tonnes, and that no other bridge over the river is as heavy.",
        "Shall I compare thee to a summer's day, as I have never done?",
        "Thou art more lovely and more temperate than all the others:",
        "Rough winds do shake the darling buds of May, and of the June,",
        "And summer's lease hath all too short a date for all of us;",
        "* an item that is so long that it has to be broken over two lines, as this one here",
        "* an item",
        "Anna Olsen",
        "12 Main Street",
        "Oslo",
        "City People",
        "Oslo 700,000",
    ]


def test_text_with_a_line_a_paragraph_stays() -> None:
    long = "The bridge was opened in 1931, and many people came to see it on that cold and windy morning. " * 3
    assert _lines(f"{long}\n{long}", "text/plain") == [long.strip()] * 2


def test_json_says_what_its_values_are() -> None:
    record = {
        "name": "Oslo",
        "people": 700000,
        "mayor": {"name": "Anna", "since": 2019},
        "parts": ["Sagene", "Frogner"],
    }
    assert _lines(json.dumps([record, {"name": "Bergen", "note": None, "is_port": True}]), "application/json") == [
        "name: Oslo | people: 700000",
        "name: Anna | since: 2019",
        "parts: Sagene, Frogner",
        "name: Bergen | is_port: true",
    ]
    assert _lines('{"cut": "off', "application/json") == ['{"cut": "off'], "no JSON after all"


def test_csv_says_what_its_cells_are() -> None:
    assert _lines('City,People\nOslo,"700,000"\nBergen,290000\n', "text/csv") == [
        "City | People",
        "City: Oslo | People: 700,000",
        "City: Bergen | People: 290000",
    ]
    assert _lines("City\tPeople\nOslo\t700000\n", "text/tab-separated-values")[1] == "City: Oslo | People: 700000"


def test_a_feed_is_read_item_by_item() -> None:
    """What it quotes, as CDATA or escaped, is HTML."""
    page = extract_page(RSS, "", "application/rss+xml")
    assert page.title == "News of bridges"
    assert page.text.split("\n")[1:] == [
        "A bridge is opened",
        "It weighs 9,800 tonnes.",
        "A bridge & a king",
        "The king came.",
    ]


HOSTILE = {
    "open CDATA": (b"<rss>" + b"<![CDATA[" * 300_000, "text/xml"),
    "open tags": (b"<rss>" + b"<title " * 400_000, "text/xml"),
    "escaped tags": (b"<rss>" + b"&lt;a " * 400_000, "text/xml"),
    "nested elements": (b"<?xml version='1.0'?>" + b"<a>" * 700_000, "text/xml"),
    "entities": (b"<!DOCTYPE a [<!ENTITY b '" + b"&b;" * 1000 + b"'>]><a>&b;</a>", "text/xml"),
    "nested lists": (b"[" * 1_000_000, "application/json"),
    "one line": (b"word " * 600_000, "text/plain"),
    "white space": (b"a" + b" " * 2_000_000 + b"b", "text/plain"),
    "commas": (b"," * 2_000_000, "text/csv"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends_in_time(name: str) -> None:
    body, content_type = HOSTILE[name]
    started = time.process_time()
    with suppress(UnreadablePageError):
        extract_page(body, "", content_type)
    assert time.process_time() - started < 5
