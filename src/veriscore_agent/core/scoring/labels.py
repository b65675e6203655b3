"""What a claim's labels are at each stage, in ternary and in binary terms."""

from __future__ import annotations

import re
from collections.abc import Mapping

from veriscore_agent.domain import STAGES, BinaryLabel, ClaimOutcome, Label, Stage, UnscoredReason

_BINARY: Mapping[str, BinaryLabel] = {
    "supported": "supported",
    "contradicted": "unsupported",
    "inconclusive": "unsupported",
}

_REFERENCE: Mapping[str, BinaryLabel] = {
    "supported": "supported",
    "true": "supported",
    "unsupported": "unsupported",
    "not supported": "unsupported",
    "partially supported": "unsupported",
    "contradicted": "unsupported",
    "refuted": "unsupported",
    "false": "unsupported",
    "inconclusive": "unsupported",
    "unknown": "unsupported",
    "not enough evidence": "unsupported",
    "not enough info": "unsupported",
}
"""Labels as data sets spell them. What is not here is no label that can be compared, and is never guessed at."""


def binary_label(label: str) -> BinaryLabel:
    """``supported``, or ``unsupported`` for contradicted and inconclusive. Raises ValueError for any other word."""
    try:
        return _BINARY[label]
    except KeyError:
        raise ValueError(f"{label!r} is no label") from None


def label_at(outcome: ClaimOutcome, stage: Stage) -> Label | None:
    """The claim's label as it stood after ``stage``; None where the claim is unscored.

    A stage that was not reached, brought nothing, or failed keeps the label before it, so that all stages score the
    same claims.
    """
    reached = STAGES[: STAGES.index(stage) + 1]
    for verdict in reversed(outcome.verdicts):
        if verdict.stage in reached:
            return verdict.label
    return None


def unscored_reason(outcome: ClaimOutcome) -> UnscoredReason | None:
    """Why the claim has no verdict; None where it has one."""
    if outcome.verdicts:
        return None
    return outcome.unscored.reason if outcome.unscored else "stopped"


def has_stage(outcome: ClaimOutcome, stage: Stage) -> bool:
    """Whether the claim was judged at ``stage``."""
    return any(verdict.stage == stage for verdict in outcome.verdicts)


def normal_reference(text: str) -> str:
    """A reference label as it is compared: lower case, its marks and underscores dropped (``### Supported.``)."""
    return re.sub(r"[\W_]+", " ", text).strip().lower()


def binary_reference(text: str) -> BinaryLabel | None:
    """The binary label that a reference label stands for; None where it is none that we know."""
    return _REFERENCE.get(normal_reference(text))
