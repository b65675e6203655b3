"""All settings, in one frozen object; the only reader of the environment.

Order: command-line flags, then environment, then a TOML file, then the defaults below. A field ``passage_tokens`` is
``VERISCORE_PASSAGE_TOKENS`` in the environment and ``passage_tokens`` in the TOML file. Keys and the two usual
addresses are also read from ``OPENAI_API_KEY``, ``OPENAI_BASE_URL``, ``SERPER_API_KEY`` and ``SERPER_BASE_URL``, the
proxy from ``HTTPS_PROXY``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr, TypeAdapter, ValidationError

from veriscore_agent.domain import CallKind, Stage
from veriscore_agent.errors import ConfigurationError

Protocol = Literal["veriscore", "paper"]
"""``paper``: the paper's metric (its judge, exact-text duplicates, organic results alone)."""

_ALIASES = {
    "OPENAI_API_KEY": "api_key",
    "OPENAI_BASE_URL": "base_url",
    "SERPER_API_KEY": "search_api_key",
    "SERPER_BASE_URL": "search_base_url",
    "HTTPS_PROXY": "proxy",
    "https_proxy": "proxy",
}
_PREFIX = "VERISCORE_"
_SECRET_SETTINGS = frozenset({"api_key", "search_api_key"})
_OTHER_VARIABLES = frozenset({"VERISCORE_CONFIG"})


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How one kind of model call is made."""

    model: str
    temperature: float | None
    seed: int | None
    timeout_s: float
    max_output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a run. Fields of one kind of call (``judge_model``) go before the general one (``model``)."""

    # Language model
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    model: str = "gpt-4o"
    extract_model: str | None = None
    judge_model: str | None = None
    plan_model: str | None = None
    temperature: float | None = 0.0
    extract_temperature: float | None = None
    judge_temperature: float | None = None
    plan_temperature: float | None = None
    seed: int | None = 0
    extract_seed: int | None = None
    judge_seed: int | None = None
    plan_seed: int | None = None
    timeout_s: float = 120.0
    """Seconds that one model call may take."""
    extract_timeout_s: float | None = None
    judge_timeout_s: float | None = None
    plan_timeout_s: float | None = None
    extract_max_output_tokens: int = 1024
    judge_max_output_tokens: int = 2048
    plan_max_output_tokens: int = 512

    # Search
    search_base_url: str = "https://google.serper.dev"
    search_api_key: SecretStr | None = None
    gl: str = "us"
    """Country of the search, two letters."""
    hl: str = "en"
    """Language of the search."""
    results: int = 10
    """Results asked for, 1 to 10."""
    answer_boxes: bool = True
    """Use answer boxes and knowledge panels as evidence. Off under ``--protocol paper``."""
    exclude_domains: str = ""
    """Sites that are no evidence, comma-separated: where the answers were published or copied from."""
    only_domains: str = ""
    """Sites that alone are evidence, comma-separated. Empty: all."""
    as_of: str = ""
    """Day (``2024-05-31``); what is dated later is no evidence. Empty: any date."""
    exclude_copies: bool = False
    """Pages that hold the answer's own text are no evidence for its claims."""
    search_timeout_s: float = 30.0

    # Pages
    allow_private_hosts: bool = False
    obey_robots: bool = True
    user_agent: str = ""
    """Empty: the package's own name, version and address."""
    proxy: str = ""
    """Proxy for the https addresses of model and search. Also ``HTTPS_PROXY``."""
    page_proxy: str = ""
    """Address of an HTTP proxy that pages go through. Empty: none. It, and not this program, then decides in the end
    which addresses are connected to."""
    page_timeout_s: float = 20.0
    """Seconds that one page may take in all, redirects and extraction included."""
    max_page_bytes: int = 5_000_000
    """Bytes of one page body, on the wire and again after decompression."""

    # Method
    protocol: Protocol = "veriscore"
    qa: Literal["auto", "always", "never"] = "auto"
    judge: Literal["grounded", "paper"] | None = None
    """None: ``paper`` under ``--protocol paper``, ``grounded`` otherwise."""
    labels: Literal["ternary", "binary"] = "ternary"
    """What the paper judge is asked for. ``binary`` has no inconclusive."""
    prompts: Path | None = None
    """Folder in the layout of the paper authors' ``prompt/`` folder."""
    stages: Stage = "rounds"
    """Last stage that a claim may reach."""
    escalate: Literal["inconclusive", "unsupported", "all"] | None = None
    """None: ``inconclusive``, or ``unsupported`` where labels are binary."""
    rounds: int = 1
    pages_per_batch: int = 3
    batches: int = 2
    passage_tokens: int = 1500
    audit: float = 0.0
    """Share of the decided claims that go to their pages too, 0 to 1."""
    second_look: bool = False
    sampling_seed: int = 0
    """Seed of the audit's choice and of the bootstrap."""
    k: str = "reference"
    """``reference``, ``median``, ``max``, a number, or the path of a file of domain,K pairs."""

    # Limits
    model_concurrency: int = 16
    search_concurrency: int = 8
    page_concurrency: int = 8
    host_concurrency: int = 2
    host_interval_s: float = 0.0
    """Seconds between two requests to one host. What its robots.txt asks for counts where it is more."""
    answer_concurrency: int = 8
    extraction_workers: int = 2
    """Worker processes that extract page text."""
    max_retries: int = 4
    retry_total_s: float = 90.0
    """Seconds that all tries of one call may take together."""
    max_cost: float | None = None
    """US dollars."""
    prices: Path | None = None
    """TOML file of prices that goes before the package's own table."""

    def call(self, kind: CallKind) -> CallSettings:
        """The settings of one kind of model call, the general ones filled in."""

        def pick(name: str) -> Any:
            own = getattr(self, f"{kind}_{name}")
            return getattr(self, name) if own is None else own

        return CallSettings(
            model=pick("model"),
            temperature=pick("temperature"),
            seed=pick("seed"),
            timeout_s=pick("timeout_s"),
            max_output_tokens=getattr(self, f"{kind}_max_output_tokens"),
        )

    @property
    def judge_name(self) -> Literal["grounded", "paper"]:
        """The judge in force."""
        return self.judge or ("paper" if self.protocol == "paper" else "grounded")

    @property
    def escalate_rule(self) -> Literal["inconclusive", "unsupported", "all"]:
        """What goes on to pages."""
        binary = self.judge_name == "paper" and self.labels == "binary"
        return self.escalate or ("unsupported" if binary else "inconclusive")


