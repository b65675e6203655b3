"""The reference in the docs is what the program says of itself."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from tests.conftest import ROOT
from veriscore_agent.adapters import prompt_folder
from veriscore_agent.adapters.prices import load_prices
from veriscore_agent.cli.reference import reference
from veriscore_agent.settings import Settings, load_settings


def test_the_reference_is_up_to_date() -> None:
    """Make it anew with ``python -m veriscore_agent.cli.reference > docs/cli.md``."""
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference()


ROW = re.compile(r"^\| `(--[a-z-]+)`[^|]* \| `(\w+)` \| ([^|]+) \|", re.MULTILINE)


def test_every_setting_stands_there_by_its_name_with_its_default() -> None:
    """The second column is the name that the file and the environment take, whatever the flag is called."""
    rows = {name: (flag, default) for flag, name, default in ROW.findall(reference())}
    assert rows.keys() == {each.name for each in fields(Settings)} - {"api_key", "search_api_key"}
    for name, (_, default) in rows.items():
        value = getattr(Settings(), name)
        if isinstance(value, str | int | float) and value != "":
            assert default.lower() == f"`{value}`".lower(), name
    assert rows["model"][1] == "`gpt-4o`"
    assert rows["judge_model"][1] == "that of `model`"
    assert rows["timeout_s"][0] == "--timeout"
    assert rows["answer_boxes"] == ("--no-answer-boxes", "`true`")
    assert (rows["obey_robots"][0], rows["max_cost"][1]) == ("--ignore-robots", "none")


@pytest.mark.parametrize(
    ("judge", "escalate", "values"),
    [
        ("grounded", "inconclusive", {}),
        ("paper", "inconclusive", {"protocol": "paper"}),
        ("paper", "unsupported", {"protocol": "paper", "labels": "binary"}),
    ],
)
def test_defaults_that_are_made_of_others_are_as_the_page_says(
    judge: str, escalate: str, values: dict[str, str]
) -> None:
    settings = load_settings(values, environment={})
    assert (settings.judge_name, settings.escalate_rule) == (judge, escalate)


def test_the_prices_in_the_docs_are_read_as_they_say(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "prices.toml").write_text(block, encoding="utf-8")
    prices = load_prices(tmp_path / "prices.toml")
    model, pattern = prices.of_model("my-model-2026-01-31"), prices.of_model("local-7b")
    assert model
    assert (model.input, model.cached_input, model.output) == (0.5, 0.05, 1.5)
    assert pattern
    assert pattern.output == 0
    search = prices.of_search("google.serper.dev")
    assert search
    assert search.per_thousand == 1


def test_the_docs_name_every_file_of_a_prompt_folder() -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+\.(?:txt|jsonl))`", page.partition("## Prompts of your own")[2]))
    read = {name for names in prompt_folder._TEXT_FILES.values() for name in names}
    assert named == read | {"few_shot_examples.jsonl"}
