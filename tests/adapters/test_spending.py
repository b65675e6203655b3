"""Prices, what a run used, and the cap: it holds with many calls in flight."""

from __future__ import annotations

import json
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from tests.loopback import Handler, LoopbackServer, Reply, in_turn, json_reply
from veriscore_agent.adapters import prices as prices_module
from veriscore_agent.adapters.http.exchange import call_headers
from veriscore_agent.adapters.http.retries import RetryPolicy
from veriscore_agent.adapters.http.stack import BodyBounds, build_stack
from veriscore_agent.adapters.prices import ModelPrice, Prices, PriceTable, SearchPrice, load_prices
from veriscore_agent.adapters.spending import Spending, SpendingTransport, Usage
from veriscore_agent.adapters.tokens import count_tokens
from veriscore_agent.errors import BudgetSpentError, ConfigurationError, Service
from veriscore_agent.settings import Settings

pytestmark = pytest.mark.anyio

# One dollar per million tokens in, two out, half for cached input; a search is one cent. Sums are easy by hand.
PRICES = Prices(
    (PriceTable(models={"m": ModelPrice(1.0, 2.0, 0.5)}, search={"127.0.0.1": SearchPrice(10.0)}),),
)


def body(max_tokens: int = 1000, content: str = "Is it so?", **fields: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": "You judge."}, {"role": "user", "content": content}]
    return {"model": "m", "messages": messages, "max_tokens": max_tokens, **fields}


def answer(prompt: int = 100, completion: int = 50, cached: int = 0) -> dict[str, Any]:
    details = {"prompt_tokens_details": {"cached_tokens": cached}}
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, **details}
    return {"choices": [{"message": {"content": "Yes."}}], "usage": usage}


class Served:
    """A client whose calls are accounted for, and the server behind it."""

    def __init__(self, client: httpx.AsyncClient, server: LoopbackServer, spending: Spending) -> None:
        self.client, self.server, self.spending = client, server, spending

    async def ask(self, kind: str = "judge", **fields: Any) -> httpx.Response:
        headers = call_headers(kind=kind, subject="x")
        return await self.client.post(self.server.url + "/v1/chat/completions", json=body(**fields), headers=headers)


@asynccontextmanager
async def served(
    handler: Handler | Reply,
    cap: float | None = None,
    prices: Prices = PRICES,
    service: Service = "model",
) -> AsyncIterator[Served]:
    spending = Spending(cap, prices)
    with LoopbackServer(in_turn(handler) if isinstance(handler, Reply) else handler) as server:
        transport = SpendingTransport(httpx.AsyncHTTPTransport(), spending, service)
        async with httpx.AsyncClient(transport=transport, timeout=5) as client:
            yield Served(client, server, spending)


# ---------------------------------------------------------------- prices


def test_a_price_by_hand() -> None:
    """600 fresh tokens at $1, 400 cached at $0.50 and 1,000 out at $2 a million: 0.0006 + 0.0002 + 0.002 dollars."""
    cost = ModelPrice(1.0, 2.0, 0.5).cost(input_tokens=1000, cached_tokens=400, output_tokens=1000)
    assert cost == pytest.approx(0.0028)
    assert ModelPrice(1.0, 2.0).cost(input_tokens=1000, cached_tokens=400, output_tokens=0) == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("row", "name", "price"),
    [
        ("the name itself", "gpt-4o", 2.5),
        ("with its date", "gpt-4o-2024-08-06", 2.5),
        ("a date that has a price of its own", "gpt-4o-2024-05-13", 5.0),
        ("a smaller sister, not the longer name's beginning", "gpt-4o-mini-2024-07-18", 0.15),
        ("another model that begins alike", "gpt-4o-audio-preview", None),
        ("another provider's name", "openai/gpt-4o", None),
        ("a local model", "llama-3-8b", None),
        ("no name", "", None),
    ],
)
def test_the_packages_prices_by_name(row: str, name: str, price: float | None) -> None:
    found = load_prices().of_model(name)
    assert (found.input if found else None) == price, row


def test_every_packaged_price_says_where_it_is_from() -> None:
    """No price without a source above it, and cached input never dearer than fresh."""
    text = Path(prices_module.__file__).with_name("prices.toml").read_text(encoding="utf-8")
    assert text.count("# Source:") == len(tomllib.loads(text)) == 2
    for name, fields in tomllib.loads(text)["models"].items():
        assert fields.get("cached_input", 0) <= fields["input"] < fields["output"], name


