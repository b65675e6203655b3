"""The words of the product as frozen types.

Nothing here does anything: the rules live in ``core``, the sockets in ``adapters``. Every type can be
written to and read from JSON as it stands (plain fields, tuples, literals), which is what the run folder does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Label = Literal["supported", "contradicted", "inconclusive"]
"""Ternary label, after the four scenarios of the VeriScore paper (arXiv 2406.19276, appendix B)."""

BinaryLabel = Literal["supported", "unsupported"]

Stage = Literal["snippets", "pages", "rounds"]
"""Where a verdict was reached: first search, the pages of that search, further queries."""

Stance = Literal["supports", "contradicts"]

Trust = Literal["high", "ordinary", "low"]
"""The trust that a finding's source deserves. Sources of low trust alone decide nothing."""

CallKind = Literal["extract", "judge", "plan"]
"""What a model is asked for. Model, temperature, seed and timeout are settings of each kind."""

SnippetKind = Literal["organic", "answer_box", "knowledge_graph"]

PageOutcome = Literal["read", "blocked", "refused", "failed", "empty", "not_recorded", "excluded"]
"""read: text extracted; blocked: a challenge, consent, login or error page; refused: an address, scheme or
robots rule forbids it; failed: network, status, size or time; empty: no usable text; not_recorded: absent
from the recording that is replayed; excluded: a result or page that the run's rules do not take as evidence."""

UnscoredReason = Literal[
    "model_refused",
    "content_filtered",
    "unreadable_reply",
    "output_cut",
    "prompt_too_large",
    "model_failed",
    "search_failed",
    "not_recorded",
    "budget",
    "stopped",
]
"""Why a claim has no verdict, or a sentence no extraction. Never a label."""

EndReason = Literal[
    "decided",
    "stages",
    "no_new_evidence",
    "rounds",
    "pages",
    "no_queries",
    "failed",
    "stopped",
    "unscored",
]
"""Why a claim's graph ended: decided; ``--stages`` forbids going on; a round brought nothing new; the limit of
rounds, or of the pages of an audited claim; no query could be planned; a later stage failed and the verdict before
it stands; the run was stopped; the claim got no verdict. The last three are tried again when a run is resumed."""

STAGES: tuple[Stage, ...] = ("snippets", "pages", "rounds")
LABELS: tuple[Label, ...] = ("supported", "contradicted", "inconclusive")


# ---------------------------------------------------------------- input


@dataclass(frozen=True, slots=True)
class Snippet:
    """One search result: title, link and text. ``id`` names it in prompts and findings (``S1``, ``S2``, ...)."""

    id: str
    title: str
    link: str
    text: str
    kind: SnippetKind = "organic"
    date: str | None = None
    """Date that the engine gives the page, as ISO 8601 (``2024-05-31``, ``2024-05``), where it gives one."""


@dataclass(frozen=True, slots=True)
class GivenClaim:
    """A claim that the input file already holds, with what it holds of it."""

    text: str
    snippets: tuple[Snippet, ...] | None = None
    """None: not searched yet. Empty: searched, nothing found."""
    reference_label: str | None = None
    """The label that the file gives, kept beside ours as it stands there."""
    id: str | None = None
    """The claim's own name in a claims-only file."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One model response to score. Known by (model, id), and paired across models by question."""

    id: str
    response: str
    question: str | None = None
    model: str = ""
    domain: str = ""
    given: tuple[GivenClaim, ...] | None = None
    """Claims of the input file, not to be extracted again. None: extract."""
    given_sentences: int | None = None
    """Number of sentences that the given claims were extracted from, where the file tells."""
    sources: tuple[str, ...] = ()
    """Links of the pages that the answer was written from. They are no evidence for its claims."""


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """What an answer is known by, with the domain it is averaged in."""

    model: str
    id: str
    domain: str


# ---------------------------------------------------------------- claims


@dataclass(frozen=True, slots=True)
class Sentence:
    """A unit of an answer that claims are asked of: a sentence, or a whole list item or table row."""

    index: int
    text: str
    paragraph: int
    """Number of the block that it belongs to, from 0."""
    context: tuple[str, ...] = ()
    """Headings, list introductions and parent items that it stands under, outermost first. Shown to the model so that
    the unit is understood, and no source of claims."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One verifiable event or state, understandable alone."""

    id: str
    text: str
    sentences: tuple[int, ...] = ()
    """Index of every sentence that it was extracted from."""
    wordings: tuple[str, ...] = ()
    """Every exact text that was folded into this claim, first seen first."""
    reference_label: str | None = None


@dataclass(frozen=True, slots=True)
class Unextracted:
    """A sentence whose extraction failed, with its reason. It makes its answer incomplete."""

    sentence: int
    text: str
    reason: UnscoredReason
    detail: str = ""


# ---------------------------------------------------------------- model calls


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A JSON schema that a reply has to follow, with the name that providers want for it."""

    name: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a language model, free of any provider's form."""

    kind: CallKind
    system: str
    user: str
    schema: JsonSchema | None = None
    """None: plain text is asked for."""
    sample: int = 0
    """0 for the first asking; the same question asked once more is sample 1, and another exchange."""
    subject: str = ""
    """What the call is about, for people (progress, errors). No part of what is sent."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The text of a reply without hidden reasoning, and why it ended."""

    text: str
    finish_reason: str = "stop"
    """``stop``, ``length`` (cut off), or what the provider said."""
    model: str = ""


