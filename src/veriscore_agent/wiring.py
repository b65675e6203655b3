"""Settings to ports: which adapter stands behind which protocol. The only importer of adapters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import httpx

from veriscore_agent.adapters.answers import FIELDS, AnswersFile, ReadingOptions, read_answers
from veriscore_agent.adapters.http.limits import AdaptiveLimiter, Limiter, PerHostLimiter
from veriscore_agent.adapters.http.pacing import PaceTransport
from veriscore_agent.adapters.http.retries import RetryPolicy
from veriscore_agent.adapters.http.secrets import Secrets
from veriscore_agent.adapters.http.stack import BodyBounds, Layer, NoNetworkTransport, build_stack
from veriscore_agent.adapters.local_checks import check_local_parts
from veriscore_agent.adapters.openai_model import AdaptingTransport, OpenAIModel, is_final
from veriscore_agent.adapters.pages import PageExtractor, WebPageReader, build_page_transport
from veriscore_agent.adapters.preflight import Check, check_model, check_search
from veriscore_agent.adapters.prompt_folder import load_prompt_folder
from veriscore_agent.adapters.recording.manifest import read_manifest, recording_folder, write_manifest
from veriscore_agent.adapters.recording.policy import StorePolicy
from veriscore_agent.adapters.recording.store import ExchangeStore
from veriscore_agent.adapters.run_folder import (
    RunFolder,
    StoredRun,
    answers_digest,
    begin_record,
    holds_run,
    move_aside,
    read_run,
    software,
)
from veriscore_agent.adapters.serper import SerperSearcher
from veriscore_agent.adapters.serper import is_final as is_final_search
from veriscore_agent.adapters.spending import Spending, SpendingTransport
from veriscore_agent.adapters.text_file import check_writable, read_text, write_text
from veriscore_agent.adapters.tokens import count_tokens
from veriscore_agent.concurrency import map_concurrently
from veriscore_agent.core.admission import EvidenceRules
from veriscore_agent.core.verification.grounded import GroundedJudge
from veriscore_agent.core.verification.judge import Judge
from veriscore_agent.core.verification.paper import PaperJudge
from veriscore_agent.errors import ConfigurationError, Service
from veriscore_agent.ports import Limits, Ports
from veriscore_agent.prompts.folder import PromptFolder
from veriscore_agent.settings import Settings, load_settings, public_settings, sites_in

__all__ = [
    "FIELDS",
    "AnswersFile",
    "Check",
    "ReadingOptions",
    "RecordingPlan",
    "RunFolder",
    "Services",
    "Sockets",
    "Spending",
    "StoredRun",
    "answers_digest",
    "begin_record",
    "check_local_parts",
    "check_services",
    "check_writable",
    "holds_run",
    "limits_of",
    "move_aside",
    "open_services",
    "prompt_hashes_of",
    "read_answers",
    "read_run",
    "read_text",
    "recorded_settings",
    "rules_of",
    "secrets_of",
    "settings_in_force",
    "software",
    "write_text",
]

Live = Literal["judge"]


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """Where exchanges are kept, and where answers come from."""

    write: Path | None = None
    """Folder that takes every exchange. What an earlier, stopped run left there is not asked for again."""
    replay: Path | None = None
    """Recording, or run, that answers. No socket is opened, but for what is ``live``."""
    live: Live | None = None
    """``judge``: claims, searches and pages are those of ``replay``; judging is done anew."""
    about: str = ""
    """Words for the recording's description: who or what answered."""


