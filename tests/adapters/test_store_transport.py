"""Record, resume, replay and live judging over real HTTP."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import requires
from pathlib import Path
from typing import Any, cast

import anyio
import httpx
import pytest
from openai import AsyncOpenAI

from tests.loopback import Handler, LoopbackServer, Reply, in_turn, json_reply
from veriscore_agent.adapters.http.exchange import Call, Exchange, call_headers, exchange_of
from veriscore_agent.adapters.http.failures import FinalTransportError, NotRecorded
from veriscore_agent.adapters.http.retries import RetryPolicy
from veriscore_agent.adapters.http.secrets import Secrets
from veriscore_agent.adapters.http.stack import NoNetworkTransport, build_stack
from veriscore_agent.adapters.recording.cassette import Recorded, load
from veriscore_agent.adapters.recording.closest import closest
from veriscore_agent.adapters.recording.keys import Identity
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.store import ExchangeStore
from veriscore_agent.errors import ConfigurationError, InputError, ReplayMissError, Service

pytestmark = pytest.mark.anyio

QUICK = RetryPolicy(max_retries=2, total_s=2.0, first_wait_s=0.01)
DEAD = "http://127.0.0.1:9"
"""An address that nothing may be sent to."""


@asynccontextmanager
async def client(
    policy: StorePolicy, service: Service = "search", *, offline: bool = False
) -> AsyncIterator[httpx.AsyncClient]:
    inner = NoNetworkTransport() if offline else httpx.AsyncHTTPTransport()
    stack = build_stack(inner, service=service, store_policy=policy, retry=QUICK)
    async with httpx.AsyncClient(transport=stack, timeout=1.0) as made:
        yield made


async def search(
    asking: httpx.AsyncClient, url: str, query: str, *, kind: str = "search", sample: int = 0
) -> httpx.Response:
    headers = call_headers(kind=kind, subject=f"searching {query}", sample=sample)
    return await asking.post(url, json={"q": query, "gl": "us"}, headers=headers)


def echo_in_order() -> Handler:
    """Answers carry their number, so that it can be seen which one came back."""
    count = 0

    def handle(_method: str, _path: str, _headers: Mapping[str, str], body: bytes) -> Reply:
        nonlocal count
        count += 1
        return json_reply({"number": count, "asked": json.loads(body or b"null")})

    return handle


def cassettes(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.yaml"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in cassettes(folder)}


def recordings(folder: Path) -> list[Recorded]:
    return [load(content) for content in contents(folder).values()]


async def test_what_was_recorded_is_replayed_from_another_address_without_a_socket(tmp_path: Path) -> None:
    live = {}
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            for query in ("a", "b", "ü"):
                live[query] = await search(asking, server.url, query)
                exchange_of(live[query]).accept()
        sent = len(server.requests)
        assert not [name for each in server.requests for name in each.headers if name.startswith("x-veriscore")]
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), offline=True) as asking:
        for query in ("ü", "a", "b", "a"):
            again = await search(asking, DEAD, query)
            assert (again.status_code, again.content) == (200, live[query].content)
            assert again.headers == live[query].headers
            assert exchange_of(again).replayed
    assert sent == 3
    assert {each.call.subject for each in recordings(tmp_path)} == {"searching a", "searching b", "searching ü"}


async def test_a_question_asked_once_more_is_another_exchange(tmp_path: Path) -> None:
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            first = await search(asking, server.url, "a", sample=0)
            second = await search(asking, server.url, "a", sample=1)
    assert (first.json()["number"], second.json()["number"]) == (1, 2)
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), offline=True) as asking:
        assert (await search(asking, DEAD, "a", sample=1)).json()["number"] == 2
        assert (await search(asking, DEAD, "a", sample=0)).json()["number"] == 1


@pytest.mark.parametrize("make", [StorePolicy.record, StorePolicy.resume])
async def test_in_one_run_a_request_has_one_outcome(make: Any, tmp_path: Path) -> None:
    """Asked again later in the run it is neither paid for twice nor given another answer than a replay will give."""
    with LoopbackServer(
        in_turn(json_reply({"n": 1}), Reply(500), Reply(500), Reply(500), json_reply({"n": 2}))
    ) as server:
        async with client(make(ExchangeStore(tmp_path))) as asking:
            ok = [await search(asking, server.url, "a") for _ in range(2)]
            failed = [await search(asking, server.url, "b") for _ in range(2)]
        sent = len(server.requests)
    assert [each.json() for each in ok] == [{"n": 1}, {"n": 1}]
    assert [each.status_code for each in failed] == [500, 500]
    assert sent == 1 + 3, "one answer, and three tries of one that fails"


async def test_a_fresh_recording_reads_nothing_of_what_is_there(tmp_path: Path) -> None:
    with LoopbackServer(echo_in_order()) as server:
        for number in (1, 2):
            async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
                response = await search(asking, server.url, "a")
                exchange_of(response).accept()
                assert response.json()["number"] == number
    assert len(recordings(tmp_path)) == 1


# ---------------------------------------------------------------- resume


async def test_a_resumed_run_asks_again_only_for_what_failed_or_was_rejected(tmp_path: Path) -> None:
    def settle(query: str, exchange: Exchange) -> None:
        if query == "accepted":
            exchange.accept()
        if query == "rejected":
            exchange.reject()

    async def run(url: str) -> dict[str, object]:
        outcomes: dict[str, object] = {}
        async with client(StorePolicy.resume(ExchangeStore(tmp_path))) as asking:
            for query in ("accepted", "received", "rejected", "error", "cut"):
                try:
                    response = await search(asking, url, query)
                    settle(query, exchange_of(response))
                    outcomes[query] = response.json()["n"]
                except (httpx.TransportError, ValueError) as problem:
                    outcomes[query] = type(problem).__name__
        return outcomes

    tries = 3
    first = [json_reply({"n": n}) for n in (1, 2, 3)] + [Reply(503)] * tries + [Reply(cut=True)] * tries
    with LoopbackServer(in_turn(*first, *(json_reply({"n": n}) for n in (10, 20, 30)))) as server:
        assert await run(server.url) == {
            "accepted": 1, "received": 2, "rejected": 3, "error": "JSONDecodeError", "cut": "RemoteProtocolError"
        }  # fmt: skip
        assert await run(server.url) == {"accepted": 1, "received": 2, "rejected": 10, "error": 20, "cut": 30}
        assert len(server.requests) == len(first) + 3
    assert await run(DEAD) | {"rejected": 0} == {"accepted": 1, "received": 2, "rejected": 0, "error": 20, "cut": 30}


async def test_what_was_received_before_a_kill_is_offered_to_the_adapter_again(tmp_path: Path) -> None:
    """The reply was paid for; the run ended between its receipt and its reading."""
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            await search(asking, server.url, "a")
        async with client(StorePolicy.resume(ExchangeStore(tmp_path))) as asking:
            offered = await search(asking, server.url, "a")
            assert exchange_of(offered).replayed
            exchange_of(offered).reject()
        async with client(StorePolicy.resume(ExchangeStore(tmp_path))) as asking:
            assert (await search(asking, server.url, "a")).json()["number"] == 2


async def test_a_damaged_exchange_is_asked_for_again_by_a_run_and_named_by_a_replay(tmp_path: Path) -> None:
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            exchange_of(await search(asking, server.url, "a")).accept()
        [path] = cassettes(tmp_path)
        path.write_bytes(path.read_bytes()[:100])
        async with client(StorePolicy.replay(ExchangeStore(tmp_path)), offline=True) as asking:
            with pytest.raises(InputError, match=path.name):
                await search(asking, DEAD, "a")
        async with client(StorePolicy.resume(ExchangeStore(tmp_path))) as asking:
            assert (await search(asking, server.url, "a")).json()["number"] == 2


async def test_notes_come_back_with_the_exchange(tmp_path: Path) -> None:
    text = {"page": {"text": "Größe 🌉 \ud83d", "extractor": "x 1"}}
    with LoopbackServer(in_turn(Reply(body=b"<html>"))) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path)), "page") as asking:
            exchange = exchange_of(await asking.get(server.url))
            for name, value in text.items():
                exchange.note(name, value)
            exchange.accept()
        url = server.url
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), "page", offline=True) as asking:
        assert exchange_of(await asking.get(url)).notes == text


# ---------------------------------------------------------------- failures


class OwnFinalError(FinalTransportError):
    """What a layer of the caller's raises."""


