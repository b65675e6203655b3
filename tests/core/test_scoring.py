"""Scores against the definition, on tables of counts worked by hand.

With S supported out of N scored claims: P = S/N, R = min(S/K, 1), F1@K = 2PR/(P+R), and 0 where S = 0.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.outcomes import make_answer, make_claims, make_run
from veriscore_agent.core.scoring import (
    KRule,
    Summary,
    binary_label,
    binary_reference,
    f1_at_k,
    label_at,
    most_claims_of_a_sentence,
    score_all,
    score_answer,
    summarize,
)
from veriscore_agent.core.scoring.summary import GroupSummary, StageScore
from veriscore_agent.core.statistics import Estimate, percentile_interval, prompt_draws
from veriscore_agent.domain import LABELS, STAGES, AnswerOutcome, ClaimOutcome, Stage, Unscored, Verdict

REFERENCE = KRule("reference", "reference")


def at_k(k: float) -> KRule:
    return KRule("number", str(k), number=k)


def only_group(summary: Summary) -> GroupSummary:
    (group,) = summary.groups
    return group


def only_stage(summary: Summary, stage: Stage = "snippets") -> StageScore:
    return next(each for each in only_group(summary).stages if each.stage == stage)


# ---------------------------------------------------------------- one answer

# (S, N, K, F1@K), each worked with pencil from P and R.
BY_HAND = [
    (0, 0, 3, 0.0),  # no claim: F1 is 0, P is null
    (0, 5, 3, 0.0),  # nothing supported
    (0, 1, 1, 0.0),
    (1, 1, 1, 1.0),  # P = R = 1
    (1, 1, 4, 0.4),  # P = 1, R = 1/4: 2 * .25 / 1.25
    (3, 4, 4, 0.75),  # P = R = 3/4
    (3, 4, 2, 6 / 7),  # P = 3/4, R is capped at 1: 1.5 / 1.75
    (3, 4, 8, 0.5),  # P = 3/4, R = 3/8: (9/16) / (9/8)
    (2, 6, 4, 0.4),  # P = 1/3, R = 1/2: (1/3) / (5/6)
    (10, 20, 10, 2 / 3),  # P = 1/2, R = 1
    (7, 7, 14, 2 / 3),  # P = 1, R = 1/2
    (2, 3, 2.5, 8 / 11),  # K between two counts: P = 2/3, R = 4/5: (16/15) / (22/15)
]


@pytest.mark.parametrize(("supported", "scored", "k", "f1"), BY_HAND)
def test_f1_at_k_is_the_definition(supported: int, scored: int, k: float, f1: float) -> None:
    answer = make_answer(scored)
    labels = ["S"] * supported + ["I"] * (scored - supported)
    score = score_answer(answer, make_claims(answer, " ".join(labels)), k=k, stage="snippets")
    assert score.f1 == pytest.approx(f1)
    assert score.precision == (pytest.approx(supported / scored) if scored else None)
    assert score.recall == pytest.approx(min(supported / k, 1))
    assert (score.low, score.high) == (score.f1, score.f1)


@given(st.integers(0, 60), st.integers(0, 60), st.floats(1, 60))
def test_f1_at_k_equals_the_formula_of_precision_and_recall(supported: int, other: int, k: float) -> None:
    """The closed form is the textbook one."""
    if supported == 0:
        assert f1_at_k(0, other, k) == 0
        return
    precision, recall = supported / (supported + other), min(supported / k, 1)
    assert f1_at_k(supported, supported + other, k) == pytest.approx(
        2 * precision * recall / (precision + recall), rel=1e-12
    )


def test_all_three_counts_are_kept() -> None:
    """S07: what cannot be confirmed is counted apart from what is wrong, beside the score."""
    answer = make_answer(8)
    score = score_answer(answer, make_claims(answer, "S S S S S I I I"), k=8, stage="snippets")
    assert (score.supported, score.contradicted, score.inconclusive) == (5, 0, 3)
    assert score.f1 == pytest.approx(0.625)


@pytest.mark.parametrize("label", LABELS)
def test_each_label_counts_as_one_thing(label: str) -> None:
    """S10: every label adds one to exactly one count and is one binary label; supported alone earns credit."""
    answer = make_answer(1)
    (claim,) = make_claims(answer, label[0].upper())
    score = score_answer(answer, [claim], k=1, stage="snippets")
    counts = {"supported": score.supported, "contradicted": score.contradicted, "inconclusive": score.inconclusive}
    assert counts == {each: int(each == label) for each in LABELS}
    assert score.f1 == (1.0 if binary_label(label) == "supported" else 0.0)
    assert binary_label(label) == ("supported" if label == "supported" else "unsupported")


@pytest.mark.parametrize("label", ["", "Supported", "unsupported", "refuted", "NOT supported", "1"])
def test_an_unknown_label_raises(label: str) -> None:
    """S10: no other word slips through as some number."""
    with pytest.raises(ValueError, match="is no label"):
        binary_label(label)


# ---------------------------------------------------------------- stages


STAGE_LABELS = [
    ("S", ["S", "S", "S"]),  # decided at once: keeps its label
    ("IS", ["I", "S", "S"]),
    ("IIC", ["I", "I", "C"]),
    ("IC", ["I", "C", "C"]),
    ("SI", ["S", "I", "I"]),  # with `escalate = all` a supported claim may fall
    ("U", [None, None, None]),
]


@pytest.mark.parametrize(("word", "expected"), STAGE_LABELS)
def test_a_stage_not_reached_keeps_the_label_before_it(word: str, expected: list[str | None]) -> None:
    (claim,) = make_claims(make_answer(1), word)
    names = {"supported": "S", "contradicted": "C", "inconclusive": "I", None: None}
    assert [names[label_at(claim, stage)] for stage in STAGES] == expected


def test_a_claim_that_skipped_pages_is_not_judged_there() -> None:
    """A verdict of rounds says nothing of pages."""
    (claim,) = make_claims(make_answer(1), "I")
    claim = replace(claim, verdicts=(*claim.verdicts, Verdict("supported", "rounds", "grounded")))
    assert [label_at(claim, stage) for stage in STAGES] == ["inconclusive", "inconclusive", "supported"]


def test_a_failure_at_a_later_stage_leaves_the_claim_scored() -> None:
    """A verdict at snippets stands, whatever failed after it; the answer stays complete, the run does not."""
    answer = make_answer(2)
    claims = make_claims(answer, "I S")
    claims[0] = replace(claims[0], unscored=Unscored("model_failed"), ended="failed", flags=("failed:model_failed",))
    summary = summarize([answer], claims, k_rule=REFERENCE)
    assert {(each.unscored, each.incomplete) for each in summary.groups} == {(0, 0)}
    assert [only_stage(summary, stage).inconclusive for stage in STAGES] == [1, 1, 1]
    assert summary.later_failures == {"model_failed": 1}
    assert not summary.complete


@given(st.lists(st.text("SCI", min_size=1, max_size=3) | st.just("U"), min_size=1, max_size=12), st.integers(1, 9))
def test_stages_share_n_and_k(words: list[str], k: int) -> None:
    """However claims move between labels, every stage scores the same number of them against the same K."""
    answer = make_answer(len(words))
    claims = make_claims(answer, " ".join(words))
    scores = [score_answer(answer, claims, k=k, stage=stage) for stage in STAGES]
    assert len({score.supported + score.contradicted + score.inconclusive for score in scores}) == 1
    assert len({(score.k, score.unscored, score.failed, score.precision is None) for score in scores}) == 1


# ---------------------------------------------------------------- incomplete answers

# (labels, (claims of the answer, unextracted sentences, claims in one at most), K, (lowest, F1@K, highest)),
# by hand with F1 = 2S / (N + max(S, K)).
BOUNDS = [
    # 2 of 3 scored, one unscored: at worst 2 of 4, at best 3 of 4.
    ("S S I U", (4, 0, 1), 4, (4 / 8, 4 / 7, 6 / 8)),
    # The same, K = 1: 2 of 4 with R = 1, 2 of 3, 3 of 4.
    ("S S I U", (4, 0, 1), 1, (4 / 6, 4 / 5, 6 / 7)),
    # One sentence unextracted, at most 3 claims in it: 2 of 6, 2 of 3, 5 of 6.
    ("S S I", (3, 1, 3), 3, (4 / 9, 4 / 6, 10 / 11)),
    # Two sentences with at most one claim each, one claim unscored: 1 of 5, 1 of 2, 4 of 5.
    ("S I U", (3, 2, 1), 2, (2 / 7, 2 / 4, 8 / 9)),
    # The answer holds two claims more than have an outcome: both unscored.
    ("S", (3, 0, 1), 3, (2 / 6, 2 / 4, 6 / 6)),
    # Nothing scored at all: anything from 0 to 1 is possible.
    ("U U", (2, 0, 1), 2, (0.0, 0.0, 1.0)),
    # Nothing extracted at all: 0, or 2 claims of K = 4.
    ("", (0, 1, 2), 4, (0.0, 0.0, 4 / 6)),
]


@pytest.mark.parametrize(("labels", "counts", "k", "bounds"), BOUNDS)
def test_an_incomplete_answer_carries_its_bounds(
    labels: str, counts: tuple[int, int, int], k: int, bounds: tuple[float, float, float]
) -> None:
    claims, unextracted, limit = counts
    answer = make_answer(claims, unextracted=unextracted)
    score = score_answer(answer, make_claims(answer, labels), k=k, stage="snippets", sentence_limit=limit)
    assert (score.low, score.f1, score.high) == pytest.approx(bounds)


@given(
    st.text("SCIU", max_size=8),
    st.integers(0, 3),
    st.integers(1, 3),
    st.integers(1, 12),
    st.data(),
)
def test_no_outcome_of_what_is_open_leaves_the_bounds(
    labels: str, unextracted: int, limit: int, k: int, data: st.DataObject
) -> None:
    """Give every open claim and sentence some outcome: the score is never outside of the bounds."""
    answer = make_answer(len(labels), unextracted=unextracted)
    bounds = score_answer(answer, make_claims(answer, " ".join(labels)), k=k, stage="snippets", sentence_limit=limit)
    found = data.draw(st.lists(st.text("SCI", max_size=limit), min_size=unextracted, max_size=unextracted))
    judged = data.draw(st.text("SCI", min_size=labels.count("U"), max_size=labels.count("U")))
    finished = labels.replace("U", "") + judged + "".join(found)
    whole = make_answer(len(finished))
    score = score_answer(whole, make_claims(whole, " ".join(finished)), k=k, stage="snippets")
    assert bounds.low <= score.f1 <= bounds.high


def test_the_most_claims_of_a_sentence_are_those_of_one_answer() -> None:
    """Sentence 0 of two answers is two sentences; a claim read from two sentences counts in both."""
    one, other = make_answer(3, id="1"), make_answer(2, id="2")
    claims = [*make_claims(one, "S S", sentence=0), *make_claims(other, "S I", sentence=0)]
    assert most_claims_of_a_sentence(claims) == 2
    repeated = replace(claims[0], claim=replace(claims[0].claim, id="x", sentences=(0, 5)))
    assert most_claims_of_a_sentence([*claims, repeated]) == 3
    assert most_claims_of_a_sentence([]) == 1


def test_a_run_takes_the_limit_from_its_own_sentences() -> None:
    """With three claims read from one sentence, a lost sentence may hold up to three."""
    whole, lost = make_answer(3, id="1"), make_answer(1, id="2", unextracted=1)
    claims = [*make_claims(whole, "S S S", sentence=4), *make_claims(lost, "S", sentence=0)]
    _, scored = score_all([whole, lost], claims, k={"d": 2})
    assert scored.scores["snippets"].low == pytest.approx(2 / 6)
    assert scored.scores["snippets"].high == pytest.approx(8 / 8)
    assert summarize([whole, lost], claims, k_rule=at_k(2)).sentence_limit == 3


def test_means_carry_the_bounds_of_their_answers() -> None:
    """One complete answer, and one with an open claim: the bounds are averaged as the scores are."""
    answers, claims = make_run((make_answer(2, id="1"), "S I"), (make_answer(2, id="2"), "S U"))
    stage = only_stage(summarize(answers, claims, k_rule=at_k(2)))
    # First: 2/(2+2). Second: 2/(1+2), at worst 2/(2+2), at best 4/(2+2).
    assert stage.f1.value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert (stage.lowest, stage.highest) == pytest.approx((1 / 2, 3 / 4))


# ---------------------------------------------------------------- means, abstentions, failures


def test_one_answer_has_a_mean_and_no_interval() -> None:
    answers, claims = make_run((make_answer(4), "S S S I"))
    summary = summarize(answers, claims, k_rule=REFERENCE)
    assert only_stage(summary).f1 == Estimate(0.75)
    assert only_group(summary).k == 4
    assert summary.overall[0].stages[0].f1 == Estimate(0.75)


def test_an_answer_without_claims_counts_as_zero_and_in_k() -> None:
    """Counts 0, 2, 2: K = 2. Mean of 0, 1, 1/2; beside it the mean over the two with claims, and the share without."""
    answers, claims = make_run(
        (make_answer(0, id="1"), ""), (make_answer(2, id="2"), "S S"), (make_answer(2, id="3"), "S C")
    )
    summary = summarize(answers, claims, k_rule=REFERENCE)
    group, stage = only_group(summary), only_stage(summary)
    assert group.k == 2
    assert stage.f1.value == pytest.approx(0.5)
    assert stage.f1_with_claims == pytest.approx(0.75)
    assert stage.precision == pytest.approx(0.75)
    assert stage.recall == pytest.approx((0 + 1 + 0.5) / 3)
    assert (group.without_claims.count, group.without_claims.share) == pytest.approx((1, 1 / 3))
    assert summary.complete


def test_abstentions_are_left_out_and_counted() -> None:
    """Two of four decline: K and the mean know nothing of them; the mean with them as 0 stands beside it."""
    answers, claims = make_run(
        (make_answer(0, id="1", abstained=True, sentences=1), ""),
        (make_answer(0, id="2", abstained=True, sentences=1), ""),
        (make_answer(2, id="3", sentences=2), "S S"),
        (make_answer(6, id="4", sentences=2), "S S S I I C"),
    )
    summary = summarize(answers, claims, k_rule=REFERENCE)
    group, stage = only_group(summary), only_stage(summary)
    assert group.k == 6  # of counts 2 and 6; with the abstentions it would be 2
    assert stage.f1.value == pytest.approx((0.5 + 0.5) / 2)
    assert stage.f1_abstentions_as_zero == pytest.approx(0.25)
    assert (stage.lowest, stage.highest) == (stage.f1.value, stage.f1.value)
    assert (group.answers, group.scored_answers, group.abstained.count, group.abstained.share) == (4, 2, 2, 0.5)
    assert group.without_claims.count == 0
    assert (group.claims_per_answer, group.sentences_per_answer, group.claims_per_sentence) == (4, 2, 2)


def test_a_group_of_abstentions_alone_has_no_score() -> None:
    """There is nothing to take a mean over; the mean with abstentions as 0 is 0."""
    answer = make_answer(0, abstained=True)
    summary = summarize([answer], [], k_rule=REFERENCE)
    stage = only_stage(summary)
    assert (stage.f1, stage.lowest, stage.recall) == (Estimate(None), None, None)
    assert stage.f1_abstentions_as_zero == 0
    assert summary.overall[0].missing_domains == ("d",)


def test_a_failed_answer_is_left_out_of_the_mean_and_counted() -> None:
    """S06: of 100 answers one could not be scored at all: the mean is over 99, `failed` is 1, no figure is NaN."""
    pairs = [(make_answer(2, id=str(number)), "S S" if number % 3 else "S C") for number in range(99)]
    answers, claims = make_run(*pairs, (make_answer(2, id="lost"), "U U"))
    summary = summarize(answers, claims, k_rule=at_k(2), resamples=200)
    group, stage = only_group(summary), only_stage(summary)
    assert (group.answers, group.scored_answers, group.failed, group.incomplete) == (100, 99, 1, 1)
    assert stage.f1.value == pytest.approx((66 * 1 + 33 * 0.5) / 99)
    assert stage.lowest == pytest.approx((66 * 1 + 33 * 0.5 + 0) / 100)
    assert stage.highest == pytest.approx((66 * 1 + 33 * 0.5 + 1) / 100)
    assert summary.unscored_reasons == {"model_failed": 2}
    assert not summary.complete


def test_an_answer_whose_sentences_all_failed_is_no_answer_without_claims() -> None:
    """Nothing could be read from it, so it is failed: not a 0, and not in the share without claims."""
    answers, claims = make_run((make_answer(0, id="1", unextracted=3, sentences=3), ""), (make_answer(1, id="2"), "S"))
    summary = summarize(answers, claims, k_rule=at_k(1))
    group = only_group(summary)
    assert (group.failed, group.without_claims.count, group.without_claims.total) == (1, 0, 1)
    assert only_stage(summary).f1.value == 1
    assert summary.unextracted_reasons == {"model_failed": 3}


def test_a_claim_without_an_outcome_is_unscored_as_stopped() -> None:
    """A run that was stopped had no time for it. It is not forgotten."""
    answer = make_answer(3)
    summary = summarize([answer], make_claims(answer, "S U", reason="budget"), k_rule=REFERENCE)
    assert only_group(summary).unscored == 2
    assert summary.unscored_reasons == {"budget": 1, "stopped": 1}


def test_unscored_claims_count_in_k() -> None:
    answers, claims = make_run((make_answer(5), "S S U U U"))
    assert only_group(summarize(answers, claims, k_rule=REFERENCE)).k == 5


def test_sentences_that_nobody_counted_do_not_dilute_the_rates() -> None:
    """Given claims may come without a number of sentences: rates are over the answers that have one."""
    answers, claims = make_run((make_answer(4, id="1", sentences=2), "S S S S"), (make_answer(1, id="2"), "S"))
    group = only_group(summarize(answers, claims, k_rule=REFERENCE))
    assert (group.sentences_per_answer, group.claims_per_sentence, group.claims_per_answer) == (2, 2, 2.5)
    assert only_group(summarize(*make_run((make_answer(1), "S")), k_rule=REFERENCE)).claims_per_sentence is None


# ---------------------------------------------------------------- domains and models


def test_overall_is_the_unweighted_mean_of_domain_means() -> None:
    """Three answers of biography (1, 1, 1) and one of history (0): overall .5, not .75."""
    answers, claims = make_run(
        *[(make_answer(1, id=f"b{number}", domain="biography"), "S") for number in range(3)],
        (make_answer(1, id="h", domain="history"), "C"),
    )
    (overall,) = summarize(answers, claims, k_rule=at_k(1)).overall
    assert overall.stages[0].f1.value == pytest.approx(0.5)
    assert (overall.stages[0].supported, overall.stages[0].contradicted) == (3, 1)
    assert overall.missing_domains == ()


def test_a_model_that_lacks_a_domain_has_no_overall() -> None:
    """Its mean would be over other questions than those of the rest. Its counts are still there."""
    answers, claims = make_run(
        (make_answer(1, id="1", model="one", domain="biography"), "S"),
        (make_answer(1, id="2", model="one", domain="history"), "S"),
        (make_answer(1, id="1", model="other", domain="biography"), "S"),
    )
    whole, partial = summarize(answers, claims, k_rule=REFERENCE).overall
    assert whole.stages[0].f1.value == 1
    assert partial.missing_domains == ("history",)
    assert partial.stages[0].f1 == Estimate(None)
    assert partial.stages[0].f1_abstentions_as_zero is None
    assert partial.stages[0].supported == 1


def test_a_domain_of_abstentions_is_a_missing_one() -> None:
    answers, claims = make_run(
        (make_answer(1, id="1", domain="biography"), "S"),
        (make_answer(0, id="2", domain="history", abstained=True), ""),
    )
    assert summarize(answers, claims, k_rule=REFERENCE).overall[0].missing_domains == ("history",)


def test_k_is_taken_over_all_models_of_a_domain() -> None:
    """Counts 1, 3 of one model and 9 of the other: K is 3 for both."""
    answers, claims = make_run(
        (make_answer(1, id="1", model="one"), "S"),
        (make_answer(3, id="2", model="one"), "S S S"),
        (make_answer(9, id="1", model="other"), " ".join("S" * 9)),
    )
    assert [group.k for group in summarize(answers, claims, k_rule=REFERENCE).groups] == [3, 3]


def test_claims_belong_to_the_answer_of_their_model() -> None:
    """Two models answer under the same id."""
    answers, claims = make_run((make_answer(1, model="one"), "S"), (make_answer(1, model="other"), "C"))
    one, other = summarize(answers, claims, k_rule=REFERENCE).groups
    assert (one.stages[0].f1.value, other.stages[0].f1.value) == (1, 0)


def test_order_changes_the_order_of_rows_alone() -> None:
    """Answers that finish in another order give the same figures, intervals included."""
    pairs = [
        (make_answer(2, id=str(number), model=model, domain=domain), "S I" if number % 2 else "IS C")
        for number in range(7)
        for model in ("one", "other")
        for domain in ("a", "b")
    ]
    first, second = (
        summarize(*make_run(*order), k_rule=REFERENCE, resamples=100) for order in (pairs, list(reversed(pairs)))
    )
    by_name = [{(group.model, group.domain): group for group in each.groups} for each in (first, second)]
    assert by_name[0] == by_name[1]
    assert list(by_name[0]) == [("one", "a"), ("one", "b"), ("other", "a"), ("other", "b")]


def test_another_seed_moves_the_interval_alone() -> None:
    answers, claims = make_run(
        *[(make_answer(2, id=str(number)), "S I" if number % 2 else "S S") for number in range(9)]
    )
    one, other = (only_stage(summarize(answers, claims, k_rule=REFERENCE, seed=seed, resamples=50)) for seed in (1, 2))
    assert one.f1.value == other.f1.value
    assert (one.f1.low, one.f1.high) != (other.f1.low, other.f1.high)


def test_the_interval_is_that_of_the_resampled_questions() -> None:
    """Worked again: questions in sorted order, drawn by the seed and the domain, both models on the same draws."""
    questions = [f"question {number}" for number in (5, 3, 9, 1, 7, 2, 8)]
    supported = {"one": [0, 1, 2, 3, 4, 5, 6], "other": [6, 6, 1, 0, 2, 5, 3]}
    pairs = [
        (
            make_answer(6, id=question, model=model),
            " ".join("S" * supported[model][number] + "C" * (6 - supported[model][number])),
        )
        for model in supported
        for number, question in enumerate(questions)
    ]
    found = summarize(*make_run(*pairs), k_rule=at_k(6), seed=3, resamples=400).groups
    for group in found:
        score = {question: supported[group.model][number] / 6 for number, question in enumerate(questions)}
        ordered = [score[question] for question in sorted(questions)]
        draws = prompt_draws(7, seed="3 prompts 'd'", resamples=400)
        means = [sum(ordered[index] for index in draw) / 7 for draw in draws]
        expected = percentile_interval(means)
        assert expected is not None
        assert (group.stages[0].f1.low, group.stages[0].f1.high) == pytest.approx((expected.low, expected.high))


def test_answers_to_one_question_are_resampled_together() -> None:
    """Ten answers to one question are one prompt: no interval. To ten questions: an interval."""
    labels = ["S S", "S I"] * 5
    together = make_run(*[(make_answer(2, id=str(n), question="same"), word) for n, word in enumerate(labels)])
    apart = make_run(*[(make_answer(2, id=str(n)), word) for n, word in enumerate(labels)])
    one, other = (only_stage(summarize(*run, k_rule=REFERENCE, resamples=100)) for run in (together, apart))
    assert one.f1.low is None
    assert other.f1.low is not None
    assert other.f1.low < one.f1.value  # type: ignore[operator]


def test_answers_without_a_question_are_prompts_of_their_own() -> None:
    answers = [replace(make_answer(1, id=str(number)), question=None) for number in range(3)]
    claims = [claim for answer, word in zip(answers, "SCS", strict=True) for claim in make_claims(answer, word)]
    assert only_group(summarize(answers, claims, k_rule=REFERENCE, resamples=20)).prompts == 3


def test_a_lone_surrogate_in_a_domain_is_scored() -> None:
    """Odd input is scored, not a crash."""
    run = make_run(
        *[(make_answer(1, id=str(number), domain="\udc80", question=f"\ud800{number}"), "S") for number in range(3)]
    )
    assert only_stage(summarize(*run, k_rule=REFERENCE, resamples=10)).f1 == Estimate(1, 1, 1)


def test_an_empty_run_has_an_empty_summary() -> None:
    summary = summarize([], [], k_rule=REFERENCE)
    assert (summary.groups, summary.overall, summary.complete) == ((), (), True)


# ---------------------------------------------------------------- reference labels


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("supported", "supported"),
        ("### Supported. ###", "supported"),
        ("True", "supported"),
        ("unsupported", "unsupported"),
        ("not_supported", "unsupported"),
        ("Not supported.", "unsupported"),
        ("partially_supported", "unsupported"),
        ("contradicted", "unsupported"),
        ("Inconclusive.", "unsupported"),
        ("unsupported, I think", None),
        ("", None),
        ("maybe", None),
    ],
)
def test_reference_labels_are_read_as_their_files_spell_them(text: str, expected: str | None) -> None:
    assert binary_reference(text) == expected


def with_reference(claims: list[ClaimOutcome], *labels: str | None) -> list[ClaimOutcome]:
    pairs = zip(claims, labels, strict=True)
    return [replace(each, claim=replace(each.claim, reference_label=label)) for each, label in pairs]


def test_agreement_with_the_labels_of_the_input() -> None:
    """Binary: four of six agree at snippets, five after pages; unscored, unknown and absent ones stand apart."""
    answer = make_answer(9)
    claims = with_reference(
        make_claims(answer, "S S C IS I IC U S S"),
        *("supported", "unsupported", "contradicted", "supported", "inconclusive"),
        *("unsupported", "supported", "maybe", None),
    )
    snippets, pages, _ = summarize([answer], claims, k_rule=REFERENCE).reference
    assert (snippets.agreement.count, snippets.agreement.total) == (4, 6)
    assert (pages.agreement.count, pages.agreement.total) == (5, 6)
    cells = (
        snippets.both_supported,
        snippets.only_ours_supported,
        snippets.only_reference_supported,
        snippets.neither_supported,
    )
    assert cells == (1, 1, 1, 3)
    assert (snippets.unscored, snippets.unknown_labels) == (1, {"maybe": 1})
    assert snippets.labels["unsupported"] == {"supported": 1, "contradicted": 0, "inconclusive": 1}
    assert pages.labels["unsupported"] == {"supported": 1, "contradicted": 1, "inconclusive": 0}


def test_no_reference_label_means_no_agreement() -> None:
    assert summarize(*make_run((make_answer(1), "S")), k_rule=REFERENCE).reference == ()


# ---------------------------------------------------------------- real answers


def labelled_answers(folder: Path) -> tuple[list[AnswerOutcome], list[ClaimOutcome], list[list[bool]]]:
    """Answers of people's labelled claims: true is supported, false is contradicted."""
    answers, claims, labels = [], [], []
    for line in (folder / "data" / "factool_kbqa.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        own = [bool(each["label"]) for each in row["claims"]]
        answer = make_answer(len(own), id=str(row["id"]), question=row["question"])
        answers.append(answer)
        claims += make_claims(answer, " ".join("S" if true else "C" for true in own))
        labels.append(own)
    return answers, claims, labels


@pytest.mark.parametrize("rule", ["reference", "median", "max"])
def test_labelled_answers_score_as_an_independent_calculation(shared_data: Path, rule: str) -> None:
    """The formula of the paper, written out once more in plain loops."""
    answers, claims, labels = labelled_answers(shared_data)
    assert len(answers) == 19
    lengths = sorted(len(own) for own in labels)
    k = {"reference": lengths[19 // 2], "median": lengths[9], "max": lengths[-1]}[rule]
    total = 0.0
    for own in labels:
        supported = 0
        for true in own:
            if true:
                supported += 1
        if supported:
            precision = supported / len(own)
            recall = min(supported / k, 1)
            total += 2 * precision * recall / (precision + recall)
    summary = summarize(answers, claims, k_rule=KRule(rule, rule))  # type: ignore[arg-type]
    stage = only_stage(summary)
    assert stage.f1.value == pytest.approx(total / 19, rel=1e-12)
    assert only_group(summary).k == k
    assert stage.supported == sum(sum(own) for own in labels)
    assert stage.f1.low is not None
    assert stage.f1.high is not None
    assert stage.f1.low < total / 19 < stage.f1.high
