"""Small outcomes for tests of scores and reports: labels in, domain types out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from veriscore_agent.domain import (
    STAGES,
    AnswerKey,
    AnswerOutcome,
    Claim,
    ClaimOutcome,
    Label,
    Unextracted,
    Unscored,
    UnscoredReason,
    Verdict,
)

_NAMES: dict[str, Label | None] = {"S": "supported", "C": "contradicted", "I": "inconclusive", "U": None}


def make_answer(
    claims: int,
    *,
    id: str = "a",
    model: str = "m",
    domain: str = "d",
    question: str | None = None,
    unextracted: int = 0,
    abstained: bool = False,
    sentences: int = 0,
    exact: int | None = None,
) -> AnswerOutcome:
    """An answer with a number of claims; its question is its id unless given."""
    return AnswerOutcome(
        answer=AnswerKey(model, id, domain),
        question=id if question is None else question,
        sentences=sentences,
        claims=claims,
        claims_exact=claims if exact is None else exact,
        claims_folded=claims,
        abstained=abstained,
        unextracted=tuple(Unextracted(index, "text", "model_failed") for index in range(unextracted)),
    )


def make_claims(
    answer: AnswerOutcome, labels: str, *, sentence: int | None = None, reason: UnscoredReason = "model_failed"
) -> list[ClaimOutcome]:
    """One claim a word of ``labels``: its letters are the labels at snippets, pages and rounds (``I``, ``IIS``).

    ``U`` is an unscored claim. After a slash stand what the audit says and, after another, the second look
    (``S/I``, ``I//S``).
    """
    return [_claim(answer, number, word, sentence, reason) for number, word in zip(count(), labels.split())]


def make_run(*answers: tuple[AnswerOutcome, str]) -> tuple[list[AnswerOutcome], list[ClaimOutcome]]:
    """Answers with the labels of their claims."""
    return [answer for answer, _ in answers], [claim for each in answers for claim in make_claims(*each)]


def _claim(answer: AnswerOutcome, number: int, word: str, sentence: int | None, reason: UnscoredReason) -> ClaimOutcome:
    stages, audit, second, *_ = [*word.split("/"), "", ""]
    verdicts: Sequence[Verdict] = [
        Verdict(label, stage, "grounded")
        for letter, stage in zip(stages, STAGES, strict=False)
        if (label := _NAMES[letter])
    ]
    return ClaimOutcome(
        claim=Claim(f"{answer.answer.model}/{answer.answer.id}/{number}", f"Claim {number}.", _sentences(sentence)),
        answer=answer.answer,
        verdicts=tuple(verdicts),
        unscored=None if verdicts else Unscored(reason),
        ended="decided" if verdicts else "unscored",
        audit=_verdict(audit, "pages"),
        second_look=_verdict(second, "snippets"),
    )


def _verdict(letter: str, stage: str) -> Verdict | None:
    label = _NAMES[letter] if letter else None
    return Verdict(label, "pages" if stage == "pages" else "snippets", "grounded") if label else None


def _sentences(sentence: int | None) -> tuple[int, ...]:
    return () if sentence is None else (sentence,)
