"""The paper's judge: the model returns the label itself, between ### marks, few-shot.

The whole claim is the one part, so that the graph routes this judge's verdicts as it does those with findings. Prompts
are the package's own, or those of a folder in the layout of the paper authors' ``prompt/`` folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veriscore_agent.core.verification.decisions import Decision, read_decision
from veriscore_agent.core.verification.evidence import render_search_results
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.core.verification.neutralising import one_line
from veriscore_agent.core.verification.replies import reply_text, unreadable
from veriscore_agent.core.verification.silencing import links_that_command, silenced
from veriscore_agent.domain import Label, ModelReply, ModelRequest, Verdict
from veriscore_agent.prompts import load_prompt
from veriscore_agent.prompts.folder import PromptFolder, fill_template

_NO_RESULTS = "(The search found nothing.)"
_PLAIN_TASK = "Claim: {claim}\n\n{search_results}\n\nYour decision:"
"""The task in the form of the examples, where a folder brings those but no task of its own."""
_MAX_REASON = 600


@dataclass(frozen=True, slots=True)
class PaperJudge:
    """The judge of the paper. Stateless; see ``Judge`` for the contract."""

    labels: Literal["ternary", "binary"] = "ternary"
    """What the model is asked for. ``binary`` has no inconclusive: unsupported is read as inconclusive, flagged."""
    folder: PromptFolder | None = None
    name: Literal["paper"] = "paper"

    def request(self, task: JudgingTask) -> ModelRequest:
        """The prompt for ``task``: instruction, examples, the task itself. Text is asked for, not JSON."""
        values = {
            "claim": one_line(task.claim),
            "search_results": render_search_results(silenced(task.evidence)) or _NO_RESULTS,
        }
        return ModelRequest(
            kind="judge",
            system=self._system(),
            user=f"{self._instruction()}\n\n{self._task(values)}",
            sample=task.sample,
            subject=f"{task.stage} of the claim {task.claim[:80]!r}",
        )

    def read(self, reply: ModelReply, task: JudgingTask) -> Verdict:
        """The verdict of a reply.

        Flags: ``not_supported`` (a ternary judge said so, which leaves open whether anything contradicts:
        inconclusive), ``binary_unsupported`` (inconclusive stands for it), ``page_gives_instructions`` (evidence that
        speaks to the judge was left out), ``cut`` (the reply ended after its decision). Raises ModelOutputError for a
        refusal, and for any reply without a label that can be told.
        """
        cut = reply.finish_reason == "length"
        text = reply_text(reply)
        decision = read_decision(text, cut=cut)
        if decision is None:
            raise unreadable(reply, f"one {self.labels} label between ### marks")
        label, flags = self._label(decision)
        flags += ("page_gives_instructions",) if links_that_command(task.evidence) else ()
        return Verdict(
            label=label,
            stage=task.stage,
            judge=self.name,
            parts=(task.claim,),
            open_parts=(0,) if label == "inconclusive" else (),
            reason=" ".join(text.split())[:_MAX_REASON],
            flags=(*flags, "cut") if cut else flags,
        )

    def _label(self, decision: Decision) -> tuple[Label, tuple[str, ...]]:
        if decision == "supported":
            return "supported", ()
        if self.labels == "binary":
            return "inconclusive", ("binary_unsupported",)
        return ("inconclusive", ("not_supported",)) if decision == "unsupported" else (decision, ())

    def _system(self) -> str:
        own = load_prompt(f"paper_system_{self.labels}.v1").text
        return own if self.folder is None else self._from_folder("verification_system") or own

    def _instruction(self) -> str:
        """Instruction and examples. A folder that has no instruction of this kind leaves both to the package."""
        template = self._from_folder("verification")
        if template is not None and self.folder is not None:
            return fill_template(template, {}, self._demonstrated(self.folder))
        unsupported = ("Unsupported", "Unsupported") if self.labels == "binary" else ("Contradicted", "Inconclusive")
        examples = load_prompt("paper_examples.v1").render(
            supported="Supported", contradicted=unsupported[0], inconclusive=unsupported[1]
        )
        return f"{load_prompt(f'paper_instruction_{self.labels}.v1').text}\n\n{examples}"

    def _demonstrated(self, folder: PromptFolder) -> list[str]:
        """Claim, results and label of each demonstration, the label with its full stop as the authors have it."""
        values: list[str] = []
        for each in folder.demonstrations:
            binary = "Supported" if each.label == "Supported" else "Unsupported"
            label = binary if self.labels == "binary" else each.label
            values += [each.claim, each.search_result, f"{label}."]
        return values

    def _task(self, values: dict[str, str]) -> str:
        tail = self._from_folder("verification_tail")
        if tail is None and self._from_folder("verification") is not None:
            tail = _PLAIN_TASK
        return load_prompt("paper_task.v1").render(**values) if tail is None else fill_template(tail, values)

    def _from_folder(self, field: str) -> str | None:
        if self.folder is None:
            return None
        text: str | None = getattr(self.folder, f"{field}_{self.labels}")
        return text
