"""Whether the services can be used, found out in seconds and without spending anything.

Used by ``doctor``, and before a run's first paid call. ``client`` is one of its own, without recording, retries or
budget: what is asked here is no part of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import urlsplit

import anyio
import httpx
from pydantic import SecretStr

from veriscore_agent.adapters.endpoints import (
    address_hint,
    check_address,
    check_key,
    is_azure,
    redact,
    shown_address,
)
from veriscore_agent.adapters.openai_model.problems import Problem, cause_of, looks_like_html, read_problem
from veriscore_agent.adapters.strict_json import Json, StrictJsonError, parse_json
from veriscore_agent.domain import CallKind
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.settings import Settings

PREFLIGHT_S = 5.0
"""Seconds that one check may take in all."""

_OPENAI_HOST = "api.openai.com"
_SERPER_HOST = "google.serper.dev"
_NOT_OFFERED = frozenset({404, 405, 501})
_EMPTY_REFUSED = frozenset({400, 422, 429, 500})
"""What servers say to a chat request without model and messages."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found."""

    name: str
    """``model`` or ``search``."""
    ok: bool
    """False where a run would fail at its first call. True does not promise that the first call succeeds."""
    detail: str
    """What was found, in one line without keys."""
    hint: str = ""
    """What to do about it, or what to look at; may be given with ``ok`` too."""


class _CheckError(Exception):
    """A check that ends here, with what it found."""

    def __init__(self, detail: str, hint: str = "") -> None:
        self.detail, self.hint = detail, hint
        super().__init__(detail)


async def check_model(settings: Settings, client: httpx.AsyncClient, *, deadline_s: float = PREFLIGHT_S) -> Check:
    """Ask the model's server for its list of models; where it has none, whether it takes chat requests.

    The second is asked with an empty request, which every server refuses before anything is computed.
    """
    try:
        with anyio.fail_after(deadline_s):
            return await _check_model(settings, client)
    except _CheckError as problem:
        return Check("model", False, problem.detail, problem.hint)
    except TimeoutError:
        return Check("model", False, *_late(settings.base_url, "base_url", deadline_s))


async def check_search(settings: Settings, client: httpx.AsyncClient, *, deadline_s: float = PREFLIGHT_S) -> Check:
    """Ask the search service for the account behind the key, which costs no credit."""
    try:
        with anyio.fail_after(deadline_s):
            return await _check_search(settings, client)
    except _CheckError as problem:
        return Check("search", False, problem.detail, problem.hint)
    except TimeoutError:
        return Check("search", False, *_late(settings.search_base_url, "search_base_url", deadline_s))


def _late(url: str, setting: str, deadline_s: float) -> tuple[str, str]:
    return f"{shown_address(url)} did not answer within {deadline_s:g} s", f"check {setting} and the network"


# ---------------------------------------------------------------- model


