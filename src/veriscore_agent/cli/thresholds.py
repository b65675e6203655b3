"""``--fail-under STAGE=F1``: what it says, and whether a run's scores reach it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from veriscore_agent.core.scoring import Summary
from veriscore_agent.domain import STAGES, Stage
from veriscore_agent.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Threshold:
    """The lowest F1@K that every model has to reach at a stage."""

    stage: Stage
    f1: float


def read_thresholds(texts: Sequence[str], stages: Sequence[Stage]) -> tuple[Threshold, ...]:
    """The thresholds of ``STAGE=F1`` texts, for a run of these stages. Raises ConfigurationError."""
    thresholds = tuple(_read(text) for text in texts)
    for threshold in thresholds:
        if threshold.stage not in stages:
            raise ConfigurationError(f"--fail-under {threshold.stage}: the run does not go that far")
    return thresholds


def missed_thresholds(summary: Summary, thresholds: Sequence[Threshold]) -> tuple[str, ...]:
    """What was missed, a line each. A score that does not exist reaches nothing."""
    return tuple(line for threshold in thresholds for line in _missed(summary, threshold))


def _read(text: str) -> Threshold:
    name, _, number = text.partition("=")
    try:
        f1 = float(number)
    except ValueError:
        f1 = -1.0
    if name not in STAGES or not 0 <= f1 <= 1:
        raise ConfigurationError(f"--fail-under {text}: a stage ({', '.join(STAGES)}), = and a number from 0 to 1")
    return Threshold(name, f1)


def _missed(summary: Summary, threshold: Threshold) -> Iterator[str]:
    for overall in summary.overall:
        whose = f" of {overall.model}" if overall.model else ""
        for score in overall.stages:
            if score.stage == threshold.stage and not (score.f1.value is not None and score.f1.value >= threshold.f1):
                found = "unknown" if score.f1.value is None else f"{score.f1.value:.3f}"
                yield f"F1@K{whose} after {score.stage} is {found}, below {threshold.f1:g} (--fail-under)"
