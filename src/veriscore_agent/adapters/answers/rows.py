"""One JSON object of the input file as an answer, or as one claim of a claims-only file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from veriscore_agent.adapters.answers import reference
from veriscore_agent.adapters.answers.values import RowError, links_in, optional_text, snippets_of
from veriscore_agent.core.extraction import joined_name
from veriscore_agent.domain import Answer, GivenClaim

FIELDS = (
    "response",
    "claim",
    "question",
    "model",
    "prompt_source",
    "id",
    "answer_id",
    "search_results",
    "reference_label",
    "source",
)
"""The names of the input that ``--field`` can map to others."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One claim of a claims-only file. Rows of one ``answer_id`` and model are one answer."""

    claim: GivenClaim
    answer_id: str
    grouped: bool
    """The file names the answer that the claim belongs to; otherwise the claim is an answer of its own."""
    question: str | None
    model: str
    domain: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadRow:
    """What a line holds, and what was mended in it."""

    content: Answer | ClaimRow
    warnings: tuple[str, ...] = field(default=())


def read_row(row: Any, *, line: int, fields: Mapping[str, str]) -> ReadRow:
    """The answer or claim of one line. ``fields`` maps our names to the file's. Raises RowError."""
    if not isinstance(row, dict):
        raise RowError(f"{_kind(row)}, where a JSON object is wanted")
    mended: list[str] = []
    values = {str(name): _mend(value, str(name), mended) for name, value in row.items()}
    for ours, theirs in fields.items():
        values[ours] = values.get(theirs)
    warnings = tuple(f"half a character (lone surrogate) in `{name}` is read as U+FFFD" for name in mended)
    if values.get("claim") is None:
        return ReadRow(_answer(values, line, fields), warnings)
    if values.get("response") is not None:
        raise RowError("both `response` and `claim`; a line is either an answer or a claim (leave one out)")
    return ReadRow(_claim(values, line), warnings)


def _answer(row: dict[str, Any], line: int, fields: Mapping[str, str]) -> Answer:
    response = row.get("response")
    if response is None:
        raise RowError(_no_response(row, fields))
    if not isinstance(response, str):
        raise RowError(f"`response` is {_kind(response)}, where text is wanted")
    if not response.strip():
        raise RowError("`response` is empty")
    given = reference.given_claims(row)
    return Answer(
        id=_identifier(row, "id") or f"line-{line}",
        response=response,
        question=optional_text(row, "question"),
        model=optional_text(row, "model") or "",
        domain=optional_text(row, "prompt_source") or "",
        given=given,
        given_sentences=None if given is None else reference.sentence_count(row),
        sources=links_in(row.get("source")),
    )


def _claim(row: dict[str, Any], line: int) -> ClaimRow:
    text = optional_text(row, "claim")
    if text is None:
        raise RowError("`claim` is empty")
    own_id = _identifier(row, "id") or f"line-{line}"
    answer_id = _identifier(row, "answer_id")
    model = optional_text(row, "model") or ""
    snippets = row.get("search_results")
    claim = GivenClaim(
        text=text,
        snippets=None if snippets is None else snippets_of(snippets, "search_results"),
        reference_label=optional_text(row, "reference_label"),
        id=_claim_id(model, answer_id, own_id),
    )
    return ClaimRow(
        claim=claim,
        answer_id=answer_id or own_id,
        grouped=answer_id is not None,
        question=optional_text(row, "question"),
        model=model,
        domain=optional_text(row, "prompt_source") or "",
        sources=links_in(row.get("source")),
    )


def _claim_id(model: str, answer_id: str | None, own_id: str) -> str:
    """A claim's name among all claims of a run, where other answers and models may use the same number."""
    if answer_id is None:
        return joined_name(model, own_id) if model else own_id
    return f"{joined_name(model, answer_id)}#{own_id}"


def _identifier(row: dict[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise RowError(f"`{name}` is {_kind(value)}, where text or a whole number is wanted")
    text = str(value).strip()
    if not text:
        raise RowError(f"`{name}` is empty; leave it out to have the line number used")
    if _CONTROL.search(text) or len(text) > 500:
        raise RowError(f"`{name}` has control characters or more than 500 characters")
    return text


def _no_response(row: dict[str, Any], fields: Mapping[str, str]) -> str:
    if "response" in fields:
        return f"no `{fields['response']}`, which --field names as the response"
    names = [name for name in row if row[name] is not None and name not in FIELDS][:6]
    hint = f"; if another name holds it: --field response={names[0]}" if names else ""
    return f"no `response`{hint}"


def _mend(value: Any, name: str, mended: list[str]) -> Any:
    """Replace lone surrogates, which no encoding and so no request can carry."""
    if isinstance(value, str):
        if _SURROGATE.search(value) is None:
            return value
        if name not in mended:
            mended.append(name)
        return _SURROGATE.sub("�", value)
    if isinstance(value, list):
        return [_mend(each, name, mended) for each in value]
    if isinstance(value, dict):
        return {_mend(key, name, mended): _mend(each, name, mended) for key, each in value.items()}
    return value


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", dict: "an object", list: "a list", str: "text", type(None): "null"}
    return kinds.get(type(value), "a number")
