"""Evidence as it stands in a prompt: fenced, numbered, and unable to pass for anything else than data.

Text of strangers is neutralised, never cut out: a character that could end the fence, forge a ``###`` mark, a piece's
header or a chat marker is replaced by its full-width form, which NFKC, and with it the check of quotes, takes for the
same character. The fence carries a code derived from the evidence, so that equal evidence makes an equal prompt and no
page can know it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from veriscore_agent.domain import Evidence, Passage, Snippet

MAX_SNIPPET_CHARACTERS = 1500
"""Text of one snippet in a prompt; an answer box or a file of the user's may hold far more than a result does."""

_MAX_TITLE, _MAX_ADDRESS = 150, 90

_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\x00-\x08\x0e-\x1b\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"[#\uff03\ufe5f][#\uff03\ufe5f\s]*[#\uff03\ufe5f]")
_TAG = re.compile(
    r"<(?=\s*+/?\s*+(?:evidence|think|thinking|reasoning|system|user|assistant|instructions?|s|start_of_turn|end_of_turn)"
    r"\b|\s*+\|)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\[(?=\s*(?:[SP]\s*\d+|/?INST)\s*\])", re.IGNORECASE)
_DECISION = re.compile(r"\b(your\s+(?:final\s+)?decision\s*):", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)


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


def render_evidence(evidence: Sequence[Evidence]) -> str:
    """All pieces between two fence lines. A header line starts at the margin, text is indented by two spaces."""
    block = "\n".join(map(_render, evidence)) or "(nothing was found)"
    code = hashlib.sha256(block.encode()).hexdigest()[:8]
    return f"<evidence {code}>\n{block}\n</evidence {code}>"


def render_search_results(evidence: Sequence[Evidence]) -> str:
    """All pieces in the form of the paper's prompt, every field on one line."""
    return "\n\n".join(
        f"Search result {number}\nTitle: {one_line(piece.title)}\nLink: {one_line(_link(piece))}\n"
        f"Content: {one_line(_text(piece))}"
        for number, piece in enumerate(evidence, start=1)
    )


def _render(piece: Evidence) -> str:
    title = _cut(one_line(piece.title), _MAX_TITLE)
    notes = [_address(_link(piece)), *_notes(piece)]
    header = " ".join(filter(None, [f"[{piece.id}]", *notes])) + (f" | {title}" if title else "")
    text = _LINES.sub("\n  ", _BLANKS.sub(" ", neutralise(_text(piece))).strip())
    return f"{header}\n  {text}" if text else header


def _notes(piece: Evidence) -> list[str]:
    if isinstance(piece, Passage):
        return [f"({one_line(piece.date)})"] if piece.date else []
    return [] if piece.kind == "organic" else [f"({piece.kind.replace('_', ' ')})"]


def _link(piece: Evidence) -> str:
    return piece.url if isinstance(piece, Passage) else piece.link


def _text(piece: Evidence) -> str:
    return _cut(piece.text, MAX_SNIPPET_CHARACTERS) if isinstance(piece, Snippet) else piece.text


def _address(link: str) -> str:
    """What tells the source, in few tokens: host and path, without blanks so that a title cannot pass for it."""
    address = "".join(neutralise(_SCHEME.sub("", link.strip())).split("?")[0].split("#")[0].split())
    return _cut(address, _MAX_ADDRESS).replace("|", "%7C").rstrip("/")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
