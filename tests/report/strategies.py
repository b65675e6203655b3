"""Outcomes of any content, for property tests."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from veriscore_agent import domain
from veriscore_agent.domain import STAGES, AnswerKey, AnswerOutcome, Claim, ClaimOutcome, Unextracted, Verdict

TEXT = st.text(max_size=20)
"""Every character but surrogates, which no file can hold."""

NUMBERS = st.integers(-1, 10**6)


def literal(kind: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(kind))


def several(of: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=3).map(tuple)


KEYS = st.builds(AnswerKey, TEXT, TEXT, TEXT)
FINDINGS = st.builds(
    domain.Finding, NUMBERS, TEXT, literal(domain.Stance), TEXT, literal(domain.Trust), NUMBERS, NUMBERS
)


def verdicts(stage: st.SearchStrategy[Any]) -> st.SearchStrategy[Verdict]:
    return st.builds(
        Verdict,
        label=literal(domain.Label),
        stage=stage,
        judge=TEXT,
        parts=several(TEXT),
        findings=several(FINDINGS),
        dropped=several(st.builds(domain.DroppedFinding, FINDINGS, TEXT)),
        open_parts=several(NUMBERS),
        clear_referent=st.booleans(),
        reason=TEXT,
        flags=several(TEXT),
    )


STAGED = st.lists(st.sampled_from(STAGES), unique=True, max_size=3).flatmap(
    lambda stages: st.tuples(*[verdicts(st.just(stage)) for stage in sorted(stages, key=STAGES.index)])
)

CLAIMS = st.builds(
    ClaimOutcome,
    claim=st.builds(Claim, TEXT, TEXT, several(NUMBERS), several(TEXT), st.none() | TEXT),
    answer=KEYS,
    verdicts=STAGED,
    unscored=st.none() | st.builds(domain.Unscored, literal(domain.UnscoredReason), TEXT),
    ended=literal(domain.EndReason),
    audit=st.none() | verdicts(st.just("pages")),
    second_look=st.none() | verdicts(st.just("snippets")),
    queries=several(TEXT),
    snippets=several(st.builds(domain.Snippet, TEXT, TEXT, TEXT, TEXT, literal(domain.SnippetKind), st.none() | TEXT)),
    visits=several(
        st.builds(
            domain.PageVisit,
            link=TEXT,
            outcome=literal(domain.PageOutcome),
            reason=TEXT,
            url=TEXT,
            status=st.none() | st.integers(100, 599),
            content_type=TEXT,
            body_bytes=NUMBERS,
            text_chars=NUMBERS,
            extractor=TEXT,
            passage_tokens=NUMBERS,
        )
    ),
    passages=several(
        st.builds(
            domain.Passage,
            TEXT,
            TEXT,
            TEXT,
            TEXT,
            NUMBERS,
            NUMBERS,
            st.none() | TEXT,
            page_sha256=TEXT,
            copies=several(TEXT),
        )
    ),
    flags=several(TEXT),
)

ANSWERS = st.builds(
    AnswerOutcome,
    answer=KEYS,
    question=st.none() | TEXT,
    sentences=NUMBERS,
    claims=NUMBERS,
    claims_exact=NUMBERS,
    claims_folded=NUMBERS,
    abstained=st.booleans(),
    unextracted=several(st.builds(Unextracted, NUMBERS, TEXT, literal(domain.UnscoredReason), TEXT)),
    warnings=several(TEXT),
)

SUMMARIES = st.lists(
    st.tuples(
        st.sampled_from(["one", "other"]),
        st.sampled_from(["a", "b"]),
        st.lists(st.sampled_from(["S", "C", "I", "U", "IS", "IIC", "S/I", "C/C", "I//S"]), max_size=4),
        st.integers(0, 2),
        st.booleans(),
    ),
    max_size=6,
)
"""Answers as (model, domain, labels of claims, unextracted sentences, declined)."""
