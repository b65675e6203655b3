"""What the paid services cost in this run, and the cap on it.

``SpendingTransport`` sits below the recording, so a replayed call never reaches it, and above limits and retries, so
that a call is paid for once however often it is tried. A call first reserves what it may cost at most. The sum of
what is spent and what is reserved stays within the cap, so the cap holds with any number of calls in flight; a call
that does not fit beside the others waits until they are settled, and one that does not fit at all ends the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, get_args
from urllib.parse import urlsplit

import anyio
import httpx

from veriscore_agent.adapters.http.attempts import attempt_log
from veriscore_agent.adapters.http.exchange import take_call
from veriscore_agent.adapters.http.failures import NEVER_SENT
from veriscore_agent.adapters.prices import ModelPrice, Prices, SearchPrice, load_prices
from veriscore_agent.adapters.tokens import count_tokens
from veriscore_agent.domain import CallKind
from veriscore_agent.errors import BudgetSpentError, ConfigurationError, Service, VeriscoreError
from veriscore_agent.settings import Settings

_TOKENS_PER_MESSAGE = 4
"""What the chat format adds to each message, and once for the reply."""

_UNLIMITED_OUTPUT = 16_384
"""Output tokens reserved for a request that sets no limit."""

_NEVER_SENT = (*NEVER_SENT, VeriscoreError)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the calls of one kind used."""

    calls: int = 0
    """Calls that went out, failed ones included."""
    unanswered: int = 0
    """Calls among them that ended without an answer (a timeout, a cut connection). They may have been billed."""
    input_tokens: int = 0
    """Cached ones included."""
    cached_tokens: int = 0
    output_tokens: int = 0
    """Hidden reasoning included."""
    cost: float | None = 0.0
    """US dollars of the answered calls. None: unknown, for want of a price or of the server's count."""


@dataclass(frozen=True, slots=True)
class Bill:
    """What one call turned out to use. ``cost`` None: unknown."""

    cost: float | None
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    answered: bool = True


FREE = Bill(0.0)
"""A call that the provider refused or failed: they charge for answers."""

UNANSWERED = Bill(0.0, answered=False)
"""A call whose answer was not seen. The provider may have charged for it."""


class Spending:
    """The account of one run, shared by all services. For use within one event loop."""

    def __init__(self, cap: float | None, prices: Prices) -> None:
        """``cap`` is in US dollars; None: no cap."""
        self.cap = cap
        self.prices = prices
        self._usage: dict[str, Usage] = {}
        self._spent = 0.0
        self._reserved = 0.0
        self._in_flight = 0
        self._settled = anyio.Event()

    @classmethod
    def from_settings(cls, settings: Settings) -> Spending:
        """The account of a run with these settings.

        Raises ConfigurationError where a cap is set and the price of a model or of the search is unknown, for then
        the cap could not be kept; and for a bad price file.
        """
        prices = load_prices(settings.prices)
        if settings.max_cost is not None:
            _check_cap(settings.max_cost, prices, settings)
        return cls(settings.max_cost, prices)

    @property
    def usage(self) -> dict[str, Usage]:
        """What was used so far, by kind of call (``extract``, ``judge``, ``plan``, ``search``)."""
        return dict(self._usage)

    @property
    def cost(self) -> float | None:
        """US dollars of all answered calls so far; None where the cost of any is unknown."""
        costs = [each.cost for each in self._usage.values()]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    @property
    def spent(self) -> float:
        """US dollars that count against the cap: known costs, and the most that calls of unknown cost may have had."""
        return self._spent

    async def reserve(self, estimate: float) -> None:
        """Set ``estimate`` dollars aside, waiting for calls in flight where need be.

        Raises BudgetSpentError where it cannot fit even after them.
        """
        if self.cap is None:
            return
        while self._spent + self._reserved + estimate > self.cap:
            if self._spent + estimate > self.cap:
                raise BudgetSpentError(
                    f"the cap of ${self.cap:g} is reached: ${self._spent:.4f} spent, "
                    f"and the next call may cost ${estimate:.4f}"
                )
            await self._settled.wait()
        self._reserved += estimate
        self._in_flight += 1

    def settle(self, kind: str, estimate: float, bill: Bill) -> None:
        """Put ``bill`` in the place of a reserved estimate.

        What is not known for certain (an unknown cost, a call without an answer) counts as the whole estimate.
        """
        before = self._usage.get(kind, Usage())
        known = before.cost is not None and bill.cost is not None
        self._usage[kind] = replace(
            before,
            calls=before.calls + 1,
            unanswered=before.unanswered + (not bill.answered),
            input_tokens=before.input_tokens + bill.input_tokens,
            cached_tokens=before.cached_tokens + bill.cached_tokens,
            output_tokens=before.output_tokens + bill.output_tokens,
            cost=(before.cost or 0.0) + (bill.cost or 0.0) if known else None,
        )
        self._spent += bill.cost if bill.cost is not None and bill.answered else estimate
        self.release(estimate)

    def release(self, estimate: float) -> None:
        """Give back what was reserved for a call that never went out."""
        if self.cap is None:
            return
        self._in_flight -= 1
        # Not left to sums of floats: a remainder of 1e-17 would keep the last caller waiting for nobody.
        self._reserved = self._reserved - estimate if self._in_flight else 0.0
        self._settled.set()
        self._settled = anyio.Event()


