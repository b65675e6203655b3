"""Do the chosen passages bring the evidence? Measured on WiCE, whose annotators marked it sentence by sentence.

    python benchmarks/passages.py [FOLDER OF THE LABELLED DATA]

A claim counts where one whole set of supporting sentences lies inside the passages. Budgets are characters / 4. "text"
charges what is quoted from the page, as sentence selectors are measured elsewhere; "all" also charges the id, address
and title that each passage carries in a prompt. The last line is one JSON object of the figures. Exit 1 where a
figure is below its floor, 2 where the data is absent.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from veriscore_agent.core.passages import choose_passages
from veriscore_agent.domain import Page, Passage

BUDGETS = (300, 600, 1000)
FLOORS = {
    "claim/text": (0.787, 0.912, 0.959),
    "claim and title/text": (0.82, 0.93, 0.97),
}
"""The first: what BM25 over single sentences reaches on the same rows."""
DATA_SHA256 = "a25defa735c3df37c1ae9e2911b28621cadc74fe341ff15e3627e1019cf704ce"


@dataclass(frozen=True)
class Row:
    """One claim with its page and the sentences that support it."""

    claim: str
    title: str
    page: Page
    sets: list[list[int]]
    spans: list[tuple[int, int]]


def main(folder: Path) -> int:
    """Print the figures; 0 where every floor is held."""
    path = folder / "data" / "wice_dev.jsonl"
    if not path.is_file():
        print(f"no labelled data in {folder}; set VERISCORE_SHARED to its folder", file=sys.stderr)
        return 2
    if hashlib.sha256(path.read_bytes()).hexdigest() != DATA_SHA256:
        print("the data is not the one that the floors were measured on", file=sys.stderr)
    rows = list(_rows(path))
    figures: dict[str, object] = {"rows": len(rows)}
    missed = False
    for question in ("claim", "claim and title"):
        for charge in ("text", "all"):
            name = f"{question}/{charge}"
            shares, milliseconds = _measure(rows, with_title=question != "claim", charge_heads=charge == "all")
            figures[name] = shares
            figures["median_ms"] = milliseconds
            missed |= any(share < floor for share, floor in zip(shares, FLOORS.get(name, (0, 0, 0)), strict=True))
            print(f"{name:22}", *(f"{budget}: {share:.3f}" for budget, share in zip(BUDGETS, shares, strict=True)))
    print(json.dumps(figures | {"floors_held": not missed}))
    return int(missed)


def _rows(path: Path) -> Iterable[Row]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sets = [each for each in row["support_sets"] if each]
        if sets:
            spans, at = [], 0
            for sentence in row["page_sentences"]:
                spans.append((at, at + len(sentence)))
                at += len(sentence) + 1
            page = Page("", "", "\n".join(row["page_sentences"]), None, row["id"])
            yield Row(row["claim"], row["claim_title"] or "", page, sets, spans)


def _measure(rows: Sequence[Row], *, with_title: bool, charge_heads: bool) -> tuple[list[float], float]:
    """Share of rows with a whole set chosen, for each budget, and the median time of one choice in milliseconds."""
    shares, times = [], []
    for budget in BUDGETS:
        hits = 0
        for row in rows:
            started = time.perf_counter()
            passages = choose_passages(
                f"{row.claim} {row.title}" if with_title else row.claim,
                (),
                [row.page],
                budget_tokens=budget * 4,
                count_tokens=len if charge_heads else _without_head,
            )
            times.append((time.perf_counter() - started) * 1000)
            hits += any(all(_inside(row.spans[number], passages) for number in each) for each in row.sets)
        shares.append(round(hits / len(rows), 3))
    return shares, round(statistics.median(times), 1)


def _without_head(passage: str) -> int:
    """Characters of a passage as it is charged, without the line that names it and without indentation."""
    return len(passage.partition("\n  ")[2].replace("\n  ", "\n"))


def _inside(span: tuple[int, int], passages: Sequence[Passage]) -> bool:
    return any(passage.start <= span[0] and span[1] <= passage.end for passage in passages)


if __name__ == "__main__":
    default = Path(os.environ.get("VERISCORE_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else default))
