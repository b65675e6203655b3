"""What two texts are compared by: words without case, accents and endings, numbers, and pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

_STOP_TEXT = """a an and are as at be been but by for from had has have he her him his how i in is it its of on
or our she so such than that the their them then there these they this those to was we were what when where which while
who will with would you your"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())
# Scripts that do not part words by spaces, or glue particles to them.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_ACCENTS = "\u0300-\u036f"
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_NUMBER = rf"\d\d\d\d-\d\d?-\d\d?(?!\d)|\d+(?:[.,]\d+)*(?:[ \u00a0](?:{'|'.join(_SCALES)})\b)?"
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_TOKEN = re.compile(rf"{_LETTER}+(?:[{_ACCENTS}]+{_LETTER}*)*|{_NUMBER}|[{_UNSPACED}]+", re.IGNORECASE)
_ASCII_TOKEN = re.compile(rf"[a-z]+|{_NUMBER}")
"""The same, faster, for lower case without accents: most text by far."""
_DATE = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)")
_RUN = re.compile(rf"[{_UNSPACED}]")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")
_MARKS = re.compile(rf"[{_ACCENTS}]+")
_ENDINGS = ("ingly", "edly", "ings", "ing", "ied", "ies", "ed", "es", "ly", "s")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_TEXT = "january february march april may june july august september october november december"
_NUMBER_TEXT = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_ORDINAL_TEXT = "first second third fourth fifth sixth seventh eighth ninth tenth"
_SAME = (
    dict(zip(_MONTH_TEXT.split(), _MONTHS, strict=True))
    | {"sept": "sep"}
    | {word: str(number) for text in (_NUMBER_TEXT, _ORDINAL_TEXT) for number, word in enumerate(text.split(), 1)}
)
"""Words that are written in another way as often: months and small numbers."""


def terms(text: str) -> list[str]:
    """The terms of a text in order, stop words left out.

    ``Zürich`` and ``zurich``, ``9,800`` and ``9.800``, ``opened`` and ``opening``, ``seven`` and ``7``,
    ``1.5 million`` and ``1,500,000 (million)``, ``2014-03-03`` and ``3 March 2014`` (but for the order) are the same;
    a run of Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese gives its pairs of characters.
    """
    tokens = _ASCII_TOKEN.findall(text.lower()) if text.isascii() else _TOKEN.findall(text)
    return list(chain.from_iterable(map(_terms_of, tokens)))


def is_number(term: str) -> bool:
    """Whether a term was written with digits, or as a small number."""
    return term[0].isdigit()


@lru_cache(maxsize=100_000)
def _terms_of(token: str) -> tuple[str, ...]:
    """The terms of what ``_TOKEN`` takes for one; compatibility forms may unfold to several."""
    if token.isascii():
        return tuple(_plain_terms(token.lower()))
    return tuple(term for each in _TOKEN.findall(_folded(token)) for term in _plain_terms(each))


def _plain_terms(token: str) -> Sequence[str]:
    if token[0].isdigit():
        return _number_terms(token)
    if not token.isascii() and _RUN.match(token):
        return [token[at : at + 2] for at in range(max(1, len(token) - 1))]
    return () if token in _STOP_WORDS else (_SAME.get(token) or _stem(token),)


def _number_terms(token: str) -> list[str]:
    if date := _DATE.fullmatch(token):
        year, month, day = map(int, date.groups())
        return [str(year), _MONTHS[month - 1] if 1 <= month <= 12 else str(month), str(day)]
    digits, _, scale = token.replace("\u00a0", " ").partition(" ")
    number = _THOUSANDS.sub("", digits).replace(",", ".")
    if not scale:
        return [number]
    whole, _, part = number.partition(".")
    places = _SCALES[scale]
    exact = "." not in part and len(part) <= places
    return [(whole + part.ljust(places, "0")).lstrip("0") or "0" if exact else number, _stem(scale)]


def _folded(text: str) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFKC", _MARKS.sub("", unicodedata.normalize("NFKD", text)))).casefold()


def _stem(word: str) -> str:
    if word.endswith(_ENDINGS):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
    if len(word) > 4 and word[-1] in "ey":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word
