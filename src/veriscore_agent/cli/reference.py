"""The reference of all commands and options: ``python -m veriscore_agent.cli.reference > docs/cli.md``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import get_args

from veriscore_agent.cli.arguments import build_parser
from veriscore_agent.cli.setting_flags import GROUPS
from veriscore_agent.domain import CallKind
from veriscore_agent.settings import Settings

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

A run that stopped goes on where it was when the same command is given again. A call whose answer was received is kept
and not made again. Calls in flight when a run is interrupted or killed are lost: the service may charge for them, and
they are made again; so are calls that failed. At any other stop (the cost cap, a refused key, exhausted credit) calls
in flight are waited for and kept.
Settings that decide results have to be the same; otherwise the difference is told, and `--force` moves the old run
aside.

This page is made from the program itself.
"""
SETTINGS = """\
## Settings

`score`, `check` and `doctor` take every setting as a flag. Flags go before the environment, which goes before a TOML
file (`--config FILE`, or named in `VERISCORE_CONFIG`), which goes before the defaults. In the file a setting has the
name that the second column gives (`passage_tokens = 900`), in the environment that name in capitals after `VERISCORE_`
(`VERISCORE_PASSAGE_TOKENS=900`).

Keys are no flags: they are `OPENAI_API_KEY` and `SERPER_API_KEY` in the environment, `api_key` and `search_api_key` in
the file. A server on this machine may need none.

| other variable | is |
|---|---|
| `OPENAI_BASE_URL` | `base_url` |
| `SERPER_BASE_URL` | `search_base_url` |
| `HTTPS_PROXY` | `proxy`: for https addresses of model and search; pages have `page_proxy` |
| `SSL_CERT_FILE`, `SSL_CERT_DIR` | certificate authorities of your own |

| flag | setting | default | |
|---|---|---|---|
"""
_DEFAULTS = {
    "judge": "`grounded`; under `--protocol paper` `paper`",
    "escalate": "`inconclusive`; of binary labels `unsupported`",
    "user_agent": "name, version and address of this package",
}
"""Of settings whose default is made of others."""


def reference() -> str:
    """The whole page, in Markdown."""
    commands = _subparsers(build_parser(""))
    settings = [
        row for group in commands["score"]._action_groups if group.title in GROUPS for row in _setting_rows(group)
    ]
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


def _setting_rows(group: argparse._ArgumentGroup) -> Iterator[str]:
    yield f"| **{group.title}** | | | |"
    for option in group._group_actions:
        flag = f"`{option.option_strings[0]}`{_value(option)}"
        name = option.dest.removeprefix("setting_")
        if name == option.dest:
            yield f"| {flag} | | none | {option.help} |"
        else:
            yield f"| {flag} | `{name}` | {_default(name)} | {option.help} |"


def _default(name: str) -> str:
    value = getattr(Settings(), name)
    kind, _, general = name.partition("_")
    if name in _DEFAULTS:
        return _DEFAULTS[name]
    if kind in get_args(CallKind) and value is None:
        return f"that of `{general}`"
    if value is None or value == "":
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _positional(action: argparse.Action) -> str:
    name = str(action.metavar)
    return f"[{name}]" if action.nargs == "?" else name


def _value(option: argparse.Action) -> str:
    if option.choices:
        return " " + " or ".join(f"`{choice}`" for choice in option.choices)
    return f" {option.metavar}" if option.metavar else ""


if __name__ == "__main__":
    print(reference(), end="")
