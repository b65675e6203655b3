"""K: rules, tables, and where they apply."""

from __future__ import annotations

import pytest

from tests.outcomes import make_answer
from veriscore_agent.core.scoring import KRule, format_k_table, k_by_domain, parse_k_rule, parse_k_table
from veriscore_agent.errors import ConfigurationError, InputError


def no_file(path: str) -> str:
    raise FileNotFoundError(2, "No such file or directory", path)


def k_of(counts: list[int], rule: str) -> float:
    answers = [make_answer(count, id=str(number)) for number, count in enumerate(counts)]
    return k_by_domain(answers, parse_k_rule(rule))["d"]


# Counts, then K by reference, median and max.
RULES = [
    ([5], 5, 5, 5),  # one answer
    ([3, 1, 2], 2, 2, 3),
    ([1, 2, 3, 4], 3, 2.5, 4),  # an even number: the code takes the upper of the two, the median lies between
    ([2, 2, 4, 4], 4, 3, 4),
    ([4, 4, 4, 4], 4, 4, 4),
    ([0], 1, 1, 1),  # the rule gives 0: K is 1
    ([0, 0, 0, 9], 1, 1, 9),
    ([0, 1], 1, 1, 1),  # the median .5 is below 1
]


@pytest.mark.parametrize(("counts", "reference", "median", "most"), RULES)
def test_rules(counts: list[int], reference: float, median: float, most: float) -> None:
    assert [k_of(counts, rule) for rule in ("reference", "median", "max")] == [reference, median, most]


@pytest.mark.parametrize(("text", "k"), [("7", 7), ("0", 1), ("0.5", 1), ("3.5", 3.5), ("12.0", 12)])
def test_a_number_is_k_and_at_least_one(text: str, k: float) -> None:
    found = k_of([1, 2], text)
    assert found == k
    assert isinstance(found, float) == (k == 3.5)


def test_abstentions_do_not_count_in_k() -> None:
    answers = [make_answer(4, id="1"), *[make_answer(0, id=f"no{n}", abstained=True) for n in range(5)]]
    assert k_by_domain(answers, parse_k_rule("reference")) == {"d": 4}


def test_a_domain_of_abstentions_has_k_1() -> None:
    assert k_by_domain([make_answer(0, abstained=True)], parse_k_rule("max")) == {"d": 1}


def test_k_counts_claims_under_the_protocol() -> None:
    """Of the counts that an answer keeps, the run's protocol decides: here folded, not by exact text."""
    answers = [make_answer(3, id="1", exact=9), make_answer(3, id="2", exact=9)]
    assert k_by_domain(answers, parse_k_rule("reference")) == {"d": 3}


def test_each_domain_has_its_own_k() -> None:
    answers = [make_answer(count, id=f"{domain}{count}", domain=domain) for domain, count in (("a", 2), ("b", 9))]
    assert k_by_domain(answers, parse_k_rule("reference")) == {"a": 2, "b": 9}


@pytest.mark.parametrize(
    "content",
    [
        "FreshQA,4\nWritingPrompts,1\n",
        "domain,K\r\nFreshQA,4\r\n\r\nWritingPrompts,1",
        "\ufeffFreshQA, 4\nWritingPrompts,1.0\n",
        '{"FreshQA": 4, "WritingPrompts": 1}',
        '{"schema": "veriscore-agent/k/1", "rule": "max", "k": {"FreshQA": 4, "WritingPrompts": 1}}',
    ],
)
def test_tables_are_read_in_their_forms(content: str) -> None:
    assert parse_k_table(content, path="ks") == {"FreshQA": 4, "WritingPrompts": 1}


def test_a_domain_may_hold_a_comma() -> None:
    assert parse_k_table('"law, tax",3\n"",2\n', path="ks") == {"law, tax": 3, "": 2}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "no domain,K pair"),
        ("domain,K\n", "no domain,K pair"),
        ("a,1\na,2\n", "ks:2: the domain 'a' is given twice"),
        ("a,1\nb,many\n", "ks:2: 'b,many' is no pair"),
        ("a,1,2\n", "ks:1: 'a,1,2' is no pair"),
        ("a\n", "no pair"),
        ("a,-1\nb,2", "ks:1: 'a,-1' is no pair"),
        ("x" * 200_000, "not CSV: field larger"),
        ("h,K\na,nan\n", "ks:2: 'a,nan' is no pair"),
        ("{", "not JSON"),
        ('{"k": 3}', "no object"),
        ('{"a": true}', "'a' is True, and no number"),
        ('{"a": "4x"}', "and no number"),
        ('{"a": NaN}', "and no number"),
    ],
)
def test_bad_tables_are_refused_in_one_line(content: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        parse_k_table(content, path="ks")
    assert "\n" not in str(caught.value)


def test_what_a_run_writes_is_read_back() -> None:
    """Names in any script and odd characters too; a run is compared at the K of another."""
    k = {"a": 4, "b, c": 2.5, "歴史": 1, "\udc80": 3, "": 2}
    written = format_k_table(k, parse_k_rule("median"))
    rule = parse_k_rule("k.json", read_file=lambda path: written)
    assert (rule.kind, rule.text, rule.table) == ("table", "k.json", k)
    written.encode("utf-8")


def test_a_table_must_hold_every_domain() -> None:
    """Told before anything is paid for, and again where K is taken."""
    rule = parse_k_rule("ks.csv", read_file=lambda path: "a,3\n")
    assert rule.missing(["a", "b", "a"]) == ("b",)
    assert parse_k_rule("max").missing(["a"]) == ()
    with pytest.raises(ConfigurationError, match="no K for the domain 'b'"):
        k_by_domain([make_answer(1, domain="b")], rule)


@pytest.mark.parametrize("text", ["", "-3", "nan", "inf", "1e3", "²", "9" * 400, "Median", "there/is/none.csv"])
def test_anything_else_is_a_file_or_a_mistake(text: str) -> None:
    with pytest.raises(ConfigurationError, match="neither reference, median, max or a number, nor a file"):
        parse_k_rule(text, read_file=no_file)
    with pytest.raises(ConfigurationError, match="neither reference"):
        parse_k_rule(text)


def test_the_rule_keeps_its_text() -> None:
    assert parse_k_rule("12") == KRule("number", "12", number=12)
