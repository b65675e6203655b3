"""Finding a model's quote in the text that it claims to quote.

Both sides are compared after Unicode and white-space normalisation (NFKC; one kind of quotation mark, dash and
ellipsis; invisible characters gone; a run of white space is one space). Case, words, digits and inner punctuation must
be the text's own. The span is one of the original text, so that it can be shown there.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

MIN_QUOTE_CHARACTERS = 3
"""Letters and digits that a quote, and each piece of one with an ellipsis, must have at least. A character of a script
without spaces counts twice: two make a word."""

MAX_ELLIPSIS_GAP = 200
"""Characters that an ellipsis inside a quote may stand for. More could join what the text keeps apart."""

_INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f"
    "\x00-\x08\x0e-\x1b\x7f\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_BLANK = re.compile(rf"[\s{_INVISIBLE}]+")
# An ASCII run leaves its last character to "." where a combining mark may follow.
_TOKENS = re.compile(rf"[!-~]+(?![^\x00-\x7f])|[\s{_INVISIBLE}]+|.", re.DOTALL)
_SPACE = re.compile(r"\s")
_PLAIN = str.maketrans(
    dict.fromkeys("‘’‚‛′‵ʼʹ´`＇", "'")
    | dict.fromkeys("“”„‟″‶«»〝〞＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    | {"…": "...", "⋯": "...", "⁄": "/", "∕": "/"}
    | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
)
_ELLIPSIS = re.compile(r"\s*(?:\[\s*\.{3,}\s*\]|\(\s*\.{3,}\s*\)|\.{3,})\s*")
_OUTER = " \"'.,;:!?"
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that do not put spaces between words, or that join particles to them: a quote may begin inside a run."""


@dataclass(frozen=True, slots=True)
class _Normalised:
    """Normalised text with the span in the original that each of its characters came from."""

    text: str
    starts: array[int]
    ends: array[int]


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """The span ``(start, end)`` of ``quote`` in ``text``, or None where it is not there.

    The quotation marks and closing punctuation that a model puts around a quote do not count. A quote must begin and
    end where words and numbers do ("12" is not in "12,000", nor "art" in "party"). Where a quote with an ellipsis is
    not there as it stands, each of its pieces must be, in order, at most MAX_ELLIPSIS_GAP characters apart. A quote of
    fewer than MIN_QUOTE_CHARACTERS letters and digits is never found.
    """
    wanted = _clean_ends(_normalise(quote).text)
    if not _substantial(wanted):
        return None
    source = _normalise(text)
    span = next(_occurrences(wanted, source.text), None) or _locate_pieces(wanted, source.text)
    return (source.starts[span[0]], source.ends[span[1] - 1]) if span else None


def _normalise(text: str) -> _Normalised:
    pieces: list[str] = []
    starts, ends = array("q"), array("q")
    for start, end, piece in _pieces(text):
        pieces.append(piece)
        if len(piece) == end - start:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(piece))
            ends.extend([end] * len(piece))
    return _Normalised("".join(pieces), starts, ends)


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans of the original with what each becomes. A character and its combining marks stay together."""
    after_space = False
    position = 0
    while match := _TOKENS.match(text, position):
        start, end = match.span()
        token = match[0]
        if _BLANK.fullmatch(token):
            piece = " " if _SPACE.search(token) and not after_space else ""
        else:
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            piece = _fold(text[start:end])
        position = end
        if piece:
            after_space = piece.endswith(" ")
            yield start, end, piece


def _fold(token: str) -> str:
    if token.isascii():
        return token.replace("`", "'")
    plain = unicodedata.normalize("NFKC", token.translate(_PLAIN)).translate(_PLAIN)
    return _SPACE.sub(" ", plain)


def _clean_ends(quote: str) -> str:
    """The quote without what a model may put around it: marks, an ellipsis, closing punctuation."""
    quote = quote.strip().lstrip("\"'").strip()
    quote = re.sub(r"^(?:\[\.{3,}\]|\(\.{3,}\)|\.{3,})\s*", "", quote)
    quote = re.sub(r"\s*(?:\[\.{3,}\]|\(\.{3,}\))[\"'\s.]*$", "", quote)
    return quote.lstrip("\"' ").rstrip(_OUTER)


def _substantial(piece: str) -> bool:
    return sum(map(str.isalnum, piece)) + len(_UNSPACED.findall(piece)) >= MIN_QUOTE_CHARACTERS


def _occurrences(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if _word_starts(text, start) and _word_ends(text, end):
            yield start, end
        start = text.find(wanted, start + 1)


def _word_starts(text: str, start: int) -> bool:
    before, first = text[max(0, start - 1) : start], text[start]
    if first.isdigit() and before and before in ".,-":
        further = text[max(0, start - 2) : start - 1]
        return further.isalnum() if before == "-" else not further.isdigit()
    return not (before.isalnum() and first.isalnum()) or _between_scripts(before, first)


def _word_ends(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end : end + 1]
    if last.isdigit() and after and after in ".,":
        return not text[end + 1 : end + 2].isdigit()
    return not (last.isalnum() and after.isalnum()) or _between_scripts(last, after)


def _between_scripts(left: str, right: str) -> bool:
    """Whether a word may end between two letters: one is of a script without spaces, and no number is cut."""
    return bool(_UNSPACED.match(left) or _UNSPACED.match(right)) and not (left.isdigit() and right.isdigit())


def _locate_pieces(wanted: str, text: str) -> tuple[int, int] | None:
    pieces = [piece.strip() for piece in _ELLIPSIS.split(wanted)]
    if len(pieces) < 2 or not all(map(_substantial, pieces)):
        return None
    chains = list(_occurrences(pieces[0], text))
    for piece in pieces[1:]:
        chains = _join(chains, list(_occurrences(piece, text)))
    return chains[0] if chains else None


def _join(chains: list[tuple[int, int]], nexts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each next piece joined to the nearest chain that ends before it, where that is near enough. Both are in order."""
    joined: list[tuple[int, int]] = []
    nearest: tuple[int, int] | None = None
    waiting = iter(chains)
    candidate = next(waiting, None)
    for start, end in nexts:
        while candidate and candidate[1] <= start:
            nearest, candidate = candidate, next(waiting, None)
        if nearest and start - nearest[1] <= MAX_ELLIPSIS_GAP:
            joined.append((nearest[0], end))
    return joined
