"""Model text as it comes: hidden reasoning, refusals, and JSON in every state."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veriscore_agent.core.verification.replies import looks_like_refusal, reply_text, strip_reasoning, unreadable
from veriscore_agent.core.verification.tolerant_json import find_json
from veriscore_agent.domain import ModelReply
from veriscore_agent.errors import ModelOutputError

REASONING = [
    ("no reasoning", "###Supported###", "###Supported###"),
    ("a block in front", "<think>maybe contradicted</think>\n\n###Supported###", "###Supported###"),
    ("another name, another case", "<Thinking>hm</THINKING>Supported", "Supported"),
    ("two blocks", "<think>a</think>x<think>b</think>y", "xy"),
    ("never closed: no answer followed", "<think>the claim is supported", ""),
    ("never closed, after an answer", "Supported\n<think>or is it", "Supported"),
    ("closed but not opened, as some servers send it", "result 2 is wrong\n</think>\nSupported", "Supported"),
    ("a second block that only closes", "<think>a</think>b</think>c", "c"),
    ("a tag quoted inside JSON is text", '{"quote": "the <think> tag"}', '{"quote": "the <think> tag"}'),
    (
        "a closing tag quoted inside fenced JSON",
        '```json\n{"quote": "</think>"}\n```',
        '```json\n{"quote": "</think>"}\n```',
    ),
    ("JSON after reasoning", '<think>{"a": 1}</think>{"b": 2}', '{"b": 2}'),
    ("chat markers", "<|start_of_answer|>Supported<|eot_id|>", "Supported"),
    ("empty", "", ""),
]


@pytest.mark.parametrize(("why", "text", "left"), REASONING, ids=[row[0] for row in REASONING])
def test_reasoning_is_no_answer(why: str, text: str, left: str) -> None:
    assert strip_reasoning(text) == left
    assert strip_reasoning(left) == left, "a second time changes nothing"


def test_many_blocks_do_not_recurse() -> None:
    assert strip_reasoning("<think>a</think>" * 3_000 + "end") == "end"


@pytest.mark.parametrize(
    "text",
    [
        "I apologize, but I cannot verify this claim with the given context.",
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I can’t assist with that request.",
        "Sorry, I can't do that.",
        "I can't fulfill this request.",
        "I cannot comply.",
        "I am unable to judge this claim.",
        "I'm not able to help with this.",
        "Unfortunately, I cannot provide this.",
        "As an AI language model, I do not judge people.",
        "\ufeff**I won't do this.**",
        "We apologise for the inconvenience.",
    ],
)
def test_a_refusal_is_known(text: str) -> None:
    assert looks_like_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Inconclusive: I cannot find a date.",
        "Supported",
        "",
        '{"findings": []}',
        "In 1931 I was sorry.",
        "I canoed there.",
    ],
)
def test_what_is_no_refusal(text: str) -> None:
    assert not looks_like_refusal(text)


@pytest.mark.parametrize(
    "text", ["", "   ", ".", "###", "######", "\u200b\ufeff", "<think>x</think>", "<think>x", None]
)
def test_an_empty_reply_is_unreadable_and_says_how_it_ended(text: Any) -> None:
    with pytest.raises(ModelOutputError, match="'stop'") as caught:
        reply_text(ModelReply(text=text))
    assert caught.value.reason == "unreadable_reply"
    with pytest.raises(ModelOutputError, match="'length'") as caught:
        reply_text(ModelReply(text=text, finish_reason="length"))
    assert caught.value.reason == "output_cut"


def test_the_reason_of_an_unreadable_reply() -> None:
    """A refusal goes before a cut: asking with more room would not help."""
    assert unreadable(ModelReply("I'm sorry, but", "length"), "JSON").reason == "model_refused"
    assert unreadable(ModelReply('{"a', "length"), "JSON").reason == "output_cut"
    assert unreadable(ModelReply("Hm.", "stop"), "JSON").reason == "unreadable_reply"
    assert unreadable(ModelReply("<think>Sorry</think>Hm."), "JSON").reason == "unreadable_reply"


WHOLE: list[tuple[str, str, list[Any]]] = [
    ("plain", '{"a": 1, "b": [true, null, -2.5e3]}', [{"a": 1, "b": [True, None, -2500.0]}]),
    ("fenced", '```json\n{"a": 1}\n```', [{"a": 1}]),
    ("prose around", 'Here it is: {"a": 1}. I hope that helps [really].', [{"a": 1}]),
    (
        "an apostrophe escaped",
        r'{"why": "the page says \'opened\' in 1931"}',
        [{"why": "the page says 'opened' in 1931"}],
    ),
    ("a backslash of the text", r'{"path": "C:\docs \d"}', [{"path": r"C:\docs \d"}]),
    ("escapes that are right", r'{"a": "\u00e9\n\"\\\/ \ud83d\ude00"}', [{"a": 'é\n"\\/ 😀'}]),
    ("half a surrogate pair", r'{"a": "x \ud83d y"}', [{"a": "x \ufffd y"}]),
    ("trailing commas", '{"a": [1, 2,], "b": 3,}', [{"a": [1, 2], "b": 3}]),
    ("a line break in a string", '{"a": "one\ntwo"}', [{"a": "one\ntwo"}]),
    ("brackets in a string", '{"a": "} ] {"}', [{"a": "} ] {"}]),
    ("an array of one object", '[{"a": 1}]', [{"a": 1}]),
    ("words as Python writes them", '{"a": True, "b": None}', [{"a": True, "b": None}]),
    ("two objects", '{"a": 1} or rather {"a": 2}', [{"a": 1}, {"a": 2}]),
    ("broken, and what is inside stays hidden", '{"a": oops, "b": {"label": "Supported"}} {"c": 1}', [None, {"c": 1}]),
    ("a key twice is broken", '{"a": 1, "a": 2}', [None]),
    ("nested beyond reason", '{"a":' * 60 + "1" + "}" * 60, [None]),
    ("a footnote mark", "see [1] and [a, b]", []),
    ("none", "no JSON here", []),
]


@pytest.mark.parametrize(("why", "text", "values"), WHOLE, ids=[row[0] for row in WHOLE])
def test_whole_json(why: str, text: str, values: list[Any]) -> None:
    found = find_json(text)
    assert [each.value for each in found] == values
    assert not any(each.cut for each in found)


CUT: list[tuple[str, str, Any, str | None]] = [
    ("in a string", '{"label": "Contradicted", "why": "result 2 states the year 19', {"label": "Contradicted"}, "why"),
    ("in the label", '{"label": "Contra', {}, "label"),
    ("in a number, which may go on", '{"part": 1', {}, "part"),
    ("in a word", '{"clear": tru', {}, "clear"),
    ("in a key", '{"a": 1, "b', {"a": 1}, None),
    ("after a colon", '{"a": 1, "b":', {"a": 1}, "b"),
    ("after a whole member", '{"a": "x"', {"a": "x"}, None),
    ("after a comma", '{"a": "x", ', {"a": "x"}, None),
    ("in an array", '{"a": [{"b": "c"}, {"b": "d', {"a": [{"b": "c"}, {}]}, "a"),
    ("before an array closes", '{"a": [1, 2', {"a": [1]}, "a"),
    ("in an array of one object", '[{"label": "Supported", "why": "x', {"label": "Supported"}, "why"),
    ("in an escape", '{"a": "x\\', {}, "a"),
]


@pytest.mark.parametrize(("why", "text", "value", "unfinished"), CUT, ids=[row[0] for row in CUT])
def test_cut_json_keeps_what_was_whole_and_names_what_was_not(
    why: str, text: str, value: Any, unfinished: str | None
) -> None:
    (found,) = find_json(text)
    assert found.cut
    assert (found.value, found.unfinished) == (value, unfinished)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, min_size=2, max_size=5), st.booleans())
def test_right_json_is_read_as_the_standard_reader_reads_it(value: dict[str, Any], ascii_only: bool) -> None:
    (found,) = find_json("So: " + json.dumps(value, ensure_ascii=ascii_only))
    assert found.value == value


@given(st.dictionaries(st.text(max_size=3), json_values, min_size=1, max_size=3), st.data())
def test_a_cut_never_makes_a_value_up(value: dict[str, Any], data: st.DataObject) -> None:
    """Every member but the unfinished one is there as it was, wherever the text ends."""
    text = json.dumps(value)
    found = find_json(text[: data.draw(st.integers(1, len(text) - 1))])
    for each in found:
        assert each.cut
        for key, member in each.value.items():
            assert key == each.unfinished or member == value[key]


@pytest.mark.parametrize(
    "text", ["[" * 50_000, '{"a":' * 20_000, '["a",' * 20_000, '{"' * 20_000, '{"a": 1} ' * 10_000]
)
def test_hostile_brackets_take_moments(text: str) -> None:
    started = time.process_time()
    find_json(text)
    assert time.process_time() - started < 5
