"""How long a server asks to be left alone: Retry-After and the rate-limit headers."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpx

_SECONDS = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_LIMITED = ("requests", "tokens")


def retry_after_s(response: httpx.Response, now: Callable[[], float]) -> float | None:
    """Seconds that the response asks for, or None where it asks for none that can be read.

    In this order: ``retry-after-ms``, ``Retry-After`` in seconds or as an HTTP date (against the response's own Date,
    so that a wrong clock does no harm, else against ``now``, seconds since the epoch), and at a 429
    ``x-ratelimit-reset-{requests,tokens}`` of what is used up.
    """
    headers = response.headers
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    asked = _seconds(value)
    if asked is None:
        asked = _until(value, headers.get("date", ""), now)
    if asked is None and response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        asked = _reset_s(headers)
    return asked


def _seconds(value: str) -> float | None:
    match = _SECONDS.fullmatch(value)
    return float(match[1]) if match else None


def _until(value: str, server_date: str, now: Callable[[], float]) -> float | None:
    moment = _date(value)
    if moment is None:
        return None
    sent = _date(server_date)
    return max(0.0, moment - (now() if sent is None else sent))


def _date(value: str) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _reset_s(headers: httpx.Headers) -> float | None:
    """Both kinds of limit have their own reset; the one that is used up counts, the later one where both are."""
    resets = []
    for kind in _LIMITED:
        reset = _duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
        if reset is not None and headers.get(f"x-ratelimit-remaining-{kind}", "0").strip() == "0":
            resets.append(reset)
    return max(resets, default=None)


def _duration(value: str) -> float | None:
    """``1s``, ``6m0s``, ``20ms``, ``1h2m3.5s``, or a plain number of seconds."""
    plain = _seconds(value)
    if plain is not None:
        return plain
    match = _DURATION.fullmatch(value.strip())
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = (float(group or 0) for group in match.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
