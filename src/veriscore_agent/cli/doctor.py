"""``doctor``: what is configured, reachable and missing."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Set
from ipaddress import ip_address
from urllib.parse import urlsplit

from veriscore_agent.cli import exits
from veriscore_agent.cli.job import settings_of
from veriscore_agent.cli.output import plain, print_json, print_result
from veriscore_agent.settings import Settings, public_settings
from veriscore_agent.wiring import Check, check_local_parts, check_services, software


def doctor(arguments: argparse.Namespace) -> int:
    """Print every check; 2 where one failed. Raises ConfigurationError for settings that cannot be read."""
    settings = settings_of(arguments)
    services = () if arguments.offline else asyncio.run(check_services(settings))
    answering = {check.name for check in services if check.ok}
    checks = [_software(), _keys(settings, answering), _changed(settings), *check_local_parts(settings), *services]
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


def _keys(settings: Settings, answering: Set[str]) -> Check:
    """Keys by their presence alone. Those that answer without one, or are on this machine or network, need none."""
    keys = {
        "OPENAI_API_KEY": ("model", settings.api_key, settings.base_url),
        "SERPER_API_KEY": ("search", settings.search_api_key, settings.search_base_url),
    }
    missing = [name for name, (_, key, _) in keys.items() if not key or not key.get_secret_value().strip()]
    wanted = [name for name in missing if keys[name][0] not in answering and _wants_key(keys[name][2])]
    told = ", ".join(f"{name} is {'not set' if name in missing else 'set'}" for name in keys)
    return Check("keys", not wanted, told, f"set {' and '.join(wanted)}" if wanted else "")


def _wants_key(address: str) -> bool:
    """Whether it looks like a service on the internet: no such one takes a key over plain HTTP."""
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme == "https" and host != "localhost" and not _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _changed(settings: Settings) -> Check:
    """What was set, keys left out."""
    defaults = public_settings(Settings())
    changed = {name: value for name, value in public_settings(settings).items() if value != defaults[name]}
    listed = ", ".join(f"{name}={value}" for name, value in changed.items())
    return Check("settings", True, listed or "all are the defaults")
