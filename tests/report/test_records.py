"""Records say everything that the types do, in JSON that every reader accepts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from tests.conftest import ROOT
from tests.outcomes import make_answer, make_claims, make_run
from tests.report.strategies import ANSWERS, CLAIMS, SUMMARIES
from veriscore_agent import domain
from veriscore_agent.core.scoring import KRule, Summary, format_k_table, parse_k_rule, score_all, summarize
from veriscore_agent.domain import LABELS, STAGES, AnswerOutcome, Claim, ClaimOutcome, Verdict
from veriscore_agent.errors import InputError
from veriscore_agent.report.json_values import json_value
from veriscore_agent.report.records import answer_record, claim_record, read_answer_record, read_claim_record
from veriscore_agent.report.run_record import (
    InputRecord,
    RecordingRecord,
    RunRecord,
    SessionRecord,
    SoftwareRecord,
    UsageRecord,
    read_run_record,
    run_record_json,
)
from veriscore_agent.report.schema import schema_text, schemas
from veriscore_agent.report.summary_json import summary_json

SCHEMAS = schemas()


def strict(text: str) -> Any:
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def written(record: dict[str, Any]) -> Any:
    """The record as it comes back from a file."""
    return strict(json.dumps(record, ensure_ascii=False).encode("utf-8").decode("utf-8"))


def check(record: Any, name: str) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[name]).validate(record)


@settings(max_examples=40)
@given(CLAIMS)
def test_claims_come_back_as_they_were(outcome: ClaimOutcome) -> None:
    record = written(claim_record(outcome))
    assert read_claim_record(record) == outcome
    check(record, "claims.schema.json")


@settings(max_examples=60)
@given(ANSWERS)
def test_answers_come_back_as_they_were(outcome: AnswerOutcome) -> None:
    record = written(answer_record(outcome))
    assert read_answer_record(record) == outcome
    check(record, "answers.schema.json")


def test_the_strategies_leave_no_field_out() -> None:
    """A field that is new must be in the round trip too: each takes another value than its default somewhere."""
    kinds = [kind for kind in vars(domain).values() if isinstance(kind, type) and dataclasses.is_dataclass(kind)]
    in_records = {kind.__name__ for kind in kinds} & _names(SCHEMAS["claims.schema.json"])
    assert {"Verdict", "Finding", "PageVisit", "Passage", "Snippet", "Claim"} <= in_records
    found: dict[str, set[str]] = {}

    @settings(max_examples=80, database=None, derandomize=True)
    @given(CLAIMS)
    def collect(outcome: ClaimOutcome) -> None:
        for value in _walk(outcome):
            for each in dataclasses.fields(value):
                if getattr(value, each.name) != each.default:
                    found.setdefault(type(value).__name__, set()).add(each.name)

    collect()
    for kind in kinds:
        if kind.__name__ in in_records | {"ClaimOutcome"}:
            assert {each.name for each in dataclasses.fields(kind)} == found[kind.__name__]


def _names(schema: dict[str, Any]) -> set[str]:
    return set(schema["$defs"])


def _walk(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        yield value
        for each in dataclasses.fields(value):
            yield from _walk(getattr(value, each.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _walk(item)


@pytest.mark.parametrize("label", LABELS)
def test_every_label_makes_the_round_trip(label: domain.Label) -> None:
    """S10: each label is written as itself and read as itself."""
    (claim,) = make_claims(make_answer(1), label[0].upper())
    record = written(claim_record(claim))
    assert record["verdicts"][0]["label"] == label
    assert read_claim_record(record).verdicts[0].label == label


def test_an_unknown_label_is_refused() -> None:
    """S10: a label of another program is not taken for one of ours."""
    record = written(claim_record(make_claims(make_answer(1), "S")[0]))
    record["verdicts"][0]["label"] = "refuted"
    with pytest.raises(InputError, match=r"^run/claims.jsonl:7: verdicts.0.label: Input should be 'supported'"):
        read_claim_record(record, path="run/claims.jsonl", line=7)


def test_labels_of_all_stages_stand_beside_the_verdicts() -> None:
    claims = make_claims(make_answer(3), "IS C U")
    labels = [claim_record(claim, stages=("snippets", "pages"))["labels"] for claim in claims]
    inconclusive = {"ternary": "inconclusive", "binary": "unsupported"}
    supported = {"ternary": "supported", "binary": "supported"}
    contradicted = {"ternary": "contradicted", "binary": "unsupported"}
    assert labels == [
        {"snippets": inconclusive, "pages": supported},
        {"snippets": contradicted, "pages": contradicted},
        {"snippets": None, "pages": None},
    ]


def test_scores_stand_by_stage_in_an_answer() -> None:
    answers, claims = make_run((make_answer(2), "IS C"))
    (scored,) = score_all(answers, claims, k={"d": 2.5})
    record = written(answer_record(scored.outcome, tuple(scored.scores.values())))
    check(record, "answers.schema.json")
    assert list(record["scores"]) == list(STAGES)
    assert record["scores"]["snippets"]["f1"] == 0
    assert record["scores"]["pages"] | {"f1": 0} == {
        **{"supported": 1, "contradicted": 1, "inconclusive": 0, "unscored": 0, "unextracted": 0, "k": 2.5},
        **{"precision": 0.5, "recall": 0.4, "f1": 0, "low": scored.scores["pages"].f1},
        **{"high": scored.scores["pages"].f1, "abstained": False, "sentences": 0, "failed": False},
    }
    assert read_answer_record(record) == scored.outcome


def test_equal_outcomes_are_equal_lines() -> None:
    """Names stand in one order, so that runs can be compared file by file."""
    one, other = (json.dumps(claim_record(make_claims(make_answer(1), "IS")[0])) for _ in range(2))
    assert one == other
    assert list(json.loads(one))[:4] == ["schema", "labels", "claim", "answer"]


@pytest.mark.parametrize("record", [{}, {"schema": None}, {"schema": "veriscore-agent/claims/2"}])
def test_another_version_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="this version reads 'veriscore-agent/claims/1'"):
        read_claim_record(record)


@pytest.mark.parametrize("name", ["claim", "answer"])
def test_a_record_with_a_hole_is_refused(name: str) -> None:
    record = claim_record(make_claims(make_answer(1), "S")[0])
    del record[name]
    with pytest.raises(InputError, match=f"{name}: (Field|Missing)"):
        read_claim_record(record)


SURROGATES = [
    "\ud800",
    "a\udfffb",
    "\udc80" * 3,
]


@pytest.mark.parametrize("text", SURROGATES)
def test_lone_surrogates_do_not_break_the_writing(text: str) -> None:
    """One character for one: spans of quotes still fit, and strict readers take the line."""
    claim = replace(make_claims(make_answer(1), "S")[0], claim=Claim(text, text, wordings=(text,)))
    read = read_claim_record(written(claim_record(claim)))
    assert len(read.claim.text) == len(text)
    assert "\ufffd" in read.claim.wordings[0]
    answer = make_answer(1, id=text, model=text, domain=text, question=text)
    assert len(read_answer_record(written(answer_record(answer))).answer.id) == len(text)
    summary = summarize([answer], make_claims(answer, "S"), k_rule=KRule("reference", "reference"))
    strict(summary_json(summary).encode("utf-8").decode("utf-8"))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_does_not_know_is_null(number: float) -> None:
    """K06: a bare NaN makes a file unreadable."""
    assert json_value({"f1": number, "all": [number, 0.5]}) == {"f1": None, "all": [None, 0.5]}


def test_text_of_every_script_is_written_as_it_is() -> None:
    claim = replace(make_claims(make_answer(1), "S")[0], claim=Claim("1", "Ž ✅ → 歴史\u2028"))
    line = json.dumps(claim_record(claim), ensure_ascii=False)
    assert "Ž ✅ → 歴史" in line
    assert read_claim_record(strict(line)) == claim


def test_a_record_holds_no_time_and_no_cost() -> None:
    """Equal runs are equal files."""
    names = {name for file in ("claims", "answers") for name in _property_names(SCHEMAS[f"{file}.schema.json"])}
    assert {"verdicts", "extractor", "detail"} <= names
    assert not {name for name in names if name.endswith(("_s", "_ms", "_at", "time", "seconds", "cost", "usd"))}


def _property_names(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from _property_names(value)


@settings(max_examples=60, deadline=None)
@given(SUMMARIES)
def test_every_summary_is_strict_json_of_its_schema(rows: list[Any]) -> None:
    """Empty, abstained, failed or audited: no NaN anywhere, and the published schema holds."""
    check(strict(summary_json(_summary(rows))), "summary.schema.json")


def _summary(rows: list[Any]) -> Summary:
    pairs = []
    for number, (model, domain_name, words, unextracted, declined) in enumerate(rows):
        abstained = declined and not words and not unextracted
        answer = make_answer(
            len(words), id=str(number), model=model, domain=domain_name, unextracted=unextracted, abstained=abstained
        )
        pairs.append((answer, " ".join(words)))
    return summarize(*make_run(*pairs), k_rule=KRule("median", "median"), resamples=20)


@settings(max_examples=20, deadline=None)
@given(SUMMARIES)
def test_a_run_comes_back_as_it_was(rows: list[Any]) -> None:
    """``run.json`` with its scores, through a file, and as its published schema says."""
    summary = _summary(rows)
    usage = {"judge": UsageRecord(3, 900, 100, 60, None)}
    run = RunRecord(
        status="complete",
        software=SoftwareRecord("0.1.0", "3.12.1", {"langgraph": "1.2.24"}),
        settings={"model": "m", "seed": None, "audit": 0.5, "second_look": False},
        prompts={"judge_first.v1.md": "ab"},
        prompts_folder={},
        input=InputRecord("answers.jsonl", len(rows), "cd", skipped=("line 3: no response",)),
        recording=RecordingRecord(),
        sessions=(SessionRecord("2026-11-30T10:00:00Z", None, "stopped", "budget", 0.25, usage),),
        summary=summary,
    )
    record = written(run_record_json(run))
    check(record, "run.schema.json")
    assert read_run_record(record, path="run.json") == run


def test_a_k_table_is_of_its_schema() -> None:
    check(strict(format_k_table({"a": 2.5, "": 1}, parse_k_rule("median"))), "k.schema.json")


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_published_schemas_are_up_to_date(name: str) -> None:
    """If this fails, run `python -m veriscore_agent.report.schema` and look at what it changed."""
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert (ROOT / "docs" / "schema" / name).read_text(encoding="utf-8") == schema_text(SCHEMAS[name])


def test_schemas_refuse_what_we_never_write() -> None:
    """The schema is no blank cheque: a label, a number or a name gone wrong is seen."""
    record = written(claim_record(make_claims(make_answer(1), "S")[0]))
    validator = jsonschema.Draft202012Validator(SCHEMAS["claims.schema.json"])
    assert validator.is_valid(record)
    wrong: list[dict[str, Any]] = [
        record | {"schema": "veriscore-agent/claims/2"},
        record | {"labels": {"snippets": {"ternary": "supported", "binary": "yes"}}},
        record | {"ended": "because"},
        {name: value for name, value in record.items() if name != "verdicts"},
        record | {"verdicts": [{"label": "supported"}]},
    ]
    assert not [each for each in wrong if validator.is_valid(each)]


def test_fields_are_described() -> None:
    """What the type says of a field is in the schema."""
    passage = SCHEMAS["claims.schema.json"]["$defs"]["Passage"]
    assert passage["properties"]["id"]["description"].startswith("Names it in prompts")
    assert Verdict.__doc__
    assert SCHEMAS["claims.schema.json"]["$defs"]["Verdict"]["description"] == Verdict.__doc__