class ThreeArgumentsError(httpx.TransportError):
    """Cannot be made from its message."""

    def __init__(self, one: str, two: str, three: str) -> None:
        super().__init__(one + two + three)


class RaisingTransport(httpx.AsyncBaseTransport):
    def __init__(self, problem: Exception) -> None:
        self.problem, self.asked = problem, 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        raise self.problem


@pytest.mark.parametrize(
    ("problem", "expected", "asked"),
    [
        (httpx.ConnectError("refused"), httpx.ConnectError, 3),
        (httpx.ReadTimeout(""), httpx.ReadTimeout, 3),
        (httpx.DecodingError("bad gzip"), httpx.DecodingError, 3),
        (OwnFinalError("private address"), OwnFinalError, 1),
        (ThreeArgumentsError("a", "b", "c"), httpx.TransportError, 3),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_a_failure_is_replayed_as_it_was_seen(
    problem: Exception, expected: type[Exception], asked: int, tmp_path: Path
) -> None:
    inner = RaisingTransport(problem)
    stack = build_stack(inner, service="page", store_policy=StorePolicy.record(ExchangeStore(tmp_path)), retry=QUICK)
    async with httpx.AsyncClient(transport=stack) as asking:
        with pytest.raises(expected) as live:
            await asking.get("http://a.example/")
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), "page", offline=True) as asking:
        with pytest.raises(expected) as replayed:
            await asking.get("http://a.example/")
    assert type(live.value) is type(replayed.value) is expected
    assert str(live.value) == str(replayed.value)
    assert live.value.__cause__ is problem
    assert inner.asked == asked
    [recorded] = recordings(tmp_path)
    assert [type(problem).__name__ in attempt.error for attempt in recorded.attempts] == [True] * asked


