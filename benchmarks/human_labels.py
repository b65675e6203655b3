"""The grounded judge against human labels: ``python benchmarks/human_labels.py ROWS.jsonl``.

Rows hold ``claim``, ``label`` (supported, contradicted, inconclusive) and ``search_results`` ({title, link, snippet}).
The model is that of the environment (``OPENAI_BASE_URL``, ``VERISCORE_MODEL``, ...). Prints a confusion matrix.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from veriscore_agent.domain import LABELS, Answer, ClaimOutcome, GivenClaim, Snippet
from veriscore_agent.runner import SilentWatcher, run_answers
from veriscore_agent.settings import load_settings
from veriscore_agent.wiring import open_services


def answer_of(number: int, row: dict[str, Any]) -> Answer:
    """A claim with its search results, as an answer of its own; the label goes along as the reference."""
    results = enumerate(row["search_results"], start=1)
    snippets = tuple(Snippet(f"S{at}", each["title"], each["link"], each["snippet"]) for at, each in results)
    given = GivenClaim(row["claim"], snippets, reference_label=row["label"])
    return Answer(id=str(number), response="", given=(given,))


async def judged(rows: list[dict[str, Any]]) -> tuple[ClaimOutcome, ...]:
    """The outcome of every row, from its snippets alone."""
    settings = replace(load_settings(), stages="snippets", judge="grounded")
    async with open_services(settings) as services:
        answers = [answer_of(number, row) for number, row in enumerate(rows)]
        result = await run_answers(answers, services.ports, services.settings, watcher=SilentWatcher())
    return result.claims


def main() -> None:
    """Judge all rows and print the matrix: human labels down, ours across."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    outcomes = asyncio.run(judged([json.loads(line) for line in text.splitlines() if line.strip()]))
    ours = [outcome.verdicts[0].label if outcome.verdicts else "unscored" for outcome in outcomes]
    pairs = Counter(zip((outcome.claim.reference_label for outcome in outcomes), ours, strict=True))
    columns = (*LABELS, "unscored")
    print(f"{'human':14}" + "".join(f"{label:>14}" for label in columns))
    for label in LABELS:
        print(f"{label:14}" + "".join(f"{pairs[label, column]:>14}" for column in columns))
    print(f"agreement: {sum(pairs[label, label] for label in LABELS)} of {len(outcomes)}")


if __name__ == "__main__":
    main()
