"""Settings: order of sources, what is public, and what a recording may say."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from veriscore_agent.cli.setting_flags import GROUPS
from veriscore_agent.core.admission import EvidenceRules
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.settings import LOCAL_SETTINGS, Settings, load_settings, public_settings
from veriscore_agent.wiring import rules_of

SECRET = "key-that-nobody-may-see"


def test_flags_go_before_environment_before_file_before_recording_before_defaults(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text('gl = "file"\nhl = "file"\nmodel = "file"\n', encoding="utf-8")
    settings = load_settings(
        {"gl": "flag", "results": None},
        environment={"VERISCORE_GL": "environment", "VERISCORE_HL": "environment"},
        config=config,
        recorded=dict.fromkeys(("gl", "hl", "model", "plan_model"), "recording"),
    )
    assert (settings.gl, settings.hl, settings.model, settings.plan_model) == (
        "flag",
        "environment",
        "file",
        "recording",
    )
    assert (settings.qa, settings.results) == ("auto", 10)


def test_a_recording_never_says_where_a_key_is_sent_or_what_may_be_spent() -> None:
    recorded = {"base_url": "https://elsewhere.example/v1", "search_base_url": "x", "max_cost": 1.0, "api_key": "k"}
    assert load_settings(environment={}, recorded={**recorded, "not_known_here": 1}) == Settings()


def test_public_settings_hold_no_secret_and_can_be_read_back() -> None:
    environment = {
        "OPENAI_API_KEY": SECRET,
        "SERPER_API_KEY": SECRET,
        "OPENAI_BASE_URL": f"https://user:{SECRET}@host.example:8/v1?key={SECRET}#x",
        "VERISCORE_PROMPTS": "folder",
        "VERISCORE_AUDIT": "0.25",
    }
    public = public_settings(load_settings(environment=environment))
    assert SECRET not in repr(public)
    assert public["base_url"] == "https://host.example:8/v1"
    again = load_settings(environment={}, recorded=public)
    assert (again.prompts, again.audit) == (Path("folder"), 0.25)
    assert public_settings(again) == public | {"base_url": Settings().base_url}


def test_an_address_that_cannot_be_read_is_not_shown() -> None:
    assert public_settings(Settings(base_url="https://[half"))["base_url"] == ""


def test_every_setting_but_the_keys_is_a_flag() -> None:
    flags = [flag.setting for group in GROUPS.values() for flag in group]
    assert len(flags) == len(set(flags))
    assert set(flags) == {each.name for each in fields(Settings)} - {"api_key", "search_api_key"}


def test_local_settings_are_settings() -> None:
    assert {each.name for each in fields(Settings)} > LOCAL_SETTINGS


WRONG: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    ("a flag that is no number", {"rounds": "many"}, {}, "command line: rounds: "),
    ("out of range", {"audit": "1.5"}, {}, "command line: audit: 1.5 is not between 0 and 1"),
    ("an unknown variable", {}, {"VERISCORE_MODLE": "x"}, "environment: no setting is called 'modle'"),
    ("a choice that is none", {}, {"VERISCORE_QA": "perhaps"}, "environment: qa: "),
    ("an empty model", {"judge_model": " "}, {}, "command line: judge_model: it is empty"),
    ("a line end in a header", {"user_agent": "a\nb"}, {}, "command line: user_agent: it holds a control character"),
    ("a header beyond ASCII", {"user_agent": "caf\xe9"}, {}, "command line: user_agent: an HTTP header"),
    ("bytes that are no UTF-8", {"model": "caf\udce9"}, {}, "command line: model: it holds"),
    ("a path that no system takes", {"k": "a\0b"}, {}, "command line: k: it holds a control character"),
    ("a proxy without http://", {}, {"HTTPS_PROXY": f"u:{SECRET}@host:1"}, "environment: proxy: it is not an address"),
    ("no day", {"as_of": "31.5.2024"}, {}, "command line: as_of: '31.5.2024' is no day; wanted is YYYY-MM-DD"),
    ("a day that there is not", {"as_of": "2023-02-29"}, {}, "command line: as_of: '2023-02-29' is no day"),
    ("a day without dashes", {}, {"VERISCORE_AS_OF": "20240531"}, "environment: as_of: "),
    (
        "an address for a domain",
        {"only_domains": "a.example,https://b.example/x"},
        {},
        "command line: only_domains: 'https://b.example/x' is no domain; wanted is a name such as example.org",
    ),
    ("nothing but dots", {"only_domains": "..."}, {}, "command line: only_domains: '...' is no domain"),
    ("a path for a domain", {"exclude_domains": "b.example/x"}, {}, "command line: exclude_domains: 'b.example/x'"),
    ("a blank for a comma", {"exclude_domains": "a.example b.example"}, {}, "command line: exclude_domains: 'a.exam"),
    (
        "a site both in and out",
        {"exclude_domains": "b.example, www.A.example"},
        {"VERISCORE_ONLY_DOMAINS": "a.example"},
        "command line: exclude_domains: a.example is in only_domains too",
    ),
    ("a proxy of nothing", {"page_proxy": "http://"}, {}, "command line: page_proxy: it is not an address"),
]


@pytest.mark.parametrize(
    ("flags", "environment", "expected"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_wrong_setting_is_named_with_its_source(
    flags: dict[str, Any], environment: dict[str, str], expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(flags, environment=environment)
    assert str(caught.value).startswith(expected)
    assert SECRET not in str(caught.value)


def test_the_evidence_rules_are_made_of_the_settings() -> None:
    flags = {"exclude_domains": " *.b.example,www.C.example.,, b.example", "only_domains": "x.example"}
    settings = load_settings({**flags, "as_of": "2024-05-31", "exclude_copies": "true"}, environment={})
    assert rules_of(settings) == EvidenceRules(("x.example",), ("b.example", "c.example"), "2024-05-31", True)
    assert rules_of(Settings()) == EvidenceRules()


NUMBERS = [each.name for each in fields(Settings) if each.type in ("int", "float", "float | None", "int | None")]


@pytest.mark.parametrize("name", [each for each in NUMBERS if "seed" not in each])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e300"])
def test_no_number_is_taken_that_no_run_could_work_with(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^command line: {name}: "):
        load_settings({name: value}, environment={})


def test_a_settings_file_of_brackets_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text("k = " + "[" * 100_000, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        load_settings(environment={}, config=config)
