"""Stand-ins for the ports, for tests of the graph and the runner: no socket, every call written down."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.domain import (
    Label,
    ModelReply,
    ModelRequest,
    Page,
    PageReading,
    PageVisit,
    SearchResults,
    Snippet,
    Verdict,
)
from veriscore_agent.errors import ModelOutputError
from veriscore_agent.ports import Limits, Ports

Answering = Callable[[ModelRequest], str | Exception]


@dataclass
class FakeModel:
    """Answers by a function of the request; an exception that it returns is raised."""

    answer: Answering
    asked: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        reply = self.answer(request)
        if isinstance(reply, Exception):
            raise reply
        return ModelReply(reply)


@dataclass
class FakeSearcher:
    """Finds the snippets of a query, or ``{default}``."""

    found: Mapping[str, Sequence[Snippet] | Exception]
    asked: list[str] = field(default_factory=list)

    async def search(self, query: str) -> SearchResults:
        self.asked.append(query)
        found = self.found.get(query, self.found.get("*", ()))
        if isinstance(found, Exception):
            raise found
        return SearchResults(query, tuple(found))


@dataclass
class FakeReader:
    """Opens the links that it has texts of."""

    texts: Mapping[str, str]
    opened: list[str] = field(default_factory=list)

    async def read(self, link: str) -> PageReading:
        self.opened.append(link)
        text = self.texts.get(link)
        if text is None:
            return PageReading(PageVisit(link, "failed", "404", url=link, status=404))
        digest = hashlib.sha256(text.encode()).hexdigest()
        visit = PageVisit(link, "read", url=link, status=200, text_chars=len(text))
        return PageReading(visit, Page(url=link, title="", text=text, date=None, sha256=digest))


class LabelJudge:
    """Takes the reply as the label: ``supported``, or ``supported|open part``. Anything else is unreadable."""

    name = "grounded"

    def request(self, task: JudgingTask) -> ModelRequest:
        evidence = "\n".join(each.text for each in task.evidence)
        return ModelRequest("judge", "judge", f"{task.claim}\n{evidence}", sample=task.sample, subject=task.stage)

    def read(self, reply: ModelReply, task: JudgingTask) -> Verdict | JudgingTask:
        labels: dict[str, Label] = {
            "supported": "supported",
            "contradicted": "contradicted",
            "inconclusive": "inconclusive",
        }
        if reply.text not in labels:
            raise ModelOutputError("a label was expected", reply=reply.text)
        label = labels[reply.text]
        open_parts = (0,) if label == "inconclusive" else ()
        return Verdict(label, task.stage, "grounded", parts=(task.claim,), open_parts=open_parts)


def snippet(number: int, text: str = "", link: str = "") -> Snippet:
    """The n-th result, on a page of its own."""
    return Snippet(f"S{number}", f"title {number}", link or f"https://{number}.example/", text or f"snippet {number}")


def ports(
    model: FakeModel,
    searcher: FakeSearcher | None = None,
    reader: FakeReader | None = None,
    limits: Limits | None = None,
) -> Ports:
    """Ports over the fakes; tokens are counted as words."""
    return Ports(
        model=model,
        searcher=searcher or FakeSearcher({"*": [snippet(1), snippet(2)]}),
        reader=reader or FakeReader({}),
        judge=LabelJudge(),
        count_tokens=lambda text: len(text.split()),
        limits=limits or Limits(),
    )
