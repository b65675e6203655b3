"""What a run says of claims whose gold label is their domain: ``python benchmarks/by_label.py RUN``.

Prints, for each gold label and stage, the share of claims labelled supported with Wilson's 95% interval, and what the
pages of a claim cost.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from veriscore_agent.core.statistics import Share, share_of
from veriscore_agent.domain import STAGES


def main() -> None:
    """Print one line a gold label and stage, then the pages and tokens a claim."""
    path = Path(sys.argv[1]) / "claims.jsonl"
    claims = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for claim in claims:
        groups[claim["answer"]["domain"]].append(claim)
    for gold, group in sorted(groups.items()):
        for stage in STAGES:
            labels = [(claim["labels"].get(stage) or {}).get("ternary") for claim in group]
            share = share_of(labels.count("supported"), len(labels))
            others = ", ".join(f"{labels.count(label)} {label}" for label in ("contradicted", "inconclusive"))
            print(f"{gold:20} {stage:9} supported {share.count} of {share.total} {_interval(share)}; {others}")
    opened = [claim for claim in claims if claim["visits"]]
    pages = sum(len(claim["visits"]) for claim in claims)
    tokens = sum(visit["passage_tokens"] for claim in opened for visit in claim["visits"])
    print(f"claims that opened pages: {len(opened)} of {len(claims)}; pages a claim: {pages / len(claims):.1f}")
    print(f"passage tokens before the last judge, a claim that opened pages: {tokens / max(1, len(opened)):.0f}")


def _interval(share: Share) -> str:
    return f"[{share.low:.2f}, {share.high:.2f}]" if share.low is not None and share.high is not None else "[-]"


if __name__ == "__main__":
    main()