async def _check_model(settings: Settings, client: httpx.AsyncClient) -> Check:
    base_url, key = _usable("base_url", settings.base_url, "api_key", settings.api_key)
    if is_azure(base_url) and address_hint(base_url):
        raise _CheckError(f"{shown_address(base_url)} is not where Azure serves models", address_hint(base_url))
    if not key and (urlsplit(base_url).hostname == _OPENAI_HOST or is_azure(base_url)):
        raise _CheckError(f"no key for {shown_address(base_url)}", "set OPENAI_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    asked = _Question(client, base_url, headers, settings.api_key, "base_url", "OPENAI_API_KEY")
    response = await asked.send("GET", "/models")
    if response.status_code in _NOT_OFFERED:
        return await _check_chat(asked)
    if response.status_code == 429:
        return Check("model", True, f"{asked.shown_url} answers; too many requests just now")
    return _listed(asked.json_in(response), settings, asked.shown_url)


async def _check_chat(asked: _Question) -> Check:
    """The server has no list of models; an empty chat request tells whether it has models."""
    response = await asked.send("POST", "/chat/completions", json={})
    if response.status_code in _NOT_OFFERED:
        hint = address_hint(asked.base_url) or "check the path in base_url"
        raise _CheckError(f"{asked.shown_url} serves no models (HTTP {response.status_code})", hint)
    if looks_like_html(response.text):
        raise asked.web_page()
    if response.status_code not in _EMPTY_REFUSED:
        asked.json_in(response)
    return Check("model", True, f"{asked.shown_url} takes chat requests; it has no list of models")


def _listed(body: Json, settings: Settings, shown_url: str) -> Check:
    data = body.get("data") if isinstance(body, dict) else None
    names = {str(each.get("id")) for each in data if isinstance(each, dict)} if isinstance(data, list) else set()
    kinds: tuple[CallKind, ...] = get_args(CallKind)
    missing = [model for model in dict.fromkeys(settings.call(kind).model for kind in kinds) if model not in names]
    hint = ""
    if names and missing:
        hint = f"not in its list: {', '.join(missing)}; some servers do not list all that they serve"
    return Check("model", True, f"{shown_url} answers and lists {len(names)} models", hint)


# ---------------------------------------------------------------- search


async def _check_search(settings: Settings, client: httpx.AsyncClient) -> Check:
    base_url, key = _usable("search_base_url", settings.search_base_url, "search_api_key", settings.search_api_key)
    if not key and urlsplit(base_url).hostname == _SERPER_HOST:
        raise _CheckError(f"no key for {shown_address(base_url)}", "set SERPER_API_KEY (https://serper.dev gives one)")
    headers = {"X-API-KEY": key} if key else {}
    asked = _Question(client, base_url, headers, settings.search_api_key, "search_base_url", "SERPER_API_KEY")
    response = await asked.send("GET", "/account")
    if response.status_code in _NOT_OFFERED or response.status_code in (400, 429):
        return Check("search", True, f"{asked.shown_url} answers; it tells nothing of the account")
    body = asked.json_in(response)
    balance = body.get("balance") if isinstance(body, dict) else None
    if not isinstance(balance, int):
        return Check("search", True, f"{asked.shown_url} answers")
    if balance <= 0:
        raise _CheckError(f"no search credits left at {asked.shown_url}", "buy credits, or use another SERPER_API_KEY")
    return Check("search", True, f"{asked.shown_url} answers; {balance:,} credits left")


# ---------------------------------------------------------------- asking


def _usable(address_setting: str, url: str, key_setting: str, key: SecretStr | None) -> tuple[str, str]:
    """Address and key, ready to use."""
    try:
        return check_address(address_setting, url), check_key(key_setting, key)
    except ConfigurationError as problem:
        raise _CheckError(str(problem), f"set {address_setting} and {key_setting} anew") from None


@dataclass(frozen=True, slots=True)
class _Question:
    """One service to ask, and the words for what it may answer."""

    client: httpx.AsyncClient
    base_url: str
    headers: dict[str, str]
    secret: SecretStr | None
    address_setting: str
    key_variable: str

    @property
    def shown_url(self) -> str:
        return shown_address(self.base_url)

    async def send(self, method: str, path: str, **content: Any) -> httpx.Response:
        try:
            return await self.client.request(method, self.base_url + path, headers=self.headers, **content)
        except httpx.TimeoutException:
            raise _CheckError(f"{self.shown_url} did not answer in time", f"check {self.address_setting}") from None
        except httpx.HTTPError as problem:
            said = redact(f"{type(problem).__name__}: {problem}", self.secret)
            raise _CheckError(
                f"{self.shown_url} cannot be reached ({said})", f"check {self.address_setting} and the network"
            ) from None

    def json_in(self, response: httpx.Response) -> Json:
        """The JSON of a success; ends the check for everything else."""
        if response.is_redirect:
            raise _CheckError(f"{self.shown_url} answered with a redirect", f"check {self.address_setting}")
        if not response.is_success:
            raise self._refusal(read_problem(response.status_code, response.text))
        if looks_like_html(response.text):
            raise self.web_page()
        try:
            return parse_json(response.text)
        except StrictJsonError as problem:
            raise _CheckError(f"the answer of {self.shown_url} is {problem}", f"check {self.address_setting}") from None

    def web_page(self) -> _CheckError:
        known = address_hint(self.base_url) if self.address_setting == "base_url" else ""
        hint = known or f"check {self.address_setting}; a gateway may want a login"
        return _CheckError(f"{self.shown_url} answered with a web page instead of JSON", hint)

    def _refusal(self, problem: Problem) -> _CheckError:
        said = redact(f"HTTP {problem.status}: {problem.message}", self.secret)
        cause = cause_of(problem)
        if cause == "access":
            hint = f"check {self.key_variable}" if self.headers else f"set {self.key_variable}"
            return _CheckError(
                f"{self.shown_url} refused the {'key' if self.headers else 'call without a key'} ({said})", hint
            )
        if cause == "credit":
            return _CheckError(f"the credit at {self.shown_url} is used up ({said})", "top it up, or use another key")
        hint = "try again later" if problem.status >= 500 else f"check {self.address_setting}"
        return _CheckError(f"{self.shown_url} answered with an error ({said})", hint)
