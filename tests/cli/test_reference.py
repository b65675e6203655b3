"""The reference in the docs is what the program says of itself."""

from __future__ import annotations

from tests.conftest import ROOT
from veriscore_agent.cli.reference import reference


def test_the_reference_is_up_to_date() -> None:
    """Make it anew with ``python -m veriscore_agent.cli.reference > docs/cli.md``."""
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference()
