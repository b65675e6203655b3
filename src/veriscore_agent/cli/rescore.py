"""``rescore``: new aggregation of a run, without any call. The run itself stays as it is."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from veriscore_agent.cli import exits
from veriscore_agent.cli.job import stages_of
from veriscore_agent.cli.output import print_note, print_problem
from veriscore_agent.cli.results import missing_note, print_scores, write_csv
from veriscore_agent.cli.thresholds import missed_thresholds, read_thresholds
from veriscore_agent.core.scoring import KRule, parse_k_rule, summarize
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.report.run_record import RunRecord
from veriscore_agent.settings import Settings, load_settings
from veriscore_agent.wiring import StoredRun, check_writable, read_run, read_text


def rescore(arguments: argparse.Namespace) -> int:
    """Compute scores anew and print them. Raises ConfigurationError or InputError."""
    run = read_run(Path(arguments.run))
    if not run.answers:
        raise ConfigurationError(
            f"{run.path} did not come to its end, so there is nothing to aggregate; finish it first"
        )
    if run.unreadable:
        raise ConfigurationError(f"{run.unreadable[0]}; give the command of the run once more, which makes it anew")
    settings = _settings(run.record, arguments)
    stages = stages_of(settings)
    thresholds = read_thresholds(arguments.fail_under, stages)
    rule = _rule(run, settings, named=arguments.k is not None)
    if arguments.csv:
        kept = (run.path, Path(run.record.input.name), *([Path(rule.text)] if rule.kind == "table" else []))
        check_writable(arguments.csv, kept=kept)
    summary = summarize(
        run.answers, run.claims, k_rule=rule, seed=settings.sampling_seed, stages=stages, protocol=settings.protocol
    )
    print_scores(summary, as_json=arguments.json)
    if arguments.csv:
        write_csv(arguments.csv, run.claims, stages)
    missed = missed_thresholds(summary, thresholds)
    for line in missed:
        print_problem(line)
    if not summary.complete:
        print_note(f"the run is incomplete: {missing_note(summary)}")
        return exits.INCOMPLETE
    return exits.THRESHOLD_MISSED if missed else exits.DONE


def _settings(record: RunRecord, arguments: argparse.Namespace) -> Settings:
    """The run's own settings, but for what the command line changes; the environment has no say here."""
    flags = {"k": arguments.k, "sampling_seed": arguments.sampling_seed}
    return load_settings(flags, environment={}, recorded=record.settings)


def _rule(run: StoredRun, settings: Settings, *, named: bool) -> KRule:
    """The rule in force. A table that the run was scored with is read from the run, for its file may be gone."""
    try:
        return parse_k_rule(settings.k)
    except ConfigurationError:
        own = not named and run.k_path.is_file()
    rule = parse_k_rule(str(run.k_path) if own else settings.k, read_file=read_text)
    return replace(rule, text=settings.k)
