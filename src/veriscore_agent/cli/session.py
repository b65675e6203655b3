"""One process at work on a run: claims are kept as they finish, and the run's record says how far it came."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from veriscore_agent.cli.interrupts import run_until_interrupted
from veriscore_agent.cli.job import Job
from veriscore_agent.cli.progress import Counts, Display, open_display
from veriscore_agent.cli.trace import Trace
from veriscore_agent.core.scoring import Summary, format_k_table, k_by_domain, score_all, summarize
from veriscore_agent.domain import AnswerOutcome, Claim, ClaimOutcome
from veriscore_agent.errors import ConfigurationError, StopRunError, VeriscoreError
from veriscore_agent.graph.state import ClaimState
from veriscore_agent.report.run_record import RunRecord, RunStatus, SessionRecord, UsageRecord
from veriscore_agent.runner import RunResult, is_done, run_answers
from veriscore_agent.wiring import RunFolder, Services, Spending, move_aside, open_services

SECONDS_A_RECORD = 5.0
"""How often the record on disk is brought up to date, so that a killed run knows what it spent."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to its end, whole or not."""

    record: RunRecord
    summary: Summary
    claims: tuple[ClaimOutcome, ...]
    stopped: StopRunError | None = None


def run_job(job: Job, *, quiet: bool, verbose: bool = False, tell: Callable[[str], None] | None = None) -> Finished:
    """Make the run, or go on with it. ``tell`` hears of every step of every claim; so does the display if ``verbose``.

    Raises KeyboardInterrupt and what ends a run; all that was finished is kept then. A run that ends before anything
    was paid for leaves no new folder behind, and raises ConfigurationError.
    """
    if job.replaces:
        move_aside(job.out)
    with RunFolder(job.out, stages=job.stages) as folder:
        with open_display(quiet=quiet) as display:
            session = Session(job, folder, display, tell=display.tell if verbose else tell)
            try:
                result = session.run()
            except BaseException as problem:
                session.end("stopped", _reason(problem))
                if session.was_for_nothing:
                    folder.discard()
                raise
        if result.stopped and session.was_for_nothing:
            folder.discard()
            raise ConfigurationError(str(result.stopped))
        return session.finish(result)


