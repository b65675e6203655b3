"""Lines of ``claims.jsonl`` and ``answers.jsonl``: our types to JSON objects, and back.

A record holds no time, no cost and nothing of the machine, so that equal runs are equal files. Its names stand in the
order of the types' fields. What is added for readers (``schema``, ``labels``, ``scores``) is left out when read back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from veriscore_agent.core.scoring import binary_label, label_at
from veriscore_agent.domain import STAGES, AnswerOutcome, AnswerScore, ClaimOutcome, Stage
from veriscore_agent.errors import InputError
from veriscore_agent.report.json_values import json_value

CLAIMS_SCHEMA: Literal["veriscore-agent/claims/1"] = "veriscore-agent/claims/1"
ANSWERS_SCHEMA: Literal["veriscore-agent/answers/1"] = "veriscore-agent/answers/1"

Record = dict[str, Any]
Outcome = TypeVar("Outcome", ClaimOutcome, AnswerOutcome)

_ADAPTERS: dict[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (ClaimOutcome, AnswerOutcome)}


def claim_record(outcome: ClaimOutcome, *, stages: Sequence[Stage] = STAGES) -> Record:
    """One line of ``claims.jsonl``.

    ``labels`` adds the claim's label as it stood after each of ``stages``, in ternary and in binary terms, or null
    where the claim is unscored.
    """
    return {"schema": CLAIMS_SCHEMA, "labels": _labels(outcome, stages), **json_value(outcome)}


def answer_record(outcome: AnswerOutcome, scores: Sequence[AnswerScore] = ()) -> Record:
    """One line of ``answers.jsonl``, with its scores by stage where they are known."""
    by_stage = {}
    for score in scores:
        record = json_value(score)
        del record["answer"], record["stage"]
        by_stage[score.stage] = record
    return {"schema": ANSWERS_SCHEMA, **json_value(outcome), "scores": by_stage}


def read_claim_record(
    record: Mapping[str, Any], *, path: str = "claims.jsonl", line: int | None = None
) -> ClaimOutcome:
    """The outcome that ``claim_record`` wrote. Raises InputError for another version, or what is no such record."""
    return _read(record, ClaimOutcome, CLAIMS_SCHEMA, path, line)


def read_answer_record(
    record: Mapping[str, Any], *, path: str = "answers.jsonl", line: int | None = None
) -> AnswerOutcome:
    """The outcome that ``answer_record`` wrote. Raises InputError for another version, or what is no such record."""
    return _read(record, AnswerOutcome, ANSWERS_SCHEMA, path, line)


def _read(record: Mapping[str, Any], kind: type[Outcome], schema: str, path: str, line: int | None) -> Outcome:
    found = record.get("schema")
    if found != schema:
        raise InputError(f"its schema is {found!r}; this version reads {schema!r}", path=path, line=line)
    try:
        outcome: Outcome = _ADAPTERS[kind].validate_python(record)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{place}: {first['msg']}", path=path, line=line) from None
    return outcome


def _labels(outcome: ClaimOutcome, stages: Sequence[Stage]) -> dict[str, Record | None]:
    labels: dict[str, Record | None] = {}
    for stage in stages:
        label = label_at(outcome, stage)
        labels[stage] = {"ternary": label, "binary": binary_label(label)} if label else None
    return labels
