"""What the output files of the paper's authors hold of an answer beyond its text.

Their three stages write ``claim_list`` (a list for each sentence) with ``all_claims`` (their code) or
``all_claim_lst`` (their sample), ``claim_search_results`` (claim to results) and ``claim_verification_result``
(claim, evidence as text, verdict). Each stage's file holds what the stages before it found.
"""

from __future__ import annotations

import re
from typing import Any

from veriscore_agent.adapters.answers.values import RowError, optional_text, snippets_of
from veriscore_agent.domain import GivenClaim, Snippet

_NO_CLAIM = re.compile(r"[\W_]*no verifiable claims?[\W_]*", re.IGNORECASE)
_RESULT = re.compile(
    r"^Search result \d+\nTitle: ?(.*?)\nLink: ?(.*?)\nContent: ?(.*?)(?=\n+Search result \d+\nTitle:|\s*\Z)",
    re.DOTALL | re.MULTILINE,
)


def given_claims(row: dict[str, Any]) -> tuple[GivenClaim, ...] | None:
    """The claims of one row with the searches and verdicts that it holds; None where it holds no claims."""
    searches = _searches(row)
    verdicts = _verdicts(row)
    texts = _claim_texts(row)
    if texts is None and row.get("abstained") is True:
        return ()
    if texts is None:
        texts = list(searches or verdicts)
        if not texts:
            return None
    return tuple(
        GivenClaim(
            text=text,
            snippets=searches.get(text, verdicts[text][1] if text in verdicts else None),
            reference_label=verdicts[text][0] if text in verdicts else None,
        )
        for text in texts
    )


def sentence_count(row: dict[str, Any]) -> int | None:
    """Number of sentences that the claims were extracted from, where the row tells."""
    by_sentence = row.get("claim_list")
    return len(by_sentence) if isinstance(by_sentence, list) else None


def _claim_texts(row: dict[str, Any]) -> list[str] | None:
    for name in ("all_claims", "all_claim_lst"):
        if row.get(name) is not None:
            return _texts(row[name], name)
    if row.get("claim_list") is None:
        return None
    if not isinstance(row["claim_list"], list):
        raise RowError("`claim_list` is not a list")
    found = [text for claims in row["claim_list"] for text in _texts(claims, "claim_list")]
    return list(dict.fromkeys(found))


def _texts(values: Any, name: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise RowError(f"`{name}` is not a list of texts")
    stripped = (each.strip() for each in values)
    return [each for each in stripped if each and not _NO_CLAIM.fullmatch(each)]


def _searches(row: dict[str, Any]) -> dict[str, tuple[Snippet, ...]]:
    by_claim = row.get("claim_search_results")
    if by_claim is None:
        return {}
    if not isinstance(by_claim, dict):
        raise RowError("`claim_search_results` is not an object of claims")
    return {str(claim).strip(): snippets_of(found, "claim_search_results") for claim, found in by_claim.items()}


def _verdicts(row: dict[str, Any]) -> dict[str, tuple[str | None, tuple[Snippet, ...] | None]]:
    """The verdict on each claim, with the evidence that it was given on."""
    rows = row.get("claim_verification_result")
    if rows is None:
        return {}
    if not isinstance(rows, list) or not all(isinstance(each, dict) and each.get("claim") for each in rows):
        raise RowError("`claim_verification_result` is not a list of objects with `claim`")
    return {
        optional_text(each, "claim") or "": (
            optional_text(each, "verification_result"),
            _evidence(optional_text(each, "search_results")),
        )
        for each in rows
    }


def _evidence(text: str | None) -> tuple[Snippet, ...] | None:
    """Search results written out as text, as the authors put them into their prompt."""
    if text is None:
        return None
    found = [{"title": title, "link": link, "snippet": content} for title, link, content in _RESULT.findall(text)]
    return snippets_of(found, "claim_verification_result") or None
