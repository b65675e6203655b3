"""The model adapter: the real SDK over real HTTP on loopback, against every form of answer that servers give."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import openai
import pytest
from pydantic import SecretStr

from tests.exchange_spy import Spy
from tests.loopback import Handler, LoopbackServer, Reply, in_turn, json_reply
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.openai_model import OpenAIModel, is_final
from veriscore_agent.adapters.openai_model.model import MAX_OUTPUT_TOKENS
from veriscore_agent.adapters.openai_model.translation import HANDLED, CallFacts, translate
from veriscore_agent.domain import CallKind, JsonSchema, ModelReply, ModelRequest
from veriscore_agent.errors import (
    AccessRefusedError,
    BudgetSpentError,
    ConfigurationError,
    ModelError,
    ModelOutputError,
    ReplayMissError,
    VeriscoreError,
)
from veriscore_agent.settings import Settings

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789abcdef"
SCHEMA = JsonSchema("verdict", {"type": "object", "properties": {"label": {"type": "string"}}})


def chat(content: Any = "Supported.", finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A completion as OpenAI sends it."""
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "m-2026",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    }


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **fields}}


def ask(kind: CallKind = "judge", **fields: Any) -> ModelRequest:
    return ModelRequest(kind, system="You judge claims.", user="Is it so?", **fields)


class Served:
    """A model, the server that it asks, and what the recording was told."""

    def __init__(self, model: OpenAIModel, server: LoopbackServer, spy: Spy) -> None:
        self.model, self.server, self.spy = model, server, spy

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.json() for request in self.server.requests]


@asynccontextmanager
async def served(handler: Handler | Reply, path: str = "/v1", **settings: Any) -> AsyncIterator[Served]:
    answer = in_turn(handler) if isinstance(handler, Reply) else handler
    settings = {"api_key": SecretStr(KEY), "model": "m", **settings}
    with LoopbackServer(answer) as server:
        spy = Spy()
        async with httpx.AsyncClient(transport=spy) as client:
            yield Served(OpenAIModel(client, Settings(base_url=server.url + path, **settings)), server, spy)


async def failure(handler: Handler | Reply, request: ModelRequest | None = None, **settings: Any) -> VeriscoreError:
    """The error that one question ends in."""
    async with served(handler, **settings) as here:
        with pytest.raises(VeriscoreError) as caught:
            await here.model.complete(request or ask())
    return caught.value


# ---------------------------------------------------------------- what is sent


async def test_each_kind_of_call_is_sent_with_its_own_settings() -> None:
    settings: dict[str, Any] = {
        "judge_model": "judge-1",
        "judge_temperature": 0.5,
        "judge_seed": 7,
        "seed": 3,
        "plan_model": "plan-1",
    }
    async with served(json_reply(chat()), **settings) as here:
        await here.model.complete(ask("judge"))
        await here.model.complete(ask("plan"))
    sent = [(body["model"], body["temperature"], body["seed"], body["max_tokens"]) for body in here.bodies]
    assert sent == [("judge-1", 0.5, 7, 2048), ("plan-1", 0.0, 3, 512)]
    assert here.bodies[0]["messages"] == [
        {"role": "system", "content": "You judge claims."},
        {"role": "user", "content": "Is it so?"},
    ]


async def test_a_setting_that_is_none_is_not_sent() -> None:
    async with served(json_reply(chat()), temperature=None, seed=None) as here:
        await here.model.complete(ask())
    assert set(here.bodies[0]) == {"model", "messages", "max_tokens"}


async def test_a_further_sample_has_a_seed_of_its_own() -> None:
    """Else the same unreadable reply would come again."""
    async with served(json_reply(chat())) as here:
        await here.model.complete(ask(sample=0))
        await here.model.complete(ask(sample=1))
    assert [body["seed"] for body in here.bodies] == [0, 1]


async def test_a_schema_is_asked_for_strictly() -> None:
    async with served(json_reply(chat("{}"))) as here:
        await here.model.complete(ask(schema=SCHEMA))
    wanted = {"name": "verdict", "strict": True, "schema": SCHEMA.schema}
    assert here.bodies[0]["response_format"] == {"type": "json_schema", "json_schema": wanted}


