"""The text of a PDF, all its pages, with pdfium.

pdfium is not safe for threads and, fed with what is built to break it, ends its process: it runs in the extraction
workers alone, one document at a time, under their limits of time and memory.
"""

from __future__ import annotations

import ctypes
import math
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version

import pypdfium2
import pypdfium2.raw as pdfium

from veriscore_agent.adapters.pages.blocks import Block
from veriscore_agent.adapters.pages.bounds import UnreadablePageError
from veriscore_agent.adapters.pages.pdf_layout import Line, page_blocks, running_lines

MAX_PAGES = 5_000
"""Pages behind this are not read."""
_PYPDFIUM = version("pypdfium2")
_SMALLEST_FONT = 1.5
"""Points of height below which nobody can read a text."""
_BREAKS = re.compile("\r\n|[\r\n\ufffe]")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SPACE = re.compile(r"\s+")
_NO_TITLE = re.compile(r"(?:untitled|title|document\d*|slide \d+|microsoft word|powerpoint presentation)\W*", re.I)
_OF_A_PROGRAM = re.compile(r"^microsoft (?:word|powerpoint|excel) - ", re.I)
_FILE_NAME = re.compile(r"[^\s_]*_\S*|\S+\.[a-z]{2,5}", re.I)
_LONGEST_TITLE = 500


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says.

    It has no date: ``/CreationDate`` is the day on which this file was made, by scanning, converting or printing anew,
    and neither the first day on which its text was public nor the last one on which it was changed.
    """

    title: str
    main: tuple[Block, ...]
    periphery: tuple[Block, ...]
    """Running headers and footers with page numbers, each once."""
    extractor: str
    """``pypdfium2`` with its version and the number of pages: ``pypdfium2 5.15.2, 14 pages``."""


def read_pdf(body: bytes, *, max_characters: int, seconds: float = math.inf) -> PdfText:
    """The text of all pages, until there are ``max_characters`` or half of ``seconds`` have passed.

    What was cut is told in ``extractor`` (``20 of 300 pages``), pages that are broken as well. Raises
    UnreadablePageError for what is no PDF, or needs a password, or has no text.
    """
    start = body.find(b"%PDF-", 0, 1024 + len(b"%PDF-"))
    with closing(_opened(body[max(start, 0) :])) as document:
        count = len(document)
        pages = _read_pages(document, max_characters, time.monotonic() + seconds / 2)
        if not any(pages):
            raise UnreadablePageError(_without_text(count, len(pages)))
        running = running_lines(pages)
        main = page_blocks([[line for line in lines if line not in running] for lines in pages])
        title = _metadata_title(document) or _first_heading(main)
    extractor = f"pypdfium2 {_PYPDFIUM}, {_counted(len(pages), count)}"
    return PdfText(title, tuple(main), _once(line for lines in pages for line in lines if line in running), extractor)


def _counted(read: int, count: int) -> str:
    return f"{count} page{'s' * (count != 1)}" if read == count else f"{read} of {count} pages"


def _without_text(count: int, read: int) -> str:
    if not read:
        return "the PDF is broken: none of its pages could be read"
    return f"no visible text in the PDF ({_counted(read, count)}), perhaps a scan"


def _opened(body: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as problem:
        code = getattr(problem, "err_code", None)
        if code == pdfium.FPDF_ERR_PASSWORD:
            raise UnreadablePageError("the PDF is encrypted and needs a password") from None
        if code == pdfium.FPDF_ERR_SECURITY:
            raise UnreadablePageError("the PDF is encrypted in a way that is not supported") from None
        raise UnreadablePageError("the PDF is broken or cut off") from None


def _read_pages(document: pypdfium2.PdfDocument, max_characters: int, until: float) -> list[list[Line]]:
    """The lines of every page that could be read; none for the pages that are broken."""
    pages = []
    characters = 0
    for number in range(min(len(document), MAX_PAGES)):
        if characters > max_characters or time.monotonic() > until:
            break
        try:
            with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
                lines = list(_lines(page, textpage, number))
        except pypdfium2.PdfiumError:
            continue
        characters += sum(len(line.text) + 1 for line in lines)
        pages.append(lines)
    return pages


def _lines(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, number: int) -> Iterator[Line]:
    """The lines of a page in pdfium's reading order, but for those that are off the page or too small to be seen."""
    text = textpage.get_text_range(errors="surrogatepass")
    left, bottom, right, top = page.get_bbox()
    start = 0
    for end, after, is_hyphen in [*_ends(text), (len(text), len(text), False)]:
        words = _SPACE.sub(" ", _UNREADABLE.sub("\ufffd", text[start:end])).strip()
        if words and (box := _box(textpage, text, start, end)):
            line = Line(number, words, *box, hyphenated=is_hyphen)
            visible = line.left < right and line.right > left and line.bottom < top and line.top > bottom
            if visible and line.size >= _SMALLEST_FONT:
                yield line
        start = after


def _ends(text: str) -> Iterator[tuple[int, int, bool]]:
    for match in _BREAKS.finditer(text):
        yield match.start(), match.end(), match[0] == "\ufffe"


def _box(textpage: pypdfium2.PdfTextPage, text: str, start: int, end: int) -> tuple[float, float, float, float] | None:
    """Left, right, top and bottom of a line, by its first, middle and last character that is no space, if any is."""
    shown = [at for at in range(start, end) if not text[at].isspace()]
    if not shown:
        return None
    rect = pdfium.FS_RECTF()
    boxes: list[tuple[float, float, float, float]] = []
    for at in (shown[0], shown[len(shown) // 2], shown[-1]):
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage.raw, at)
        if pdfium.FPDFText_GetLooseCharBox(textpage.raw, index, ctypes.byref(rect)):
            boxes.append((rect.left, rect.right, rect.top, rect.bottom))
    if not boxes:
        return None
    # The middle character stands for the height: a line may begin with a bullet and end with a footnote's mark.
    _, _, top, bottom = boxes[len(boxes) // 2]
    return min(box[0] for box in boxes), max(box[1] for box in boxes), top, bottom


def _metadata_title(document: pypdfium2.PdfDocument) -> str:
    """The title that the file gives itself, unless it is what a program left there."""
    title = _SPACE.sub(" ", _UNREADABLE.sub("", document.get_metadata_value("Title")[:_LONGEST_TITLE])).strip()
    title = _OF_A_PROGRAM.sub("", title)
    return "" if _NO_TITLE.fullmatch(title) or _FILE_NAME.fullmatch(title) else title


def _first_heading(blocks: Sequence[Block]) -> str:
    """The first of the largest headings near the beginning, or nothing."""
    headings = [block for block in blocks[:20] if block.kind == "heading"]
    return min(headings, key=lambda block: block.level).text if headings else ""


def _once(lines: Iterator[Line]) -> tuple[Block, ...]:
    texts = dict.fromkeys(line.text for line in lines if any(map(str.isalpha, line.text)))
    return tuple(Block("paragraph", text, "furniture") for text in texts)
