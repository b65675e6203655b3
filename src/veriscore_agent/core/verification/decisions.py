"""Reading a label out of a free reply: between ### marks, in JSON, on a line of its own, or in a plain sentence.

A label counts where the reply *decides*, not where it merely says the word. Every place that looks like a decision is
collected, but for those that are denied ("this is not ###Supported###"). If they disagree, one that is introduced as
the decision, or stands alone on its line, goes before one that is only mentioned, and the last of those wins; without
such a sign nothing is read. A label is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from veriscore_agent.core.verification.tolerant_json import FoundJson, find_json

Decision = Literal["supported", "contradicted", "inconclusive", "unsupported"]
"""``unsupported`` is also what "not supported" says."""

_KEY_LIST = """
label verdict decision answer result conclusion classification judgment judgement prediction
final_label final_verdict final_decision final_answer
"""
JSON_KEYS = frozenset(_KEY_LIST.split())
"""Names under which models return the label, in lower case."""

_LABELS: Mapping[str, Decision] = {
    "supported": "supported",
    "contradicted": "contradicted",
    "inconclusive": "inconclusive",
}
_LABEL_WORD = re.compile(r"supported|contradicted|inconclusive", re.IGNORECASE)
_HEAD = re.compile(
    r"(?P<negation>not[\s_-]+(?:\w+\s+)?|un[\s-]?|non[\s-]?)?(?P<label>supported|contradicted|inconclusive)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_AROUND = " \t$\"'“”‘’()[]<>_#:.!-–—•→"
_AFTER_LABEL = re.compile(r"\s*_*(?:$|[.!:;)\]\"'”’(\n]|[–—]|-\s)")
_EXPLAINED = re.compile(r"\s*(?:,|\s(?:by|because|since|as|based|given|due|according)\b)", re.IGNORECASE)
_ANSWERED = re.compile(r"\s*[:(\[–—-]\W*(?:yes|no|true|false|n/a)\s*(?:$|[.,;)\]\n])", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|hardly|neither|nor)|n['’]t)"
    r"(?:\s+(?:be|been|to|as|a|the|this|that|it|is|claim|label|labell?ed|call|called|say|judge|judged|mark|marked|deem|"
    r"deemed|consider|considered|rate|rated|answer|able|sure|fully|really))*[\s\"“”'‘’(\[_-]*$",
    re.IGNORECASE,
)
"""Before a label: what denies that this is the decision."""
_DENIAL_REACH = 80
_LINE_REACH = 500
"""Of a line, so much on either side of a label is looked at: a reply may be one line of thousands of labels."""
_CUE_WORD = r"(?:decision|verdict|label|answer|conclusion|judge?ment|classification|assessment)"
_CUE = re.compile(rf"\b{_CUE_WORD}\b\s*(?:is|=|:|->|→|–|—|-)\s*(?=(?P<phrase>[^\n]{{1,1000}}))", re.IGNORECASE)
"""The phrase is looked at and not consumed: "the answer is clear: decision: supported" holds two cues."""
_CUE_BEFORE = re.compile(rf"\b{_CUE_WORD}\b[^.\n#{{}}\"“”]{{0,20}}$", re.IGNORECASE)
_MARKED = re.compile(r"(?<!#)#{2,}+([^#\n]{1,200}+)#{2,}+")
_BULLET = re.compile(r"^\s*(?:[-•>]\s+|\d+[.)]\s+)*")
_CLAIM_IS = re.compile(r"\b(?:claim|statement)\b.{0,60}?\b(?:is|was|as|remains)\s+(?P<phrase>.+)", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|would|could|might|may|whether|had)\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:not|no|nor|never|cannot|unable|hardly|without|lacks?|fails?|doubt\w*|false|untrue|wrong\w*|unclear|uncertain|"
    r"insufficient\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_UNTICKED = re.compile(r"^[^\S\n]*(?:[-+•][^\S\n]+|\d+[.)][^\S\n]+)?(?:\[[^\S\n]*\]|☐).*$", re.MULTILINE)
_TICK = re.compile(r"\[[xX✓✔]\]|[☑☒✅✓✔]")
_TAKEN = "\0"
"""What stands in the place of a decision that was found, so that it is not found again."""
_RUN_ON = re.compile(r"^\s*(?:Claim:|Search result \d+|Your task:)", re.MULTILINE)
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]*)\}+\$?")
_EMPHASIS = re.compile(r"[*`]+(?:json\b)?")


@dataclass(frozen=True, slots=True)
class _Candidate:
    position: int
    decision: Decision | None
    """None: a decision that names no label that can be told."""
    stressed: bool
    """Introduced as the decision, or alone on its line."""
    quoted: bool
    plain: bool = False
    """In plain words: what is in marks or JSON further down goes before it."""


def read_decision(text: str, *, cut: bool = False) -> Decision | None:
    """The decision of a reply, or None where there is none or it cannot be told.

    ``text`` holds no invisible characters and no hidden reasoning. Where it was cut off, a plain sentence ("the claim
    is supported ...") is no decision, since another may have been about to follow.
    """
    text = _BOXED.sub(r"\1", _EMPHASIS.sub("", text))
    text = _TICK.sub("", _UNTICKED.sub("", text))
    candidates = sorted(_candidates(text), key=lambda each: each.position)
    if candidates:
        run_on = _RUN_ON.search(text, candidates[0].position)
        end = run_on.start() if run_on else len(text)
        return _choose([each for each in candidates if each.position < end])
    if (lead := _head_label(text)) or cut:
        return lead
    return _plain_sentence(text)


def _candidates(text: str) -> Iterator[_Candidate]:
    rest = text
    for found in find_json(text):
        if found.value is None or _label_members(found):
            if not _is_denied(text, found.start):
                yield _candidate(text, found.start, found.end, _json_decision(found))
            rest = _blanked(rest, found.start, found.end)
    for match in _MARKED.finditer(rest):
        if _LABEL_WORD.search(match[1]):
            if not _is_denied(text, match.start()):
                yield _candidate(text, match.start(), match.end(), _phrase_decision(match[1]))
            rest = _blanked(rest, *match.span())
    for match in _CUE.finditer(rest):
        phrase = match["phrase"].lstrip(_AROUND)
        if _HEAD.match(phrase):
            if not _is_denied(text, match.start()):
                quoted = _is_quoted(text, match.start())
                yield _Candidate(match.start(), _head_label(phrase), True, quoted, plain=True)
            rest = _blanked(rest, match.start(), match.end("phrase"))
    yield from _alone_on_a_line(rest)


def _alone_on_a_line(text: str) -> Iterator[_Candidate]:
    """Labels with a line to themselves. Different ones in lines that follow each other are a list: none is decided."""
    runs: list[list[_Candidate]] = [[]]
    position = 0
    for line in text.splitlines(keepends=True):
        head = _HEAD.fullmatch(_BULLET.sub("", line).strip(_AROUND + "\r\n"))
        if head and (decision := _negated(head)) and not _is_denied(text, position):
            runs[-1].append(_Candidate(position, decision, True, False, plain=True))
        elif runs[-1]:
            runs.append([])
        position += len(line)
    for run in runs:
        agreed = len({each.decision for each in run}) == 1
        yield from run if agreed else (replace(each, decision=None) for each in run)


def _is_denied(text: str, position: int) -> bool:
    return bool(_DENIED.search(text[max(0, position - _DENIAL_REACH) : position]))


def _candidate(text: str, start: int, end: int, decision: Decision | None) -> _Candidate:
    before = _line_before(text, start)
    after = text[end : end + _LINE_REACH].partition("\n")[0]
    stressed = not (before + after).strip(_AROUND) or bool(_CUE_BEFORE.search(before))
    return _Candidate(start, decision, stressed, _is_quoted(text, start))


def _is_quoted(text: str, position: int) -> bool:
    line = _line_before(text, position)
    return line.count('"') % 2 == 1 or line.count("“") > line.count("”")


def _line_before(text: str, position: int) -> str:
    return text[max(0, position - _LINE_REACH) : position].rpartition("\n")[2]


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + _TAKEN * (end - start) + text[end:]


def _choose(candidates: list[_Candidate]) -> Decision | None:
    """The one decision; of several, the last stressed one; else the only one that is not a quotation."""
    if len({each.decision for each in candidates}) == 1:
        return candidates[0].decision
    own = [each for each in candidates if not each.quoted]
    last_formal = max((each.position for each in own if not each.plain), default=-1)
    own = [each for each in own if not each.plain or each.position > last_formal]
    stressed = [each for each in own if each.stressed]
    if stressed:
        return stressed[-1].decision
    return own[0].decision if len({each.decision for each in own}) == 1 else None


def _label_members(found: FoundJson) -> list[Any]:
    if not isinstance(found.value, dict):
        return []
    return [
        value
        for key, value in found.value.items()
        if key.strip().casefold().replace(" ", "_") in JSON_KEYS and key != found.unfinished
    ]


def _json_decision(found: FoundJson) -> Decision | None:
    decisions = {_value_decision(value) for value in _label_members(found)}
    return decisions.pop() if len(decisions) == 1 else None


def _value_decision(value: Any) -> Decision | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return _phrase_decision(value) if isinstance(value, str) else None


def _phrase_decision(phrase: str) -> Decision | None:
    """The label that a short phrase is, cue included ("Final label: Supported.")."""
    phrase = phrase.replace("#", " ").strip()
    cue = _CUE.search(phrase)
    return _head_label(cue["phrase"] if cue else phrase)


def _head_label(text: str) -> Decision | None:
    """The label that a text opens with as its decision: alone, or followed by a mark or by its grounds."""
    text = text.lstrip(_AROUND + "\r\n")
    head = _HEAD.match(text)
    if head is None:
        return None
    after = text[head.end() :]
    if _AFTER_LABEL.match(after):
        return None if _ANSWERED.match(after) else _negated(head)
    sentence = re.split(r"[.;\n]", after, maxsplit=1)[0]
    if _EXPLAINED.match(after) and not _LABEL_WORD.search(sentence):
        return _negated(head)
    return None


def _negated(head: re.Match[str]) -> Decision | None:
    label = _LABELS[head["label"].casefold()]
    if not head["negation"]:
        return label
    return "unsupported" if label == "supported" else None


def _plain_sentence(text: str) -> Decision | None:
    """What sentences of the kind "the claim is contradicted by result 2" say, if no other label is spoken of."""
    if len({word.casefold() for word in _LABEL_WORD.findall(text)}) != 1:
        return None
    decisions: set[Decision | None] = set()
    for sentence in re.split(r"[.!?\n]", text):
        match = _CLAIM_IS.search(sentence)
        if match and _HEAD.match(phrase := match["phrase"].lstrip(_AROUND)):
            open_question = _CONDITION.search(sentence) or _DOUBT.search(sentence[: match.start("phrase")])
            decisions.add(None if open_question else _head_label(phrase))
    return decisions.pop() if len(decisions) == 1 else None
