"""What two texts are compared by: words without case, accents and endings, numbers, and pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_STOP_TEXT = """a an and are as at be been but by for from had has have he her him his how i in is it its nor not of on
or our she so such than that the their them then there these they this those to was we were what when where which while
who will with would you your"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())
# Scripts that do not part words by spaces, or glue particles to them.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_TERM = re.compile(rf"(\d+(?:[.,]\d+)*)|([{_UNSPACED}]+)|([^\W\d_{_UNSPACED}]+)")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")
_MARKS = re.compile(r"[\u0300-\u036f]+")
_ENDINGS = ("edly", "ing", "ed", "es", "ly", "s")


def terms(text: str) -> list[str]:
    """The terms of a text in order, stop words left out.

    ``Zürich`` and ``zurich``, ``9,800`` and ``9.800``, ``opened`` and ``opening`` are the same term; a run of Chinese,
    Japanese, Korean, Thai, Lao, Khmer or Burmese gives its pairs of characters.
    """
    found: list[str] = []
    for number, run, word in _TERM.findall(_folded(text)):
        if word:
            if word not in _STOP_WORDS:
                found.append(_stem(word))
        elif number:
            found.append(_THOUSANDS.sub("", number).replace(",", "."))
        else:
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return found


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", unicodedata.normalize("NFKC", _MARKS.sub("", unicodedata.normalize("NFKD", text)))).casefold()


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
