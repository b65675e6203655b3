"""Score answers from Python. Run as it is, it replays the bundled recording: no key, no network.

Against live services leave ``replay`` out and set OPENAI_API_KEY and SERPER_API_KEY.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from veriscore_agent import Answer, score_answers

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"


async def main() -> None:
    """Print F1@K of every model and domain, from snippets alone and after full pages."""
    rows = [json.loads(line) for line in (DEMO / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = [
        Answer(
            id=row["id"],
            response=row["response"],
            question=row["question"],
            model=row["model"],
            domain=row["prompt_source"],
        )
        for row in rows
    ]
    report = await score_answers(answers, replay=DEMO / "exchanges")
    for group in report.summary.groups:
        figures = ", ".join(
            f"{stage.stage} {stage.f1.value:.3f}" for stage in group.stages if stage.f1.value is not None
        )
        print(f"{group.model}, {group.domain}: {figures}")


if __name__ == "__main__":
    asyncio.run(main())
