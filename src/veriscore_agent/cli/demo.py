"""``demo``: the bundled recorded example."""

from __future__ import annotations

import argparse
from pathlib import Path

import veriscore_agent
from veriscore_agent.cli.arguments import build_parser
from veriscore_agent.cli.job import default_out, prepare_job, read_file_of
from veriscore_agent.cli.output import print_note, program
from veriscore_agent.cli.score import score_job
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.settings import load_settings
from veriscore_agent.wiring import recorded_settings


def demo(arguments: argparse.Namespace) -> int:
    """Score the example from its recording: no key, no network, and nothing of the user's settings."""
    folder = demo_folder()
    words = ["score", str(folder / "answers.jsonl"), "--replay", str(folder)]
    words += ["--out", arguments.out or str(default_out("demo"))]
    words += [f"--{name}" for name in ("json", "quiet", "verbose") if getattr(arguments, name)]
    parsed = build_parser("").parse_args(words)
    settings = load_settings(environment={}, recorded=recorded_settings(folder))
    read = read_file_of(parsed)
    job = prepare_job(parsed, words, read, settings)
    code = score_job(job, read, parsed)
    if not arguments.quiet:
        print_note(f"the claims: {program()} show {job.out}; one claim's story: {program()} show {job.out} ID")
    return code


def demo_folder() -> Path:
    """The example, in the installed package or beside the sources. Raises ConfigurationError where it is in neither."""
    package = Path(veriscore_agent.__file__).parent
    for folder in (package / "fixtures" / "demo", package.parent.parent / "fixtures" / "demo"):
        if (folder / "answers.jsonl").is_file():
            return folder
    raise ConfigurationError("the example is not installed with this package")
