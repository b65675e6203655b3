"""Evidence that speaks to its judge is not shown to the judge.

A page that tells its reader how to judge may say anything else as well to be believed. So no piece of it counts, nor
is any put into a prompt, the snippet of the same link included. What it said stays in the run's record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from veriscore_agent.core.instructions import command_in
from veriscore_agent.domain import Evidence, Passage

LEFT_OUT = "[left out: this page tells its reader how to judge]"
"""Stands in a prompt for the text of such a piece."""


def links_that_command(evidence: Sequence[Evidence]) -> frozenset[str]:
    """Links of which some piece, or all of them read together, gives instructions or forges a verdict."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for piece in evidence:
        texts[link_of(piece)] += [piece.title, piece.text]
    return frozenset(link for link, found in texts.items() if command_in("\n".join(found)))


def silenced(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence as it may be shown: of pieces whose link commands, only the link is left."""
    commanding = links_that_command(evidence)
    return tuple(
        replace(piece, title="", text=LEFT_OUT) if link_of(piece) in commanding else piece for piece in evidence
    )


def link_of(piece: Evidence) -> str:
    """Where a piece comes from."""
    return piece.url if isinstance(piece, Passage) else piece.link