# ---------------------------------------------------------------- evidence


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What one query found, at most ten results, best first."""

    query: str
    """As sent, after shortening."""
    snippets: tuple[Snippet, ...]
    shortened: bool = False
    """True where the query had to be cut to the engine's limit."""
    excluded: tuple[PageVisit, ...] = ()
    """Results that the run's rules do not take as evidence, as lines of the page ledger."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a link led to: extracted text, dated, hashed."""

    url: str
    """The final address, after redirects."""
    title: str
    text: str
    date: str | None
    """Date of publication as ISO 8601 (``2024-05-31``), where the page tells."""
    sha256: str
    """Hash of ``text`` in UTF-8, hexadecimal."""
    main_chars: int | None = None
    """Length of the main tier, with which ``text`` begins; what follows is periphery. None: all of it is main."""


@dataclass(frozen=True, slots=True)
class PageVisit:
    """A line of the page ledger: what became of one link."""

    link: str
    outcome: PageOutcome
    reason: str = ""
    url: str = ""
    """The final address, where one was reached."""
    status: int | None = None
    content_type: str = ""
    body_bytes: int = 0
    text_chars: int = 0
    extractor: str = ""
    """Name and version of what extracted the text (``trafilatura 2.3.1``)."""
    passage_tokens: int = 0
    """Tokens of this page that were put before the judge."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """One opened link: its ledger line, and the page where there is one."""

    visit: PageVisit
    page: Page | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page chosen as evidence. ``page.text[start:end]`` is its text."""

    id: str
    """Names it in prompts and findings (``P1``, ``P2``, ...)."""
    url: str
    title: str
    text: str
    start: int
    end: int
    date: str | None = None
    page_sha256: str = ""
    copies: tuple[str, ...] = ()
    """Addresses of other opened pages that have (almost) the same text. They are no further sources."""


Evidence = Snippet | Passage


# ---------------------------------------------------------------- verdicts


@dataclass(frozen=True, slots=True)
class Finding:
    """What one piece of evidence says of one part of a claim, with a verbatim quote."""

    part: int
    """Index into the verdict's ``parts``."""
    evidence: str
    """Id of a snippet or passage."""
    stance: Stance
    quote: str
    trust: Trust = "ordinary"
    start: int = -1
    end: int = -1
    """Span of the quote in the evidence's text; -1 where the quote stands in its title."""


@dataclass(frozen=True, slots=True)
class DroppedFinding:
    """A finding that may not count, and why (``quote_not_found``, ``off_the_part``, ``instruction``,
    ``page_gives_instructions``, ``unknown_evidence``, ``unknown_part``)."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Label, findings and stage. A claim keeps its verdict of every stage."""

    label: Label
    stage: Stage
    judge: str
    """``grounded`` or ``paper``."""
    parts: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    dropped: tuple[DroppedFinding, ...] = ()
    open_parts: tuple[int, ...] = ()
    """Parts that are neither supported nor contradicted, or both."""
    clear_referent: bool = True
    reason: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unscored:
    """Why a claim got no verdict."""

    reason: UnscoredReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """Everything that became of one claim: the whole story, from query to label."""

    claim: Claim
    answer: AnswerKey
    verdicts: tuple[Verdict, ...] = ()
    """At most one a stage, in stage order. A stage that was not reached is absent and keeps the label before it."""
    unscored: Unscored | None = None
    ended: EndReason = "decided"
    audit: Verdict | None = None
    """Of an audited claim that was decided at snippets: what its pages say."""
    second_look: Verdict | None = None
    """The same snippets judged once more."""
    queries: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    visits: tuple[PageVisit, ...] = ()
    passages: tuple[Passage, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of one answer before its claims were judged."""

    answer: AnswerKey
    question: str | None
    sentences: int
    claims: int
    """Distinct claims under the run's protocol."""
    claims_exact: int
    claims_folded: int
    """Distinct by exact text; distinct after folding case, white space and punctuation. Both are always kept."""
    abstained: bool = False
    unextracted: tuple[Unextracted, ...] = ()
    warnings: tuple[str, ...] = field(default=())


# ---------------------------------------------------------------- scores


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """The score of one answer at one stage: P = S/N, R = min(S/K, 1), F1@K = 2PR/(P+R)."""

    answer: AnswerKey
    stage: Stage
    supported: int
    contradicted: int
    inconclusive: int
    unscored: int
    unextracted: int
    k: float
    """A whole number, except where the median of an even number of counts lies between two."""
    precision: float | None
    """None where no claim was scored."""
    recall: float
    f1: float
    low: float
    high: float
    """Lowest and highest F1@K that the unscored claims and unextracted sentences could make; both equal ``f1``
    where the answer is complete."""
    abstained: bool = False
    sentences: int = 0
    failed: bool = False
    """Nothing could be scored, though there is or may be a claim. ``f1`` is then 0 for want of a better figure, and
    the answer is left out of the means, but not of their bounds."""
