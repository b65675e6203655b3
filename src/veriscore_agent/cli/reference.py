"""The reference of all commands and options: ``python -m veriscore_agent.cli.reference > docs/cli.md``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from veriscore_agent.cli.arguments import build_parser
from veriscore_agent.cli.setting_flags import GROUPS

INTRODUCTION = """\
# Command line

Results go to standard output, progress and problems to standard error. `--json` prints results for machines.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a threshold of `--fail-under` was missed |
| 2 | usage, settings or input; whatever is found before the first paid call |
| 3 | a replay asked for something that is not in the recording |
| 4 | finished or stopped incomplete: budget, failures, a refused key or exhausted credit (goes before 1) |
| 130 | interrupted; what was finished is kept |

A run that stopped goes on where it was when the same command is given again; no paid call is made twice. Settings
that decide results have to be the same; otherwise the difference is told, and `--force` moves the old run aside.

This page is made from the program itself.
"""
SETTINGS = """\
## Settings

`score`, `check` and `doctor` take every setting as a flag. It can be given in the environment
(`--passage-tokens 900` is `VERISCORE_PASSAGE_TOKENS=900`) or in a TOML file (`passage_tokens = 900`) too; flags go
before environment before file.
Keys are read from the environment or the file alone: `OPENAI_API_KEY`, `SERPER_API_KEY`.
A certificate authority of your own is named in `SSL_CERT_FILE` or `SSL_CERT_DIR`.

| | |
|---|---|
"""


def reference() -> str:
    """The whole page, in Markdown."""
    commands = _subparsers(build_parser(""))
    settings = [row for group in commands["score"]._action_groups if group.title in GROUPS for row in _rows(group)]
    sections = [_command(name, parser) for name, parser in commands.items()]
    return "\n".join([INTRODUCTION, *sections, SETTINGS + "\n".join(settings)]) + "\n"


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    actions = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    return dict(actions[0].choices)


def _command(name: str, parser: argparse.ArgumentParser) -> str:
    positional = [each for each in parser._actions if not each.option_strings]
    words = " ".join([name, *(_positional(each) for each in positional)])
    lines = [f"## {words}\n", f"{parser.description}\n", "| | |", "|---|---|"]
    lines += [f"| `{_positional(each)}` | {each.help} |" for each in positional]
    for group in parser._action_groups:
        lines += _rows(group) if group.title not in GROUPS else []
    return "\n".join(lines) + "\n"


def _rows(group: argparse._ArgumentGroup) -> Iterator[str]:
    options = [each for each in group._group_actions if each.option_strings and each.dest != "help"]
    if options and group.title != "options":
        yield f"| **{group.title}** | |"
    for option in options:
        flags = ", ".join(f"`{flag}`" for flag in option.option_strings)
        yield f"| {flags}{_value(option)} | {option.help} |"


def _positional(action: argparse.Action) -> str:
    name = str(action.metavar)
    return f"[{name}]" if action.nargs == "?" else name


def _value(option: argparse.Action) -> str:
    if option.choices:
        return " " + " or ".join(f"`{choice}`" for choice in option.choices)
    return f" {option.metavar}" if option.metavar else ""


if __name__ == "__main__":
    print(reference(), end="")
