"""What later stages, the audit and the second look change, on small runs worked by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.fakes import FakeModel, FakeReader, ports
from tests.outcomes import make_answer, make_claims, make_run
from veriscore_agent.core.scoring import KRule, Summary, summarize
from veriscore_agent.core.scoring.audit import AuditRate, audited_label, decided_label
from veriscore_agent.core.statistics import share_of
from veriscore_agent.domain import AnswerOutcome, Claim, EndReason, Stage
from veriscore_agent.graph.build import build_claim_graph
from veriscore_agent.graph.state import outcome_of, whole_state

K4 = KRule("number", "4", number=4)


def corrected(summary: Summary, stage: Stage = "pages") -> float | None:
    (group,) = summary.groups
    found = next(each for each in group.stages if each.stage == stage).f1_corrected
    return found.value if found else None


# ---------------------------------------------------------------- stages


def test_changes_from_stage_to_stage() -> None:
    """Of five inconclusive at snippets, pages decide two, a further round one; the rest stay."""
    answer = make_answer(8)
    claims = make_claims(answer, "S C IS IC I II IIS U")
    to_pages, _, to_rounds, _ = summarize([answer], claims, k_rule=K4).changes
    assert (to_pages.model, to_pages.before, to_pages.after, to_pages.judged) == (None, "snippets", "pages", 4)
    assert to_pages.labels["inconclusive"] == {"supported": 1, "contradicted": 1, "inconclusive": 3}
    assert to_pages.labels["supported"] == {"supported": 1, "contradicted": 0, "inconclusive": 0}
    assert (to_rounds.judged, to_rounds.labels["inconclusive"]["supported"]) == (1, 1)
    total = sum(count for row in to_rounds.labels.values() for count in row.values())
    assert total == 7  # every scored claim once


def test_changes_are_told_for_all_models_and_for_each() -> None:
    answers, claims = make_run((make_answer(1, model="one"), "IS"), (make_answer(2, model="other"), "I IC"))
    changes = summarize(answers, claims, k_rule=K4, stages=("snippets", "pages")).changes
    assert [(change.model, change.labels["inconclusive"]["inconclusive"]) for change in changes] == [
        (None, 1),
        ("one", 0),
        ("other", 1),
    ]


def test_a_run_of_snippets_alone_has_no_changes() -> None:
    summary = summarize(*make_run((make_answer(1), "I")), k_rule=K4, stages=("snippets",))
    assert summary.changes == ()
    assert [stage.stage for stage in summary.groups[0].stages] == ["snippets"]


# ---------------------------------------------------------------- audit


def test_the_audit_counts_what_turned() -> None:
    """Supported: 3 decided, 2 audited, 1 lost its support. Contradicted: 2 decided, 2 audited, 1 gained it."""
    answer = make_answer(6)
    summary = summarize([answer], make_claims(answer, "S/S S/I S C/S C/I IS"), k_rule=K4)
    assert summary.audit is not None
    assert summary.audit.changed == share_of(3, 4)
    supported, contradicted = summary.audit.rates
    expected = {"supported": 1, "contradicted": 0, "inconclusive": 1}
    assert supported == AuditRate("supported", 3, share_of(1, 2), expected)  # type: ignore[arg-type]
    assert contradicted == AuditRate("contradicted", 2, share_of(1, 2), expected)  # type: ignore[arg-type]


def test_the_score_is_corrected_by_the_rate() -> None:
    """3 supported of 4, K = 4. One audited claim lost its support, and half of the one unaudited is expected to."""
    answer = make_answer(4)
    summary = summarize([answer], make_claims(answer, "S/S S/I S C"), k_rule=K4)
    assert corrected(summary) == pytest.approx(2 * 1.5 / (4 + 4))
    assert corrected(summary, "rounds") == pytest.approx(2 * 1.5 / (4 + 4))
    assert corrected(summary, "snippets") is None
    assert summary.groups[0].stages[1].f1.value == pytest.approx(0.75)


def test_a_contradicted_claim_may_come_to_count() -> None:
    """1 supported, 2 contradicted of which the audited one turned: S' = 1 + 1 + 1."""
    answer = make_answer(3)
    assert corrected(summarize([answer], make_claims(answer, "S/S C/S C"), k_rule=K4)) == pytest.approx(6 / 7)


def test_the_rate_is_taken_over_all_models_and_domains() -> None:
    """One of two audited claims of other models turned: half of this model's unaudited claims are expected to."""
    answers, claims = make_run(
        (make_answer(1, id="1", model="one"), "S/I"),
        (make_answer(1, id="2", model="other", domain="e"), "S/S"),
        (make_answer(4, id="3", model="third"), "S S S S"),
    )
    third = summarize(answers, claims, k_rule=K4).groups[-1]
    assert third.model == "third"
    assert third.stages[1].f1_corrected is not None
    assert third.stages[1].f1_corrected.value == pytest.approx(2 * 2 / (4 + 4))


