"""Fixtures for all tests."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of labelled data, or a skip that says why."""
    folder = Path(os.environ.get("LABELLED_DATA", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("labelled data is not here; set LABELLED_DATA to its folder")
    return folder


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches anything but this machine: a connection elsewhere fails before it is tried."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse_strangers(address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else None
        if host is not None and host != "localhost" and not ipaddress.ip_address(host.split("%")[0]).is_loopback:
            raise AssertionError(f"a test tried to reach {host}")

    def guarded(original: Any) -> Any:
        def call(self: socket.socket, address: Any) -> Any:
            refuse_strangers(address)
            return original(self, address)

        return call

    def local_names_only(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in (None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0"):
            raise AssertionError(f"a test tried to resolve {name}")
        return getaddrinfo(host, *arguments, **options)

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", local_names_only)
