"""Whether a quote speaks of the part of a claim that it is brought for.

A quote is a stretch of a sentence, and a sentence leans on what stands around it: "He never succeeded" has its name in
a sentence before, a table row in the title. So the quote is read as the sentences that it lies in, in their place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import sentencex

from veriscore_agent.core.verification.words import NEGATIONS, UNSPACED, Vocabulary, Word, content_words, words

_FEWEST_CHARACTERS_OF_A_SUBJECT = 5
_MOST_OF_A_SENTENCE = 3
"""So many times the words that it shares with a part may a sentence have that says what the part says."""
_LIGHT_WORDS = "may might could can possibly perhaps must should cause causes caused"
_LIGHT = frozenset(_LIGHT_WORDS.split())
"""Content words that any sentence may hold."""
_MONTH_NAMES = """
january february march april may june july august september october november december januar februar marz mai
juni juli oktober dezember janvier fevrier mars avril juin juillet aout septembre octobre decembre enero febrero
marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
"""
_MONTHS = frozenset(_MONTH_NAMES.split())
_MAGNITUDES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:([.  ’'])\d{3})(?:\1\d{3})*(?![\d.,]\d)")
_GROUPERS = re.compile(r"\D")
_PLAIN_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_UNSPACED_RUN = re.compile(f"{UNSPACED.pattern}+")
_LESS = re.compile(r"(?!unless|regardless|nevertheless|nonetheless)[a-z]{3,}less")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A quote in its place."""

    quote: str
    sentences: str
    """The sentences that it lies in, or a whole table row or title."""
    piece: str
    """The whole piece of evidence, with its title and the headings above."""
    title: str = ""


def surroundings(text: str, title: str, span: tuple[int, int]) -> Surroundings:
    """Where ``text[span]`` stands in a piece of evidence."""
    start, end = _widened(text, *span)
    return Surroundings(text[slice(*span)], text[start:end].strip(), f"{title}\n{text}", title)


def speaks_of(part: str, place: Surroundings) -> bool:
    """Whether a quote that stands in ``place`` speaks of ``part``.

    It does if its sentences share a number or a date with the part, two of its names (one may be the title's), or one
    and something else (a content word, a denial), or half of its content words. If they share but some content word,
    what is missing may come from the piece that they stand in. One name is soon told, and a page about it has the
    other words anyway: it is enough only for a part that has nothing else.
    """
    if _is_one_name(part, place.quote):
        return False
    wanted = _Wanted(part)
    said = _Said(place.sentences)
    shared = wanted.shared(said)
    if not shared:
        return _shares_unspaced(part, place.sentences)
    if wanted.says_more_than_names() and names_alone(part, place.sentences):
        return False
    if shared <= wanted.names and wanted.rest and not _shares_unspaced(part, place.sentences):
        return wanted.has_several_names(shared, wanted.shared(_Said(place.title))) or (
            _denies(words(part)) and _denies(words(place.sentences))
        )
    return wanted.is_met_by(shared) or wanted.is_met_by(wanted.shared(_Said(place.piece)))


def says_half(part: str, place: Surroundings) -> bool:
    """Whether the sentences of a quote hold half of the content words of ``part``, and little else.

    Two of them must be no names or numbers: these are soon told.
    """
    wanted = _Wanted(part)
    shared = wanted.shared(_Said(place.sentences))
    is_short = len({word.key for word in content_words(words(place.sentences))}) <= _MOST_OF_A_SENTENCE * len(shared)
    return is_short and wanted.is_half(shared) and sum(not key[0].isdigit() for key in shared & wanted.rest) > 1


def shares_no_word(part: str, place: Surroundings) -> bool:
    """Whether the sentences of a quote share with ``part`` no content word, but names and numbers alone."""
    wanted = _Wanted(part)
    shared = wanted.shared(_Said(place.sentences)) - wanted.names
    return all(key[0].isdigit() for key in shared) and not _shares_unspaced(part, place.sentences)


def names_alone(part: str, text: str) -> bool:
    """Whether ``text`` has no content word beside names and numbers of ``part``: it says nothing of them."""
    found = [*words(part), *_numbers(part)]
    known = Vocabulary(
        word for position, word in enumerate(found) if word.key[0].isdigit() or _is_name(found, position)
    )
    return all(known.holds(word) for word in content_words(words(text)))


def _is_one_name(part: str, quote: str) -> bool:
    """Whether ``quote`` is a name that ``part`` has in one stretch."""
    said = {word.key for word in content_words(words(quote))}
    return bool(said) and any(said <= name for name in _names(words(part)))


def _names(found: list[Word]) -> list[frozenset[str]]:
    """The names of a part, each a stretch of words: "Marie Curie" is one."""
    marked = [word.key if _is_name(found, position) else "" for position, word in enumerate(found)]
    return [frozenset(run.split()) for run in " ".join(marked).split("  ")]


