"""Scores: K, one answer, a run. See ``summarize`` for the whole and ``score_answer`` for the definition."""

from veriscore_agent.core.scoring.answer import (
    ScoredAnswer,
    f1_at_k,
    most_claims_of_a_sentence,
    score_all,
    score_answer,
)
from veriscore_agent.core.scoring.audit import AuditRate, AuditSummary
from veriscore_agent.core.scoring.changes import ReferenceAgreement, SecondLook, StageChange
from veriscore_agent.core.scoring.k import KRule, format_k_table, k_by_domain, parse_k_rule, parse_k_table
from veriscore_agent.core.scoring.labels import binary_label, binary_reference, label_at
from veriscore_agent.core.scoring.summarize import summarize
from veriscore_agent.core.scoring.summary import GroupSummary, OverallSummary, ScoreProtocol, StageScore, Summary

__all__ = [
    "AuditRate",
    "AuditSummary",
    "GroupSummary",
    "KRule",
    "OverallSummary",
    "ReferenceAgreement",
    "ScoreProtocol",
    "ScoredAnswer",
    "SecondLook",
    "StageChange",
    "StageScore",
    "Summary",
    "binary_label",
    "binary_reference",
    "f1_at_k",
    "format_k_table",
    "k_by_domain",
    "label_at",
    "most_claims_of_a_sentence",
    "parse_k_rule",
    "parse_k_table",
    "score_all",
    "score_answer",
    "summarize",
]
