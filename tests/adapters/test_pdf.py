"""PDFs: all their pages as readable text, and a clear reason where there is none."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from pathlib import Path

import pytest

from tests.loopback import Reply
from tests.page_site import SITE, Site, read
from tests.pdf_files import encrypted_pdf, page_content, pdf_file, stream, text_objects, text_pdf
from veriscore_agent.adapters.pages.bounds import UnreadablePageError
from veriscore_agent.adapters.pages.extract import MAX_TEXT_CHARACTERS, ExtractedPage, extract_page
from veriscore_agent.adapters.pages.extraction import ExtractionError, PageExtractor
from veriscore_agent.settings import Settings

THREE_PAGES = text_pdf(
    [
        "Journal of Bridges 7\n\n!The bridge over the Karl\n\nThe bridge was opened in 1931, and on that day many"
        " people\ncame to see it. It weighs 9,800 tonnes.\n\n1",
        "Journal of Bridges 8\n\nIts second arch was built by Anna Olsen after the war.\n\n2",
        "Journal of Bridges 9\n\nIn 1988 it was closed to cars.\n\n3",
    ],
)


def _read(body: bytes, content_type: str = "application/pdf") -> ExtractedPage:
    return extract_page(body, "https://a.example/a.pdf", content_type)


def test_all_pages_are_read() -> None:
    """Main text, heading and title from all pages, and what runs over all of them once, apart."""
    page = _read(THREE_PAGES)
    assert page.text[: page.main_chars].split("\n") == [
        "# The bridge over the Karl",
        "The bridge was opened in 1931, and on that day many people came to see it. It weighs 9,800 tonnes.",
        "Its second arch was built by Anna Olsen after the war.",
        "In 1988 it was closed to cars.",
    ]
    assert "Journal of Bridges 7" in page.text[page.main_chars :]
    assert page.title == "The bridge over the Karl"
    assert re.fullmatch(r"pypdfium2 [\d.]+, 3 pages", page.extractor)


LINES = [
    ("The longest line of this page is this one here, and the coun-\ncil met in 1931.", "the council met in", "hyphen"),
    (
        "The well-known bridge is a well-known one, which is the rea-\nson for it. And it is a very nice, well-\n"
        "known place.",
        "very nice, well-known place",
        "a hyphen of the word's own",
    ),
    ("He was the mayor of this large and lively town in the years 1914-\n1918.", "years 1914-1918", "of numbers"),
    ("The first paragraph ends with this line.\n\n\nThe second one begins.", "line.\nThe second", "paragraphs"),
    ("There are three kinds of bridges here:\n- arches\n- beams", "here:\n- arches\n- beams", "items"),
    ("One chapter and another . . . . . . . . 3\nThe third . . . . . . 4", "3\nThe third", "a table of contents"),
    ("Berlin 3,600,000 892\nParis 2,100,000 105", "892\nParis", "rows of a table"),
]


@pytest.mark.parametrize(("text", "expected", "why"), LINES)
def test_lines_become_blocks(text: str, expected: str, why: str) -> None:
    assert expected in _read(text_pdf([text])).text, why


def test_a_sentence_goes_on_over_pages() -> None:
    page = _read(text_pdf(["!Title\nThe bridge that was opened in the year", "1931 by the king is old.", "End."]))
    assert "in the year 1931 by the king" in page.text


def test_headers_that_differ_by_chapter_run_too() -> None:
    """They are told by the number of the page, which need not be counted from one."""
    bodies = ["A king was born.", "He built a bridge.", "It weighs a lot.", "Nobody crosses it."]
    heads = ["Oslo 117", "Oslo 118", "Bergen 119", "Molde 120"]
    page = _read(text_pdf([f"{head}\n\n{body}" for head, body in zip(heads, bodies, strict=True)]))
    assert page.text[: page.main_chars].split("\n") == bodies
    assert page.text[page.main_chars :].split() == " ".join(heads).split()


TITLES = [
    ("The History of Bridges", "The History of Bridges", "metadata"),
    ("Microsoft Word - History of Bridges", "History of Bridges", "a program's prefix"),
    ("untitled", "Heading", "no title"),
    ("report_final.docx", "Heading", "the name of a file"),
    ("", "Heading", "none"),
]


@pytest.mark.parametrize(("told", "expected", "why"), TITLES)
def test_title(told: str, expected: str, why: str) -> None:
    """The file's own title, or the first heading. The date on which the file was made is not one of publication."""
    page = _read(text_pdf(["!Heading\nThe bridge was opened in 1931 by the king of the land."], title=told))
    assert page.title == expected, why
    assert page.date is None