@pytest.mark.parametrize("problem", [ConfigurationError("x"), RuntimeError("a fault of ours")])
async def test_an_error_that_ends_the_run_is_not_recorded(problem: Exception, tmp_path: Path) -> None:
    stack = build_stack(
        RaisingTransport(problem), service="page", store_policy=StorePolicy.record(ExchangeStore(tmp_path))
    )
    async with httpx.AsyncClient(transport=stack) as asking:
        with pytest.raises(type(problem)):
            await asking.get("http://a.example/")
    assert recordings(tmp_path) == []


async def test_the_tries_of_a_call_are_kept_within_its_exchange_and_not_waited_for_again(tmp_path: Path) -> None:
    with LoopbackServer(in_turn(Reply(429), Reply(503), json_reply({"n": 1}))) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            await search(asking, server.url, "a")
    [recorded] = recordings(tmp_path)
    assert [attempt.status for attempt in recorded.attempts] == [429, 503, 200]
    assert recorded.attempts[1].waited_s >= 0.01


async def test_an_answer_that_came_before_the_caller_was_cancelled_is_kept(tmp_path: Path) -> None:
    """The caller gives up while the write is under way: the file is there."""
    store = ExchangeStore(tmp_path)
    scope = anyio.CancelScope()
    write = store.write

    def slow_write(recorded: Recorded, key: str) -> Any:
        anyio.from_thread.run_sync(scope.cancel)
        return write(recorded, key)

    store.write = slow_write  # type: ignore[method-assign]
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(store)) as asking:
            with scope:
                await search(asking, server.url, "a")
    assert scope.cancelled_caught
    assert len(recordings(tmp_path)) == 1


