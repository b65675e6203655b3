"""A resolver and a connector that touch nothing but loopback, and remember what they were asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import anyio
import httpcore

PUBLIC = "192.1.2.3"
"""An address that the guard lets pass. Nothing here ever connects to it."""


Names = Mapping[str, Sequence[str] | Sequence[Sequence[str]]]
"""Addresses by host; several lists are given out in turn, the last one for ever."""


class StubResolver:
    """Answers from a table."""

    def __init__(self, table: Names) -> None:
        self._table = {host: [list(each) for each in _turns(answers)] for host, answers in table.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self._table:
            raise OSError(-2, "Name or service not known")
        turns = self._table[host]
        return turns.pop(0) if len(turns) > 1 else turns[0]


class StubConnector(httpcore.AsyncNetworkBackend):
    """Writes down where it was sent, and goes to a port of 127.0.0.1 instead, or fails.

    ``port`` may be a table by address; what is not in it fails. ``silent`` addresses never answer.
    """

    def __init__(
        self, port: int | Mapping[str, int] | None = None, *, dead: Iterable[str] = (), silent: Iterable[str] = ()
    ) -> None:
        self._port, self._dead, self._silent = port, frozenset(dead), frozenset(silent)
        self.attempts: list[tuple[str, int]] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore's name)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.attempts.append((host, port))
        if host in self._silent:
            await anyio.sleep(3600)
        port_here = self._port.get(host) if isinstance(self._port, Mapping) else self._port
        if port_here is None or host in self._dead:
            raise httpcore.ConnectError("nothing answers")
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", port_here, timeout)


def _turns(answers: Sequence[str] | Sequence[Sequence[str]]) -> list[Sequence[str]]:
    if answers and isinstance(answers[0], str):
        return [[str(each) for each in answers]]
    return list(answers)
