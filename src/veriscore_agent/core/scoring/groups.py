"""The answers of one model in one domain, and their means with the resamples that intervals come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TypeVar

from veriscore_agent.core.scoring.answer import ScoredAnswer
from veriscore_agent.core.scoring.audit import AuditSummary, Rates, audited_answer, drawn_rates, point_rates
from veriscore_agent.core.statistics import (
    FEWEST_PROMPTS,
    Estimate,
    PromptValues,
    estimate,
    mean,
    prompt_draws,
    resampled_means,
)
from veriscore_agent.domain import Stage

Figure = TypeVar("Figure")

RATE_DRAWS = 200
"""Different pairs of audit rates among the resamples, which take them in turn: all of one pair share their sums."""


@dataclass(frozen=True, slots=True)
class Group:
    """The answers of one model in one domain, and the prompts that all models of the domain share."""

    model: str
    domain: str
    prompts: tuple[tuple[str, ...], ...]
    answers: tuple[ScoredAnswer, ...]

    def counted(self) -> list[ScoredAnswer]:
        """The answers that count in the means."""
        return [each for each in self.answers if each.counts]

    def by_prompt(self, figure: Callable[[ScoredAnswer], Figure]) -> list[list[Figure]]:
        """A figure of the counted answers, by prompt."""
        found: dict[tuple[str, ...], list[Figure]] = {prompt: [] for prompt in self.prompts}
        for each in self.counted():
            found[each.prompt].append(figure(each))
        return list(found.values())


def group_answers(scored: Sequence[ScoredAnswer]) -> tuple[Group, ...]:
    """Groups by model, then domain, in order of appearance. The prompts have an order that no input changes."""
    by_group: dict[tuple[str, str], list[ScoredAnswer]] = {}
    prompts: dict[str, set[tuple[str, ...]]] = {}
    for each in scored:
        key = each.outcome.answer
        by_group.setdefault((key.model, key.domain), []).append(each)
        prompts.setdefault(key.domain, set()).add(each.prompt)
    models = list(dict.fromkeys(model for model, _ in by_group))
    keys = sorted(by_group, key=lambda key: models.index(key[0]))
    return tuple(
        Group(model, domain, tuple(sorted(prompts[domain])), tuple(by_group[model, domain])) for model, domain in keys
    )


@dataclass(frozen=True, slots=True)
class Resampled:
    """A mean, and the same mean in every resample of the prompts; no resamples where there are too few prompts."""

    value: float | None
    means: Sequence[float | None] = ()

    def estimate(self) -> Estimate:
        """The mean with its 95% interval."""
        return estimate(self.value, self.means)


MeanKey = tuple[str, str, Stage]
"""Model, domain and stage."""

MeanPair = tuple[Estimate, Estimate | None]
"""F1@K as it is, and corrected by the audit where there is one."""


@dataclass(frozen=True, slots=True)
class Means:
    """Mean F1@K of every model, domain and stage, with their resamples."""

    f1: Mapping[MeanKey, Resampled]
    corrected: Mapping[MeanKey, Resampled]
    """Empty without an audit; holds no mean at snippets."""

    def of_group(self, model: str, domain: str, stage: Stage) -> MeanPair:
        """The means of one group at one stage."""
        key = (model, domain, stage)
        corrected = self.corrected.get(key)
        return self.f1[key].estimate(), corrected.estimate() if corrected else None

    def overall(self, model: str, domains: Sequence[str], stage: Stage) -> MeanPair:
        """The unweighted means over ``domains``, in each of which the model has a score."""
        keys = [(model, domain, stage) for domain in domains]
        corrected = None
        if self.corrected and stage != "snippets":
            corrected = _mean_of_means([self.corrected[key] for key in keys]).estimate()
        return _mean_of_means([self.f1[key] for key in keys]).estimate(), corrected


def take_means(
    groups: Sequence[Group], stages: Sequence[Stage], audit: AuditSummary | None, *, seed: int, resamples: int
) -> Means:
    """All means of a run. The resamples of a domain are the same for all of its models, and for both figures."""
    f1: dict[MeanKey, Resampled] = {}
    for domain, members in _by_domain(groups):
        keys = [(group, stage) for group in members for stage in stages]
        series = [_f1_values(group, stage) for group, stage in keys]
        resampled = resampled_means(series, seed=_draw_seed(seed, domain), resamples=resamples)
        for (group, stage), values, means in zip(keys, series, resampled, strict=True):
            f1[group.model, domain, stage] = Resampled(values.mean(), means)
    corrected = _corrected_means(groups, stages, audit, seed=seed, resamples=resamples) if audit else {}
    return Means(f1, corrected)


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """The mean; None where any value is missing."""
    present = [value for value in values if value is not None]
    return mean(present) if len(present) == len(values) else None


def _f1_values(group: Group, stage: Stage) -> PromptValues:
    return PromptValues.of(group.by_prompt(lambda each: each.scores[stage].f1))


def _corrected_means(
    groups: Sequence[Group], stages: Sequence[Stage], audit: AuditSummary, *, seed: int, resamples: int
) -> dict[MeanKey, Resampled]:
    rates = drawn_rates(audit, seed=seed, draws=min(resamples, RATE_DRAWS))
    means: dict[MeanKey, Resampled] = {}
    for group in groups:
        draw_seed = _draw_seed(seed, group.domain)
        for stage in stages:
            if stage != "snippets":
                mean_here = _corrected_mean(group, stage, audit, rates, draw_seed=draw_seed, resamples=resamples)
                means[group.model, group.domain, stage] = mean_here
    return means


def _corrected_mean(
    group: Group, stage: Stage, audit: AuditSummary, rates: Sequence[Rates], *, draw_seed: str, resamples: int
) -> Resampled:
    parts = group.by_prompt(lambda each: audited_answer(each, stage, audit))

    def values_at(chosen: Rates) -> PromptValues:
        return PromptValues.of([part.f1(chosen) for part in of_prompt] for of_prompt in parts)

    at_point = values_at(point_rates(audit))
    if at_point.prompts < FEWEST_PROMPTS:
        return Resampled(at_point.mean())
    values = [values_at(chosen) for chosen in rates]
    draws = prompt_draws(len(group.prompts), seed=draw_seed, resamples=resamples)
    return Resampled(at_point.mean(), [each.mean_of(draw) for draw, each in zip(draws, cycle(values), strict=False)])


def _mean_of_means(domains: Sequence[Resampled]) -> Resampled:
    """The unweighted mean of domain means, resample by resample."""
    value = mean_of_all([each.value for each in domains])
    if not all(each.means for each in domains):
        return Resampled(value)
    return Resampled(value, [mean_of_all(means) for means in zip(*(each.means for each in domains), strict=True)])


def _by_domain(groups: Sequence[Group]) -> Iterator[tuple[str, list[Group]]]:
    for domain in dict.fromkeys(group.domain for group in groups):
        yield domain, [group for group in groups if group.domain == domain]


def _draw_seed(seed: int, domain: str) -> str:
    # Escaped, for a lone surrogate has no bytes to seed with.
    return f"{seed} prompts {domain!a}"
