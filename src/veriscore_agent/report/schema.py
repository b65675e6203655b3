"""The published JSON Schemas, made from the types themselves: ``python -m veriscore_agent.report.schema [FOLDER]``.

What the types say of a field in its docstring becomes its description. Every name that we write is required.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter

from veriscore_agent import domain
from veriscore_agent.core import statistics
from veriscore_agent.core.scoring import Summary, audit, changes, summary
from veriscore_agent.core.scoring.k import K_SCHEMA
from veriscore_agent.domain import STAGES, AnswerOutcome, AnswerScore, ClaimOutcome, Label
from veriscore_agent.report import run_record
from veriscore_agent.report.records import ANSWERS_SCHEMA, CLAIMS_SCHEMA
from veriscore_agent.report.run_record import RUN_SCHEMA, RunRecord
from veriscore_agent.report.summary_json import SUMMARY_SCHEMA

Schema = dict[str, Any]

FOLDER = Path("docs/schema")

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODULES: tuple[ModuleType, ...] = (domain, statistics, audit, changes, summary, run_record)


def schemas() -> dict[str, Schema]:
    """Every published schema by the name of its file."""
    return {
        "claims.schema.json": _claims(),
        "answers.schema.json": _answers(),
        "run.schema.json": _document(RUN_SCHEMA, "`run.json`", _of_type(RunRecord)),
        "summary.schema.json": _document(SUMMARY_SCHEMA, "What `--json` prints of a run", _of_type(Summary)),
        "k.schema.json": _document(K_SCHEMA, "`k.json`: K of each domain", _k()),
    }


def write_schemas(folder: Path) -> None:
    """Write all schemas into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_text(schema_text(schema), encoding="utf-8", newline="\n")


def schema_text(schema: Schema) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2) + "\n"


def _claims() -> Schema:
    schema = _of_type(ClaimOutcome)
    ternary = TypeAdapter(Label).json_schema()
    binary = TypeAdapter(domain.BinaryLabel).json_schema()
    both = _object({"ternary": ternary, "binary": binary}, "The claim's label in both terms.")
    nullable = {"anyOf": [both, {"type": "null"}]}
    labels = {
        "type": "object",
        "description": "The claim's label as it stood after each stage of the run; null where it is unscored.",
        "properties": {stage: nullable for stage in STAGES},  # noqa: C420 - it is never changed
        "additionalProperties": False,
    }
    return _document(CLAIMS_SCHEMA, "A line of `claims.jsonl`", schema, labels=labels)


def _answers() -> Schema:
    schema, score = _of_type(AnswerOutcome), _of_type(AnswerScore)
    schema["$defs"] |= score.pop("$defs")
    for name in ("answer", "stage"):
        del score["properties"][name]
        score["required"].remove(name)
    schema["$defs"]["AnswerScore"] = score
    scores = {
        "type": "object",
        "description": "Scores by stage; empty as long as K is not known.",
        "properties": {stage: {"$ref": "#/$defs/AnswerScore"} for stage in STAGES},
        "additionalProperties": False,
    }
    return _document(ANSWERS_SCHEMA, "A line of `answers.jsonl`", schema, scores=scores)


def _k() -> Schema:
    per_domain = {"type": "object", "additionalProperties": {"type": "number", "minimum": 1}}
    rule = {"type": "string", "description": "The rule as it was given."}
    return _object({"rule": rule, "k": per_domain}, "K of each domain, to be given to --k.")


def _object(properties: Mapping[str, Schema], description: str) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": list(properties),
    }


def _document(identity: str, title: str, schema: Schema, **added: Schema) -> Schema:
    """A whole schema, with the version that every record names and what is added to the type."""
    properties = {"schema": {"const": identity}, **added, **schema.pop("properties")}
    required = ["schema", *added, *schema.pop("required")]
    definitions = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
    head = {"$schema": _DIALECT, "$id": identity, "title": title}
    return {**head, **schema, "properties": properties, "required": required, **definitions}


def _of_type(kind: type) -> Schema:
    schema = TypeAdapter(kind).json_schema()
    schema["title"] = kind.__name__
    for each in (schema, *schema.get("$defs", {}).values()):
        if "properties" in each:
            _describe(each)
    return schema


def _describe(schema: Schema) -> None:
    """Put the field's docstring in the place of the title that pydantic makes up."""
    documented = dict(_field_docstrings(_class_named(schema.pop("title"))))
    for name, field in schema["properties"].items():
        field.pop("title", None)
        field.pop("default", None)
        if name in documented and "$ref" not in field:
            field["description"] = documented[name]
    schema["required"] = list(schema["properties"])


def _class_named(name: str) -> type:
    for module in _MODULES:
        found = vars(module).get(name)
        if isinstance(found, type) and is_dataclass(found):
            return found
    raise KeyError(f"no type of ours is called {name}")


def _field_docstrings(kind: type) -> Iterator[tuple[str, str]]:
    """The string that follows a field, as its docstring in one line."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    for field, after in pairwise(getattr(definition, "body", ())):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
