"""What a server refuses is left out once, and remembered for the run.

One client program meets servers that know ``max_tokens`` but not ``max_completion_tokens`` and the reverse, models
that take no temperature, no seed, no system message, and no JSON schema. ``AdaptingTransport`` sends every request as
it is, learns from the refusal, and sends it again without what was refused.

It belongs *below* the recording. What is recorded is then the request as it was meant, under a key that does not
depend on which of many concurrent calls met the refusal first, so that a replay finds it whatever its order.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import httpx

from veriscore_agent.adapters.openai_model.problems import Problem, read_problem
from veriscore_agent.prompts import load_prompt

Feature = Literal["max_tokens", "max_completion_tokens", "temperature", "seed", "response_format", "system"]
JsonForm = Literal["json_schema", "json_object", "none"]

_ADAPTABLE_STATUSES = frozenset({400, 404, 405, 415, 422, 500, 501})
_LIMITS: tuple[Feature, Feature] = ("max_tokens", "max_completion_tokens")
_log = logging.getLogger(__name__)


# ---------------------------------------------------------------- what was refused

_REFUSED = re.compile(
    r"unsupported|not (support|accept)|n't (support|accept)|no endpoints found|unrecognized|unknown|unexpected|"
    r"not permitted|not allowed|unavailable|"
    r"not available|deprecated|only the default|must be|extra (input|field)|invalid (param|schema|value)|incompatible|"
    r"cannot be used|not (yet )?implemented|failed to (parse|initialize|compile)|removed",
    re.I,
)
_NAMED: Mapping[Feature, re.Pattern[str]] = {
    "max_tokens": re.compile(r"\bmax_tokens\b"),
    "max_completion_tokens": re.compile(r"\bmax_completion_tokens\b"),
    "temperature": re.compile(r"\btemperature\b", re.I),
    "seed": re.compile(r"\bseed\b", re.I),
    "response_format": re.compile(
        r"\bresponse[_ ]format\b|\bjson_(schema|object)\b|\bjson (schema|mode)\b|structured output|\bgrammar\b", re.I
    ),
    "system": re.compile(r"\bsystem\b.{0,20}\b(role|message|prompt)|\brole\b.{0,30}\bsystem\b", re.I),
}
_OUTPUT_LIMITS = (
    re.compile(r"at most (\d+) (?:completion|output) tokens", re.I),
    re.compile(r"max(?:_completion)?_tokens: \d+ > (\d+)", re.I),
    re.compile(r"max(?:_completion)?_tokens\W+must be less than or equal to\W*(\d+)", re.I),
    re.compile(r"valid range of max(?:_completion)?_tokens is \[\d+, ?(\d+)\]", re.I),
)


def refused_feature(problem: Problem, body: Mapping[str, Any]) -> Feature | None:
    """The feature of the request ``body`` that the server does not know; None where the problem is another."""
    present = [feature for feature in _NAMED if _has(body, feature)]
    for feature in present:
        if feature in problem.rejected:
            return feature
    if not _REFUSED.search(problem.message) and not problem.code.startswith("unsupported"):
        return None
    param = "system" if problem.param.endswith(".role") else re.split(r"[.\[]", problem.param)[0]
    for feature in present:
        if feature == param:
            return feature
    return next((feature for feature in present if _NAMED[feature].search(problem.message)), None)


def output_limit(problem: Problem) -> int | None:
    """The most output tokens that the server allows, where it refused a request for more."""
    found = next((match for each in _OUTPUT_LIMITS if (match := each.search(problem.message))), None)
    return int(found[1]) if found else None


def _has(body: Mapping[str, Any], feature: Feature) -> bool:
    if feature == "system":
        return any(message.get("role") == "system" for message in body["messages"])
    return body.get(feature) is not None


# ---------------------------------------------------------------- what is done about it


@dataclass(frozen=True, slots=True)
class Adaptation:
    """How requests to one model are changed. The default changes nothing."""

    limit: Feature | None = None
    """Name to send the output limit under; None: as it came."""
    most_tokens: int | None = None
    """Largest output limit that the server allows."""
    without: frozenset[Feature] = frozenset()
    json_form: JsonForm = "json_schema"

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request body to send for the request ``body``."""
        sent = {name: value for name, value in body.items() if name not in self.without}
        _limit_output(sent, self)
        form = sent.get("response_format") or {}
        if self.json_form != "json_schema" and form.get("type") == "json_schema":
            sent["messages"] = _with_json_asked_for(sent["messages"], form["json_schema"]["schema"])
            sent["response_format"] = {"type": "json_object"}
            if self.json_form == "none":
                del sent["response_format"]
        if "system" in self.without:
            sent["messages"] = _without_system(sent["messages"])
        return sent

    def after(self, problem: Problem, sent: Mapping[str, Any]) -> Adaptation | None:
        """What to do once ``sent`` was refused with ``problem``; None where nothing can be adapted.

        ``sent`` may be older than this adaptation: what is known by now is never taken back.
        """
        most = output_limit(problem)
        if most is not None and most < _asked_tokens(sent):
            return replace(self, most_tokens=min(most, self.most_tokens or most))
        feature = refused_feature(problem, sent)
        if feature is None:
            return None
        if feature in _LIMITS:
            return replace(self, limit=_LIMITS[1 - _LIMITS.index(feature)])
        if feature == "response_format":
            only_schema = sent["response_format"].get("type") == "json_schema" and self.json_form != "none"
            return replace(self, json_form="json_object" if only_schema else "none")
        return replace(self, without=self.without | {feature})

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes in words, for a report."""
        found = [f"no {feature}" if feature != "system" else "no system message" for feature in sorted(self.without)]
        if self.limit:
            found.append(f"{self.limit} for the output limit")
        if self.most_tokens is not None:
            found.append(f"at most {self.most_tokens} output tokens")
        if self.json_form != "json_schema":
            found.append("JSON mode" if self.json_form == "json_object" else "JSON asked for in the prompt alone")
        return tuple(found)


def _limit_output(sent: dict[str, Any], adaptation: Adaptation) -> None:
    for name in _LIMITS:
        if name in sent:
            tokens = sent.pop(name)
            if adaptation.most_tokens is not None:
                tokens = min(tokens, adaptation.most_tokens)
            sent[adaptation.limit or name] = tokens
            return


def _asked_tokens(sent: Mapping[str, Any]) -> int:
    return int(sent.get("max_tokens") or sent.get("max_completion_tokens") or 0)


def _with_json_asked_for(messages: list[dict[str, Any]], schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages with the schema in words; JSON mode wants the word JSON in them besides."""
    shape = load_prompt("json_shape.v1").render(schema=json.dumps(schema, ensure_ascii=False))
    last = messages[-1]
    return [*messages[:-1], {**last, "content": f"{last['content']}\n\n{shape}"}]


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with what the system message said at the head of the first other one."""
    said = [message["content"] for message in messages if message["role"] == "system"]
    first, *rest = [message for message in messages if message["role"] != "system"]
    return [{**first, "content": "\n\n".join([*said, first["content"]])}, *rest]


# ---------------------------------------------------------------- the layer


class AdaptingTransport(httpx.AsyncBaseTransport):
    """Sends chat requests through ``inner`` in the form that each model's server was found to take.

    Belongs directly below the recording and above budget, limits and retries. A refused request costs nothing and is
    not seen by the caller; a refusal that nothing can be done about is passed on. Other requests pass untouched.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self._learned: dict[str, Adaptation] = {}

    @property
    def adaptations(self) -> dict[str, tuple[str, ...]]:
        """What was changed for each model of this run, in words."""
        return {model: adaptation.changes for model, adaptation in self._learned.items()}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send, and send again as often as something new is refused."""
        body = await _chat_body(request)
        if body is None:
            return await self._inner.handle_async_request(request)
        model, tried = str(body.get("model", "")), []
        while True:
            sent = self._learned.get(model, Adaptation()).apply(body)
            tried.append(sent)
            response = await self._inner.handle_async_request(_with_body(request, sent, changed=sent != body))
            adaptation = await self._learn(model, sent, response)
            if adaptation is None or adaptation.apply(body) in tried:
                return response
            await response.aclose()

    async def _learn(self, model: str, sent: Mapping[str, Any], response: httpx.Response) -> Adaptation | None:
        """What is known after a response; None where it is no refusal that can be adapted to.

        A lesson is put on top of what other calls have learned since ``sent`` went out.
        """
        if response.status_code not in _ADAPTABLE_STATUSES:
            return None
        await response.aread()
        known = self._learned.get(model, Adaptation())
        lesson = known.after(read_problem(response.status_code, response.text), sent)
        if lesson is not None and lesson != known:
            self._learned[model] = lesson
            _log.info("model %s: %s", model, ", ".join(lesson.changes))
        return lesson

    async def aclose(self) -> None:
        """Close the layer below."""
        await self._inner.aclose()


async def _chat_body(request: httpx.Request) -> dict[str, Any] | None:
    """The JSON body of a chat request, None for every other request."""
    if request.method != "POST" or not request.url.path.endswith("/chat/completions"):
        return None
    try:
        body = json.loads(await request.aread())
    except ValueError:
        return None
    return body if isinstance(body, dict) and isinstance(body.get("messages"), list) and body["messages"] else None


def _with_body(request: httpx.Request, body: Mapping[str, Any], *, changed: bool) -> httpx.Request:
    if not changed:
        return request
    headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return httpx.Request(request.method, request.url, headers=headers, content=content, extensions=request.extensions)
