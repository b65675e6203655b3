"""The audit of decided claims, and the scores corrected by what it found.

Only undecided claims go on to pages, so that the score can only rise and an error among the decided stays unseen.
The audit sends a random share of the *decided* to their pages too: of those supported at snippets some turn out not
to be, of those contradicted some turn out supported.

The corrected score estimates what would have come out, had every decided claim been read on its pages as well. For
an answer with S supported claims, S' = S - turned_s + turned_c - r_s * u_s + r_c * u_c, where

- turned_s, turned_c: its audited claims that lost, or gained, the support;
- u_s, u_c: its decided claims that were not audited, by label;
- r_s, r_c: the rates at which audited claims of that label turned, all models and domains of the run together, for
  an audit is small.

F1@K is then taken at S'. That is exact where S' <= K, where F1@K is linear in S, and a little high beyond (there it
is concave). An audit of all decided claims leaves nothing to estimate. Decided claims of a label of which none was
audited stay as they are; ``AuditRate`` shows them.

The interval resamples prompts, and takes r_s and r_c in every resample from draws of their posteriors under Jeffreys'
prior: that of a mean over questions, and the rates' own uncertainty, which is the larger where few were audited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from veriscore_agent.core.scoring.answer import ScoredAnswer, f1_at_k
from veriscore_agent.core.scoring.labels import label_at
from veriscore_agent.core.statistics import Share, draw_rates, share_of
from veriscore_agent.domain import LABELS, ClaimOutcome, Label, Stage

DecidedLabel = Literal["supported", "contradicted"]
DECIDED_LABELS: tuple[DecidedLabel, ...] = ("supported", "contradicted")

_NOTHING_FOUND = "pages_brought_nothing"
"""The flag of a claim that went to its pages and found nothing to judge there."""

Rates = tuple[float, float]
"""Shares of the supported that lose, and of the contradicted that gain, the support."""


@dataclass(frozen=True, slots=True)
class AuditRate:
    """What the audit found of the decided claims of one label."""

    label: DecidedLabel
    decided: int
    """Claims that ended with this label at snippets, audited or not."""
    turned: Share
    """Of the audited: those whose pages took the support away (of the supported) or gave it (of the contradicted)."""
    labels: dict[Label, int]
    """The audited by what their pages say. Those whose pages brought nothing keep their label."""


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """What the pages of decided claims say."""

    changed: Share
    """Of the audited: those whose ternary label changed."""
    rates: tuple[AuditRate, ...]


@dataclass(frozen=True, slots=True)
class AuditedAnswer:
    """What the corrected score of an answer is made of, at one stage."""

    supported: float
    """Supported claims, those that the audit turned already moved."""
    scored: int
    k: float
    unaudited_supported: int
    unaudited_contradicted: int

    def f1(self, rates: Rates) -> float:
        """F1@K of the expected number of supported claims."""
        expected = self.supported - rates[0] * self.unaudited_supported + rates[1] * self.unaudited_contradicted
        # Rounding alone can carry it past the ends.
        return f1_at_k(min(max(expected, 0.0), self.scored), self.scored, self.k)


def summarize_audit(claims: Iterable[ClaimOutcome]) -> AuditSummary | None:
    """The audit of a run; None where no claim was audited."""
    found: dict[DecidedLabel, list[Label | None]] = {label: [] for label in DECIDED_LABELS}
    for outcome in claims:
        label = decided_label(outcome)
        if label:
            found[label].append(audited_label(outcome))
    rates = tuple(_rate(label, found[label]) for label in DECIDED_LABELS)
    audited = sum(rate.turned.total for rate in rates)
    if not audited:
        return None
    same = sum(rate.labels[rate.label] for rate in rates)
    return AuditSummary(changed=share_of(audited - same, audited), rates=rates)


def decided_label(outcome: ClaimOutcome) -> DecidedLabel | None:
    """The label of a claim that was decided at snippets and judged nowhere else, except by an audit."""
    if any(verdict.stage != "snippets" for verdict in outcome.verdicts) or _went_on(outcome):
        return None
    label = label_at(outcome, "snippets")
    return None if label == "inconclusive" else label


def audited_label(outcome: ClaimOutcome) -> Label | None:
    """What an audited claim's pages say; its own label where they brought nothing; None where it was not audited."""
    if outcome.audit:
        return outcome.audit.label
    empty = outcome.ended == "pages" and _NOTHING_FOUND in outcome.flags
    return decided_label(outcome) if empty else None


def _went_on(outcome: ClaimOutcome) -> bool:
    """Whether its label sent it to its pages, in vain: only an audited claim ends for the limit of its pages."""
    return _NOTHING_FOUND in outcome.flags and outcome.ended not in ("pages", "failed", "stopped")


def audited_answer(answer: ScoredAnswer, stage: Stage, audit: AuditSummary) -> AuditedAnswer:
    """The parts of the answer's corrected score at ``stage``."""
    score = answer.scores[stage]
    supported: float = score.supported
    unaudited: Counter[DecidedLabel] = Counter()
    known = {rate.label for rate in audit.rates if rate.turned.total}
    for claim in answer.claims:
        before, after = decided_label(claim), audited_label(claim)
        if before is None:
            continue
        if after is not None:
            supported += (after == "supported") - (before == "supported")
        elif before in known:
            unaudited[before] += 1
    scored = score.supported + score.contradicted + score.inconclusive
    return AuditedAnswer(supported, scored, score.k, unaudited["supported"], unaudited["contradicted"])


def point_rates(audit: AuditSummary) -> Rates:
    """The observed rates, 0 for a label of which none was audited."""
    supported, contradicted = audit.rates
    return supported.turned.share or 0.0, contradicted.turned.share or 0.0


def drawn_rates(audit: AuditSummary, *, seed: int, draws: int) -> Sequence[Rates]:
    """Pairs of rates, each drawn from its posterior."""
    by_label = [
        draw_rates(rate.turned.count, rate.turned.total, seed=f"{seed} audit {rate.label}", draws=draws)
        for rate in audit.rates
    ]
    return list(zip(*by_label, strict=True))


def _rate(label: DecidedLabel, found: Sequence[Label | None]) -> AuditRate:
    labels = Counter(each for each in found if each)
    turned = labels["supported"] if label == "contradicted" else labels.total() - labels["supported"]
    return AuditRate(
        label=label,
        decided=len(found),
        turned=share_of(turned, labels.total()),
        labels={each: labels[each] for each in LABELS},
    )
