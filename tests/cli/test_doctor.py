"""``doctor --offline``: what is said of keys."""

from __future__ import annotations

import pytest

from tests.cli.conftest import RunCommand

LOCAL = {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1", "SERPER_BASE_URL": "http://localhost:9000"}
KEYS = [
    ("the usual services want keys", {}, 2, "set OPENAI_API_KEY and SERPER_API_KEY"),
    ("one is set", {"OPENAI_API_KEY": "k"}, 2, "set SERPER_API_KEY"),
    ("a blank is no key", {"OPENAI_API_KEY": "k", "SERPER_API_KEY": " "}, 2, "set SERPER_API_KEY"),
    ("both are set", {"OPENAI_API_KEY": "k", "SERPER_API_KEY": "k"}, 0, ""),
    ("servers on this machine want none", LOCAL, 0, ""),
    ("IPv6", {**LOCAL, "OPENAI_BASE_URL": "http://[::1]:8000/v1"}, 0, ""),
    ("https on this machine", {**LOCAL, "OPENAI_BASE_URL": "https://127.0.0.1/v1"}, 0, ""),
    ("another service", {**LOCAL, "OPENAI_BASE_URL": "https://model.example/v1"}, 2, "set OPENAI_API_KEY"),
    ("a server on the own network", {**LOCAL, "OPENAI_BASE_URL": "http://gpu.example:8000/v1"}, 0, ""),
]


@pytest.mark.parametrize(("variables", "code", "hint"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_a_key_that_is_missing_is_not_ok(command: RunCommand, variables: dict[str, str], code: int, hint: str) -> None:
    found = command("doctor", "--offline", "--json", **variables)
    (keys,) = [check for check in found.json() if check["name"] == "keys"]
    assert (keys["ok"], keys["hint"]) == (code == 0, hint)
    printed = command("doctor", "--offline", **variables)
    assert printed.code == found.code == code
    assert ("FAIL  keys" in printed.out) is (code == 2)
