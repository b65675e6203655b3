"""What a claim's story and trace show, and that text of strangers cannot steer a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from veriscore_agent.cli.output import WIDEST, one_line, plain
from veriscore_agent.cli.story import path_of_labels, render_story
from veriscore_agent.cli.trace import Trace
from veriscore_agent.domain import (
    AnswerKey,
    Claim,
    ClaimOutcome,
    DroppedFinding,
    Finding,
    PageVisit,
    Passage,
    Snippet,
    Unscored,
    Verdict,
)
from veriscore_agent.graph.state import start_state

CLAIM = Claim(
    "m/q1/1", "The bridge opened in 1931.", (2, 5), ("The bridge opened in 1931.", "The bridge opened: 1931.")
)
FINDING = Finding(0, "P1", "supports", "opened in May 1931", "high")
SNIPPETS = Verdict("inconclusive", "snippets", "grounded", ("The bridge opened in 1931.",), open_parts=(0,))
PAGES = Verdict(
    "supported",
    "pages",
    "grounded",
    ("The bridge opened in 1931.",),
    findings=(FINDING,),
    dropped=(DroppedFinding(Finding(0, "S1", "contradicts", "never opened"), "quote_not_found"),),
    clear_referent=False,
    reason="P1 gives the year.",
)
OUTCOME = ClaimOutcome(
    CLAIM,
    AnswerKey("model", "q1", "history"),
    verdicts=(SNIPPETS, PAGES),
    queries=("The bridge opened in 1931.",),
    snippets=(Snippet("S1", "Bridges", "https://a.example/", "A bridge. " * 30),),
    visits=(
        PageVisit("https://a.example/", "read", "", "https://b.example/", 200, "text/html", 9000, 4000, "x 1", 210),
        PageVisit("https://c.example/", "blocked", "a consent page", status=200),
    ),
    passages=(
        Passage(
            *("P1", "https://b.example/", "Bridges", "It opened in May 1931.", 10, 32, "2001-05-04"),
            copies=("https://d.example/", "https://e.example/"),
        ),
    ),
    second_look=SNIPPETS,
    flags=("query_shortened",),
)


def test_a_story_tells_everything_that_is_known() -> None:
    story = render_story(OUTCOME)
    for expected in (
        "answer: model q1 history",
        "from sentence 3, 6",
        "also worded: The bridge opened: 1931.",
        "label: snippets inconclusive -> pages supported",
        "ended: decided",
        "flags: query_shortened",
        "1. The bridge opened in 1931.",
        "S1 Bridges",
        "link: https://a.example/",
        "read     https://a.example/",
        "led to: https://b.example/",
        "status 200, text/html, 9,000 bytes, 4,000 characters of text, x 1, 210 tokens to the judge",
        "blocked  https://c.example/",
        "why: a consent page",
        "https://b.example/ [10:32], 2001-05-04",
        "same text at: https://d.example/, https://e.example/",
        "VERDICT AFTER SNIPPETS: inconclusive (grounded)",
        "part 1 [open]: The bridge opened in 1931.",
        "VERDICT AFTER PAGES: supported (grounded)",
        "what the claim is about is not clear",
        'supports P1 (trust high): "opened in May 1931"',
        'dropped (its quote is not in the evidence): contradicts part 1, S1 (trust ordinary): "never opened"',
        "reason: P1 gives the year.",
        "SECOND LOOK AT THE SAME SNIPPETS: inconclusive",
    ):
        assert " ".join(expected.split()) in " ".join(story.split())
    assert max(len(line) for line in story.splitlines()) <= WIDEST


def test_an_unscored_claim_tells_its_reason() -> None:
    outcome = ClaimOutcome(CLAIM, OUTCOME.answer, unscored=Unscored("search_failed", "status 500"), ended="unscored")
    story = render_story(outcome)
    assert path_of_labels(outcome) == "unscored (search_failed)"
    assert "detail: status 500" in story
    assert "SEARCH RESULTS: none" in story


def test_text_of_strangers_cannot_steer_a_terminal() -> None:
    hostile = "a\x1b[2Jb\x9b31mc\u202etxt.exe\x07 \r\n\t Ž✅"
    assert plain(hostile) == "a\ufffd[2Jb\ufffd31mc\ufffdtxt.exe\ufffd \ufffd\n\t Ž✅"
    outcome = ClaimOutcome(
        Claim("id", hostile), OUTCOME.answer, queries=(hostile,), snippets=(Snippet("S1", hostile, hostile, hostile),)
    )
    assert not set(render_story(outcome)) & set("\x1b\x9b\x07\r\u202e")
    assert one_line("  a \n b ") == "a b"


def test_a_trace_tells_each_step_and_each_page_once() -> None:
    trace = Trace()
    state = start_state({"claim": CLAIM})
    state["queries"], state["snippets"] = OUTCOME.queries, OUTCOME.snippets
    assert trace.lines("search", state) == ["search: 1 results for 'The bridge opened in 1931.'"]
    state["verdicts"] = (SNIPPETS,)
    assert trace.lines("judge_snippets", state) == [
        "judge_snippets: inconclusive",
        "judge_snippets:   part 1 open: The bridge opened in 1931.",
    ]
    state["visits"] = OUTCOME.visits[:1]
    assert trace.lines("read_pages", state) == ["read_pages: read (4,000 characters) https://a.example/"]
    state["visits"] = OUTCOME.visits
    assert trace.lines("read_pages", state) == ["read_pages: blocked https://c.example/: a consent page"]
    assert trace.lines("judge_pages", state) == ["judge_pages: nothing new to judge"]
    state["round_was_new"], state["verdicts"] = True, (SNIPPETS, PAGES)
    assert trace.lines("judge_pages", state) == [
        "judge_pages: supported: P1 gives the year.",
        'judge_pages:   part 1 supports P1: "opened in May 1931"',
    ]
    state["ended"] = "decided"
    assert trace.lines("conclude", state) == ["conclude: supported (decided)"]


def test_a_trace_tells_of_a_failure_where_it_happened() -> None:
    state = start_state({"claim": CLAIM})
    state["failure"] = Unscored("search_failed", "status 500\nand more")
    assert Trace().lines("search", state) == ["search: failed: search_failed: status 500 and more"]
    state["ended"] = "unscored"
    assert Trace().lines("conclude", state) == ["conclude: unscored (no verdict)"]


@pytest.mark.parametrize("width", [40, 72, 80, 100])
def test_a_story_fits_the_terminal_and_breaks_between_words(width: int) -> None:
    """Broken lines joined are the words of the widest story; an address that is wider stays whole."""
    story = render_story(OUTCOME, width=width)
    assert story.split() == render_story(OUTCOME, width=10_000).split()
    assert max(len(line) for line in story.splitlines()) <= width
    address = f"https://a.example/{'x' * 200}"
    long = replace(OUTCOME, snippets=(Snippet("S1", "Bridges", address, "A bridge."),))
    assert f"link: {address}\n" in render_story(long, width=width)


IN_VAIN = [
    ("nothing was tried", (SNIPPETS,), (), "snippets inconclusive"),
    ("pages alone", (SNIPPETS,), ("pages_brought_nothing",), "snippets inconclusive (pages brought nothing)"),
    (
        "pages and rounds",
        (SNIPPETS,),
        ("query_shortened", "pages_brought_nothing", "rounds_brought_nothing"),
        "snippets inconclusive (pages and rounds brought nothing)",
    ),
    (
        "rounds after pages",
        (SNIPPETS, PAGES),
        ("rounds_brought_nothing",),
        "snippets inconclusive -> pages supported (rounds brought nothing)",
    ),
]


@pytest.mark.parametrize(("verdicts", "flags", "path"), [row[1:] for row in IN_VAIN], ids=[row[0] for row in IN_VAIN])
def test_stages_that_were_gone_through_in_vain_are_named(
    verdicts: tuple[Verdict, ...], flags: tuple[str, ...], path: str
) -> None:
    assert path_of_labels(replace(OUTCOME, verdicts=verdicts, flags=flags)) == path
