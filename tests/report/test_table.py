"""The table says what the summary holds, fits the terminal, and prints no number where there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from rich.cells import cell_len

from tests.outcomes import make_answer, make_claims, make_run
from tests.report.strategies import SUMMARIES
from veriscore_agent.core.scoring import KRule, Summary, summarize
from veriscore_agent.domain import STAGES, Stage
from veriscore_agent.report.figures import estimate_text, name_text, number_text, range_text, score_text
from veriscore_agent.report.table import render_summary

REFERENCE = KRule("reference", "reference")


def shown(summary: Summary, width: int = 80) -> str:
    return render_summary(summary, width=width)


def summary_of(*pairs: Any, stages: tuple[Stage, ...] = STAGES, k: KRule = REFERENCE) -> Summary:
    return summarize(*make_run(*pairs), k_rule=k, stages=stages, resamples=50)


WHOLE = """\
VeriScore-style F1@K (K: reference)
model (bio)  K  snippets               pages
─────────────────────────────────────────────────────────────
m            4  .500 [.25–.75]  4/1/3  .750 [.50–1.00]  6/1/1
Below F1@K: claims supported/contradicted/inconclusive.
Brackets: 95% bootstrap interval over questions (50 resamples, seed 0); none for
a single question. Shares carry Wilson's 95% interval.
Fewer than 10 questions in a domain: such intervals are too narrow.

Answers and claims
                          ab-     no
model (bio)  answers  stained  claim  claims
────────────────────────────────────────────
m                  3        1      0       8
Abstentions: 1 of 3 answers (33.3%, 6.1–79.2%). Policy: left out of K and of the
means, and counted; the mean with abstentions as 0 stands beside it.

Means at pages
                                 with  abstained  sent./  claims/  claims/
model (bio)     P     R  F1@K  claims       as 0  answer   answer    sent.
──────────────────────────────────────────────────────────────────────────
m            .750  .750  .750    .750       .500     2.0      4.0      2.0

What became of inconclusive claims
                            now           now         still  judged
              before  supported  contradicted  inconclusive   again
───────────────────────────────────────────────────────────────────
from snippets to pages
  all claims       3          2             0             1       2
