"""Web search through Serper (https://serper.dev), which gives Google's results as JSON."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from veriscore_agent.adapters.endpoints import check_address, check_key, redact, safe_cause, shown_address
from veriscore_agent.adapters.http.exchange import call_headers, exchange_of
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.strict_json import StrictJsonError, parse_json
from veriscore_agent.core.admission import Admitted, EvidenceRules, admit
from veriscore_agent.core.dates import result_date
from veriscore_agent.domain import SearchResults, Snippet, SnippetKind
from veriscore_agent.errors import AccessRefusedError, SearchError, VeriscoreError
from veriscore_agent.settings import Settings, sites_in

MAX_QUERY_CHARS = 2048
"""Longest query that Google takes. Serper names no limit of its own; a shorter one is its 400 of that one query.
(Google ignores words after some thirty by itself, which changes no result and needs no cut.)"""

_CREDITS = re.compile(
    r"\b(not enough|out of|insufficient|no( more)?) credits?\b|"
    r"\bcredits? (is |are |has been |have been )?(exhausted|used up|spent|depleted)",
    re.I,
)
_ACCESS = re.compile(r"unauthori[sz]ed|forbidden|(invalid|missing|wrong|no) (api[ -]?)?key", re.I)
_BLANK_CATEGORIES = frozenset({"Cc", "Zl", "Zp"})
_DROPPED_CATEGORIES = frozenset({"Cs", "Co", "Cn"})
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


class SerperSearcher:
    """``ports.Searcher`` over POST /search. The client is not closed here."""

    def __init__(self, client: httpx.AsyncClient, settings: Settings, rules: EvidenceRules) -> None:
        """``settings`` say what is asked, ``rules`` which of the results are evidence.

        Raises ConfigurationError where ``search_base_url`` is no address or the key cannot be one.
        """
        self._client = client
        self._settings = settings
        self._rules = rules
        self._url = check_address("search_base_url", settings.search_base_url) + "/search"
        self._shown_url = shown_address(self._url)
        key = check_key("search_api_key", settings.search_api_key)
        self._headers = {"X-API-KEY": key} if key else {}

    async def search(self, query: str) -> SearchResults:
        """As many organic results as settings say, before them an answer box and a knowledge panel where they allow it.

        Raises SearchError for this query alone, AccessRefusedError where the key, the credit or the address is bad,
        and what the transport raises to end a run.
        """
        sent, shortened = shorten_query(query)
        if not sent:
            raise SearchError("nothing to search for", url=self._shown_url)
        response = await self._send(sent)
        try:
            body = self._read(response)
        except VeriscoreError:
            exchange_of(response).reject()
            raise
        exchange_of(response).accept()
        admitted = results_in(body, self._settings, self._rules)
        return SearchResults(sent, admitted.snippets, shortened, admitted.excluded)

    async def _send(self, query: str) -> httpx.Response:
        settings = self._settings
        body = {"q": restricted(query, settings), "num": settings.results, "gl": settings.gl, "hl": settings.hl}
        if settings.as_of:
            body["tbs"] = latest_date(settings.as_of)
        try:
            return await self._client.post(
                self._url,
                json=body,
                headers={**self._headers, **call_headers(kind="search", subject=query)},
                timeout=settings.search_timeout_s,
            )
        except NotRecorded as problem:
            raise SearchError(str(problem), url=self._shown_url, reason="not_recorded") from problem
        except httpx.TimeoutException as problem:
            said = f"no answer within {settings.search_timeout_s:g} s"
            raise SearchError(said, url=self._shown_url) from problem
        except httpx.RequestError as problem:
            said = redact(f"cannot be reached: {type(problem).__name__}: {problem}", settings.search_api_key)
            raise SearchError(said, url=self._shown_url) from safe_cause(problem, settings.search_api_key)

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        """The results in a response. Raises what its status, or the error in its body, means."""
        refusal = _refusal_in(response)
        if refusal is not None:
            raise self._error(refusal)
        try:
            body = parse_json(response.text)
        except StrictJsonError as problem:
            raise SearchError(f"the answer is {problem}", url=self._shown_url) from problem
        if not isinstance(body, dict):
            raise SearchError("the answer is not a JSON object", url=self._shown_url)
        return body

    def _error(self, refusal: Refusal) -> VeriscoreError:
        said = redact(f"HTTP {refusal.status}: {refusal.message}", self._settings.search_api_key)
        if refusal.is_page:
            wrong = f"bad search_base_url or gateway: {self._shown_url} answered with a web page instead of JSON"
            return AccessRefusedError("search", wrong)
        if refusal.is_credit:
            return AccessRefusedError("search", f"search credits used up at {self._shown_url} ({said})")
        if refusal.is_access:
            return AccessRefusedError("search", f"{self._shown_url} refused the key ({said})")
        if refusal.status == 404 or 300 <= refusal.status < 400:
            return AccessRefusedError("search", f"there is no search at {self._shown_url} ({said})")
        if refusal.status == 429:
            return SearchError(f"still too many requests after every retry ({said})", url=self._shown_url)
        return SearchError(said, url=self._shown_url)


# ---------------------------------------------------------------- failures


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer: its status (the body's own where the body names one) and what it says."""

    status: int
    message: str
    is_page: bool = False

    @property
    def is_credit(self) -> bool:
        """True where credit is exhausted, whatever the status."""
        return self.status == 402 or bool(_CREDITS.search(self.message))

    @property
    def is_access(self) -> bool:
        """True where the key is refused, by status, or by the words of a body whose status says nothing of it."""
        return self.status in (401, 403) or (self.status <= 400 and bool(_ACCESS.search(self.message)))


