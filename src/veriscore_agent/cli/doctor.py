"""``doctor``: what is configured, reachable and missing."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator

from veriscore_agent.cli import exits
from veriscore_agent.cli.job import settings_of
from veriscore_agent.cli.output import plain, print_json, print_result
from veriscore_agent.settings import Settings, public_settings
from veriscore_agent.wiring import Check, check_local_parts, check_services, software


def doctor(arguments: argparse.Namespace) -> int:
    """Print every check; 2 where one failed. Raises ConfigurationError for settings that cannot be read."""
    settings = settings_of(arguments)
    checks = [_software(), *_settings(settings), *check_local_parts(settings)]
    if not arguments.offline:
        checks += asyncio.run(check_services(settings))
    if arguments.json:
        print_json([{"name": c.name, "ok": c.ok, "detail": c.detail, "hint": c.hint} for c in checks])
    else:
        for check in checks:
            print_result(plain(_line(check)))
    return exits.DONE if all(check.ok for check in checks) else exits.USAGE


def _line(check: Check) -> str:
    line = f"{'ok  ' if check.ok else 'FAIL'}  {check.name:<10}  {check.detail}"
    return f"{line}\n                  -> {check.hint}" if check.hint else line


def _software() -> Check:
    found = software()
    missing = [name for name, version in found.libraries.items() if not version]
    libraries = ", ".join(f"{name} {version}" for name, version in found.libraries.items() if version)
    detail = f"veriscore-agent {found.version}, Python {found.python}, {libraries}"
    return Check("software", not missing, detail, f"not installed: {', '.join(missing)}" if missing else "")


def _settings(settings: Settings) -> Iterator[Check]:
    """What was set, keys by their presence alone."""
    keys = {"OPENAI_API_KEY": settings.api_key, "SERPER_API_KEY": settings.search_api_key}
    yield Check("keys", True, ", ".join(f"{name} is {'set' if key else 'not set'}" for name, key in keys.items()))
    defaults = public_settings(Settings())
    changed = {name: value for name, value in public_settings(settings).items() if value != defaults[name]}
    listed = ", ".join(f"{name}={value}" for name, value in changed.items())
    yield Check("settings", True, listed or "all are the defaults")
