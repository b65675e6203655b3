"""Model, search engine and web in one loopback server, answering by rules from what they are asked.

A sentence is one claim, word for word, unless it begins with "Perhaps". What a claim holds decides its fate:

    "plainly"   the first search result says it: supported at snippets
    "wrongly"   the first search result denies it: contradicted at snippets
    "deeply"    only the page behind the first result says it: supported at pages
    "secretly"  only the page behind the first result denies it: contradicted at pages
    "later"     only the results of a further query say it: supported at rounds
    else        nothing says anything: inconclusive

    with Services() as services:
        services.environment()     # what a process needs to reach it
        services.paid()            # requests for money so far
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, unquote

from tests.loopback import LoopbackServer, Received, Reply, json_reply

KEY = "test-key-that-must-not-be-kept"
DENIAL = "It is not true that this holds: "
PIECE = re.compile(r"^\[([SP]\d+)\].*\n((?:  .*\n?)*)", re.MULTILINE)
FILLER = (
    "The harbour town has kept its archive since the fire, and visitors may read in it on weekdays. "
    "Most of what is kept there are ledgers, letters and maps, and a register of all ships that called. "
)

Fault = Callable[[Received, int, str], Reply | None]
"""Given a request, how many of its kind came before, and its kind: the fault to answer with, or None."""


class Services:
    """The three services on one port, within a ``with`` block."""

    def __init__(self, fault: Fault | None = None, delay_s: float = 0) -> None:
        self._server = LoopbackServer(self._answer)
        self._fault = fault
        self._delay_s = delay_s
        self._counts: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, problem, trace)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._server.url

    def environment(self) -> dict[str, str]:
        """Variables that point the product at the three services."""
        return {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": KEY,
            "SERPER_BASE_URL": self.url,
            "SERPER_API_KEY": KEY,
            "VERISCORE_ALLOW_PRIVATE_HOSTS": "true",
        }

    def requests(self, kind: str) -> list[Received]:
        """Requests of one kind so far: ``extract``, ``judge``, ``plan``, ``search``, ``page``, ``other``."""
        return [request for request in self._server.requests if kind_of(request) == kind]

    def paid(self) -> list[str]:
        """The content of every request for money so far, in order."""
        kinds = ("extract", "judge", "plan", "search")
        return [request.body.decode() for request in self._server.requests if kind_of(request) in kinds]

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        request = Received(method, path, dict(headers), body, 0)
        kind = kind_of(request)
        before = self._counts.get(kind, 0)
        self._counts[kind] = before + 1
        fault = self._fault(request, before, kind) if self._fault else None
        return fault or _ANSWERS[kind](request, self.url, self._delay_s)


def kind_of(request: Received) -> str:
    """What a request is for."""
    if request.path.startswith("/pages/"):
        return "page"
    if request.path.startswith("/search"):
        return "search"
    if request.path != "/v1/chat/completions":
        return "other"
    user = user_of(request)
    if "<SOS>" in user:
        return "extract"
    return "plan" if "Queries tried so far:" in user else "judge"


def user_of(request: Received) -> str:
    """The user message of a chat request."""
    messages = request.json()["messages"]
    return str(messages[-1]["content"])


def completion(request: Received, content: str, delay_s: float) -> Reply:
    """A chat completion, with the usage that providers tell."""
    return json_reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": request.json()["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}},
            ],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
        },
        delay_s=delay_s,
    )


def _extract(request: Received, url: str, delay_s: float) -> Reply:
    sentence = user_of(request).partition("<SOS>")[2].partition("<EOS>")[0].strip()
    return completion(request, "No verifiable claim." if sentence.startswith("Perhaps") else sentence, delay_s)


def _judge(request: Received, url: str, delay_s: float) -> Reply:
    user = user_of(request)
    claim = user.partition("Claim: ")[2].partition("\n")[0].strip()
    findings = [
        {
            "part": 1,
            "evidence": piece[1],
            "stance": "contradicts" if DENIAL in piece[2] else "supports",
            "quote": (DENIAL if DENIAL in piece[2] else "") + claim,
            "trust": "ordinary",
        }
        for piece in PIECE.finditer(user)
        if claim in " ".join(piece[2].split())
    ]
    reply: dict[str, Any] = {"referent_clear": True, "findings": findings, "reason": "by the rules of the test"}
    if "Its parts, fixed:" not in user:
        reply = {"parts": [claim], **reply}
    return completion(request, json.dumps(reply), delay_s)


def _plan(request: Received, url: str, delay_s: float) -> Reply:
    claim = user_of(request).partition("Claim: ")[2].partition("\n")[0].strip()
    return completion(request, json.dumps({"queries": [f"further: {claim}"]}), delay_s)


def _search(request: Received, url: str, delay_s: float) -> Reply:
    query = request.json()["q"]
    further = query.startswith("further: ")
    claim = query.removeprefix("further: ")
    said = FILLER
    if "plainly" in claim or (further and "later" in claim):
        said = claim
    elif "wrongly" in claim:
        said = DENIAL + claim
    organic = [
        {
            "title": f"Records of the harbour {number}",
            "link": f"{url}/pages/{'further/' if further else ''}{number}/{quote(claim, safe='')}",
            "snippet": said if number == 1 else f"Register {number}. {FILLER}",
            "position": number,
        }
        for number in (1, 2)
    ]
    return json_reply({"searchParameters": {"q": query}, "organic": organic}, delay_s=delay_s)


def _page(request: Received, url: str, delay_s: float) -> Reply:
    *_, number, last = request.path.split("/")
    claim = unquote(last)
    said = FILLER
    if number == "1" and "deeply" in claim:
        said = claim
    elif number == "1" and "secretly" in claim:
        said = DENIAL + claim
    paragraphs = [FILLER + FILLER, f"{said} So it is written there.", FILLER + FILLER]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    page = f"<html><head><title>Archive</title></head><body><article><h1>Archive</h1>{text}</article></body></html>"
    return Reply(200, {"Content-Type": "text/html; charset=utf-8"}, page.encode(), delay_s)


def _other(request: Received, url: str, delay_s: float) -> Reply:
    if request.path.startswith("/v1/models"):
        return json_reply({"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]})
    return json_reply({"error": "nothing here"}, 404)


_ANSWERS: dict[str, Callable[[Received, str, float], Reply]] = {
    "extract": _extract,
    "judge": _judge,
    "plan": _plan,
    "search": _search,
    "page": _page,
    "other": _other,
}
