"""Prompt files and their loader.

A prompt is a file ``name.vN.md`` beside this module. ``{{name}}`` marks a value to fill in. Rendering is strict: a
missing or superfluous name raises, and text that was filled in is never looked at again, so a page that says
``{{claim}}`` stays what it is. A released file does not change; a change is version N+1.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file."""

    name: str
    """File name without ``.md``, version included (``extract_system.v1``)."""
    text: str

    @property
    def sha256(self) -> str:
        """Hash of the text, kept in every run."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def render(self, **values: str) -> str:
        """The text with every ``{{name}}`` replaced. Raises KeyError for a name too few or too many."""
        names = set(_PLACEHOLDER.findall(self.text))
        if names != set(values):
            raise KeyError(f"prompt {self.name} wants {sorted(names)}, got {sorted(values)}")
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt file ``name`` (such as ``extract_system.v1``), with line ends as LF and without the last one."""
    text = files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Prompt(name, text.replace("\r\n", "\n").rstrip("\n"))


def prompt_hashes() -> dict[str, str]:
    """SHA-256 of every prompt file by name, for the run's record."""
    entries = (entry.name for entry in files(__package__).iterdir())
    names = sorted(name.removesuffix(".md") for name in entries if name.endswith(".md"))
    return {name: load_prompt(name).sha256 for name in names}