"""


def test_a_small_run_as_a_whole() -> None:
    """Everything that is printed of a complete run, and nothing else."""
    summary = summary_of(
        (make_answer(4, id="1", domain="bio", sentences=2), "S S S IS"),
        (make_answer(4, id="2", domain="bio", sentences=2), "S C IS I"),
        (make_answer(0, id="3", domain="bio", sentences=1, abstained=True), ""),
        stages=("snippets", "pages"),
    )
    assert shown(summary) == WHOLE


def test_counts_of_all_three_labels_stand_beside_every_score() -> None:
    """S07: five supported, three inconclusive, none contradicted: at every stage, in every row, and overall."""
    summary = summary_of(
        (make_answer(8, id="1", domain="a"), "S S S S S I I I"), (make_answer(1, id="2", domain="b"), "IIS")
    )
    text = shown(summary)
    assert text.count("5/0/3") == 3
    assert text.count("0/0/1") == 2
    assert text.count("5/0/4") == 2  # overall, at snippets and pages
    assert text.count("6/0/3") == 1
    assert "supported/contradicted/inconclusive" in text


def test_a_failed_answer_is_named_and_no_nan_is_printed() -> None:
    """S06: the mean is over 99 of 100, `Failed: 1` is said, and so are the reason and the bounds."""
    pairs = [(make_answer(2, id=str(number)), "S S") for number in range(99)]
    text = shown(summary_of(*pairs, (make_answer(2, id="lost"), "U U"), k=KRule("number", "2", number=2)))
    assert "1.000 [1.00–1.00]" in text
    assert "within .990–1.000" in text
    assert "Failed: 1. Nothing of this answer could be scored" in text
    assert "Unscored claims: model_failed 2." in text
    assert "nan" not in text.lower()


def test_both_means_and_the_policy_on_abstentions_are_printed() -> None:
    """One of two declines: the mean without it, the mean with it as 0, how many, and what is done with them."""
    summary = summary_of((make_answer(2, id="1"), "S S"), (make_answer(0, id="2", abstained=True), ""))
    text = shown(summary)
    assert "Abstentions: 1 of 2 answers (50.0%" in text
    assert "Policy: left out of K and of the means" in " ".join(text.split())
    (row,) = [line for line in text.split("Means at rounds")[1].splitlines() if line.startswith("m ")]
    assert row.split() == ["m", "1.000", "1.000", "1.000", "1.000", ".500", "–", "2.0", "–"]


def test_an_incomplete_run_says_what_is_missing() -> None:
    summary = summary_of((make_answer(3, id="1", unextracted=1), "S U"), (make_answer(1, id="2"), "S"))
    text = " ".join(shown(summary).split())
    assert "Incomplete: 1 answer." in text
    assert "of 1 claim at most" in text
    assert "Unscored claims: model_failed 1, stopped 1." in text
    assert "Unextracted sentences: model_failed 1." in text


def test_a_complete_run_has_no_columns_of_what_is_missing() -> None:
    text = shown(summary_of((make_answer(1), "S")))
    assert "within" not in text
    assert "unscored" not in text.lower()


def test_failures_of_later_stages_are_told() -> None:
    answer = make_answer(1)
    (claim,) = make_claims(answer, "I")
    failed = replace(claim, ended="failed", flags=("failed:model_refused",))
    text = " ".join(shown(summarize([answer], [failed], k_rule=REFERENCE)).split())
    assert "keep an earlier verdict, for something later failed: model_refused 1." in text


def test_a_model_without_overall_says_why() -> None:
    summary = summary_of(
        (make_answer(1, id="1", model="one", domain="biography"), "S"),
        (make_answer(1, id="2", model="one", domain="history"), "S"),
        (make_answer(1, id="1", model="other", domain="biography"), "S"),
    )
    text = shown(summary)
    assert "other: no overall score, for it has no score in history." in text
    overall = text.split("Overall: the mean of the domain means")[1].split("Below F1@K")[0]
    assert "\none " in overall
    assert "1.000" in overall


def test_one_domain_has_no_overall_of_its_own() -> None:
    """It would be the same figures once more."""
    assert "Overall" not in shown(summary_of((make_answer(1), "S")))


def test_what_later_stages_changed_is_told_by_model() -> None:
    summary = summary_of(
        (make_answer(3, model="one"), "IS IIC S"), (make_answer(2, model="other"), "I SI"), stages=("snippets", "pages")
    )
    changes = shown(summary).split("What became of inconclusive claims")[1]
    rows = [line.split() for line in changes.splitlines() if line.startswith("  ")]
    assert ["all", "models", "3", "1", "0", "2", "3"] in rows
    assert ["one", "2", "1", "0", "1", "2"] in rows
    assert ["other", "1", "0", "0", "1", "1"] in rows
    assert "Other labels changed from snippets to pages: supported to inconclusive 1." in changes


def test_the_audit_and_its_correction_are_told() -> None:
    summary = summary_of((make_answer(4, id="1"), "S/S S/I S C"), k=KRule("number", "4", number=4))
    text = " ".join(shown(summary).split())
    assert "4 claims decided at snippets. 1 of 2 audited claims (50.0%, 9.5–90.5%) changed the label" in text
    assert "supported: 3 decided; 1 of 2 audited (50.0%, 9.5–90.5%) turned out not to be." in text
    assert "contradicted: 1 decided, none of them audited; not corrected." in text
    assert "F1@K corrected by the audit's rates" in text
    assert ".375" in text


def test_a_second_look_is_told() -> None:
    summary = summary_of((make_answer(2, id="1"), "IS//S I//I"), (make_answer(2, id="2"), "IC//I I//I"))
    text = " ".join(shown(summary).split())
    assert "1 of 4 claims (25.0%, 4.6–69.9%) flipped" in text
    assert "2 of 4 inconclusive ones (50.0%, 15.0–85.0%) were decided by pages" in text
    assert "net of it +25.0% [" in text


def test_agreement_with_given_labels_is_told() -> None:
    answer = make_answer(4)
    given = ("supported", "Unsupported.", "maybe", "supported")
    claims = [
        replace(claim, claim=replace(claim.claim, reference_label=label))
        for claim, label in zip(make_claims(answer, "S IS S U"), given, strict=True)
    ]
    text = shown(summarize([answer], claims, k_rule=REFERENCE, stages=("snippets", "pages")))
    rows = {line[:12].strip(): line.split() for line in text.splitlines()}
    assert rows["at snippets"][2] == "1.000"
    assert rows["at snippets"][-4:] == ["1", "0", "0", "1"]
    assert rows["at pages"][-4:] == ["1", "1", "0", "0"]
    assert rows["unsupported"] == ["unsupported", "1", "0", "0"]
    assert "1 claim with a reference label and no verdict." in text
    assert "compared with nothing: maybe 1." in text


def test_the_papers_protocol_alone_is_called_the_papers_metric() -> None:
    ours = summary_of((make_answer(1), "S"))
    papers = replace(ours, protocol="paper")
    assert shown(ours).startswith("VeriScore-style F1@K")
    assert shown(papers).startswith("VeriScore F1@K, the paper's protocol")


def test_nothing_was_scored() -> None:
    assert shown(summarize([], [], k_rule=REFERENCE)) == "VeriScore-style F1@K (K: reference)\nNo answers.\n"


@settings(max_examples=25, deadline=None)
@given(SUMMARIES)
def test_no_line_is_wider_than_the_terminal(rows: list[Any]) -> None:
    """Whatever a run holds, at 80, 100 and 120 columns: nothing is cut, and None is never printed."""
    names = {
        "one": "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo-and-more",
        "other": "",
        "a": "歴史の質問",
        "b": "long " * 9,
    }
    pairs = []
    for number, (model, domain, words, unextracted, _) in enumerate(rows):
        answer = make_answer(
            len(words), id=str(number), model=names[model], domain=names[domain], unextracted=unextracted
        )
        pairs.append((answer, " ".join(words)))
    summary = summary_of(*pairs)
    for width in (80, 100, 120):
        text = shown(summary, width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        assert "…" not in text
        assert "None" not in text
        assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_a_narrow_terminal_cuts_no_figure() -> None:
    summary = summary_of((make_answer(1), "S"))
    assert shown(summary, 40) == shown(summary, 80)


def test_colour_is_added_and_changes_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """With colour off there is no escape at all, whatever the environment says; with it on, the words are the same."""
    summary = summary_of((make_answer(3), "S C I"))
    plain = render_summary(summary, width=100)
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", "30"), ("TERM", "dumb"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    assert render_summary(summary, width=100) == plain
    assert "\x1b" not in plain
    coloured = render_summary(summary, width=100, colour=True)
    assert "\x1b[32m1\x1b[0m/\x1b[31m1\x1b[0m/\x1b[33m1\x1b[0m" in coloured


def test_names_from_the_input_are_text_and_nothing_else() -> None:
    """No escape, line break or direction mark of a name reaches the terminal, and markup is no markup."""
    name = "[red]\x1b[31mevil\x07\nname\u202e[/red] :smile:"
    text = shown(summary_of((make_answer(1, model=name, domain=name), "S")), 120)
    assert "[red] [31mevil name [/red] :smile:" in text
    assert not set("\x1b\x07\u202e") & set(text)


def test_a_lone_surrogate_can_be_printed() -> None:
    shown(summary_of((make_answer(1, model="\ud800", domain="\udfff"), "S"))).encode("utf-8")


FIGURES = [
    (score_text(None), "–"),
    (score_text(0.0), ".000"),
    (score_text(0.5124), ".512"),
    (score_text(1.0), "1.000"),
    (score_text(0.99999), "1.000"),  # rounds up: no figure of four digits and no leading zero
    (range_text(0.004, 1.0), ".00–1.00"),
    (number_text(None), "–"),
    (number_text(12), "12"),
    (number_text(2.5), "2.5"),
    (name_text(" \t", empty="(none)"), "(none)"),
]


@pytest.mark.parametrize(("found", "expected"), FIGURES)
def test_figures_as_people_read_them(found: str, expected: str) -> None:
    assert found == expected


def test_a_score_without_interval_stands_alone() -> None:
    summary = summary_of((make_answer(1), "S"))
    assert estimate_text(summary.groups[0].stages[0].f1) == "1.000"
