"""Every error that this package raises on purpose.

    VeriscoreError
    +- ConfigurationError   the user can fix it: one line that says what to do; exit 2
    +- InputError           a file of the user's, with path and line number; exit 2
    +- ReplayMissError      the request, the closest recording, the differing part; exit 3
    +- StopRunError         the run must end now, with all results kept; exit 4, or 2 before the first paid call
    |  +- AccessRefusedError   key refused, credit exhausted, or no such endpoint
    |  +- BudgetSpentError     the cap of ``--max-cost`` is reached
    +- ServiceError         one call failed: which service, which url, why
    |  +- ModelError
    |  +- SearchError
    |  +- PageError
    +- ModelOutputError     a reply that cannot be read: the raw reply, and what was expected

Foreign errors are translated once, in the adapter that met them. A ServiceError or ModelOutputError concerns one
claim or one sentence and becomes a value there; all others end the run. No message holds a key.
"""

from __future__ import annotations

from typing import Literal

from veriscore_agent.domain import UnscoredReason

Service = Literal["model", "search", "page"]


class VeriscoreError(Exception):
    """Base of all errors that this package raises on purpose."""


class ConfigurationError(VeriscoreError):
    """A setting, file or environment variable that the user can fix."""


class InputError(VeriscoreError):
    """A line or file of the user's input that cannot be used."""

    def __init__(self, problem: str, *, path: str, line: int | None = None) -> None:
        self.problem, self.path, self.line = problem, path, line
        super().__init__(f"{path}:{line}: {problem}" if line else f"{path}: {problem}")


class ReplayMissError(VeriscoreError):
    """A request that the recording does not hold. It is never counted as missing evidence."""

    def __init__(self, request: str, *, recording: str, closest: str = "", difference: str = "") -> None:
        self.request, self.recording, self.closest, self.difference = request, recording, closest, difference
        message = f"not in the recording {recording}: {request}"
        if closest:
            message += f"\n  closest recorded: {closest}\n  differs in: {difference}"
        super().__init__(message + "\n  record it: run once without --replay, with --record DIR")


class StopRunError(VeriscoreError):
    """The run must end now; what is finished is kept."""

    unscored: UnscoredReason = "stopped"


class AccessRefusedError(StopRunError):
    """A key was refused, credit is exhausted, or the endpoint is not what its address says."""

    def __init__(self, service: Service, problem: str) -> None:
        self.service = service
        super().__init__(f"{service}: {problem}")


class BudgetSpentError(StopRunError):
    """The cap on spending is reached."""

    unscored: UnscoredReason = "budget"


class ServiceError(VeriscoreError):
    """One call to a service failed for good."""

    service: Service = "model"
    unscored: UnscoredReason = "model_failed"

    def __init__(self, problem: str, *, url: str = "", reason: UnscoredReason | None = None) -> None:
        self.problem, self.url = problem, url
        self.reason: UnscoredReason = reason or self.unscored
        super().__init__(f"{self.service}: {problem}" + (f" ({url})" if url else ""))


class ModelError(ServiceError):
    """A model call that failed, was refused, or was filtered."""

    service: Service = "model"
    unscored: UnscoredReason = "model_failed"


class SearchError(ServiceError):
    """A search that failed."""

    service: Service = "search"
    unscored: UnscoredReason = "search_failed"


class PageError(ServiceError):
    """A page that could not be had. It means less evidence, and never an unscored claim."""

    service: Service = "page"


class ModelOutputError(VeriscoreError):
    """A reply that cannot be read."""

    def __init__(self, problem: str, *, reply: str, reason: UnscoredReason = "unreadable_reply") -> None:
        self.problem, self.reply = problem, reply
        self.reason: UnscoredReason = reason
        super().__init__(f"{problem}; the reply was {reply[:200]!r}")
