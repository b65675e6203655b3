"""The grounded judge: parts and findings come from the model, the label from code.

The model never says a label. It splits the claim, and says of each part which evidence supports or contradicts it,
with a quote; ``read`` keeps the findings whose quote is really there, and derives the label from those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from veriscore_agent.core.verification.coverage import left_out
from veriscore_agent.core.verification.evidence import render_evidence
from veriscore_agent.core.verification.findings import check_findings, read_findings
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.core.verification.labels import derive_label
from veriscore_agent.core.verification.neutralising import one_line
from veriscore_agent.core.verification.replies import reply_text, unreadable
from veriscore_agent.core.verification.silencing import links_that_command, silenced
from veriscore_agent.core.verification.tolerant_json import FoundJson, find_json
from veriscore_agent.domain import JsonSchema, ModelReply, ModelRequest, Verdict
from veriscore_agent.prompts import load_prompt

_FINDING_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["part", "evidence", "stance", "quote", "trust"],
    "properties": {
        "part": {"type": "integer"},
        "evidence": {"type": "string"},
        "stance": {"type": "string", "enum": ["supports", "contradicts"]},
        "quote": {"type": "string"},
        "trust": {"type": "string", "enum": ["high", "ordinary", "low"]},
    },
}
_LATER_PROPERTIES: dict[str, Any] = {
    "referent_clear": {"type": "boolean"},
    "findings": {"type": "array", "items": _FINDING_SCHEMA},
    "reason": {"type": "string"},
}
_FIRST_PROPERTIES: dict[str, Any] = {"parts": {"type": "array", "items": {"type": "string"}}, **_LATER_PROPERTIES}
_MAX_REASON = 600


def _schema(name: str, properties: dict[str, Any]) -> JsonSchema:
    return JsonSchema(
        name,
        {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties},
    )


FIRST_SCHEMA = _schema("judgement", _FIRST_PROPERTIES)
"""Of a claim's first judging. ``reason`` comes last: a reply that is cut off there has said all that decides."""

LATER_SCHEMA = _schema("later_judgement", _LATER_PROPERTIES)
"""Of later judgings, whose parts are fixed."""


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The decisive content of a reply."""

    content: Mapping[str, Any]
    clear_referent: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class GroundedJudge:
    """The default judge. Stateless; see ``Judge`` for the contract."""

    name: Literal["grounded"] = "grounded"

    def request(self, task: JudgingTask) -> ModelRequest:
        """The prompt for ``task``: the fixed part first, then claim, parts where they are fixed, and evidence."""
        claim, evidence = one_line(task.claim), render_evidence(silenced(task.evidence))
        if task.parts is None:
            user = load_prompt("judge_first.v1").render(claim=claim, evidence=evidence, reminder=_reminder(task))
        else:
            parts = "\n".join(f"{number}. {one_line(part)}" for number, part in enumerate(task.parts, start=1))
            user = load_prompt("judge_later.v1").render(claim=claim, parts=parts, evidence=evidence)
        return ModelRequest(
            kind="judge",
            system=load_prompt("judge_system.v2").text,
            user=user,
            schema=FIRST_SCHEMA if task.parts is None else LATER_SCHEMA,
            sample=task.sample,
            subject=f"{task.stage} of the claim {claim[:80]!r}",
        )

    def read(self, reply: ModelReply, task: JudgingTask) -> Verdict | JudgingTask:
        """The verdict, or ``task`` with the words that the parts left out, to be asked once.

        Flags of the verdict: ``parts_incomplete`` (words were left out twice, so that the whole claim is a further
        part, open at first), ``cut`` (the reply ended after all that decides), ``findings_malformed`` (some finding
        could not be read), ``page_gives_instructions`` (evidence that speaks to the judge was left out). Raises
        ModelOutputError for a refusal, a reply cut off too early, one without parts, and any other that cannot be
        read.
        """
        judgement = _judgement(reply, task)
        flags = ["cut"] if judgement.cut else []
        parts, numbers = _parts(judgement, reply, task)
        if task.parts is None and (missing := left_out(task.claim, parts)):
            if not task.left_out:
                return replace(task, left_out=missing)
            parts = (*parts, task.claim)
            flags.append("parts_incomplete")
        findings, malformed = read_findings(judgement.content["findings"], numbers)
        if malformed and not findings:
            raise unreadable(reply, "findings with part, evidence, stance and quote")
        flags += ["findings_malformed"] if malformed else []
        kept, dropped = check_findings(findings, task.evidence, parts)
        flags += ["page_gives_instructions"] if links_that_command(task.evidence) else []
        label, open_parts = derive_label(parts, kept, judgement.clear_referent)
        return Verdict(
            label=label,
            stage=task.stage,
            judge=self.name,
            parts=parts,
            findings=kept,
            dropped=dropped,
            open_parts=open_parts,
            clear_referent=judgement.clear_referent,
            reason=_reason(judgement.content),
            flags=tuple(flags),
        )


def _reminder(task: JudgingTask) -> str:
    if not task.left_out:
        return ""
    words = ", ".join(f'"{one_line(word)}"' for word in task.left_out)
    return load_prompt("judge_left_out.v1").render(words=words) + "\n"


def _judgement(reply: ModelReply, task: JudgingTask) -> _Judgement:
    expected = "a JSON object of " + ", ".join(_decisive(task))
    found = _only_object(find_json(reply_text(reply)))
    if found is None:
        raise unreadable(reply, expected)
    content = {str(key).strip().casefold(): value for key, value in found.value.items()}
    clear = _truth(content.get("referent_clear"))
    unfinished = (found.unfinished or "").strip().casefold()
    whole = all(key in content and key != unfinished for key in _decisive(task))
    if not whole or clear is None or not isinstance(content["findings"], list):
        raise unreadable(reply, expected)
    return _Judgement(content, clear, found.cut)


def _decisive(task: JudgingTask) -> tuple[str, ...]:
    return ("parts", "referent_clear", "findings") if task.parts is None else ("referent_clear", "findings")


def _only_object(found: Sequence[FoundJson]) -> FoundJson | None:
    """The one judgement in a reply. Two that differ, or one beside broken JSON, leave open which one is meant."""
    if any(each.value is None for each in found):
        return None
    objects = [each for each in found if isinstance(each.value, dict) and each.value]
    judgements = [
        each for each in objects if {str(key).strip().casefold() for key in each.value} & {"findings", "parts"}
    ]
    if not judgements or any(each.value != judgements[-1].value for each in judgements):
        return None
    return judgements[-1]


def _truth(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "false": False, "no": False}
    return words.get(value.strip().casefold()) if isinstance(value, str) else None


def _parts(judgement: _Judgement, reply: ModelReply, task: JudgingTask) -> tuple[tuple[str, ...], dict[int, int]]:
    """The parts, and the index of each by the number that the reply knows it by."""
    if task.parts is not None:
        return task.parts, {index + 1: index for index in range(len(task.parts))}
    given = judgement.content["parts"]
    parts: list[str] = []
    numbers: dict[int, int] = {}
    for number, part in enumerate(given if isinstance(given, list) else [], start=1):
        if isinstance(part, str) and any(map(str.isalnum, part)):
            numbers[number] = len(parts)
            parts.append(" ".join(part.split()))
    if not parts:
        raise unreadable(reply, "parts of the claim")
    return tuple(parts), numbers


def _reason(content: Mapping[str, Any]) -> str:
    reason = content.get("reason")
    return " ".join(reason.split())[:_MAX_REASON] if isinstance(reason, str) else ""
