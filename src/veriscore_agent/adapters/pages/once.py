"""Equal questions are answered once, also while the first of them is still being answered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import anyio

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class AskedOnce(Generic[Key, Value]):
    """Remembers answers up to a total weight, the longest unused forgotten first.

    Who asks while an equal question is open waits for its answer. If the one who asks first is cancelled or fails, the
    next one asks again: no caller's end is another caller's failure.
    """

    def __init__(self, max_weight: int, weight_of: Callable[[Value], int]) -> None:
        self._max_weight, self._weight_of = max_weight, weight_of
        self._answers: OrderedDict[Key, Value] = OrderedDict()
        self._weight = 0
        self._open: dict[Key, anyio.Event] = {}

    async def get(self, key: Key, ask: Callable[[], Awaitable[Value]]) -> Value:
        """The answer to ``key``, from ``ask`` where it is not known."""
        while key not in self._answers:
            if key not in self._open:
                return await self._ask(key, ask)
            await self._open[key].wait()
        self._answers.move_to_end(key)
        return self._answers[key]

    async def _ask(self, key: Key, ask: Callable[[], Awaitable[Value]]) -> Value:
        answered = self._open[key] = anyio.Event()
        try:
            answer = await ask()
            self._remember(key, answer)
            return answer
        finally:
            del self._open[key]
            answered.set()

    def _remember(self, key: Key, answer: Value) -> None:
        self._answers[key] = answer
        self._weight += self._weight_of(answer)
        while self._weight > self._max_weight and len(self._answers) > 1:
            _, oldest = self._answers.popitem(last=False)
            self._weight -= self._weight_of(oldest)
