"""What one invocation is to do: everything read and checked before the first call."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from veriscore_agent.cli.output import program
from veriscore_agent.cli.setting_flags import given_settings
from veriscore_agent.cli.thresholds import Threshold, read_thresholds
from veriscore_agent.core.scoring import KRule, parse_k_rule
from veriscore_agent.domain import STAGES, Answer, Stage
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.report.run_record import InputRecord, RecordingRecord, RunRecord, differences
from veriscore_agent.settings import LOCAL_SETTINGS, Settings, load_settings, public_settings
from veriscore_agent.wiring import (
    FIELDS,
    AnswersFile,
    ReadingOptions,
    RecordingPlan,
    StoredRun,
    answers_digest,
    begin_record,
    check_writable,
    holds_run,
    prompt_hashes_of,
    read_answers,
    read_run,
    read_text,
    recorded_settings,
    settings_in_force,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run to make, or to go on with."""

    settings: Settings
    plan: RecordingPlan
    answers: tuple[Answer, ...]
    out: Path
    record: RunRecord
    """What the run is made of."""
    stored: StoredRun | None
    """The run in ``out`` that is gone on with."""
    replaces: bool
    """There is a run in ``out`` that is to be moved aside."""
    stages: tuple[Stage, ...]
    k_rule: KRule
    thresholds: tuple[Threshold, ...]
    record_all_pages: bool
    go_on: str
    """The command that goes on with the run."""

    @property
    def is_done(self) -> bool:
        """Whether the stored run is whole already."""
        return bool(
            self.stored and self.stored.record.status == "complete" and len(self.stored.answers) == len(self.answers)
        )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings in force: flags, environment, file, and what a recording fixes."""
    replay = getattr(arguments, "replay", None)
    config = getattr(arguments, "config", None)
    settings = load_settings(
        given_settings(arguments),
        config=Path(config) if config else None,
        recorded=recorded_settings(Path(replay)) if replay else None,
    )
    # A replay spends nothing, so that no price need be known for it.
    return replace(settings, max_cost=None) if replay and not arguments.live else settings


def read_file_of(arguments: argparse.Namespace) -> AnswersFile:
    """The answers of the command line's file. Raises InputError, and ConfigurationError for a wrong ``--field``."""
    fields: dict[str, str] = {}
    for pair in arguments.field:
        ours, equals, theirs = pair.partition("=")
        if ours not in FIELDS or not equals or not theirs:
            raise ConfigurationError(f"--field {pair}: wanted is OURS=THEIRS, with OURS one of {', '.join(FIELDS)}")
        fields[ours] = theirs
    options = ReadingOptions(fields=fields, limit=arguments.limit, skip_bad=arguments.skip_bad)
    return read_answers(arguments.answers, options)


def prepare_job(arguments: argparse.Namespace, words: Sequence[str], read: AnswersFile, settings: Settings) -> Job:
    """The job of ``score``, and of ``check`` with a folder. Raises ConfigurationError or InputError."""
    out = Path(arguments.out) if arguments.out else default_out(read.name)
    plan = plan_of(arguments, out)
    settings = settings_in_force(settings, plan)
    stages = stages_of(settings)
    k_rule = parse_k_rule(settings.k, read_file=read_text)
    _check_k(k_rule, read.answers)
    if getattr(arguments, "csv", None):
        check_writable(arguments.csv, kept=_kept(arguments, settings, plan, out, k_rule))
    force = getattr(arguments, "force", False)
    record = _record_of(settings, plan, read, out, arguments)
    stored = None if force or not holds_run(out) else _run_to_go_on_with(out, record, read.answers)
    return Job(
        settings=settings,
        plan=plan,
        answers=read.answers,
        out=out,
        record=record if stored is None else replace(record, sessions=stored.record.sessions),
        stored=stored,
        replaces=force and holds_run(out),
        stages=stages,
        k_rule=k_rule,
        thresholds=read_thresholds(getattr(arguments, "fail_under", []), stages),
        record_all_pages=arguments.record_pages == "all",
        go_on=_command(words, out, named=bool(arguments.out)),
    )


