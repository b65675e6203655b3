"""Reading a folder of prompts in the layout of the paper authors' ``prompt/`` folder.

| file | holds |
|---|---|
| ``extraction_qa_template.txt``, ``extraction_non_qa_template.txt`` | ``{snippet}`` and ``{sentence}`` |
| ``verification_instruction_trinary.txt``, ``..._binary.txt`` | three positional ``{}`` a demonstration, or none |
| ``few_shot_examples.jsonl`` | ``claim``, ``search_result``, ``human_label`` a line |
| ``system_extraction.txt``, ``system_verification[_trinary or _binary].txt`` | system messages |
| ``tail_extraction.txt`` | the task, where the template holds not all of it |
| ``tail_verification[_trinary or _binary].txt`` | the task, with ``{claim}`` and ``{search_results}`` |

The authors keep the examples in ``data/demos`` beside ``prompt``, where they are found too, and their system messages
and closing task in their code. Any other file is left alone. What is missing is taken from the package.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veriscore_agent.errors import ConfigurationError
from veriscore_agent.prompts.folder import Demonstration, PromptFolder, template_fields

_TEXT_FILES: Mapping[str, tuple[str, ...]] = {
    "extraction_qa_template": ("extraction_qa_template.txt", "qa_template.txt"),
    "extraction_text_template": ("extraction_non_qa_template.txt", "non_qa_template.txt"),
    "extraction_system": ("system_extraction.txt",),
    "extraction_tail": ("tail_extraction.txt",),
    "verification_ternary": ("verification_instruction_trinary.txt",),
    "verification_binary": ("verification_instruction_binary.txt",),
    "verification_system_ternary": ("system_verification_trinary.txt", "system_verification.txt"),
    "verification_system_binary": ("system_verification_binary.txt", "system_verification.txt"),
    "verification_tail_ternary": ("tail_verification_trinary.txt", "tail_verification.txt"),
    "verification_tail_binary": ("tail_verification_binary.txt", "tail_verification.txt"),
}
"""Field of PromptFolder and the names of its file, the first that exists; the second is an older or a common one."""

_EXAMPLES = ("few_shot_examples.jsonl", "demos/few_shot_examples.jsonl", "../data/demos/few_shot_examples.jsonl")
_LABELS = {
    "supported": "Supported",
    "support": "Supported",
    "contradicted": "Contradicted",
    "contradict": "Contradicted",
    "inconclusive": "Inconclusive",
}


def load_prompt_folder(path: Path) -> PromptFolder:
    """The prompts in ``path``.

    Raises ConfigurationError, which names the file, where the folder is none or holds no prompt, a file cannot be
    read or is empty, a template has fields that it must not have or lacks those that it needs, or examples and
    template do not fit.
    """
    if not path.is_dir():
        raise ConfigurationError(f"prompts: {path} is no folder")
    texts: dict[str, str] = {}
    names: dict[str, str] = {}
    hashes: dict[str, str] = {}
    for field, candidates in _TEXT_FILES.items():
        for name in candidates:
            if (path / name).is_file():
                texts[field], hashes[name] = _read(path / name)
                names[field] = name
                break
    if not texts:
        raise ConfigurationError(f"prompts: {path} holds no prompt file, such as extraction_qa_template.txt")
    demonstrations: tuple[Demonstration, ...] = ()
    if examples := next((path / name for name in _EXAMPLES if (path / name).is_file()), None):
        text, hashes[examples.name] = _read(examples)
        demonstrations = _read_demonstrations(text, examples)
    _check_extraction(texts, names, path)
    _check_verification(texts, names, path, len(demonstrations))
    return PromptFolder(**texts, demonstrations=demonstrations, hashes=tuple(sorted(hashes.items())))


def _read(path: Path) -> tuple[str, str]:
    """The text of a file, line ends as LF, and the SHA-256 of its bytes."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as problem:
        raise ConfigurationError(f"prompts: {path}: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise ConfigurationError(f"prompts: {path} is not UTF-8: {problem.reason}") from problem
    if not text.strip():
        raise ConfigurationError(f"prompts: {path} is empty")
    return text, hashlib.sha256(content).hexdigest()


def _read_demonstrations(text: str, path: Path) -> tuple[Demonstration, ...]:
    return tuple(
        _demonstration(line, f"{path}:{number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    )


def _demonstration(line: str, where: str) -> Demonstration:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise ConfigurationError(f"prompts: {where}: not JSON") from problem
    keys = ("claim", "search_result", "human_label")
    values = [row[key] for key in keys if isinstance(row, dict) and isinstance(row.get(key), str)]
    if len(values) != len(keys):
        raise ConfigurationError(f"prompts: {where}: wants the texts claim, search_result and human_label")
    claim, results, label = values
    known = _LABELS.get(label.strip().rstrip(".").casefold())
    if known is None:
        raise ConfigurationError(f"prompts: {where}: human_label is none of Supported, Contradicted, Inconclusive")
    return Demonstration(claim, results, known)


def _check_extraction(texts: Mapping[str, str], names: Mapping[str, str], path: Path) -> None:
    tail = texts.get("extraction_tail", "")
    for field in ("extraction_qa_template", "extraction_text_template"):
        if field in texts:
            _require(texts[field] + tail, {"snippet", "sentence"}, path / names[field])


def _check_verification(texts: Mapping[str, str], names: Mapping[str, str], path: Path, demonstrations: int) -> None:
    for kind in ("ternary", "binary"):
        if tail := texts.get(f"verification_tail_{kind}"):
            _require(tail, {"claim", "search_results"}, path / names[f"verification_tail_{kind}"])
        if template := texts.get(f"verification_{kind}"):
            _check_examples(template_fields(template), demonstrations, path / names[f"verification_{kind}"])


def _check_examples(fields: tuple[str, ...], demonstrations: int, file: Path) -> None:
    if any(fields):
        raise ConfigurationError(f"prompts: {file} may hold {{}} alone, not {{{next(filter(None, fields))}}}")
    if fields and len(fields) != 3 * demonstrations:
        raise ConfigurationError(
            f"prompts: {file} has {len(fields)} fields {{}}, three for each example, "
            f"but few_shot_examples.jsonl holds {demonstrations} examples"
        )


def _require(template: str, wanted: set[str], file: Path) -> None:
    found = set(template_fields(template))
    if found != wanted:
        listed = " and ".join(f"{{{name}}}" for name in sorted(wanted))
        has = ", ".join(f"{{{name}}}" for name in sorted(found)) or "none"
        raise ConfigurationError(f"prompts: {file} must hold the fields {listed}; it has {has}")
