"""A folder in the layout of the paper authors' prompts: read as it is, or one clear error."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from veriscore_agent.adapters.prompt_folder import load_prompt_folder
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.core.verification.paper import PaperJudge
from veriscore_agent.errors import ConfigurationError
from veriscore_agent.prompts.folder import Demonstration, PromptFolder, fill_template, template_fields

EXTRACTION = "Facts.\n\n{snippet}\nSentence: {sentence}\nFacts:"
EXAMPLE = "Claim: {}\n\n{}\n\nYour decision: ###{}###\n\n"


def example(label: str, claim: str = "C") -> str:
    return json.dumps({"claim": claim, "search_result": "Search result 1", "human_label": label})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Everything that the layout knows, under ``prompt``."""
    path = tmp_path / "prompt"
    path.mkdir()
    for name, text in {
        "extraction_qa_template.txt": "Q " + EXTRACTION,
        "extraction_non_qa_template.txt": "T " + EXTRACTION,
        "verification_instruction_trinary.txt": "Three.\n\n" + EXAMPLE * 3,
        "verification_instruction_binary.txt": "Two.\n\n" + EXAMPLE * 3,
        "few_shot_examples.jsonl": "\n".join(map(example, ("Supported.", "contradicted", "Inconclusive"))) + "\n\n",
        "system_extraction.txt": "You extract.",
        "system_verification.txt": "You verify.",
        "system_verification_binary.txt": "You say yes or no.",
        "tail_verification.txt": "{claim}: {search_results}",
        "verification_alpaca_template.txt": "left alone {}",
    }.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def test_every_file_finds_its_field(folder: Path) -> None:
    loaded = load_prompt_folder(folder)
    assert loaded.extraction_qa_template == "Q " + EXTRACTION
    assert loaded.extraction_text_template == "T " + EXTRACTION
    assert (loaded.extraction_system, loaded.extraction_tail) == ("You extract.", None)
    assert loaded.verification_ternary == "Three.\n\n" + EXAMPLE * 3
    assert loaded.verification_system_ternary == "You verify.", "the common one"
    assert loaded.verification_system_binary == "You say yes or no.", "its own goes before"
    assert loaded.verification_tail_ternary == loaded.verification_tail_binary == "{claim}: {search_results}"
    assert [each.label for each in loaded.demonstrations] == ["Supported", "Contradicted", "Inconclusive"]


def test_the_hash_of_every_file_that_was_read_is_kept(folder: Path) -> None:
    hashes = dict(load_prompt_folder(folder).hashes)
    assert len(hashes) == 9
    assert "verification_alpaca_template.txt" not in hashes
    content = (folder / "system_extraction.txt").read_bytes()
    assert hashes["system_extraction.txt"] == hashlib.sha256(content).hexdigest()


def test_the_judge_speaks_with_the_folders_words(folder: Path) -> None:
    request = PaperJudge("binary", load_prompt_folder(folder)).request(JudgingTask("X.", "snippets", ()))
    assert request.system == "You say yes or no."
    assert request.user.count("###Unsupported.###") == 2
    assert request.user.count("###Supported.###") == 1
    assert request.user.endswith("X.: (The search found nothing.)")


def test_one_file_is_enough(tmp_path: Path) -> None:
    (tmp_path / "system_extraction.txt").write_text("S", encoding="utf-8")
    loaded = load_prompt_folder(tmp_path)
    assert loaded == PromptFolder(extraction_system="S", hashes=loaded.hashes)


def test_examples_are_found_where_a_checkout_keeps_them(folder: Path) -> None:
    demos = folder.parent / "data" / "demos"
    demos.mkdir(parents=True)
    (folder / "few_shot_examples.jsonl").rename(demos / "few_shot_examples.jsonl")
    assert len(load_prompt_folder(folder).demonstrations) == 3


def test_older_names_of_the_extraction_templates(tmp_path: Path) -> None:
    (tmp_path / "qa_template.txt").write_text(EXTRACTION, encoding="utf-8")
    (tmp_path / "non_qa_template.txt").write_text("T" + EXTRACTION, encoding="utf-8")
    loaded = load_prompt_folder(tmp_path)
    assert (loaded.extraction_qa_template, loaded.extraction_text_template) == (EXTRACTION, "T" + EXTRACTION)


def test_byte_order_mark_and_windows_line_ends_do_not_show(tmp_path: Path) -> None:
    (tmp_path / "system_extraction.txt").write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert load_prompt_folder(tmp_path).extraction_system == "a\nb"


