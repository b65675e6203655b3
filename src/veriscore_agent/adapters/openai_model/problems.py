"""What the error body of a chat endpoint says, whichever server wrote it.

Some twenty programs serve this interface and none of their error bodies is alike: ``error`` is an object, a text or
absent, the whole is a list, ``code`` is a text, a number or null, a validator's list of fields stands in ``detail``
or in ``message``. Everything here is pure and reads such a body once into a ``Problem``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

import httpx

Cause = Literal["filtered", "credit", "too_large", "access", "not_found", "rate", "other"]
"""filtered: the provider's content filter; credit: exhausted; too_large: prompt over the model's or the account's
limit; access: key refused; not_found: no such model or path; rate: too many requests; other: everything else."""

_RETRIED_STATUSES = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class Problem:
    """An error body, read."""

    status: int
    message: str
    code: str = ""
    kind: str = ""
    """What the body calls ``type``."""
    param: str = ""
    rejected: tuple[str, ...] = ()
    """Request fields that a validator refused."""
    is_html: bool = False


def read_problem(status: int, text: str) -> Problem:
    """The problem that the body ``text`` of a response with ``status`` describes."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        is_html = looks_like_html(text)
        return Problem(status, "a web page" if is_html else text.strip() or "no message", is_html=is_html)
    if isinstance(body, list):
        body = body[0] if body else {}
    return _from_json(status, body)


def looks_like_html(text: str) -> bool:
    """True where a body is a web page: a gateway's login, a proxy's notice, an error page."""
    start = text[:1000].lstrip("\ufeff \t\r\n").lower()
    return start.startswith("<") and not (start.startswith("<?xml") and "<html" not in start)


def _from_json(status: int, body: Any) -> Problem:
    outer = body if isinstance(body, dict) else {"message": body}
    error = outer.get("error") or outer
    if not isinstance(error, dict):
        error = {**outer, "message": error}
    details = _validation_details(outer.get("detail"), error.get("message"), error.get("detail"))
    rejected = tuple(str(each["loc"][-1]) for each in details if isinstance(each.get("loc"), list) and each["loc"])
    said = "; ".join(str(each["msg"]) for each in details if each.get("msg"))
    message = said or _text(error.get("message")) or _text(outer.get("detail")) or _text(error) or "no message"
    return Problem(
        status,
        message,
        code=_text(error.get("code")),
        kind=_text(error.get("type")),
        param=_text(error.get("param")),
        rejected=rejected,
    )


def _validation_details(*places: Any) -> list[dict[str, Any]]:
    """The list of refused fields, wherever a validator put it."""
    for place in places:
        found = place.get("detail") if isinstance(place, dict) else place
        if isinstance(found, list):
            return [each for each in found if isinstance(each, dict)]
    return []


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- causes

_FILTERED_CODES = frozenset(
    {
        "content_filter",
        "contentfilter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
        "moderation",
    }
)
_FILTERED = re.compile(r"content management policy|content[ _]filter|flagged (by|as)|requires moderation", re.I)
_CREDIT_CODES = frozenset(
    {
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_credits",
        "billing_hard_limit_reached",
        "billing_not_active",
        "arrearage",
    }
)
_CREDIT = re.compile(
    r"exceeded your current quota|insufficient[ _](balance|credits?|funds|quota)|credit balance is too low|"
    r"out of credits|not enough credits|billing hard limit",
    re.I,
)
_COMES_BACK = re.compile(r"\b(retry|try again) (in|after)\b", re.I)
_TOO_LARGE_CODES = frozenset(
    {"context_length_exceeded", "string_above_max_length", "request_too_large", "exceed_context_size_error"}
)
_TOO_LARGE = re.compile(
    r"request too large|maximum context length|context (size|window|length)|(prompt|input) is too long|"
    r"reduce the length|too many input tokens",
    re.I,
)
_LIMIT_AND_REQUESTED = re.compile(r"\bLimit:? (\d[\d,]*).*?\bRequested:? (\d[\d,]*)", re.I | re.S)
_ACCESS_CODES = frozenset({"invalid_api_key", "invalid_authentication", "authentication_error"})
_ACCESS = re.compile(r"(api[ _]key|credentials?|token).{0,40}(not valid|invalid|incorrect|expired|missing)", re.I)
_ACCESS_REVERSED = re.compile(r"(incorrect|invalid|missing|no) api[ _]key", re.I)
_NOT_FOUND_CODES = frozenset({"model_not_found", "deploymentnotfound", "invalid_model"})
_NOT_FOUND = re.compile(r"model\b.{0,120}(does not exist|not found|is not a valid model)|is not a valid model", re.I)


def cause_of(problem: Problem) -> Cause:
    """Why the call failed, by what the body says first and by its status second."""
    names = {problem.code.lower(), problem.kind.lower()}
    said = problem.message
    if names & _FILTERED_CODES or _FILTERED.search(said):
        return "filtered"
    # A quota that comes back by itself in seconds is a rate limit under another name.
    if problem.status == 402 or names & _CREDIT_CODES or (_CREDIT.search(said) and not _COMES_BACK.search(said)):
        return "credit"
    if problem.status == 413 or names & _TOO_LARGE_CODES or _TOO_LARGE.search(said) or _over_its_limit(said):
        return "too_large"
    if problem.status in (401, 403) or names & _ACCESS_CODES:
        return "access"
    if problem.status == 400 and (_ACCESS.search(said) or _ACCESS_REVERSED.search(said)):
        return "access"
    if problem.status == 404 or names & _NOT_FOUND_CODES or (problem.status == 400 and _NOT_FOUND.search(said)):
        return "not_found"
    return "rate" if problem.status == 429 else "other"


def _over_its_limit(message: str) -> bool:
    """True where one request alone is over a limit per minute, which no waiting cures."""
    found = _LIMIT_AND_REQUESTED.search(message)
    if found is None:
        return False
    limit, requested = (int(number.replace(",", "")) for number in found.groups())
    return requested > limit


def is_final(response: httpx.Response) -> bool:
    """True where the same request sent again cannot do better: decides for the layer that retries.

    ``response`` has been read. Exhausted credit, and a request that is larger than what the account may send in a
    minute, come as 429 and are final all the same.
    """
    status = response.status_code
    if status not in _RETRIED_STATUSES and status < 500:
        return True
    if response.headers.get("x-should-retry") == "false":
        return True
    cause = cause_of(read_problem(status, response.text))
    return cause in ("credit", "too_large", "filtered")
