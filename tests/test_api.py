"""The Python entries, as scripts and notebooks call them."""

from __future__ import annotations

import asyncio

from pydantic import SecretStr

from tests.services import KEY, Services
from veriscore_agent import Answer, Settings, check_claim, run_blocking, score_answers

CLAIM = "The gate plainly opened."


def settings_for(services: Services) -> Settings:
    addresses = services.environment()
    return Settings(
        base_url=addresses["OPENAI_BASE_URL"],
        search_base_url=addresses["SERPER_BASE_URL"],
        api_key=SecretStr(KEY),
        search_api_key=SecretStr(KEY),
        stages="snippets",
    )


def label_of(services: Services) -> str:
    return run_blocking(check_claim(CLAIM, settings_for(services))).verdicts[0].label


def test_a02_a_script_may_score_twice() -> None:
    """Every call has its own event loop and its own clients, so that none is met closed."""
    with Services() as services:
        for _ in range(2):
            report = run_blocking(score_answers([Answer("a", CLAIM)], settings_for(services)))
            assert report.summary.complete
        assert len(services.requests("judge")) == 2


def test_a03_a_notebook_cell_may_do_so_within_its_running_loop() -> None:
    async def cell(services: Services) -> list[str]:
        return [label_of(services), label_of(services)]

    with Services() as services:
        assert asyncio.run(cell(services)) == ["supported", "supported"]
        assert label_of(services) == "supported"