async def test_the_headers_name_the_call_and_tell_nothing_of_the_machine() -> None:
    async with served(json_reply(chat())) as here:
        await here.model.complete(ask(subject="Café opened in 1931.", sample=1))
    headers = here.server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (headers["x-veriscore-kind"], headers["x-veriscore-sample"]) == ("judge", "1")
    assert [name for name in headers if name.startswith("x-stainless")] == ["x-stainless-raw-response"]


async def test_without_a_key_no_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local server wants none; the SDK must not take one from the environment past the settings either."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    async with served(json_reply(chat()), api_key=None) as here:
        await here.model.complete(ask())
    assert "authorization" not in here.server.requests[0].headers


async def test_a20_a_lone_surrogate_is_sent_as_a_replacement_character() -> None:
    async with served(json_reply(chat())) as here:
        await here.model.complete(ModelRequest("judge", "s", "The bridge \ud83d opened."))
    assert here.bodies[0]["messages"][1]["content"] == "The bridge \ufffd opened."


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"base_url": "api.openai.com/v1"}, "base_url"),
        ({"base_url": "http://"}, "base_url"),
        ({"base_url": "http://host:99999/v1"}, "base_url"),
        ({"api_key": SecretStr("sk-abc…xyz")}, "api_key"),
        ({"api_key": SecretStr("sk-abc\nsk-def")}, "api_key"),
    ],
)
async def test_what_cannot_work_is_a_configuration_error_at_once(settings: dict[str, Any], named: str) -> None:
    async with httpx.AsyncClient() as client:
        with pytest.raises(ConfigurationError, match=named) as caught:
            OpenAIModel(client, Settings(**settings))
    assert "sk-abc" not in str(caught.value)


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("row", "body", "text"),
    [
        ("plain", chat("Supported."), "Supported."),
        ("reasoning in the text", chat("<think>Hmm.</think>\n\nSupported."), "Supported."),
        ("reasoning beside the text", chat("Supported.", reasoning_content="Hmm."), "Supported."),
        (
            "content in pieces",
            chat([{"type": "text", "text": "Suppor"}, {"type": "text", "text": "ted."}]),
            "Supported.",
        ),
        (
            "thinking as a piece",
            chat(
                [{"type": "thinking", "thinking": [{"type": "text", "text": "Hmm."}]}, {"type": "text", "text": "Yes."}]
            ),
            "Yes.",
        ),
        ("an empty refusal field beside text", chat("Yes.", refusal=""), "Yes."),
        ("A24 usage missing", {k: v for k, v in chat("Yes.").items() if k != "usage"}, "Yes."),
        ("A24 nothing but a choice", {"choices": [{"message": {"content": "Yes."}}]}, "Yes."),
        ("an error field that is null", {**chat("Yes."), "error": None}, "Yes."),
    ],
)
async def test_replies_are_read_in_every_form(row: str, body: dict[str, Any], text: str) -> None:
    async with served(json_reply(body)) as here:
        reply = await here.model.complete(ask())
    assert (reply.text, reply.finish_reason) == (text, "stop"), row
    assert here.spy.verdicts == ["accepted"]


async def test_json_under_another_content_type_is_read() -> None:
    async with served(Reply(200, {"Content-Type": "text/plain"}, json.dumps(chat("Yes.")).encode())) as here:
        assert await here.model.complete(ask()) == ModelReply("Yes.", "stop", "m-2026")


