"""The handle by which an adapter tells the recording what became of a response, and the headers that speak to it.

An adapter names its call with ``call_headers`` and, once it has the response, says through ``exchange_of`` whether
it could read it. An exchange that was received but never accepted or rejected is offered once more to a resumed run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote, unquote

import httpx

SAMPLE_HEADER = "x-veriscore-sample"
"""Number of the sample, 0 where absent. A question asked once more is another exchange."""
KIND_HEADER = "x-veriscore-kind"
"""What the call is for: ``extract``, ``judge``, ``plan``, ``search``, ``page``, ``robots``."""
SUBJECT_HEADER = "x-veriscore-subject"
"""What the call is about, for people; percent-encoded UTF-8."""
INTERNAL_HEADERS = (SAMPLE_HEADER, KIND_HEADER, SUBJECT_HEADER)
"""Taken off by the outermost layer; never sent, never recorded as headers."""

_CALL = "veriscore.call"
EXTENSION = "exchange"
"""Name of the handle in ``httpx.Response.extensions``."""


class Exchange(Protocol):
    """One recorded request with its response."""

    def accept(self) -> None:
        """The adapter could read the response: a resumed run may use it."""
        ...

    def reject(self) -> None:
        """The response is garbage: a resumed run asks again."""
        ...

    @property
    def notes(self) -> Mapping[str, Any]:
        """What was noted when it was recorded, for example the extracted text of a page."""
        ...

    def note(self, name: str, value: Any) -> None:
        """Keep a JSON-able value with the exchange. It is on disk at the latest after ``accept`` or ``reject``."""
        ...

    @property
    def replayed(self) -> bool:
        """True where the response came from a recording and not from the network."""
        ...


class UnrecordedExchange:
    """Stands in where nothing records: notes live as long as the response."""

    replayed = False

    def __init__(self) -> None:
        self._notes: dict[str, Any] = {}

    def accept(self) -> None:
        """Nothing is kept."""

    def reject(self) -> None:
        """Nothing is kept."""

    @property
    def notes(self) -> Mapping[str, Any]:
        """What was noted since the response came."""
        return self._notes

    def note(self, name: str, value: Any) -> None:
        """Remember the value with the response."""
        self._notes[name] = value


def exchange_of(response: httpx.Response) -> Exchange:
    """The exchange that a response belongs to; one that keeps nothing where no recording is in the stack."""
    exchange: Exchange = response.extensions.setdefault(EXTENSION, UnrecordedExchange())
    return exchange


def call_headers(*, kind: str, subject: str, sample: int = 0) -> dict[str, str]:
    """The internal headers of one call, for ``headers=`` or ``extra_headers=``.

    ``kind`` is ASCII. ``subject`` may be any text; a lone surrogate in it becomes ``?``.
    """
    return {
        KIND_HEADER: kind,
        SUBJECT_HEADER: quote(subject.encode("utf-8", "replace"), safe=" "),
        SAMPLE_HEADER: str(sample),
    }


@dataclass(frozen=True, slots=True)
class Call:
    """What the internal headers of one request say."""

    kind: str = ""
    subject: str = ""
    sample: int = 0


def take_call(request: httpx.Request) -> Call:
    """What the internal headers say. The first caller takes them off; the request remembers for those further in."""
    remembered = request.extensions.get(_CALL)
    if isinstance(remembered, Call) and not any(name in request.headers for name in INTERNAL_HEADERS):
        return remembered
    sample, kind, subject = (request.headers.pop(name, "") for name in INTERNAL_HEADERS)
    call = Call(kind, unquote(subject, errors="replace"), int(sample or 0))
    request.extensions[_CALL] = call
    return call
