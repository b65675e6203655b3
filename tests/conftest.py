"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of labelled data, or a skip that says why."""
    folder = Path(os.environ.get("VERISCORE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("labelled data is not here; set VERISCORE_SHARED to its folder")
    return folder
