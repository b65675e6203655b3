"""Before the first paid call: whether the services that are needed can be used."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from veriscore_agent.domain import Answer, Stage
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.settings import Settings
from veriscore_agent.wiring import RecordingPlan, Spending, check_services


def require_services(
    settings: Settings, plan: RecordingPlan, answers: Sequence[Answer], stages: Sequence[Stage]
) -> None:
    """Raise ConfigurationError where a service cannot be used that will be asked. A replay asks none."""
    if plan.replay and not plan.live:
        return
    Spending.from_settings(settings)
    search = plan.replay is None and needs_search(answers, stages)
    for check in asyncio.run(check_services(settings, search=search)):
        if not check.ok:
            raise ConfigurationError(f"{check.name}: {check.detail}" + (f"; {check.hint}" if check.hint else ""))


def needs_search(answers: Sequence[Answer], stages: Sequence[Stage]) -> bool:
    """Whether any query may be sent: in further rounds, or for a claim whose results are not given."""
    if "rounds" in stages:
        return True
    return any(answer.given is None or any(claim.snippets is None for claim in answer.given) for answer in answers)
