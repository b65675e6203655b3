"""The label is derived in code, by the paper's four scenarios."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veriscore_agent.core.verification.labels import derive_label
from veriscore_agent.domain import LABELS, Finding, Label, Stance, Trust


def finding(part: int, stance: Stance, trust: Trust = "ordinary") -> Finding:
    return Finding(part, "S1", stance, "a quote", trust)


yes: Stance = "supports"
no: Stance = "contradicts"

Row = tuple[str, int, list[Finding], bool, Label, tuple[int, ...]]

TABLE: list[Row] = [
    ("every part supported", 2, [finding(0, yes), finding(1, yes)], True, "supported", ()),
    ("several pieces support one part", 1, [finding(0, yes), finding(0, yes, "high")], True, "supported", ()),
    ("no finding", 1, [], True, "inconclusive", (0,)),
    ("one part unverified", 2, [finding(0, yes)], True, "inconclusive", (1,)),
    ("one part contradicted", 2, [finding(0, yes), finding(1, no)], True, "contradicted", ()),
    ("contradicted goes before unverified", 3, [finding(1, no)], True, "contradicted", (0, 2)),
    ("both supported and contradicted", 1, [finding(0, yes), finding(0, no)], True, "inconclusive", (0,)),
    ("one part disputed, another contradicted", 2, [finding(0, yes), finding(0, no), finding(1, no)], True,
     "contradicted", (0,)),
    ("no clear referent, though supported", 1, [finding(0, yes)], False, "inconclusive", ()),
    ("no clear referent, though contradicted", 1, [finding(0, no)], False, "inconclusive", ()),
    ("low trust alone does not support", 1, [finding(0, yes, "low"), finding(0, yes, "low")], True,
     "inconclusive", (0,)),
    ("low trust alone does not contradict", 1, [finding(0, no, "low")], True, "inconclusive", (0,)),
    ("low trust does not dispute what is supported", 1, [finding(0, yes), finding(0, no, "low")], True,
     "supported", ()),
    ("low trust does not rescue what is contradicted", 1, [finding(0, no), finding(0, yes, "low")], True,
     "contradicted", ()),
    ("low trust beside high on the same side", 1, [finding(0, yes, "low"), finding(0, yes, "high")], True,
     "supported", ()),
    ("high against ordinary is still a dispute", 1, [finding(0, yes, "high"), finding(0, no)], True,
     "inconclusive", (0,)),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=[row[0] for row in TABLE])
def test_label(row: Row) -> None:
    _, parts, findings, clear, label, open_parts = row
    names = [f"part {index}" for index in range(parts)]
    assert derive_label(names, findings, clear) == (label, open_parts)
    assert derive_label(names, reversed(findings), clear) == (label, open_parts), "order does not matter"


def test_a_claim_without_parts_has_no_label() -> None:
    """Of no parts, everything would be true."""
    with pytest.raises(ValueError, match="without parts"):
        derive_label([], [], True)


@given(
    st.lists(
        st.builds(
            finding,
            st.integers(0, 2),
            st.sampled_from([yes, no]),
            st.sampled_from(["high", "ordinary", "low"]),
        ),
        max_size=12,
    )
)
def test_supported_needs_every_part_and_no_open_one(findings: list[Finding]) -> None:
    """Supported and open parts exclude each other, and supported means exactly what it says."""
    label, open_parts = derive_label(["a", "b", "c"], findings, True)
    counted = {(each.part, each.stance) for each in findings if each.trust != "low"}
    assert (label == "supported") == (counted == {(0, yes), (1, yes), (2, yes)})
    assert (label == "contradicted") == any((p, no) in counted and (p, yes) not in counted for p in range(3))
    for part in range(3):
        assert (part in open_parts) == (((part, yes) in counted) == ((part, no) in counted))


def test_no_combination_of_two_parts_is_undefined() -> None:
    """All 256 sets of counted stances on two parts have a label that agrees with the scenarios."""
    kinds = [(part, stance, trust) for part in (0, 1) for stance in (yes, no) for trust in ("high", "low")]
    for chosen in product((False, True), repeat=len(kinds)):
        findings = [finding(*kind) for kind, used in zip(kinds, chosen, strict=True) if used]  # type: ignore[arg-type]
        label, open_parts = derive_label(["a", "b"], findings, True)
        assert label in LABELS
        assert not (label == "supported" and open_parts)
