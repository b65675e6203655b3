"""Transport errors of our own, named as httpx names its own.

Each can be made from its message alone, which is how a replay raises it again.
"""

from __future__ import annotations

import httpx

NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before anything was sent, so that no one can have been paid for an answer."""


class FinalTransportError(httpx.TransportError):
    """A failure that no retry cures: RetryTransport passes it on at once. Layers of ours derive theirs from it."""


class NotRecorded(FinalTransportError):  # noqa: N818
    """The recording that this run is frozen to does not hold the request: it counts as no evidence."""
