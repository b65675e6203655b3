"""Means, shares and their 95% intervals: pure, and the same for the same seed on every machine and Python.

Intervals of shares are Wilson's. Intervals of means are percentile bootstraps that resample *prompts*: the answers
of one question go together, across models too, because an easy question is easy for all of them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import NormalDist

CONFIDENCE = 0.95
RESAMPLES = 2000
FEWEST_PROMPTS = 2
"""A single prompt says nothing of how prompts differ: no interval is given."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The two ends of a 95% interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` out of ``total``, with Wilson's 95% interval. All three figures are None where ``total`` is 0."""

    count: int
    total: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95% interval. ``low`` and ``high`` are None where there are too few prompts for one."""

    value: float | None
    low: float | None = None
    high: float | None = None


def mean(values: Iterable[float]) -> float | None:
    """The arithmetic mean; None of nothing."""
    kept = list(values)
    return math.fsum(kept) / len(kept) if kept else None


def share_of(count: int, total: int) -> Share:
    """``count`` out of ``total`` with its interval. Raises ValueError unless 0 <= count <= total."""
    interval = wilson_interval(count, total)
    if interval is None:
        return Share(count, total, None, None, None)
    return Share(count, total, count / total, interval.low, interval.high)


def wilson_interval(count: int, total: int) -> Interval | None:
    """Wilson's score interval of a share; None where ``total`` is 0.

    It stays inside 0 to 1 and keeps a width at 0 and at ``total``, where the textbook interval has none.
    Raises ValueError unless 0 <= count <= total.
    """
    if not 0 <= count <= total:
        raise ValueError(f"{count} out of {total} is no share")
    if total == 0:
        return None
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share, weight = count / total, z * z / total
    centre = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
    # The ends are exactly 0 and 1 there; rounding would leave a trace of 1e-17.
    low = 0.0 if count == 0 else centre - half
    high = 1.0 if count == total else centre + half
    return Interval(low, high)


def percentile(ordered: Sequence[float], fraction: float) -> float:
    """The value below which ``fraction`` (0 to 1) of the sorted, non-empty values lie, interpolated between two."""
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def percentile_interval(values: Iterable[float | None]) -> Interval | None:
    """The middle 95% of resampled figures. Resamples without a figure (None) are left out; None where all are."""
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return None
    tail = (1 - CONFIDENCE) / 2
    return Interval(percentile(ordered, tail), percentile(ordered, 1 - tail))


@dataclass(frozen=True, slots=True)
class PromptValues:
    """The figures of one series, summed for each prompt: the mean of any resample follows from these alone."""

    sums: tuple[float, ...]
    counts: tuple[float, ...]

    @classmethod
    def of(cls, by_prompt: Iterable[Sequence[float]]) -> PromptValues:
        """From the values of each prompt; a prompt may have none."""
        values = list(by_prompt)
        return cls(tuple(math.fsum(each) for each in values), tuple(len(each) for each in values))

    @property
    def prompts(self) -> int:
        """Number of prompts that have a value."""
        return sum(1 for count in self.counts if count)

    def mean(self) -> float | None:
        """The mean of all values; None where there is none."""
        count = math.fsum(self.counts)
        return math.fsum(self.sums) / count if count else None

    def mean_of(self, draw: Sequence[int]) -> float | None:
        """The mean over the drawn prompts (at least two indices); None where they have no value."""
        pick = itemgetter(*draw)
        count = math.fsum(pick(self.counts))
        return math.fsum(pick(self.sums)) / count if count else None


def prompt_draws(prompts: int, *, seed: str, resamples: int = RESAMPLES) -> Iterator[list[int]]:
    """The indices of each resample: as many prompts as there are, drawn with replacement.

    The same seed gives the same draws, so that figures computed apart belong to the same resamples.
    """
    numbers = list(range(prompts))
    source = random.Random(seed)  # noqa: S311 - a statistic, not a secret
    for _ in range(resamples):
        yield source.choices(numbers, k=prompts)


def resampled_means(
    series: Sequence[PromptValues], *, seed: str, resamples: int = RESAMPLES
) -> list[list[float | None]]:
    """For each series the mean of every resample. All series are over the same prompts, in the same order.

    A series with values of fewer than two prompts has no resampled means: its list is empty.
    """
    results: list[list[float | None]] = [[] for _ in series]
    able = [(each, result) for each, result in zip(series, results, strict=True) if each.prompts >= FEWEST_PROMPTS]
    if not able:
        return results
    for draw in prompt_draws(len(able[0][0].counts), seed=seed, resamples=resamples):
        for each, result in able:
            result.append(each.mean_of(draw))
    return results


def estimate(value: float | None, resampled: Iterable[float | None]) -> Estimate:
    """A figure with the percentile interval of its resamples, widened where it would not hold the figure itself.

    (As Jeffreys' interval is by convention closed at a rate of 0 or 1, which no draw of it ever reaches.)
    """
    interval = percentile_interval(resampled) if value is not None else None
    if value is None or interval is None:
        return Estimate(value)
    return Estimate(value, min(interval.low, value), max(interval.high, value))


def draw_rates(turned: int, total: int, *, seed: str, draws: int) -> list[float]:
    """Draws of the unknown rate behind ``turned`` out of ``total``, from its posterior under Jeffreys' prior.

    Unlike resampling the cases, it does not call a rate certain because none of a few cases turned.
    """
    source = random.Random(seed)  # noqa: S311 - a statistic, not a secret
    return [source.betavariate(turned + 0.5, total - turned + 0.5) for _ in range(draws)]