@dataclass(frozen=True, slots=True)
class _Layer:
    """One source of settings and how it names itself in an error."""

    source: str
    values: dict[str, Any] = field(default_factory=dict)


LOCAL_SETTINGS = frozenset(
    {
        *(
            "base_url",
            "api_key",
            "search_base_url",
            "search_api_key",
            "user_agent",
            "proxy",
            "page_proxy",
            "extraction_workers",
        ),
        *("timeout_s", "extract_timeout_s", "judge_timeout_s", "plan_timeout_s", "search_timeout_s", "page_timeout_s"),
        *("model_concurrency", "search_concurrency", "page_concurrency", "host_concurrency", "answer_concurrency"),
        *("host_interval_s", "max_retries", "retry_total_s", "max_cost", "prices"),
    }
)
"""Settings of where and how fast a run is made. All others decide what its results are."""


def load_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    config: Path | None = None,
    recorded: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings from flags, environment and TOML file, in this order of precedence.

    ``flags`` whose value is None were not given. ``config`` defaults to ``$VERISCORE_CONFIG``; without either no file
    is read. ``recorded`` are those of a recording that is replayed, as ``public_settings`` gave them: they stand in
    for the defaults of whatever decides the results. Raises ConfigurationError that names the field, its source and
    what is allowed.
    """
    variables = os.environ if environment is None else environment
    path = config or (Path(variables["VERISCORE_CONFIG"]) if variables.get("VERISCORE_CONFIG") else None)
    layers = [
        _Layer("recording", _deciding(recorded or {})),
        _Layer(str(path), _read_toml(path) if path else {}),
        _Layer("environment", _read_environment(variables)),
        _Layer("command line", {name: value for name, value in (flags or {}).items() if value is not None}),
    ]
    merged: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for layer in layers:
        _refuse_unknown(layer)
        merged |= layer.values
        sources |= dict.fromkeys(layer.values, layer.source)
    return _validate(merged, sources)


def public_settings(settings: Settings) -> dict[str, str | int | float | bool | None]:
    """Every setting but the keys as a JSON value, addresses without user name, password and query."""
    values = {each.name: getattr(settings, each.name) for each in fields(Settings)}
    public = {name: value for name, value in values.items() if name not in _SECRET_SETTINGS}
    public |= {name: _public_address(public[name]) for name in ("base_url", "search_base_url", "proxy", "page_proxy")}
    return {name: str(value) if isinstance(value, Path) else value for name, value in public.items()}


def _public_address(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _deciding(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded settings that this version knows and that decide results. An address would be sent a key."""
    known = {each.name for each in fields(Settings)} - LOCAL_SETTINGS
    return {name: value for name, value in recorded.items() if name in known}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise ConfigurationError(f"settings file {path}: {problem.strerror or problem}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigurationError(f"settings file {path} is not TOML: {problem}") from problem
    except RecursionError:
        raise ConfigurationError(f"settings file {path}: brackets are nested too deeply") from None


def _read_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    values = {name: variables[alias] for alias, name in _ALIASES.items() if variables.get(alias)}
    for variable, text in variables.items():
        if variable.startswith(_PREFIX) and variable not in _OTHER_VARIABLES and text:
            values[variable.removeprefix(_PREFIX).lower()] = text
    return values


def _refuse_unknown(layer: _Layer) -> None:
    known = {each.name for each in fields(Settings)}
    for name in layer.values:
        if name not in known:
            raise ConfigurationError(f"{layer.source}: no setting is called {name!r}")


def _validate(merged: dict[str, Any], sources: dict[str, str]) -> Settings:
    try:
        settings = TypeAdapter(Settings).validate_python(merged)
    except ValidationError as problem:
        first = problem.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        raise ConfigurationError(f"{sources.get(name, 'settings')}: {name}: {first['msg']}") from None
    for name, found in _problems(settings):
        raise ConfigurationError(f"{sources.get(name, 'settings')}: {name}: {found}")
    return settings


_RANGES: Mapping[str, tuple[float, float]] = {
    "results": (1, 10),
    "audit": (0, 1),
    "rounds": (0, 10),
    "pages_per_batch": (1, 10),
    "batches": (1, 10),
    "passage_tokens": (50, 100_000),
    "max_retries": (0, 20),
    "max_page_bytes": (1_000, 100_000_000),
    "extraction_workers": (1, 256),
    "retry_total_s": (0, 86_400),
    "host_interval_s": (0, 60),
    "max_cost": (0, 1_000_000_000),
    **{f"{kind}temperature": (0, 10) for kind in ("", "extract_", "judge_", "plan_")},
    **{f"{kind}timeout_s": (0.001, 86_400) for kind in ("", "extract_", "judge_", "plan_", "search_", "page_")},
    **{f"{kind}_max_output_tokens": (1, 10_000_000) for kind in ("extract", "judge", "plan")},
    **{f"{kind}_concurrency": (1, 1024) for kind in ("model", "search", "page", "host", "answer")},
}
_NOT_EMPTY = frozenset({"model", "extract_model", "judge_model", "plan_model", "k"})
_SITE = re.compile(r"(?=.*\w)[^\s/:@?#*,\\]+")
_PROXIES = frozenset({"proxy", "page_proxy"})
_PROXY_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


def _problems(settings: Settings) -> Iterator[tuple[str, str]]:
    """What no run could work with: the name of each such setting, and what is wrong with it."""
    for name, (low, high) in _RANGES.items():
        value = getattr(settings, name)
        # NaN is in no range.
        if value is not None and not low <= value <= high:
            yield name, f"{value} is not between {low} and {high}"
    yield from _evidence_problems(settings)
    for each in fields(Settings):
        value = getattr(settings, each.name)
        if isinstance(value, str | Path):
            found = _text_problem(each.name, str(value))
            if found:
                yield each.name, found


def _text_problem(name: str, text: str) -> str:
    """What is wrong with a text, which is not shown: an address may hold a key."""
    if name in _NOT_EMPTY and not text.strip():
        return "it is empty"
    if any(ord(character) < 32 or "\ud800" <= character <= "\udfff" for character in text):
        return "it holds a control character, or bytes that are no UTF-8"
    if name == "user_agent" and not text.isascii():
        return "an HTTP header takes ASCII alone"
    if name in _PROXIES and text and not _is_proxy(text):
        return "it is not an address such as http://host:3128"
    return ""


def sites_in(text: str) -> tuple[str, ...]:
    """The hosts in a comma-separated list; ``www.`` and ``*.`` stand for the whole site."""
    hosts = (re.sub(r"^(\*?\.|www\.)+", "", each.strip().lower()).rstrip(".") for each in text.split(","))
    return tuple(dict.fromkeys(filter(None, hosts)))


def _evidence_problems(settings: Settings) -> Iterator[tuple[str, str]]:
    for name in ("exclude_domains", "only_domains"):
        for entry in filter(str.strip, getattr(settings, name).split(",")):
            # What is nothing but dots must not pass for no rule at all.
            site = "".join(sites_in(entry)) or entry.strip()
            if not _SITE.fullmatch(site):
                yield name, f"{site!r} is no domain; wanted is a name such as example.org, without https:// and path"
    both = [site for site in sites_in(settings.only_domains) if site in sites_in(settings.exclude_domains)]
    if both:
        yield "exclude_domains", f"{both[0]} is in only_domains too; a site is either evidence or not"
    if settings.as_of and not _is_day(settings.as_of):
        yield "as_of", f"{settings.as_of!r} is no day; wanted is YYYY-MM-DD"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_proxy(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in _PROXY_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
