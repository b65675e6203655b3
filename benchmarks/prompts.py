"""Tokens of the grounded judge's prompt: ``python benchmarks/prompts.py ROWS.jsonl [ROWS.jsonl ...]``.

Rows hold ``claim`` and ``search_results`` ({title, link, snippet}). Counted are system and user message of a claim's
first judging, in o200k_base; the schema is not counted. No model is asked.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from veriscore_agent.adapters.tokens import count_tokens
from veriscore_agent.core.verification.grounded import GroundedJudge
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.domain import Snippet


def prompt_tokens(row: dict[str, object]) -> int:
    """Tokens of the prompt for one row."""
    results = row["search_results"]
    assert isinstance(results, list)
    snippets = tuple(
        Snippet(f"S{at}", each["title"], each["link"], each["snippet"]) for at, each in enumerate(results, start=1)
    )
    request = GroundedJudge().request(JudgingTask(str(row["claim"]), "snippets", snippets))
    return count_tokens(request.system) + count_tokens(request.user)


def main() -> None:
    """Print mean and maximum over all rows of all files."""
    lines = [line for name in sys.argv[1:] for line in Path(name).read_text(encoding="utf-8").splitlines()]
    tokens = [prompt_tokens(json.loads(line)) for line in lines if line.strip()]
    print(f"{len(tokens)} prompts: mean {statistics.mean(tokens):.0f}, most {max(tokens)} tokens")


if __name__ == "__main__":
    main()
