"""What runs say of claims whose gold label is their domain: ``python benchmarks/by_label.py RUN [ANOTHER RUN ...]``.

Prints, for each run: the share of claims labelled supported at each stage, by gold label, with Wilson's 95% interval;
false support (claims of any other gold label that were labelled supported); how many of the claims that were decided at
snippets turned on their pages, where the run was audited; and what a claim cost in pages and tokens. Runs of the same
claims stand one below the other, so that reading pages only when snippets fail (the default) can be held against
always reading them (``--escalate all``). The last line is one JSON object of the figures.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from veriscore_agent.core.statistics import Share, share_of
from veriscore_agent.domain import STAGES, Stage

SUPPORTED = "supported"
"""The one gold label under which the label *supported* is right."""


def main(folders: list[Path]) -> None:
    """Print one table and one line of JSON a run."""
    figures = {}
    for folder in folders:
        claims = [json.loads(line) for line in (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines()]
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        print(f"\n{folder.name}: {len(claims)} claims, --escalate {_rule(run)}, audit {run['settings']['audit']:g}\n")
        figures[folder.name] = _labels(claims) | _audited(claims) | _costs(claims, run)
    print(json.dumps(figures))


def _rule(run: dict[str, Any]) -> str:
    return run["settings"]["escalate"] or "inconclusive"


def _labels(claims: list[dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for claim in claims:
        groups[claim["answer"]["domain"]].append(claim)
    stages = [stage for stage in STAGES if any(claim["labels"].get(stage) for claim in claims)]
    print(f"| gold label | {' | '.join(stages)} |\n|{'---|' * (len(stages) + 1)}")
    figures: dict[str, Any] = {}
    for gold, group in sorted(groups.items(), reverse=True):
        shares = [_share_supported(group, stage) for stage in stages]
        print(f"| {gold} |", " | ".join(map(_in_words, shares)), "|")
        figures[gold] = {stage: [share.count, share.total] for stage, share in zip(stages, shares, strict=True)}
        contradicted = sum(_label(claim, stages[-1]) == "contradicted" for claim in group)
        figures[gold]["contradicted at the end"] = contradicted
    others = [claim for gold, group in groups.items() if gold != SUPPORTED for claim in group]
    print("false support:", *(f"{stage} {_in_words(_share_supported(others, stage))};" for stage in stages))
    return figures


def _label(claim: dict[str, Any], stage: Stage) -> str | None:
    found = (claim["labels"].get(stage) or {}).get("ternary")
    return str(found) if found else None


def _share_supported(claims: list[dict[str, Any]], stage: Stage) -> Share:
    return share_of(sum(_label(claim, stage) == "supported" for claim in claims), len(claims))


def _audited(claims: list[dict[str, Any]]) -> dict[str, Any]:
    audited = [claim for claim in claims if claim["audit"]]
    if not audited:
        return {}
    turns = Counter(
        f"{label} -> {claim['audit']['label']}"
        for claim in audited
        if (label := _label(claim, "snippets")) != claim["audit"]["label"]
    )
    share = share_of(sum(turns.values()), len(audited))
    print(f"decided at snippets and audited: {len(audited)}; turned on their pages: {_in_words(share)} {dict(turns)}")
    return {"audited": len(audited), "turned": dict(turns)}


def _costs(claims: list[dict[str, Any]], run: dict[str, Any]) -> dict[str, float]:
    usage = [session["usage"].get("judge", {}) for session in run["sessions"]]
    costs = {
        "claims with pages": sum(bool(claim["visits"]) for claim in claims) / len(claims),
        "pages": sum(len(claim["visits"]) for claim in claims) / len(claims),
        "judge calls": sum(each.get("calls", 0) for each in usage) / len(claims),
        "judge input tokens": sum(each.get("input_tokens", 0) for each in usage) / len(claims),
        "judge output tokens": sum(each.get("output_tokens", 0) for each in usage) / len(claims),
    }
    print("a claim, on average:", ", ".join(f"{name} {value:.2f}" for name, value in costs.items()))
    return {name: round(value, 3) for name, value in costs.items()}


def _in_words(share: Share) -> str:
    ends = f" [{share.low:.2f}, {share.high:.2f}]" if share.low is not None and share.high is not None else ""
    return f"{share.count} of {share.total}{ends}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: python {sys.argv[0]} RUN [ANOTHER RUN ...]")
    main([Path(argument) for argument in sys.argv[1:]])