@pytest.mark.parametrize(
    ("row", "body", "kind", "reason", "said", "verdict"),
    [
        ("A23", chat(None, refusal="I can't help with that."), ModelError, "model_refused", "can't help", "accepted"),
        (
            "A23 as a piece of the content",
            chat([{"type": "refusal", "refusal": "I can't help."}]),
            ModelError,
            "model_refused",
            "can't help",
            "accepted",
        ),
        ("A23 as the ending", chat(None, "refusal"), ModelError, "model_refused", "no reason given", "accepted"),
        ("A08 another ending", chat(None, "SAFETY"), ModelError, "content_filtered", "filter", "accepted"),
        ("content filter", chat("Half a", "content_filter"), ModelError, "content_filtered", "filter", "accepted"),
        (
            "content filter without a message",
            {"choices": [{"finish_reason": "content_filter", "index": 0}]},
            ModelError,
            "content_filtered",
            "filter",
            "accepted",
        ),
        ("A24 choices null", {"choices": None}, ModelOutputError, "unreadable_reply", "without choices", "rejected"),
        ("A24 no choices", {"choices": []}, ModelOutputError, "unreadable_reply", "without choices", "rejected"),
        ("no object", ["x"], ModelOutputError, "unreadable_reply", "without choices", "rejected"),
        ("message missing", {"choices": [{"index": 0}]}, ModelOutputError, "unreadable_reply", "empty", "rejected"),
        ("message null", {"choices": [{"message": None}]}, ModelOutputError, "unreadable_reply", "empty", "rejected"),
        ("empty content", chat(""), ModelOutputError, "unreadable_reply", "empty reply", "rejected"),
        ("only reasoning", chat("<think>Hmm.</think>"), ModelOutputError, "unreadable_reply", "empty", "rejected"),
        (
            "error inside a 200",
            error("Provider returned error", code=502),
            ModelError,
            "model_failed",
            "502",
            "rejected",
        ),
        (
            "error inside a choice",
            {"choices": [{"error": {"code": 502, "message": "upstream died"}, "finish_reason": "error"}]},
            ModelError,
            "model_failed",
            "upstream died",
            "rejected",
        ),
        (
            "context length inside a 200",
            error("This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
            ModelError,
            "prompt_too_large",
            "too large",
            "rejected",
        ),
    ],
)
async def test_what_is_no_answer_is_named_and_asked_once(
    *, row: str, body: Any, kind: type[VeriscoreError], reason: str, said: str, verdict: str
) -> None:
    """No retry loop; what was read although it is no answer is not paid for again by a resumed run."""
    async with served(json_reply(body)) as here:
        with pytest.raises(kind, match=said) as caught:
            await here.model.complete(ask())
    assert isinstance(caught.value, ModelError | ModelOutputError)
    assert caught.value.reason == reason, row
    assert here.spy.verdicts == [verdict]


@pytest.mark.parametrize(
    ("row", "text"), [("cut in mid-air", '{"choices": [{"mess'), ("events", 'data: {"choices": []}\n\n'), ("empty", "")]
)
async def test_a_body_that_is_not_json_concerns_its_one_call(row: str, text: str) -> None:
    problem = await failure(Reply(200, {"Content-Type": "application/json"}, text.encode()))
    assert isinstance(problem, ModelError), row
    assert "not JSON" in str(problem)


# ---------------------------------------------------------------- cut replies


def spent(content: Any = "") -> dict[str, Any]:
    """A reply whose budget hidden reasoning used up, as in row A06."""
    details = {"completion_tokens_details": {"reasoning_tokens": 512}}
    return {**chat(content, "length"), "usage": {"prompt_tokens": 9, "completion_tokens": 512, **details}}


@pytest.mark.parametrize("finish", ["max_tokens", "MAX_TOKENS", "max_output_tokens"])
async def test_a06_a_budget_that_is_used_up_has_other_names(finish: str) -> None:
    async with served(in_turn(json_reply(chat("", finish)), json_reply(chat("Yes.")))) as here:
        assert (await here.model.complete(ask())).text == "Yes."
    assert [body["max_tokens"] for body in here.bodies] == [2048, 8192]


@pytest.mark.parametrize("content", ["", None, "<think>First I would"])
async def test_a06_reasoning_that_used_the_budget_is_retried_once_with_a_bigger_one(content: Any) -> None:
    handler = in_turn(json_reply(spent(content)), json_reply(chat("Yes.")))
    async with served(handler) as here:
        assert (await here.model.complete(ask())).text == "Yes."
    assert [body["max_tokens"] for body in here.bodies] == [2048, 8192]
    assert here.spy.verdicts == ["accepted", "accepted"]


async def test_a06_twice_is_a_named_error_and_no_third_call() -> None:
    async with served(json_reply(spent())) as here:
        with pytest.raises(ModelOutputError, match=r"output budget used by reasoning \(512 tokens\)") as caught:
            await here.model.complete(ask())
    assert caught.value.reason == "output_cut"
    assert len(here.bodies) == 2


async def test_l17_a_cut_reply_is_asked_for_once_more_and_then_returned_as_it_is() -> None:
    async with served(json_reply(chat("Half a sen", "length"))) as here:
        reply = await here.model.complete(ask())
    assert reply == ModelReply("Half a sen", "length", "m-2026")
    assert [body["max_tokens"] for body in here.bodies] == [2048, 4096]


async def test_l17_the_whole_reply_replaces_the_cut_one() -> None:
    async with served(in_turn(json_reply(chat("Half", "length")), json_reply(chat("Whole.")))) as here:
        assert await here.model.complete(ask()) == ModelReply("Whole.", "stop", "m-2026")


async def test_a_cut_reply_is_better_than_an_empty_one() -> None:
    async with served(in_turn(json_reply(chat("Half", "length")), json_reply(chat("")))) as here:
        assert (await here.model.complete(ask())).text == "Half"


async def test_no_budget_above_the_cap_is_asked_for() -> None:
    async with served(json_reply(chat("Half", "length")), judge_max_output_tokens=MAX_OUTPUT_TOKENS) as here:
        await here.model.complete(ask())
    assert [body["max_tokens"] for body in here.bodies] == [MAX_OUTPUT_TOKENS]


# ---------------------------------------------------------------- failures

FILTERED = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation"},
    }
}
TOO_LARGE = error(
    "Request too large for gpt-4o in organization org-X on tokens per min (TPM): Limit 30000, Requested 49372.",
    type="tokens",
    code="rate_limit_exceeded",
)
SERVICE_FAILURES: list[tuple[str, int, Any, type[VeriscoreError], str, str]] = [
    # row, status, body, error, its reason where it has one, what it says
    ("A08", 400, FILTERED, ModelError, "content_filtered", "content filter"),
    (
        "A08 shortest form",
        400,
        {"error": {"code": "content_filter", "status": 400}},
        ModelError,
        "content_filtered",
        "",
    ),
    ("A08 in other letters", 400, error("x", code="ContentFilter"), ModelError, "content_filtered", ""),
    ("moderation of a router", 403, error("Your input was flagged by moderation"), ModelError, "content_filtered", ""),
    ("A11", 429, error("You exceeded your current quota", code="insufficient_quota"), AccessRefusedError, "", "credit"),
    ("A11 whatever its status", 400, error("Your credit balance is too low"), AccessRefusedError, "", "credit"),
    ("A11 as a type", 403, error("Stop", type="insufficient_quota"), AccessRefusedError, "", "credit"),
    ("A11 as plain text", 429, "insufficient_quota", AccessRefusedError, "", "credit"),
    ("A11 as arrears", 400, error("Access denied", code="Arrearage"), AccessRefusedError, "", "credit"),
    ("402", 402, error("Payment required"), AccessRefusedError, "", "credit"),
    ("a quota that comes back", 429, error("You exceeded your current quota. Please retry in 7s."), ModelError, "", ""),
    ("A12", 429, TOO_LARGE, ModelError, "prompt_too_large", "too large"),
    (
        "A12 in other words",
        429,
        error("Rate limit reached on tokens per min (TPM): Limit 30000, Used 0, Requested 49372."),
        ModelError,
        "prompt_too_large",
        "too large",
    ),
    (
        "A12 with commas in its numbers",
        429,
        error("Rate limit reached on tokens per min (TPM): Limit 30,000, Used 0, Requested 49,372."),
        ModelError,
        "prompt_too_large",
        "too large",
    ),
    (
        "a rate limit that waiting cures, with commas",
        429,
        error("Rate limit reached on tokens per min (TPM): Limit 30,000, Used 29,500, Requested 999."),
        ModelError,
        "model_failed",
        "too many requests",
    ),
    (
        "a rate limit that waiting cures",
        429,
        error("Rate limit reached on tokens per min (TPM): Limit 30000, Used 14567, Requested 24754."),
        ModelError,
        "model_failed",
        "too many requests",
    ),
    ("context", 400, error("x", code="context_length_exceeded"), ModelError, "prompt_too_large", "too large"),
    ("context, local", 400, error("x", type="exceed_context_size_error"), ModelError, "prompt_too_large", ""),
    ("context, as a failure", 500, error("the request exceeds the context size"), ModelError, "prompt_too_large", ""),
    ("413", 413, "too big", ModelError, "prompt_too_large", ""),
    (
        "401",
        401,
        error("Incorrect API key provided", code="invalid_api_key"),
        AccessRefusedError,
        "",
        "refused the key",
    ),
    ("403", 403, error("Country not supported"), AccessRefusedError, "", "refused the key"),
    ("a bad key as 400", 400, error("API key not valid. Please pass a valid API key."), AccessRefusedError, "", "key"),
    ("a bad key in a list", 400, [error("API key not valid.")], AccessRefusedError, "", "key"),
    (
        "no such model",
        404,
        error("The model `m` does not exist", code="model_not_found"),
        AccessRefusedError,
        "",
        "'m'",
    ),
    ("no such model as 400", 400, error("m is not a valid model ID"), AccessRefusedError, "", "no model 'm'"),
    ("no such path", 404, "404 page not found", AccessRefusedError, "", "no model 'm' at http://127.0.0.1"),
    ("another 400", 400, error("Error while downloading"), ModelError, "model_failed", "HTTP 400"),
    ("409", 409, error("locked"), ModelError, "model_failed", "HTTP 409"),
    ("422", 422, {"detail": [{"loc": ["body", "n"], "msg": "too small"}]}, ModelError, "model_failed", "too small"),
    ("error as a text", 400, {"error": "Model is crashed"}, ModelError, "model_failed", "crashed"),
    ("flat body", 400, {"object": "error", "message": "bad n", "code": 40001}, ModelError, "model_failed", "bad n"),
    ("500", 500, error("boom"), ModelError, "model_failed", "HTTP 500"),
    ("a web page as failure", 502, "<html><h1>Bad gateway</h1></html>", ModelError, "model_failed", "a web page"),
    ("nothing", 503, "", ModelError, "model_failed", "HTTP 503"),
]


