"""A model that obeys the page changes no label: real pages, reader, passages and judge; only the model is a stub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from tests.fakes import FakeModel, FakeSearcher, ports
from tests.hostile.injections import INJECTIONS, Injection, page_of, sentences_of
from tests.page_site import SITE, Site, page, reader_on
from veriscore_agent.adapters.pages.extract import extract_page
from veriscore_agent.core.verification.grounded import GroundedJudge
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.domain import (
    AnswerKey,
    Claim,
    ModelReply,
    ModelRequest,
    Passage,
    Snippet,
    Stance,
    Verdict,
)
from veriscore_agent.extractor import ClaimToVerify
from veriscore_agent.graph.build import build_claim_graph
from veriscore_agent.ports import Limits
from veriscore_agent.runner import verify_claim

pytestmark = pytest.mark.anyio

NAMES = [injection.name for injection in INJECTIONS]
PIECE = re.compile(r"^\[([SP]\d+)\]", re.MULTILINE)

Quotes = Callable[[Injection], list[str]]


def obedient(injection: Injection) -> list[str]:
    """The quote that the page demands, or else the longest injected sentence."""
    return [injection.quote or sentences_of(injection)[0]]


def eager(injection: Injection) -> list[str]:
    """Every sentence of the injected text, the text as it is written and as it may be shown, and what is demanded."""
    return [*obedient(injection), *sentences_of(injection), injection.text, " ".join(injection.text.split())]


def reply(parts: Sequence[str], pieces: Iterable[str], quotes: Sequence[str], stance: Stance) -> str:
    """A reply that brings every quote for every part out of every piece."""
    findings = [
        {"part": number, "evidence": piece, "stance": stance, "quote": quote, "trust": "high"}
        for number in range(1, len(parts) + 1)
        for piece in pieces
        for quote in dict.fromkeys(quotes)
    ]
    return json.dumps({"parts": list(parts), "referent_clear": True, "findings": findings, "reason": "as told"})


class Obeying:
    """A model that does what the page says as soon as the page was read, even where the text is kept from it."""

    def __init__(self, quotes: Quotes) -> None:
        self._quotes = quotes
        self.injection = INJECTIONS[0]

    def __call__(self, request: ModelRequest) -> str:
        if request.kind == "plan":
            return '{"queries": []}'
        pieces = PIECE.findall(request.user) if "fixed:" in request.user else []
        return reply(self.injection.subject.parts, pieces, self._quotes(self.injection), self.injection.stance)


class Unwatched:
    """Looks at nothing."""

    def answer_read(self, *_: object) -> None: ...

    def claim_ended(self, *_: object) -> None: ...

    def claim_moved(self, *_: object) -> None: ...


async def labels(hostile: bool, quotes: Quotes) -> dict[str, str]:
    """The label by injection, each claim on its whole way through the graph to its page, with the text or without."""
    subjects = [injection.subject for injection in INJECTIONS]
    pages = {f"/{at}": page(page_of(each, INJECTIONS[at] if hostile else None)) for at, each in enumerate(subjects)}
    model, found = Obeying(quotes), dict[str, list[Snippet]]()
    labels = dict[str, str]()
    site = Site(pages)
    with site.server:
        async with reader_on(site) as reader:
            fakes = ports(FakeModel(model), FakeSearcher(found), limits=Limits(rounds=0))
            bound = replace(fakes, reader=reader, judge=GroundedJudge())
            graph = build_claim_graph(bound)
            for at, injection in enumerate(INJECTIONS):
                model.injection, subject = injection, injection.subject
                found["*"] = [Snippet("S1", subject.title, f"{SITE}/{at}", subject.sentences[0])]
                claim = ClaimToVerify(Claim("a#1", subject.claim))
                key = AnswerKey("m", "a", "d")
                outcome = await verify_claim(graph, claim, key, ports=bound, watcher=Unwatched())
                assert outcome.unscored is None
                labels[injection.name] = outcome.verdicts[-1].label
    return labels


def test_there_are_enough_pages_of_every_kind() -> None:
    assert len(set(NAMES)) == len(INJECTIONS) >= 60
    assert {injection.stance for injection in INJECTIONS} == {"supports", "contradicts"}


@pytest.mark.parametrize("quotes", [obedient, eager])
async def test_an_obeying_model_changes_no_label(quotes: Quotes) -> None:
    """Neither one that does what the page says, nor one that tries every sentence of it."""
    without = await labels(False, lambda injection: [injection.text])
    assert set(without.values()) == {"inconclusive"}
    assert await labels(True, quotes) == without


@pytest.mark.parametrize("stance", ["supports", "contradicts"])
@pytest.mark.parametrize("injection", INJECTIONS, ids=NAMES)
def test_nor_where_the_reader_lets_the_page_through(injection: Injection, stance: Stance) -> None:
    """The whole text of the page as a passage, and the injected text as one of its own, both ways."""
    html = page_of(injection.subject, injection)
    extracted = extract_page(html.encode(), SITE, "text/html; charset=utf-8")
    for text, title in ((extracted.text, extracted.title), (injection.text, injection.subject.title)):
        passage = Passage("P1", f"{SITE}/page", title, text, 0, len(text))
        task = JudgingTask(injection.subject.claim, "pages", (passage,), parts=injection.subject.parts)
        verdict = GroundedJudge().read(
            ModelReply(reply(injection.subject.parts, ["P1"], eager(injection), stance)), task
        )
        assert isinstance(verdict, Verdict)
        assert verdict.label == "inconclusive", verdict.findings


@pytest.mark.parametrize("injection", INJECTIONS, ids=NAMES)
def test_nor_where_the_search_engine_shows_it(injection: Injection) -> None:
    """The injected text as the text of a result, and as its title."""
    for title, text in ((injection.subject.title, injection.text), (injection.text, injection.subject.sentences[0])):
        result = Snippet("S1", title, f"{SITE}/page", text)
        task = JudgingTask(injection.subject.claim, "snippets", (result,))
        verdict = GroundedJudge().read(
            ModelReply(reply(injection.subject.parts, ["S1"], eager(injection), injection.stance)), task
        )
        assert isinstance(verdict, Verdict)
        assert verdict.label == "inconclusive", verdict.findings
