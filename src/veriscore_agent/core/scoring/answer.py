"""The score of one answer: P = S/N, R = min(S/K, 1), F1@K = 2PR/(P+R), 0 where S = 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from veriscore_agent.core.scoring.labels import label_at
from veriscore_agent.domain import STAGES, AnswerOutcome, AnswerScore, ClaimOutcome, Stage


def f1_at_k(supported: float, scored: float, k: float) -> float:
    """F1@K of S = ``supported`` out of N = ``scored`` claims.

    With P = S/N and R = min(S/K, 1), 2PR/(P+R) is 2S/(N + max(S, K)). In this form a supported claim more never
    lowers the figure and an unsupported one never raises it, to the last bit. Fractions of claims are allowed, for
    expected numbers of them.
    """
    return 2 * supported / (scored + max(supported, k)) if supported else 0.0


def most_claims_of_a_sentence(claims: Iterable[ClaimOutcome]) -> int:
    """The largest number of claims that were read from one sentence of the run, at least 1.

    It is what a sentence whose extraction failed is taken to hold at most (see ``score_answer``).
    """
    counts = Counter(
        (outcome.answer.model, outcome.answer.id, sentence)
        for outcome in claims
        for sentence in outcome.claim.sentences
    )
    return max(counts.values(), default=1)


def score_answer(
    outcome: AnswerOutcome,
    claims: Sequence[ClaimOutcome],
    *,
    k: float,
    stage: Stage,
    sentence_limit: int = 1,
) -> AnswerScore:
    """The score of one answer at one stage, from its own ``claims``.

    A claim that the answer holds and that has no outcome is unscored, like one without a verdict.

    ``low`` and ``high`` are the scores if every unscored claim turned out unsupported, or supported. A sentence that
    could not be extracted may hold any number of claims, so that without an assumption the bounds would be 0 and
    almost 1. Assumed is that it holds between none and ``sentence_limit`` of them: the largest number that was read
    from one sentence of the run (``most_claims_of_a_sentence``). K is held as it is.
    """
    labels = Counter(label for each in claims if (label := label_at(each, stage)))
    supported, scored = labels["supported"], labels.total()
    unscored = max(outcome.claims - scored, len(claims) - scored)
    hidden = unscored + len(outcome.unextracted) * sentence_limit
    f1 = f1_at_k(supported, scored, k)
    return AnswerScore(
        answer=outcome.answer,
        stage=stage,
        supported=supported,
        contradicted=labels["contradicted"],
        inconclusive=labels["inconclusive"],
        unscored=unscored,
        unextracted=len(outcome.unextracted),
        k=k,
        precision=supported / scored if scored else None,
        recall=min(supported / k, 1.0),
        f1=f1,
        low=f1_at_k(supported, scored + hidden, k),
        high=f1_at_k(supported + hidden, scored + hidden, k),
        abstained=outcome.abstained,
        sentences=outcome.sentences,
        failed=not outcome.abstained and scored == 0 and hidden > 0,
    )


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer with its claims and its score at every stage of the run."""

    outcome: AnswerOutcome
    claims: tuple[ClaimOutcome, ...]
    scores: Mapping[Stage, AnswerScore]

    @property
    def prompt(self) -> tuple[str, ...]:
        """What is resampled: the question, or the answer itself where it has none."""
        key = self.outcome.answer
        return ("question", self.outcome.question) if self.outcome.question else ("answer", key.model, key.id)

    @property
    def counts(self) -> bool:
        """Whether it counts in the means: it is no abstention, and not for want of every verdict without a score."""
        return not self.outcome.abstained and not self.score.failed

    @property
    def score(self) -> AnswerScore:
        """The score at the first stage. What it says of claims, N and failures holds at all of them."""
        return next(iter(self.scores.values()))


def score_all(
    answers: Sequence[AnswerOutcome],
    claims: Sequence[ClaimOutcome],
    *,
    k: Mapping[str, float],
    stages: Sequence[Stage] = STAGES,
) -> tuple[ScoredAnswer, ...]:
    """Every answer with its score at each of ``stages``, in the order of ``answers``.

    ``k`` gives K of every domain. Claims belong to the answer of their (model, id); those of no answer in
    ``answers`` are left out. Raises KeyError for a domain without K.
    """
    own: dict[tuple[str, str], list[ClaimOutcome]] = {(each.answer.model, each.answer.id): [] for each in answers}
    for claim in claims:
        own.get((claim.answer.model, claim.answer.id), []).append(claim)
    limit = most_claims_of_a_sentence(claim for of_answer in own.values() for claim in of_answer)
    scored = []
    for outcome in answers:
        of_answer = tuple(own[outcome.answer.model, outcome.answer.id])
        k_here = k[outcome.answer.domain]
        scores = {
            stage: score_answer(outcome, of_answer, k=k_here, stage=stage, sentence_limit=limit) for stage in stages
        }
        scored.append(ScoredAnswer(outcome, of_answer, scores))
    return tuple(scored)
