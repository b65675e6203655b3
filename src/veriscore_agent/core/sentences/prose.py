"""Running text cut into sentences.

``sentencex`` proposes the boundaries. Those that it gets wrong in model answers are mended here: abbreviations before a
number, names of code and hosts, closing marks, ordinals of German dates, a space left out between two sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

MAX_UNIT_CHARS = 1000
"""Longest unit, in characters. Longer text is cut where a clause or a word ends."""

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("ko", re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")),
    ("ru", re.compile(r"[\u0400-\u052f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("hy", re.compile(r"[\u0530-\u058f]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("bn", re.compile(r"[\u0980-\u09ff]")),
    ("pa", re.compile(r"[\u0a00-\u0a7f]")),
    ("gu", re.compile(r"[\u0a80-\u0aff]")),
    ("or", re.compile(r"[\u0b00-\u0b7f]")),
    ("ta", re.compile(r"[\u0b80-\u0bff]")),
    ("te", re.compile(r"[\u0c00-\u0c7f]")),
    ("kn", re.compile(r"[\u0c80-\u0cff]")),
    ("ml", re.compile(r"[\u0d00-\u0d7f]")),
    ("my", re.compile(r"[\u1000-\u109f]")),
    ("am", re.compile(r"[\u1200-\u137f]")),
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_SAMPLE_CHARS = 4000
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_CLOSERS = r"*_~\"'”’)\]»」』）】"
_EXTRA_BOUNDARY = re.compile(r"(?<=\d)\.(?=[^\W\d_a-z][a-z]*[ ,])|[។៕།]+\s*")
"""Boundaries that sentencex does not propose: a number, a full stop and a word without a space between; the full stops
of Khmer and Tibetan."""
_CLOSING = re.compile(rf"(?:[{_CLOSERS}]+|\[\d+\])(?=\s|$)\s*")
_SENTENCE_END = re.compile(rf"[.!?…:;。！？：।۔؟][{_CLOSERS}]*$")
_ENUMERATOR_ONLY = re.compile(r"\W*(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]+)[.)]\W*")
_ITEM_LINE = re.compile(r"\s*(?:[•·●▪◦‣–—→✓✔☐☑➢➤]|[(（]?\d{1,3}[.)、）]|[①-⑳])\s*(?=[^\W\d_]|[*\"“(\[])")
_BEFORE_NUMBER = re.compile(
    r"\b(?:vols?|approx|arts?|secs?|chap|ch|eqs?|nos?|nr|pp|pg|figs?|ca|circa|ver|para|págs?|núm|abs|bd|abb|kap|tab|vgl"
    r"|geb|gest|max|min|temp|wt|est|eds?|op|cap|cf|tel|lit|ziff)\.\s*$",
    re.IGNORECASE,
)
_BEFORE_NAME = re.compile(
    r"\b(?:mmes?|mlles?|sras?|srta|dra|dña|prof|av|lic|avv|dott|sig|bzw|incl|excl|vgl|approx|resp)\.\s*$", re.IGNORECASE
)
_GERMAN_ORDINAL = re.compile(r"\b(?:der|die|das|den|dem|des|zum|vom|bis|im|(?<!\bI )am)\s+\d{1,2}\.\s*$", re.IGNORECASE)
_STARTER = re.compile(
    r"(?:The|An?|It|He|She|They|We|I|You|In|On|At|As|By|For|From|With|After|Before|When|While|If|Although|This|That|These"
    r"|Those|There|Here|His|Her|Its|Their|However|But|And|Then|Also|So|Because|Since|During|Today|Now|One|Both)\b"
)
_CODE = re.compile(r"[/@_=\\]|www\.|\w\(")
_CUT = re.compile(r"[;；:：,，、。](?=\s|[^\x00-\x7f])|\s")
_TAIL_CHARS = 200


def prose_sentences(text: str) -> Iterator[str]:
    """The sentences of one paragraph, verbatim, without the white space around them, none too long.

    A line break ends a sentence unless the paragraph is wrapped to a width. A line with a list mark that Markdown does
    not know (``•``, ``1.Name``) is one unit.
    """
    language = script_language(text)
    for line in _lines(text):
        if _ITEM_LINE.match(line):
            yield from fit_units(line)
            continue
        start = 0
        for boundary in _boundaries(line, language):
            yield from _cut(line[start:boundary])
            start = boundary


def fit_units(text: str) -> Iterator[str]:
    """A text as one unit; where it is too long, as few units as its sentences allow."""
    text = text.strip()
    if len(text) <= MAX_UNIT_CHARS:
        yield from _cut(text)
        return
    start = end = 0
    for boundary in _boundaries(text, script_language(text)):
        if end > start and boundary - start > MAX_UNIT_CHARS:
            yield from _cut(text[start:end])
            start = end
        end = boundary
    yield from _cut(text[start:])


def script_language(text: str) -> str:
    """A language that is written in the script of most letters, as an ISO 639-1 code: all that cutting needs."""
    sample = text[:_SAMPLE_CHARS]
    counts = {language: len(pattern.findall(sample)) for language, pattern in _SCRIPTS}
    if counts["ja"]:
        counts["ja"] += counts["zh"]
    # Latin names are common in text of other scripts, the reverse is rare.
    counts["en"] = len(_LATIN.findall(sample)) // 3
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else "en"


def _lines(text: str) -> list[str]:
    """A paragraph's lines, those that a sentence runs across joined."""
    lines = text.split("\n")
    if len(lines) == 1 or _is_wrapped(lines):
        return [text]
    groups = [lines[:1]]
    for line in lines[1:]:
        if line[:1].islower() and not _ends_sentence(groups[-1][-1]):
            groups[-1].append(line)
        else:
            groups.append([line])
    return ["\n".join(group) for group in groups]


