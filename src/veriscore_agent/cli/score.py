"""``score``: the whole pipeline, from a file of answers to a run's folder and its scores."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence

from veriscore_agent.cli import exits
from veriscore_agent.cli.job import Job, prepare_job, read_file_of, settings_of
from veriscore_agent.cli.output import print_note, print_problem
from veriscore_agent.cli.results import missing_note, print_scores, spending_note, stored_result, write_csv
from veriscore_agent.cli.session import Finished, run_job
from veriscore_agent.cli.thresholds import missed_thresholds
from veriscore_agent.cli.usable import require_services
from veriscore_agent.errors import BudgetSpentError, StopRunError
from veriscore_agent.wiring import AnswersFile


def score(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    """Score a file of answers. Raises what ``main`` turns into an exit code."""
    settings = settings_of(arguments)
    read = read_file_of(arguments)
    return score_job(prepare_job(arguments, words, read, settings), read, arguments)


def score_job(job: Job, read: AnswersFile, arguments: argparse.Namespace) -> int:
    """Make the run, or take it as it stands where it is whole; print its scores and return the exit code."""
    if not arguments.quiet:
        _tell_input(read)
    stored = stored_result(job) if job.is_done else None
    # What was damaged on disk since is made anew, from the exchanges.
    if stored and stored.summary.complete:
        finished = stored
        print_note(f"{job.out} is complete already; nothing is asked for again")
    else:
        finished = run(job, quiet=arguments.quiet, verbose=arguments.verbose)
    print_scores(finished.summary, as_json=arguments.json)
    if arguments.csv:
        write_csv(arguments.csv, finished.claims, job.stages)
    return _exit_code(job, finished, quiet=arguments.quiet)


def run(job: Job, *, quiet: bool, verbose: bool = False, tell: Callable[[str], None] | None = None) -> Finished:
    """Make sure that the services can be used, and make the run.

    Where it ends early, tells how to go on and raises SystemExit with the exit code.
    """
    require_services(job.settings, job.plan, job.answers, job.stages)
    if not quiet:
        _tell_place(job)
    try:
        return run_job(job, quiet=quiet, verbose=verbose, tell=tell)
    except KeyboardInterrupt:
        print_problem(_how_to_go_on(job, "interrupted"))
        raise SystemExit(exits.INTERRUPTED) from None
    except StopRunError as stop:
        print_problem(_how_to_go_on(job, f"stopped: {stop}", stop))
        raise SystemExit(exits.INCOMPLETE) from stop


def _how_to_go_on(job: Job, why: str, stop: StopRunError | None = None) -> str:
    if not job.out.exists():
        return f"{why}; nothing was begun"
    kept = f"{why}\nwhat is finished is kept in {job.out}; go on with"
    if isinstance(stop, BudgetSpentError):
        return f"{kept} a higher cap in the place of USD:\n  {with_other_cap(job.go_on)}"
    return f"{kept}:\n  {job.go_on}"


def with_other_cap(command: str) -> str:
    """The command with ``USD`` for its cap: the same one would stop at once, and none at all could spend anything."""
    words = shlex.split(command)
    given = [index for index, word in enumerate(words) if word == "--max-cost"]
    left_out = {*given, *(index + 1 for index in given)}
    kept = [word for index, word in enumerate(words) if index not in left_out and not word.startswith("--max-cost=")]
    return shlex.join([*kept, "--max-cost", "USD"])


def _cap_note(finished: Finished) -> str:
    if not isinstance(finished.stopped, BudgetSpentError):
        return ""
    return (
        f"; all sessions of the run spent ${finished.record.spent:.4f}, so give a higher --max-cost than that to go on"
    )


def _tell_input(read: AnswersFile) -> None:
    for warning in read.warnings:
        print_note(f"warning: {warning}")
    if read.skipped:
        print_note(f"skipped {len(read.skipped)} bad lines; the first: {read.skipped[0]}")


def _tell_place(job: Job) -> None:
    print_note(f"going on with {job.out}" if job.stored else f"run: {job.out}")
    for problem in job.stored.unreadable if job.stored else ():
        print_note(f"warning: {problem}; it is done again")


def _exit_code(job: Job, finished: Finished, *, quiet: bool) -> int:
    """Tell of what is missing, what it cost, and what was missed."""
    if not quiet:
        print_note(spending_note(finished.record, so_far=job.stored is not None))
    for link in finished.record.recording.not_recorded:
        print_note(f"not in the recording, so no evidence: {link}")
    missed = missed_thresholds(finished.summary, job.thresholds)
    for line in missed:
        print_problem(line)
    if finished.stopped:
        why = f"stopped: {finished.stopped}{_cap_note(finished)}"
        print_problem(_how_to_go_on(job, why, finished.stopped))
        return exits.INCOMPLETE
    if not finished.summary.complete:
        print_problem(f"incomplete: {missing_note(finished.summary)}; to try that again:\n  {job.go_on}")
        return exits.INCOMPLETE
    return exits.THRESHOLD_MISSED if missed else exits.DONE
