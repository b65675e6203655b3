"""From findings to a label: the paper's four scenarios, decided in code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from veriscore_agent.domain import Finding, Label, Stance


def derive_label(
    parts: Sequence[str], findings: Iterable[Finding], clear_referent: bool
) -> tuple[Label, tuple[int, ...]]:
    """The label of a claim, and the indices of its open parts.

    A part is supported, or contradicted, if at least one finding with this stance has a trust above ``low``: sources
    of low trust alone decide nothing, and cannot outweigh others either. A part with both stances, or with neither,
    is open.

    - no clear referent: inconclusive, whatever the findings say;
    - some part contradicted and not supported: contradicted, even where other parts are open;
    - every part supported and not contradicted: supported;
    - otherwise: inconclusive.

    Raises ValueError without parts, of which everything would be true.
    """
    if not parts:
        raise ValueError("a claim without parts has no label")
    stances: list[set[Stance]] = [set() for _ in parts]
    for finding in findings:
        if finding.trust != "low":
            stances[finding.part].add(finding.stance)
    open_parts = tuple(index for index, found in enumerate(stances) if len(found) != 1)
    if not clear_referent:
        return "inconclusive", open_parts
    if {"contradicts"} in stances:
        return "contradicted", open_parts
    return ("inconclusive" if open_parts else "supported"), open_parts
