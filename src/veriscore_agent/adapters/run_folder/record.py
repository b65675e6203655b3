"""What a run's results depend on, kept in ``run.json``, and how two runs differ in it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from veriscore_agent.domain import Answer
from veriscore_agent.prompts import prompt_hashes
from veriscore_agent.settings import LOCAL_SETTINGS, Settings, public_settings

RUN_SCHEMA = "veriscore-agent/run/1"
PACKAGE = "veriscore-agent"
LIBRARIES = ("langgraph", "openai", "httpx", "vcrpy", "trafilatura", "selectolax", "sentencex", "tiktoken", "anyio")


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Everything that decides a run's results. Runs of equal identity may share a folder."""

    settings: Mapping[str, Any]
    """All public settings; those of ``LOCAL_SETTINGS`` are kept, but decide nothing."""
    prompts: Mapping[str, str]
    """SHA-256 of every prompt file of the package."""
    prompts_folder: Mapping[str, str]
    """SHA-256 of every file of the user's own prompts."""
    answers: int
    answers_sha256: str
    """Hash of all answers, in order."""

    replay: str = ""
    """The recording that is answered from; empty for a live run."""
    live: tuple[str, ...] = ()
    """What is asked anew in spite of ``replay``."""

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> RunIdentity:
        """The identity of a run as its ``run.json`` has it. What is missing there is empty, and so differs."""
        read, recording = manifest.get("input") or {}, manifest.get("recording") or {}
        return cls(
            settings=manifest.get("settings") or {},
            prompts=manifest.get("prompts") or {},
            prompts_folder=manifest.get("prompts_folder") or {},
            answers=read.get("answers") or 0,
            answers_sha256=read.get("answers_sha256") or "",
            replay=recording.get("replay") or "",
            live=tuple(recording.get("live") or ()),
        )

    def differences(self, other: RunIdentity, answers: Sequence[Answer]) -> tuple[str, ...]:
        """What keeps the run ``other``, of ``answers``, from going on with this one. More answers at the end do not."""
        deciding = set(self.settings) - LOCAL_SETTINGS - {"prompts"}
        return (
            *_differing(self.settings, other.settings, deciding),
            *_differing(self.prompts, other.prompts, set(self.prompts) & set(other.prompts), "prompt "),
            *_differing(
                self.prompts_folder, other.prompts_folder, {*self.prompts_folder, *other.prompts_folder}, "prompt file "
            ),
            *_differing(asdict(self), asdict(other), {"replay", "live"}, "--"),
            *self._answer_differences(answers),
        )

    def _answer_differences(self, answers: Sequence[Answer]) -> Iterator[str]:
        if len(answers) < self.answers:
            yield f"answers: {self.answers} in the run, {len(answers)} now"
        elif answers_digest(answers[: self.answers]) != self.answers_sha256:
            yield f"answers: their content is not that of the run's {self.answers}"


def identify(
    settings: Settings,
    answers: Sequence[Answer],
    *,
    prompts_folder: Mapping[str, str] | None = None,
    replay: str = "",
    live: Sequence[str] = (),
) -> RunIdentity:
    """The identity of a run that is about to be made."""
    return RunIdentity(
        settings=public_settings(settings),
        prompts=prompt_hashes(),
        prompts_folder=prompts_folder or {},
        answers=len(answers),
        answers_sha256=answers_digest(answers),
        replay=replay,
        live=tuple(live),
    )


def answers_digest(answers: Sequence[Answer]) -> str:
    """SHA-256 over what was read of each answer; line ends and fields that are not used do not matter."""
    digest = hashlib.sha256()
    for answer in answers:
        digest.update(json.dumps(asdict(answer), sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def software() -> dict[str, Any]:
    """Versions of the package, of Python and of the libraries that results can depend on."""
    return {
        "version": version_of(PACKAGE),
        "python": platform.python_version(),
        "libraries": {name: version_of(name) for name in LIBRARIES},
    }


def version_of(package: str) -> str:
    """The installed version, or an empty text."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], names: set[str], kind: str = "") -> Iterator[str]:
    for name in sorted(names):
        if old.get(name) != new.get(name):
            yield f"{kind}{name}: {_shown(old.get(name))} in the run, {_shown(new.get(name))} now"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:12] + "..."