def is_final(response: httpx.Response) -> bool:
    """True where the same search sent again cannot do better: decides for the layer that retries.

    Serper may answer 429 both to too many requests a second and to an account without credit.
    """
    refusal = _refusal_in(response)
    return refusal is None or refusal.is_credit or not (refusal.status == 429 or refusal.status >= 500)


def _refusal_in(response: httpx.Response) -> Refusal | None:
    """The refusal that a response is; an error body may come with status 200."""
    text = response.text
    if text.lstrip().startswith("<"):
        return Refusal(response.status_code, "a web page", is_page=response.is_success)
    try:
        body = parse_json(text)
    except StrictJsonError:
        body = None
    fields = body if isinstance(body, dict) else {}
    said, named = _error_in(fields)
    status = named if named >= 400 else response.status_code
    is_answer = response.is_success and (not said or {"organic", "searchParameters"} & set(fields))
    return None if is_answer and status < 400 else Refusal(status, said or text.strip() or "no message")


def _error_in(fields: dict[str, Any]) -> tuple[str, int]:
    """What the body of an error says, and the status that it names; 0 where it names none."""
    error = fields.get("error")
    inner = error if isinstance(error, dict) else {"message": error}
    said = fields.get("message") or inner.get("message") or error or ""
    named = str(fields.get("statusCode") or inner.get("code") or "")
    return str(said), int(named) if re.fullmatch(r"[1-5]\d\d", named) else 0


# ---------------------------------------------------------------- queries and results


def shorten_query(query: str, limit: int = MAX_QUERY_CHARS) -> tuple[str, bool]:
    """The query as it is sent, on one line; and whether it had to be cut, at a word boundary, to ``limit`` characters.

    Text without blanks (a script that has none, an endless address) is cut at the limit itself.
    """
    line = clean_text(query)
    if len(line) <= limit:
        return line, False
    head = line[: limit + 1]
    return head[: head.rfind(" ")] if " " in head else line[:limit], True


def clean_text(text: str) -> str:
    """The text on one line, without control characters, marks of writing direction, and lone surrogates."""
    kept = (_clean_character(each) for each in text)
    return " ".join("".join(kept).split())


