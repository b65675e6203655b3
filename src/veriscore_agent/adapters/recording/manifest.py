"""What a recording is: ``recording.json`` in its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from veriscore_agent.adapters.http.secrets import NO_SECRETS, Secrets
from veriscore_agent.adapters.recording.cassette import FORMAT, plain
from veriscore_agent.adapters.recording.store import write_whole
from veriscore_agent.errors import ConfigurationError, InputError

FILE_NAME = "recording.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Says what made a recording."""

    about: str = ""
    """For people: what was recorded, and who or what answered."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the run that decide its requests; JSON-able, no secrets."""
    format: int = FORMAT
    package: str = field(default_factory=lambda: f"veriscore-agent {version('veriscore-agent')}")


def recording_folder(path: Path) -> Path:
    """The recording that a path of the user's means: the folder itself, or ``exchanges`` in the folder of a run.

    Raises InputError where there is none.
    """
    if not path.exists():
        raise InputError("no such recording: there is no such file or folder", path=str(path))
    for folder in (path, path / "exchanges"):
        if (folder / FILE_NAME).is_file():
            return folder
    raise InputError(f"no recording: neither it nor its folder exchanges holds a {FILE_NAME}", path=str(path))


def read_manifest(folder: Path) -> Manifest:
    """What the recording says of itself. Raises InputError: not there, no JSON, or of a newer format."""
    path = folder / FILE_NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        manifest = Manifest(raw["about"], raw["settings"], raw["format"], raw["package"])
    except FileNotFoundError as problem:
        raise InputError("file not found", path=str(path)) from problem
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise InputError(f"no description of a recording ({type(problem).__name__})", path=str(path)) from problem
    if not isinstance(manifest.format, int) or manifest.format > FORMAT:
        raise InputError(
            f"format {manifest.format}, made by {manifest.package}; this version reads up to format {FORMAT}",
            path=str(path),
        )
    return manifest


def write_manifest(
    folder: Path, *, about: str = "", settings: Mapping[str, Any] | None = None, secrets: Secrets = NO_SECRETS
) -> Manifest:
    """Describe the recording, once: where a description is already there, it stays and is returned.

    Raises ConfigurationError where the folder cannot be written to, InputError as ``read_manifest``.
    """
    path = folder / FILE_NAME
    if path.exists():
        return read_manifest(folder)
    manifest = Manifest(secrets.text(about), secrets.json(plain(settings or {})))
    try:
        write_whole(path, (json.dumps(asdict(manifest), indent=1, sort_keys=True) + "\n").encode())
    except OSError as problem:
        raise ConfigurationError(f"the recording cannot be written: {path}: {problem.strerror or problem}") from problem
    return manifest
