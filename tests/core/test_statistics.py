"""Means, shares and intervals, against figures worked out by hand or by other means."""

from __future__ import annotations

import random
import statistics
from math import comb

import pytest

from veriscore_agent.core.statistics import (
    Estimate,
    PromptValues,
    draw_rates,
    estimate,
    mean,
    percentile,
    percentile_interval,
    prompt_draws,
    resampled_means,
    share_of,
    wilson_interval,
)


def test_mean_of_nothing_is_none() -> None:
    """No figure is made up where there is none."""
    assert mean([]) is None
    assert mean([0.5]) == 0.5


def test_mean_does_not_depend_on_order() -> None:
    """The same values in any order give the same bits."""
    values = [random.Random(1).random() * 10**power for power in range(-8, 8)]
    assert len({mean(random.Random(seed).sample(values, len(values))) for seed in range(50)}) == 1


# Published examples: Newcombe 1998, Statistics in Medicine 17, 857-872, table I, method 3.
NEWCOMBE = [
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0, 0.1611),
    (1, 29, 0.0061, 0.1718),
]


@pytest.mark.parametrize(("count", "total", "low", "high"), NEWCOMBE)
def test_wilson_interval_is_the_published_one(count: int, total: int, low: float, high: float) -> None:
    """Four published pairs, one of them at 0."""
    interval = wilson_interval(count, total)
    assert interval is not None
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_wilson_interval_mirrors_at_one() -> None:
    """k of n and n-k of n are the same question."""
    for total in (1, 7, 30):
        for count in range(total + 1):
            one, other = wilson_interval(count, total), wilson_interval(total - count, total)
            assert one is not None
            assert other is not None
            assert one.low == pytest.approx(1 - other.high, abs=1e-12)
            assert 0 <= one.low <= count / total <= one.high <= 1


def test_wilson_interval_covers_about_95_percent() -> None:
    """Over all outcomes of 40 trials it holds the true share as often as it says, within its known wobble."""
    trials = 40
    for truth in (0.1, 0.3, 0.5, 0.8):
        covered = 0.0
        for count in range(trials + 1):
            interval = wilson_interval(count, trials)
            assert interval is not None
            if interval.low <= truth <= interval.high:
                covered += comb(trials, count) * truth**count * (1 - truth) ** (trials - count)
        assert 0.92 <= covered <= 0.99


def test_share_of_none_has_no_figure() -> None:
    """Nothing out of nothing is no share, and surely not 0."""
    share = share_of(0, 0)
    assert (share.share, share.low, share.high) == (None, None, None)


@pytest.mark.parametrize(("count", "total"), [(2, 1), (-1, 3), (0, -1)])
def test_impossible_shares_are_refused(count: int, total: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        share_of(count, total)


def test_percentile_interpolates() -> None:
    """Between two values by distance, and the ends as they are."""
    assert [percentile([10.0, 20.0, 40.0], fraction) for fraction in (0, 0.25, 0.5, 0.75, 1)] == [10, 15, 20, 30, 40]
    assert percentile([3.0], 0.975) == 3.0


def test_percentile_interval_leaves_missing_resamples_out() -> None:
    """A resample without a figure is neither 0 nor NaN."""
    interval = percentile_interval([None, *[float(number) for number in range(201)], None])
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((5, 195))
    assert percentile_interval([None, None]) is None


def test_draws_are_seeded_and_whole() -> None:
    """Same seed, same draws; each has as many prompts as there are."""
    first, again = list(prompt_draws(7, seed="x", resamples=20)), list(prompt_draws(7, seed="x", resamples=20))
    assert first == again
    assert first != list(prompt_draws(7, seed="y", resamples=20))
    assert all(len(draw) == 7 and set(draw) <= set(range(7)) for draw in first)


def test_draws_are_the_same_on_every_python() -> None:
    """Pinned: a run scored on another machine shows the same interval."""
    assert list(prompt_draws(5, seed="0 prompts 'd'", resamples=2)) == [[0, 3, 2, 2, 1], [4, 4, 3, 1, 2]]


def test_resampled_means_follow_the_draws() -> None:
    """Worked again from the values themselves, prompts with two, one and no value among them."""
    by_prompt = [[1.0, 0.0], [0.5], [], [0.25, 0.75, 0.5]]
    (means,) = resampled_means([PromptValues.of(by_prompt)], seed="s", resamples=300)
    for draw, found in zip(prompt_draws(4, seed="s", resamples=300), means, strict=True):
        values = [value for index in draw for value in by_prompt[index]]
        assert found == (pytest.approx(statistics.fmean(values)) if values else None)


def test_resampled_means_share_the_draws_across_series() -> None:
    """Two models on the same questions: where one is always better by .1, it is so in every resample."""
    one = [[random.Random(index).random()] for index in range(12)]
    other = [[value + 0.1 for value in values] for values in one]
    first, second = resampled_means([PromptValues.of(one), PromptValues.of(other)], seed="s", resamples=200)
    assert [b - a for a, b in zip(first, second, strict=True) if a is not None and b is not None] == pytest.approx(
        [0.1] * 200
    )


def test_a_single_prompt_has_no_interval() -> None:
    """One question says nothing of how questions differ, whatever the number of answers to it."""
    alone = PromptValues.of([[0.2, 0.4, 0.9], []])
    assert alone.prompts == 1
    (means,) = resampled_means([alone], seed="s", resamples=10)
    assert estimate(alone.mean(), means) == Estimate(0.5, None, None)


def test_no_values_have_neither_mean_nor_interval() -> None:
    nothing = PromptValues.of([[], []])
    assert estimate(nothing.mean(), resampled_means([nothing], seed="s", resamples=5)[0]) == Estimate(None)


def test_clusters_widen_the_interval() -> None:
    """Five copies of each question's answer carry no more information than one: the interval must not shrink."""
    values = [random.Random(index).random() for index in range(30)]
    single = PromptValues.of([[value] for value in values])
    copies = PromptValues.of([[value] * 5 for value in values])
    one, other = (resampled_means([each], seed="s", resamples=400)[0] for each in (single, copies))
    assert other == pytest.approx(one)


def test_bootstrap_width_is_that_of_the_standard_error() -> None:
    """For a mean of many values the percentile interval is near the normal one: 2 * 1.96 * s / sqrt(n)."""
    values = [random.Random(index).random() for index in range(200)]
    (means,) = resampled_means([PromptValues.of([[value] for value in values])], seed="s")
    interval = percentile_interval(means)
    assert interval is not None
    expected = 2 * 1.96 * statistics.pstdev(values) / 200**0.5
    assert interval.high - interval.low == pytest.approx(expected, rel=0.08)
    assert interval.low < statistics.fmean(values) < interval.high


def test_rates_drawn_after_no_turn_are_not_certain() -> None:
    """0 of 5 turned leaves rates of a third possible; 0 of 500 does not. Means are those of the posterior."""
    few, many = (sorted(draw_rates(0, total, seed="s", draws=4000)) for total in (5, 500))
    assert percentile(few, 0.975) > 0.3
    assert percentile(many, 0.975) < 0.01
    assert statistics.fmean(draw_rates(3, 10, seed="s", draws=4000)) == pytest.approx(3.5 / 11, abs=0.01)