# ---------------------------------------------------------------- bodies


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (bytes(range(256)) * 300, {}),
        (b"", {}),
        ("é".encode("latin-1"), {"Content-Type": "text/html; charset=latin-1"}),
    ],
    ids=["binary", "empty", "latin-1"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
async def test_a_body_can_be_read_in_every_way_live_and_replayed(
    body: bytes, headers: dict[str, str], packed: bool, tmp_path: Path
) -> None:
    """I07, I09: the same bytes from .content, .text, stream + aiter_bytes and stream + aiter_raw."""
    sent = gzip.compress(body) if packed else body
    reply = Reply(headers=headers | ({"Content-Encoding": "gzip"} if packed else {}), body=sent)
    with LoopbackServer(in_turn(reply)) as server:
        for policy in (StorePolicy.record(ExchangeStore(tmp_path)), StorePolicy.replay(ExchangeStore(tmp_path))):
            async with client(policy, "page", offline=policy.own is None) as asking:
                whole = await asking.get(server.url)
                assert whole.content == body
                async with asking.stream("GET", server.url) as response:
                    assert b"".join([piece async for piece in response.aiter_bytes()]) == body
                async with asking.stream("GET", server.url) as response:
                    assert b"".join([piece async for piece in response.aiter_raw(1000)]) == body
                async with asking.stream("GET", server.url) as response:
                    assert await response.aread() == body
                assert "content-encoding" not in whole.headers
                assert whole.headers["content-length"] == str(len(body))


async def test_a_redirect_with_a_key_works_live_and_replayed(tmp_path: Path) -> None:
    def handle(_method: str, path: str, _headers: Mapping[str, str], _body: bytes) -> Reply:
        if path == "/start":
            return Reply(302, {"Location": "/end?token=abc&x=1"})
        return Reply(body=b"arrived" if path == "/end?token=abc&x=1" else b"lost")

    with LoopbackServer(handle) as server:
        for policy in (StorePolicy.record(ExchangeStore(tmp_path)), StorePolicy.replay(ExchangeStore(tmp_path))):
            async with client(policy, "page", offline=policy.own is None) as asking:
                headers = call_headers(kind="page", subject="start")
                response = await asking.get(f"{server.url}/start", headers=headers, follow_redirects=True)
                assert response.content == b"arrived"
    assert len(recordings(tmp_path)) == 2
    assert {each.call.kind for each in recordings(tmp_path)} == {"page"}
    assert "abc" not in "".join(each.url for each in recordings(tmp_path))


async def test_a_wall_of_cookies_can_be_passed_live_and_replayed(tmp_path: Path) -> None:
    """Some sites redirect to the very same address with a cookie; it is another sample of the same page."""

    def handle(_method: str, _path: str, headers: Mapping[str, str], _body: bytes) -> Reply:
        if headers.get("cookie") == "seen=1; way=2":
            return Reply(body=b"inside")
        return Reply(302, [("Location", "/"), ("Set-Cookie", "seen=1"), ("Set-Cookie", "way=2")])

    with LoopbackServer(handle) as server:
        for policy in (StorePolicy.record(ExchangeStore(tmp_path)), StorePolicy.replay(ExchangeStore(tmp_path))):
            async with client(policy, "page", offline=policy.own is None) as asking:
                first = await asking.get(server.url, headers=call_headers(kind="page", subject="x", sample=0))
                again = await asking.get(server.url, headers=call_headers(kind="page", subject="x", sample=1))
            assert (first.status_code, first.headers["location"], again.content) == (302, "/", b"inside")
    assert not [path for path in cassettes(tmp_path) if b"seen" in path.read_bytes()]


async def test_what_is_recorded_of_a_real_exchange_holds_no_key(tmp_path: Path) -> None:
    """I02 over the wire: keys in headers, address and answer, cookies and organisation in the answer."""
    key = "k-0123456789abcdef"
    reply = Reply(
        headers={"Set-Cookie": "sid=1", "OpenAI-Organization": "org-of-mine", "X-Request-Id": "r1"},
        body=f"you sent {key}".encode(),
    )
    with LoopbackServer(in_turn(reply)) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path, Secrets([key])))) as asking:
            response = await asking.get(
                f"{server.url}/?key={key}&q=x",
                headers={"X-API-KEY": key, "api-key": key, "Authorization": f"Bearer {key}"},
            )
            exchange_of(response).note("n", key)
            exchange_of(response).accept()
        [sent] = server.requests
        assert sent.path == f"/?key={key}&q=x"
        assert sent.headers["x-api-key"] == key
    assert response.text == "you sent [scrubbed]", "what is seen live is what will be replayed"
    assert response.headers["x-request-id"] == "r1"
    [path] = cassettes(tmp_path)
    for secret in (key, "sid=1", "org-of-mine", "uthorization", "x-api-key"):
        assert secret not in path.read_text()


# ---------------------------------------------------------------- misses


async def test_a_miss_names_the_request_and_what_differs_from_the_closest_one(tmp_path: Path) -> None:
    """I04, I12."""
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            for query in ("height of the Eiffel Tower", "capital of Peru"):
                exchange_of(await search(asking, server.url, query)).accept()
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), offline=True) as asking:
        with pytest.raises(ReplayMissError) as miss:
            await search(asking, DEAD, "height of the Eiffel tower")
        with pytest.raises(ReplayMissError) as other_sample:
            await search(asking, DEAD, "capital of Peru", sample=1)
    assert miss.value.request == 'search "searching height of the Eiffel tower" height of the Eiffel tower'
    assert miss.value.closest == 'search "searching height of the Eiffel Tower" height of the Eiffel Tower'
    assert miss.value.difference == (
        "q at character 21: '...eight of the Eiffel tower', recorded '...eight of the Eiffel Tower'"
    )
    assert miss.value.recording == str(tmp_path)
    assert "re-record" in str(miss.value) or "record it" in str(miss.value)
    assert other_sample.value.difference == "sample: '1', recorded '0'"


