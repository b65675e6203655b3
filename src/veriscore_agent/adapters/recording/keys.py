"""The identity of an exchange: what makes two requests the same question.

It is the logical service, the canonical request and the number of the sample. Not part of it: the address of a model
or search service, headers, keys. So a recording made against one endpoint answers for another, whatever the order of
JSON fields, and no key is needed to replay it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import httpx

from veriscore_agent.adapters.http.secrets import Secrets, is_secret_field, is_secret_name
from veriscore_agent.errors import Service

_IDENTITY_VERSION = 1
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


@dataclass(frozen=True, slots=True)
class Identity:
    """What is asked, of whom, and for the how-manieth time."""

    service: Service
    method: str
    content: Any
    """Model and search: ``{"body": ...}``, where there is no body ``{"query": [[name, value], ...]}``; page: the
    normalised address. JSON-able."""
    sample: int

    @property
    def key(self) -> str:
        """32 hexadecimal digits."""
        whole = [_IDENTITY_VERSION, self.service, self.method, self.content, self.sample]
        # Escaped, a lone surrogate has bytes too.
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]

    def leaves(self) -> dict[str, str]:
        """Every single value by its name (``messages[1].content``, ``q``, ``url``), for telling what differs."""
        content = {"url": self.content} if isinstance(self.content, str) else self.content
        return dict(_leaves("", content)) | {"sample": str(self.sample)}


def identify(service: Service, method: str, url: str, body: bytes, *, sample: int, secrets: Secrets) -> Identity:
    """The identity of a request; of a scrubbed request it is the same."""
    if service == "page":
        return Identity(service, method, normal_url(secrets.url(url)), sample)
    content: dict[str, Any] = {"body": _canonical_body(secrets.body(body))} if body else {"query": _query(url)}
    return Identity(service, method, content, sample)


def normal_url(url: str) -> str:
    """The address without fragment, default port and needless percent-encoding, its host in lower case."""
    parsed = httpx.URL(url)
    # Setting the raw path turns an empty path into the "/" that is sent.
    parsed = parsed.copy_with(fragment=None, raw_path=parsed.raw_path)
    return _PERCENT.sub(_plain_or_upper, str(parsed))


def _plain_or_upper(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _query(url: str) -> list[list[str]]:
    pairs = parse_qsl(httpx.URL(url).query.decode("ascii", "replace"), keep_blank_values=True)
    return sorted([name, value] for name, value in pairs if not is_secret_name(name))


def _canonical_body(body: bytes) -> Any:
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return {"sha256": hashlib.sha256(body).hexdigest()}
    if isinstance(parsed, dict):
        parsed = {name: value for name, value in parsed.items() if not is_secret_field(name)}
    return _canonical(parsed)


def _canonical(value: Any) -> Any:
    """The value with one form for every number: 1.0 and 1 are the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _canonical(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_canonical(each) for each in value]
    return value


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(f"{name}.{key}".removeprefix(".body").removeprefix("."), each)
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from _leaves(f"{name}[{index}]", each)
    else:
        yield name, value if isinstance(value, str) else json.dumps(value)
