"""Extraction in worker processes, each of which can be ended at any time: one hostile page never stalls a run.

The processes are our own and not those of ``anyio.to_process`` or ``multiprocessing``: both run the user's main script
again in every worker, which for a script without ``if __name__ == "__main__"`` means scoring everything twice, and both
unpickle what a process that has read hostile pages sends back.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from types import TracebackType
from typing import Any, Protocol, Self

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from veriscore_agent.adapters.pages.extract import ExtractedPage, page_of_note
from veriscore_agent.settings import Settings

_START_SECONDS = 60.0
"""For a worker to start and import everything, on a machine under load."""
_MAX_ANSWER_BYTES = 20_000_000
_WORKER_GONE = (
    anyio.EndOfStream,
    anyio.IncompleteRead,
    anyio.DelimiterNotFound,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    ValueError,
)
"""What a stream to a process that has ended, or speaks gibberish, raises."""


class ExtractionError(Exception):
    """A page whose text could not be extracted, with the reason as its message."""


class Extractor(Protocol):
    """Whatever turns the body of a response into the text of a page."""

    async def extract(self, body: bytes, url: str, content_type: str, seconds: float) -> ExtractedPage:
        """The page, within ``seconds``. Raises ExtractionError."""
        ...


class PageExtractor:
    """Extracts in at most ``extraction_workers`` processes side by side, which start when they are first needed.

    Use it within ``async with``, in one event loop; its end is the end of its processes. (They also end when this
    process does.)
    """

    def __init__(self, settings: Settings) -> None:
        self._turns = anyio.CapacityLimiter(settings.extraction_workers)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End all processes."""
        self._idle.clear()
        while self._all:
            await self._all.pop().end()

    @property
    def process_ids(self) -> tuple[int, ...]:
        """Of the processes that run now."""
        return tuple(sorted(worker.process_id for worker in self._all))

    async def extract(self, body: bytes, url: str, content_type: str, seconds: float) -> ExtractedPage:
        """The text of a page. ``seconds`` begin when its turn comes. Raises ExtractionError.

        A worker that is not done by then, or whose caller is cancelled, is ended; the next page gets another one.
        """
        async with self._turns:
            worker = await self._idle_or_new()
            finished = False
            try:
                with anyio.fail_after(seconds):
                    answer = await worker.ask(body, url, content_type, seconds)
                finished = True
            except TimeoutError:
                raise ExtractionError("its text was not extracted in time") from None
            except _WORKER_GONE:
                raise ExtractionError("the process that extracted its text broke down") from None
            finally:
                if finished:
                    self._idle.append(worker)
                else:
                    self._all.discard(worker)
                    await worker.end()
        return _page_of(answer)

    async def _idle_or_new(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running:
                return worker
            # Ended from outside, for example for want of memory: no fault of the page whose turn it is.
            self._all.discard(worker)
            await worker.end()
        return await self._start()

    async def _start(self) -> _Worker:
        worker = await _Worker.start()
        self._all.add(worker)
        try:
            with anyio.fail_after(_START_SECONDS):
                await worker.read_answer()
        except BaseException as problem:
            self._all.discard(worker)
            await worker.end()
            if isinstance(problem, (TimeoutError, *_WORKER_GONE)):
                raise ExtractionError("no process to extract text could be started") from problem
            raise
        return worker


class _Worker:
    """One process."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        self._process = process
        self._answers = BufferedByteReceiveStream(process.stdout)
        self.process_id = process.pid

    @classmethod
    async def start(cls) -> _Worker:
        """Start a process that finds the same modules as this one, and runs nothing else."""
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__package__}.worker import main; main()"
        command = [sys.executable, "-c", code]
        return cls(
            await anyio.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        )

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.returncode is None

    async def ask(self, body: bytes, url: str, content_type: str, seconds: float) -> Any:
        """Send a job and wait for its answer."""
        job = {"url": url, "content_type": content_type, "bytes": len(body), "seconds": seconds}
        assert self._process.stdin is not None
        await self._process.stdin.send(json.dumps(job).encode("ascii") + b"\n" + body)
        return await self.read_answer()

    async def read_answer(self) -> Any:
        """The next line, as JSON."""
        return json.loads(await self._answers.receive_until(b"\n", _MAX_ANSWER_BYTES))

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        with anyio.CancelScope(shield=True):
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.aclose()


def _page_of(answer: Any) -> ExtractedPage:
    page = page_of_note(answer.get("page")) if isinstance(answer, dict) else None
    if page is None:
        raise ExtractionError(str(answer.get("problem", "")) if isinstance(answer, dict) else "unreadable answer")
    return page
