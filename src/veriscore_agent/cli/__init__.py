"""The command line. Results go to standard output; progress and problems to standard error."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version

from veriscore_agent.cli import exits
from veriscore_agent.cli.arguments import build_parser
from veriscore_agent.cli.output import prepare_streams, print_problem
from veriscore_agent.errors import ReplayMissError, StopRunError, VeriscoreError

_SHOWN = 200
"""Characters of a path that are shown."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. ``argv`` defaults to the words of the process."""
    prepare_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = build_parser(version("veriscore-agent")).parse_args(words)
        if threading.current_thread() is threading.main_thread():
            # A plea to end is treated like Ctrl-C: results are kept, and how to go on is told.
            signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
        return _run(arguments, words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else exits.DONE
    except KeyboardInterrupt:
        print_problem("interrupted")
        return exits.INTERRUPTED
    except ReplayMissError as problem:
        print_problem(str(problem))
        return exits.REPLAY_MISS
    except StopRunError as problem:
        print_problem(str(problem))
        return exits.INCOMPLETE
    except VeriscoreError as problem:
        print_problem(str(problem))
        return exits.USAGE
    except OSError as problem:
        # A path that the system does not take, such as a name that is too long.
        named = f"{str(problem.filename)[:_SHOWN]}: " if problem.filename else ""
        print_problem(f"{named}{problem.strerror or problem}")
        return exits.USAGE


def _run(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    """Import late: a command pays for what it needs, and help for nothing."""
    match arguments.command:
        case "score":
            from veriscore_agent.cli.score import score

            return score(arguments, words)
        case "check":
            from veriscore_agent.cli.check import check

            return check(arguments, words)
        case "show":
            from veriscore_agent.cli.show import show

            return show(arguments)
        case "rescore":
            from veriscore_agent.cli.rescore import rescore

            return rescore(arguments)
        case "doctor":
            from veriscore_agent.cli.doctor import doctor

            return doctor(arguments)
        case _:
            from veriscore_agent.cli.demo import demo

            return demo(arguments)
