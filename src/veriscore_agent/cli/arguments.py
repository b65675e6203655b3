"""The command line's words. Nothing heavy is imported here, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from veriscore_agent.cli.setting_flags import add_setting_flags

EXIT_CODES = (
    "exit codes: 0 done; 1 a threshold of --fail-under was missed; 2 usage, settings or input; 3 not in the recording; "
    "4 incomplete (budget, failures, refused key or credit); 130 interrupted"
)


class _Parser(argparse.ArgumentParser):
    """Reports a wrong word in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser(version: str) -> argparse.ArgumentParser:
    """The parser of all commands. The parsed ``command`` names the one that was chosen."""
    parser = _Parser(
        prog="veriscore-agent",
        description="Score how factual long answers of language models are (VeriScore-style F1@K).",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_score(commands)
    _add_check(commands)
    _add_show(commands)
    _add_rescore(commands)
    _add_doctor(commands)
    _add_demo(commands)
    return parser


def _command(commands: Any, words: str, summary: str) -> argparse.ArgumentParser:
    """A command; ``words`` are its name and what follows it."""
    name, _, _ = words.partition(" ")
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f"veriscore-agent {words} [options]",
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        allow_abbrev=False,
    )
    return parser


def _add_score(commands: Any) -> None:
    parser = _command(
        commands, "score ANSWERS", "score answers, or claims, end to end; run again on the same RUN it resumes"
    )
    parser.add_argument("answers", metavar="ANSWERS", help="JSON Lines file of answers or claims; - for standard input")
    _add_out(parser)
    _add_verbose(parser)
    parser.add_argument("--force", action="store_true", help="move a run that is in RUN aside and start anew")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--limit", type=_positive, metavar="N", help="take the first N answers")
    reading.add_argument(
        "--field", action="append", default=[], metavar="OURS=THEIRS", help="name of a field in the file"
    )
    reading.add_argument("--skip-bad", action="store_true", help="leave bad lines out, and count them")
    _add_results(parser)
    _add_recording(parser)
    add_setting_flags(parser)


def _add_check(commands: Any) -> None:
    parser = _command(commands, "check CLAIM", "check one claim, and print its trace as it unfolds")
    parser.add_argument("claim", metavar="CLAIM", help="one claim, understandable alone")
    _add_out(parser, default="none is kept")
    parser.add_argument("--json", action="store_true", help="print the claim's record as JSON")
    _add_recording(parser)
    add_setting_flags(parser)


def _add_show(commands: Any) -> None:
    parser = _command(commands, "show RUN [CLAIM-ID]", "show how one claim of a run got its label")
    parser.add_argument("run", metavar="RUN", help="folder of a run")
    parser.add_argument("claim", metavar="CLAIM-ID", nargs="?", help="id of a claim; without one, all are listed")
    parser.add_argument("--json", action="store_true", help="print the claim's record as JSON")


def _add_rescore(commands: Any) -> None:
    parser = _command(
        commands, "rescore RUN", "print the scores of a finished run anew, without any call; the run stays as it is"
    )
    parser.add_argument("run", metavar="RUN", help="folder of a run")
    parser.add_argument("--k", metavar="RULE", help="reference, median, max, a number, or a file of domain,K pairs")
    parser.add_argument("--sampling-seed", metavar="N", help="seed of the confidence intervals")
    _add_results(parser)


def _add_doctor(commands: Any) -> None:
    parser = _command(commands, "doctor", "tell what is configured, reachable and missing")
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")
    parser.add_argument("--offline", action="store_true", help="ask no service")
    add_setting_flags(parser)


def _add_demo(commands: Any) -> None:
    parser = _command(commands, "demo", "score the bundled recorded example; no key, no network")
    _add_out(parser)
    _add_verbose(parser)
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")


def _add_out(parser: argparse.ArgumentParser, default: str = "a new one in ./runs") -> None:
    parser.add_argument("--out", type=_path, metavar="RUN", help=f"folder of the run (default: {default})")
    parser.add_argument("-q", "--quiet", action="store_true", help="print results and problems only, no progress")


def _add_verbose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help="tell of every step of every claim")


def _add_results(parser: argparse.ArgumentParser) -> None:
    results = parser.add_argument_group("results")
    results.add_argument("--json", action="store_true", help="print the scores as JSON")
    results.add_argument("--csv", type=_path, metavar="FILE", help="write the claims to a CSV file too")
    results.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="STAGE=F1",
        help="exit with 1 where the F1@K of a model after a stage is below this (0 to 1)",
    )


def _add_recording(parser: argparse.ArgumentParser) -> None:
    recording = parser.add_argument_group("record and replay")
    recording.add_argument("--record", type=_path, metavar="DIR", help="keep the exchanges here and not in RUN")
    recording.add_argument(
        "--replay", type=_path, metavar="DIR", help="answer from this run or recording; opens no socket"
    )
    recording.add_argument("--live", choices=["judge"], help="with --replay: judge anew on the recorded evidence")
    recording.add_argument("--record-pages", choices=["all"], help="fetch the pages of every claim for the recording")


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)


def _path(text: str) -> str:
    """A path that is there: an unset variable of the shell must not turn a replay into a live run."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return text
