"""Every failure of a model call as an error of this package, translated once.

This module imports the SDK, which takes a second; it is itself imported when the first model is made.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import openai
from pydantic import SecretStr

from veriscore_agent.adapters.endpoints import address_hint, redact, shown_address
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.openai_model.problems import Problem, cause_of, read_problem
from veriscore_agent.domain import UnscoredReason
from veriscore_agent.errors import AccessRefusedError, ModelError, ModelOutputError, VeriscoreError

HANDLED = frozenset(
    {
        "APIConnectionError",
        "APIError",
        "APIRemovedInV1",
        "APIResponseValidationError",
        "APIStatusError",
        "APITimeoutError",
        "AuthenticationError",
        "BadRequestError",
        "ConflictError",
        "ContentFilterFinishReasonError",
        "InternalServerError",
        "LengthFinishReasonError",
        "MutuallyExclusiveAuthError",
        "NotFoundError",
        "OAuthError",
        "OpenAIError",
        "PermissionDeniedError",
        "RateLimitError",
        "StreamAlreadyConsumed",
        "SubjectTokenProviderError",
        "UnprocessableEntityError",
        "WebSocketConnectionClosedError",
        "WebSocketQueueFullError",
        "_AmbiguousModuleClientUsageError",
    }
)
"""Every exception class of the SDK that ``translate`` was written for. A test fails when the SDK grows another."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What an error message may say of the call that failed."""

    base_url: str
    model: str
    timeout_s: float
    secret: SecretStr | None = None


def translate(problem: openai.OpenAIError, facts: CallFacts) -> VeriscoreError:
    """The error of this package for one of the SDK's."""
    url = shown_address(facts.base_url)
    match problem:
        case openai.APITimeoutError():
            return ModelError(f"no answer within {facts.timeout_s:g} s", url=url)
        case openai.APIConnectionError():
            return _unreachable(problem, facts)
        case openai.APIStatusError():
            return translate_problem(read_problem(problem.status_code, _body_text(problem)), facts)
        case openai.LengthFinishReasonError():
            return ModelOutputError("the reply was cut", reply="", reason="output_cut")
        case openai.ContentFilterFinishReasonError():
            return ModelError("the provider's content filter held the reply back", url=url, reason="content_filtered")
        case _:
            return ModelError(redact(str(problem) or type(problem).__name__, facts.secret), url=url)


def translate_problem(problem: Problem, facts: CallFacts) -> VeriscoreError:
    """The error of this package for an error body: one that ends the run, or one that concerns a single call."""
    url = shown_address(facts.base_url)
    said = _said(problem, facts.secret)
    if 300 <= problem.status < 400:
        return _with_hint(f"bad base_url or gateway: {url} answered with a redirect ({said})", facts)
    match cause_of(problem):
        case "credit":
            return AccessRefusedError("model", f"the credit at {url} is used up ({said})")
        case "access":
            return AccessRefusedError("model", f"{url} refused the key ({said})")
        case "not_found":
            return _with_hint(f"there is no model {facts.model!r} at {url} ({said})", facts)
        case "filtered":
            return _failed(f"the provider's content filter refused the prompt ({said})", url, "content_filtered")
        case "too_large":
            return _failed(f"the prompt is too large ({said})", url, "prompt_too_large")
        case "rate":
            return _failed(f"still too many requests after every retry ({said})", url)
        case "other":
            return _failed(said, url)


def web_page_instead(facts: CallFacts) -> AccessRefusedError:
    """The error for a web page in place of JSON: the address is wrong, or a gateway stands in front of it."""
    url = shown_address(facts.base_url)
    return _with_hint(f"bad base_url or gateway: {url} answered with a web page instead of JSON", facts)


def _with_hint(said: str, facts: CallFacts) -> AccessRefusedError:
    hint = address_hint(facts.base_url)
    return AccessRefusedError("model", f"{said}; {hint}" if hint else said)


def _failed(problem: str, url: str, reason: UnscoredReason = "model_failed") -> ModelError:
    return ModelError(problem, url=url, reason=reason)


def _said(problem: Problem, secret: SecretStr | None) -> str:
    code = problem.code or problem.kind
    named = f"HTTP {problem.status}" + (f", {code}" if code and code != str(problem.status) else "")
    return redact(f"{named}: {problem.message}", secret)


def _unreachable(problem: openai.APIConnectionError, facts: CallFacts) -> ModelError:
    cause = problem.__cause__
    if isinstance(cause, NotRecorded):
        return ModelError(str(cause), url=shown_address(facts.base_url), reason="not_recorded")
    what = f"{type(cause).__name__}: {cause}" if cause and str(cause) else type(cause or problem).__name__
    return ModelError(f"cannot be reached: {redact(what, facts.secret)}", url=shown_address(facts.base_url))


def _body_text(problem: openai.APIStatusError) -> str:
    """The body as it came; the SDK's reading of it where it is gone."""
    text = problem.response.text
    return text or json.dumps(problem.body)
