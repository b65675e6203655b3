"""From the outcomes of a run to its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from veriscore_agent.core.scoring.answer import ScoredAnswer, most_claims_of_a_sentence, score_all
from veriscore_agent.core.scoring.audit import summarize_audit
from veriscore_agent.core.scoring.changes import reference_agreement, second_look, stage_changes
from veriscore_agent.core.scoring.groups import Group, Means, group_answers, mean_of_all, take_means
from veriscore_agent.core.scoring.k import KRule, k_by_domain
from veriscore_agent.core.scoring.labels import unscored_reason
from veriscore_agent.core.scoring.summary import GroupSummary, OverallSummary, ScoreProtocol, StageScore, Summary
from veriscore_agent.core.statistics import RESAMPLES, Estimate, mean, share_of
from veriscore_agent.domain import STAGES, AnswerOutcome, ClaimOutcome, Stage

_FAILED = "failed:"
"""Begins the flag of a claim that keeps an earlier verdict because something later failed; the reason follows."""


def summarize(
    answers: Sequence[AnswerOutcome],
    claims: Sequence[ClaimOutcome],
    *,
    k_rule: KRule,
    seed: int = 0,
    stages: Sequence[Stage] = STAGES,
    protocol: ScoreProtocol = "veriscore",
    resamples: int = RESAMPLES,
) -> Summary:
    """The scores of a run at each of ``stages``: those that its claims could reach, at least one.

    The order of ``answers`` decides the order of models and domains and nothing else; equal outcomes and seeds give
    equal figures. Claims of no answer in ``answers`` are left out. Raises ConfigurationError where the table of
    ``k_rule`` lacks a domain.
    """
    scored = score_all(answers, claims, k=k_by_domain(answers, k_rule), stages=stages)
    own = [claim for each in scored for claim in each.claims]
    groups, audit = group_answers(scored), summarize_audit(own)
    means = take_means(groups, stages, audit, seed=seed, resamples=resamples)
    summaries = tuple(_group_summary(group, stages, means) for group in groups)
    unscored, unextracted, later = _unscored(scored), _unextracted(answers), _later_failures(own)
    return Summary(
        protocol=protocol,
        k_rule=k_rule.text,
        seed=seed,
        resamples=resamples,
        complete=not (unscored or unextracted or later),
        sentence_limit=most_claims_of_a_sentence(own),
        stages=tuple(stages),
        groups=summaries,
        overall=_overall(summaries, stages, means),
        changes=stage_changes(scored, stages),
        audit=audit,
        second_look=second_look(scored, seed=seed, resamples=resamples),
        reference=reference_agreement(own, stages),
        unscored_reasons=unscored,
        unextracted_reasons=unextracted,
        later_failures=later,
        warnings=_by_frequency(warning for each in answers for warning in sorted(set(each.warnings))),
    )


def _group_summary(group: Group, stages: Sequence[Stage], means: Means) -> GroupSummary:
    kept = [each for each in group.answers if not each.outcome.abstained]
    counted = group.counted()
    outcomes = [each.outcome for each in kept]
    known = [outcome for outcome in outcomes if outcome.sentences]
    sentences = sum(outcome.sentences for outcome in known)
    return GroupSummary(
        model=group.model,
        domain=group.domain,
        k=group.answers[0].score.k,
        answers=len(group.answers),
        scored_answers=len(counted),
        prompts=len({each.prompt for each in counted}),
        abstained=share_of(len(group.answers) - len(kept), len(group.answers)),
        without_claims=share_of(sum(each.score.precision is None for each in counted), len(counted)),
        failed=len(kept) - len(counted),
        incomplete=sum(1 for each in kept if each.score.unscored or each.score.unextracted),
        claims=sum(outcome.claims for outcome in outcomes),
        claims_exact=sum(outcome.claims_exact for outcome in outcomes),
        claims_folded=sum(outcome.claims_folded for outcome in outcomes),
        unscored=sum(each.score.unscored for each in kept),
        unextracted=sum(each.score.unextracted for each in kept),
        sentences=sentences,
        sentences_per_answer=mean(outcome.sentences for outcome in known),
        claims_per_answer=mean(outcome.claims for outcome in outcomes),
        claims_per_sentence=sum(outcome.claims for outcome in known) / sentences if sentences else None,
        stages=tuple(_stage_score(group, stage, means) for stage in stages),
    )


def _stage_score(group: Group, stage: Stage, means: Means) -> StageScore:
    kept = [each.scores[stage] for each in group.answers if not each.outcome.abstained]
    counted = [score for score in kept if not score.failed]
    with_claims = [score for score in counted if score.precision is not None]
    abstentions = [0.0] * (len(group.answers) - len(kept))
    contradicted, inconclusive = sum(score.contradicted for score in kept), sum(score.inconclusive for score in kept)
    f1, corrected = means.of_group(group.model, group.domain, stage)
    return StageScore(
        stage=stage,
        supported=sum(score.supported for score in kept),
        contradicted=contradicted,
        inconclusive=inconclusive,
        unsupported=contradicted + inconclusive,
        f1=f1,
        lowest=mean(score.low for score in kept),
        highest=mean(score.high for score in kept),
        precision=mean(score.precision for score in with_claims if score.precision is not None),
        recall=mean(score.recall for score in counted),
        f1_with_claims=mean(score.f1 for score in with_claims),
        f1_abstentions_as_zero=mean([*(score.f1 for score in counted), *abstentions]),
        f1_corrected=corrected,
    )


def _overall(groups: Sequence[GroupSummary], stages: Sequence[Stage], means: Means) -> tuple[OverallSummary, ...]:
    domains = list(dict.fromkeys(group.domain for group in groups))
    summaries = []
    for model in dict.fromkeys(group.model for group in groups):
        own = [group for group in groups if group.model == model]
        with_score = {group.domain for group in own if group.scored_answers}
        missing = tuple(domain for domain in domains if domain not in with_score)
        scores = []
        for index, stage in enumerate(stages):
            f1, corrected = (Estimate(None), None) if missing else means.overall(model, domains, stage)
            of_domains = [group.stages[index] for group in own]
            scores.append(_overall_stage(of_domains, f1, corrected, whole=not missing))
        summaries.append(OverallSummary(model, missing, tuple(scores)))
    return tuple(summaries)


def _overall_stage(
    domains: Sequence[StageScore], f1: Estimate, corrected: Estimate | None, *, whole: bool
) -> StageScore:
    def over_domains(values: Iterable[float | None]) -> float | None:
        return mean_of_all(list(values)) if whole else None

    return StageScore(
        stage=domains[0].stage,
        supported=sum(each.supported for each in domains),
        contradicted=sum(each.contradicted for each in domains),
        inconclusive=sum(each.inconclusive for each in domains),
        unsupported=sum(each.unsupported for each in domains),
        f1=f1,
        lowest=over_domains(each.lowest for each in domains),
        highest=over_domains(each.highest for each in domains),
        precision=over_domains(each.precision for each in domains),
        recall=over_domains(each.recall for each in domains),
        f1_with_claims=over_domains(each.f1_with_claims for each in domains),
        f1_abstentions_as_zero=over_domains(each.f1_abstentions_as_zero for each in domains),
        f1_corrected=corrected,
    )


def _unscored(scored: Sequence[ScoredAnswer]) -> dict[str, int]:
    """Claims without a verdict by reason. One without an outcome was not reached before the run was stopped."""
    reasons: Counter[str] = Counter(
        reason for each in scored for claim in each.claims if (reason := unscored_reason(claim))
    )
    absent = sum(each.score.unscored for each in scored) - reasons.total()
    if absent:
        reasons["stopped"] += absent
    return _by_frequency(reasons.elements())


def _unextracted(answers: Sequence[AnswerOutcome]) -> dict[str, int]:
    return _by_frequency(sentence.reason for each in answers for sentence in each.unextracted)


def _later_failures(claims: Sequence[ClaimOutcome]) -> dict[str, int]:
    return _by_frequency(
        flag.removeprefix(_FAILED)
        for claim in claims
        if claim.verdicts
        for flag in claim.flags
        if flag.startswith(_FAILED)
    )


def _by_frequency(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}
