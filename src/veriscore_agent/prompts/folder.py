"""Prompts of the user's own, in the layout of the paper authors' ``prompt/`` folder, as pure data.

The files are read by ``adapters.prompt_folder``; here is what they hold and how they are filled in. Their templates
mark values as Python's ``str.format`` does: ``{snippet}``, positional ``{}``, and ``{{`` for a brace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One few-shot example of the verification prompt."""

    claim: str
    search_result: str
    """The search results as they stand in the prompt, formatted."""
    label: str
    """``Supported``, ``Contradicted`` or ``Inconclusive``, without the full stop."""


@dataclass(frozen=True, slots=True)
class PromptFolder:
    """A folder of prompts. What is None was not in it, and the package's own takes its place."""

    extraction_qa_template: str | None = None
    """With ``{snippet}`` and ``{sentence}``; for answers with a question."""
    extraction_text_template: str | None = None
    """With ``{snippet}`` and ``{sentence}``; for answers without one."""
    extraction_system: str | None = None
    extraction_tail: str | None = None
    """What follows the extraction template, where the template itself does not hold the task."""
    verification_ternary: str | None = None
    """Instruction and examples, with three positional ``{}`` for each demonstration: claim, results, label."""
    verification_binary: str | None = None
    verification_system_ternary: str | None = None
    verification_system_binary: str | None = None
    verification_tail_ternary: str | None = None
    """The task itself, with ``{claim}`` and ``{search_results}``."""
    verification_tail_binary: str | None = None
    demonstrations: tuple[Demonstration, ...] = ()
    hashes: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of every file that was read, in the order of names, for the run's record."""


def template_fields(template: str) -> tuple[str, ...]:
    """The fields of a template in order; a positional one is an empty string."""
    return tuple(match[1] for match in _FIELD.finditer(template) if match[1] is not None)


def fill_template(template: str, values: Mapping[str, str], positional: Sequence[str] = ()) -> str:
    """The template with its fields filled in, in one pass: text that was filled in is never looked at again.

    Raises KeyError for a name that ``values`` lacks, IndexError where ``positional`` is too short.
    """
    remaining = iter(positional)

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        if match[1]:
            return values[match[1]]
        try:
            return next(remaining)
        except StopIteration:
            raise IndexError("the template has more positional fields than there are values") from None

    return _FIELD.sub(value, template)
