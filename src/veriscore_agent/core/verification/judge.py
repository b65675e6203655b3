"""What every judge is: two pure functions, from claim and evidence to a prompt and from a reply to a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from veriscore_agent.domain import Evidence, ModelReply, ModelRequest, Stage, Verdict


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """One claim to judge against the evidence at hand."""

    claim: str
    stage: Stage
    evidence: tuple[Evidence, ...]
    """Snippets first, then passages, each with its own id."""
    parts: tuple[str, ...] | None = None
    """The claim's parts as fixed at its first judging. None: this is the first."""
    left_out: tuple[str, ...] = ()
    """Words of the claim that the parts of an earlier reply did not cover, to be asked for by name."""
    sample: int = 0


class Judge(Protocol):
    """Turns a task into a prompt, and a reply into a verdict. Holds no client and no state."""

    @property
    def name(self) -> str:
        """``grounded`` or ``paper``."""
        ...

    def request(self, task: JudgingTask) -> ModelRequest:
        """The prompt for ``task``. The same task always gives the same prompt."""
        ...

    def read(self, reply: ModelReply, task: JudgingTask) -> Verdict | JudgingTask:
        """The verdict that the reply gives, or the task to ask instead, at most once for each claim.

        Raises ModelOutputError where the reply cannot be read.
        """
        ...
