"""Are the encodings and the PDFs of labelled files read right? ``benchmarks/pages.py`` measures with these functions.

    python benchmarks/page_formats.py [FOLDER OF THE LABELLED DATA]

Encodings (101 files in 47 encodings): a file is decoded as labelled where its characters are those that Python's codec
of its label gives, or those of what the label means to browsers (Encoding standard: ``shift_jis`` is read as
``windows-31j``, ``gb2312`` as ``gb18030``, ...). Once with the label in ``Content-Type``, once with every label in
header and markup taken away. Characters that no text has (control characters, lone surrogates) and spaces are left out.

Detection of ``cp1252`` (the pages of html_gold that are UTF-8, written anew in cp1252 without a label): how many are
read as that. These pages are no part of what detectors are tried on.

PDF (27 files): how many are read, and of these how many pages that have words that are to be seen gave them: nine of
ten of the words that pdfium finds on the page stand in the page's text. Files that are not read have a reason, printed.

The last line is one JSON object of the figures. Exit 1 where a figure is below its floor, 2 where the data is absent.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2

from veriscore_agent.adapters.pages.bounds import UnreadablePageError
from veriscore_agent.adapters.pages.decode import browsers_codec, decode_body
from veriscore_agent.adapters.pages.extract import extract_page

ENCODINGS_SHA256 = "7d849944c910d8dd0d3fe3c4132c8edfac0a1290991f4fd3e14e6ee4fd6ef929"
PDF_SHA256 = "b14411a74cd73e034028f17cdeb63f1bdeb7366c32c7cf60ad96773a32eb6648"
FLOORS = {"encodings declared": 101, "encodings undeclared": 101, "cp1252 pages": 283, "pdf read": 21, "pdf pages": 35}
"""What was measured."""
_LABEL = re.compile(rb"charset|encoding\s*=", re.I)
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff\ufffd ]")
_WORD = re.compile(r"[^\W_]{3,}")
_SHARE_OF_WORDS = 0.9


@dataclass(frozen=True)
class LabelledFile:
    """A file with the Python codec of its label."""

    name: str
    codec: str
    body: bytes


def main(folder: Path) -> int:
    """Print the figures; 0 where every floor is held."""
    data = folder / "data"
    if not (data / "encodings" / "index.jsonl").is_file() or not (data / "pdf").is_dir():
        print(f"no {data}/encodings and pdf; set LABELLED_DATA to the folder that holds data/", file=sys.stderr)
        return 2
    figures = {"encodings": measure_encodings(data), "pdf": measure_pdf(data)}
    print(json.dumps(figures))
    return int(not all(each["floors_held"] for each in figures.values()))


def measure_encodings(data: Path) -> dict[str, Any]:
    """Counts of files decoded as labelled, with the names of those that are not, and whether the floors are held."""
    files = list(labelled_files(data))
    with_label = [file.name for file in files if not _is_right(file, f"text/html; charset={file.codec}", file.body)]
    without = [file.name for file in files if not _is_right(file, "text/html", _LABEL.sub(b"x", file.body))]
    pages = list(_cp1252_pages(data))
    misread = sum(1 for page in pages if decode_body(page, "") != decode_body(page, "text/html; charset=cp1252"))
    for name in with_label + without:
        print(f"not as labelled: {name}")
    counts = {
        "encodings declared": len(files) - len(with_label),
        "encodings undeclared": len(files) - len(without),
        "cp1252 pages": len(pages) - misread,
    }
    known = _digest(data / "encodings", "index.jsonl") == ENCODINGS_SHA256
    return {"files": len(files), **counts, "of cp1252 pages": len(pages), **_held(counts, known)}


def labelled_files(data: Path) -> Iterator[LabelledFile]:
    """The files of ``encodings/index.jsonl``."""
    for line in (data / "encodings" / "index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield LabelledFile(row["file"], row["python_codec"], gzip.decompress((data / row["file"]).read_bytes()))


def _is_right(file: LabelledFile, content_type: str, body: bytes) -> bool:
    # What the label says of the very bytes that are read: taking labels away changes a few of them.
    wanted = {_characters(body.decode(name, "replace")) for name in (file.codec, browsers_codec(file.codec))}
    return _characters(decode_body(body, content_type)) in wanted


def _characters(text: str) -> str:
    return _NO_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _cp1252_pages(data: Path) -> Iterator[bytes]:
    index = data / "html_gold" / "index.jsonl"
    for line in index.read_text(encoding="utf-8").splitlines() if index.is_file() else ():
        body = gzip.decompress((data / "html_gold" / json.loads(line)["html"]).read_bytes())
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            continue
        page = _LABEL.sub(b"x", text.encode("cp1252", "ignore"))
        if not page.isascii():
            yield page


def measure_pdf(data: Path) -> dict[str, Any]:
    """Counts of files and pages that are read, the reasons of the others, and whether the floors are held."""
    files = sorted((data / "pdf").glob("*.pdf"))
    counts = {"pdf read": 0, "pdf pages": 0}
    pages = 0
    reasons: dict[str, str] = {}
    for file in files:
        body = file.read_bytes()
        try:
            text = extract_page(body, "", "application/pdf").text
        except UnreadablePageError as problem:
            reasons[file.name] = str(problem)
            print(f"not read: {file.name}: {problem}")
            continue
        found = [_is_in(words, text) for words in _words_by_page(body)]
        pages += len(found)
        counts["pdf read"] += 1
        counts["pdf pages"] += sum(found)
    known = _digest(data / "pdf", "*.pdf") == PDF_SHA256
    return {"files": len(files), **counts, "of pdf pages": pages, "not read": len(reasons), **_held(counts, known)}


def _words_by_page(body: bytes) -> list[list[str]]:
    with closing(pypdfium2.PdfDocument(body)) as document:
        texts = [document[number].get_textpage().get_text_bounded() for number in range(len(document))]
    return [words for text in texts if (words := _WORD.findall(text))]


def _is_in(words: list[str], text: str) -> bool:
    return sum(1 for word in words if word in text) >= _SHARE_OF_WORDS * len(words)


def _held(counts: dict[str, int], known: bool) -> dict[str, Any]:
    missed = [name for name, count in counts.items() if count < FLOORS[name]]
    return {"data_is_known": known, "missed": missed, "floors_held": not (known and missed)}


def _digest(folder: Path, pattern: str) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.glob(pattern)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent.parent / "shared"
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LABELLED_DATA", here))))
