"""The process that extracts pages: reads one job after the other from its standard input, and ends with it.

    job      a line of JSON {"url", "content_type", "bytes", "seconds"}, then that many bytes
    answer   a line of JSON {"page": {...}} or {"problem": "..."}

Plain JSON both ways: whatever a page may do to this process, it cannot hand objects to the other one. The limits on
memory and time hold where the operating system has them.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import sys
from collections.abc import Callable
from io import BufferedWriter
from types import FrameType
from typing import Any, BinaryIO

MEMORY_BYTES = 1_500_000_000
"""Address space of one worker; some 200 MB of it are the interpreter and its libraries."""
_ARTICLE_SHARE = 0.4
"""Share of a page's seconds that trafilatura may take; without it there is still the block walk."""


class _SlowError(BaseException):
    """trafilatura has taken its share. (No Exception: it must pass through libraries that catch everything.)"""


def main() -> None:
    """Serve jobs until standard input ends."""
    jobs, answers = sys.stdin.buffer, _own_output()
    _set_limits()
    # Imported here so that the process that starts the workers need not.
    from veriscore_agent.adapters.pages.extract import extract_page

    extract_page(b"<p>Everything is imported before the first page's time begins.</p>", "", "text/html")
    _answer(answers, {"ready": True})
    while header := jobs.readline():
        job = json.loads(header)
        _answer(answers, _extract(job, jobs.read(job["bytes"])))


def _extract(job: dict[str, Any], body: bytes) -> dict[str, Any]:
    from veriscore_agent.adapters.pages.article import find_article_with_trafilatura
    from veriscore_agent.adapters.pages.bounds import UnreadablePageError
    from veriscore_agent.adapters.pages.extract import extract_page

    _end_after(job["seconds"])
    find_article = _within(find_article_with_trafilatura, job["seconds"] * _ARTICLE_SHARE)
    try:
        page = extract_page(body, job["url"], job["content_type"], find_article, job["seconds"])
        return {"page": page.as_note()}
    except UnreadablePageError as problem:
        return {"problem": str(problem)}
    except MemoryError:
        return {"problem": "the page needs too much memory"}
    finally:
        _end_after(0)


def _within(function: Callable[[str, str, int], Any], seconds: float) -> Callable[[str, str, int], Any]:
    """The function, given up with None after so many seconds of processor time, where that can be told."""
    if not hasattr(signal, "setitimer"):
        return function

    def stop(number: int, frame: FrameType | None) -> None:
        raise _SlowError

    def limited(html: str, url: str, prose: int) -> Any:
        signal.signal(signal.SIGPROF, stop)
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            return function(html, url, prose)
        except _SlowError:
            return None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    return limited


def _end_after(seconds: float) -> None:
    """Have the system end this process unless it is done by then: its owner may be gone and cannot."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(seconds) + 1 if seconds else 0)


def _set_limits() -> None:
    # Ctrl-C reaches the whole process group; the owner decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _own_output() -> BinaryIO:
    """Standard output, out of reach for anything that prints."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open as long as the process)
    return answers


def _answer(answers: BinaryIO | BufferedWriter, value: dict[str, Any]) -> None:
    answers.write(json.dumps(value).encode("ascii") + b"\n")
    answers.flush()