@pytest.mark.parametrize(("row", "status", "body", "kind", "reason", "said"), SERVICE_FAILURES)
async def test_failures_are_told_apart(
    *, row: str, status: int, body: Any, kind: type[VeriscoreError], reason: str, said: str
) -> None:
    """What ends the run, what concerns one call, and why; the service is asked once."""
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    async with served(Reply(status, {"Content-Type": "application/json"}, raw)) as here:
        with pytest.raises(kind) as caught:
            await here.model.complete(ask())
    assert said in str(caught.value), row
    assert not reason or getattr(caught.value, "reason", None) == reason
    assert (len(here.bodies), here.spy.verdicts) == (1, ["rejected"])


@pytest.mark.parametrize(
    "start",
    [
        "<html>gateway login</html>",
        "<!DOCTYPE html>\n<title>Sign in</title>",
        "\n<!-- gateway --><title>Sign in</title><form>",
    ],
)
async def test_a10_a_web_page_with_status_200_stops_the_run(start: str) -> None:
    async with served(Reply(200, {"Content-Type": "text/html"}, start.encode())) as here:
        with pytest.raises(AccessRefusedError, match="bad base_url or gateway"):
            await here.model.complete(ask())
    assert here.spy.verdicts == ["rejected"]


@pytest.mark.parametrize(
    ("base_url", "hint"),
    [
        ("https://x.openai.azure.com/", "https://x.openai.azure.com/openai/v1"),
        ("https://x.openai.azure.com/openai/deployments/gpt?api-version=2024", "without deployment or api-version"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("https://api.openai.com/v1/chat/completions", "leave /chat/completions out"),
        ("https://api.openai.com/v1", ""),
        ("https://x.openai.azure.com/openai/v1/", ""),
    ],
)
async def test_a16_not_found_says_what_is_probably_wrong_with_the_address(base_url: str, hint: str) -> None:
    body = {"error": {"code": "404", "message": "Resource not found"}}
    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(404, json=body)))
    async with client:
        with pytest.raises(AccessRefusedError) as caught:
            await OpenAIModel(client, Settings(base_url=base_url, model="gpt")).complete(ask())
    assert "there is no model 'gpt'" in str(caught.value)
    assert hint in str(caught.value)
    assert bool(hint) == ("; " in str(caught.value))


