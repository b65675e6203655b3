"""``show``: how one claim of a run got its label."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from veriscore_agent.cli import exits
from veriscore_agent.cli.output import WIDEST, one_line, print_json, print_note, print_result, program, terminal_width
from veriscore_agent.cli.story import path_of_labels, render_story
from veriscore_agent.domain import ClaimOutcome
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.report.records import claim_record
from veriscore_agent.wiring import StoredRun, read_run


def show(arguments: argparse.Namespace) -> int:
    """Print one claim's story, or the list of all claims. Raises InputError, and ConfigurationError for no such id."""
    run = read_run(Path(arguments.run))
    for problem in run.unreadable:
        print_note(f"warning: {problem}")
    if arguments.claim is None:
        _list(run, as_json=arguments.json)
        return exits.DONE
    outcome = _find(run.claims, arguments.claim, arguments.run)
    if arguments.json:
        print_json(claim_record(outcome))
    else:
        print_result(render_story(outcome, width=terminal_width(elsewhere=WIDEST)))
    return exits.DONE


def _list(run: StoredRun, *, as_json: bool) -> None:
    """Every claim; for people also every sentence that no claim could be taken from."""
    if as_json:
        print_json([claim_record(outcome) for outcome in run.claims])
        return
    for outcome in run.claims:
        print_result(one_line(f"{outcome.claim.id}  {path_of_labels(outcome)}  {outcome.claim.text}"))
    for answer in run.answers:
        name = "/".join(filter(None, (answer.answer.model, answer.answer.id)))
        for lost in answer.unextracted:
            why = ": ".join(filter(None, (lost.reason, lost.detail)))
            print_result(one_line(f"{name}  sentence {lost.sentence + 1} not extracted ({why})  {lost.text}"))


def _find(claims: Sequence[ClaimOutcome], claim_id: str, run: str) -> ClaimOutcome:
    by_id = {outcome.claim.id: outcome for outcome in claims}
    if claim_id in by_id:
        return by_id[claim_id]
    if not by_id:
        raise ConfigurationError(f"{run} holds no claim yet")
    close = get_close_matches(claim_id, by_id, n=5, cutoff=0.4)
    close += [known for known in by_id if claim_id in known and known not in close]
    hint = f"; the closest: {', '.join(close[:5])}" if close else f"; to list all: {program()} show {run}"
    raise ConfigurationError(f"no claim {claim_id!r} in {run}{hint}")
