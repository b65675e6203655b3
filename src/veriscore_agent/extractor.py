"""One answer in, its claims out: the asking around the pure rules of ``core.extraction``."""

from __future__ import annotations

from dataclasses import dataclass

from veriscore_agent.asking import ask
from veriscore_agent.concurrency import map_concurrently
from veriscore_agent.core.abstention import is_abstention
from veriscore_agent.core.extraction import (
    count_claims,
    extraction_requests,
    extraction_warnings,
    given_claims,
    merge_claims,
    read_claims,
)
from veriscore_agent.core.sentences import split_sentences
from veriscore_agent.domain import (
    Answer,
    AnswerKey,
    AnswerOutcome,
    Claim,
    ModelRequest,
    Sentence,
    Snippet,
    Unextracted,
)
from veriscore_agent.errors import ModelOutputError, ServiceError, StopRunError
from veriscore_agent.ports import Model
from veriscore_agent.prompts.folder import PromptFolder
from veriscore_agent.settings import Settings


@dataclass(frozen=True, slots=True)
class ClaimToVerify:
    """A claim, with the search results that the input file already holds of it."""

    claim: Claim
    snippets: tuple[Snippet, ...] | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read from one answer."""

    outcome: AnswerOutcome
    claims: tuple[ClaimToVerify, ...]


def key_of(answer: Answer) -> AnswerKey:
    """What the answer is known by."""
    return AnswerKey(model=answer.model, id=answer.id, domain=answer.domain)


async def extract_claims(
    answer: Answer, model: Model, settings: Settings, *, folder: PromptFolder | None = None
) -> Extraction:
    """Ask for the claims of every sentence, side by side, and merge them.

    A sentence whose extraction fails is *unextracted*: kept with its reason, and no other sentence suffers. Claims
    that the input file holds are not asked for again.
    """
    if answer.given is not None:
        return _given(answer, settings)
    sentences = split_sentences(answer.response)
    requests = extraction_requests(answer, sentences, qa=settings.qa, folder=folder)
    pairs = list(zip(sentences, requests, strict=True))
    read = await map_concurrently(lambda pair: _ask_sentence(model, *pair), pairs)
    return _gathered(answer, sentences, read, settings)


async def _ask_sentence(model: Model, sentence: Sentence, request: ModelRequest) -> tuple[str, ...] | Unextracted:
    try:
        return await ask(model, request, read_claims)
    except (ServiceError, ModelOutputError) as problem:
        return Unextracted(sentence.index, sentence.text, problem.reason, str(problem))
    except StopRunError as stop:
        return Unextracted(sentence.index, sentence.text, stop.unscored, str(stop))


def _gathered(
    answer: Answer,
    sentences: tuple[Sentence, ...],
    read: list[tuple[str, ...] | Unextracted],
    settings: Settings,
) -> Extraction:
    texts = [
        (sentence.index, each)
        for sentence, each in zip(sentences, read, strict=True)
        if not isinstance(each, Unextracted)
    ]
    unextracted = tuple(each for each in read if isinstance(each, Unextracted))
    claims = merge_claims(answer, texts, exact=settings.protocol == "paper")
    counts = count_claims(text for _, each in texts for text in each)
    abstained = not claims and not unextracted and is_abstention(answer.response)
    outcome = AnswerOutcome(
        answer=key_of(answer),
        question=answer.question,
        sentences=len(sentences),
        claims=len(claims),
        claims_exact=counts.exact,
        claims_folded=counts.folded,
        abstained=abstained,
        unextracted=unextracted,
        warnings=extraction_warnings(
            answer,
            sentences=len(sentences),
            claims=len(claims),
            unextracted=len(unextracted),
            abstained=abstained,
        ),
    )
    return Extraction(outcome, tuple(ClaimToVerify(claim) for claim in claims))


def _given(answer: Answer, settings: Settings) -> Extraction:
    pairs = given_claims(answer, exact=settings.protocol == "paper")
    counts = count_claims(given.text for given in answer.given or ())
    outcome = AnswerOutcome(
        answer=key_of(answer),
        question=answer.question,
        sentences=answer.given_sentences or 0,
        claims=len(pairs),
        claims_exact=counts.exact,
        claims_folded=counts.folded,
        abstained=not pairs and is_abstention(answer.response),
    )
    return Extraction(outcome, tuple(ClaimToVerify(claim, given.snippets) for claim, given in pairs))
