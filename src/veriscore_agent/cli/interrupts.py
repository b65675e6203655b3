"""Ctrl-C and SIGTERM: the first ends the run cleanly, a later one at once. What was finished is kept either way."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from veriscore_agent.cli import exits

Result = TypeVar("Result")

SECONDS_OF_PATIENCE = 1.0
"""A further signal within this time belongs to the first: whoever ends a whole group of processes sends several."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AT_ONCE = b"\nveriscore-agent: ended at once; what was finished is kept\n"


def run_until_interrupted(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of ``work``. Raises KeyboardInterrupt once it has ended for a signal, and hears no other from then on.

    asyncio itself breaks off its clean-up at a second Ctrl-C, and may then wait for its threads for ever.
    """
    pleas = _Pleas()
    try:
        return asyncio.run(_watched(work, pleas))
    except asyncio.CancelledError:
        if pleas.came:
            # What is left takes no time, and a further signal must not change how it ends.
            for each in _SIGNALS:
                signal.signal(each, signal.SIG_IGN)
            raise KeyboardInterrupt from None
        raise


async def _watched(work: Coroutine[Any, Any, Result], pleas: _Pleas) -> Result:
    task = asyncio.current_task()
    assert task is not None
    with pleas.heard_by(task):
        return await work


class _Pleas:
    """What signals ask for while a run is under way."""

    def __init__(self) -> None:
        self.came = False
        self._first_s = 0.0

    @contextmanager
    def heard_by(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """Let signals end the task, and put back what heard them before, unless one has come."""
        loop = asyncio.get_running_loop()

        def hear(*_: object) -> None:
            now = time.monotonic()
            if not self.came:
                self.came, self._first_s = True, now
                loop.call_soon_threadsafe(task.cancel)
            elif now - self._first_s > SECONDS_OF_PATIENCE:
                os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, _AT_ONCE)
                os._exit(exits.INTERRUPTED)

        before = {each: signal.signal(each, hear) for each in _SIGNALS}
        try:
            yield
        finally:
            if not self.came:
                for each, handler in before.items():
                    signal.signal(each, handler)
