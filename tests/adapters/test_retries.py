"""When a call is tried again, how long is waited, and what is handed on in the end."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate

import httpx
import pytest

from tests.loopback import LoopbackServer, Reply, in_turn
from veriscore_agent.adapters.http.attempts import attempt_log
from veriscore_agent.adapters.http.body import BoundedBodyTransport
from veriscore_agent.adapters.http.failures import FinalTransportError
from veriscore_agent.adapters.http.retries import RetryPolicy, RetryTransport, Timing
from veriscore_agent.adapters.http.retry_after import retry_after_s

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0


@dataclass
class FakeTime:
    """A clock that only sleeping and answering move."""

    at: float = 0.0
    jitter: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.at += seconds

    @property
    def timing(self) -> Timing:
        return Timing(clock=lambda: self.at, now=lambda: NOW + self.at, sleep=self.sleep, jitter=lambda: self.jitter)


@dataclass
class Script(httpx.AsyncBaseTransport):
    """Gives these outcomes in turn; each takes ``seconds`` on the clock."""

    outcomes: list[httpx.Response | Exception]
    clock: FakeTime
    seconds: float = 0.0
    asked: int = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.clock.at += self.seconds
        outcome = self.outcomes[min(self.asked, len(self.outcomes) - 1)]
        self.asked += 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def reply(status: int, headers: Mapping[str, str] | None = None, body: bytes = b"") -> httpx.Response:
    return httpx.Response(status, headers=headers, content=body)


async def send(transport: httpx.AsyncBaseTransport, request: httpx.Request | None = None) -> httpx.Response:
    return await transport.handle_async_request(request or httpx.Request("POST", "http://a.example/", content=b"b"))


OK = reply(200)

TRIED_AGAIN: list[tuple[str, httpx.Response | Exception, bool]] = [
    ("too many requests", reply(429), True),
    ("request timeout", reply(408), True),
    ("server error", reply(500), True),
    ("overloaded", reply(503), True),
    ("an unofficial server error", reply(529), True),
    ("bad request: the call itself is wrong", reply(400), False),
    ("refused key", reply(401), False),
    ("no credit", reply(402), False),
    ("not found", reply(404), False),
    ("a redirect", reply(302), False),
    ("the server says that it will not help", reply(503, {"x-should-retry": "false"}), False),
    ("no connection", httpx.ConnectError("refused"), True),
    ("no answer", httpx.ReadTimeout(""), True),
    ("cut in the middle", httpx.RemoteProtocolError("peer closed"), True),
    ("a body that does not unpack may have been cut", httpx.DecodingError("bad"), True),
    ("a scheme that is none", httpx.UnsupportedProtocol("ftp"), False),
    ("our own fault", httpx.LocalProtocolError("illegal header"), False),
    ("a layer says that it is final", FinalTransportError("private address"), False),
]


@pytest.mark.parametrize(("why", "first", "again"), TRIED_AGAIN, ids=[row[0] for row in TRIED_AGAIN])
async def test_what_is_tried_again(why: str, first: httpx.Response | Exception, again: bool) -> None:
    clock = FakeTime()
    script = Script([first, OK], clock)
    transport = RetryTransport(script, RetryPolicy(), clock.timing)
    if again or isinstance(first, httpx.Response):
        assert (await send(transport)).status_code == (200 if again else getattr(first, "status_code", 0))
    else:
        with pytest.raises(type(first)):
            await send(transport)
    assert script.asked == (2 if again else 1)


async def test_the_caller_says_which_answers_are_final() -> None:
    """Exhausted credit and an oversized request are a 429 that no retry cures; a success is never asked about."""
    clock = FakeTime()
    script = Script([reply(429, body=b"slow down"), reply(429, body=b"insufficient_quota"), OK], clock)
    policy = RetryPolicy(is_final=lambda response: b"quota" in response.content)
    request = httpx.Request("GET", "http://a.example/")
    assert (await send(RetryTransport(script, policy, clock.timing), request)).content == b"insufficient_quota"
    assert [attempt.final for attempt in attempt_log(request).attempts] == [False, True]
    always = RetryPolicy(is_final=lambda response: True)
    assert (await send(RetryTransport(Script([OK], clock), always, clock.timing))).status_code == 200


async def test_when_the_number_is_used_up_the_last_outcome_is_handed_on() -> None:
    clock = FakeTime()
    script = Script([reply(500), reply(502), reply(503)], clock)
    assert (await send(RetryTransport(script, RetryPolicy(max_retries=2), clock.timing))).status_code == 503
    assert (script.asked, clock.slept) == (3, [0.5, 1.0])
    script = Script([reply(500), httpx.ReadError("last")], clock)
    with pytest.raises(httpx.ReadError, match="last"):
        await send(RetryTransport(script, RetryPolicy(max_retries=1), clock.timing))
    script = Script([reply(500)], clock)
    assert (await send(RetryTransport(script, RetryPolicy(max_retries=0), clock.timing))).status_code == 500
    assert script.asked == 1


async def test_back_off_doubles_up_to_its_longest_and_is_jittered() -> None:
    """F07: without jitter all that were refused together come back together."""
    clock = FakeTime(jitter=0.5)
    script = Script([reply(500)] * 6, clock)
    await send(RetryTransport(script, RetryPolicy(max_retries=5, longest_wait_s=4), clock.timing))
    assert clock.slept == [0.75, 1.5, 3.0, 6.0, 6.0]


@pytest.mark.parametrize(
    ("headers", "wait_s", "why"),
    [
        ({"Retry-After": "7"}, 7.0, "F07: seconds"),
        ({"Retry-After": formatdate(NOW + 7, usegmt=True)}, 7.0, "F07: an HTTP date"),
        ({"Retry-After": formatdate(NOW + 1007, usegmt=True), "Date": formatdate(NOW + 1000, usegmt=True)}, 7.0,
         "a date against the server's own clock"),
        ({"Retry-After": formatdate(NOW - 100, usegmt=True)}, 0.5, "a date that is over: the back-off"),
        ({"Retry-After": "0"}, 0.5, "less than the back-off: the back-off"),
        ({"Retry-After": "0.8"}, 0.8, "a fraction"),
        ({"Retry-After": "soon"}, 0.5, "bad: ignored"),
        ({"Retry-After": "-5"}, 0.5, "negative: ignored"),
        ({"Retry-After": "inf"}, 0.5, "not finite: ignored"),
        ({"Retry-After": "Mon, 99 Foo 2026 00:00:00 GMT"}, 0.5, "no date: ignored"),
        ({"Retry-After": ""}, 0.5, "empty: ignored"),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5, "milliseconds go first"),
        ({"x-ratelimit-reset-requests": "2s", "x-ratelimit-remaining-requests": "0",
          "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "9"}, 2.0, "only what is used up counts"),
        ({"x-ratelimit-reset-tokens": "1m1.5s"}, 61.5, "nothing said of what remains"),
        ({"x-ratelimit-reset-requests": "800ms"}, 0.8, "milliseconds"),
        ({"x-ratelimit-reset-requests": "12"}, 12.0, "plain seconds"),
        ({"x-ratelimit-reset-requests": "later"}, 0.5, "bad: ignored"),
        ({"Retry-After": "3", "x-ratelimit-reset-requests": "50s"}, 3.0, "Retry-After goes first"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
async def test_the_server_is_obeyed(headers: dict[str, str], wait_s: float, why: str) -> None:
    clock = FakeTime()
    await send(RetryTransport(Script([reply(429, headers), OK], clock), RetryPolicy(), clock.timing))
    assert clock.slept == [pytest.approx(wait_s)]


async def test_jitter_comes_on_top_of_what_the_server_asks_for() -> None:
    """F07: coming back exactly after the seven seconds is coming back as a herd."""
    clock = FakeTime(jitter=0.9)
    await send(RetryTransport(Script([reply(429, {"Retry-After": "7"}), OK], clock), RetryPolicy(), clock.timing))
    assert clock.slept == [pytest.approx(7.45)]


def test_rate_limit_headers_of_other_answers_mean_nothing() -> None:
    assert retry_after_s(reply(503, {"x-ratelimit-reset-requests": "9s"}), lambda: NOW) is None
    assert retry_after_s(reply(503, {"Retry-After": "9"}), lambda: NOW) == 9


async def test_an_hour_is_not_waited_for() -> None:
    """G17: what does not fit the time that is left is handed on at once."""
    clock = FakeTime()
    script = Script([reply(429, {"Retry-After": "3600"}), OK], clock)
    assert (await send(RetryTransport(script, RetryPolicy(total_s=90), clock.timing))).status_code == 429
    assert (script.asked, clock.slept) == (1, [])


async def test_all_tries_together_are_bounded_in_time() -> None:
    clock = FakeTime()
    script = Script([reply(500)], clock, seconds=4)
    await send(RetryTransport(script, RetryPolicy(max_retries=20, total_s=9), clock.timing))
    assert script.asked == 2, "4 s, half a second of waiting, 4 s; another try would begin after 9.5 s"
    assert clock.at == 8.5


async def test_every_try_is_written_down() -> None:
    clock = FakeTime()
    request = httpx.Request("GET", "http://a.example/")
    script = Script([httpx.ConnectError("refused"), reply(503), OK], clock, seconds=0.25)
    await send(RetryTransport(script, RetryPolicy(), clock.timing), request)
    log = [(each.status, each.error, each.seconds, each.waited_s) for each in attempt_log(request).attempts]
    assert log == [(None, "ConnectError: refused", 0.25, 0.0), (503, "", 0.25, 0.5), (200, "", 0.25, 1.0)]


def live_client(policy: RetryPolicy, timeout_s: float) -> httpx.AsyncClient:
    body = BoundedBodyTransport(httpx.AsyncHTTPTransport(), 10_000, 10_000)
    return httpx.AsyncClient(transport=RetryTransport(body, policy), timeout=timeout_s)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Reply(delay_s=60), "accepts and never answers"),
        (Reply(body=b"x" * 100, chunk_bytes=1, chunk_delay_s=0.1), "a byte now and then keeps a read timeout quiet"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_server_that_does_not_come_to_an_end_is_left(answer: Reply, why: str) -> None:
    """A13: own timeout, bounded tries."""
    with LoopbackServer(in_turn(answer)) as server:
        async with live_client(RetryPolicy(max_retries=5, total_s=0.7, first_wait_s=0.01), 0.3) as client:
            start = time.monotonic()
            with pytest.raises(httpx.ReadTimeout):
                await client.get(server.url)
            took_s = time.monotonic() - start
        assert 1 < len(server.requests) <= 3
    assert took_s < 10


async def test_the_first_try_may_take_its_whole_timeout() -> None:
    with LoopbackServer(in_turn(Reply(body=b"slow", delay_s=0.4))) as server:
        async with live_client(RetryPolicy(total_s=0.1), 5) as client:
            assert (await client.get(server.url)).content == b"slow"


async def test_a_body_that_is_cut_is_asked_for_again_with_the_same_request_body() -> None:
    with LoopbackServer(in_turn(Reply(body=b"0123456789", cut=True), Reply(body=b"whole"))) as server:
        async with live_client(RetryPolicy(first_wait_s=0.01), 5) as client:
            assert (await client.post(server.url, content=_pieces())).content == b"whole"
        assert [request.body for request in server.requests] == [b"one two", b"one two"]


async def _pieces() -> AsyncIterator[bytes]:
    for piece in (b"one ", b"two"):
        yield piece
