"""Reads the reply to an extraction request: one claim a line, or the statement that there is none.

Models add what was not asked for: list marks, headings, notes, fences, JSON, refusals. What surrounds a claim goes; the
claim itself stays as it is, also where it begins with a number or holds a dash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from veriscore_agent.core.extraction.denial import is_comment, is_no_claim, without_denial
from veriscore_agent.core.extraction.marks import strip_list_marks, strip_wrapping
from veriscore_agent.core.verification.replies import looks_like_refusal, reply_text
from veriscore_agent.core.verification.tolerant_json import find_json
from veriscore_agent.domain import ModelReply
from veriscore_agent.errors import ModelOutputError

_FENCE = re.compile(r"\s*(?:```|~~~)[\w-]*\s*")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_COLONS = (":", "：")
_LABEL = re.compile(
    r"(?:(?:verifiable|atomic|extracted|factual)\s+)*(?:claims?|facts?)(?:\s+\(?\d+\)?)?\s*[:：]\s*", re.IGNORECASE
)
_NOTE = re.compile(
    r"\W*(?:notes?|n\.?b\.?|explanations?|reason(?:ing|s)?|rationale|justification|comments?|remarks?|disclaimer|context"
    r"|anmerkung|hinweis|nota|remarque|observación|注|注意|备注|说明|примечание)\W{0,3}\d*\W{0,3}?[:：]",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)\.?|\[[^\[\]]*\]\.?")
_FIRST_PERSON = re.compile(r"\b(?:i|we|me|my|our|us)\b|^\W*(?:sorry|apologies)\W*[,.!;:—-]", re.IGNORECASE)
_JSON_OPENING = re.compile(r"\{|\[\s*(?:[\"'{\]]|$)")
_TEXT_KEYS = ("claim", "fact", "text", "statement", "sentence")


def read_claims(reply: ModelReply) -> tuple[str, ...]:
    """The claims of one reply in order; empty where it says that there is none.

    Raises ModelOutputError: ``output_cut`` (claims after the cut would be missing), ``content_filtered``,
    ``model_refused``, ``unreadable_reply`` (empty, broken JSON, or neither a claim nor the statement of none).
    """
    if reply.finish_reason == "length":
        raise ModelOutputError("the list of claims was cut off", reply=reply.text, reason="output_cut")
    if reply.finish_reason == "content_filter":
        raise ModelOutputError("the list of claims was filtered", reply=reply.text, reason="content_filtered")
    if reply.text.strip() == "[]":
        return ()
    lines = [line for line in reply_text(reply).splitlines() if line.strip() and not _FENCE.fullmatch(line)]
    if _opens_as_json(lines):
        return _from_json(reply, "\n".join(lines))
    return _from_lines(reply, lines)


def _from_lines(reply: ModelReply, lines: Sequence[str]) -> tuple[str, ...]:
    claims: list[str] = []
    denied = False
    for position, line in enumerate(strip_list_marks(lines)):
        text = _without_label(line)
        remark = _NOTE.match(text)
        if is_no_claim(text[remark.end() :] if remark else text):
            denied = True
        elif _is_refusal(text):
            if position == 0:
                raise ModelOutputError("the model declined to extract", reply=reply.text, reason="model_refused")
        elif not remark and not is_comment(text) and not _is_frame(line, text):
            claims.append(without_denial(text))
    if claims or denied:
        return tuple(claims)
    raise ModelOutputError("expected claims, or the statement that there is none", reply=reply.text)


def _without_label(line: str) -> str:
    """A line without ``Claim 3:`` in front and without emphasis, quotes or marks around it."""
    text = strip_wrapping(_HEADING.sub("", line, count=1))
    label = _LABEL.match(text)
    return strip_wrapping(text[label.end() :]) if label and label.end() < len(text) else text


def _is_frame(line: str, text: str) -> bool:
    """Whether a line frames the claims: a preamble, a heading, an aside in brackets."""
    return text.endswith(_COLONS) or bool(_HEADING.match(line)) or bool(_ASIDE.fullmatch(text))


def _is_refusal(text: str) -> bool:
    return looks_like_refusal(text) and bool(_FIRST_PERSON.search(text))


def _opens_as_json(lines: Sequence[str]) -> bool:
    """Whether the first line that is no preamble opens a JSON object or list of texts."""
    first = next((line.strip() for line in lines if not line.rstrip("* ").endswith(_COLONS)), "")
    return bool(_JSON_OPENING.match(first))


def _from_json(reply: ModelReply, text: str) -> tuple[str, ...]:
    found = find_json(text)
    if not found or any(each.cut or each.value is None for each in found):
        raise ModelOutputError("expected a list of claims, got JSON that cannot be read", reply=reply.text)
    try:
        texts = [strip_wrapping(each) for value in found for each in _json_texts(value.value)]
    except ValueError as problem:
        raise ModelOutputError("expected a list of claims, got other JSON", reply=reply.text) from problem
    return tuple(each for each in texts if not is_no_claim(each))


def _json_texts(value: Any) -> Iterator[str]:
    """The texts of a JSON value: a text, a list, ``{"claim": ...}``, or an object whose only list holds the claims."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _json_texts(item)
    elif isinstance(value, dict):
        own = [value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)][:1]
        lists = [member for member in value.values() if isinstance(member, list)]
        if len(own) + len(lists) != 1:
            raise ValueError("no claims in the object")
        yield from own or _json_texts(lists[0])
    else:
        raise ValueError("neither text nor list")