def test_a_file_of_the_users_goes_before(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '[models."gpt-4o"]\ninput = 1\noutput = 3\n'
        '[models."llama*"]\ninput = 0\noutput = 0\n'
        '[models."llama-big*"]\ninput = 7\noutput = 9\n'
        '[search."*"]\nper_thousand = 0.3\n',
        encoding="utf-8",
    )
    found = load_prices(path)
    assert found.of_model("gpt-4o-2024-08-06") == ModelPrice(1, 3)
    assert found.of_model("llama-3-8b") == ModelPrice(0, 0)
    assert found.of_model("llama-big-405b") == ModelPrice(7, 9)
    assert found.of_model("gpt-4.1") == load_prices().of_model("gpt-4.1")
    assert found.of_search("google.serper.dev") == SearchPrice(0.3)


@pytest.mark.parametrize(
    ("row", "text", "said"),
    [
        ("not TOML", "models = [", "not TOML"),
        ("a field is missing", '[models."m"]\ninput = 1', "models.m.output"),
        ("a price below nothing", '[models."m"]\ninput = -1\noutput = 1', "models.m.input"),
        ("a price that is none", '[models."m"]\ninput = nan\noutput = 1', "models.m.input"),
        ("a misspelt field", '[models."m"]\ninput = 1\noutput = 1\ncached = 1', "models.m.cached"),
        ("a misspelt table", '[model."m"]\ninput = 1\noutput = 1', "model"),
    ],
)
def test_a_bad_price_file_is_named_with_what_is_wrong(row: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "my-prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"my-prices\.toml") as caught:
        load_prices(path)
    assert said in str(caught.value), row


def test_a_missing_price_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="none-here"):
        load_prices(tmp_path / "none-here.toml")


# ---------------------------------------------------------------- at the start


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"judge_model": "llama"}, r'model \'llama\'.*\[models."llama"\]'),
        ({"search_base_url": "http://localhost:9"}, r'search at \'localhost\'.*\[search."localhost"\]'),
        ({"max_cost": -1.0}, "less than nothing"),
    ],
)
def test_a_cap_without_a_price_is_refused_before_anything_is_spent(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Spending.from_settings(Settings(**{"model": "gpt-4o", "max_cost": 1.0, **settings}))


def test_without_a_cap_no_price_is_needed() -> None:
    assert Spending.from_settings(Settings(model="llama", search_base_url="http://localhost:9")).cap is None


def test_a_price_of_the_users_is_enough_for_a_cap(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[models."llama"]\ninput = 0\noutput = 0\n[search."localhost"]\nper_thousand = 0\n')
    settings = Settings(model="llama", search_base_url="http://localhost:9", prices=path, max_cost=0)
    assert Spending.from_settings(settings).cap == 0


# ---------------------------------------------------------------- what is used


async def test_usage_is_kept_by_kind() -> None:
    """Two judgings of 100 tokens in (40 of one cached) and 50 out, one planning."""
    handler = in_turn(json_reply(answer(cached=40)), json_reply(answer()), json_reply(answer(10, 5)))
    async with served(handler) as here:
        for kind in ("judge", "judge", "plan"):
            await here.ask(kind)
    judge, plan = here.spending.usage["judge"], here.spending.usage["plan"]
    assert (judge.calls, judge.input_tokens, judge.cached_tokens, judge.output_tokens) == (2, 200, 40, 100)
    assert judge.cost == pytest.approx((160 * 1 + 40 * 0.5 + 100 * 2) / 1e6)
    assert plan.cost == pytest.approx(20 / 1e6)
    assert here.spending.cost == pytest.approx(here.spending.spent) == pytest.approx(400 / 1e6)


@pytest.mark.parametrize(
    ("row", "reply"),
    [
        ("A24", {"choices": [{"message": {"content": "Yes."}}]}),
        ("A24 null", {"choices": [], "usage": None}),
        ("A24 empty", {"choices": [], "usage": {}}),
        ("A24 of another kind", {"choices": [], "usage": [1]}),
        ("counts that are none", {"choices": [], "usage": {"prompt_tokens": "many", "completion_tokens": None}}),
        ("no object", []),
        ("not JSON", None),
    ],
)
async def test_a24_without_usage_the_cost_is_unknown(row: str, reply: Any) -> None:
    raw = Reply(200, {}, b"<html>") if reply is None else json_reply(reply)
    async with served(in_turn(raw, json_reply(answer()))) as here:
        await here.ask()
        await here.ask()
    assert here.spending.usage["judge"] == Usage(2, 0, 100, 0, 50, None), row
    assert here.spending.cost is None


async def test_a_model_without_a_price_has_tokens_but_no_cost() -> None:
    async with served(json_reply(answer()), prices=Prices(())) as here:
        await here.ask()
    assert here.spending.usage["judge"] == Usage(1, 0, 100, 0, 50, None)


async def test_cached_tokens_are_read_in_another_providers_words() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 0, "prompt_cache_hit_tokens": 60}
    async with served(json_reply({"usage": usage})) as here:
        await here.ask()
    assert here.spending.usage["judge"].cached_tokens == 60


@pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
async def test_a_failure_costs_nothing(status: int) -> None:
    async with served(json_reply({"error": {}}, status), cap=1) as here:
        await here.ask()
    assert here.spending.usage["judge"] == Usage(1, 0, 0, 0, 0, 0.0)
    assert here.spending.spent == 0


async def test_searches_cost_their_credits() -> None:
    """One credit where the answer names none, and none for a failure. A cent a credit here."""
    handler = in_turn(
        json_reply({"organic": []}), json_reply({"organic": [], "credits": 2}), json_reply({"message": "no"}, 400)
    )
    async with served(handler, service="search") as here:
        for _ in range(3):
            await here.client.post(here.server.url + "/search", json={"q": "x"})
    assert here.spending.usage["search"].calls == 3
    assert here.spending.cost == pytest.approx(0.03)


# ---------------------------------------------------------------- the cap


def most(max_tokens: int) -> float:
    """What a call of ``body(max_tokens)`` may cost at most: its texts, four tokens a message and for the reply."""
    tokens = count_tokens("You judge.") + count_tokens("Is it so?") + 3 * 4
    return (tokens * 1.0 + max_tokens * 2.0) / 1e6


async def test_the_cap_ends_the_run_before_it_is_passed() -> None:
    """Each call may cost 2,017 millionths and costs 200: the seventh would still fit, the eighth might not."""
    cap = most(1000) + 6.5 * 200e-6
    async with served(json_reply(answer()), cap=cap) as here:
        for _ in range(7):
            await here.ask()
        with pytest.raises(BudgetSpentError, match=r"the cap of \$0\.0033") as caught:
            await here.ask()
    assert len(here.server.requests) == 7
    assert here.spending.spent <= cap
    assert "$0.0014 spent" in str(caught.value)


async def test_a_call_that_could_never_fit_is_refused_at_once() -> None:
    async with served(json_reply(answer()), cap=most(1000) * 0.99) as here:
        with pytest.raises(BudgetSpentError):
            await here.ask()
    assert here.server.requests == []


async def test_the_estimate_covers_the_schema_and_an_output_limit_under_its_newer_name() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "v", "schema": {"type": "object"}}}
    size = count_tokens(json.dumps(form)) + 4
    cap = most(1000) + size / 1e6
    for allowed, margin in ((True, 1e-9), (False, -1e-9)):
        async with served(json_reply(answer()), cap=cap + margin) as here:
            asking = here.ask(max_tokens=0, max_completion_tokens=1000, response_format=form)
            if allowed:
                await asking
            else:
                with pytest.raises(BudgetSpentError):
                    await asking