def _check_cap(cap: float, prices: Prices, settings: Settings) -> None:
    if cap < 0:
        raise ConfigurationError(f"max_cost: {cap:g} is less than nothing")
    kinds: tuple[CallKind, ...] = get_args(CallKind)
    for model in dict.fromkeys(settings.call(kind).model for kind in kinds):
        if prices.of_model(model) is None:
            raise _unpriced_model(model)
    host = urlsplit(settings.search_base_url).hostname or ""
    if prices.of_search(host) is None:
        raise _unpriced_search(host)


def _unpriced_model(name: str) -> ConfigurationError:
    return _unpriced("model", name, "models", "input = ... and output = ..., in dollars per million tokens")


def _unpriced_search(host: str) -> ConfigurationError:
    return _unpriced("search at", host, "search", "per_thousand = ..., in dollars")


def _unpriced(what: str, name: str, table: str, fields: str) -> ConfigurationError:
    return ConfigurationError(
        f"max_cost needs prices, and none is known for the {what} {name!r}: name it in a price file (setting prices) "
        f'as [{table}."{name}"] with {fields}, or leave max_cost out'
    )


# ---------------------------------------------------------------- the layer


class SpendingTransport(httpx.AsyncBaseTransport):
    """Reserves before each call of one service and settles after it.

    Raises BudgetSpentError where the cap is reached, and ConfigurationError where a cap is set and the price of the
    requested model is unknown. Of what fails only a call that may have been answered without our seeing it (a timeout,
    a cut connection, a cancelled run) counts against the cap, as the most that it may have cost.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, spending: Spending, service: Service) -> None:
        """``service`` is ``model`` or ``search``; pages cost nothing and need no such layer."""
        self._inner, self._spending, self._service = inner, spending, service

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request if it may still be paid for."""
        kind = take_call(request).kind or self._service
        tariff = await self._tariff(request)
        tries, before = attempt_log(request).attempts, len(attempt_log(request).attempts)
        await self._spending.reserve(tariff.estimate)
        try:
            response = await self._inner.handle_async_request(request)
            await response.aread()
        except BaseException as problem:
            if isinstance(problem, _NEVER_SENT) and not any(each.unseen for each in tries[before:]):
                self._spending.release(tariff.estimate)
            else:
                self._spending.settle(kind, tariff.estimate, UNANSWERED)
            raise
        self._spending.settle(kind, tariff.estimate, tariff.bill(response))
        return response

    async def _tariff(self, request: httpx.Request) -> ModelTariff | SearchTariff:
        capped = self._spending.cap is not None
        if self._service == "search":
            price = self._spending.prices.of_search(request.url.host)
            if capped and price is None:
                raise _unpriced_search(request.url.host)
            return SearchTariff(price)
        body = _json_object(await request.aread())
        model = str(body.get("model", ""))
        model_price = self._spending.prices.of_model(model)
        if capped and model_price is None:
            raise _unpriced_model(model)
        return ModelTariff(model_price, _most_tokens(body) if capped else (0, 0))

    async def aclose(self) -> None:
        """Close the layer below."""
        await self._inner.aclose()


@dataclass(frozen=True, slots=True)
class ModelTariff:
    """What one model call may cost, and how its answer is billed."""

    price: ModelPrice | None
    most_tokens: tuple[int, int]
    """Input tokens, and output tokens at most."""

    @property
    def estimate(self) -> float:
        """US dollars at most; 0 where no price is known."""
        most_input, most_output = self.most_tokens
        return self.price.cost(input_tokens=most_input, output_tokens=most_output) if self.price else 0.0

    def bill(self, response: httpx.Response) -> Bill:
        """What the answer says that it used. No ``usage``, or no price: the cost is unknown."""
        if not response.is_success:
            return FREE
        usage = _json_object(response.content).get("usage")
        if not isinstance(usage, dict) or not _count(usage, "prompt_tokens"):
            return Bill(None)
        details = usage.get("prompt_tokens_details")
        input_tokens, output_tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        cached = _count(details if isinstance(details, dict) else {}, "cached_tokens")
        cached = min(cached or _count(usage, "prompt_cache_hit_tokens"), input_tokens)
        cost = None
        if self.price is not None:
            cost = self.price.cost(input_tokens=input_tokens, cached_tokens=cached, output_tokens=output_tokens)
        return Bill(cost, input_tokens, cached, output_tokens)


@dataclass(frozen=True, slots=True)
class SearchTariff:
    """What one search costs."""

    price: SearchPrice | None

    @property
    def estimate(self) -> float:
        """US dollars of one search; 0 where no price is known."""
        return self.price.cost() if self.price else 0.0

    def bill(self, response: httpx.Response) -> Bill:
        """The credits that the answer names, one where it names none. Failures cost nothing."""
        if not response.is_success:
            return FREE
        credits = _json_object(response.content).get("credits")
        count = credits if isinstance(credits, int) and credits >= 0 else 1
        return Bill(self.price.cost(count) if self.price else None)


def _most_tokens(body: Mapping[str, Any]) -> tuple[int, int]:
    """Input tokens of a chat request by the o200k_base count, and the output tokens that it allows."""
    messages = body.get("messages") or []
    texts = [str(message.get("content") or "") for message in messages]
    if body.get("response_format"):
        texts.append(json.dumps(body["response_format"], ensure_ascii=False))
    most_input = sum(count_tokens(text) + _TOKENS_PER_MESSAGE for text in texts) + _TOKENS_PER_MESSAGE
    return most_input, _count(body, "max_tokens") or _count(body, "max_completion_tokens") or _UNLIMITED_OUTPUT


def _count(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _json_object(data: bytes) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        value = json.loads(data)
        return value if isinstance(value, dict) else {}
    return {}
