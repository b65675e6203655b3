"""Opens links: fetched, extracted, judged fit to be evidence, and written into the ledger."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import anyio.to_thread
import httpx

from veriscore_agent.adapters.address_guard import AddressRefused
from veriscore_agent.adapters.http.exchange import Exchange, exchange_of
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.pages.addresses import BadAddressError, page_address
from veriscore_agent.adapters.pages.extract import ExtractedPage, page_of_note
from veriscore_agent.adapters.pages.extraction import ExtractionError, Extractor
from veriscore_agent.adapters.pages.fetching import Fetched, PageFetcher, TooManyRedirectsError
from veriscore_agent.adapters.pages.kinds import body_kind, why_unread
from veriscore_agent.adapters.pages.once import AskedOnce
from veriscore_agent.adapters.pages.robots import DisallowedError, RobotsRules, UnknownRulesError
from veriscore_agent.adapters.pages.transport import PageClock
from veriscore_agent.core.blocked import blocked_reason, is_empty
from veriscore_agent.core.instructions import command_in
from veriscore_agent.core.links import normalise_url
from veriscore_agent.domain import Page, PageOutcome, PageReading, PageVisit
from veriscore_agent.settings import Settings

_EXTRACTION = "extraction"
"""Name of the note that keeps a page's text with its exchange."""
_REMEMBERED_CHARACTERS = 20_000_000
_KEPT_OUT = frozenset({401, 402, 403, 407, 429, 451})
_GONE_FOR_GOOD = frozenset({400, 404, 405, 406, 410, 414})
_LEAST_EXTRACTION_S = 1.0


class WebPageReader:
    """``ports.PageReader`` over a client whose transport bounds, limits, retries and records.

    Each page is read once a run, however many claims open it and however its address is spelled. Neither the client
    nor the extractor is closed here.
    """

    def __init__(self, client: httpx.AsyncClient, extractor: Extractor, settings: Settings) -> None:
        self._settings = settings
        self._extractor = extractor
        self._fetcher = PageFetcher(client, settings)
        self._robots = RobotsRules(self._fetcher, settings.page_timeout_s) if settings.obey_robots else None
        self._readings: AskedOnce[str, PageReading] = AskedOnce(_REMEMBERED_CHARACTERS, weight_of=_weight)

    async def read(self, link: str) -> PageReading:
        """The page behind a link, or the ledger line that says why there is none.

        Raises only what ends a run: StopRunError, ReplayMissError, ConfigurationError for a full disk.
        """
        reading = await self._readings.get(normalise_url(link), lambda: self._open(link))
        return replace(reading, visit=replace(reading.visit, link=link))

    async def _open(self, link: str) -> PageReading:
        clock = PageClock(self._settings.page_timeout_s)
        visit = PageVisit(link, "failed")
        try:
            fetched = await self._fetcher.fetch(
                page_address(link), kind="page", clock=clock, check=self._robots.check if self._robots else None
            )
        except (BadAddressError, AddressRefused, DisallowedError) as problem:
            return _ended(visit, "refused", str(problem))
        except NotRecorded as problem:
            return _ended(visit, "not_recorded", str(problem))
        except (httpx.RequestError, TooManyRedirectsError, UnknownRulesError) as problem:
            return _ended(visit, "failed", _words_of(problem))
        return await self._read_response(_with_response(visit, fetched), fetched, clock)

    async def _read_response(self, visit: PageVisit, fetched: Fetched, clock: PageClock) -> PageReading:
        response = fetched.response
        exchange = exchange_of(response)
        if problem := _status_problem(response.status_code):
            if response.status_code in _GONE_FOR_GOOD:
                exchange.accept()
            else:
                exchange.reject()
            return _ended(visit, *problem)
        if body_kind(response.content, visit.content_type) == "other":
            exchange.accept()
            return _ended(visit, "failed", why_unread(visit.content_type))
        try:
            extracted = await self._extracted(exchange, fetched, clock)
        except ExtractionError as problem:
            exchange.reject()
            return _ended(visit, "failed", str(problem))
        # A long page takes longer than other claims should wait.
        command = await anyio.to_thread.run_sync(command_in, f"{extracted.title}\n{extracted.text}")
        return _judged(visit, extracted, exchange, command)

    async def _extracted(self, exchange: Exchange, fetched: Fetched, clock: PageClock) -> ExtractedPage:
        """The page's text: as recorded, where it is, or extracted now and kept with the exchange.

        Raises ExtractionError, also where that is what was recorded.
        """
        note = exchange.notes.get(_EXTRACTION)
        if exchange.replayed and isinstance(note, dict) and isinstance(note.get("problem"), str):
            raise ExtractionError(note["problem"])
        if recorded := page_of_note(note):
            return recorded
        content_type = fetched.response.headers.get("Content-Type", "")
        seconds = max(clock.left_s, _LEAST_EXTRACTION_S)
        try:
            extracted = await self._extractor.extract(fetched.response.content, str(fetched.url), content_type, seconds)
        except ExtractionError as problem:
            exchange.note(_EXTRACTION, {"problem": str(problem)})
            raise
        exchange.note(_EXTRACTION, extracted.as_note())
        return extracted


def _with_response(visit: PageVisit, fetched: Fetched) -> PageVisit:
    response = fetched.response
    return replace(
        visit,
        url=str(fetched.url),
        status=response.status_code,
        content_type=response.headers.get("Content-Type", "")[:100],
        body_bytes=len(response.content),
    )


def _status_problem(status: int) -> tuple[PageOutcome, str] | None:
    """Outcome and reason where a status says that this is not the page, or not the whole of it."""
    if 200 <= status < 300 and status != httpx.codes.PARTIAL_CONTENT:
        return None
    return ("blocked" if status in _KEPT_OUT else "failed"), f"status {status}"


def _judged_text(extracted: ExtractedPage) -> str:
    """The main text, or all visible text where there is no main one."""
    main = extracted.text[: extracted.main_chars]
    return extracted.text if is_empty(main) else main


def _judged(visit: PageVisit, extracted: ExtractedPage, exchange: Exchange, command: str) -> PageReading:
    """The reading of a page whose text is there, if it is one that may be evidence."""
    visit = replace(visit, text_chars=len(extracted.text), extractor=extracted.extractor)
    judged = _judged_text(extracted)
    reason = blocked_reason(extracted.title, judged, extracted.clues)
    if reason is not None and reason not in ("javascript_only", "not_found"):
        exchange.reject()
        return _ended(visit, "blocked", reason)
    exchange.accept()
    if reason == "not_found":
        return _ended(visit, "blocked", reason)
    if command:
        return _ended(visit, "blocked", f'tells its reader how to judge: "{command}"')
    if reason or is_empty(judged):
        return _ended(visit, "empty", reason or "no usable text")
    digest = hashlib.sha256(extracted.text.encode("utf-8", "replace")).hexdigest()
    page = Page(visit.url, extracted.title, extracted.text, extracted.date, digest, extracted.main_chars)
    return PageReading(replace(visit, outcome="read"), page)


def _ended(visit: PageVisit, outcome: PageOutcome, reason: str) -> PageReading:
    return PageReading(replace(visit, outcome=outcome, reason=reason))


def _words_of(problem: Exception) -> str:
    return str(problem) or type(problem).__name__


def _weight(reading: PageReading) -> int:
    return 200 + (len(reading.page.text) if reading.page else 0)
