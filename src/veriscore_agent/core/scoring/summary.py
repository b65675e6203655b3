"""The scores of a run: what is counted, and its types. ``summarize`` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veriscore_agent.core.scoring.audit import AuditSummary
from veriscore_agent.core.scoring.changes import ReferenceAgreement, SecondLook, StageChange
from veriscore_agent.core.statistics import Estimate, Share
from veriscore_agent.domain import Stage

ScoreProtocol = Literal["veriscore", "paper"]


@dataclass(frozen=True, slots=True)
class StageScore:
    """Labels and scores at one stage. A mean is None where there is nothing to take it over."""

    stage: Stage
    supported: int
    contradicted: int
    inconclusive: int
    unsupported: int
    """Contradicted and inconclusive together: the other binary label."""
    f1: Estimate
    """Mean F1@K over the answers that count, with its 95% interval over prompts."""
    lowest: float | None
    highest: float | None
    """Mean of the lowest and of the highest F1@K that each answer could have, once everything of it were scored.
    They include the answers of which nothing could be scored, and are equal to ``f1`` where all is complete."""
    precision: float | None
    """Mean P over the answers with a scored claim."""
    recall: float | None
    f1_with_claims: float | None
    """Mean F1@K over the answers with a scored claim."""
    f1_abstentions_as_zero: float | None
    f1_corrected: Estimate | None = None
    """F1@K corrected by the rates of the audit; None without an audit, and at snippets."""


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The answers of one model in one domain. Counts of claims and sentences leave abstentions out."""

    model: str
    domain: str
    k: float
    answers: int
    """All of them, abstentions included."""
    scored_answers: int
    """Those that count in the means: neither abstained nor failed."""
    prompts: int
    """Different questions among the scored answers."""
    abstained: Share
    """Of all answers."""
    without_claims: Share
    """Of the scored answers: those that hold no verifiable claim."""
    failed: int
    """Answers of which nothing could be scored, though there is or may be a claim."""
    incomplete: int
    """Answers with an unscored claim or an unextracted sentence, failed ones included."""
    claims: int
    """Distinct claims under the run's protocol, unscored ones included."""
    claims_exact: int
    claims_folded: int
    unscored: int
    unextracted: int
    sentences: int
    sentences_per_answer: float | None
    claims_per_answer: float | None
    claims_per_sentence: float | None
    """These two go over the answers whose sentences are known, and all three count no abstention."""
    stages: tuple[StageScore, ...]


@dataclass(frozen=True, slots=True)
class OverallSummary:
    """One model over all domains. Every mean is the unweighted mean of its domain means; counts are sums."""

    model: str
    missing_domains: tuple[str, ...]
    """Domains of the run in which the model has no score. Where there is one, all means are None."""
    stages: tuple[StageScore, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that is reported of a run: the stages side by side, sharing N and K."""

    protocol: ScoreProtocol
    k_rule: str
    seed: int
    resamples: int
    complete: bool
    """Nothing is unscored or unextracted, and no later stage of a claim failed."""
    sentence_limit: int
    """Claims that an unextracted sentence is taken to hold at most, in ``lowest`` and ``highest``."""
    stages: tuple[Stage, ...]
    groups: tuple[GroupSummary, ...]
    overall: tuple[OverallSummary, ...]
    changes: tuple[StageChange, ...]
    audit: AuditSummary | None
    second_look: SecondLook | None
    reference: tuple[ReferenceAgreement, ...]
    unscored_reasons: dict[str, int]
    """Number of claims without a verdict by reason, the most frequent first."""
    unextracted_reasons: dict[str, int]
    later_failures: dict[str, int]
    """Claims that keep the verdict of an earlier stage, because a later one failed or the audit or second look
    did, by reason."""
    warnings: dict[str, int]
    """Number of answers by warning."""
