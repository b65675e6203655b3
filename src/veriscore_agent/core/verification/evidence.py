"""Evidence as it stands in a prompt: fenced, numbered, and neutralised.

The fence carries a code derived from the evidence, so that equal evidence makes an equal prompt and no page can know
it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from veriscore_agent.core.verification.neutralising import neutralise, one_line
from veriscore_agent.domain import Evidence, Passage, Snippet

MAX_SNIPPET_CHARACTERS = 1500
"""Text of one snippet in a prompt; an answer box or a file of the user's may hold far more than a result does."""

_MAX_TITLE, _MAX_ADDRESS = 150, 90

_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)


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
