"""Figures and names as people read them. A figure that does not exist is a dash, never a number."""

from __future__ import annotations

import re

from veriscore_agent.core.statistics import Estimate, Share
from veriscore_agent.report.json_values import clean_text

NONE = "–"

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
"""What could move the cursor, change colours or turn the direction of the text."""


def name_text(name: str, *, empty: str) -> str:
    """A name from the input, safe on a terminal; ``empty`` where it says nothing."""
    return _CONTROLS.sub(" ", clean_text(name)).strip() or empty


def score_text(value: float | None, places: int = 3) -> str:
    """A score between 0 and 1 without its leading zero: ``.512``, ``1.000``."""
    if value is None:
        return NONE
    return f"{value:.{places}f}".replace("0.", ".", 1) if value < 1 else f"{value:.{places}f}"


def range_text(low: float, high: float, places: int = 2) -> str:
    """The two ends of a range of scores: ``.43–.59``."""
    return f"{score_text(low, places)}–{score_text(high, places)}"


def estimate_text(estimate: Estimate) -> str:
    """A score and its interval: ``.512 [.43–.59]``; the score alone where there are too few questions for one."""
    text = score_text(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{range_text(estimate.low, estimate.high)}]"


def number_text(value: float | None) -> str:
    """A count or an average: ``12``, ``2.5``."""
    if value is None:
        return NONE
    return str(value) if isinstance(value, int) else f"{value:.1f}"


def share_text(share: Share, nouns: str) -> str:
    """A share with its interval: ``2 of 40 answers (5.0%, 1.4–16.5%)``."""
    text = f"{share.count} of {share.total} {nouns}"
    if share.share is None or share.low is None or share.high is None:
        return text
    return f"{text} ({share.share:.1%}, {share.low * 100:.1f}–{share.high:.1%})"


def count_text(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: ``1 claim``, ``3 claims``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
