"""What the check of quotes drops of the findings of runs: ``python benchmarks/quotes.py RUN [ANOTHER RUN ...]``.

Every finding that a model brought, kept or dropped, is checked again by the rules of this version; the same quote of
the same evidence for the same part counts once. Prints what each rule drops, and every finding dropped, to be looked
at: in a run on pages without hostile text whatever is found in its evidence is honest. The last line is one JSON object
of the figures. Ends with 1 where more than MOST_DROPPED of all quotes that were found are dropped.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from veriscore_agent.core.statistics import share_of
from veriscore_agent.core.verification.findings import check_findings
from veriscore_agent.domain import ClaimOutcome, DroppedFinding, Evidence, Finding, Verdict
from veriscore_agent.report.records import read_claim_record

MOST_DROPPED = 0.02
NOT_FOUND = frozenset({"quote_not_found", "unknown_part", "unknown_evidence"})
"""Reasons for which a finding never was one."""


def main(folders: list[Path]) -> int:
    """Print the figures of each run; the exit code."""
    figures: dict[str, Any] = {}
    for folder in folders:
        print(f"\n{folder.name}")
        lines = (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines()
        figures[folder.name] = measure([read_claim_record(json.loads(line)) for line in lines])
    print(json.dumps(figures))
    return int(any((each["share"] or 0.0) > MOST_DROPPED for each in figures.values()))


def measure(outcomes: list[ClaimOutcome]) -> dict[str, Any]:
    """How many quotes of the outcomes' findings were found in their evidence, and how many of those do not count."""
    found = 0
    reasons: Counter[str] = Counter()
    for outcome in outcomes:
        kept, dropped = _checked(outcome)
        found += len(kept)
        for each in dropped:
            reasons[each.reason] += 1
            if each.reason not in NOT_FOUND:
                found += 1
                _show(each, outcome)
    honest = share_of(sum(count for reason, count in reasons.items() if reason not in NOT_FOUND), found)
    print(f"quotes found: {found}; dropped: {honest.count}; " + ", ".join(f"{k} {n}" for k, n in reasons.most_common()))
    return {
        "claims": len(outcomes),
        "quotes_found": found,
        "dropped": honest.count,
        "share": honest.share,
        "interval": [honest.low, honest.high],
        "reasons": dict(sorted(reasons.items())),
    }


def _checked(outcome: ClaimOutcome) -> tuple[list[Finding], list[DroppedFinding]]:
    evidence: dict[str, Evidence] = {each.id: each for each in outcome.snippets} | {
        each.id: each for each in outcome.passages
    }
    kept: dict[tuple[str, str, str, str], Finding] = {}
    dropped: dict[tuple[str, str, str, str], DroppedFinding] = {}
    for verdict in _verdicts(outcome):
        findings = (*verdict.findings, *(each.finding for each in verdict.dropped))
        for_all = check_findings(findings, tuple(evidence.values()), verdict.parts)
        for finding in for_all[0]:
            kept[_key(finding, verdict, evidence)] = finding
        for each in for_all[1]:
            dropped[_key(each.finding, verdict, evidence)] = each
    return list(kept.values()), list(dropped.values())


def _verdicts(outcome: ClaimOutcome) -> Iterator[Verdict]:
    others = (outcome.audit, outcome.second_look)
    yield from (each for each in (*outcome.verdicts, *others) if each is not None and each.judge == "grounded")


def _key(finding: Finding, verdict: Verdict, evidence: dict[str, Evidence]) -> tuple[str, str, str, str]:
    """One finding is one quote for one part with one stance, however many pieces hold it."""
    part = verdict.parts[finding.part] if 0 <= finding.part < len(verdict.parts) else ""
    piece = evidence.get(finding.evidence)
    return part, finding.stance, finding.quote, piece.text if piece else finding.evidence


def _show(dropped: DroppedFinding, outcome: ClaimOutcome) -> None:
    finding = dropped.finding
    parts = next((verdict.parts for verdict in _verdicts(outcome)), ())
    part = parts[finding.part] if 0 <= finding.part < len(parts) else "?"
    print(f"  {dropped.reason} [{outcome.claim.id}] {finding.stance} {part!r}: {finding.quote!r}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: python {sys.argv[0]} RUN [ANOTHER RUN ...]")
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
