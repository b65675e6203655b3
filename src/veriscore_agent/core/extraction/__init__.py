"""Claim extraction without the model: what is asked, how a reply is read, how claims are merged.

``asking`` builds one request for each sentence, ``reading`` turns a reply into claims, ``merging`` counts equal claims
once and remembers where they came from.
"""

from __future__ import annotations

from veriscore_agent.core.extraction.asking import answer_name, extraction_requests, joined_name
from veriscore_agent.core.extraction.denial import is_no_claim
from veriscore_agent.core.extraction.merging import (
    ClaimCounts,
    claim_id,
    count_claims,
    fold_claim,
    given_claims,
    merge_claims,
)
from veriscore_agent.core.extraction.reading import read_claims
from veriscore_agent.core.extraction.warnings import extraction_warnings

__all__ = [
    "ClaimCounts",
    "answer_name",
    "claim_id",
    "count_claims",
    "extraction_requests",
    "extraction_warnings",
    "fold_claim",
    "given_claims",
    "is_no_claim",
    "joined_name",
    "merge_claims",
    "read_claims",
]
