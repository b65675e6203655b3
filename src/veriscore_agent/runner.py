"""Answers in, outcomes out: fan-out over answers and claims, failures kept apart, a clean stop."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar, cast

import anyio
from langchain_core.runnables import RunnableConfig
from langsmith import tracing_context

from veriscore_agent.concurrency import map_concurrently
from veriscore_agent.core.links import openable_links
from veriscore_agent.domain import (
    Answer,
    AnswerKey,
    AnswerOutcome,
    Claim,
    ClaimOutcome,
    ModelReply,
    ModelRequest,
    PageReading,
    SearchResults,
    Unscored,
)
from veriscore_agent.errors import ReplayMissError, StopRunError
from veriscore_agent.extractor import ClaimToVerify, Extraction, extract_claims
from veriscore_agent.graph.build import ClaimGraph, build_claim_graph, recursion_limit
from veriscore_agent.graph.state import ClaimInput, ClaimState, outcome_of, start_state
from veriscore_agent.ports import Ports
from veriscore_agent.prompts.folder import PromptFolder
from veriscore_agent.settings import Settings

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Watcher(Protocol):
    """Hears of everything as it happens. Its methods return at once."""

    def answer_read(self, outcome: AnswerOutcome, claims: tuple[Claim, ...]) -> None:
        """The claims of one answer are known."""
        ...

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None:
        """One node of a claim's graph has ended; ``state`` is what is known since."""
        ...

    def claim_ended(self, outcome: ClaimOutcome) -> None:
        """A claim has its outcome."""
        ...


class SilentWatcher:
    """A watcher that tells nobody; a base for those that hear of one thing only."""

    def answer_read(self, outcome: AnswerOutcome, claims: tuple[Claim, ...]) -> None:
        """Nothing to tell."""

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None:
        """Nothing to tell."""

    def claim_ended(self, outcome: ClaimOutcome) -> None:
        """Nothing to tell."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """All outcomes, in the order of the input."""

    answers: tuple[AnswerOutcome, ...]
    claims: tuple[ClaimOutcome, ...]
    stopped: StopRunError | None = None
    """What ended the run early; None for a whole run."""


async def run_answers(
    answers: Sequence[Answer],
    ports: Ports,
    settings: Settings,
    *,
    watcher: Watcher,
    done: Mapping[str, ClaimOutcome] | None = None,
    folder: PromptFolder | None = None,
    record_all_pages: bool = False,
) -> RunResult:
    """Extract and verify every answer.

    ``done`` holds outcomes by claim id that are taken as they are. A failing claim or sentence is kept with its
    reason and leaves the others alone. What must stop the run (a refused key, exhausted credit, a spent budget) ends
    it cleanly: calls in flight are finished, no other is begun, and everything known is in the result.
    Raises ReplayMissError, once the calls in flight have ended and are kept, and ConfigurationError.
    """
    gate = _Gate()
    gated = replace(
        ports,
        model=_GatedModel(ports, gate, settings.model_concurrency),
        searcher=_GatedSearcher(ports, gate, settings.search_concurrency),
        reader=_GatedReader(ports, gate),
    )
    run = _Run(
        graph=build_claim_graph(gated),
        ports=gated,
        settings=settings,
        watcher=watcher,
        done=done or {},
        folder=folder,
        record_all_pages=record_all_pages,
    )
    with tracing_context(enabled=False):
        pairs = await map_concurrently(run.score_answer, answers, limit=settings.answer_concurrency)
    if isinstance(gate.stopped, _ReplayMissedError):
        raise gate.stopped.miss
    return RunResult(
        answers=tuple(extraction.outcome for extraction, _ in pairs),
        claims=tuple(outcome for _, outcomes in pairs for outcome in outcomes),
        stopped=gate.stopped,
    )


async def verify_claim(
    graph: ClaimGraph,
    claim: ClaimToVerify,
    answer: AnswerKey,
    *,
    ports: Ports,
    watcher: Watcher,
    audited: bool = False,
    sources: tuple[str, ...] = (),
    answer_text: str = "",
) -> ClaimOutcome:
    """One claim through the graph. A stop of the run ends it where it stands.

    ``sources`` are links of the pages that its answer was written from, which are no evidence; ``answer_text`` is
    needed where copies of it are none.
    """
    given = ClaimInput(
        claim=claim.claim, snippets=claim.snippets, audited=audited, sources=sources, answer_text=answer_text
    )
    state = start_state(given)
    config = RunnableConfig(recursion_limit=recursion_limit(ports.limits))
    try:
        async for update in graph.astream(given, config, stream_mode="updates"):
            for node, changes in update.items():
                state = cast("ClaimState", {**state, **(changes or {})})
                watcher.claim_moved(claim.claim, node, state)
    except StopRunError as stop:
        state = {**state, "failure": Unscored(stop.unscored, str(stop)), "ended": "stopped"}
    return outcome_of(state, answer)


def is_done(outcome: ClaimOutcome) -> bool:
    """Whether a resumed run leaves this outcome as it is."""
    return bool(outcome.verdicts) and outcome.ended not in ("failed", "stopped", "unscored")


def is_audited(claim_id: str, *, share: float, seed: int) -> bool:
    """Whether the seeded draw picks this claim for the audit. Independent of order and of other claims."""
    digest = hashlib.sha256(f"{seed} audit {claim_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What all answers of one run share."""

    graph: ClaimGraph
    ports: Ports
    settings: Settings
    watcher: Watcher
    done: Mapping[str, ClaimOutcome]
    folder: PromptFolder | None
    record_all_pages: bool

    async def score_answer(self, answer: Answer) -> tuple[Extraction, list[ClaimOutcome]]:
        """Claims of one answer, then the outcome of each."""
        extraction = await extract_claims(answer, self.ports.model, self.settings, folder=self.folder)
        self.watcher.answer_read(extraction.outcome, tuple(each.claim for each in extraction.claims))
        verify = partial(self._verify, answer=answer, key=extraction.outcome.answer)
        return extraction, await map_concurrently(verify, extraction.claims)

    async def _verify(self, claim: ClaimToVerify, answer: Answer, key: AnswerKey) -> ClaimOutcome:
        known = self.done.get(claim.claim.id)
        if known and (known.claim, known.answer) == (claim.claim, key):
            return known
        settings = self.settings
        audited = is_audited(claim.claim.id, share=settings.audit, seed=settings.sampling_seed)
        outcome = await verify_claim(
            self.graph,
            claim,
            key,
            ports=self.ports,
            watcher=self.watcher,
            audited=audited,
            sources=answer.sources,
            answer_text=answer.response,
        )
        if self.record_all_pages:
            await self._open_other_pages(outcome)
        self.watcher.claim_ended(outcome)
        return outcome

    async def _open_other_pages(self, outcome: ClaimOutcome) -> None:
        """Open what a later judge could want, for the recording's sake alone."""
        try:
            await map_concurrently(self.ports.reader.read, openable_links(outcome.snippets))
        except StopRunError:
            return