async def test_the_cap_holds_with_many_calls_in_flight() -> None:
    """Forty calls at once, each of which may cost all that is left: they take turns, and what they spend stays below.

    Every call really uses its whole output, so reservations that were too small would show.
    """
    used = answer(prompt=count_tokens("You judge.") + count_tokens("Is it so?") + 12, completion=1000)
    cap = most(1000) * 5.5
    refused: list[int] = []
    async with served(json_reply(used, delay_s=0.02), cap=cap) as here, anyio.create_task_group() as group:

        async def one(number: int) -> None:
            try:
                await here.ask()
            except BudgetSpentError:
                refused.append(number)

        for number in range(40):
            group.start_soon(one, number)
    assert (len(here.server.requests), len(refused)) == (5, 35)
    assert most(1000) * 5 == pytest.approx(here.spending.spent)
    assert here.spending.spent <= cap


async def test_calls_wait_for_those_in_flight_rather_than_ending_the_run() -> None:
    """Ten calls, of which the cap could reserve two at a time, all end well, since each turns out cheap."""
    slow = json_reply(answer(), delay_s=0.02)
    async with served(slow, cap=most(1000) * 2.9) as here, anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(here.ask)
    assert len(here.server.requests) == 10
    assert here.server.most_open_requests <= 2
    assert here.spending.usage["judge"].calls == 10


async def test_a_reply_without_usage_counts_as_the_most_that_it_may_have_cost() -> None:
    async with served(json_reply({"choices": []}), cap=most(1000) * 2.5) as here:
        await here.ask()
        await here.ask()
        with pytest.raises(BudgetSpentError):
            await here.ask()
    assert here.spending.spent == pytest.approx(2 * most(1000))