def _denies(found: list[Word]) -> bool:
    """Whether words deny: "without dialogue", "wordless"."""
    return any(word.key in NEGATIONS or _LESS.fullmatch(word.key) for word in found)


class _Said:
    """Words of a text, with the other ways to write its numbers."""

    def __init__(self, text: str) -> None:
        self._words = Vocabulary([*words(text), *_numbers(text)])

    def holds(self, word: Word) -> bool:
        return self._words.holds(word)


class _Wanted:
    """What a part says, to be looked for."""

    def __init__(self, part: str) -> None:
        found = [*words(part), *_numbers(part)]
        self._words = [word for word in content_words(found) if word.key not in _LIGHT]
        self._each_name = _names(found)
        self.names = frozenset[str]().union(*self._each_name)
        self._keys = {word.key for word in self._words}
        self.rest = self._keys - self.names
        """Keys of what is no name."""

    def says_more_than_names(self) -> bool:
        """Whether there are content words beside names and numbers."""
        return any(not key[0].isdigit() for key in self.rest)

    def shared(self, said: _Said) -> set[str]:
        return {word.key for word in self._words if said.holds(word)}

    def has_several_names(self, shared: set[str], in_title: set[str]) -> bool:
        """Whether a sentence shares two names, or tells one of a page whose title has another."""
        told = {name for name in self._each_name if name & shared}
        titled = {name for name in self._each_name if name & in_title}
        return len(told) > 1 or (len(told | titled) > 1 and not told <= titled)

    def is_met_by(self, shared: set[str]) -> bool:
        numbers = {key for key in shared if key[0].isdigit()}
        if shared & self.names or any(len(key) > 1 for key in numbers):
            return True
        # A number of one digit is found anywhere: beside something else it counts.
        return (bool(numbers) and len(shared) > 1) or self.is_half(shared)

    def is_half(self, shared: set[str]) -> bool:
        """Whether so much of what is wanted is shared."""
        return len(shared) >= _half(len(self._keys))


def _half(count: int) -> int:
    """Half of so many words, of more than three rounded down."""
    return max(1, count // 2 if count > 3 else -(-count // 2))


def _is_name(found: list[Word], position: int) -> bool:
    """Whether a word of a part is a name, or the subject that the part begins with."""
    word = found[position]
    if not word.is_name or word.key in _MONTHS or word not in content_words(found):
        return False
    follows = position + 1 < len(found) and found[position + 1].is_name
    return position > 0 or follows or len(word.key) >= _FEWEST_CHARACTERS_OF_A_SUBJECT


def _numbers(text: str) -> list[Word]:
    """Numbers of a text in other writing: 9.800 and 9 800 as 9800, 1.5 million as 1500000, 2014-03-03 as 3, 3, 2014."""
    found = [_GROUPERS.sub("", match[0]) for match in _GROUPED.finditer(text)]
    found += [str(int(each)) for match in _ISO_DATE.finditer(text) for each in match.groups()]
    each_word = words(text)
    for number, unit in pairwise(each_word):
        whole, _, rest = number.key.partition(".")
        power = _MAGNITUDES.get(unit.key.removesuffix("s"), 0)
        if power >= len(rest) and power and _PLAIN_NUMBER.fullmatch(number.key):
            found.append(whole + rest.ljust(power, "0"))
    return [Word(each, each, is_name=False) for each in found]


def _shares_unspaced(part: str, said: str) -> bool:
    """Whether a third of the pairs of characters of scripts without spaces is shared: grammar fills the others."""
    wanted, offered = _pairs(part), _pairs(said)
    return bool(wanted) and len(wanted & offered) * 3 >= len(wanted)


def _pairs(text: str) -> set[str]:
    return {run[at : at + 2] for run in _UNSPACED_RUN.findall(text) for at in range(len(run) - 1)}


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """A span widened to the sentences, or the table rows, that it touches."""
    first_line = text.rfind("\n", 0, start) + 1
    last_line = text.rfind("\n", 0, end) + 1
    starts = [at for at, _ in _sentences(text, first_line) if at <= start]
    ends = [at for _, at in _sentences(text, last_line) if at >= end]
    return max(starts, default=start), min(ends, default=end)


def _sentences(text: str, line_start: int) -> list[tuple[int, int]]:
    """Where the sentences of a line begin and end; a table row is one."""
    line_end = text.find("\n", line_start)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    pieces = [line] if " | " in line else list(sentencex.segment("en", line.encode("utf-8", "replace").decode()))
    if sum(map(len, pieces)) != len(line):
        pieces = [line]
    spans = []
    for piece in pieces:
        spans.append((line_start, line_start + len(piece)))
        line_start += len(piece)
    return spans or [(line_start, line_start)]
