"""What is told of costs, of what is missing, and of how to go on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from veriscore_agent.adapters.run_folder import begin_record
from veriscore_agent.cli.results import spending_note
from veriscore_agent.cli.score import with_other_cap
from veriscore_agent.report.run_record import InputRecord, RecordingRecord, SessionRecord, UsageRecord
from veriscore_agent.settings import Settings

COSTS = [
    ("all known", (0.1, 0.005), "cost: $0.1050"),
    ("a part known", (0.105, None), "cost: at least $0.1050; not known in full (no price, or usage not told)"),
    ("none known", (None, None), "cost: not known (no price, or usage not told)"),
    ("free", (0.0, 0.0), "cost: $0.0000"),
]


@pytest.mark.parametrize(("costs", "told"), [row[1:] for row in COSTS], ids=[row[0] for row in COSTS])
def test_the_known_part_of_a_cost_is_told(costs: tuple[float | None, ...], told: str) -> None:
    sessions = tuple(SessionRecord("", usage={"judge": UsageRecord(calls=1, cost=cost)}) for cost in costs)
    record = begin_record(Settings(), InputRecord("a.jsonl", 1, ""), RecordingRecord(), prompts_folder={})
    record = replace(record, sessions=sessions)
    assert spending_note(record) == f"calls: judge {len(costs)}; {told}"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("a score x --max-cost 1 --out r", "a score x --out r --max-cost USD"),
        ("a score x --max-cost=1 --out 'a b'", "a score x --out 'a b' --max-cost USD"),
        ("a score x", "a score x --max-cost USD"),
    ],
)
def test_a_cap_that_was_reached_is_not_given_again(command: str, told: str) -> None:
    """Nor is it left out: that would run without any; and it may have come from the environment."""
    assert with_other_cap(command) == told
