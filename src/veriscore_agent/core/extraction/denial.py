"""The statement that a sentence holds no claim, in the wordings that models use for it.

The prompt asks for ``No verifiable claim.``; models bend it, explain it, and put it beside claims. A claim that merely
looks like it ("No verifiable claims were made at the trial of Ada Verrin.") stays a claim.
"""

from __future__ import annotations

import re

_KIND = r"(?:verifiable|checkable|factual|fact-checkable|atomic|objective|extractable)"
_THING = r"(?:claims?|facts?|statements?|assertions?|information|content)"
_NO = r"(?:no|zero|not\s+any|n['’]t\s+(?:any|an?))"
# Repetitions are bounded: a word fits in several places, and a model that repeats itself would take for ever.
_NOTHING = rf"{_NO}\s+(?:(?:[\w-]+,?\s+){{0,2}}{_KIND},?\s+(?:(?:or|and)\s+)?){{1,4}}(?:\w+\s+)?{_THING}"
_UNIT = (
    r"(?:sentence|text|snippet|passage|statement|excerpt|input|unit|fragment|heading|line|item|row|question|rest"
    r"|remainder)"
)
_TAIL = (
    r"(?:\s+(?:(?:can|could|is|are|was|were)\s+(?:be\s+)?)?"
    r"(?:found|present|extracted|identified|available|made|here|detected|given|to\s+(?:be\s+)?\w+)"
    rf"|\s+(?:in|from|within)\s+(?:it|(?:this|that|the)(?:\s+\w+){{0,2}}?\s+{_UNIT})){{0,6}}"
)
_THERE = r"(?:there\s+(?:is|are|was|were)\s*)?"
_OPENING = rf"(?:(?:i['’]?m\s+)?sorry,?\s+(?:but\s+)?)?{_THERE}"
_PHRASE = re.compile(rf"{_OPENING}{_NOTHING}{_TAIL}(?![\w-])", re.IGNORECASE)
_PHRASE_AT_END = re.compile(rf"(?<=[.!?。])[\s*_(]*{_THERE}{_NOTHING}{_TAIL}\W*$", re.IGNORECASE)
_WORDS = re.compile(
    r"none|n\s*/\s*a|na|nil|null|nothing|not applicable|(?:an )?empty(?: list)?|none found|no verifiable"
    r"|nothing (?:is )?verifiable|(?:not |un)verifiable"
    r"|nothing to (?:verify|extract|check)|no (?:claims?|facts?)(?:\s+(?:found|extracted|here|present|to\s+\w+))?",
    re.IGNORECASE,
)
_OTHER_LANGUAGES = re.compile(
    r".{0,20}(?:keine?\s+(?:über|nach)prüfbaren?|aucune\s+(?:affirmation|déclaration)s?\s+vérifiables?"
    r"|ninguna\s+(?:afirmación|declaración)\s+verificable|nenhuma\s+(?:afirmação|alegação)\s+verificável"
    r"|nessuna\s+(?:affermazione|dichiarazione)\s+verificabile|нет\s+проверяемых|没有可(?:以)?(?:验证|核实|查证)"
    r"|无可(?:验证|核实)|検証可能な.{0,8}(?:ない|なし|ありません)|검증\s*가능한.{0,8}없).{0,40}"
    r"|无|無|なし|没有|없음|нет|keine|aucune?|ninguna?|nenhuma?|nessuna?",
    re.IGNORECASE,
)
_CANNOT_FIND = re.compile(
    r"(?:unfortunately,?\s+|(?:i['’]?m\s+)?sorry,?\s+(?:but\s+)?)?i\s+(?:cannot|can['’]t|could\s?n['’]t|could\s+not"
    rf"|did\s?n['’]t|did\s+not|do\s?n['’]t|do\s+not|am\s+unable\s+to|found|find|see)\b.*\b(?:any|no)\s+(?:\w+\s+){{0,2}}{_THING}.*",
    re.IGNORECASE,
)
_ABOUT_SENTENCE = re.compile(
    rf"(?:this|it|the\s+(?:marked|given|highlighted|focused|target|provided|above|input))\s+(?:{_UNIT}\b)?|the\s+{_UNIT}\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    rf"{_NOTHING}|(?:not|n['’]t)\s+\w+\s+(?:any\s+|an?\s+)?(?:{_KIND}\s+)+{_THING}|not\s+(?:a\s+)?verifiable",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"(?:the\s+(?:marked|given|highlighted|focused|target|provided)|this)\s+(?:sentence|snippet|excerpt|passage|text|unit)\b",
    re.IGNORECASE,
)
_NO_FACT = re.compile(
    r"\b(?:opinion|question|subjective|advice|instruction|hypothetical|suggestion|recommendation|greeting|personal|"
    r"rhetorical|fiction\w*|speculat\w+|introduc\w+|transition\w*|not\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    rf"\W*(?:(?:as|because|since|due|i)\b|(?:the|this|that)\s+(?:\w+\s+){{0,2}}?(?:{_UNIT}|phrase|speaker|author|writer)\b"
    r"|(?:it|this|that)\s*(?:is|['’]s|expresses|contains|only|merely|just|simply)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:output|answer|result|response)\s*[:：]\s*", re.IGNORECASE)
_EDGES = " \t.。!*_`\"'“”‘’()[]{}-–—•:：<>#"


def is_no_claim(text: str) -> bool:
    """Whether a line says that there is no claim, or says nothing at all."""
    bare = _LABEL.sub("", text.strip(_EDGES), count=1).strip(_EDGES)
    if not any(map(str.isalnum, bare)):
        return True
    if any(pattern.fullmatch(bare) for pattern in (_WORDS, _OTHER_LANGUAGES, _CANNOT_FIND)):
        return True
    if is_comment(bare):
        return bool(_DENIES.search(bare) or _NO_FACT.search(bare))
    if _ABOUT_SENTENCE.match(bare) and _DENIES.search(bare):
        return True
    phrase = _PHRASE.match(bare)
    return phrase is not None and _explains(bare[phrase.end() :])


def is_comment(text: str) -> bool:
    """Whether a line speaks of the sentence that was asked about, and not of the world."""
    return bool(_COMMENT.match(text.strip(_EDGES)))


def without_denial(text: str) -> str:
    """A claim without a statement of none before or after it on its line."""
    phrase = _PHRASE.match(text)
    if phrase and text[phrase.end() : phrase.end() + 1] in ".!":
        text = text[phrase.end() :].lstrip(_EDGES)
    return _PHRASE_AT_END.sub("", text).strip()


def _explains(rest: str) -> bool:
    """Whether what follows "No verifiable claim" gives the reason, and is no claim of its own."""
    rest = rest.lstrip("*_\"'”’ ")
    if not any(map(str.isalnum, rest)):
        return True
    if rest[0] in ".!。":
        return bool(_REASON.match(rest))
    return rest[0] in ",;:(-–—[" or bool(_REASON.match(rest))