async def test_a13_a_server_that_never_answers_costs_the_timeout_of_its_kind() -> None:
    async with served(Reply(delay_s=30), judge_timeout_s=0.3, timeout_s=60) as here:
        started = time.monotonic()
        with pytest.raises(ModelError, match=r"no answer within 0\.3 s"):
            await here.model.complete(ask("judge"))
    assert time.monotonic() - started < 10


async def test_a_cut_connection_is_an_error_of_its_one_call() -> None:
    problem = await failure(Reply(cut=True))
    assert isinstance(problem, ModelError)
    assert "cannot be reached" in str(problem)


async def test_an_unreachable_server_is_named() -> None:
    with LoopbackServer(in_turn(Reply())) as gone:
        address = gone.url
    async with httpx.AsyncClient() as client:
        with pytest.raises(ModelError, match="cannot be reached") as caught:
            await OpenAIModel(client, Settings(base_url=address)).complete(ask())
    assert address in str(caught.value)


# ---------------------------------------------------------------- errors of layers below, and of the SDK


def raising(problem: Exception) -> Callable[[httpx.Request], httpx.Response]:
    def handle(_: httpx.Request) -> httpx.Response:
        raise problem

    return handle


@pytest.mark.parametrize(
    "problem",
    [
        ReplayMissError("POST x", recording="r"),
        BudgetSpentError("the cap of $1 is reached"),
        ConfigurationError("no price"),
        ZeroDivisionError("a programming error"),
    ],
)
async def test_an_error_of_a_layer_below_passes_untouched(problem: Exception) -> None:
    """Neither a replay miss nor a spent budget is one claim's failure, and a bug is not swallowed."""
    async with httpx.AsyncClient(transport=httpx.MockTransport(raising(problem))) as client:
        with pytest.raises(type(problem)) as caught:
            await OpenAIModel(client, Settings()).complete(ask())
    assert caught.value is problem


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (NotRecorded("not in the recording"), "not_recorded"),
        (httpx.ConnectError("refused"), "model_failed"),
        (httpx.ReadTimeout("late"), "model_failed"),
        (httpx.RemoteProtocolError("cut"), "model_failed"),
        (httpx.DecodingError("bad gzip"), "model_failed"),
    ],
)
async def test_a01_every_transport_error_of_either_http_library_is_translated(problem: Exception, reason: str) -> None:
    async with httpx.AsyncClient(transport=httpx.MockTransport(raising(problem))) as client:
        with pytest.raises(ModelError) as caught:
            await OpenAIModel(client, Settings()).complete(ask())
    assert caught.value.reason == reason


