"""What an adapter says of the exchanges that it had."""

from __future__ import annotations

import httpx

from veriscore_agent.adapters.http.exchange import EXTENSION, UnrecordedExchange


class Spy(httpx.AsyncBaseTransport):
    """A layer that keeps what the adapter says of each exchange."""

    class Seen(UnrecordedExchange):
        verdict = "left open"

        def accept(self) -> None:
            self.verdict = "accepted"

        def reject(self) -> None:
            self.verdict = "rejected"

    def __init__(self) -> None:
        self.exchanges: list[Spy.Seen] = []
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        self.exchanges.append(Spy.Seen())
        response.extensions[EXTENSION] = self.exchanges[-1]
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()

    @property
    def verdicts(self) -> list[str]:
        return [each.verdict for each in self.exchanges]
