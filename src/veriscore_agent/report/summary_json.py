"""The summary of a run as JSON, for machines."""

from __future__ import annotations

import json
from typing import Any

from veriscore_agent.core.scoring import Summary
from veriscore_agent.report.json_values import json_value

SUMMARY_SCHEMA = "veriscore-agent/summary/1"


def summary_record(summary: Summary) -> dict[str, Any]:
    """The summary as a JSON object; a figure that does not exist is null."""
    return {"schema": SUMMARY_SCHEMA, **json_value(summary)}


def summary_json(summary: Summary) -> str:
    """The summary as text, indented, ending in a newline."""
    return json.dumps(summary_record(summary), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