def sdk_errors() -> dict[str, type[openai.OpenAIError]]:
    found: list[type[openai.OpenAIError]] = [openai.OpenAIError]
    for each in found:
        found.extend(each.__subclasses__())
    return {each.__name__: each for each in found if each.__module__.startswith("openai")}


def test_a01_every_exception_class_of_the_sdk_is_known() -> None:
    """Fails when the SDK grows a class that nobody has thought about."""
    assert len(sdk_errors()) >= 20
    assert sorted(set(sdk_errors()) - HANDLED) == []


@pytest.mark.parametrize("name", sorted(sdk_errors()))
def test_every_exception_of_the_sdk_becomes_one_of_ours(name: str) -> None:
    """Made without its constructor: what counts is its class, and the message may be anything."""
    kind = sdk_errors()[name]
    problem = kind.__new__(kind)
    Exception.__init__(problem, "what the SDK says")
    if isinstance(problem, openai.APIStatusError):
        problem.response = httpx.Response(int(getattr(kind, "status_code", 500)), text="{}")  # type: ignore[assignment]
        problem.status_code, problem.body = problem.response.status_code, {}
    facts = CallFacts("https://api.openai.com/v1", "m", 5)
    assert isinstance(translate(problem, facts), ModelError | ModelOutputError | AccessRefusedError)


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
async def test_a22_no_key_in_a_message_or_traceback(status: int) -> None:
    """Providers repeat the key that was sent, and other keys besides."""
    body = error(f"Incorrect API key provided: {KEY}, or sk-other-abcdefghijkl. Header: Bearer abcdefghijklmnop")
    problem = await failure(json_reply(body, status))
    shown = "".join(traceback.format_exception(problem)) + repr(problem) + str(vars(problem))
    assert "Incorrect API key provided" in str(problem)
    for secret in (KEY, "sk-other-abcdefghijkl", "abcdefghijklmnop"):
        assert secret not in str(problem)
    assert KEY not in shown


async def test_a22_no_password_of_an_address_in_a_message() -> None:
    address = "http://user:hunter2-secret@127.0.0.1:9/v1?key=abcdef-secret"
    transport = httpx.MockTransport(lambda _: httpx.Response(404, text="no"))
    async with httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(AccessRefusedError) as caught:
            await OpenAIModel(client, Settings(base_url=address)).complete(ask())
    assert "secret" not in str(caught.value)
    assert "http://127.0.0.1:9/v1" in str(caught.value)


