"""Settings as flags: every setting but the keys, which other users could see in the list of processes."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class _Flag:
    setting: str
    text: str
    metavar: str = "N"
    choices: tuple[str, ...] = ()
    name: str = ""
    """Where it is not the setting's own name."""
    value: str = ""
    """What the flag alone says; such a flag takes no value."""
    several: bool = False
    """May be given more than once; the values are joined by commas."""


def _each_call(setting: str, text: str, metavar: str, name: str) -> tuple[_Flag, ...]:
    kinds = ("extract", "judge", "plan")
    general = _Flag(setting, text, metavar, name=f"--{name}")
    return (
        general,
        *(_Flag(f"{kind}_{setting}", f"... of {kind} calls", metavar, (), f"--{kind}-{name}") for kind in kinds),
    )


GROUPS: dict[str, tuple[_Flag, ...]] = {
    "method": (
        _Flag("stages", "last stage that a claim may reach", choices=("snippets", "pages", "rounds")),
        _Flag("protocol", "paper: the paper's metric", choices=("veriscore", "paper")),
        _Flag("qa", "prepend the question when claims are extracted", choices=("auto", "always", "never")),
        _Flag("judge", "how a label is reached", choices=("grounded", "paper")),
        _Flag("labels", "what the paper judge is asked for", choices=("ternary", "binary")),
        _Flag("prompts", "folder in the layout of the paper authors' prompt/ folder", "DIR"),
        _Flag("escalate", "which verdicts go on to pages", choices=("inconclusive", "unsupported", "all")),
        _Flag("audit", "share of the decided claims that go to their pages too, 0 to 1", "SHARE"),
        _Flag("second_look", "judge the same snippets once more", value="true"),
        _Flag("rounds", "further rounds of queries after the first search"),
        _Flag("pages_per_batch", "links opened at a time"),
        _Flag("batches", "batches of links in a round"),
        _Flag("passage_tokens", "tokens of page passages that one judging sees"),
        _Flag("sampling_seed", "seed of the audit and of the confidence intervals"),
        _Flag("k", "reference, median, max, a number, or a file of domain,K pairs", "RULE"),
    ),
    "language model": (
        _Flag("base_url", "address of the OpenAI-compatible server", "URL"),
        *_each_call("model", "model", "NAME", "model"),
        *_each_call("temperature", "temperature", "T", "temperature"),
        *_each_call("seed", "seed", "N", "seed"),
        *_each_call("timeout_s", "seconds that one call may take", "SECONDS", "timeout"),
        _Flag("extract_max_output_tokens", "longest reply of extract calls, in tokens"),
        _Flag("judge_max_output_tokens", "... of judge calls"),
        _Flag("plan_max_output_tokens", "... of plan calls"),
    ),
    "search": (
        _Flag("search_base_url", "address of the search service", "URL"),
        _Flag("gl", "country of the search", "CC"),
        _Flag("hl", "language of the search", "LL"),
        _Flag("results", "results asked for, 1 to 10"),
        _Flag("answer_boxes", "organic results alone", name="--no-answer-boxes", value="false"),
        _Flag(
            "exclude_domains",
            "a site that is no evidence; repeatable, or comma-separated",
            "DOMAIN",
            name="--exclude-domain",
            several=True,
        ),
        _Flag(
            "only_domains",
            "a site that alone is evidence; repeatable, or comma-separated",
            "DOMAIN",
            name="--only-domain",
            several=True,
        ),
        _Flag("as_of", "what is dated after this day (YYYY-MM-DD) is no evidence", "DATE"),
        _Flag("exclude_copies", "pages that hold the answer's own text are no evidence", value="true"),
        _Flag("search_timeout_s", "seconds that one search may take", "SECONDS", name="--search-timeout"),
    ),
    "pages": (
        _Flag("allow_private_hosts", "open pages on private addresses too", value="true"),
        _Flag("obey_robots", "open pages that robots.txt forbids too", name="--ignore-robots", value="false"),
        _Flag("user_agent", "how the page reader names itself", "TEXT"),
        _Flag("page_proxy", "proxy for pages, which then resolves their names itself", "URL"),
        _Flag("page_timeout_s", "seconds that one page may take", "SECONDS", name="--page-timeout"),
        _Flag("max_page_bytes", "bytes of one page"),
    ),
    "limits": (
        _Flag("proxy", "proxy for the https addresses of model and search", "URL"),
        _Flag("max_cost", "stop before more than this is spent, in US dollars", "USD"),
        _Flag("prices", "TOML file of prices that goes before the package's own table", "FILE"),
        _Flag("model_concurrency", "model calls at a time"),
        _Flag("search_concurrency", "searches at a time"),
        _Flag("page_concurrency", "pages at a time"),
        _Flag("host_concurrency", "pages of one host at a time"),
        _Flag("host_interval_s", "seconds between two requests to one host", "SECONDS", name="--host-interval"),
        _Flag("answer_concurrency", "answers at a time"),
        _Flag("extraction_workers", "processes that extract page text"),
        _Flag("max_retries", "further tries of a call that failed"),
        _Flag("retry_total_s", "seconds that all tries of a call may take", "SECONDS", name="--retry-total"),
    ),
}


def add_setting_flags(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting but the keys. Values are checked where all settings are."""
    for title, flags in GROUPS.items():
        group = parser.add_argument_group(title)
        for flag in flags:
            _add(group, flag)
        if title == "method":
            group.add_argument("--config", metavar="FILE", help="TOML file of settings")


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given as flags, by the names that Settings has."""
    names = [flag.setting for flags in GROUPS.values() for flag in flags]
    values = {name: getattr(arguments, f"setting_{name}", None) for name in names}
    given = {name: value for name, value in values.items() if value is not None}
    return {name: ",".join(value) if isinstance(value, list) else value for name, value in given.items()}


def _add(group: Any, flag: _Flag) -> None:
    name = flag.name or "--" + flag.setting.replace("_", "-")
    target = f"setting_{flag.setting}"
    if flag.value:
        group.add_argument(name, dest=target, action="store_const", const=flag.value, help=flag.text)
    elif flag.choices:
        group.add_argument(name, dest=target, choices=flag.choices, help=flag.text)
    else:
        action = "append" if flag.several else "store"
        group.add_argument(name, dest=target, action=action, metavar=flag.metavar, help=flag.text)