@dataclass(frozen=True, slots=True)
class Sockets:
    """The innermost transport of each service, for tests and for recording a made web. None: the real one."""

    model: httpx.AsyncBaseTransport | None = None
    search: httpx.AsyncBaseTransport | None = None
    page: httpx.AsyncBaseTransport | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that a run needs, for as long as its clients are open."""

    ports: Ports
    settings: Settings
    """The settings in force: those given, but for what a recording fixes."""
    spending: Spending
    folder: PromptFolder | None


@asynccontextmanager
async def open_services(
    settings: Settings, plan: RecordingPlan | None = None, *, sockets: Sockets | None = None
) -> AsyncIterator[Services]:
    """Ports over real services or a recording; all clients and worker processes end with the block.

    Raises ConfigurationError or InputError for settings, keys, folders and recordings that cannot be used. Nothing is
    contacted before the first call.
    """
    plan, sockets = plan or RecordingPlan(), sockets or Sockets()
    asked = _asked(settings, plan)
    settings = settings_in_force(settings, plan)
    folder = load_prompt_folder(settings.prompts) if settings.prompts else None
    spending = Spending.from_settings(settings)
    stacks = _Stacks(settings, _policy(settings, plan), spending, sockets)
    async with AsyncExitStack() as stack:
        clients: dict[Service, httpx.AsyncClient] = {}
        for service in ("model", "search", "page"):
            client = httpx.AsyncClient(
                transport=stacks.build(service), trust_env=False, timeout=stacks.timeout(service)
            )
            clients[service] = await stack.enter_async_context(client)
        extractor = await stack.enter_async_context(PageExtractor(settings))
        ports = Ports(
            model=OpenAIModel(clients["model"], settings),
            searcher=SerperSearcher(clients["search"], asked, rules_of(settings)),
            reader=WebPageReader(clients["page"], extractor, settings),
            judge=_judge(settings, folder),
            count_tokens=count_tokens,
            limits=limits_of(settings),
            rules=rules_of(settings),
        )
        yield Services(ports, settings, spending, folder)


def limits_of(settings: Settings) -> Limits:
    """How far one claim may go under these settings."""
    return Limits(
        last_stage=settings.stages,
        escalate=settings.escalate_rule,
        pages_per_batch=settings.pages_per_batch,
        batches=settings.batches,
        rounds=settings.rounds,
        passage_tokens=settings.passage_tokens,
        second_look=settings.second_look,
    )


def rules_of(settings: Settings) -> EvidenceRules:
    """What these settings take as evidence."""
    return EvidenceRules(
        only_sites=sites_in(settings.only_domains),
        excluded_sites=sites_in(settings.exclude_domains),
        as_of=settings.as_of,
        exclude_copies=settings.exclude_copies,
    )


def secrets_of(settings: Settings) -> Secrets:
    """The values that must never be written down."""
    keys = (settings.api_key, settings.search_api_key)
    return Secrets(key.get_secret_value() for key in keys if key)


def _judge(settings: Settings, folder: PromptFolder | None) -> Judge:
    if settings.judge_name == "paper":
        return PaperJudge(labels=settings.labels, folder=folder)
    return GroundedJudge()


def settings_in_force(settings: Settings, plan: RecordingPlan) -> Settings:
    """The given settings; where judging alone is live, extraction and search are asked as they were recorded."""
    if plan.live is None:
        return settings
    if plan.replay is None:
        raise ConfigurationError("--live judge needs --replay: the recording whose evidence is judged anew")
    recorded = load_settings(environment={}, recorded=recorded_settings(plan.replay))
    extract = recorded.call("extract")
    return replace(
        settings,
        extract_model=extract.model,
        extract_temperature=extract.temperature,
        extract_seed=extract.seed,
        extract_max_output_tokens=extract.max_output_tokens,
        protocol=recorded.protocol,
        qa=recorded.qa,
        gl=recorded.gl,
        hl=recorded.hl,
        results=recorded.results,
    )


def _asked(settings: Settings, plan: RecordingPlan) -> Settings:
    """The settings by which the engine is asked: where judging alone is live, those of the recorded searches.

    What may be evidence can then still be narrowed: the results are the same, and fewer of them are taken.
    """
    asked = settings_in_force(settings, plan)
    if plan.live is None or plan.replay is None:
        return asked
    recorded = load_settings(environment={}, recorded=recorded_settings(plan.replay))
    return replace(asked, as_of=recorded.as_of, only_domains=recorded.only_domains)


def recorded_settings(replay: Path) -> Mapping[str, Any]:
    """The settings that decided a recording. Raises InputError where ``replay`` is neither a recording nor a run."""
    return read_manifest(recording_folder(replay)).settings


def prompt_hashes_of(settings: Settings) -> dict[str, str]:
    """SHA-256 of every file of the user's own prompts, by name. Raises ConfigurationError as their loader does."""
    return dict(load_prompt_folder(settings.prompts).hashes) if settings.prompts else {}