async def test_the_search_for_the_closest_ends_in_time_where_nothing_has_the_subject(tmp_path: Path) -> None:
    """A large recording is not read to its end first."""
    folder = tmp_path / "page"
    folder.mkdir()
    for number in range(50):
        (folder / f"{number:032x}.yaml").write_bytes(b"no cassette")
    ticks = itertools.count()
    wanted, call = Identity("page", "GET", "http://a.example/", 0), Call("page", "no such subject")
    found = closest(ExchangeStore(tmp_path), wanted, call, limit_s=10, clock=lambda: float(next(ticks)))
    assert (found, next(ticks) < 20) == (None, True)


async def test_a_miss_in_an_empty_recording_says_so_without_a_closest_one(tmp_path: Path) -> None:
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), offline=True) as asking:
        with pytest.raises(ReplayMissError) as miss:
            await search(asking, DEAD, "a")
    assert miss.value.closest == miss.value.difference == ""


async def test_an_edited_prompt_is_a_miss_that_passes_the_openai_client_and_is_asked_once(tmp_path: Path) -> None:
    """I04: it is no connection error, which the SDK would retry and page handlers would swallow."""
    answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "supported"}}
    ]}  # fmt: skip

    async def ask(http: httpx.AsyncClient, url: str, model: str, prompt: str) -> str:
        sdk = AsyncOpenAI(api_key="sk-nothing-secret", base_url=url, max_retries=0, http_client=cast(Any, http))
        reply = await sdk.chat.completions.create(
            model=model,
            messages=[{"role": "system", "content": "Judge."}, {"role": "user", "content": prompt}],
            extra_headers=call_headers(kind="judge", subject="claim 3 at snippets"),
        )
        return reply.choices[0].message.content or ""

    with LoopbackServer(in_turn(json_reply(answer))) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path)), "model") as http:
            assert await ask(http, server.url, "m", "Is it so?") == "supported"
        assert "x-veriscore-kind" not in server.requests[0].headers
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), "model", offline=True) as http:
        assert await ask(http, DEAD, "m", "Is it so?") == "supported"
        with pytest.raises(ReplayMissError) as edited:
            await ask(http, DEAD, "m", "Is it really so?")
        with pytest.raises(ReplayMissError) as other_model:
            await ask(http, DEAD, "n", "Is it so?")
    assert edited.value.request == 'judge "claim 3 at snippets" m'
    assert edited.value.difference == "messages[1].content: 'Is it really so?', recorded 'Is it so?'"
    assert other_model.value.difference == "model: 'n', recorded 'm'"


def test_a_vcrpy_that_does_not_see_the_new_client_is_not_allowed() -> None:
    """I01: vcrpy 8.1 let the SDK's calls through in a replay."""
    assert "vcrpy>=8.2.1" in [each.replace(" ", "") for each in requires("veriscore-agent") or ()]


async def test_a_replay_that_tries_to_send_is_a_programming_error() -> None:
    """I01: the guard of our own, beneath everything."""
    stack = build_stack(NoNetworkTransport(), service="page", store_policy=None)
    async with httpx.AsyncClient(transport=stack) as asking:
        with pytest.raises(RuntimeError, match="replay"):
            await asking.get(DEAD)


# ---------------------------------------------------------------- live judging


async def test_live_judging_keeps_all_else_frozen_and_is_itself_complete(tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in ("first", "second")}
    calls = [("extract", "e"), ("judge", "j"), ("search", "s"), ("page", "p")]

    async def run(policy: StorePolicy, url: str, extra: str | None, *, offline: bool = False) -> dict[str, object]:
        seen: dict[str, object] = {}
        async with client(policy, offline=offline) as asking:
            for kind, query in [*calls, *([("search", extra)] if extra else [])]:
                try:
                    response = await search(asking, url, query, kind=kind)
                    exchange_of(response).accept()
                    seen[query] = response.json()["number"]
                except httpx.TransportError as problem:
                    seen[query] = type(problem)
        return seen

    with LoopbackServer(echo_in_order()) as server:
        assert await run(StorePolicy.record(ExchangeStore(folders["first"])), server.url, None) == {
            "e": 1, "j": 2, "s": 3, "p": 4
        }  # fmt: skip
        before = contents(folders["first"])
        policy = StorePolicy.live_kinds(ExchangeStore(folders["second"]), ExchangeStore(folders["first"]))
        live = await run(policy, server.url, "new query")
        assert live == {"e": 1, "j": 5, "s": 3, "p": 4, "new query": NotRecorded}
        resumed = StorePolicy.live_kinds(ExchangeStore(folders["second"]), ExchangeStore(folders["first"]))
        assert await run(resumed, server.url, "new query") == live, "the new judging is not paid for twice"
        assert len(server.requests) == 5
    assert await run(StorePolicy.replay(ExchangeStore(folders["second"])), DEAD, "new query", offline=True) == live
    assert contents(folders["first"]) == before, "the recording is only read"