def plan_of(arguments: argparse.Namespace, out: Path | None) -> RecordingPlan:
    """Where exchanges go and come from. Raises ConfigurationError for options that exclude each other."""
    if arguments.live and not arguments.replay:
        raise ConfigurationError("--live judge needs --replay DIR: the recording whose evidence is judged anew")
    frozen = arguments.replay and not arguments.live
    if frozen and arguments.record:
        raise ConfigurationError("--record and --replay exclude each other: a replay records nothing new")
    if arguments.replay and arguments.record_pages:
        raise ConfigurationError("--record-pages and --replay exclude each other: a replay fetches no page")
    write = Path(arguments.record) if arguments.record else out and out / "exchanges"
    return RecordingPlan(
        write=None if frozen else write,
        replay=Path(arguments.replay) if arguments.replay else None,
        live=arguments.live,
    )


def stages_of(settings: Settings) -> tuple[Stage, ...]:
    """The stages that a claim can reach under these settings."""
    last = STAGES[: STAGES.index(settings.stages) + 1]
    return last if settings.rounds else tuple(stage for stage in last if stage != "rounds")


def _kept(
    arguments: argparse.Namespace, settings: Settings, plan: RecordingPlan, out: Path, k_rule: KRule
) -> list[Path]:
    """What no result may be written over: all that is read, the run, and its exchanges."""
    read = [None if arguments.answers == "-" else arguments.answers, arguments.config]
    read += [k_rule.text if k_rule.kind == "table" else None]
    paths = (out, plan.write, plan.replay, settings.prompts, settings.prices, *read)
    return [Path(path) for path in paths if path]


def _record_of(
    settings: Settings, plan: RecordingPlan, read: AnswersFile, out: Path, arguments: argparse.Namespace
) -> RunRecord:
    source = InputRecord(
        name=read.name,
        answers=len(read.answers),
        sha256=answers_digest(read.answers),
        skipped=tuple(str(problem) for problem in read.skipped),
        warnings=read.warnings,
    )
    recording = RecordingRecord(
        exchanges=Path(os.path.relpath(plan.write, out)).as_posix() if plan.write else None,
        replay=arguments.replay,
        live=(arguments.live,) if arguments.live else (),
    )
    return begin_record(settings, source, recording, prompts_folder=prompt_hashes_of(settings))


def _run_to_go_on_with(out: Path, record: RunRecord, answers: Sequence[Answer]) -> StoredRun:
    """The run in ``out``, if it was made of the same things."""
    stored = read_run(out)
    digest = answers_digest(answers[: stored.record.input.answers])
    # A run of an older version was made as if the settings that it did not know had their defaults.
    old = replace(stored.record, settings={**public_settings(Settings()), **stored.record.settings})
    found = differences(old, record, local=LOCAL_SETTINGS, digest_of_old=digest)
    if not found:
        return stored
    listed = "; ".join(found[:5]) + (f"; and {len(found) - 5} more" if len(found) > 5 else "")
    advice = "choose another --out, or --force to move that run aside and start anew"
    if all(text.startswith("k:") for text in found):
        advice += f" (K alone: {program()} rescore {shlex.quote(str(out))} --k ...)"
    raise ConfigurationError(f"{out} holds a run of other settings: {listed}; {advice}")


def _check_k(rule: KRule, answers: Sequence[Answer]) -> None:
    missing = rule.missing(dict.fromkeys(answer.domain for answer in answers))
    if missing:
        raise ConfigurationError(f"--k {rule.text}: no K for the domain {missing[0]!r}")


def default_out(name: str) -> Path:
    """A new folder under ``runs``, named after the input and the time."""
    stem = re.sub(r"[^\w.-]+", "-", Path(name).stem).strip("-.") or "answers"
    return Path("runs") / f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"


def _command(words: Sequence[str], out: Path, *, named: bool) -> str:
    again = [word for word in words if word != "--force"]
    return f"{program()} {shlex.join([*again, *([] if named else ['--out', str(out)])])}"
