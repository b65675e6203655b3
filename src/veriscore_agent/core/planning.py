"""Further queries for the parts of a claim that are still open: the prompt, and how its reply is read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from veriscore_agent.core.verification.neutralising import one_line
from veriscore_agent.core.verification.replies import reply_text, unreadable
from veriscore_agent.core.verification.tolerant_json import find_json
from veriscore_agent.domain import JsonSchema, ModelReply, ModelRequest
from veriscore_agent.prompts import load_prompt

MAX_QUERIES = 2
MAX_QUERY_CHARACTERS = 200
"""A longer query is cut at a word; engines find less for it anyway."""

PLAN_SCHEMA = JsonSchema(
    "queries",
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["queries"],
        "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    },
)


def plan_request(
    claim: str, parts: tuple[str, ...], open_parts: tuple[int, ...], tried: tuple[str, ...]
) -> ModelRequest:
    """The prompt that asks for at most two queries.

    ``open_parts`` are indices into ``parts``; where there are none (the referent is unclear), all parts are open.
    ``tried`` holds every query that was sent for the claim.
    """
    chosen = [parts[index] for index in open_parts] or list(parts) or [claim]
    user = load_prompt("plan_user.v1").render(
        claim=one_line(claim), open_parts=_listed(chosen), tried=_listed(tried) or "(none)"
    )
    return ModelRequest(
        kind="plan",
        system=load_prompt("plan_system.v1").text,
        user=user,
        schema=PLAN_SCHEMA,
        subject=f"queries for the claim {claim[:80]!r}",
    )


def read_queries(reply: ModelReply, tried: tuple[str, ...]) -> tuple[str, ...]:
    """The queries that the reply gives: at most two, none that was tried or stands twice (case, marks and the
    order of words aside).

    Empty where the model has nothing new to ask. Raises ModelOutputError where the reply holds no list of queries.
    """
    given = _given(reply)
    known = {_folded(query) for query in tried}
    queries: list[str] = []
    for query in given:
        shortened = _shortened(" ".join(query.split()))
        folded = _folded(shortened)
        if folded and folded not in known:
            known.add(folded)
            queries.append(shortened)
    return tuple(queries[:MAX_QUERIES])


def _given(reply: ModelReply) -> list[str]:
    lists = [queries for found in find_json(reply_text(reply)) if (queries := _queries(found.value)) is not None]
    if not lists or any(each != lists[-1] for each in lists):
        raise unreadable(reply, 'a JSON object {"queries": [...]}')
    return lists[-1]


def _queries(value: Any) -> list[str] | None:
    if isinstance(value, dict):
        members = {str(key).strip().casefold(): member for key, member in value.items()}
        value = members.get("queries", members.get("query"))
    if isinstance(value, str):
        return [value]
    return [query for query in value if isinstance(query, str)] if isinstance(value, list) else None


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {one_line(line)}" for line in lines)


def _shortened(query: str) -> str:
    if len(query) <= MAX_QUERY_CHARACTERS:
        return query
    return query[: MAX_QUERY_CHARACTERS + 1].rsplit(" ", 1)[0][:MAX_QUERY_CHARACTERS]


def _folded(query: str) -> str:
    """What makes two queries the same: their words, whatever case, marks and order."""
    return " ".join(sorted(set(re.findall(r"\w+", unicodedata.normalize("NFKC", query).casefold()))))
