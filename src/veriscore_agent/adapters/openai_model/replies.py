"""Reading the body of a chat completion, in every form that servers give it.

``choices`` may be null or absent, a choice may lack its message, an error may come inside a 200, content may be a
list of pieces, a refusal may stand in a field of its own. The reply's *meaning* is read elsewhere (``core``).
"""

from __future__ import annotations

import json
from typing import Any

from veriscore_agent.adapters.openai_model.problems import Problem, read_problem
from veriscore_agent.adapters.strict_json import Json
from veriscore_agent.core.verification.replies import strip_reasoning
from veriscore_agent.domain import ModelReply
from veriscore_agent.errors import ModelError, ModelOutputError

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety"})


def error_inside(body: Json) -> Problem | None:
    """The error that a body with status 200 holds in place of its choices, or in place of an answer."""
    choice = _choice(body)
    error = choice.get("error") if choice else _dict(body).get("error")
    if not error:
        return None
    code = _dict(error).get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 200
    return read_problem(status, json.dumps({"error": error}))


def read_reply(body: Json, url: str) -> ModelReply:
    """The reply that a completion holds, hidden reasoning taken out.

    Raises ModelError where the model refused or the content was filtered, and ModelOutputError where there is nothing
    to read: ``output_cut`` where the budget ended before any answer, ``unreadable_reply`` otherwise.
    """
    choice = _choice(body)
    if choice is None:
        raise ModelOutputError("a reply without choices", reply=str(body))
    message = _dict(choice.get("message"))
    finish = str(choice.get("finish_reason") or "stop").lower()
    if finish in _FILTERED:
        raise ModelError("the provider's content filter held the reply back", url=url, reason="content_filtered")
    text = strip_reasoning(_content(message))
    refusal = "" if text else _refusal(message, finish)
    if refusal:
        raise ModelError(f"the model refused: {refusal}", url=url, reason="model_refused")
    if not text:
        raise _empty(body, message, finish)
    return ModelReply(text, "length" if finish in _CUT else finish, str(_dict(body).get("model") or ""))


def _empty(body: Json, message: dict[str, Any], finish: str) -> ModelOutputError:
    """Why there is no text."""
    raw = _content(message)
    if finish not in _CUT:
        return ModelOutputError(f"an empty reply (finish_reason {finish})", reply=raw or str(message))
    details = _dict(_dict(_dict(body).get("usage")).get("completion_tokens_details"))
    spent = details.get("reasoning_tokens")
    tokens = f" ({spent} tokens)" if spent else ""
    return ModelOutputError(f"output budget used by reasoning{tokens}", reply=raw, reason="output_cut")


def _choice(body: Json) -> dict[str, Any] | None:
    choices = _dict(body).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _content(message: dict[str, Any]) -> str:
    """The text of a message; of a list of pieces those that are text, and so not its thinking."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    pieces = content if isinstance(content, list) else []
    return "".join(str(each.get("text") or "") for each in pieces if isinstance(each, dict) and each.get("text"))


def _refusal(message: dict[str, Any], finish: str) -> str:
    """What the model said on refusing: in a field of its own, as a piece of the content, or as the reason to end."""
    pieces = message.get("content")
    said = [_dict(each).get("refusal") for each in pieces] if isinstance(pieces, list) else []
    found = next((each for each in (message.get("refusal"), *said) if each), "")
    return str(found) or ("no reason given" if finish == "refusal" else "")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