class _ReplayMissedError(StopRunError):
    """A recording lacks a request. The run ends, but not before the calls in flight: they may be paid for."""

    def __init__(self, miss: ReplayMissError) -> None:
        self.miss = miss
        super().__init__(str(miss))


class _Gate:
    """Once one call has stopped the run, no other is begun."""

    def __init__(self) -> None:
        self.stopped: StopRunError | None = None

    async def call(self, function: Callable[[Argument], Awaitable[Result]], argument: Argument) -> Result:
        if self.stopped:
            # Raised thousands of times, it would otherwise keep every frame that it ever passed.
            raise self.stopped.with_traceback(None)
        try:
            return await function(argument)
        except StopRunError as stop:
            self.stopped = self.stopped or stop
            raise
        except ReplayMissError as miss:
            self.stopped = self.stopped or _ReplayMissedError(miss)
            raise self.stopped.with_traceback(None) from None


class _GatedModel:
    """Holds back the calls that its service would only queue: queued there, they would be sent after a stop."""

    def __init__(self, ports: Ports, gate: _Gate, limit: int) -> None:
        self._model, self._gate, self._places = ports.model, gate, anyio.CapacityLimiter(limit)

    async def complete(self, request: ModelRequest) -> ModelReply:
        async with self._places:
            return await self._gate.call(self._model.complete, request)


class _GatedSearcher:
    """As ``_GatedModel``."""

    def __init__(self, ports: Ports, gate: _Gate, limit: int) -> None:
        self._searcher, self._gate, self._places = ports.searcher, gate, anyio.CapacityLimiter(limit)

    async def search(self, query: str) -> SearchResults:
        async with self._places:
            return await self._gate.call(self._searcher.search, query)


class _GatedReader:
    def __init__(self, ports: Ports, gate: _Gate) -> None:
        self._reader, self._gate = ports.reader, gate

    async def read(self, link: str) -> PageReading:
        return await self._gate.call(self._reader.read, link)
