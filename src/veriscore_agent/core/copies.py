"""Whether a page holds the answer's own text: it was copied from there, or the answer was published there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from veriscore_agent.core.sentences import split_sentences

RUN_WORDS = 50
"""So many words in a row, word for word, are no coincidence and no ordinary quotation."""
SENTENCE_WORDS = 8
"""A shorter sentence may well be written twice."""
LEAST_WORDS = 20
"""What must be found of a short answer at least."""

# A character of a script without spaces is a word.
_WORD = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\\W_]+")
_HALF = RUN_WORDS // 2


def is_copy(page_text: str, answer_text: str) -> bool:
    """Whether the page holds a run of 50 words of the answer, or most of its words in whole sentences.

    Case, punctuation, white space and line breaks do not matter.
    """
    answer = _words(answer_text)
    if len(answer) < LEAST_WORDS:
        return False
    page = _joined(_words(page_text))
    return _has_run(page, answer) or _has_most_sentences(page, answer_text, len(answer))


def _has_run(page: str, answer: list[str]) -> bool:
    """Each run of 50 words holds one whole block of 25 that begins at a multiple of 25."""
    for block in range(0, len(answer) - _HALF + 1, _HALF):
        if _joined(answer[block : block + _HALF]) in page:
            starts = range(max(0, block - _HALF), min(block, len(answer) - RUN_WORDS) + 1)
            if any(_joined(answer[start : start + RUN_WORDS]) in page for start in starts):
                return True
    return False


def _has_most_sentences(page: str, answer_text: str, answer_words: int) -> bool:
    found = sum(len(words) for words in _sentences(answer_text) if _joined(words) in page)
    return found >= LEAST_WORDS and found * 2 > answer_words


def _sentences(text: str) -> Iterator[list[str]]:
    for sentence in split_sentences(text):
        words = _words(sentence.text)
        if len(words) >= SENTENCE_WORDS:
            yield words


def _words(text: str) -> list[str]:
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _WORD.findall(folded)


def _joined(words: list[str]) -> str:
    """One blank around each word, so that a part of a word is not found."""
    return f" {' '.join(words)} "
