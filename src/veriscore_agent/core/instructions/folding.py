"""Text as a language model may still read it, however it is written: one spelling for look-alikes and disguises."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0100-\U000e01ef\x00-\x08\x0e-\x1b\x7f*`~]"
)
"""Invisible characters, and the marks of emphasis that may stand inside a word."""
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)} | {0xE0001: "", 0xE007F: ""}
"""Invisible doubles of ASCII, which models read."""
_TAG = re.compile("[\U000e0000-\U000e007f]")
_MARKS = re.compile("[\u0300-\u036f]+")
_ALIKE = str.maketrans("авеікмнорстухѕјһԁɡӏαβεικνορτυχϲə", "abeikmhopctyxsjhdglabeikvoptuxce")
_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛′", "'") | dict.fromkeys("“”„‟″«»", '"'))
_MIXED = re.compile(r"(?<!\w)(?=\w*[a-z])(?=\w*[\u0250-\u052f])\w+")
_DIGITS = str.maketrans("013457@$", "oieastas")
_CODED = re.compile(r"(?<![\w@$])(?=[\w@$]*[a-z])(?=[\w@$]*[013457@$])[\w@$]{3,40}(?![\w@$])")
_SPELLED = re.compile(r"(?<!\w)(?:\w[ .\-_/]){2,}\w(?!\w)")
_SINGLE = re.compile(r"[ .\-_/]\w[ .\-_/]")
_DIGIT_IN_WORD = re.compile(r"[0-9@$](?:(?<=[^\W0-9].)|[\w@$]{0,40}[a-z])")
"""What the patterns above need, and is found sooner."""
_SEPARATOR = re.compile(r"[ .\-_/]")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4000}={0,2}")
_BLANK = re.compile(r"\s+")


def fold(text: str) -> str:
    """The text in lower case and on one line, without accents, invisible characters, emphasis and disguise.

    Undone are letters of another alphabet inside a word, digits for letters, letters one by one, invisible doubles of
    ASCII, and Base64, which is added at the end.
    """
    plain = _UNSEEN.sub("", _with_tags_read(text))
    decoded = [each for each in map(_decoded, _BASE64.findall(plain)) if each]
    plain = _without_accents(" ".join([plain, *decoded]))
    if _SINGLE.search(plain):
        plain = _SPELLED.sub(lambda match: _SEPARATOR.sub("", match[0]), plain)
    if not plain.isascii():
        plain = _MIXED.sub(lambda match: match[0].translate(_ALIKE), plain)
    if _DIGIT_IN_WORD.search(plain):
        plain = _CODED.sub(lambda match: match[0].translate(_DIGITS), plain)
    return _BLANK.sub(" ", plain.translate(_QUOTES)).strip()


def without_marks(text: str) -> str:
    """The text without accents and invisible characters, its case and disguises left: what ``fold`` begins with."""
    if text.isascii():
        return text
    return _MARKS.sub("", unicodedata.normalize("NFKD", _UNSEEN.sub("", _with_tags_read(text))))


def _with_tags_read(text: str) -> str:
    return text.translate(_TAGS) if _TAG.search(text) else text


def _without_accents(text: str) -> str:
    if text.isascii():
        return text.lower()
    stripped = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", stripped).casefold()


def _decoded(token: str) -> str:
    """What a token says in Base64, or nothing where it is only a long word."""
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() else ""
