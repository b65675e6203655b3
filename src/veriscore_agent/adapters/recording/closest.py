"""On a miss: which recorded exchange is nearest to the request, and what differs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from veriscore_agent.adapters.http.exchange import Call
from veriscore_agent.adapters.recording.cassette import Recorded, UnreadableCassetteError, load
from veriscore_agent.adapters.recording.keys import Identity
from veriscore_agent.adapters.recording.store import ExchangeStore

_SHOWN = 60
"""Characters shown of each of two texts that differ."""
_MOST_DIFFERENCES = 3
_NEEDLE = 40
"""Characters of a subject that are looked for in a file: YAML breaks longer texts over lines."""


@dataclass(frozen=True, slots=True)
class Closest:
    """The nearest recorded exchange."""

    name: str
    difference: str


def describe(identity: Identity, call: Call) -> str:
    """A request in words: what it is about, and what it asks."""
    asks = identity.leaves()
    detail = asks.get("url") or asks.get("q") or asks.get("model", "")
    parts = [call.kind or identity.service, f'"{call.subject}"' if call.subject else "", detail]
    if identity.sample:
        parts.append(f"(sample {identity.sample})")
    return " ".join(part for part in parts if part)


def closest(
    store: ExchangeStore,
    identity: Identity,
    call: Call,
    *,
    limit_s: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
) -> Closest | None:
    """The nearest exchange of the same service, searched for at most ``limit_s`` seconds. Blocks.

    Those about the same subject are looked at first, so that a large recording does not hide the one that is meant.
    """
    wanted = identity.leaves()
    ends = clock() + limit_s
    best: tuple[float, Recorded] | None = None
    for recorded in _candidates(store, identity, call, lambda: clock() > ends):
        score = _likeness(wanted, recorded.identity.leaves()) + (recorded.call.subject == call.subject)
        if best is None or score > best[0]:
            best = (score, recorded)
    if best is None:
        return None
    found = best[1]
    return Closest(describe(found.identity, found.call), _difference(wanted, found.identity.leaves()))


def _candidates(
    store: ExchangeStore, identity: Identity, call: Call, is_late: Callable[[], bool]
) -> Iterator[Recorded]:
    """Every readable exchange of the service; first those in whose text the beginning of the subject stands.

    Ends when it is late, though not before one exchange was tried.
    """
    needle = re.sub(r"[^\x20-\x7e].*", "", call.subject, flags=re.DOTALL)[:_NEEDLE].encode()
    others = []
    for path in store.all(identity.service):
        if is_late():
            others.append(path)
            break
        text = path.read_bytes()
        if needle and needle in text:
            yield from _readable(text)
        else:
            others.append(path)
    for path in others:
        yield from _readable(path.read_bytes())
        if is_late():
            return


def _readable(text: bytes) -> Iterator[Recorded]:
    try:
        yield load(text)
    except UnreadableCassetteError:
        return


def _likeness(wanted: dict[str, str], found: dict[str, str]) -> float:
    """1 where every single value is equal, 0 where none is alike."""
    names = wanted.keys() | found.keys()
    return sum(_alike(wanted.get(name), found.get(name)) for name in names) / len(names)


def _alike(one: str | None, other: str | None) -> float:
    """The share of two texts that begins and ends alike: an edited prompt differs somewhere in its middle."""
    if one is None or other is None:
        return 0.0
    if one == other:
        return 1.0
    shorter, longer = sorted((len(one), len(other)))
    start = _common(one, other)
    end = _common(one[start:][::-1], other[start:][::-1])
    return min(start + end, shorter) / longer


def _common(one: str, other: str) -> int:
    """Characters that both begin with. By halves, for slices compare faster than a loop."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _difference(wanted: dict[str, str], found: dict[str, str]) -> str:
    names = [name for name in wanted | found if wanted.get(name) != found.get(name)]
    shown = [_one_difference(name, wanted.get(name), found.get(name)) for name in names[:_MOST_DIFFERENCES]]
    more = len(names) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _one_difference(name: str, wanted: str | None, found: str | None) -> str:
    if wanted is None or found is None:
        return f"{name} ({'only recorded' if wanted is None else 'not recorded'})"
    start = _common(wanted, found)
    begin = max(0, start - 20)
    at = f" at character {start}" if begin else ""
    return f"{name}{at}: {_excerpt(wanted, begin)}, recorded {_excerpt(found, begin)}"


def _excerpt(text: str, begin: int) -> str:
    piece = text[begin : begin + _SHOWN]
    return repr(("..." if begin else "") + piece + ("..." if begin + _SHOWN < len(text) else ""))
