"""Dates as search engines write them."""

from __future__ import annotations

import pytest

from veriscore_agent.core.dates import result_date


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("Mar 3, 2024", "2024-03-03"),
        ("March 13, 2024", "2024-03-13"),
        ("Sept. 9, 2021", "2021-09-09"),
        ("3 Mar 2024", "2024-03-03"),
        ("31 December 1999", "1999-12-31"),
        ("Mar 2024", "2024-03"),
        ("2024-03-03", "2024-03-03"),
        ("3 days ago", None),
        ("1 hour ago", None),
        ("3 mars 2024", None),
        ("03/04/2024", None),
        ("Marching 3, 2024", None),
        ("Mar ٣, 2024", None),
        ("", None),
    ],
)
def test_the_date_of_a_result(said: str, date: str | None) -> None:
    assert result_date(said) == date
