"""Guards over the whole repository: frozen prompts, no secret, no path of a machine, no forgotten mark."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from veriscore_agent.prompts import load_prompt, prompt_hashes

FROZEN = json.loads((Path(__file__).parent / "prompt_hashes.json").read_text(encoding="utf-8"))
SECRET = re.compile(r"sk-[A-Za-z0-9]{20,}|Bearer [A-Za-z0-9._-]{20,}|(?i:x-api-key)\W+[A-Za-z0-9]{16,}")
INDEX_HOST = re.compile(r"(?i)pypi\.org|pythonhosted|--(?:extra-)?index-url|--find-links")
HOME = re.compile(r"/(?:home|Users|root)/[a-z]")
MARKS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository; of a source distribution, whatever lies in it."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git checkout")
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


def holding(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    return [str(file) for file in files if pattern.search(file.read_text(encoding="utf-8", errors="replace"))]


def test_released_prompts_are_frozen() -> None:
    """A recording depends on them: a change is a new file, name.v(N+1).md, and a line in prompt_hashes.json."""
    assert prompt_hashes() == FROZEN


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_a_prompt_names_its_version_and_is_not_empty(name: str) -> None:
    assert re.fullmatch(r"[a-z_]+\.v\d+", name)
    assert load_prompt(name).text.strip()


def test_a_prompt_refuses_a_name_too_few_or_too_many_and_never_looks_at_what_was_filled_in() -> None:
    prompt = load_prompt("plan_user.v1")
    values = {"claim": "{{tried}}", "open_parts": "a", "tried": "b"}
    assert "{{tried}}" in prompt.render(**values)
    with pytest.raises(KeyError):
        prompt.render(claim="a")
    with pytest.raises(KeyError):
        prompt.render(**values, more="c")


def test_no_secret_is_in_the_repository() -> None:
    assert holding(SECRET, [file for file in tracked() if file.parent.name != "adapters"]) == []


def test_no_file_names_a_package_index_or_a_folder_of_somebodys_machine() -> None:
    own = {"tests/test_guards.py", "requirements/compile.py"}
    files = [file for file in tracked() if file.relative_to(ROOT).as_posix() not in own]
    assert holding(INDEX_HOST, files) == []
    assert holding(HOME, [file for file in files if "tests" not in file.parts]) == []


def test_no_forgotten_mark_is_in_the_code() -> None:
    assert holding(MARKS, tracked("src/*.py")) == []


def test_no_module_grows_beyond_one_subject() -> None:
    long = {str(file.relative_to(ROOT)) for file in tracked("src/*.py") if len(file.read_bytes().splitlines()) > 400}
    assert long == set()