async def test_in_live_judging_a_missing_extraction_stops_the_run(tmp_path: Path) -> None:
    """The claims are frozen: another prompt or model for the extraction is a mistake and no lack of evidence."""
    policy = StorePolicy.live_kinds(ExchangeStore(tmp_path / "own"), ExchangeStore(tmp_path / "frozen"))
    async with client(policy, offline=True) as asking:
        with pytest.raises(ReplayMissError):
            await search(asking, DEAD, "a", kind="extract")


async def test_frozen_notes_and_failures_are_carried_over(tmp_path: Path) -> None:
    frozen, own = ExchangeStore(tmp_path / "frozen"), ExchangeStore(tmp_path / "own")
    with LoopbackServer(in_turn(Reply(body=b"page"), *[Reply(cut=True)] * 3)) as server:
        async with client(StorePolicy.record(frozen), "page") as asking:
            exchange = exchange_of(await asking.get(f"{server.url}/good"))
            exchange.note("page", "text")
            exchange.accept()
            with pytest.raises(httpx.RemoteProtocolError):
                await asking.get(f"{server.url}/bad")
        url = server.url
    async with client(StorePolicy.live_kinds(own, frozen), "page", offline=True) as asking:
        assert exchange_of(await asking.get(f"{url}/good")).notes == {"page": "text"}
        with pytest.raises(httpx.RemoteProtocolError):
            await asking.get(f"{url}/bad")
    assert recordings(own.folder) == recordings(frozen.folder)


# ---------------------------------------------------------------- concurrency


async def test_recordings_of_one_process_do_not_mix(tmp_path: Path) -> None:
    """I03: two tasks, each with its own recording, at the same time."""

    async def run(name: str, url: str) -> None:
        async with client(StorePolicy.record(ExchangeStore(tmp_path / name))) as asking:
            for number in range(15):
                exchange_of(await search(asking, url, f"{name} {number}")).accept()

    with LoopbackServer(echo_in_order()) as server:
        await asyncio.gather(*(run(name, server.url) for name in ("one", "two")))
    for name in ("one", "two"):
        subjects = {each.call.subject for each in recordings(tmp_path / name)}
        assert subjects == {f"searching {name} {number}" for number in range(15)}


async def test_many_tasks_record_and_replay_right_in_any_order(tmp_path: Path) -> None:
    queries = [f"q{number % 40}" for number in range(200)]
    with LoopbackServer(echo_in_order()) as server:
        async with client(StorePolicy.record(ExchangeStore(tmp_path))) as asking:
            live = await asyncio.gather(*(search(asking, server.url, query) for query in queries))
        assert len(server.requests) == 40, "equal requests are asked once, in flight or later in the run"
    async with client(StorePolicy.replay(ExchangeStore(tmp_path)), offline=True) as asking:
        again = await asyncio.gather(*(search(asking, DEAD, query) for query in reversed(queries)))
    assert [each.content for each in again] == [each.content for each in reversed(live)]


def test_two_runs_in_two_event_loops(tmp_path: Path) -> None:
    """A02: nothing of a stack outlives its client."""
    store = ExchangeStore(tmp_path)

    async def run(url: str, query: str) -> int:
        async with client(StorePolicy.resume(store)) as asking:
            return int((await search(asking, url, query)).json()["number"])

    with LoopbackServer(echo_in_order()) as server:
        assert [asyncio.run(run(server.url, query)) for query in ("a", "b", "a")] == [1, 2, 1]


async def test_closing_the_client_closes_the_innermost_transport(tmp_path: Path) -> None:
    class Closing(NoNetworkTransport):
        closed = 0

        async def aclose(self) -> None:
            self.closed += 1

    inner = Closing()
    policy = StorePolicy.record(ExchangeStore(tmp_path))
    async with httpx.AsyncClient(transport=build_stack(inner, service="page", store_policy=policy)):
        pass
    assert inner.closed == 1
