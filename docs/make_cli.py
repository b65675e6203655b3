"""Write docs/cli.md from the command line's own parser: ``python docs/make_cli.py``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from veriscore_agent.cli.arguments import EXIT_CODES, build_parser

INTRODUCTION = f"""# Command line

Written by `docs/make_cli.py`; a test keeps it in step. Results go to standard output, progress and problems to standard
error. Every setting is also an environment variable (`--passage-tokens` is `VERISCORE_PASSAGE_TOKENS`) and a line of a
TOML file (`passage_tokens = 2000`, given by `--config` or `VERISCORE_CONFIG`); flags go first, then the environment, then the file.
Keys are never flags: `OPENAI_API_KEY`, `SERPER_API_KEY`.

{EXIT_CODES[0].upper() + EXIT_CODES[1:]}.
"""


def reference() -> str:
    """The page, in Markdown."""
    parser = build_parser("")
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    shared: set[str] = set()
    parts = [INTRODUCTION]
    for name, command in commands.choices.items():
        parts.append("\n".join(_command(name, command, shared)))
    return "\n".join(parts) + "\n"


def _command(name: str, command: argparse.ArgumentParser, shared: set[str]) -> Iterator[str]:
    positional = [action for action in command._actions if not action.option_strings]
    words = " ".join(_metavar(action) for action in positional)
    yield f"\n## veriscore-agent {name} {words}".rstrip() + "\n"
    yield f"{command.description}\n"
    for group in command._action_groups:
        actions = [action for action in group._group_actions if action.dest != "help"]
        if not actions:
            continue
        title = f"{group.title}: " if group.title not in ("positional arguments", "options") else ""
        if title and title in shared:
            yield f"- {title}as for `score`"
            continue
        shared.add(title)
        for action in actions:
            yield f"- {title}{_words(action)}: {action.help}"


def _words(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{_metavar(action)}`"
    value = f" {_metavar(action)}" if action.nargs != 0 else ""
    return ", ".join(f"`{option}{value}`" for option in action.option_strings)


def _metavar(action: argparse.Action) -> str:
    if action.metavar:
        return f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar)
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(reference(), encoding="utf-8", newline="\n")
