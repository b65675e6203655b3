"""The Python entries, as scripts and notebooks call them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.services import KEY, Services
from veriscore_agent import Answer, Settings, VeriscoreError, check_claim, run_blocking, score_answers

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


def test_a_recording_is_replayed_with_its_own_settings_and_no_service(tmp_path: Path) -> None:
    with Services() as services:
        settings = replace(settings_for(services), model="another-model")
        first = run_blocking(score_answers([Answer("a", CLAIM)], settings, record=tmp_path / "kept"))
    again = run_blocking(score_answers([Answer("a", CLAIM)], replay=tmp_path / "kept"))
    assert again.result == first.result


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"record": Path("a"), "replay": Path("b")}, "both given"),
        ({"replay": Path("nosuch")}, "no such recording"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Path], words: str) -> None:
    with pytest.raises(VeriscoreError, match=words):
        run_blocking(check_claim(CLAIM, **options))  # type: ignore[arg-type]


def test_an_empty_claim_is_refused() -> None:
    with pytest.raises(VeriscoreError, match="empty"):
        run_blocking(check_claim("  "))


def test_no_answers_give_an_empty_report() -> None:
    with Services() as services:
        report = run_blocking(score_answers([], settings_for(services)))
    assert (report.result.answers, report.summary.groups) == ((), ())
