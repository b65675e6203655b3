"""What a node may call: the three services as Protocols, the judge, and the limits of one claim.

``Ports`` is bound to the graph when it is built. A test, a notebook or LangGraph Studio can put any object with
these methods in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from veriscore_agent.core.admission import EvidenceRules
from veriscore_agent.core.verification.judge import Judge
from veriscore_agent.domain import ModelReply, ModelRequest, PageReading, SearchResults, Stage

Escalate = Literal["inconclusive", "unsupported", "all"]
"""Which verdicts at snippets go on to full pages."""

TokenCounter = Callable[[str], int]
"""Number of model tokens in a text."""


class Model(Protocol):
    """A language model."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request.

        Raises ModelError (failed, refused, filtered), ModelOutputError (empty or cut before any text),
        StopRunError, or ReplayMissError.
        """
        ...


class Searcher(Protocol):
    """A web search engine."""

    async def search(self, query: str) -> SearchResults:
        """Return at most ten results, best first; their snippets carry the ids S1, S2, ...

        Raises SearchError, StopRunError, or ReplayMissError.
        """
        ...


class PageReader(Protocol):
    """Opens links and extracts their text."""

    async def read(self, link: str) -> PageReading:
        """Return the page, or the ledger line that says why there is none.

        Raises StopRunError or ReplayMissError; an unreadable page is a value, not an error.
        """
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one claim may go."""

    last_stage: Stage = "rounds"
    escalate: Escalate = "inconclusive"
    pages_per_batch: int = 3
    batches: int = 2
    """Batches of links opened in one round."""
    rounds: int = 1
    """Further rounds of queries after the first search."""
    passage_tokens: int = 1500
    """Budget of all passages that one judging sees."""
    second_look: bool = False


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that the nodes of one graph are bound to."""

    model: Model
    searcher: Searcher
    reader: PageReader
    judge: Judge
    count_tokens: TokenCounter
    limits: Limits = Limits()
    rules: EvidenceRules = field(default_factory=EvidenceRules)
