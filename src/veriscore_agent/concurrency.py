"""Structured concurrency with plain exceptions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar, cast

import anyio

Item = TypeVar("Item")
Result = TypeVar("Result")


async def map_concurrently(
    function: Callable[[Item], Awaitable[Result]], items: Iterable[Item], *, limit: int | None = None
) -> list[Result]:
    """Results of ``function`` for every item, in the items' order, at most ``limit`` at a time.

    The first failure cancels the rest and is raised as itself, not wrapped in a group.
    """
    todo = list(items)
    results: list[Result | None] = [None] * len(todo)
    slots = anyio.CapacityLimiter(limit) if limit else None

    async def work(index: int) -> None:
        if slots is None:
            results[index] = await function(todo[index])
            return
        async with slots:
            results[index] = await function(todo[index])

    try:
        async with anyio.create_task_group() as group:
            for index in range(len(todo)):
                group.start_soon(work, index)
    except BaseExceptionGroup as problems:
        raise first_error(problems) from None
    return cast("list[Result]", results)


def first_error(problems: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first exception inside a group, however deep."""
    inner = problems.exceptions[0]
    return first_error(inner) if isinstance(inner, BaseExceptionGroup) else inner
