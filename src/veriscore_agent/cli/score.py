"""``score``: the whole pipeline, from a file of answers to a run's folder and its scores."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from veriscore_agent.cli import exits
from veriscore_agent.cli.job import Job, prepare_job, read_file_of, settings_of
from veriscore_agent.cli.output import print_note, print_problem
from veriscore_agent.cli.results import print_scores, spending_note, stored_result, write_csv
from veriscore_agent.cli.session import Finished, run_job
from veriscore_agent.cli.thresholds import missed_thresholds
from veriscore_agent.cli.usable import require_services
from veriscore_agent.errors import ConfigurationError, VeriscoreError
from veriscore_agent.wiring import AnswersFile


def score(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    """Score a file of answers. Raises what ``main`` turns into an exit code."""
    settings = settings_of(arguments)
    read = read_file_of(arguments)
    return score_job(prepare_job(arguments, words, read, settings), read, arguments)


def score_job(job: Job, read: AnswersFile, arguments: argparse.Namespace) -> int:
    """Make the run, or take it as it stands where it is whole; print its scores and return the exit code."""
    if not arguments.quiet:
        _tell_beginning(job, read)
    finished = stored_result(job) if job.is_done else run(job, quiet=arguments.quiet, verbose=arguments.verbose)
    print_scores(finished.summary, as_json=arguments.json)
    if arguments.csv:
        write_csv(arguments.csv, finished.claims, job.stages)
    return _exit_code(job, finished, quiet=arguments.quiet)


def run(job: Job, *, quiet: bool, verbose: bool = False, tell: Callable[[str], None] | None = None) -> Finished:
    """Make sure that the services can be used, and make the run. Tells how to go on where it ends early."""
    require_services(job.settings, job.plan, job.answers, job.stages)
    try:
        return run_job(job, quiet=quiet, verbose=verbose, tell=tell)
    except (KeyboardInterrupt, VeriscoreError) as problem:
        if job.out.exists() and not isinstance(problem, ConfigurationError):
            print_problem(f"what is finished is kept in {job.out}; go on with:\n  {job.go_on}")
        raise


def _tell_beginning(job: Job, read: AnswersFile) -> None:
    for warning in read.warnings:
        print_note(f"warning: {warning}")
    if read.skipped:
        print_note(f"skipped {len(read.skipped)} bad lines; the first: {read.skipped[0]}")
    if job.is_done:
        print_note(f"{job.out} is complete already; nothing is asked for again")
    elif job.stored:
        print_note(f"going on with {job.out}")
    else:
        print_note(f"run: {job.out}")
    for problem in job.stored.unreadable if job.stored else ():
        print_note(f"warning: {problem}; it is done again")


def _exit_code(job: Job, finished: Finished, *, quiet: bool) -> int:
    """Tell of what is missing, what it cost, and what was missed."""
    if not quiet:
        print_note(spending_note(finished.record))
    for link in finished.record.recording.not_recorded:
        print_note(f"not in the recording, so no evidence: {link}")
    missed = missed_thresholds(finished.summary, job.thresholds)
    for line in missed:
        print_problem(line)
    if finished.stopped:
        print_problem(f"stopped: {finished.stopped}")
        print_problem(f"what is finished is kept in {job.out}; go on with:\n  {job.go_on}")
        return exits.INCOMPLETE
    if not finished.summary.complete:
        print_problem(f"incomplete: something failed on the way; to try that again:\n  {job.go_on}")
        return exits.INCOMPLETE
    return exits.THRESHOLD_MISSED if missed else exits.DONE
