"""The Python entries: async first, with one blocking entry that also works in a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from anyio.from_thread import start_blocking_portal

from veriscore_agent.core.scoring import Summary, parse_k_rule, summarize
from veriscore_agent.domain import STAGES, Answer, AnswerKey, Claim, ClaimOutcome
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.extractor import ClaimToVerify
from veriscore_agent.graph.build import build_claim_graph
from veriscore_agent.graph.state import ClaimState
from veriscore_agent.runner import RunResult, SilentWatcher, run_answers, verify_claim
from veriscore_agent.settings import Settings, load_settings
from veriscore_agent.wiring import RecordingPlan, open_services, read_text, recorded_settings

Result = TypeVar("Result")
OnStep = Callable[[str, ClaimState], None]
"""Called after each node of a claim's graph with the node's name and the state since."""


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """What scoring gave: every outcome, and the figures made of them."""

    result: RunResult
    summary: Summary


async def score_answers(
    answers: Iterable[Answer],
    settings: Settings | None = None,
    *,
    record: Path | None = None,
    replay: Path | None = None,
) -> ScoreReport:
    """Score answers at every stage.

    ``settings`` default to those of the environment, over those of the recording that is replayed. ``record`` is a
    folder that takes every exchange (and from which a stopped run goes on without paying twice); ``replay`` is one to
    answer from, with no socket opened. A run that was stopped has ``result.stopped`` set and holds what is known.

    Raises ConfigurationError, and ReplayMissError at the first request that ``replay`` does not hold.
    """
    settings, plan = _prepared(settings, record, replay)
    k_rule = parse_k_rule(settings.k, read_file=read_text)
    async with open_services(settings, plan) as services:
        result = await run_answers(
            list(answers), services.ports, services.settings, watcher=SilentWatcher(), folder=services.folder
        )
    summary = summarize(
        result.answers,
        result.claims,
        k_rule=k_rule,
        seed=settings.sampling_seed,
        stages=STAGES[: STAGES.index(settings.stages) + 1],
        protocol=settings.protocol,
    )
    return ScoreReport(result, summary)


async def check_claim(
    claim: str,
    settings: Settings | None = None,
    *,
    record: Path | None = None,
    replay: Path | None = None,
    on_step: OnStep | None = None,
) -> ClaimOutcome:
    """Verify one claim, and return its whole story.

    ``on_step`` hears of every node as it ends. Raises what stops a run (StopRunError), ConfigurationError and
    ReplayMissError; a service that fails is the outcome's ``unscored``.
    """
    if not claim.strip():
        raise ConfigurationError("the claim is empty")
    settings, plan = _prepared(settings, record, replay)
    async with open_services(settings, plan) as services:
        to_verify = ClaimToVerify(Claim(id="claim", text=claim))
        return await verify_claim(
            build_claim_graph(services.ports),
            to_verify,
            AnswerKey(model="", id="claim", domain=""),
            ports=services.ports,
            watcher=_Steps(on_step),
        )


def _prepared(settings: Settings | None, record: Path | None, replay: Path | None) -> tuple[Settings, RecordingPlan]:
    if record and replay:
        raise ConfigurationError(
            "record and replay are both given: a replay asks nothing, so there is nothing to record"
        )
    recorded = recorded_settings(replay) if replay else None
    return settings or load_settings(recorded=recorded), RecordingPlan(write=record, replay=replay)


def run_blocking(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of ``coroutine``, in blocking code: a script, or a notebook cell whose event loop is running already.

    Every call has an event loop of its own, closed when it returns; an interrupt cancels what runs in it. Example:
    ``run_blocking(check_claim("The Eads Bridge opened in 1874."))``.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    # Its own thread, and an end of the cell (Kernel > Interrupt) that reaches what runs there.
    with start_blocking_portal("asyncio", name="veriscore-agent") as portal:
        result: Result = portal.call(lambda: coroutine)
    return result


class _Steps(SilentWatcher):
    """Tells of every node as it ends."""

    def __init__(self, on_step: OnStep | None) -> None:
        self._on_step = on_step

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None:
        """Tell of the node."""
        if self._on_step:
            self._on_step(node, state)
