"""A language model behind an OpenAI-compatible chat endpoint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import httpx

from veriscore_agent.adapters.endpoints import check_address, check_key, safe_cause, shown_address
from veriscore_agent.adapters.http.exchange import call_headers, exchange_of
from veriscore_agent.adapters.openai_model.problems import looks_like_html
from veriscore_agent.adapters.openai_model.replies import error_inside, read_reply
from veriscore_agent.adapters.strict_json import StrictJsonError, parse_json
from veriscore_agent.domain import ModelReply, ModelRequest
from veriscore_agent.errors import ModelError, ModelOutputError, VeriscoreError
from veriscore_agent.settings import CallSettings, Settings

if TYPE_CHECKING:
    from veriscore_agent.adapters.openai_model.translation import CallFacts

MAX_OUTPUT_TOKENS = 16_384
"""The largest output budget that a retry asks for: what the smaller of today's models can write at all."""

CUT_FACTOR = 2
"""A reply that was cut is asked for once more with this many times its budget."""

REASONING_FACTOR = 4
"""The same where hidden reasoning left no room for an answer: it takes more than the answer does."""

_READABLE = frozenset({"model_refused", "content_filtered", "output_cut"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_TELEMETRY = (
    "X-Stainless-Lang",
    "X-Stainless-Package-Version",
    "X-Stainless-OS",
    "X-Stainless-Arch",
    "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version",
    "X-Stainless-Async",
    "X-Stainless-Retry-Count",
    "X-Stainless-Read-Timeout",
)


class OpenAIModel:
    """``ports.Model`` over the official SDK.

    One call of ``complete`` is one question; retries, limits, budget, recording and the adapting to what a server
    refuses are layers of the client's transport. The client is not closed here.

    The SDK's own variables ``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID`` and ``OPENAI_CUSTOM_HEADERS`` work as its users
    know them.
    """

    def __init__(self, client: httpx.AsyncClient, settings: Settings) -> None:
        """Raises ConfigurationError where ``base_url`` is no address or the key cannot be one."""
        from openai import AsyncOpenAI

        self._settings = settings
        self._base_url = check_address("base_url", settings.base_url)
        self._shown_url = shown_address(self._base_url)
        key = check_key("api_key", settings.api_key)
        self._has_key = bool(key)
        # httpx and httpx2, which the SDK is typed for, differ only in name here.
        self._sdk = AsyncOpenAI(
            api_key=key or "none", base_url=self._base_url, max_retries=0, http_client=cast(Any, client)
        )

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to one question.

        A reply that was cut, or that hidden reasoning left empty, is asked for once more with a bigger budget. If it
        is cut again it is returned as it is (``finish_reason`` ``length``).

        Raises ModelError, ModelOutputError, AccessRefusedError, and what the transport raises to end a run.
        """
        budget = self._settings.call(request.kind).max_output_tokens
        try:
            reply = await self._ask(request, budget)
        except ModelOutputError as problem:
            more = _larger(budget, REASONING_FACTOR)
            if problem.reason != "output_cut" or more is None:
                raise
            return await self._ask(request, more)
        more = _larger(budget, CUT_FACTOR)
        if reply.finish_reason != "length" or more is None:
            return reply
        try:
            return await self._ask(request, more)
        except ModelOutputError:
            return reply

    async def _ask(self, request: ModelRequest, budget: int) -> ModelReply:
        from openai import OpenAIError

        from veriscore_agent.adapters.openai_model.translation import translate

        call = self._settings.call(request.kind)
        arguments = chat_arguments(request, call, budget)
        try:
            raw = await self._sdk.chat.completions.with_raw_response.create(
                **arguments, timeout=call.timeout_s, extra_headers=self._headers(request)
            )
        except OpenAIError as problem:
            failure = translate(problem, self._facts(call))
            response = getattr(problem, "response", None)
            if isinstance(response, httpx.Response):
                _settle(response, failure)
            raise failure from safe_cause(problem, self._settings.api_key)
        return self._read(cast(httpx.Response, raw.http_response), call)

    def _read(self, response: httpx.Response, call: CallSettings) -> ModelReply:
        """The reply in a response, which is then accepted; or rejected, so that a resumed run asks again."""
        try:
            reply = self._reply_in(response, call)
        except VeriscoreError as problem:
            _settle(response, problem)
            raise
        exchange_of(response).accept()
        return reply

    def _reply_in(self, response: httpx.Response, call: CallSettings) -> ModelReply:
        from veriscore_agent.adapters.openai_model.translation import translate_problem, web_page_instead

        text = response.text
        try:
            body = parse_json(text)
        except StrictJsonError as problem:
            if looks_like_html(text):
                raise web_page_instead(self._facts(call)) from None
            raise ModelError(f"the answer is {problem}", url=self._shown_url) from problem
        error = error_inside(body)
        if error is not None:
            raise translate_problem(error, self._facts(call))
        return read_reply(body, self._shown_url)

    def _facts(self, call: CallSettings) -> CallFacts:
        from veriscore_agent.adapters.openai_model.translation import CallFacts

        return CallFacts(self._base_url, call.model, call.timeout_s, self._settings.api_key)

    def _headers(self, request: ModelRequest) -> dict[str, Any]:
        """Ours for the transport; and what the SDK tells of this machine and, without a key, its stand-in left out."""
        from openai import omit

        left_out = _TELEMETRY if self._has_key else (*_TELEMETRY, "Authorization")
        ours = call_headers(kind=request.kind, subject=request.subject, sample=request.sample)
        return {**dict.fromkeys(left_out, omit), **ours}


def chat_arguments(request: ModelRequest, call: CallSettings, max_tokens: int) -> dict[str, Any]:
    """What the SDK is called with, the same for equal requests.

    A further sample has a seed of its own, so that it is no repetition of the reply before it. A lone surrogate, which
    no JSON body can hold, becomes U+FFFD.
    """
    messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
    arguments: dict[str, Any] = {
        "model": call.model,
        "messages": [
            {**message, "content": _SURROGATE.sub("\ufffd", message["content"])}
            for message in messages
            if message["content"]
        ],
        "max_tokens": max_tokens,
    }
    if call.temperature is not None:
        arguments["temperature"] = call.temperature
    if call.seed is not None:
        arguments["seed"] = call.seed + request.sample
    if request.schema is not None:
        schema = {"name": request.schema.name, "strict": True, "schema": request.schema.schema}
        arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
    return arguments


def _larger(budget: int, factor: int) -> int | None:
    """The budget of a retry; None where there is no larger one."""
    return min(budget * factor, MAX_OUTPUT_TOKENS) if budget < MAX_OUTPUT_TOKENS else None


def _settle(response: httpx.Response, problem: VeriscoreError) -> None:
    """Accept what could be read although it is no answer; reject what a resumed run has to ask again."""
    readable = isinstance(problem, ModelError | ModelOutputError) and problem.reason in _READABLE
    exchange = exchange_of(response)
    if readable and response.is_success:
        exchange.accept()
    else:
        exchange.reject()
