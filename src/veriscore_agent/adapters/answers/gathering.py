"""Rows become answers: claims of one answer are put together, and nothing is known twice by one name."""

from __future__ import annotations

from dataclasses import dataclass, field

from veriscore_agent.adapters.answers.rows import ClaimRow
from veriscore_agent.adapters.answers.values import RowError
from veriscore_agent.domain import Answer, GivenClaim


@dataclass(slots=True)
class _Group:
    """The claims of one answer so far, and the line of each."""

    first: ClaimRow
    claims: list[GivenClaim] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    sources: dict[str, None] = field(default_factory=dict)
    """Of all its claims, in order."""


class Gathering:
    """The answers read so far, in the order of their first lines."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._answers: dict[tuple[str, str], Answer | _Group] = {}
        self._lines: dict[tuple[str, str], int] = {}

    @property
    def full(self) -> bool:
        """True when no later line can matter. Claims of an answer may stand apart, so with them it never is."""
        if self._limit is None or len(self._answers) < self._limit:
            return False
        return not any(isinstance(each, _Group) and each.first.grouped for each in self._answers.values())

    def add(self, content: Answer | ClaimRow, line: int) -> None:
        """Take one row. Raises RowError where its name was used before, or where it contradicts its group."""
        if isinstance(content, Answer):
            self._enter((content.model, content.id), content, line)
            return
        key = (content.model, content.answer_id)
        known = self._answers.get(key)
        if isinstance(known, _Group) and known.first.grouped and content.grouped:
            _join(known, content, line, self._lines[key])
            return
        group = _Group(content, [content.claim], {content.claim.id or "": line}, dict.fromkeys(content.sources))
        self._enter(key, group, line)

    def answers(self) -> tuple[Answer, ...]:
        """All answers, in file order."""
        return tuple(each if isinstance(each, Answer) else _as_answer(each) for each in self._answers.values())

    def _enter(self, key: tuple[str, str], entry: Answer | _Group, line: int) -> None:
        if key in self._lines:
            model, name = key
            whose = f" of model {model!r}" if model else ""
            raise RowError(
                f"id {name!r}{whose} was given on line {self._lines[key]} already; an id is used once a model"
            )
        if self._limit is not None and len(self._answers) >= self._limit:
            return
        self._answers[key] = entry
        self._lines[key] = line


def _join(group: _Group, row: ClaimRow, line: int, first_line: int) -> None:
    if (row.domain, row.question) != (group.first.domain, group.first.question):
        raise RowError(f"another `prompt_source` or `question` than answer {row.answer_id!r} has on line {first_line}")
    name = row.claim.id or ""
    if name in group.lines:
        raise RowError(f"claim {name!r} of answer {row.answer_id!r} was given on line {group.lines[name]} already")
    group.claims.append(row.claim)
    group.sources |= dict.fromkeys(row.sources)
    group.lines[name] = line


def _as_answer(group: _Group) -> Answer:
    first = group.first
    return Answer(
        id=first.answer_id,
        response="",
        question=first.question,
        model=first.model,
        domain=first.domain,
        given=tuple(group.claims),
        sources=tuple(group.sources),
    )
