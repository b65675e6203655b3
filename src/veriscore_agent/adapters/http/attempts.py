"""What the layers of one call tell each other: the tries that were made, and the places that they hold.

The retries add an ``Attempt`` for each try; the limiters listen, and get their place back while a try waits; the
recording keeps the list with the exchange.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import httpx

_EXTENSION = "veriscore.attempts"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of one call."""

    began_s: float
    """On the clock of ``time.monotonic``."""
    seconds: float
    """From sending to the last byte of the body, or to the failure."""
    status: int | None = None
    error: str = ""
    """Class and message, where there was no response."""
    waited_s: float = 0.0
    """Seconds of back-off before it."""
    unseen: bool = False
    """True where it was sent and no answer was seen: it may have been answered, and charged for, all the same."""
    final: bool = False
    """True where no retry cures this one call, whatever its status: it tells nothing of the service's load."""


class Place(Protocol):
    """What a call holds at a limiter."""

    async def take(self) -> None:
        """Wait until there is room."""
        ...

    def give_back(self) -> None:
        """Make room. Nothing happens where the place is not held."""
        ...


class AttemptLog:
    """The tries of one call, in order."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.listeners: list[Callable[[Attempt], None]] = []
        self.places: list[Place] = []
        """Places that the call holds, outermost limiter first."""

    def add(self, attempt: Attempt) -> None:
        """Keep it and tell the listeners."""
        self.attempts.append(attempt)
        for listener in self.listeners:
            listener(attempt)

    @asynccontextmanager
    async def places_given_back(self) -> AsyncIterator[None]:
        """Hold no place inside the block; wait for each again at its end.

        Without this, calls that wait for a retry would keep a lowered limit from having any effect.
        """
        for place in self.places:
            place.give_back()
        yield
        for place in self.places:
            await place.take()


def attempt_log(request: httpx.Request) -> AttemptLog:
    """The log of a request, made where there is none."""
    log: AttemptLog = request.extensions.setdefault(_EXTENSION, AttemptLog())
    return log


def new_attempt_log(request: httpx.Request) -> AttemptLog:
    """A fresh log: a redirected request carries the extensions of the one before it."""
    log = request.extensions[_EXTENSION] = AttemptLog()
    return log