def test_an_audit_of_everything_leaves_nothing_to_estimate() -> None:
    """All decided claims audited: the corrected score is the score of their pages, in every resample."""
    words = ["S/S S/I IS", "S/C C/S I", "S/S S/S IC", "C/C S/I S/S"]
    audited = make_run(*[(make_answer(3, id=str(number)), word) for number, word in enumerate(words)])
    read = [word.replace("/", "") for word in words]  # the same labels, reached by sending every claim on
    whole = make_run(*[(make_answer(3, id=str(number)), word) for number, word in enumerate(read)])
    one, other = (summarize(*run, k_rule=K4, resamples=100).groups[0].stages[1] for run in (audited, whole))
    assert one.f1_corrected == other.f1
    assert other.f1_corrected is None


def test_a_label_that_was_not_audited_stays() -> None:
    """Nothing is known of contradicted claims: they are not corrected, and the audit shows how many there are."""
    words = ["S/S S/S C C", "S/S C C I", "S/S S/S S/S C"]
    answers = [(make_answer(4, id=str(number)), word) for number, word in enumerate(words)]
    summary = summarize(*make_run(*answers), k_rule=K4, resamples=100)
    pages = summary.groups[0].stages[1]
    assert pages.f1_corrected == pages.f1
    assert summary.audit is not None
    assert (summary.audit.rates[1].decided, summary.audit.rates[1].turned) == (5, share_of(0, 0))


def test_no_audit_means_no_correction() -> None:
    answer = make_answer(2)
    summary = summarize([answer], make_claims(answer, "S IS"), k_rule=K4)
    assert summary.audit is None
    assert corrected(summary) is None
    assert summary.overall[0].stages[1].f1_corrected is None


