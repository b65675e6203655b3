"""PDFs written byte by byte, so that tests know what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def pdf_file(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue. ``trailer`` is added to its dictionary."""
    body = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<</Size %d/Root 1 0 R%b>>\n" % (size, table, size, trailer)
    return bytes(body + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object."""
    return b"<</Length %d%b>>\nstream\n%b\nendstream" % (len(content), entries, content)


def text_pdf(pages: Sequence[str], *, title: str = "", trailer: bytes = b"") -> bytes:
    """A PDF with the lines of each page as they are, 14 points apart, in 12 points; ``!`` before one makes it 24."""
    return pdf_file(text_objects([page_content(text) for text in pages], title=title), _info(pages, title) + trailer)


def _info(pages: Sequence[str], title: str) -> bytes:
    return b"/Info %d 0 R" % (4 + 2 * len(pages)) if title else b""


def text_objects(contents: Sequence[bytes], *, title: str = "") -> list[bytes]:
    """Catalogue, page tree, font, then each page with its content, then the title."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(contents)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for at, content in enumerate(contents):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>"
            % (5 + 2 * at)
        )
        objects.append(stream(content))
    return [*objects, b"<</Title(%b)/CreationDate(D:20220403180542)>>" % title.encode("latin-1")] if title else objects


def page_content(text: str) -> bytes:
    """The operators that show the lines of a text. A blank line leaves a gap."""
    shown = []
    height = 740
    for line in text.split("\n"):
        size = 24 if line.startswith("!") else 12
        escaped = line.removeprefix("!").replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        if line:
            shown.append(f"BT /F {size} Tf 72 {height} Td ({escaped}) Tj ET")
        height -= size + 2
    return "\n".join(shown).encode("cp1252")


def encrypted_pdf(text: str, *, user_password: bytes) -> bytes:
    """One page, encrypted with RC4 of 40 bits (revision 2); its owner's password is the user's."""
    owner_key = hashlib.md5((user_password + _PADDING)[:32]).digest()[:5]
    owner = _rc4(owner_key, (user_password + _PADDING)[:32])
    key = hashlib.md5((user_password + _PADDING)[:32] + owner + b"\xfc\xff\xff\xff" + b"0123456789abcdef").digest()[:5]
    objects = text_objects([page_content(text)])
    objects[4] = stream(_rc4(hashlib.md5(key + b"\x05\x00\x00\x00\x00").digest()[:10], page_content(text)))
    entries = (b"<" + each.hex().encode() + b">" for each in (owner, _rc4(key, _PADDING), b"0123456789abcdef"))
    return pdf_file(objects, b"/Encrypt<</Filter/Standard/V 1/R 2/O %b/U %b/P -4>>/ID[%b<00>]" % tuple(entries))


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
