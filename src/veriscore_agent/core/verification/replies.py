"""What comes before any reading of a reply: hidden reasoning, emptiness, refusals, and the error for the rest."""

from __future__ import annotations

import re

from veriscore_agent.domain import ModelReply
from veriscore_agent.errors import ModelOutputError

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_REASONING = r"(?:think|thinking|thought|reasoning)"
_TAG = re.compile(rf"<(/?){_REASONING}>", re.IGNORECASE)
_TOKEN = re.compile(r"<\|[a-z_]+\|>")
_JSON_BEGINS = re.compile(r"\s*(?:```|[{\[])")
_REFUSAL = re.compile(
    r"^\W*(?:(?:i['’]?m|i am|we['’]?re|we are)\s+(?:very\s+|so\s+|truly\s+)?sorry\b|sorry\b|(?:i|we)\s+apologi[sz]e\b|"
    r"apologies\b|my apologies\b|(?:unfortunately,?\s+)?(?:i|we)\s+(?:can\s*not|can['’]?t|won['’]?t|will not|"
    r"must decline|decline|am (?:not able|unable)|are (?:not able|unable)|['’]m (?:not able|unable)|do not feel|"
    r"don['’]?t feel)\b|(?:i['’]?m|we['’]?re)\s+(?:not able|unable)\b|as an ai\b)",
    re.IGNORECASE,
)


def strip_reasoning(text: str) -> str:
    """The text without hidden reasoning and chat markers, stripped.

    A ``<think>`` block at any place goes; one that never ends means that no answer followed it; a ``</think>`` without
    its beginning, as some servers send, ends the reasoning before it. Text that begins as JSON is an answer already,
    and a tag inside of it is a quotation.
    """
    text = _TOKEN.sub("", text)
    kept: list[str] = []
    position = 0
    inside = False
    for tag in _TAG.finditer(text):
        if not inside and not kept and _JSON_BEGINS.match(text, position):
            break
        if tag[1]:
            kept = kept if inside else []
            position, inside = tag.end(), False
        elif not inside:
            before = text[position : tag.start()]
            kept += [before] if kept or before.strip() else []
            inside = True
    return "".join([*kept, "" if inside else text[position:]]).strip()


def visible(text: str) -> str:
    """The text without invisible characters, stripped."""
    return _INVISIBLE.sub("", text).strip()


def looks_like_refusal(text: str) -> bool:
    """Whether the text opens as a model does that declines or excuses itself. Ask only after nothing could be read."""
    return bool(_REFUSAL.match(visible(text)))


def reply_text(reply: ModelReply) -> str:
    """The readable text of a reply. Raises ModelOutputError where it holds no letter or digit, with what ended it."""
    text = visible(strip_reasoning(reply.text or ""))
    if any(map(str.isalnum, text)):
        return text
    cut = reply.finish_reason == "length"
    raise ModelOutputError(
        f"an empty reply (finish reason {reply.finish_reason!r})",
        reply=reply.text or "",
        reason="output_cut" if cut else "unreadable_reply",
    )


def unreadable(reply: ModelReply, expected: str) -> ModelOutputError:
    """The error for a reply of which nothing could be read: refused, cut off, or simply unreadable."""
    text = reply.text or ""
    if looks_like_refusal(strip_reasoning(text)):
        return ModelOutputError("the model declined to answer", reply=text, reason="model_refused")
    if reply.finish_reason == "length":
        return ModelOutputError(f"the reply was cut off before {expected}", reply=text, reason="output_cut")
    return ModelOutputError(
        f"expected {expected} (finish reason {reply.finish_reason!r})", reply=text, reason="unreadable_reply"
    )