def test_few_audited_claims_leave_a_wide_interval() -> None:
    """No claim turned, in 4 audited or in 300: the first says little, and its interval says so."""
    widths = []
    for audited in (4, 300):
        words = ["S S S S"] * 100
        words[: audited // 4] = ["S/S S/S S/S S/S"] * (audited // 4)
        run = make_run(*[(make_answer(4, id=str(number)), word) for number, word in enumerate(words)])
        found = summarize(*run, k_rule=K4, resamples=400).groups[0].stages[1].f1_corrected
        assert found is not None
        assert (found.value, found.high) == (1, 1)
        assert found.low is not None
        widths.append(1 - found.low)
    assert widths[0] > 0.2
    assert widths[1] < 0.02


def test_decided_claims_are_those_that_pages_never_saw() -> None:
    """What went on (as all claims may) is no audit; pages that brought nothing leave an audited claim as it is."""
    plain, went_on, empty, failed, undecided = make_claims(make_answer(5), "S SI S C I")
    empty = replace(empty, flags=("pages_brought_nothing",), ended="pages")
    failed = replace(failed, flags=("pages_brought_nothing", "failed:model_failed"), ended="failed")
    assert [decided_label(each) for each in (plain, went_on, empty, failed, undecided)] == [
        "supported",
        None,
        "supported",
        "contradicted",
        None,
    ]
    assert [audited_label(each) for each in (plain, went_on, empty, failed)] == [None, None, "supported", None]


@pytest.mark.parametrize(
    ("label", "ended", "why"),
    [
        ("S", "no_new_evidence", "--escalate all: a supported claim went on, and found nothing"),
        ("C", "rounds", "--escalate unsupported: a contradicted claim went on, and found nothing"),
        ("C", "stages", "--escalate unsupported --stages pages"),
        ("C", "no_queries", "no further query could be planned"),
    ],
)
def test_a_claim_that_went_on_in_vain_is_no_audited_one(label: str, ended: EndReason, why: str) -> None:
    """Its pages brought nothing: it keeps its label, and without an audit none is reported."""
    answer = make_answer(1)
    (claim,) = make_claims(answer, label)
    in_vain = replace(claim, flags=("pages_brought_nothing",), ended=ended)
    assert (decided_label(in_vain), audited_label(in_vain)) == (None, None), why
    assert summarize([answer], [in_vain], k_rule=K4).audit is None, why


def test_the_corrected_score_finds_the_score_of_reading_everything() -> None:
    """Made-up runs whose decided claims turn at 20% and 40%: the interval from an audit of 30% holds the full score.

    It should in about 19 of 20; fewer than 33 of 40 would be a bias or an interval that is too narrow.
    """
    held, errors = 0, []
    for seed in range(40):
        audit, whole = _made_up_run(random.Random(seed))
        truth = whole.groups[0].stages[1].f1.value
        found = audit.groups[0].stages[1].f1_corrected
        assert found is not None
        assert truth is not None
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        errors.append(found.value - truth)
    assert held >= 33
    assert abs(sum(errors) / len(errors)) < 0.006


def _made_up_run(source: random.Random) -> tuple[Summary, Summary]:
    """A run with its audit, and the same run had every claim been sent to its pages."""
    audited, whole = [], []
    for number in range(40):
        words, full = [], []
        for _ in range(8):
            before = source.choices("SCI", (6, 2, 2))[0]
            turns = source.random() < {"S": 0.2, "C": 0.4, "I": 0.5}[before]
            after = {"S": "I", "C": "S", "I": "S"}[before] if turns else before
            full.append(before + after)
            if before == "I":
                words.append(before + after)
            else:
                words.append(f"{before}/{after}" if source.random() < 0.3 else before)
        answer: AnswerOutcome = make_answer(8, id=str(number))
        audited.append((answer, " ".join(words)))
        whole.append((answer, " ".join(full)))
    k = KRule("number", "10", number=10)
    return (
        summarize(*make_run(*audited), k_rule=k, resamples=120),
        summarize(*make_run(*whole), k_rule=k, resamples=2),
    )


# ---------------------------------------------------------------- second look


def test_second_looks_flip_by_themselves() -> None:
    """Four inconclusive claims judged twice and read on pages; one audited claim judged twice.

    Pages decide 3 of the 4, the second look alone 1 of them: the net effect of pages is 2 of 4.
    """
    answers, claims = make_run((make_answer(3, id="1"), "IS//S IC//I I//I"), (make_answer(3, id="2"), "IS//I S/S/C S"))
    found = summarize(answers, claims, k_rule=K4, resamples=100).second_look
    assert found is not None
    assert found.flips == share_of(2, 5)
    assert found.labels["inconclusive"] == {"supported": 1, "contradicted": 0, "inconclusive": 3}
    assert found.labels["supported"]["contradicted"] == 1
    assert found.open_turned_by_pages == share_of(3, 4)
    assert found.open_turned_by_second_look == share_of(1, 4)
    assert found.net.value == pytest.approx(0.5)
    assert found.net.low is not None
    assert found.net.high is not None
    assert found.net.low <= 0.5 <= found.net.high


def test_the_net_effect_may_be_negative_or_unknown() -> None:
    """A judge that wavers more than pages help is seen; without an open claim there is nothing to tell."""
    wavering = summarize(*make_run((make_answer(2), "I//S I//I")), k_rule=K4).second_look
    assert wavering is not None
    assert wavering.net.value == pytest.approx(-0.5)
    assert wavering.net.low is None  # one question
    decided = summarize(*make_run((make_answer(1), "S/S/S")), k_rule=K4).second_look
    assert decided is not None
    assert decided.net.value is None
    assert decided.open_turned_by_pages == share_of(0, 0)


def test_nobody_looked_twice() -> None:
    assert summarize(*make_run((make_answer(1), "S")), k_rule=K4).second_look is None


# ---------------------------------------------------------------- what else is told


def test_reasons_are_sorted_by_frequency_then_name() -> None:
    answer = replace(make_answer(4), warnings=("lone surrogate", "lone surrogate", "empty table"))
    claims = [
        *make_claims(answer, "U U", reason="search_failed"),
        *make_claims(answer, "U", reason="budget"),
        *make_claims(answer, "U", reason="model_refused"),
    ]
    summary = summarize([answer], claims, k_rule=K4)
    assert list(summary.unscored_reasons.items()) == [("search_failed", 2), ("budget", 1), ("model_refused", 1)]
    assert summary.warnings == {"empty table": 1, "lone surrogate": 1}


# ---------------------------------------------------------------- the words of the graph


@pytest.mark.anyio
async def test_the_flags_that_scores_read_are_those_that_the_graph_sets() -> None:
    """An audited claim without a readable page, and one whose pages could not be judged, by the graph itself."""
    replies = iter(["supported", "supported", "gibberish", "gibberish"])
    model = FakeModel(lambda request: next(replies))
    readers = (
        FakeReader({}),
        FakeReader({"https://1.example/": "A page on claim 0.", "https://2.example/": "Another."}),
    )
    outcomes = []
    for reader in readers:
        graph = build_claim_graph(ports(model, reader=reader))
        state = await graph.ainvoke({"claim": Claim("1", "Claim 0."), "audited": True})
        outcomes.append(outcome_of(whole_state(state), make_answer(1).answer))
    nothing_found, failed = outcomes
    assert (decided_label(nothing_found), audited_label(nothing_found)) == ("supported", "supported")
    assert (decided_label(failed), audited_label(failed)) == ("supported", None)
    assert summarize([make_answer(1)], [failed], k_rule=K4).later_failures == {"unreadable_reply": 1}
