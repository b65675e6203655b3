"""Evidence as it stands in a prompt: fenced, numbered, and neutralised.

The fence carries a code derived from the evidence, so that equal evidence makes an equal prompt and no page can know
it. Passages of one page follow each other, and only the first tells address, date and title.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from veriscore_agent.core.verification.neutralising import neutralise, one_line
from veriscore_agent.domain import Evidence, Passage, Snippet

MAX_SNIPPET_CHARACTERS = 1500
"""Text of one snippet in a prompt; an answer box or a file of the user's may hold far more than a result does."""

HEADINGS = " > "
"""Parts the page's title and the headings in the title of a passage."""

_MAX_TITLE, _MAX_ADDRESS, _MAX_SITES = 150, 90, 3

_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
_PARAGRAPHS = re.compile(r"(?<=[.!?])\n(?!- |[^\n]* \| )")
_HEADING = re.compile(r"^#{1,6} +", re.MULTILINE)
_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)


def render_evidence(evidence: Sequence[Evidence]) -> str:
    """All pieces between two fence lines. A header line starts at the margin, text is indented by two spaces."""
    before: Sequence[Evidence | None] = (None, *evidence)
    block = "\n".join(map(render_piece, evidence, before)) or "(nothing was found)"
    code = hashlib.sha256(block.encode()).hexdigest()[:8]
    return f"<evidence {code}>\n{block}\n</evidence {code}>"


def render_piece(piece: Evidence, before: Evidence | None = None) -> str:
    """Header line and text of one piece. Of a passage whose page was named ``before``, only what is new: headings."""
    header = f"[{piece.id}]{_same_page(piece, before) if _of_one_page(piece, before) else _source(piece)}"
    lines = plain_lines(_text(piece))
    return f"{header}\n{indented(lines)}" if lines else header


def render_search_results(evidence: Sequence[Evidence]) -> str:
    """All pieces in the form of the paper's prompt, every field on one line. Passages of a page are one result."""
    results: list[list[Evidence]] = []
    for piece in evidence:
        if results and _of_one_page(piece, results[-1][-1]):
            results[-1].append(piece)
        else:
            results.append([piece])
    return "\n\n".join(
        f"Search result {number}\nTitle: {one_line(pieces[0].title)}\nLink: {one_line(_link(pieces[0]))}\n"
        f"Content: {' ... '.join(one_line(_text(piece)) for piece in pieces)}"
        for number, pieces in enumerate(results, start=1)
    )


def plain_lines(text: str) -> str:
    """Text neutralised, without empty lines, runs of blanks and the marks of headings.

    Of headings only the words are shown: their marks mean nothing to a judge, and would have to be neutralised.
    """
    return _LINES.sub("\n", _BLANKS.sub(" ", neutralise(_HEADING.sub("", text))).strip())


def indented(lines: str) -> str:
    """Plain lines as they stand under a header line.

    Paragraphs are run together, which saves tokens; items and table rows keep their lines.
    """
    return "  " + _PARAGRAPHS.sub(" ", lines).replace("\n", "\n  ")


def _of_one_page(piece: Evidence, before: Evidence | None) -> bool:
    return (
        isinstance(piece, Passage)
        and isinstance(before, Passage)
        and (piece.url, piece.page_sha256) == (before.url, before.page_sha256)
    )


def _source(piece: Evidence) -> str:
    title = cut(one_line(piece.title), _MAX_TITLE)
    notes = filter(None, [_address(_link(piece)), *_notes(piece)])
    return "".join(f" {note}" for note in notes) + (f" | {title}" if title else "")


def _same_page(piece: Evidence, before: Evidence | None) -> str:
    headings, known = piece.title.split(HEADINGS), before.title.split(HEADINGS) if before else []
    while headings and headings[:1] == known[:1]:
        headings, known = headings[1:], known[1:]
    new = cut(one_line(HEADINGS.join(headings)), _MAX_TITLE)
    note = _copies(piece) if _copies(piece) != (_copies(before) if before else "") else ""
    return (f" {note}" if note else "") + (f"{HEADINGS}{new}" if new else "")


def _notes(piece: Evidence) -> list[str]:
    if isinstance(piece, Passage):
        return [f"({one_line(piece.date)})" if piece.date else "", _copies(piece)]
    return [] if piece.kind == "organic" else [f"({piece.kind.replace('_', ' ')})"]


def _copies(piece: Evidence) -> str:
    return copies_note(piece.url, piece.copies) if isinstance(piece, Passage) else ""


def copies_note(url: str, copies: Sequence[str]) -> str:
    """Which other sites print the same: it is one source, and the judge is told so. Empty where none does."""
    if not copies:
        return ""
    sites = list(dict.fromkeys(_address(each).split("/")[0] for each in (url, *copies)))[1:]
    more = [f"{len(sites) - _MAX_SITES} more"] if len(sites) > _MAX_SITES else []
    return f"(same text at: {', '.join([*sites[:_MAX_SITES], *more])})" if sites else ""


def _link(piece: Evidence) -> str:
    return piece.url if isinstance(piece, Passage) else piece.link


def _text(piece: Evidence) -> str:
    return cut(piece.text, MAX_SNIPPET_CHARACTERS) if isinstance(piece, Snippet) else piece.text


def _address(link: str) -> str:
    """What tells the source, in few tokens: host and path, without blanks so that a title cannot pass for it."""
    address = "".join(neutralise(_SCHEME.sub("", link.strip())).split("?")[0].split("#")[0].split())
    return cut(address, _MAX_ADDRESS).replace("|", "%7C").rstrip("/")


def cut(text: str, limit: int) -> str:
    """The text, at most ``limit`` characters of it, the last an ellipsis where something is missing."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
