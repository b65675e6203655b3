"""Claims of WiCE (github.com/ryokamoi/wice) as claims-only input, so that a run's table is by gold label.

    python benchmarks/wice_claims.py wice_dev.jsonl --per-label 10 > claims.jsonl
    veriscore-agent score claims.jsonl --out RUN ...
    python benchmarks/by_label.py RUN

WiCE claims are taken out of an article ("He ..."); the article's title is put in front. The gold label stands as the
domain, which no judge sees.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

LABELS = ("supported", "partially_supported", "not_supported")


def sample(rows: list[dict[str, Any]], per_label: int, seed: int) -> list[dict[str, str]]:
    """As many claims of each gold label, in an order that says nothing."""
    chance = random.Random(seed)
    chosen: list[dict[str, str]] = []
    for label in LABELS:
        of_label = [row for row in rows if row["label"] == label]
        chance.shuffle(of_label)
        chosen += [
            {
                "id": row["id"],
                "claim": f"{row['claim_title']}: {row['claim']}",
                "model": "wikipedia",
                "prompt_source": label,
            }
            for row in of_label[:per_label]
        ]
    chance.shuffle(chosen)
    return chosen


def main() -> None:
    """Print the claims as JSON Lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="JSON Lines of WiCE with id, claim, claim_title and label")
    parser.add_argument("--per-label", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.rows.read_text(encoding="utf-8").split("\n") if line.strip()]
    for row in sample(rows, arguments.per_label, arguments.seed):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
