"""What ``doctor`` can find out without asking anybody."""

from __future__ import annotations

from typing import get_args

import httpx

from veriscore_agent.adapters.preflight import Check
from veriscore_agent.adapters.prices import load_prices
from veriscore_agent.adapters.prompt_folder import load_prompt_folder
from veriscore_agent.adapters.tokens import count_tokens
from veriscore_agent.domain import CallKind
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.settings import Settings


def check_local_parts(settings: Settings) -> tuple[Check, ...]:
    """Token counting, prices, and the user's own prompts where there are any."""
    checks = (_check_tokens(), _check_prices(settings))
    return (*checks, _check_prompts(settings)) if settings.prompts else checks


def _check_tokens() -> Check:
    return Check("tokens", True, f"counted offline ({count_tokens('How many tokens is this?')} in a test sentence)")


def _check_prices(settings: Settings) -> Check:
    """A missing price matters only to a cap."""
    try:
        prices = load_prices(settings.prices)
    except ConfigurationError as problem:
        return Check("prices", False, str(problem), "set prices anew")
    kinds: tuple[CallKind, ...] = get_args(CallKind)
    models = dict.fromkeys(settings.call(kind).model for kind in kinds)
    unknown = [model for model in models if prices.of_model(model) is None]
    host = httpx.URL(settings.search_base_url).host
    if prices.of_search(host) is None:
        unknown.append(host)
    if not unknown:
        return Check("prices", True, f"known for {', '.join(models)} and {host}")
    detail = f"not known: {', '.join(unknown)}"
    return Check("prices", settings.max_cost is None, detail, "name them in a price file (setting prices) to cap costs")


def _check_prompts(settings: Settings) -> Check:
    try:
        folder = load_prompt_folder(settings.prompts) if settings.prompts else None
    except ConfigurationError as problem:
        return Check("prompts", False, str(problem), "set prompts anew")
    names = [name for name, _ in folder.hashes] if folder else []
    return Check("prompts", True, f"{settings.prompts}: {', '.join(names)}")
