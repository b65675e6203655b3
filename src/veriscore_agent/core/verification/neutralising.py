"""Text of strangers made unable to pass for anything else than data.

It is neutralised, never cut out: a character that could end the fence, forge a ``###`` mark, a piece's header or a chat
marker is replaced by its full-width form, which NFKC, and with it the check of quotes, takes for the same character.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\x00-\x08\x0e-\x1b\x7f"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
"""Nobody sees them; the last are doubles of ASCII, in which whole sentences can be hidden."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"[#\uff03\ufe5f][#\uff03\ufe5f\s]*[#\uff03\ufe5f]")
_TAG = re.compile(
    r"<(?=\s*+/?\s*+(?:evidence|think|thinking|reasoning|system|user|assistant|instructions?|s|start_of_turn|end_of_turn)"
    r"\b|\s*+\|)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\[(?=\s*(?:[SP]\s*\d+|/?INST)\s*\])", re.IGNORECASE)
_DECISION = re.compile(r"\b(your\s+(?:final\s+)?decision\s*):", re.IGNORECASE)


def neutralise(text: str) -> str:
    """The text, unable to end a fence, forge a mark, a header or a chat marker; invisible characters removed."""
    text = _SURROGATE.sub("\ufffd", _UNSEEN.sub("", text))
    text = _MARKS.sub(lambda match: match[0].replace("#", "＃"), text)
    text = _TAG.sub("＜", text)
    text = _HEADER.sub("［", text)
    return _DECISION.sub(r"\1：", text)


def one_line(text: str) -> str:
    """The text, neutralised, with every run of white space as one space."""
    return " ".join(neutralise(text).split())