def _is_wrapped(lines: list[str]) -> bool:
    """Whether lines break where a width is reached, and not where their author ended them."""
    if any(_ITEM_LINE.match(line) for line in lines):
        return False
    widths = [len(line.rstrip()) for line in lines[:-1]]
    running_on = sum(not _ends_sentence(line) for line in lines[:-1])
    return 40 <= max(widths) <= 140 and min(widths) >= 0.7 * max(widths) and running_on * 2 > len(widths)


def _ends_sentence(line: str) -> bool:
    return bool(_SENTENCE_END.search(line.rstrip()[-_TAIL_CHARS:]))


def _boundaries(text: str, language: str) -> Iterator[int]:
    """Ends of sentences as offsets, the last one the text's own."""
    ends = _proposed(text, language)
    # Where most sentences start low, a low start says nothing.
    ignore_case = 2 * sum(text[end : end + 1].islower() for end in ends) > len(ends)
    start = 0
    for end in ends:
        closing = None if text[end - 1].isspace() else _CLOSING.match(text, end)
        boundary = closing.end() if closing else end
        if start < boundary < len(text):
            before = text[max(start, boundary - _TAIL_CHARS) : boundary]
            if not _belong_together(before, text[boundary : boundary + _TAIL_CHARS], ignore_case):
                yield boundary
                start = boundary
    yield len(text)


def _proposed(text: str, language: str) -> list[int]:
    readable = _SURROGATE.sub("\ufffd", text)
    ends = {match.end() for match in _EXTRA_BOUNDARY.finditer(readable)}
    position = 0
    for segment in sentencex.segment(language, readable):
        position += len(segment)
        ends.add(position)
    return sorted(ends)


def _belong_together(before: str, after: str, ignore_case: bool) -> bool:
    """Whether a proposed boundary is none. ``before`` and ``after`` are the ends that meet there."""
    if not any(map(str.isalnum, before)) or not any(map(str.isalnum, after)):
        return True
    if _ENUMERATOR_ONLY.fullmatch(before):
        return True
    if before[-1] in ".!?":
        return not _lacks_space(before, after)
    low = not ignore_case and _starts_low(after)
    stop = before.rstrip()[-1]
    if stop != ".":
        return low and stop in "!?…"
    return low or _is_abbreviation(before, after)


def _is_abbreviation(before: str, after: str) -> bool:
    """Whether the full stop belongs to the word or number before it."""
    if after[0].isdigit():
        return bool(_BEFORE_NUMBER.search(before))
    return bool(_BEFORE_NAME.search(before) or (after[0].isupper() and _GERMAN_ORDINAL.search(before)))


def _lacks_space(before: str, after: str) -> bool:
    """Whether two sentences meet without a space (``in 2016.In May``), and not the parts of a name (``Node.js``)."""
    words = before.split()
    left, right = words[-1][:-1], after.split(maxsplit=1)[0]
    if _CODE.search(left) or _CODE.search(right):
        return False
    if left[-2:].isalpha() and left[-2:].lower() == left[-2:].upper():
        return True  # a script without capitals
    if not after[0].isupper() or "." in left.strip(".,0123456789"):
        return False
    if before[-1] in "!?" or left.endswith((")", "]", "”", '"')):
        return True
    if len(words) < 3:
        return False
    return bool(left[-1:].isdigit() and not right[1:2].isupper()) or bool(_STARTER.match(right))


def _starts_low(text: str) -> bool:
    """Whether a text starts with a lower-case word, and not with a name such as iPhone."""
    return text[:1].islower() and not any(map(str.isupper, text[1:3]))


def _cut(sentence: str) -> Iterator[str]:
    """A sentence in pieces of the longest length allowed; nothing where there is only white space."""
    sentence = sentence.strip()
    start = 0
    while len(sentence) - start > MAX_UNIT_CHARS:
        end = start + _cut_point(sentence[start : start + MAX_UNIT_CHARS])
        yield sentence[start:end].strip()
        start = end
    if rest := sentence[start:].strip():
        yield rest


def _cut_point(window: str) -> int:
    """Where to cut: after the last clause in the last quarter, else after the last word of the second half."""
    ends = [(match.end(), match[0].isspace()) for match in _CUT.finditer(window, MAX_UNIT_CHARS // 2)]
    clauses = [end for end, space in ends if not space and end > MAX_UNIT_CHARS * 3 // 4]
    words = [end for end, space in ends if space]
    return max(clauses or words, default=MAX_UNIT_CHARS)
