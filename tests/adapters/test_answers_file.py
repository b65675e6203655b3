"""The input file: what is read, and what is refused with path, line and remedy."""

from __future__ import annotations

import io
import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from veriscore_agent.adapters.answers import AnswersFile, ReadingOptions, read_answers
from veriscore_agent.domain import Answer, GivenClaim, Snippet
from veriscore_agent.errors import InputError

GOOD = '{"response": "Oslo is in Norway."}\n'


def write(folder: Path, content: str | bytes) -> str:
    path = folder / "answers.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return str(path)


def write_rows(folder: Path, *rows: dict[str, Any]) -> str:
    return write(folder, "".join(json.dumps(row) + "\n" for row in rows))


def refused(source: str, options: ReadingOptions | None = None) -> str:
    with pytest.raises(InputError) as caught:
        read_answers(source, options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


READ = [
    ("K01: BOM and CRLF of Windows editors", b'\xef\xbb\xbf{"question":"q","response":"r"}\r\n', "r", "q"),
    ("no newline at the end", b'{"response":"r"}', "r", None),
    ("blank lines at the end are an editor's habit", b'{"response":"r"}\n\n  \n', "r", None),
    ("U+2028 inside a string does not end a line", '{"response":"a\u2028b"}\n'.encode(), "a\u2028b", None),
    ("an empty question is none", b'{"response":"r","question":" "}', "r", None),
    ("null is as good as absent", b'{"response":"r","question":null,"model":null,"id":null}', "r", None),
    ("other fields are nobody's business", b'{"response":"r","score":[1,{"x":0.5}]}', "r", None),
]


@pytest.mark.parametrize(("content", "response", "question"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_reads(tmp_path: Path, content: bytes, response: str, question: str | None) -> None:
    (answer,) = read_answers(write(tmp_path, content)).answers
    assert (answer.response, answer.question, answer.id, answer.given) == (response, question, "line-1", None)


BAD_ROWS = [
    ("K07: no response", '{"question":"q"}', "no `response`"),
    ("K07: null", '{"response":null}', "no `response`"),
    ("K07: a list", '{"response":["a"]}', "`response` is a list, where text is wanted"),
    ("K07: a number", '{"response":3}', "`response` is a number"),
    ("K07: a JSON list", "[1]", "a list, where a JSON object is wanted"),
    ("K07: a JSON null", "null", "null, where a JSON object is wanted"),
    ("K07: a JSON text", '"x"', "text, where a JSON object is wanted"),
    ("K07: a blank line between others", "", "a blank line"),
    ("K07: an empty response", '{"response":""}', "`response` is empty"),
    ("white space is no response", '{"response":" \\n\\t"}', "`response` is empty"),
    ("K08: an integer of 5,000 digits", '{"response":"r","n":' + "7" * 5000 + "}", "5,000 digits"),
    ("K08: 100,000 nested brackets", '{"response":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ("K08: 900 nested brackets", '{"response":"r","n":' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
    (
        "K08: one of 200,000 names twice, in bounded time",
        '{"response":"r",' + ",".join(f'"n{number % 199_999}":1' for number in range(200_000)) + "}",
        "the name 'n0' is given twice",
    ),
    ("K08: an infinite number", '{"response":"r","n":1e999}', "1e999 is too large"),
    ("K08: NaN", '{"response":"r","n":NaN}', "NaN is not a JSON number"),
    ("Infinity", '{"response":"r","n":-Infinity}', "-Infinity is not a JSON number"),
    ("K08: a name twice", '{"response":"r","response":"s"}', "the name 'response' is given twice"),
    ("not JSON", "{response: r}", "not JSON: Expecting property name"),
    ("cut off", '{"response": "Oslo', "not JSON"),
    ("two objects on one line", '{"response":"r"} {"response":"s"}', "Extra data"),
    ("a question of another type", '{"response":"r","question":["q"]}', "`question` is not text"),
    ("a model of another type", '{"response":"r","model":4}', "`model` is not text"),
    ("an id of another type", '{"response":"r","id":true}', "`id` is true or false"),
    ("an id that is a fraction", '{"response":"r","id":1.5}', "`id` is a number"),
    ("an empty id", '{"response":"r","id":""}', "`id` is empty"),
    ("an id that no terminal should see", '{"response":"r","id":"a\\u001b[2J"}', "control characters"),
    ("both forms in one line", '{"response":"r","claim":"c"}', "both `response` and `claim`"),
    ("an empty claim and no response", '{"claim":" "}', "`claim` is empty"),
    ("claims that are no texts", '{"response":"r","all_claims":[1]}', "`all_claims` is not a list of texts"),
    ("searches of another form", '{"response":"r","claim_search_results":[1]}', "`claim_search_results`"),
    ("results of another form", '{"claim":"c","search_results":"text"}', "`search_results`"),
    ("verdicts of another form", '{"response":"r","claim_verification_result":{"c":1}}', "claim_verification_result"),
]


@pytest.mark.parametrize(("line", "expected"), [row[1:] for row in BAD_ROWS], ids=[row[0] for row in BAD_ROWS])
def test_a_bad_line_is_refused_with_its_number_and_reason(tmp_path: Path, line: str, expected: str) -> None:
    source = write(tmp_path, GOOD + line + "\n" + GOOD)
    message = refused(source)
    assert message.startswith(f"{source}:2: ")
    assert expected in message


@pytest.mark.parametrize("line", [row[1] for row in BAD_ROWS], ids=[row[0] for row in BAD_ROWS])
def test_a_bad_line_can_be_skipped_and_is_counted(tmp_path: Path, line: str) -> None:
    read = read_answers(write(tmp_path, GOOD + line + "\n" + GOOD), ReadingOptions(skip_bad=True))
    assert [answer.id for answer in read.answers] == ["line-1", "line-3"]
    assert [problem.line for problem in read.skipped] == [2]


def test_bytes_that_are_not_utf8_are_refused_with_their_place(tmp_path: Path) -> None:
    message = refused(write(tmp_path, GOOD.encode() + '{"response":"Žofín"}\n'.encode("cp1250")))
    assert ":2: not UTF-8 (byte 0x8e at position 14)" in message


FOREIGN = [
    ("an empty file", b"", "empty"),
    ("only blank lines", b"\n\n", "empty"),
    ("gzip", b"\x1f\x8b\x08\x00", "gzip -dc"),
    ("a spreadsheet", b"PK\x03\x04", "zip archive or a spreadsheet"),
    ("Windows' Unicode text", '{"response":"r"}'.encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    ("a JSON list on one line", b'[{"response":"r"}]', "jq -c '.[]'"),
    ("a JSON list over several lines", b'[\n {"response":"r"}\n]', "jq -c '.[]'"),
    ("one object over several lines", b'{\n "response":"r"\n}', "jq -c ."),
    ("CSV", b"question,response\nq,r\n", "one JSON object a line is wanted"),
]


@pytest.mark.parametrize(("content", "expected"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN])
def test_another_format_is_named_with_the_way_out(tmp_path: Path, content: bytes, expected: str) -> None:
    assert expected in refused(write(tmp_path, content))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert refused(str(tmp_path / "none.jsonl")).endswith("none.jsonl: no such file")
    assert "it is a folder" in refused(str(tmp_path))
    assert "null" in refused("a\0b")


def test_when_every_line_is_bad_skipping_is_refused_too(tmp_path: Path) -> None:
    message = refused(write(tmp_path, "{}\n[1]\n"), ReadingOptions(skip_bad=True))
    assert "none of its 2 lines can be used" in message
    assert "no `response`" in message


def test_a_line_of_50_mb_is_read_over_without_being_held(tmp_path: Path) -> None:
    """K10: the row is refused by size, its neighbours are read, and memory stays at one line's limit."""
    path = tmp_path / "answers.jsonl"
    with path.open("wb") as stream:
        stream.write(GOOD.encode() + b'{"response":"')
        for _ in range(50):
            stream.write(b"x" * 1_000_000)
        stream.write(b'"}\n' + GOOD.encode())
    tracemalloc.start()
    read = read_answers(str(path), ReadingOptions(skip_bad=True, max_line_bytes=2_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [answer.id for answer in read.answers] == ["line-1", "line-3"]
    assert str(read.skipped[0]).endswith(":2: the line is longer than 2 MB")
    assert peak < 8_000_000


def test_the_default_size_limit_of_a_line_refuses_50_mb(tmp_path: Path) -> None:
    source = write(tmp_path, '{"response":"' + "x" * 50_000_000 + '"}\n')
    assert "longer than 16 MB" in refused(source)


def test_a_lone_surrogate_is_scored_with_a_warning(tmp_path: Path) -> None:
    """A20: half an emoji cannot be encoded, so it is replaced; whole emoji stay."""
    source = write(tmp_path, '{"response":"The bridge \\ud83d opened in 1931. \\ud83d\\ude00"}\n')
    read = read_answers(source)
    assert read.answers[0].response == "The bridge \ufffd opened in 1931. \U0001f600"
    assert read.warnings == (f"{source}:1: half a character (lone surrogate) in `response` is read as U+FFFD",)


def test_a_surrogate_deep_in_given_searches_is_mended_too(tmp_path: Path) -> None:
    source = write(tmp_path, '{"claim":"c","search_results":[{"title":"\\udc00","link":"l","snippet":"s"}]}\n')
    (answer,) = read_answers(source).answers
    assert answer.given is not None
    assert answer.given[0].snippets == (Snippet("S1", "\ufffd", "l", "s"),)


def test_duplicate_ids_name_both_lines(tmp_path: Path) -> None:
    rows = [{"response": "r", "id": "q1", "model": "m"}, {"response": "r", "id": "q2", "model": "m"}]
    message = refused(write_rows(tmp_path, *rows, {"response": "s", "id": "q1", "model": "m"}))
    assert ":3: id 'q1' of model 'm' was given on line 1 already" in message


def test_one_id_may_serve_several_models_and_numbers_are_ids(tmp_path: Path) -> None:
    rows = [{"response": "r", "id": 7, "model": "a"}, {"response": "r", "id": 7, "model": "b"}]
    assert [(each.model, each.id) for each in read_answers(write_rows(tmp_path, *rows)).answers] == [
        ("a", "7"),
        ("b", "7"),
    ]


def test_an_id_that_equals_a_line_number_name_is_a_duplicate(tmp_path: Path) -> None:
    assert "already" in refused(write_rows(tmp_path, {"response": "r", "id": "line-2"}, {"response": "s"}))


def test_fields_can_be_mapped_to_other_names(tmp_path: Path) -> None:
    row = {"output": "r", "prompt": "q", "domain": "d", "response": {"not": "text"}}
    fields = {"response": "output", "question": "prompt", "prompt_source": "domain"}
    (answer,) = read_answers(write_rows(tmp_path, row), ReadingOptions(fields=fields)).answers
    assert (answer.response, answer.question, answer.domain) == ("r", "q", "d")


def test_a_mapped_field_that_is_absent_is_named_by_the_users_name(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"response": "r"})
    assert "no `output`, which --field names" in refused(source, ReadingOptions(fields={"response": "output"}))


def test_a_missing_response_suggests_a_field_that_is_there(tmp_path: Path) -> None:
    assert "--field response=output" in refused(write_rows(tmp_path, {"output": "r", "question": "q"}))


def test_the_limit_takes_the_first_answers_and_reads_no_further(tmp_path: Path) -> None:
    source = write(tmp_path, GOOD * 3 + "broken\n")
    assert [each.id for each in read_answers(source, ReadingOptions(limit=3)).answers] == ["line-1", "line-2", "line-3"]
    assert ":4: not JSON" in refused(source, ReadingOptions(limit=4))


def test_standard_input_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b'\xef\xbb\xbf{"response":"r"}\r\nx'), encoding="ascii")
    )
    read = read_answers("-", ReadingOptions(skip_bad=True))
    assert (read.name, read.answers[0].response) == ("standard input", "r")
    assert str(read.skipped[0]).startswith("standard input:2: ")


# ---------------------------------------------------------------- claims


SOURCES = [
    ("https://a.example/x", ("https://a.example/x",)),
    ([" https://a.example/x ", "http://b.example", "https://a.example/x"], ("https://a.example/x", "http://b.example")),
    ("wikipedia", ()),
    (["wikipedia", 3, None, "ftp://a.example/x"], ()),
    ({"name": "x"}, ()),
    (None, ()),
]


@pytest.mark.parametrize(("source", "links"), SOURCES)
def test_the_links_that_an_answer_was_written_from_are_read(
    tmp_path: Path, source: Any, links: tuple[str, ...]
) -> None:
    """``source`` is a common name: what is no link in it is left alone."""
    path = write_rows(tmp_path, {"response": "A.", "source": source}, {"response": "B.", "url": source})
    assert [answer.sources for answer in read_answers(path).answers] == [links, ()]
    (mapped,) = read_answers(
        write_rows(tmp_path, {"response": "A.", "url": source}), ReadingOptions(fields={"source": "url"})
    ).answers
    assert mapped.sources == links


def test_the_sources_of_gathered_claims_are_those_of_all_of_them(tmp_path: Path) -> None:
    rows = [
        {"claim": f"Claim {number}.", "answer_id": "a", "source": f"https://{site}.example/"}
        for number, site in enumerate("bab")
    ]
    (answer,) = read_answers(write_rows(tmp_path, *rows)).answers
    assert answer.sources == ("https://b.example/", "https://a.example/")


@pytest.mark.parametrize(
    ("said", "date"), [("Mar 3, 2024", "2024-03-03"), ("3 days ago", None), (3, None), (None, None)]
)
def test_given_results_carry_their_date(tmp_path: Path, said: Any, date: str | None) -> None:
    row = {"claim": "A.", "search_results": [{"title": "T", "link": "https://a.example/", "date": said}]}
    (answer,) = read_answers(write_rows(tmp_path, row)).answers
    assert answer.given
    assert answer.given[0].snippets == (Snippet("S1", "T", "https://a.example/", "", date=date),)


def test_each_claim_of_a_claims_only_file_is_an_answer_of_its_own(tmp_path: Path) -> None:
    rows = [{"claim": " One. ", "id": "c1", "prompt_source": "d"}, {"claim": "Two.", "model": "m"}]
    assert read_answers(write_rows(tmp_path, *rows)).answers == (
        Answer("c1", "", domain="d", given=(GivenClaim("One.", id="c1"),)),
        Answer("line-2", "", model="m", given=(GivenClaim("Two.", id="m/line-2"),)),
    )


def test_claims_with_an_answer_id_are_gathered_even_when_apart(tmp_path: Path) -> None:
    rows = [
        {"claim": "One.", "answer_id": "a", "id": "x"},
        {"claim": "Two.", "answer_id": "b"},
        {"claim": "Three.", "answer_id": "a", "id": "y"},
    ]
    source = write_rows(tmp_path, *rows)
    for limit, count in ((None, 2), (1, 1)):
        answers = read_answers(source, ReadingOptions(limit=limit)).answers
        assert len(answers) == count
        assert answers[0].given == (GivenClaim("One.", id="a#x"), GivenClaim("Three.", id="a#y"))


def test_claims_of_several_models_and_answers_have_names_of_their_own(tmp_path: Path) -> None:
    groups = [
        {},
        {"model": "m"},
        {"model": "n"},
        {"answer_id": "a"},
        {"answer_id": "b"},
        {"answer_id": "a", "model": "m"},
    ]
    source = write_rows(tmp_path, *({"claim": "c", "id": 1, **group} for group in groups))
    names = [claim.id for answer in read_answers(source).answers for claim in answer.given or ()]
    assert names == ["1", "m/1", "n/1", "a#1", "b#1", "m/a#1"]


GROUPS = [
    ("one claim id twice", {"answer_id": "a", "id": "x"}, {"answer_id": "a", "id": "x"}, "claim 'a#x' of answer 'a'"),
    ("two domains", {"answer_id": "a"}, {"answer_id": "a", "prompt_source": "d"}, "another `prompt_source`"),
    ("two questions", {"answer_id": "a", "question": "q"}, {"answer_id": "a"}, "or `question` than answer 'a' has"),
    ("a group and a single claim of one name", {"answer_id": "a"}, {"id": "a"}, "id 'a' was given on line 1"),
]


@pytest.mark.parametrize(("first", "second", "expected"), [row[1:] for row in GROUPS], ids=[row[0] for row in GROUPS])
def test_claims_that_contradict_their_group_are_refused(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], expected: str
) -> None:
    message = refused(write_rows(tmp_path, {"claim": "c", **first}, {"claim": "d", **second}))
    assert ":2: " in message
    assert expected in message


def test_claims_carry_their_searches_and_reference_labels(tmp_path: Path) -> None:
    row = {"claim": "c", "label": "inconclusive", "search_results": [{"title": "t", "link": "l"}]}
    read = read_answers(write_rows(tmp_path, row), ReadingOptions(fields={"reference_label": "label"}))
    assert read.answers[0].given == (
        GivenClaim("c", snippets=(Snippet("S1", "t", "l", ""),), reference_label="inconclusive", id="line-1"),
    )


# ---------------------------------------------------------------- the authors' files

RESULT = {"title": "T", "snippet": "S", "link": "https://a.example/"}
SHOWN = (
    "Search result 1\nTitle: T\nLink: https://a.example/\nContent: S\n\n"
    "Search result 2\nTitle: U: V\nLink: l\nContent: two\nlines\n\n"
)


def given(folder: Path, **row: Any) -> tuple[GivenClaim, ...] | None:
    (answer,) = read_answers(write_rows(folder, {"response": "r", **row})).answers
    return answer.given


@pytest.mark.parametrize("name", ["all_claims", "all_claim_lst"])
def test_claims_of_the_first_stage_are_taken_under_both_names(tmp_path: Path, name: str) -> None:
    lists = [["No verifiable claim."], ["One.", "Two."], ["One."]]
    source = write_rows(tmp_path, {"response": "r", "claim_list": lists, name: ["One.", "Two."]})
    (answer,) = read_answers(source).answers
    assert answer.given == (GivenClaim("One."), GivenClaim("Two."))
    assert answer.given_sentences == 3


def test_claims_by_sentence_are_enough_and_no_claim_is_no_claim(tmp_path: Path) -> None:
    lists = [["No verifiable claim."], ["One.", "no verifiable claims"], ["One."], []]
    assert given(tmp_path, claim_list=lists) == (GivenClaim("One."),)
    assert given(tmp_path, claim_list=[["No verifiable claim."]]) == ()


def test_searches_and_verdicts_of_the_later_stages_are_kept(tmp_path: Path) -> None:
    claims = given(
        tmp_path,
        all_claims=["One.", "Two.", "Three."],
        claim_search_results={"One.": [RESULT], "Two.": []},
        claim_verification_result=[{"claim": "One.", "search_results": "x", "verification_result": "unsupported"}],
    )
    assert claims == (
        GivenClaim("One.", (Snippet("S1", "T", "https://a.example/", "S"),), "unsupported"),
        GivenClaim("Two.", ()),
        GivenClaim("Three.", None),
    )


def test_evidence_kept_as_text_alone_is_read_back(tmp_path: Path) -> None:
    verdict = {"claim": "One.", "search_results": SHOWN, "verification_result": "supported"}
    claims = given(tmp_path, claim_verification_result=[verdict])
    assert claims is not None
    assert claims[0].reference_label == "supported"
    assert claims[0].snippets == (
        Snippet("S1", "T", "https://a.example/", "S"),
        Snippet("S2", "U: V", "l", "two\nlines"),
    )


def test_an_answer_that_the_file_calls_abstained_is_not_extracted(tmp_path: Path) -> None:
    assert given(tmp_path, abstained=True) == ()
    assert given(tmp_path, abstained=False) is None


def test_the_authors_own_output_is_read_whole(shared_data: Path, tmp_path: Path) -> None:
    """Every claim of the real file comes with its searches and verdict, and both forms of its evidence agree."""
    path = shared_data / "data" / "veriscore_reference_output.jsonl"
    row = json.loads(path.read_text(encoding="utf-8"))
    read: AnswersFile = read_answers(str(path))
    (answer,) = read.answers
    assert answer.given is not None
    assert [claim.text for claim in answer.given] == row["all_claim_lst"]
    assert [claim.reference_label for claim in answer.given].count("supported") == 24
    assert answer.given_sentences == len(row["claim_list"])
    assert (answer.model, answer.domain) == ("gpt-4o", "ShareGPT")
    del row["claim_search_results"]
    (same,) = read_answers(write_rows(tmp_path, row)).answers
    assert same.given == answer.given