async def check_services(settings: Settings, *, model: bool = True, search: bool = True) -> tuple[Check, ...]:
    """Whether the services can be used, side by side and in seconds, without spending anything."""
    # Through the proxy that the run itself goes through, and with its certificates (SSL_CERT_FILE).
    mounts = {"https://": httpx.AsyncHTTPTransport(proxy=settings.proxy)} if settings.proxy else {}
    async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(), trust_env=False, mounts=mounts) as client:
        checks = [check_model] * model + [check_search] * search
        return tuple(await map_concurrently(lambda check: check(settings, client), checks))


def _policy(settings: Settings, plan: RecordingPlan) -> StorePolicy | None:
    secrets = secrets_of(settings)
    frozen = ExchangeStore(recording_folder(plan.replay), secrets) if plan.replay else None
    if frozen and plan.live is None:
        return StorePolicy.replay(frozen)
    if plan.write is None:
        if frozen:
            raise ConfigurationError("--live judge needs a folder for the new exchanges")
        return None
    write_manifest(plan.write, about=plan.about, settings=public_settings(settings), secrets=secrets)
    own = ExchangeStore(plan.write, secrets)
    return StorePolicy.live_kinds(own, frozen) if frozen else StorePolicy.resume(own)


class _Stacks:
    """Builds the transport stack of each service."""

    def __init__(self, settings: Settings, policy: StorePolicy | None, spending: Spending, sockets: Sockets) -> None:
        self._settings, self._policy, self._spending, self._sockets = settings, policy, spending, sockets

    def build(self, service: Service) -> httpx.AsyncBaseTransport:
        """The whole stack, from ask-once down to the socket."""
        settings = self._settings
        return build_stack(
            self._socket(service),
            service=service,
            store_policy=self._policy,
            limiter=self._limiters(service),
            retry=self._retry(service),
            layers=self._layers(service),
            bounds=BodyBounds(settings.max_page_bytes, settings.max_page_bytes) if service == "page" else BodyBounds(),
        )

    def timeout(self, service: Service) -> httpx.Timeout:
        """Seconds of one try, connecting included. The model adapter sets its own for each kind of call."""
        seconds = {
            "model": self._settings.timeout_s,
            "search": self._settings.search_timeout_s,
            "page": self._settings.page_timeout_s,
        }[service]
        return httpx.Timeout(seconds, pool=None)

    def _socket(self, service: Service) -> httpx.AsyncBaseTransport:
        if self._policy and self._policy.frozen and not (self._policy.live and service == "model"):
            return NoNetworkTransport()
        given: httpx.AsyncBaseTransport | None = getattr(self._sockets, service)
        if given:
            return given
        if service == "page":
            return build_page_transport(self._settings)
        settings = self._settings
        address = settings.base_url if service == "model" else settings.search_base_url
        # A server on this machine is asked directly, as the meaning of HTTPS_PROXY has it.
        proxy = settings.proxy if address.startswith("https:") else ""
        limits = httpx.Limits(max_connections=getattr(settings, f"{service}_concurrency"))
        return httpx.AsyncHTTPTransport(limits=limits, proxy=proxy or None)

    def _limiters(self, service: Service) -> Sequence[Limiter]:
        whole = AdaptiveLimiter(getattr(self._settings, f"{service}_concurrency"))
        return (PerHostLimiter(self._settings.host_concurrency), whole) if service == "page" else (whole,)

    def _retry(self, service: Service) -> RetryPolicy:
        settings = self._settings
        if service == "page":
            # A page is one piece of evidence among several: worth one more try, not a wait.
            return RetryPolicy(min(1, settings.max_retries), settings.page_timeout_s, longest_wait_s=2.0)
        final = is_final if service == "model" else is_final_search
        return RetryPolicy(settings.max_retries, settings.retry_total_s, is_final=final)

    def _layers(self, service: Service) -> Sequence[Layer]:
        if service == "page":
            return (lambda inner: PaceTransport(inner, self._settings.host_interval_s),)
        spending: Layer = lambda inner: SpendingTransport(inner, self._spending, service)  # noqa: E731
        return (AdaptingTransport, spending) if service == "model" else (spending,)
