"""Async, agentic factuality scorer for long-form LLM answers.

The public names are those of ``__all__``; everything else may change without notice. They are imported when first used,
so that the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veriscore_agent.api import ScoreReport, check_claim, run_blocking, score_answers
    from veriscore_agent.core.admission import EvidenceRules
    from veriscore_agent.core.verification.judge import Judge, JudgingTask
    from veriscore_agent.domain import Answer, Claim, ClaimOutcome, Finding, Passage, Snippet, Verdict
    from veriscore_agent.errors import (
        ConfigurationError,
        InputError,
        ReplayMissError,
        ServiceError,
        StopRunError,
        VeriscoreError,
    )
    from veriscore_agent.graph.build import build_claim_graph
    from veriscore_agent.ports import Limits, Model, PageReader, Ports, Searcher
    from veriscore_agent.settings import Settings, load_settings
    from veriscore_agent.wiring import open_services

_HOMES = {
    "api": ("ScoreReport", "check_claim", "run_blocking", "score_answers"),
    "core.admission": ("EvidenceRules",),
    "core.verification.judge": ("Judge", "JudgingTask"),
    "domain": ("Answer", "Claim", "ClaimOutcome", "Finding", "Passage", "Snippet", "Verdict"),
    "errors": (
        *("ConfigurationError", "InputError", "ReplayMissError", "ServiceError", "StopRunError", "VeriscoreError"),
    ),
    "graph.build": ("build_claim_graph",),
    "ports": ("Limits", "Model", "PageReader", "Ports", "Searcher"),
    "settings": ("Settings", "load_settings"),
    "wiring": ("open_services",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Claim",
    "ClaimOutcome",
    "ConfigurationError",
    "EvidenceRules",
    "Finding",
    "InputError",
    "Judge",
    "JudgingTask",
    "Limits",
    "Model",
    "PageReader",
    "Passage",
    "Ports",
    "ReplayMissError",
    "ScoreReport",
    "Searcher",
    "ServiceError",
    "Settings",
    "Snippet",
    "StopRunError",
    "Verdict",
    "VeriscoreError",
    "build_claim_graph",
    "check_claim",
    "load_settings",
    "open_services",
    "run_blocking",
    "score_answers",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