def test_an_instruction_without_fields_needs_no_examples(tmp_path: Path) -> None:
    """A fine-tuned model is asked without examples."""
    (tmp_path / "verification_instruction_binary.txt").write_text("Judge.", encoding="utf-8")
    user = PaperJudge("binary", load_prompt_folder(tmp_path)).request(JudgingTask("X.", "snippets", ())).user
    assert user == "Judge.\n\nClaim: X.\n\n(The search found nothing.)\n\nYour decision:"


def test_a_tail_may_hold_what_the_template_does_not(tmp_path: Path) -> None:
    (tmp_path / "extraction_qa_template.txt").write_text("Facts.", encoding="utf-8")
    (tmp_path / "tail_extraction.txt").write_text("{snippet} {sentence}", encoding="utf-8")
    assert load_prompt_folder(tmp_path).extraction_tail == "{snippet} {sentence}"


ODD = [
    ("an empty file", "system_extraction.txt", b" \n", "is empty"),
    ("not UTF-8", "system_extraction.txt", b"\xff\xfe", "not UTF-8"),
    ("a field is missing", "extraction_qa_template.txt", b"{snippet}", "{sentence} and {snippet}; it has {snippet}"),
    ("no field at all", "extraction_non_qa_template.txt", b"Facts", "it has none"),
    ("an unknown field", "extraction_qa_template.txt", b"{snippet} {sentence} {x}", "{x}"),
    ("positional where names belong", "extraction_qa_template.txt", b"{} {}", "must hold the fields"),
    ("names where positions belong", "verification_instruction_trinary.txt", b"{claim} {} {}", "not {claim}"),
    ("too few examples", "verification_instruction_trinary.txt", EXAMPLE.encode() * 4, "12 fields"),
    ("too many examples", "verification_instruction_binary.txt", EXAMPLE.encode(), "holds 3 examples"),
    ("a field too few", "verification_instruction_binary.txt", b"{}" * 8, "8 fields"),
    ("a task without its claim", "tail_verification.txt", b"{search_results}", "{claim} and {search_results}"),
    ("no JSON", "few_shot_examples.jsonl", b'{"claim"\n', "few_shot_examples.jsonl:1: not JSON"),
    ("no object", "few_shot_examples.jsonl", b"[1]\n", "few_shot_examples.jsonl:1: wants"),
    ("a key is missing", "few_shot_examples.jsonl", b'\n{"claim": "c"}\n', "few_shot_examples.jsonl:2: wants"),
    ("another label", "few_shot_examples.jsonl", example("Refuted").encode(), "human_label is none of"),
]


@pytest.mark.parametrize(("why", "name", "content", "message"), ODD, ids=[row[0] for row in ODD])
def test_an_odd_file_is_one_line_that_names_it(folder: Path, why: str, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load_prompt_folder(folder)
    text = str(caught.value)
    assert message in text
    assert text.startswith("prompts: ")
    assert name.partition(".")[0] in text
    assert "\n" not in text


def test_examples_that_are_missing_are_missed(folder: Path) -> None:
    (folder / "few_shot_examples.jsonl").unlink()
    with pytest.raises(ConfigurationError, match="holds 0 examples"):
        load_prompt_folder(folder)


def test_no_folder_and_no_prompt_in_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no folder"):
        load_prompt_folder(tmp_path / "none")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="holds no prompt file"):
        load_prompt_folder(tmp_path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "system_extraction.txt").chmod(0)
    with pytest.raises(ConfigurationError, match=r"system_extraction.txt: Permission denied"):
        load_prompt_folder(folder)


# ---------------------------------------------------------------- filling in


def test_templates_are_filled_in_one_pass() -> None:
    values = {"snippet": "{sentence} {} {{", "sentence": "s"}
    assert fill_template("{snippet}|{sentence}|{{x}}|{}", values, ["{snippet}"]) == "{sentence} {} {{|s|{x}|{snippet}"
    assert template_fields("{a} {} {{b}} {c d}") == ("a", "")


def test_a_field_without_a_value_raises() -> None:
    with pytest.raises(KeyError):
        fill_template("{a}", {})
    with pytest.raises(IndexError):
        fill_template("{} {}", {}, ["one"])


def test_a_demonstration_keeps_its_results_as_they_stand(folder: Path) -> None:
    (folder / "few_shot_examples.jsonl").write_text(
        "\n".join(example("Supported.", claim=f"{{claim}} {number}") for number in range(3)), encoding="utf-8"
    )
    assert load_prompt_folder(folder).demonstrations[2] == Demonstration("{claim} 2", "Search result 1", "Supported")