async def test_a_call_whose_answer_was_not_seen_counts_as_the_most_that_it_may_have_cost() -> None:
    """The provider may have charged for it; known costs stay known."""
    async with served(in_turn(json_reply(answer()), Reply(cut=True)), cap=1) as here:
        await here.ask()
        with pytest.raises(httpx.RemoteProtocolError):
            await here.ask()
    judge = here.spending.usage["judge"]
    assert (judge.calls, judge.unanswered) == (2, 1)
    assert judge.cost == pytest.approx(200e-6)
    assert here.spending.spent == pytest.approx(200e-6 + most(1000))


async def test_a_cancelled_call_gives_its_place_back() -> None:
    async with served(Reply(delay_s=30), cap=most(1000) * 2.5) as here:
        with anyio.move_on_after(0.2):
            await here.ask()
        assert here.spending.usage["judge"].unanswered == 1
        here.server.handler = in_turn(json_reply(answer()))
        assert (await here.ask()).status_code == 200


def failing(problem: Exception) -> Callable[[httpx.Request], httpx.Response]:
    def handle(_: httpx.Request) -> httpx.Response:
        raise problem

    return handle


@pytest.mark.parametrize(
    "problem", [httpx.ConnectError("refused"), httpx.PoolTimeout("busy"), BudgetSpentError("spent")]
)
async def test_what_never_went_out_costs_nothing(problem: Exception) -> None:
    spending = Spending(1.0, PRICES)
    transport = SpendingTransport(httpx.MockTransport(failing(problem)), spending, "model")
    async with httpx.AsyncClient(transport=transport) as client:
        for _ in range(3):
            with pytest.raises(type(problem)):
                await client.post("http://x.example/v1/chat/completions", json=body())
    assert (spending.spent, spending.usage) == (0, {})


def failing_in_turn(*problems: Exception) -> Callable[[httpx.Request], httpx.Response]:
    left = list(problems)

    def handle(_: httpx.Request) -> httpx.Response:
        raise left.pop(0)

    return handle


BROKEN, UNREACHABLE = httpx.ReadError("cut"), httpx.ConnectError("refused")


@pytest.mark.parametrize(
    ("handler", "counts", "why"),
    [
        (failing_in_turn(BROKEN, UNREACHABLE, UNREACHABLE), True, "the first try may have been answered"),
        (failing_in_turn(UNREACHABLE, BROKEN, UNREACHABLE), True, "so may the second"),
        (failing_in_turn(UNREACHABLE, UNREACHABLE, UNREACHABLE), False, "nothing ever went out"),
        (lambda _: httpx.Response(200, content=b" " * 2000), True, "answered, with more than is taken"),
    ],
)
async def test_every_try_of_a_call_decides_whether_it_may_have_cost_something(
    handler: Callable[[httpx.Request], httpx.Response], counts: bool, why: str
) -> None:
    spending = Spending(1.0, PRICES)
    transport = build_stack(
        httpx.MockTransport(handler),
        service="model",
        store_policy=None,
        retry=RetryPolicy(2, first_wait_s=0.001),
        layers=[lambda inner: SpendingTransport(inner, spending, "model")],
        bounds=BodyBounds(1000, 1000),
    )
    async with httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(httpx.TransportError):
            await client.post("http://x.example/v1/chat/completions", json=body())
    assert spending.spent == pytest.approx(most(1000) if counts else 0), why


async def test_under_a_cap_an_unpriced_request_is_never_sent() -> None:
    """The start has checked the settings; whatever slips past them does not spend unseen."""
    async with served(json_reply(answer()), cap=1) as here:
        with pytest.raises(ConfigurationError, match="'other'"):
            await here.ask(model="other")
    async with served(json_reply({}), cap=1, prices=Prices(()), service="search") as there:
        with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1"):
            await there.client.post(there.server.url + "/search", json={"q": "x"})
    assert here.server.requests == there.server.requests == []


async def test_one_cap_for_all_services() -> None:
    spending = Spending(0.015, PRICES)

    def handle(_method: str, path: str, _headers: Mapping[str, str], _body: bytes) -> Reply:
        return json_reply({"organic": []} if path == "/search" else answer())

    with LoopbackServer(handle) as server:
        model = SpendingTransport(httpx.AsyncHTTPTransport(), spending, "model")
        search = SpendingTransport(httpx.AsyncHTTPTransport(), spending, "search")
        async with httpx.AsyncClient(transport=model) as one, httpx.AsyncClient(transport=search) as other:
            await other.post(server.url + "/search", json={"q": "x"})
            await one.post(server.url + "/v1/chat/completions", json=body())
            with pytest.raises(BudgetSpentError):
                await other.post(server.url + "/search", json={"q": "y"})
    assert spending.cost == pytest.approx(0.0102)
