"""The beginning of a run's record: what it is about to be made of."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from veriscore_agent.domain import Answer
from veriscore_agent.prompts import prompt_hashes
from veriscore_agent.report.run_record import InputRecord, RecordingRecord, RunRecord, SoftwareRecord
from veriscore_agent.settings import Settings, public_settings

LIBRARIES = ("langgraph", "openai", "httpx", "vcrpy", "trafilatura", "selectolax", "sentencex", "tiktoken", "anyio")


def begin_record(
    settings: Settings,
    read: InputRecord,
    recording: RecordingRecord,
    *,
    prompts_folder: Mapping[str, str] | None = None,
) -> RunRecord:
    """The record of a run that is about to be made."""
    return RunRecord(
        status="running",
        software=software(),
        settings=public_settings(settings),
        prompts=prompt_hashes(),
        prompts_folder=prompts_folder or {},
        input=read,
        recording=recording,
    )


def answers_digest(answers: Sequence[Answer]) -> str:
    """SHA-256 over what was read of each answer; line ends and fields that are not used do not matter."""
    digest = hashlib.sha256()
    for answer in answers:
        digest.update(json.dumps(_content(answer), sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def _content(answer: Answer) -> dict[str, Any]:
    """What was read, without the fields that 0.1.0 did not know where they are empty: its runs can be gone on with."""
    content = asdict(answer)
    if not content["sources"]:
        del content["sources"]
    for given in content["given"] or ():
        for snippet in given["snippets"] or ():
            if snippet["date"] is None:
                del snippet["date"]
    return content


def software() -> SoftwareRecord:
    """Versions of the package, of Python and of the libraries that results can depend on."""
    libraries = {name: version_of(name) for name in LIBRARIES}
    return SoftwareRecord(version_of("veriscore-agent"), platform.python_version(), libraries)


def version_of(package: str) -> str:
    """The installed version, or an empty text."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
