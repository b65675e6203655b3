"""What is printed and written of a finished run."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console

from veriscore_agent.cli.job import Job
from veriscore_agent.cli.output import print_json, print_result
from veriscore_agent.cli.session import Finished, summarize_job
from veriscore_agent.core.scoring import Summary
from veriscore_agent.domain import ClaimOutcome, Stage
from veriscore_agent.report.csv_export import claims_csv
from veriscore_agent.report.run_record import RunRecord
from veriscore_agent.report.summary_json import summary_record
from veriscore_agent.report.table import render_summary
from veriscore_agent.wiring import write_text

NARROWEST = 80


def print_scores(summary: Summary, *, as_json: bool) -> None:
    """Print the scores: a table for people, JSON for machines."""
    if as_json:
        print_json(summary_record(summary))
        return
    console = Console(file=sys.stdout)
    width = max(NARROWEST, console.width)
    print_result(render_summary(summary, width=width, colour=console.is_terminal and not console.no_color).rstrip("\n"))


def write_csv(path: str, claims: Sequence[ClaimOutcome], stages: Sequence[Stage]) -> None:
    """Write the claims as CSV. Raises ConfigurationError where the disk does not take it."""
    write_text(path, claims_csv(claims, stages=stages))


def stored_result(job: Job) -> Finished:
    """A run that is whole already, as it stands on disk."""
    stored = job.stored
    if stored is None:
        raise ValueError("only a run that is stored can be taken as it stands")
    return Finished(stored.record, summarize_job(job, stored.answers, stored.claims), stored.claims)


def spending_note(record: RunRecord, *, so_far: bool = False) -> str:
    """What all sessions of a run cost together, by kind of call. ``so_far``: there were some before this one."""
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    costs: list[float | None] = []
    for session in record.sessions:
        for kind, usage in session.usage.items():
            calls[kind] += usage.calls
            tokens[kind] += usage.input_tokens + usage.output_tokens
            costs.append(usage.cost)
    if not calls:
        return "no paid call was made"
    listed = ", ".join(
        f"{kind} {count:,}" + (f" ({tokens[kind]:,} tokens)" if tokens[kind] else "") for kind, count in calls.items()
    )
    return f"{'calls of this run so far' if so_far else 'calls'}: {listed}; cost: {_cost(costs)}"


def _cost(costs: Sequence[float | None]) -> str:
    known = sum(cost for cost in costs if cost is not None)
    if None not in costs:
        return f"${known:.4f}"
    why = "(no price, or usage not told)"
    return f"at least ${known:.4f}; not known in full {why}" if known else f"not known {why}"


def missing_note(summary: Summary) -> str:
    """What is missing in an incomplete run, counted by reason."""
    rows = (
        (summary.unscored_reasons, "claim unscored", "claims unscored"),
        (summary.unextracted_reasons, "sentence not extracted", "sentences not extracted"),
        (summary.later_failures, "claim with an earlier verdict alone", "claims with an earlier verdict alone"),
    )
    return ", ".join(_counted(reasons, one, several) for reasons, one, several in rows if reasons)


def _counted(reasons: Mapping[str, int], one: str, several: str) -> str:
    total = sum(reasons.values())
    listed = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    return f"{total} {one if total == 1 else several} ({listed})"