def _clean_character(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    category = unicodedata.category(character)
    if category in _BLANK_CATEGORIES:
        return " "
    return "" if category in _DROPPED_CATEGORIES or character in _BIDI_CONTROLS else character


def restricted(query: str, settings: Settings) -> str:
    """The query with the engine's own restriction to the sites that alone are evidence, if there are any."""
    sites = sites_in(settings.only_domains)
    return f"{query} ({' OR '.join(f'site:{site}' for site in sites)})" if sites else query


def latest_date(day: str) -> str:
    """Google's restriction to what is dated until ``day`` (ISO 8601), as its ``tbs`` parameter takes it."""
    year, month, number = day.split("-")
    return f"cdr:1,cd_max:{month}/{number}/{year}"


def results_in(body: dict[str, Any], settings: Settings, rules: EvidenceRules) -> Admitted:
    """The evidence in an answer, with ids S1, S2, ... in order: answer box, knowledge panel, organic results.

    The boxes go first, as the engine shows them; they are of today, and so none where ``rules`` name a day. Left out
    are unusable results (no http(s) link, or neither title nor text) and what is no evidence. Of equal texts or links
    the first is kept: a copy is no second witness.
    """
    organic = admit(_organic(body.get("organic")), rules)
    kept = list(_once(organic.snippets))[: settings.results]
    boxes = Admitted((), ())
    if settings.answer_boxes and settings.protocol != "paper" and not rules.as_of:
        boxes = admit([*_answer_box(body.get("answerBox")), *_knowledge_graph(body.get("knowledgeGraph"))], rules)
    copies = {_folded(each.text) for each in kept}
    shown = [*(each for each in boxes.snippets if _folded(each.text) not in copies), *kept]
    numbered = tuple(replace(snippet, id=f"S{number}") for number, snippet in enumerate(shown, 1))
    return Admitted(numbered, (*boxes.excluded, *organic.excluded))


def _organic(results: Any) -> Iterator[Snippet]:
    for each in results if isinstance(results, list) else []:
        result = each if isinstance(each, dict) else {}
        snippet = _snippet(result.get("title"), result.get("link"), result.get("snippet"), "organic")
        if snippet.link and (snippet.title or snippet.text):
            yield replace(snippet, date=result_date(_text(result.get("date"))))


def _answer_box(box: Any) -> Iterator[Snippet]:
    """The direct answer, with the passage that it was taken from."""
    if isinstance(box, dict):
        said = [clean_text(_text(box.get(name))) for name in ("answer", "snippet")]
        text = ". ".join(dict.fromkeys(each.rstrip(".") for each in said if each))
        snippet = _snippet(box.get("title"), box.get("link"), text, "answer_box")
        if snippet.text:
            yield snippet


def _knowledge_graph(panel: Any) -> Iterator[Snippet]:
    """The panel's description, and its attributes one after the other."""
    if isinstance(panel, dict):
        attributes = panel.get("attributes")
        pairs = attributes.items() if isinstance(attributes, dict) else []
        said = [_text(panel.get("type")), _text(panel.get("description")), *(f"{k}: {_text(v)}" for k, v in pairs)]
        text = ". ".join(each.strip().rstrip(".") for each in said if each.strip())
        link = panel.get("descriptionLink") or panel.get("website")
        snippet = _snippet(panel.get("title"), link, text, "knowledge_graph")
        if snippet.text:
            yield snippet


def _snippet(title: Any, link: Any, text: Any, kind: SnippetKind) -> Snippet:
    return Snippet("", clean_text(_text(title)), _web_link(link), clean_text(_text(text)), kind)


def _once(snippets: Iterable[Snippet]) -> Iterator[Snippet]:
    """Each text and each link once, the first where it comes."""
    seen: set[str] = set()
    for snippet in snippets:
        keys = {snippet.link, _folded(snippet.text)} - {""}
        if not keys & seen:
            seen |= keys
            yield snippet


def _folded(text: str) -> str:
    """Equal for texts that differ in case, blanks and punctuation alone."""
    return "".join(each for each in text.casefold() if each.isalnum())


def _web_link(link: Any) -> str:
    """The link, or an empty text where it is none that can be opened."""
    text = link.strip() if isinstance(link, str) else ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in ("http", "https") and parts.hostname and text.isprintable() else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
