"""Claims as CSV: every claim once, nothing that a spreadsheet would run, and every text to be had back."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.outcomes import make_answer, make_claims
from veriscore_agent.domain import Claim, ClaimOutcome, Finding, Passage, Snippet
from veriscore_agent.report.csv_export import claims_csv, exact_text


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def worded(text: str) -> ClaimOutcome:
    (claim,) = make_claims(make_answer(1), "S")
    return replace(claim, claim=Claim("1", text))


def test_one_row_a_claim_with_its_labels() -> None:
    supported, wrong, unscored = make_claims(make_answer(3, domain="bio"), "IS C U", reason="budget")
    wrong = replace(wrong, claim=replace(wrong.claim, reference_label="supported"))
    found = rows(claims_csv([supported, wrong, unscored]))
    assert list(found[0]) == [
        *("model", "domain", "answer", "claim_id", "claim", "snippets", "pages", "rounds"),
        *("binary", "reference_label", "unscored", "ended", "reason", "links"),
    ]
    assert [(row["snippets"], row["pages"], row["rounds"], row["binary"]) for row in found] == [
        ("inconclusive", "supported", "supported", "supported"),
        ("contradicted", "contradicted", "contradicted", "unsupported"),
        ("", "", "", ""),
    ]
    assert [(row["reference_label"], row["unscored"], row["ended"]) for row in found] == [
        ("", "", "decided"),
        ("supported", "", "decided"),
        ("", "budget", "unscored"),
    ]
    assert {(row["model"], row["domain"], row["answer"]) for row in found} == {("m", "bio", "a")}


def test_stages_of_the_run_alone_are_columns() -> None:
    (row,) = rows(claims_csv(make_claims(make_answer(1), "I"), stages=("snippets",)))
    assert "pages" not in row
    assert (row["snippets"], row["binary"]) == ("inconclusive", "unsupported")


def test_links_are_those_that_the_last_verdict_quotes() -> None:
    """Each once, in the order of the findings; a finding of unknown evidence has none."""
    (claim,) = make_claims(make_answer(1), "IS")
    quoted = [Finding(0, name, "supports", "x") for name in ("P1", "S2", "P1", "S9")]
    claim = replace(
        claim,
        verdicts=(claim.verdicts[0], replace(claim.verdicts[1], findings=tuple(quoted), reason="It says so.")),
        snippets=(Snippet("S1", "", "http://one.example", ""), Snippet("S2", "", "http://two.example", "")),
        passages=(Passage("P1", "http://page.example", "", "", 0, 0),),
    )
    (row,) = rows(claims_csv([claim]))
    assert row["links"].splitlines() == ["http://page.example", "http://two.example"]
    assert row["reason"] == "It says so."


FORMULAS = [
    '=HYPERLINK("http://evil.example","click")',
    "+1 is the country code of Canada.",
    "-40 degrees are the same in both scales.",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "＝1+1",  # full-width forms are folded by some spreadsheets
    "'=1+1",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_run_as_a_formula(text: str) -> None:
    (row,) = rows(claims_csv([worded(text)]))
    assert row["claim"] == "'" + text
    assert exact_text(row["claim"]) == text


@pytest.mark.parametrize(
    "text", ["'Tis the season.", "1931 was a year.", 'Say "no", then\ngo.', "", " =1", "Ž ✅ → 歴史"]
)
def test_other_text_is_written_as_it_is(text: str) -> None:
    (row,) = rows(claims_csv([worded(text)]))
    assert row["claim"] == text
    assert exact_text(text) == text


@given(st.text(st.sampled_from("'=+-@\t\r\n\",aé＝\x00 "), max_size=8))
def test_the_exact_text_can_be_had_back(text: str) -> None:
    (row,) = rows(claims_csv([worded(text)]))
    assert exact_text(row["claim"]) == text
    assert not row["claim"].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_a_lone_surrogate_can_be_written() -> None:
    claims_csv([worded("half \ud800 pair")]).encode("utf-8")


def test_no_claims_leave_the_heading() -> None:
    assert claims_csv([]).count("\r\n") == 1
