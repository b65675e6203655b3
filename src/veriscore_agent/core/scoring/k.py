"""K: how many claims an answer of a domain is expected to hold."""

from __future__ import annotations

import csv
import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from veriscore_agent.domain import AnswerOutcome
from veriscore_agent.errors import ConfigurationError, InputError

K_SCHEMA = "veriscore-agent/k/1"

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


KKind = Literal["reference", "median", "max", "number", "table"]

_RULES: Mapping[str, KKind] = {"reference": "reference", "median": "median", "max": "max"}


@dataclass(frozen=True, slots=True)
class KRule:
    """Where K comes from."""

    kind: KKind
    text: str
    """As the user wrote it: the name of a rule, a number, or the path of a table."""
    number: float = 0
    table: Mapping[str, float] = field(default_factory=dict)
    """K of each domain."""

    def missing(self, domains: Iterable[str]) -> tuple[str, ...]:
        """The domains that a table gives no K for: to be asked before anything is paid for."""
        if self.kind != "table":
            return ()
        return tuple(sorted(set(domains) - set(self.table)))


def parse_k_rule(text: str, *, read_file: Callable[[str], str] | None = None) -> KRule:
    """The rule that ``--k`` names: ``reference``, ``median``, ``max``, a number, or else the path of a table.

    ``read_file`` returns the text of a file by its path and is called for a table only; its OSError or
    UnicodeDecodeError becomes a ConfigurationError. Without it a path is a ConfigurationError too. Raises InputError
    where the table cannot be read.
    """
    if text in _RULES:
        return KRule(_RULES[text], text)
    number = _number(text)
    if number is not None:
        return KRule("number", text, number=number)
    if read_file is None:
        raise ConfigurationError(f"--k {text}: neither reference, median, max nor a number")
    try:
        content = read_file(text)
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        allowed = "neither reference, median, max or a number, nor a file of domain,K pairs"
        raise ConfigurationError(f"--k {text}: {allowed}: {reason}") from problem
    return KRule("table", text, table=parse_k_table(content, path=text))


def parse_k_table(content: str, *, path: str) -> dict[str, float]:
    """K of each domain, from lines ``domain,K`` (CSV, a heading allowed) or from the ``k.json`` of a run.

    Raises InputError with the line for what is no such pair, a domain given twice, or a file without any.
    """
    content = content.removeprefix("\ufeff")
    pairs = _json_pairs(content, path) if content.lstrip().startswith("{") else _csv_pairs(content, path)
    table: dict[str, float] = {}
    for domain, k, line in pairs:
        if domain in table:
            raise InputError(f"the domain {domain!r} is given twice", path=path, line=line)
        table[domain] = k
    if not table:
        raise InputError("no domain,K pair is in it", path=path)
    return table


def format_k_table(k: Mapping[str, float], rule: KRule) -> str:
    """The content of ``k.json``: the rule, and K of each domain, which ``--k`` reads back."""
    record = {"schema": K_SCHEMA, "rule": rule.text, "k": dict(k)}
    return json.dumps(record, ensure_ascii=True, allow_nan=False, indent=2) + "\n"


def k_by_domain(answers: Sequence[AnswerOutcome], rule: KRule) -> dict[str, float]:
    """K of every domain that has an answer, in order of appearance.

    K = max(1, rule over the number of distinct extracted claims, unscored ones included, of every answer that is no
    abstention, all models together). It is an int, except for a median between two counts. A domain of nothing but
    abstentions has K = 1. Raises ConfigurationError where a table lacks a domain.
    """
    counts: dict[str, list[int]] = {}
    for outcome in answers:
        of_domain = counts.setdefault(outcome.answer.domain, [])
        if not outcome.abstained:
            of_domain.append(outcome.claims)
    missing = rule.missing(counts)
    if missing:
        raise ConfigurationError(f"--k {rule.text}: no K for the domain {missing[0]!r}")
    return {domain: max(1, _apply(rule, domain, of_domain)) for domain, of_domain in counts.items()}


def _apply(rule: KRule, domain: str, counts: list[int]) -> float:
    if rule.kind == "number":
        return rule.number
    if rule.kind == "table":
        return rule.table[domain]
    if not counts:
        return 1
    if rule.kind == "max":
        return max(counts)
    if rule.kind == "median":
        return _whole(statistics.median(counts))
    # As the paper's code has it: of an even number of counts the upper of the two in the middle.
    return sorted(counts)[len(counts) // 2]


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def _csv_pairs(content: str, path: str) -> Iterable[tuple[str, float, int | None]]:
    reader = csv.reader(content.splitlines())
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            k = _number(cells[-1]) if len(cells) == 2 else None
            if k is not None:
                yield cells[0], k, reader.line_num
            elif any(cells) and not (reader.line_num == 1 and len(cells) == 2 and cells[1].lower() == "k"):
                raise InputError(f"{','.join(row)[:60]!r} is no pair of domain,K", path=path, line=reader.line_num)
    except csv.Error as problem:
        raise InputError(f"not CSV: {problem}", path=path, line=reader.line_num) from problem


def _json_pairs(content: str, path: str) -> Iterable[tuple[str, float, int | None]]:
    try:
        record: Any = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"not JSON: {problem}", path=path) from None
    pairs = record.get("k", record)
    if not isinstance(pairs, dict):
        raise InputError("'k' is no object of domain: K", path=path)
    for domain, value in pairs.items():
        k = None if isinstance(value, bool) else _number(str(value))
        if k is None:
            raise InputError(f"K of the domain {domain!r} is {value!r}, and no number", path=path)
        yield domain, k, None


def _number(text: str) -> float | None:
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    return _whole(float(text))