# ---------------------------------------------------------------- is_final


@pytest.mark.parametrize(
    ("row", "status", "body", "headers", "final"),
    [
        ("A11", 429, error("You exceeded your current quota", code="insufficient_quota"), {}, True),
        ("A12", 429, TOO_LARGE, {}, True),
        ("a rate limit", 429, error("Rate limit reached for requests", code="rate_limit_exceeded"), {}, False),
        ("a rate limit without a body", 429, "", {}, False),
        ("a quota that comes back", 429, error("You exceeded your current quota. Please retry in 7s."), {}, False),
        ("Azure", 429, {"error": {"code": "429", "message": "exceeded token rate limit. Retry after 9 s."}}, {}, False),
        ("told not to", 429, "", {"x-should-retry": "false"}, True),
        ("401", 401, "", {}, True),
        ("402", 402, "", {}, True),
        ("403", 403, "", {}, True),
        ("404", 404, "", {}, True),
        ("400", 400, "", {}, True),
        ("408", 408, "", {}, False),
        ("500", 500, "", {}, False),
        ("context length as a failure", 500, error("the request exceeds the context size"), {}, True),
        ("503 as a web page", 503, "<html></html>", {}, False),
        ("success", 200, chat(), {}, True),
    ],
)
def test_is_final(row: str, status: int, body: Any, headers: Mapping[str, str], final: bool) -> None:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    assert is_final(httpx.Response(status, headers=headers, content=content)) is final, row


# ---------------------------------------------------------------- real shapes


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "data/shapes" / name).read_text(encoding="utf-8").splitlines()]


def expected(row: dict[str, Any]) -> str:
    """What has to become of a recorded response."""
    body = row["response"]
    if row["status"] in (401, 404):
        return "AccessRefusedError"
    if row["status"] != 200 or row["tag"] == "finish_content_filter" or row["tag"] == "refusal":
        return "ModelError"
    if row["tag"] == "stream":
        return "ModelError"
    return "reply" if body["choices"][0]["message"]["content"] else "ModelOutputError"


async def test_recorded_chat_responses_are_read(shared_data: Path) -> None:
    """Real responses of six providers, each served over HTTP as it was recorded."""
    recorded = [row for row in rows(shared_data, "openai_chat_recorded.jsonl") if "stream" not in row["kinds"]]
    assert len(recorded) > 40
    for row in recorded:
        async with served(json_reply(row["response"], row["status"])) as here:
            try:
                reply = await here.model.complete(ask())
                outcome = "reply" if reply.text and "<think>" not in reply.text else "wrong"
            except VeriscoreError as problem:
                outcome = type(problem).__name__
        assert outcome == expected(row), (row["path"], row["i"], outcome)


async def test_quoted_errors_are_told_apart(shared_data: Path) -> None:
    reasons = {}
    for row in rows(shared_data, "openai_errors_quoted_in_issues.jsonl"):
        body = row.get("body") or error(row.get("message", ""))
        if row["status"] >= 400:
            problem = await failure(json_reply(body, row["status"]))
            assert isinstance(problem, ModelError), row["kind"]
            reasons[row["kind"].split(" ")[0]] = problem.reason
    assert {kind for kind, reason in reasons.items() if reason == "prompt_too_large"} == {
        "http_400_context_length_exceeded",
        "http_400_context_length_exceeded_with_functions",
        "http_400_context_length_exceeded_prompt_plus_completion",
        "http_429_request_too_large_TPM",
    }
    assert reasons["azure_400_prompt_content_filter"] == "content_filtered"
    assert {reasons[kind] for kind in ("http_429_TPM", "azure_429_body", "azure_429_retry_after")} == {"model_failed"}


async def test_many_calls_at_once_keep_their_replies_apart() -> None:
    def handle(_method: str, _path: str, _headers: Mapping[str, str], body: bytes) -> Reply:
        return json_reply(chat(json.loads(body)["messages"][1]["content"]), delay_s=0.05)

    replies: dict[int, str] = {}
    async with served(handle) as here, anyio.create_task_group() as group:

        async def one(number: int) -> None:
            replies[number] = (await here.model.complete(ModelRequest("plan", "s", f"question {number}"))).text

        for number in range(40):
            group.start_soon(one, number)
    assert replies == {number: f"question {number}" for number in range(40)}
