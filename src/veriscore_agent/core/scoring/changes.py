"""How labels change: from stage to stage, when judged twice, and against the labels that the input gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from veriscore_agent.core.scoring.answer import ScoredAnswer
from veriscore_agent.core.scoring.labels import binary_label, binary_reference, has_stage, label_at, normal_reference
from veriscore_agent.core.statistics import Estimate, PromptValues, Share, estimate, resampled_means, share_of
from veriscore_agent.domain import LABELS, ClaimOutcome, Label, Stage

LabelTable = dict[Label, dict[Label, int]]
"""Number of claims by the label before (outer) and after (inner). Every label is there, with 0 where none is."""


@dataclass(frozen=True, slots=True)
class StageChange:
    """What became of the scored claims from one stage to the next."""

    model: str | None
    """None: all models together."""
    before: Stage
    after: Stage
    judged: int
    """Claims that were judged at ``after``. All others keep their label and stand in the diagonal of ``labels``."""
    labels: LabelTable


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What judging the same snippets twice changes by itself."""

    flips: Share
    """Claims whose two labels differ, of all that were judged twice."""
    labels: LabelTable
    open_turned_by_pages: Share
    """Of the claims that were inconclusive at snippets and judged twice: decided once their pages were read."""
    open_turned_by_second_look: Share
    """Of the same claims: decided by the second look at the same snippets."""
    net: Estimate
    """Difference of the two shares: what pages change beyond judging twice. Its interval resamples prompts."""


@dataclass(frozen=True, slots=True)
class ReferenceAgreement:
    """Our labels at one stage against those of the input, in binary terms: supported, or not."""

    stage: Stage
    agreement: Share
    both_supported: int
    only_ours_supported: int
    only_reference_supported: int
    neither_supported: int
    labels: dict[str, dict[Label, int]]
    """Number of claims by the reference label as it is spelled (outer) and by ours (inner)."""
    unscored: int
    """Claims with a reference label and without one of ours."""
    unknown_labels: dict[str, int]
    """Reference labels that are none that we know; they are compared with nothing."""


def stage_changes(answers: Sequence[ScoredAnswer], stages: Sequence[Stage]) -> tuple[StageChange, ...]:
    """Changes between neighbouring stages: of all models together first, then of each, in order of appearance."""
    models = list(dict.fromkeys(each.outcome.answer.model for each in answers))
    changes = []
    for before, after in pairwise(stages):
        for model in (None, *models):
            claims = [claim for each in answers if model in (None, each.outcome.answer.model) for claim in each.claims]
            changes.append(_stage_change(claims, model, before, after))
    return tuple(changes)


def second_look(answers: Sequence[ScoredAnswer], *, seed: int, resamples: int) -> SecondLook | None:
    """The flips among claims that were judged twice; None where none was."""
    pairs = [
        (each, claim, label_at(claim, "snippets"), claim.second_look.label)
        for each in answers
        for claim in each.claims
        if claim.second_look
    ]
    if not pairs:
        return None
    labels = _label_table([(first, second) for _, _, first, second in pairs if first])
    flips = sum(1 for _, _, first, second in pairs if first != second)
    by_prompt: dict[tuple[str, ...], list[tuple[bool, bool]]] = {}
    for each, claim, first, second in pairs:
        if first == "inconclusive":
            turned = label_at(claim, "pages") != first, second != first
            by_prompt.setdefault(each.prompt, []).append(turned)
    turns = [turn for group in by_prompt.values() for turn in group]
    return SecondLook(
        flips=share_of(flips, len(pairs)),
        labels=labels,
        open_turned_by_pages=share_of(sum(pages for pages, _ in turns), len(turns)),
        open_turned_by_second_look=share_of(sum(again for _, again in turns), len(turns)),
        net=_net_effect(by_prompt, seed=seed, resamples=resamples),
    )


def reference_agreement(claims: Sequence[ClaimOutcome], stages: Sequence[Stage]) -> tuple[ReferenceAgreement, ...]:
    """Agreement with the input's labels at each stage; nothing where the input has none."""
    given = [claim for claim in claims if claim.claim.reference_label is not None]
    return tuple(_agreement(given, stage) for stage in stages) if given else ()


def _stage_change(claims: list[ClaimOutcome], model: str | None, before: Stage, after: Stage) -> StageChange:
    pairs = [(label_at(claim, before), label_at(claim, after)) for claim in claims]
    return StageChange(
        model=model,
        before=before,
        after=after,
        judged=sum(has_stage(claim, after) for claim in claims),
        labels=_label_table([(first, second) for first, second in pairs if first and second]),
    )


def _label_table(pairs: Sequence[tuple[Label, Label]]) -> LabelTable:
    counts = Counter(pairs)
    return {before: {after: counts[before, after] for after in LABELS} for before in LABELS}


def _net_effect(by_prompt: dict[tuple[str, ...], list[tuple[bool, bool]]], *, seed: int, resamples: int) -> Estimate:
    groups = [by_prompt[prompt] for prompt in sorted(by_prompt)]
    values = PromptValues.of([[float(pages) - float(again) for pages, again in group] for group in groups])
    (resampled,) = resampled_means([values], seed=f"{seed} second look", resamples=resamples)
    return estimate(values.mean(), resampled)


def _agreement(given: Sequence[ClaimOutcome], stage: Stage) -> ReferenceAgreement:
    pairs: Counter[tuple[bool, bool]] = Counter()
    labels: dict[str, Counter[Label]] = {}
    unknown: Counter[str] = Counter()
    unscored = 0
    for outcome in given:
        text, label = outcome.claim.reference_label or "", label_at(outcome, stage)
        reference = binary_reference(text)
        if label is None:
            unscored += 1
        elif reference is None:
            unknown[text] += 1
        else:
            pairs[binary_label(label) == "supported", reference == "supported"] += 1
            labels.setdefault(normal_reference(text), Counter())[label] += 1
    return ReferenceAgreement(
        stage=stage,
        agreement=share_of(pairs[True, True] + pairs[False, False], pairs.total()),
        both_supported=pairs[True, True],
        only_ours_supported=pairs[True, False],
        only_reference_supported=pairs[False, True],
        neither_supported=pairs[False, False],
        labels={text: {label: labels[text][label] for label in LABELS} for text in sorted(labels)},
        unscored=unscored,
        unknown_labels=dict(sorted(unknown.items())),
    )
