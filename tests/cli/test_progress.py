"""How far a run is: a bar on a terminal, lines elsewhere, nothing when quiet."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from veriscore_agent.cli.progress import Bar, Counts, Lines, Silence, open_display
from veriscore_agent.domain import AnswerKey, AnswerOutcome, Claim, ClaimOutcome, Unextracted, Unscored

KEY = AnswerKey("m", "a", "d")


def counts() -> Counts:
    found = Counts(2)
    unextracted = (Unextracted(0, "text", "model_failed"),)
    found.answer_read(AnswerOutcome(KEY, None, 3, 4, 4, 4, unextracted=unextracted), 4, 1)
    found.claim_ended(ClaimOutcome(Claim("1", "c"), KEY, unscored=Unscored("search_failed")))
    found.cost = 0.25
    return found


SAID = "answers read 1/2, claims 2/4 (unscored 1, sentences not extracted 1), $0.2500"


def test_counts_say_what_is_read_judged_failed_and_spent() -> None:
    assert str(counts()) == SAID
    assert str(Counts(3)) == "answers read 0/3, claims 0/0"


def test_the_claim_that_was_not_heard_of_for_longest_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A13: a server that never answers must not leave a silent run."""
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    found = Counts(1)
    found.claim_moved("m/a#1")
    now = 110.0
    found.claim_moved("m/a#2")
    assert str(found) == "answers read 0/1, claims 0/0"
    now = 135.0
    assert str(found).endswith(", waiting 35 s for m/a#1")
    found.claim_ended(ClaimOutcome(Claim("m/a#1", "c"), KEY))
    now = 150.0
    assert str(found).endswith(", waiting 40 s for m/a#2")


def test_lines_are_printed_now_and_then_and_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with Lines(seconds=0) as now:
        now.show(counts())
    with Lines(seconds=60) as later:
        later.show(counts())
        later.tell("a step\x1b[2J")
    printed = capsys.readouterr()
    assert (printed.out, printed.err.splitlines()) == ("", [SAID, SAID, "a step\ufffd[2J", SAID])


def test_a_bar_moves_on_a_terminal_and_is_taken_away() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=160, _environ={})
    with Bar(console) as bar:
        bar.show(counts())
        bar.tell("a step with [brackets]")
    printed = stream.getvalue()
    assert "a step with [brackets]" in printed
    assert SAID in printed
    assert printed.rstrip().endswith("\x1b[2K")


def test_the_display_suits_where_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert type(open_display(quiet=True)) is Silence
    assert type(open_display(quiet=False)) is Lines
    with open_display(quiet=True) as silent:
        silent.show(counts())
        silent.tell("nothing")
    assert capsys.readouterr().err == ""