def test_a_password_that_is_empty_is_none() -> None:
    assert "opened in 1931" in _read(encrypted_pdf("The bridge was opened in 1931.", user_password=b"")).text


UNREADABLE = [
    (encrypted_pdf("The bridge was opened in 1931.", user_password=b"secret"), "encrypted and needs a password"),
    (b"%PDF-1.7\n", "broken or cut off"),
    (b"%PDF-1.7\n" + b"\x8b\x9f\xe2 no objects" * 100, "broken or cut off"),
    (text_pdf(["", ""]), r"no visible text in the PDF \(2 pages\), perhaps a scan"),
    (pdf_file([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]), "broken or cut off"),
    (b"Forbidden", "broken or cut off"),
]


@pytest.mark.parametrize(("body", "reason"), UNREADABLE)
def test_a_pdf_without_text_has_a_reason(body: bytes, reason: str) -> None:
    with pytest.raises(UnreadablePageError, match=reason):
        _read(body)


def test_a_pdf_whose_table_of_objects_is_wrong_is_read() -> None:
    """As one that went through a program for texts: the table is made anew."""
    assert "opened in 1931" in _read(THREE_PAGES.replace(b"\n", b"\r\n")).text


PAGE = b"<html><body><p>A PDF begins with %PDF-1.7 and has objects up to endobj.</p></body></html>"
LYING_TYPES = [
    (THREE_PAGES, "text/html; charset=utf-8", "9,800", "sent as HTML"),
    (THREE_PAGES, "application/octet-stream", "9,800", "sent as anything"),
    (THREE_PAGES, "text/plain", "9,800", "sent as text"),
    (b"\r\n\x00junk\x80" * 50 + THREE_PAGES, "application/pdf", "9,800", "junk before it"),
    (PAGE, "application/pdf", "A PDF begins", "HTML sent as PDF"),
    (PAGE, "text/html", "A PDF begins", "a page that speaks of PDFs"),
]


@pytest.mark.parametrize(("body", "content_type", "expected", "why"), LYING_TYPES)
def test_a_pdf_is_told_by_its_bytes(body: bytes, content_type: str, expected: str, why: str) -> None:
    assert expected in _read(body, content_type).text, why


def test_text_that_cannot_be_seen_is_left_out() -> None:
    """Outside of the page, or smaller than anyone can read."""
    hidden = b"\nBT /F 12 Tf 72 -300 Td (Off the page.) Tj ET\nBT /F 1 Tf 72 300 Td (Tiny letters.) Tj ET"
    page = _read(pdf_file(text_objects([page_content("The bridge was opened in 1931.") + hidden])))
    assert page.text == "The bridge was opened in 1931."


def test_a_long_pdf_is_cut_and_says_so() -> None:
    """One content stream shared by 4,000 pages: more text than is kept."""
    objects = text_objects([page_content("\n".join(f"Line {number} of this page, made long." for number in range(40)))])
    objects[1] = b"<</Type/Pages/Kids[%b]/Count 4000>>" % (b"4 0 R " * 4000)
    page = _read(pdf_file(objects))
    assert len(page.text) <= MAX_TEXT_CHARACTERS
    assert re.fullmatch(r"pypdfium2 [\d.]+, \d\d\d of 4000 pages", page.extractor)


def _flate_bomb() -> bytes:
    """A content stream of 2 kB that unfolds to a gigabyte."""
    packer = zlib.compressobj(1)
    once = b"".join(packer.compress(b" " * 1_000_000) for _ in range(1000)) + packer.flush()
    objects = text_objects([b""])
    objects[4] = stream(zlib.compress(once, 9), b"/Filter[/FlateDecode/FlateDecode]")
    return pdf_file(objects)


