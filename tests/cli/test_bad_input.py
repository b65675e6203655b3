"""Whatever is found before the first paid call: one clear line, exit 2, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import RunCommand, write_answers
from tests.loopback import json_reply
from tests.services import Services

GOOD = '{"response": "Oslo is in Norway."}\n'

BAD_FILES = [
    ("an empty file", b"", [], "answers.jsonl: the file is empty"),
    ("not JSON on line 2", GOOD.encode() + b"{response}\n", [], "answers.jsonl:2: not JSON"),
    ("no response", b'{"question": "q"}\n', [], "answers.jsonl:1: no `response`"),
    ("an empty response", b'{"response": ""}\n', [], "answers.jsonl:1: `response` is empty"),
    ("NaN", b'{"response": "r", "x": NaN}\n', [], "answers.jsonl:1: NaN is not a JSON number"),
    ("one id twice", b'{"response":"r","id":1}\n' * 2, [], "answers.jsonl:2: id '1' was given on line 1 already"),
    ("too deep", b"[" * 100_000 + b"\n", [], "answers.jsonl:1: brackets are nested too deeply"),
    ("nothing left", b"{}\n", ["--skip-bad"], "none of its 1 lines can be used"),
]


@pytest.mark.parametrize(
    ("content", "words", "expected"), [row[1:] for row in BAD_FILES], ids=[r[0] for r in BAD_FILES]
)
def test_bad_files(command: RunCommand, tmp_path: Path, content: bytes, words: list[str], expected: str) -> None:
    (tmp_path / "answers.jsonl").write_bytes(content)
    with Services() as services:
        ended = command("score", "answers.jsonl", *words, services=services)
        assert services.requests("other") == services.requests("extract") == []
    assert_refused(ended.code, ended.out, ended.err, expected)
    assert [each.name for each in tmp_path.iterdir()] == ["answers.jsonl"]


LONG = "n" * 300

BAD_WORDS = [
    ("no such file", ["score", "none.jsonl"], "none.jsonl: no such file"),
    ("a folder", ["score", "."], ".: it is a folder"),
    ("an unknown option", ["score", "answers.jsonl", "--fast"], "unrecognized arguments: --fast"),
    ("no command", [], "the following arguments are required: COMMAND"),
    ("a limit of nothing", ["score", "answers.jsonl", "--limit", "0"], "'0' is no whole number from 1"),
    ("a wrong setting", ["score", "answers.jsonl", "--audit", "2"], "audit: 2.0 is not between 0 and 1"),
    (
        "no day",
        ["score", "answers.jsonl", "--as-of", "yesterday"],
        "as_of: 'yesterday' is no day; wanted is YYYY-MM-DD",
    ),
    (
        "an address for a domain",
        ["score", "answers.jsonl", "--exclude-domain", "https://a.example/x"],
        "exclude_domains: 'https://a.example/x' is no domain",
    ),
    (
        "a site both in and out",
        ["score", "answers.jsonl", "--only-domain", "a.example", "--exclude-domain", "b.example,a.example"],
        "exclude_domains: a.example is in only_domains too",
    ),
    ("a wrong field", ["score", "answers.jsonl", "--field", "answer=x"], "--field answer=x: wanted is OURS=THEIRS"),
    ("a wrong threshold", ["score", "answers.jsonl", "--fail-under", "pages=2"], "--fail-under pages=2: a stage"),
    (
        "a threshold that the run does not reach",
        ["score", "answers.jsonl", "--stages", "snippets", "--fail-under", "pages=0.5"],
        "--fail-under pages: the run does not go that far",
    ),
    ("a wrong K", ["score", "answers.jsonl", "--k", "none.csv"], "--k none.csv"),
    ("K without the domain", ["score", "answers.jsonl", "--k", "k.csv"], "--k k.csv: no K for the domain ''"),
    ("a settings file that is none", ["score", "answers.jsonl", "--config", "k.csv"], "settings file k.csv"),
    ("a live judge of nothing", ["score", "answers.jsonl", "--live", "judge"], "--live judge needs --replay"),
    ("I12: no such recording", ["score", "answers.jsonl", "--replay", "none"], "none: no such recording"),
    ("recording a replay", ["score", "answers.jsonl", "--replay", "x", "--record", "y"], "x: no such recording"),
    ("prompts that are not there", ["score", "answers.jsonl", "--prompts", "none"], "prompts: none is no folder"),
    ("a folder of something else", ["score", "answers.jsonl", "--out", "."], "holds other files and no run"),
    ("a cap without a price", ["score", "answers.jsonl", "--max-cost", "1", "--model", "x"], "max_cost needs prices"),
    ("a CSV that cannot be written", ["score", "answers.jsonl", "--csv", "none/c.csv"], "cannot write none/c.csv"),
    ("a CSV over the input", ["score", "answers.jsonl", "--csv", "./answers.jsonl"], "it is read here"),
    (
        "a CSV over the table of K",
        ["score", "answers.jsonl", "--k", "all.csv", "--csv", "all.csv"],
        "cannot write all.csv: it is read here; choose another file",
    ),
    ("a CSV in the run", ["score", "answers.jsonl", "--out", "run", "--csv", "run/c.csv"], "it lies in run, whose"),
    ("a run that is none", ["show", ".", "q1#1"], ".: not the folder of a run"),
    ("a run to rescore that is none", ["rescore", "none"], "none: not the folder of a run"),
    ("an empty claim", ["check", " "], "the claim is empty"),
    ("a replay of an unset variable", ["check", "Oslo.", "--replay", ""], "argument --replay: the path is empty"),
    ("a folder of an unset variable", ["score", "answers.jsonl", "--out", ""], "argument --out: the path is empty"),
    *(
        (f"a name that is too long: {words[-2]}", words, "n: File name too long")
        for words in (
            ["score", LONG],
            ["score", "answers.jsonl", "--out", LONG],
            ["score", "answers.jsonl", "-q", "--record", LONG],
            ["score", "answers.jsonl", "--replay", LONG],
            ["score", "answers.jsonl", "--prompts", LONG],
        )
    ),
]


@pytest.mark.parametrize(("words", "expected"), [row[1:] for row in BAD_WORDS], ids=[row[0] for row in BAD_WORDS])
def test_bad_words(command: RunCommand, tmp_path: Path, words: list[str], expected: str) -> None:
    write_answers(tmp_path)
    (tmp_path / "k.csv").write_text("history,4\n", encoding="utf-8")
    (tmp_path / "all.csv").write_text(",4\n", encoding="utf-8")
    with Services() as services:
        ended = command(*words, services=services)
        assert services.paid() == []
    assert_refused(ended.code, ended.out, ended.err, expected)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["all.csv", "answers.jsonl", "k.csv"]


def test_no_key(command: RunCommand, tmp_path: Path) -> None:
    ended = command("score", write_answers(tmp_path))
    assert_refused(ended.code, ended.out, ended.err, "no key for https://api.openai.com/v1; set OPENAI_API_KEY")
    assert [each.name for each in tmp_path.iterdir()] == ["answers.jsonl"]


def test_an_endpoint_that_cannot_be_reached(command: RunCommand, tmp_path: Path) -> None:
    with Services() as services:
        dead = services.environment()
    ended = command("score", write_answers(tmp_path), **dead)
    assert_refused(ended.code, ended.out, ended.err, "cannot be reached")
    assert [each.name for each in tmp_path.iterdir()] == ["answers.jsonl"]


REFUSALS = [
    ("a key that is refused at once", "other", 401, "check OPENAI_API_KEY"),
    ("a key that is refused at the first call", "extract", 401, "model: "),
    ("credit that is used up before the first call", "extract", 402, "model: "),
]


@pytest.mark.parametrize(
    ("kind", "status", "expected"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS]
)
def test_a_refusal_before_anything_is_paid(
    command: RunCommand, tmp_path: Path, kind: str, status: int, expected: str
) -> None:
    refusal = json_reply({"error": {"message": "refused", "code": "no"}}, status)
    with Services(lambda request, before, of_kind: refusal if of_kind == kind else None) as services:
        ended = command("score", write_answers(tmp_path), services=services)
    assert_refused(ended.code, ended.out, ended.err, expected, lines=3)
    assert [each.name for each in tmp_path.iterdir()] == ["answers.jsonl"]


def assert_refused(code: int, out: str, err: str, expected: str, lines: int = 1) -> None:
    """Exit 2, nothing on standard output, and the problem in one line of its own."""
    assert (code, out) == (2, "")
    assert expected in err.splitlines()[-1]
    assert len(err.splitlines()) <= lines
    assert "Traceback" not in err
