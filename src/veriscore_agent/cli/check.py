"""``check``: one claim, its trace printed as it unfolds."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from veriscore_agent.cli import exits
from veriscore_agent.cli.interrupts import run_until_interrupted
from veriscore_agent.cli.job import plan_of, prepare_job, settings_of, stages_of
from veriscore_agent.cli.output import (
    one_line,
    print_json,
    print_note,
    print_problem,
    print_result,
    program,
    terminal_width,
    wrap,
)
from veriscore_agent.cli.score import run
from veriscore_agent.cli.story import path_of_labels
from veriscore_agent.cli.trace import Trace
from veriscore_agent.cli.usable import require_services
from veriscore_agent.domain import Answer, AnswerOutcome, Claim, ClaimOutcome, GivenClaim
from veriscore_agent.errors import ConfigurationError, StopRunError
from veriscore_agent.graph.state import ClaimState
from veriscore_agent.report.records import claim_record
from veriscore_agent.runner import RunResult, run_answers
from veriscore_agent.settings import Settings
from veriscore_agent.wiring import AnswersFile, RecordingPlan, open_services

NAME = "claim"


def check(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    """Check one claim. Raises what ``main`` turns into an exit code."""
    text = " ".join(arguments.claim.split())
    if not text:
        raise ConfigurationError("the claim is empty")
    settings = settings_of(arguments)
    answer = Answer(id=NAME, response="", given=(GivenClaim(text, id=NAME),))
    tell = _teller(arguments)
    if arguments.out:
        job = prepare_job(arguments, words, AnswersFile("command line", (answer,)), settings)
        finished = run(job, quiet=True, tell=tell)
        return _conclude(finished.claims[0], finished.stopped, arguments)
    plan = plan_of(arguments, None)
    require_services(settings, plan, (answer,), stages_of(settings))
    result = run_until_interrupted(_run(answer, settings, plan, tell))
    return _conclude(result.claims[0], result.stopped, arguments)


async def _run(answer: Answer, settings: Settings, plan: RecordingPlan, tell: Callable[[str], None]) -> RunResult:
    async with open_services(settings, plan) as services:
        return await run_answers(
            [answer], services.ports, services.settings, watcher=_Teller(tell), folder=services.folder
        )


class _Teller:
    """Tells of every node as it ends."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._trace = tell, Trace()

    def answer_read(self, outcome: AnswerOutcome, claims: tuple[Claim, ...]) -> None:
        """Nothing to tell: the claim is given."""

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None:
        """Tell what the node did."""
        for line in self._trace.lines(node, state):
            self._tell(line)

    def claim_ended(self, outcome: ClaimOutcome) -> None:
        """Nothing to tell: the last node did."""


def _teller(arguments: argparse.Namespace) -> Callable[[str], None]:
    if arguments.quiet:
        return lambda line: None
    show = print_note if arguments.json else print_result
    return lambda line: show(_fitted(line))


def _fitted(line: str) -> str:
    """The line wrapped to the terminal; whole where it goes elsewhere."""
    width = terminal_width(elsewhere=0)
    return "\n".join(wrap(line, width)) if width else line


def _conclude(outcome: ClaimOutcome, stopped: StopRunError | None, arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json(claim_record(outcome))
    else:
        print_result(_fitted(one_line(f"{path_of_labels(outcome)}: {outcome.claim.text}")))
    if arguments.out and not arguments.quiet:
        print_note(f"the whole story: {program()} show {Path(arguments.out)} {NAME}")
    if stopped:
        print_problem(f"stopped: {stopped}")
    elif outcome.unscored:
        print_problem(f"no verdict: {outcome.unscored.detail or outcome.unscored.reason}")
    return exits.INCOMPLETE if stopped or outcome.unscored else exits.DONE
