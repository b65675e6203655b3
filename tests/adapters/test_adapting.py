"""Adapting to what a server refuses: once, remembered for the run, whatever the server's words."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from tests.loopback import Handler, LoopbackServer, Reply, json_reply
from veriscore_agent.adapters.http.stack import NoNetworkTransport, build_stack
from veriscore_agent.adapters.openai_model import AdaptingTransport, OpenAIModel
from veriscore_agent.adapters.openai_model.adapting import Adaptation
from veriscore_agent.adapters.openai_model.problems import read_problem
from veriscore_agent.adapters.prices import load_prices
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.store import ExchangeStore
from veriscore_agent.adapters.spending import Spending, SpendingTransport
from veriscore_agent.domain import JsonSchema, ModelRequest
from veriscore_agent.errors import ModelError, VeriscoreError
from veriscore_agent.settings import Settings

pytestmark = pytest.mark.anyio

SCHEMA = JsonSchema("verdict", {"type": "object", "properties": {"label": {"const": "größer"}}})
Refuses = Callable[[dict[str, Any]], Reply | None]


def openai_error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **fields}}


def unsupported(param: str, hint: str = "") -> dict[str, Any]:
    message = f"Unsupported parameter: '{param}' is not supported with this model.{hint}"
    return openai_error(message, param=param, code="unsupported_parameter")


def server_that(*refusals: Refuses, delay_s: float = 0) -> Handler:
    """Answers every request that no refusal speaks against."""

    def handle(_method: str, _path: str, _headers: Mapping[str, str], raw: bytes) -> Reply:
        body = json.loads(raw)
        for refuses in refusals:
            reply = refuses(body)
            if reply is not None:
                return Reply(reply.status, reply.headers, reply.body, delay_s)
        return json_reply({"choices": [{"message": {"content": '{"label": "x"}'}}]}, delay_s=delay_s)

    return handle


def refuses(field: str, error: Any, status: int = 400, value: Any = None) -> Refuses:
    """A refusal of every request that has the field (with that value, where one is given)."""

    def look(body: dict[str, Any]) -> Reply | None:
        found = body.get(field)
        has = found is not None and (value is None or str(value) in json.dumps(found))
        return json_reply(error, status) if has else None

    return look


class Served:
    def __init__(self, model: OpenAIModel, server: LoopbackServer, transport: AdaptingTransport) -> None:
        self.model, self.server, self.transport = model, server, transport

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.json() for request in self.server.requests]


@asynccontextmanager
async def served(handler: Handler, **settings: Any) -> AsyncIterator[Served]:
    with LoopbackServer(handler) as server:
        transport = AdaptingTransport(httpx.AsyncHTTPTransport())
        async with httpx.AsyncClient(transport=transport) as client:
            model = OpenAIModel(client, Settings(base_url=server.url + "/v1", model="m", **settings))
            yield Served(model, server, transport)


def ask(*, schema: bool = False) -> ModelRequest:
    return ModelRequest("judge", system="You judge.", user="Is it so?", schema=SCHEMA if schema else None)


MAX_TOKENS_REFUSED = unsupported("max_tokens", " Use 'max_completion_tokens' instead.")
ONLY_DEFAULT = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) is supported."
)
EXTRA = "Extra inputs are not permitted"

REFUSALS: list[tuple[str, Refuses, set[str]]] = [
    # who, what it refuses and how, the fields that are sent in the end
    ("A04 OpenAI", refuses("max_tokens", MAX_TOKENS_REFUSED), {"max_completion_tokens", "temperature", "seed"}),
    (
        "A04 code and param alone",
        refuses("max_tokens", {"error": {"code": "unsupported_parameter", "param": "max_tokens"}}),
        {"max_completion_tokens", "temperature", "seed"},
    ),
    ("reasoning models", refuses("temperature", unsupported("temperature")), {"max_tokens", "seed"}),
    (
        "reasoning models, other words",
        refuses("temperature", openai_error(ONLY_DEFAULT, param="temperature", code="unsupported_value")),
        {"max_tokens", "seed"},
    ),
    (
        "a server without param and code",
        refuses("seed", {"error": "Unrecognized request argument supplied: seed"}),
        {"max_tokens", "temperature"},
    ),
    (
        "a validator with status 422",
        refuses(
            "seed",
            {"message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": EXTRA, "input": 0}]}},
            422,
        ),
        {"max_tokens", "temperature"},
    ),
    (
        "another validator, which shows the whole input",
        refuses("seed", {"detail": [{"loc": ["body", "seed"], "msg": EXTRA, "input": {"temperature": 0}}]}, 422),
        {"max_tokens", "temperature"},
    ),
]


@pytest.mark.parametrize(("who", "refusal", "sent"), REFUSALS)
async def test_what_is_refused_is_left_out_once_and_remembered(who: str, refusal: Refuses, sent: set[str]) -> None:
    async with served(server_that(refusal)) as here:
        await here.model.complete(ask())
        await here.model.complete(ask())
    assert set(here.bodies[-1]) - {"model", "messages"} == sent, who
    assert len(here.bodies) == 3


async def test_a04_the_other_way_round() -> None:
    """A request that has max_completion_tokens meets a server that knows the older name alone."""
    error = openai_error("Unrecognized request argument supplied: max_completion_tokens")
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_completion_tokens": 5}
    with LoopbackServer(server_that(refuses("max_completion_tokens", error))) as server:
        async with httpx.AsyncClient(transport=AdaptingTransport(httpx.AsyncHTTPTransport())) as client:
            response = await client.post(server.url + "/v1/chat/completions", json=body)
    assert response.status_code == 200
    assert server.requests[1].json()["max_tokens"] == 5


async def test_a_server_that_refuses_both_names_is_asked_twice_and_then_believed() -> None:
    both = server_that(
        refuses("max_tokens", MAX_TOKENS_REFUSED),
        refuses("max_completion_tokens", unsupported("max_completion_tokens")),
    )
    async with served(both) as here:
        with pytest.raises(ModelError, match="max_completion_tokens"):
            await here.model.complete(ask())
    assert len(here.bodies) == 2


JSON_SCHEMA_REFUSED: list[tuple[str, int, Any]] = [
    (
        "OpenAI",
        400,
        openai_error(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            param="response_format",
        ),
    ),
    (
        "a schema that its strict mode does not take",
        400,
        openai_error("Invalid schema for response_format 'v'", param=""),
    ),
    ("DeepSeek", 400, openai_error("This response_format type is unavailable now", code="invalid_request_error")),
    ("DeepSeek, 422", 422, openai_error("response_format.type `json_schema` is unavailable now")),
    ("Groq", 400, openai_error("This model does not support response format `json_schema`.", param="response_format")),
    ("DeepInfra, 405", 405, {"message": "x", "error": {"message": "json_schema is not supported", "code": "405"}}),
    ("llama.cpp", 400, {"error": {"code": 400, "message": "Failed to parse grammar", "type": "invalid_request_error"}}),
    ("A17 a router", 404, openai_error("No endpoints found that support the parameters: response_format")),
    ("A17 in other words", 400, openai_error("This provider doesn't accept response_format")),
    ("a validator", 422, {"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}),
]


@pytest.mark.parametrize(("who", "status", "error"), JSON_SCHEMA_REFUSED)
async def test_a17_a18_without_json_schema_the_shape_is_asked_for_in_words(who: str, status: int, error: Any) -> None:
    async with served(server_that(refuses("response_format", error, status, "json_schema"))) as here:
        await here.model.complete(ask(schema=True))
        await here.model.complete(ask(schema=True))
    last = here.bodies[-1]
    assert last["response_format"] == {"type": "json_object"}, who
    asked = last["messages"][-1]["content"]
    assert asked.startswith("Is it so?\n\n")
    assert "JSON" in asked
    assert json.dumps(SCHEMA.schema, ensure_ascii=False) in asked
    assert len(here.bodies) == 3
    assert here.transport.adaptations == {"m": ("JSON mode",)}


async def test_a17_without_any_json_mode_the_prompt_alone_asks() -> None:
    refusal = refuses("response_format", {"error": "'response_format.type' must be 'text'"})
    async with served(server_that(refusal)) as here:
        reply = await here.model.complete(ask(schema=True))
        plain = await here.model.complete(ask())
    assert "response_format" not in here.bodies[2]
    assert "JSON" in here.bodies[2]["messages"][-1]["content"]
    assert reply.text == plain.text == '{"label": "x"}'
    assert here.bodies[3]["messages"][-1]["content"] == "Is it so?"


async def test_a_model_without_a_system_role_gets_it_in_the_first_message() -> None:
    error = openai_error(
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        param="messages[0].role",
        code="unsupported_value",
    )
    async with served(server_that(refuses("messages", error, 400, '"role": "system"'))) as here:
        await here.model.complete(ask())
    assert here.bodies[1]["messages"] == [{"role": "user", "content": "You judge.\n\nIs it so?"}]


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
        "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m",
        "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the window",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
    ],
)
async def test_the_largest_output_that_a_server_allows_is_learned(message: str) -> None:
    async with served(
        server_that(refuses("max_tokens", openai_error(message, param="max_tokens"), value=8192)),
        judge_max_output_tokens=8192,
    ) as here:
        await here.model.complete(ask())
    assert [body["max_tokens"] for body in here.bodies] == [8192, 4096]


async def test_everything_at_once_is_learned_one_by_one() -> None:
    """A model that takes neither the old limit, nor temperature, nor seed, nor a schema."""
    handler = server_that(
        refuses("max_tokens", MAX_TOKENS_REFUSED),
        refuses("temperature", unsupported("temperature")),
        refuses("seed", unsupported("seed")),
        refuses("response_format", openai_error("response_format is not supported", param="response_format")),
    )
    async with served(handler) as here:
        await here.model.complete(ask(schema=True))
        first = len(here.bodies)
        await here.model.complete(ask(schema=True))
    assert (first, len(here.bodies)) == (6, 7)
    assert set(here.bodies[-1]) == {"model", "messages", "max_completion_tokens"}
    assert set(here.transport.adaptations["m"]) == {
        "no seed",
        "no temperature",
        "max_completion_tokens for the output limit",
        "JSON asked for in the prompt alone",
    }


async def test_many_calls_in_flight_meet_a_refusal_and_adapt_once() -> None:
    """All forty are refused in the same instant: each is sent a second time, none a third, and one lesson is kept."""
    handler = server_that(refuses("max_tokens", MAX_TOKENS_REFUSED), delay_s=0.1)
    async with served(handler) as here:
        async with anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(here.model.complete, ask())
        assert len(here.bodies) <= 80
        sent = len(here.bodies)
        await here.model.complete(ask())
    assert len(here.bodies) == sent + 1
    assert here.transport.adaptations == {"m": ("max_completion_tokens for the output limit",)}


async def test_calls_that_learn_different_things_at_once_all_end_well() -> None:
    """Plain and structured questions meet two refusals side by side; neither lesson is lost."""
    handler = server_that(
        refuses("response_format", openai_error("no json_schema: not supported"), value="json_schema"),
        refuses("temperature", unsupported("temperature")),
        delay_s=0.05,
    )
    async with served(handler) as here:
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(here.model.complete, ask(schema=bool(number % 2)))
        sent = len(here.bodies)
        await here.model.complete(ask(schema=True))
        assert len(here.bodies) == sent + 1
    assert set(here.transport.adaptations["m"]) == {"JSON mode", "no temperature"}


def test_a_late_refusal_takes_nothing_back() -> None:
    """Two requests went out before anything was known; the answer to the second comes after two lessons."""
    refused = read_problem(400, json.dumps(openai_error("json_schema is not supported")))
    sent = {"messages": [], "response_format": {"type": "json_schema"}}
    known = Adaptation(json_form="none", without=frozenset({"seed"}))
    assert known.after(refused, sent) == known


async def test_models_are_learned_of_apart() -> None:
    def look(body: dict[str, Any]) -> Reply | None:
        return json_reply(unsupported("temperature"), 400) if body["model"] == "m" and "temperature" in body else None

    async with served(server_that(look), plan_model="other") as here:
        await here.model.complete(ask())
        await here.model.complete(ModelRequest("plan", "s", "u"))
    assert "temperature" in here.bodies[-1]
    assert here.transport.adaptations == {"m": ("no temperature",)}


NOT_ADAPTABLE: list[tuple[str, int, Any]] = [
    ("context length", 400, openai_error("This model's maximum context length is 8192 tokens.", param="messages")),
    ("vLLM", 400, openai_error("'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens")),
    ("A08", 400, openai_error("content management policy", code="content_filter", param="prompt")),
    ("another fault", 400, openai_error("Error while downloading the image.")),
    ("a key that is refused", 401, openai_error("temperature is not supported for your key")),
    ("too many requests", 429, openai_error("seed not supported right now")),
    ("a field that was not sent", 400, unsupported("top_p")),
    ("a broken server", 500, "boom"),
]


@pytest.mark.parametrize(("row", "status", "error"), NOT_ADAPTABLE)
async def test_any_other_problem_is_passed_on_after_one_request(row: str, status: int, error: Any) -> None:
    async with served(server_that(lambda _: json_reply(error, status))) as here:
        with pytest.raises(VeriscoreError):
            await here.model.complete(ask(schema=True))
    assert len(here.bodies) == 1, row
    assert here.transport.adaptations == {}


async def test_other_requests_pass_untouched() -> None:
    with LoopbackServer(
        lambda *_: json_reply({"error": {"param": "temperature", "code": "unsupported"}}, 400)
    ) as server:
        async with httpx.AsyncClient(transport=AdaptingTransport(httpx.AsyncHTTPTransport())) as client:
            for path, content in (("/v1/models", b"{}"), ("/v1/chat/completions", b"no json"), ("/search", b"[]")):
                assert (await client.post(server.url + path, content=content)).status_code == 400
    assert [request.body for request in server.requests] == [b"{}", b"no json", b"[]"]


async def test_a_recording_made_while_adapting_replays_in_any_order(tmp_path: Path) -> None:
    """Which of the calls met the refusal is no part of the recording: it holds the requests as they were meant.

    The whole stack, spending included: twelve questions at once, four of them refused in different ways, are replayed
    one by one from the last to the first, with no server, and cost nothing.
    """
    handler = server_that(
        refuses("max_tokens", MAX_TOKENS_REFUSED),
        refuses("response_format", openai_error("no json_schema: not supported"), value="json_schema"),
        delay_s=0.02,
    )
    questions = [
        ModelRequest("judge", "s", f"question {number}", schema=SCHEMA if number % 2 else None) for number in range(12)
    ]
    with LoopbackServer(handler) as server:
        policy, settings = StorePolicy.record(ExchangeStore(tmp_path)), Settings(base_url=server.url + "/v1", model="m")
        async with recorded_client(httpx.AsyncHTTPTransport(), policy) as (client, spending):
            model = OpenAIModel(client, settings)
            async with anyio.create_task_group() as group:
                for question in questions:
                    group.start_soon(model.complete, question)
    assert len(server.requests) > len(questions)
    assert spending.usage["judge"].calls == len(server.requests)

    async with recorded_client(NoNetworkTransport(), StorePolicy.replay(ExchangeStore(tmp_path))) as (client, spending):
        model = OpenAIModel(client, settings)
        for question in reversed(questions):
            assert (await model.complete(question)).text == '{"label": "x"}'
    assert spending.usage == {}


@asynccontextmanager
async def recorded_client(
    socket: httpx.AsyncBaseTransport, policy: StorePolicy
) -> AsyncIterator[tuple[httpx.AsyncClient, Spending]]:
    spending = Spending(None, load_prices())
    layers = (AdaptingTransport, lambda inner: SpendingTransport(inner, spending, "model"))
    stack = build_stack(socket, service="model", store_policy=policy, layers=layers)
    async with httpx.AsyncClient(transport=stack) as client:
        yield client, spending