class Session:
    """Hears of every claim, and keeps it."""

    def __init__(self, job: Job, folder: RunFolder, display: Display, *, tell: Callable[[str], None] | None) -> None:
        self._job, self._folder, self._display, self._tell = job, folder, display, tell
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._due = time.monotonic() + SECONDS_A_RECORD
        self._counts = Counts(len(job.answers))
        self._traces: dict[str, Trace] = {}
        self._spending: Spending | None = None
        self._verdicts = 0
        stored = job.stored.claims if job.stored else ()
        self._done = {outcome.claim.id: outcome for outcome in stored if is_done(outcome)}

    @property
    def was_for_nothing(self) -> bool:
        """Whether a new run has no verdict yet, and no call of it was answered for money."""
        if self._job.stored or self._verdicts:
            return False
        usage = self._spending.usage.values() if self._spending else ()
        return not any(each.cost is None or each.cost or each.input_tokens for each in usage)

    def run(self) -> RunResult:
        """Work until the end, or until something ends it."""
        self._write_record("running")
        return run_until_interrupted(self._work())

    async def _work(self) -> RunResult:
        job = self._job
        settings = job.settings
        if settings.max_cost is not None:
            settings = replace(settings, max_cost=max(0.0, settings.max_cost - job.record.spent))
        async with open_services(settings, job.plan) as services:
            self._spending = services.spending
            return await self._run_answers(services)

    async def _run_answers(self, services: Services) -> RunResult:
        telling = asyncio.create_task(self._tell_regularly())
        try:
            return await run_answers(
                self._job.answers,
                services.ports,
                services.settings,
                watcher=self,
                done=self._done,
                folder=services.folder,
                record_all_pages=self._job.record_all_pages,
            )
        finally:
            telling.cancel()

    async def _tell_regularly(self) -> None:
        """Say how far it is also when nothing happens, so that a claim that hangs is seen."""
        while True:
            await asyncio.sleep(SECONDS_A_RECORD)
            self._show()

    def answer_read(self, outcome: AnswerOutcome, claims: tuple[Claim, ...]) -> None:
        """Count the answer's claims."""
        for claim in claims:
            if claim.id not in self._done:
                self._counts.claim_moved(claim.id)
        known = sum(claim.id in self._done for claim in claims)
        self._counts.answer_read(outcome, len(claims), known)
        self._show()

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None:
        """Tell of the step, where that is wanted."""
        self._counts.claim_moved(claim.id)
        if self._tell:
            trace = self._traces.setdefault(claim.id, Trace())
            for line in trace.lines(node, state):
                self._tell(f"{claim.id} {line}")

    def claim_ended(self, outcome: ClaimOutcome) -> None:
        """Keep the claim."""
        self._folder.append_claim(outcome)
        self._traces.pop(outcome.claim.id, None)
        self._verdicts += bool(outcome.verdicts)
        self._counts.claim_ended(outcome)
        self._show()
        if time.monotonic() >= self._due:
            self._write_record("running")
            self._due = time.monotonic() + SECONDS_A_RECORD

    def _show(self) -> None:
        self._counts.cost = self._spending.cost if self._spending else None
        self._display.show(self._counts)

    def finish(self, result: RunResult) -> Finished:
        """Put everything in order on disk, with the scores."""
        job = self._job
        k = k_by_domain(result.answers, job.k_rule)
        summary = summarize_job(job, result.answers, result.claims)
        self._folder.replace_claims(result.claims)
        self._folder.replace_answers(score_all(result.answers, result.claims, k=k, stages=job.stages))
        self._folder.write_k(format_k_table(k, job.k_rule))
        status: RunStatus = "stopped" if result.stopped else "complete" if summary.complete else "incomplete"
        record = self.end(status, str(result.stopped or ""), summary, not_recorded(result.claims))
        return Finished(record, summary, result.claims, result.stopped)

    def end(
        self, status: RunStatus, reason: str = "", summary: Summary | None = None, missing: tuple[str, ...] = ()
    ) -> RunRecord:
        """Write down how the session ended."""
        return self._write_record(status, reason, summary, missing)

    def _write_record(
        self, status: RunStatus, reason: str = "", summary: Summary | None = None, missing: tuple[str, ...] = ()
    ) -> RunRecord:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        session = SessionRecord(
            started=self._started,
            ended=None if status == "running" else now,
            status=status,
            reason=reason,
            spent=self._spending.spent if self._spending else 0.0,
            usage=self._usage(),
        )
        record = replace(
            self._job.record,
            status=status,
            reason=reason,
            sessions=(*self._job.record.sessions, session),
            recording=replace(self._job.record.recording, not_recorded=missing),
            summary=summary,
        )
        self._folder.write_record(record)
        return record

    def _usage(self) -> Mapping[str, UsageRecord]:
        usage = self._spending.usage if self._spending else {}
        return {
            kind: UsageRecord(each.calls, each.input_tokens, each.cached_tokens, each.output_tokens, each.cost)
            for kind, each in sorted(usage.items())
        }


def summarize_job(job: Job, answers: Sequence[AnswerOutcome], claims: Sequence[ClaimOutcome]) -> Summary:
    """The scores that a job's settings give."""
    return summarize(
        answers,
        claims,
        k_rule=job.k_rule,
        seed=job.settings.sampling_seed,
        stages=job.stages,
        protocol=job.settings.protocol,
    )


def not_recorded(claims: Sequence[ClaimOutcome]) -> tuple[str, ...]:
    """What a live judge wanted and the recording does not hold, each once."""
    pages = [visit.link for each in claims for visit in each.visits if visit.outcome == "not_recorded"]
    failed = [f"what {each.claim.id} needed" for each in claims if _lacked_something(each)]
    return tuple(dict.fromkeys([*pages, *failed]))


def _lacked_something(outcome: ClaimOutcome) -> bool:
    reason = outcome.unscored.reason if outcome.unscored else ""
    return reason == "not_recorded" or bool({"not_recorded", "failed:not_recorded"} & {*outcome.flags})


def _reason(problem: BaseException) -> str:
    if isinstance(problem, KeyboardInterrupt):
        return "interrupted"
    return str(problem) if isinstance(problem, VeriscoreError) else type(problem).__name__
