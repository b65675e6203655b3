"""The layer that records, resumes and replays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import anyio
import anyio.to_thread
import httpx

from veriscore_agent.adapters.http.attempts import Attempt, new_attempt_log
from veriscore_agent.adapters.http.body import RawBody, decoded_response, headers_of, whole_body
from veriscore_agent.adapters.http.exchange import EXTENSION, Call, take_call
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.recording.cassette import Pairs, Recorded, RecordedFailure, RecordedResponse, State
from veriscore_agent.adapters.recording.closest import closest, describe
from veriscore_agent.adapters.recording.handle import StoredExchange
from veriscore_agent.adapters.recording.keys import Identity, identify
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.store import Stored
from veriscore_agent.errors import InputError, ReplayMissError, Service

_MAX_DECODED_BYTES = 100_000_000
"""Against a stack without BoundedBodyTransport; no setting of it may be higher."""

_LIVE_HEADERS = frozenset({"location", "set-cookie"})
"""Handed on as they came, for a chain of redirects has to work, keys and cookies in it included. Recorded is only the
scrubbed address, whose identity is the same, and no cookie, on which no identity depends."""


class StoreTransport(httpx.AsyncBaseTransport):
    """Answer from what is recorded, or ask and record, as the policy says.

    What it delivers live is what a replay will deliver (but for Location and Set-Cookie): decoded bodies, allowed
    headers, no secrets, failures rebuilt from class and message. Within one run a request has one outcome, recorded
    once, however often it is asked.

    Raises the recorded or the fresh httpx.RequestError; NotRecorded or ReplayMissError for a frozen request that is
    not in the recording; InputError for a file of a recording that cannot be read. A ReplayMissError is no HTTP
    error, so neither the retries nor a client library take it for a bad connection.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, policy: StorePolicy, service: Service) -> None:
        self._inner, self._policy, self._service = inner, policy, service
        self._one_search = anyio.Lock()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Find it, or ask and record."""
        call = take_call(request)
        body = await request.aread()
        url, secrets = str(request.url), self._policy.secrets
        identity = identify(self._service, request.method, url, body, sample=call.sample, secrets=secrets)
        found = await anyio.to_thread.run_sync(self._find, identity, call)
        if found is not None:
            return self._deliver(request, found)
        if not self._policy.is_live(call.kind):
            return await self._missing(request, identity, call)
        return await self._ask(request, identity, call)

    def _find(self, identity: Identity, call: Call) -> Stored | None:
        key = identity.key
        return self._in_own(key) or self._in_frozen(key, call)

    def _in_own(self, key: str) -> Stored | None:
        own = self._policy.own
        if own is None or not (self._policy.reuse or own.holds_new(self._service, key)):
            return None
        try:
            stored = own.find(self._service, key)
        except InputError:
            # Damaged, for example by a full disk: asked for again, and overwritten.
            return None
        if stored and (own.holds_new(self._service, key) or self._policy.may_use(stored.recorded.state)):
            return stored
        return None

    def _in_frozen(self, key: str, call: Call) -> Stored | None:
        frozen, own = self._policy.frozen, self._policy.own
        if frozen is None or call.kind in (self._policy.live or ()):
            return None
        stored = frozen.find(self._service, key)
        if stored and own:
            return own.write(stored.recorded, key)
        return stored

    async def _missing(self, request: httpx.Request, identity: Identity, call: Call) -> httpx.Response:
        frozen = self._policy.frozen
        assert frozen is not None, "only a policy with a recording forbids the network"
        if self._policy.miss(call.kind) == "not_recorded":
            # Kept as a failure, so that a replay of this run finds it missing again.
            problem = NotRecorded("not in the recording")
            return await self._keep(request, identity, call, _Outcome(_failure(problem), problem))
        # A miss ends the run, so one search is enough: whoever else waits here will have been cancelled.
        async with self._one_search:
            nearest = await anyio.to_thread.run_sync(closest, frozen, identity, call)
        raise ReplayMissError(
            describe(identity, call),
            recording=str(frozen.folder),
            closest=nearest.name if nearest else "",
            difference=nearest.difference if nearest else "",
        )

    async def _ask(self, request: httpx.Request, identity: Identity, call: Call) -> httpx.Response:
        log = new_attempt_log(request)
        try:
            response = await self._inner.handle_async_request(request)
            response = await decoded_response(response, await whole_body(response), _MAX_DECODED_BYTES)
            headers = tuple(response.headers.multi_items())
            recorded = RecordedResponse(response.status_code, headers, response.content, response.reason_phrase)
            outcome = _Outcome(recorded, live_headers=tuple(each for each in headers if each[0] in _LIVE_HEADERS))
        except httpx.RequestError as problem:
            outcome = _Outcome(_failure(problem), problem)
        return await self._keep(request, identity, call, replace(outcome, attempts=tuple(log.attempts)))

    async def _keep(self, request: httpx.Request, identity: Identity, call: Call, outcome: _Outcome) -> httpx.Response:
        own = self._policy.own
        assert own is not None, "only a replay keeps nothing, and it asks nothing"
        recorded = Recorded(
            service=self._service,
            call=call,
            method=request.method,
            url=str(request.url),
            request_headers=tuple(request.headers.multi_items()),
            request_body=request.content,
            outcome=outcome.recorded,
            attempts=outcome.attempts,
            state=_first_state(outcome.recorded),
        )
        with anyio.CancelScope(shield=True):
            stored = await anyio.to_thread.run_sync(own.write, recorded, identity.key)
        return self._deliver(request, stored, outcome)

    def _deliver(self, request: httpx.Request, stored: Stored, fresh: _Outcome | None = None) -> httpx.Response:
        outcome = stored.recorded.outcome
        if isinstance(outcome, RecordedFailure):
            raise failure_error(outcome, request) from (fresh.problem if fresh else None)
        live = fresh.live_headers if fresh else ()
        kept = [each for each in outcome.headers if each[0] not in dict(live)]
        headers = headers_of([*kept, *live, ("content-length", str(len(outcome.body)))])
        exchange = StoredExchange(stored, self._policy.own, replayed=fresh is None)
        extensions = {EXTENSION: exchange, "reason_phrase": outcome.reason.encode("ascii", "replace")}
        return httpx.Response(outcome.status, headers=headers, stream=RawBody(outcome.body), extensions=extensions)

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of a call just now, with what is not kept of it."""

    recorded: RecordedResponse | RecordedFailure
    problem: httpx.RequestError | None = None
    live_headers: Pairs = ()
    attempts: tuple[Attempt, ...] = ()


def _first_state(outcome: RecordedResponse | RecordedFailure) -> State:
    """A response that is an error is asked for again, unless its adapter accepts it."""
    if isinstance(outcome, RecordedFailure):
        return "failed"
    return "rejected" if outcome.status >= 400 else "received"


def _failure(problem: httpx.RequestError) -> RecordedFailure:
    return RecordedFailure(type(problem).__name__, str(problem))


def failure_error(failure: RecordedFailure, request: httpx.Request) -> httpx.RequestError:
    """The recorded exception again: same class, same message.

    Classes of our own are found too, once the module that defines them is imported. One that is not there, or that
    cannot be made from a message, becomes a plain httpx.TransportError that names it.
    """
    for known in _classes(httpx.RequestError):
        if known.__name__ == failure.type:
            try:
                return known(failure.message, request=request)
            except TypeError:
                break
    return httpx.TransportError(f"{failure.type}: {failure.message}", request=request)


def _classes(base: type[httpx.RequestError]) -> Iterator[type[httpx.RequestError]]:
    yield base
    for each in base.__subclasses__():
        yield from _classes(each)