def _forms_within_forms(depth: int = 10, width: int = 10) -> bytes:
    """Each shows the next one ten times: ten thousand million lines from 3 kB."""
    objects = text_objects([b"/X Do " * width])
    objects[3] = objects[3].replace(b"<</Font", b"<</XObject<</X 6 0 R>>/Font")
    for number in range(7, 7 + depth):
        inner = b"/X Do " * width if number < 6 + depth else page_content("lol")
        resources = b"/Resources<</Font<</F 3 0 R>>/XObject<</X %d 0 R>>>>" % number
        objects.append(stream(inner, b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]" + resources))
    return pdf_file(objects)


def _deep_page_tree(depth: int = 20_000) -> bytes:
    nodes = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (number + 1) for number in range(2, 2 + depth)]
    return pdf_file([b"<</Type/Catalog/Pages 2 0 R>>", *nodes, b"<</Type/Page/MediaBox[0 0 612 792]>>"])


def _page_tree_in_a_circle() -> bytes:
    return pdf_file([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000000>>"])


def _million_pages() -> bytes:
    objects = text_objects([b""])
    objects[1] = b"<</Type/Pages/Kids[%b]/Count 1000000>>" % (b"4 0 R " * 1_000_000)
    return pdf_file(objects)


HOSTILE = [
    (_flate_bomb, "broke down|in time|no visible text"),
    (_forms_within_forms, "broke down|in time"),
    (_deep_page_tree, "broken"),
    (_page_tree_in_a_circle, "broken"),
    (_million_pages, "no visible text in the PDF \\(5000 of 1000000 pages\\)"),
]


@pytest.mark.anyio
async def test_a_hostile_pdf_ends_with_its_reason_and_the_next_page_is_read() -> None:
    """Within its time and the memory of its process."""
    async with PageExtractor(Settings(extraction_workers=1)) as extractor:
        for make, reason in HOSTILE:
            with pytest.raises(ExtractionError, match=reason):
                await extractor.extract(make(), "https://a.example/a.pdf", "application/pdf", 1.5)
        page = await extractor.extract(THREE_PAGES, "https://a.example/a.pdf", "application/pdf", 20.0)
        assert "9,800" in page.text


@pytest.mark.anyio
async def test_the_ledger_tells_how_a_pdf_was_read() -> None:
    """With its pages, or with the reason for which there is no text."""
    pdf = {"Content-Type": "application/pdf"}
    reading = await read(Site({"/a": Reply(200, {"Content-Type": "text/html"}, THREE_PAGES)}), f"{SITE}/a")
    assert reading.page is not None
    assert reading.visit.extractor.endswith(", 3 pages")
    scan = await read(Site({"/a": Reply(200, pdf, text_pdf(["", ""]))}), f"{SITE}/a")
    assert "perhaps a scan" in scan.visit.reason


def test_labelled_files(shared_data: Path) -> None:
    """Every file is read, with the number of its pages, or has its reason."""
    counts = {"026-latex-multicolumn__multicolumn.pdf": 3, "004-pdflatex-4-pages__pdflatex-4-pages.pdf": 4}
    unread = {}
    for file in sorted((shared_data / "data" / "pdf").glob("*.pdf")):
        try:
            page = _read(file.read_bytes())
        except UnreadablePageError as problem:
            unread[file.name[:3]] = str(problem)
        else:
            assert page.text
            assert f", {counts.get(file.name, '')}" in page.extractor
    assert set(unread) <= {"005", "007", "019"}, "an encrypted one, images"
    assert "password" in unread["005"]
    assert "perhaps a scan" in unread["019"]


def test_a_damaged_file_is_read_or_has_its_reason() -> None:
    """Whatever bytes are changed: never another exception."""
    whole = text_pdf(["The bridge opened in 1932. " * 5, "It is made of steel. " * 5], title="A bridge")
    chance = random.Random(3)
    ends: Counter[bool] = Counter()
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 5, 20))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            _read(bytes(damaged))
            ends[True] += 1
        except UnreadablePageError:
            ends[False] += 1
    assert min(ends[True], ends[False]) > 5


def test_a_line_of_control_characters_is_none() -> None:
    assert "The bridge opened." in _read(text_pdf(["\x1c\x1d\x1e", "The bridge opened."])).text
