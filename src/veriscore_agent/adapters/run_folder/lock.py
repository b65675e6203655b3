"""One writer a folder: a lock that the operating system lets go of when its process ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from veriscore_agent.errors import ConfigurationError

_HELD = (errno.EWOULDBLOCK, errno.EACCES)
_LOCKED_BYTE = 1 << 30
"""Windows locks bytes, not files: one far behind the text, so that the text can be read meanwhile."""


class FolderLock:
    """Held from ``acquire`` to ``release``.

    The file says who holds it; one that a killed process left behind holds nothing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / ".lock"
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock. Raises ConfigurationError that names the process that has it."""
        while self._descriptor is None:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                _lock(descriptor)
            except OSError as problem:
                holder = os.read(descriptor, 100).decode("ascii", "replace").strip()
                os.close(descriptor)
                if problem.errno not in _HELD:
                    raise
                raise ConfigurationError(
                    f"{self._folder} is being written by another process ({holder or 'unknown'}); "
                    "wait for it, or choose another --out"
                ) from None
            self._keep_if_current(descriptor)

    def release(self) -> None:
        """Let go, and remove the file."""
        if self._descriptor is None:
            return
        if sys.platform != "win32":
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def _keep_if_current(self, descriptor: int) -> None:
        """Keep a lock only if the file that it is on is still the one that others would open."""
        try:
            current = os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            current = False
        if not current:
            os.close(descriptor)
            return
        os.truncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()}\n".encode())
        self._descriptor = descriptor


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
