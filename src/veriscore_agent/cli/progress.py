"""How far a run is, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from veriscore_agent.cli.output import one_line, print_note
from veriscore_agent.domain import AnswerOutcome, ClaimOutcome

SECONDS_A_LINE = 10.0
SECONDS_OF_SILENCE = 30.0
"""A claim of which nothing was heard for this long is named."""


class Counts:
    """What has been read and judged so far."""

    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.read = 0
        self.claims = 0
        self.ended = 0
        self.unscored = 0
        self.unextracted = 0
        self.cost: float | None = None
        """US dollars of this session; None where it is not known."""
        self._heard_s: dict[str, float] = {}
        """When something was last heard of each claim that is under way."""

    def claim_moved(self, claim_id: str) -> None:
        """Note that something was heard of a claim."""
        self._heard_s[claim_id] = time.monotonic()

    def answer_read(self, outcome: AnswerOutcome, claims: int, known: int) -> None:
        """Count an answer whose claims are known, ``known`` of which have their outcome already."""
        self.read += 1
        self.claims += claims
        self.ended += known
        self.unextracted += len(outcome.unextracted)

    def claim_ended(self, outcome: ClaimOutcome) -> None:
        """Count a claim."""
        self._heard_s.pop(outcome.claim.id, None)
        self.ended += 1
        self.unscored += outcome.unscored is not None

    def __str__(self) -> str:
        text = f"answers read {self.read}/{self.answers}, claims {self.ended}/{self.claims}"
        if self.unscored or self.unextracted:
            text += f" (unscored {self.unscored}, sentences not extracted {self.unextracted})"
        text += f", ${self.cost:.4f}" if self.cost else ""
        return text + self._silent()

    def _silent(self) -> str:
        """The claim that was not heard of for longest, where that is long."""
        if not self._heard_s:
            return ""
        name, heard_s = min(self._heard_s.items(), key=lambda item: item[1])
        seconds = time.monotonic() - heard_s
        return f", waiting {seconds:.0f} s for {name}" if seconds >= SECONDS_OF_SILENCE else ""


class Display(Protocol):
    """Shows counts until it is closed."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, counts: Counts) -> None:
        """Show how far the run is."""
        ...

    def tell(self, line: str) -> None:
        """Show one line of a trace."""
        ...


def open_display(*, quiet: bool) -> Display:
    """The display that suits where standard error goes."""
    if quiet:
        return Silence()
    console = Console(stderr=True)
    return Bar(console) if console.is_terminal and not console.is_dumb_terminal else Lines()


class Silence:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to close."""

    def show(self, counts: Counts) -> None:
        """Show nothing."""

    def tell(self, line: str) -> None:
        """Show nothing."""


class Lines(Silence):
    """A plain line every few seconds, and one when all is done."""

    def __init__(self, seconds: float = SECONDS_A_LINE) -> None:
        self._seconds = seconds
        self._due = time.monotonic() + seconds
        self._counts: Counts | None = None

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say how far it came."""
        if self._counts:
            print_note(str(self._counts))

    def show(self, counts: Counts) -> None:
        """Print a line if the last one is old."""
        self._counts = counts
        if time.monotonic() >= self._due:
            print_note(str(counts))
            self._due = time.monotonic() + self._seconds

    def tell(self, line: str) -> None:
        """Print the line."""
        print_note(one_line(line))


class Bar:
    """A bar that moves."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("reading answers", total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self._progress.stop()

    def show(self, counts: Counts) -> None:
        """Move the bar."""
        total = counts.claims if counts.read == counts.answers else None
        self._progress.update(self._task, description=str(counts), completed=counts.ended, total=total)

    def tell(self, line: str) -> None:
        """Print the line above the bar."""
        self._progress.console.print(one_line(line), markup=False, highlight=False, soft_wrap=True)
