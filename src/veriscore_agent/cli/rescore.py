"""``rescore``: new aggregation of a run, without any call."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from veriscore_agent.cli import exits
from veriscore_agent.cli.job import stages_of
from veriscore_agent.cli.output import print_note, print_problem
from veriscore_agent.cli.results import print_scores, write_csv
from veriscore_agent.cli.thresholds import missed_thresholds, read_thresholds
from veriscore_agent.core.scoring import KRule, Summary, format_k_table, k_by_domain, parse_k_rule, score_all, summarize
from veriscore_agent.domain import Stage
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.report.run_record import RunRecord
from veriscore_agent.settings import Settings, load_settings, public_settings
from veriscore_agent.wiring import RunFolder, StoredRun, check_writable, read_run, read_text


def rescore(arguments: argparse.Namespace) -> int:
    """Compute scores anew, print them, and put them into the run. Raises ConfigurationError or InputError."""
    run = read_run(Path(arguments.run))
    if not run.answers:
        raise ConfigurationError(
            f"{run.path} did not come to its end, so there is nothing to aggregate; finish it first"
        )
    if run.unreadable:
        raise ConfigurationError(f"{run.unreadable[0]}; give the command of the run once more, which makes it anew")
    if arguments.csv:
        check_writable(arguments.csv)
    settings = _settings(run.record, arguments)
    stages = stages_of(settings)
    thresholds = read_thresholds(arguments.fail_under, stages)
    rule = parse_k_rule(settings.k, read_file=read_text)
    summary = summarize(
        run.answers, run.claims, k_rule=rule, seed=settings.sampling_seed, stages=stages, protocol=settings.protocol
    )
    _store(run, rule, summary, settings)
    print_scores(summary, as_json=arguments.json)
    if arguments.csv:
        write_csv(arguments.csv, run.claims, stages)
    missed = missed_thresholds(summary, thresholds)
    for line in missed:
        print_problem(line)
    if not summary.complete:
        print_note("the run is incomplete")
        return exits.INCOMPLETE
    return exits.THRESHOLD_MISSED if missed else exits.DONE


def _settings(record: RunRecord, arguments: argparse.Namespace) -> Settings:
    """The run's own settings, but for what the command line changes; the environment has no say here."""
    flags = {"k": arguments.k, "sampling_seed": arguments.sampling_seed}
    return load_settings(flags, environment={}, recorded=record.settings)


def _store(run: StoredRun, rule: KRule, summary: Summary, settings: Settings) -> None:
    k = k_by_domain(run.answers, rule)
    stages: tuple[Stage, ...] = summary.stages
    public = public_settings(settings)
    record = replace(run.record, settings={**run.record.settings, "k": public["k"]}, summary=summary)
    with RunFolder(run.path, stages=stages) as folder:
        folder.replace_answers(score_all(run.answers, run.claims, k=k, stages=stages))
        folder.write_k(format_k_table(k, rule))
        folder.write_record(record)
