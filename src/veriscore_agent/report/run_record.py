"""``run.json``: what a run was made of, how far it came, what it cost, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from veriscore_agent.core.scoring import Summary
from veriscore_agent.errors import InputError
from veriscore_agent.report.json_values import json_value

RUN_SCHEMA: Literal["veriscore-agent/run/1"] = "veriscore-agent/run/1"

RunStatus = Literal["running", "complete", "incomplete", "stopped"]
"""complete: everything has its verdict; incomplete: it came to its end, but something failed on the way."""
Setting = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """What the calls of one kind used."""

    calls: int = 0
    """Calls that went out, failed ones included."""
    input_tokens: int = 0
    """Cached ones included."""
    cached_tokens: int = 0
    output_tokens: int = 0
    """Hidden reasoning included."""
    cost: float | None = 0.0
    """US dollars; null where it is unknown."""


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One process that worked on the run."""

    started: str
    """Time in UTC as ISO 8601."""
    ended: str | None = None
    """Null while it runs, and for ever where it was killed."""
    status: RunStatus = "running"
    reason: str = ""
    """Why it stopped."""
    spent: float = 0.0
    """US dollars that count against the cap: known costs, and the most that calls of unknown cost may have had."""
    usage: Mapping[str, UsageRecord] = field(default_factory=dict)
    """By kind of call."""


@dataclass(frozen=True, slots=True)
class InputRecord:
    """The answers that were read."""

    name: str
    """Path of the file, or ``standard input``."""
    answers: int
    sha256: str
    """Hash of what was read of all answers, in order."""
    skipped: tuple[str, ...] = ()
    """Bad lines that were left out, each with its reason."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordingRecord:
    """Where the exchanges are, and where they came from."""

    exchanges: str | None = "exchanges"
    """Folder of the run's own exchanges, seen from the run's folder; null where none are kept."""
    replay: str | None = None
    """The recording that was answered from."""
    live: tuple[str, ...] = ()
    """What was asked anew in spite of ``replay``."""
    not_recorded: tuple[str, ...] = ()
    """What was wanted and is not in the recording: it was no evidence."""


@dataclass(frozen=True, slots=True)
class SoftwareRecord:
    """What the run was made with."""

    version: str
    python: str
    libraries: Mapping[str, str]
    """Versions of the libraries that results can depend on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The whole of ``run.json``."""

    status: RunStatus
    reason: str = ""
    """Why it is not complete."""
    software: SoftwareRecord
    settings: Mapping[str, Setting]
    """Every setting but the keys."""
    prompts: Mapping[str, str]
    """SHA-256 of every prompt file of the package."""
    prompts_folder: Mapping[str, str]
    """SHA-256 of every file of the user's own prompts."""
    input: InputRecord
    recording: RecordingRecord
    sessions: tuple[SessionRecord, ...] = ()
    summary: Summary | None = None
    """The scores; null until the run came to its end."""

    @property
    def spent(self) -> float:
        """US dollars of all sessions that count against the cap."""
        return sum(session.spent for session in self.sessions)


_ADAPTER = TypeAdapter(RunRecord)


def run_record_json(record: RunRecord) -> dict[str, Any]:
    """The content of ``run.json``."""
    return {"schema": RUN_SCHEMA, **json_value(record)}


def read_run_record(value: Any, *, path: str) -> RunRecord:
    """What ``run.json`` says. Raises InputError for another version, or what is no such record."""
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != RUN_SCHEMA:
        raise InputError(f"its schema is {schema!r}; this version reads {RUN_SCHEMA!r}", path=path)
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{place}: {first['msg']}", path=path) from None


def differences(old: RunRecord, new: RunRecord, *, local: frozenset[str], digest_of_old: str) -> tuple[str, ...]:
    """What keeps the run ``new`` from going on in the folder of ``old``, a text each.

    Settings in ``local`` decide no result. ``digest_of_old`` is the hash of as many answers of the new input as the
    old one had: more answers at the end are no difference, nor is a prompt that only one version of the package has.
    """
    deciding = set(old.settings) - local - {"prompts"}
    common = set(old.prompts) & set(new.prompts)
    own = {*old.prompts_folder, *new.prompts_folder}
    return (
        *_differing(old.settings, new.settings, deciding),
        *_differing(old.prompts, new.prompts, common, "prompt "),
        *_differing(old.prompts_folder, new.prompts_folder, own, "prompt file "),
        *_differing(asdict(old.recording), asdict(new.recording), {"replay", "live"}, "--"),
        *_answer_differences(old.input, new.input, digest_of_old),
    )


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], names: set[str], kind: str = "") -> Iterator[str]:
    for name in sorted(names):
        if old.get(name) != new.get(name):
            yield f"{kind}{name}: {_shown(old.get(name))} in the run, {_shown(new.get(name))} now"


def _answer_differences(old: InputRecord, new: InputRecord, digest_of_old: str) -> Iterator[str]:
    if new.answers < old.answers:
        yield f"answers: {old.answers} in the run, {new.answers} now"
    elif digest_of_old != old.sha256:
        yield f"answers: their content is not that of the run's {old.answers}"


def _shown(value: Any) -> str:
    text = "nothing" if value is None or value == () else repr(value)
    return text if len(text) <= 60 else text[:12] + "..."
