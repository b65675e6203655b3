"""What must not be written down, and taking it out of text, bodies, addresses and log lines.

Two things are taken out: the values that the run knows to be secret (its keys), wherever they stand, and whatever an
address calls a key, token or password. In an address the value is replaced by a mark that depends on it, so that two
addresses that differ only there stay two, and a scrubbed address scrubs to itself.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus, unquote_plus

SCRUBBED = "[scrubbed]"
SHORTEST_SECRET = 8
"""Shorter values (``EMPTY``, ``none``) are what servers without keys are given; replacing them would harm texts."""

_SECRET_NAME = re.compile(
    r"(?:.*_)?(?:key|apikey|accesskey|accesskeyid|awsaccesskeyid|token|secret|password|passwd|pwd|signature|sig|"
    r"credentials?|auth|authorization|jwt|session|sessionid|session_id|sid)"
)
_BODY_FIELDS = frozenset(
    {"api_key", "apikey", "access_token", "token", "authorization", "password", "secret", "client_secret"}
)
_MARK = re.compile(r"scrubbed-[0-9a-f]{12}")
_PARAMETER_IN_TEXT = re.compile(r"([?&;#])([\w.\-]+)=([^&#\s\"'<>]+)")
_USERINFO_IN_TEXT = re.compile(r"(\b[a-z][a-z0-9+.\-]*://)[^/?#\s@\"'<>]+@", re.IGNORECASE)
_BEARER_IN_TEXT = re.compile(r"(\bbearer\s+)[\w.~+/=\-]{8,}", re.IGNORECASE)


class Secrets:
    """The secret values of one run. Values shorter than ``SHORTEST_SECRET`` characters are not looked for."""

    def __init__(self, values: Iterable[str | None] = ()) -> None:
        forms: dict[str, None] = {}
        for value in values:
            if value and len(value) >= SHORTEST_SECRET:
                for form in (value, json.dumps(value)[1:-1], quote(value, safe=""), quote_plus(value)):
                    forms[form] = None
        self._forms = sorted(forms, key=len, reverse=True)
        self._encoded = [form.encode("utf-8", "surrogatepass") for form in self._forms]

    def values_out(self, text: str, by: str = SCRUBBED) -> str:
        """The text without the known values."""
        for form in self._forms:
            text = text.replace(form, by)
        return text

    def data(self, data: bytes) -> bytes:
        """Bytes of a body without the known values."""
        for form in self._encoded:
            if form in data:
                data = data.replace(form, SCRUBBED.encode())
        return data

    def text(self, text: str) -> str:
        """A message, log line or note without known values, and without keys and passwords in the addresses in it."""
        text = self.values_out(text)
        text = _USERINFO_IN_TEXT.sub(r"\1", text)
        text = _BEARER_IN_TEXT.sub(rf"\1{SCRUBBED}", text)
        return _PARAMETER_IN_TEXT.sub(_scrub_parameter, text)

    def url(self, url: str) -> str:
        """An address without userinfo, fragment, and the values of parameters that name a secret."""
        before, question, query = url.partition("#")[0].partition("?")
        before = self.values_out(_USERINFO_IN_TEXT.sub(r"\1", before), "scrubbed")
        pairs = "&".join(self._pair(pair) for pair in query.split("&"))
        return before + question + pairs

    def _pair(self, pair: str) -> str:
        name, equals, value = pair.partition("=")
        if not value:
            return pair
        known = self.values_out(value) != value
        return f"{name}{equals}{mark(value)}" if known or is_secret_name(unquote_plus(name)) else pair

    def json(self, value: Any) -> Any:
        """A JSON-able value with every text in it scrubbed of the known values."""
        if isinstance(value, str):
            return self.values_out(value)
        if isinstance(value, dict):
            return {self.json(name): self.json(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(each) for each in value]
        return value

    def body(self, data: bytes) -> bytes:
        """A request body without known values, and without the values of its own key fields where it is JSON."""
        data = self.data(data)
        if not any(name.encode() in data.lower() for name in _BODY_FIELDS):
            return data
        try:
            parsed = json.loads(data)
        except ValueError:
            return data
        if not isinstance(parsed, dict) or not any(is_secret_field(name) for name in parsed):
            return data
        return json.dumps({name: SCRUBBED if is_secret_field(name) else each for name, each in parsed.items()}).encode()


NO_SECRETS = Secrets()


def is_secret_name(name: str) -> bool:
    """Whether a parameter of an address is called like a key, token, password or signature."""
    return _SECRET_NAME.fullmatch(re.sub(r"[\-.]", "_", name.lower())) is not None


def is_secret_field(name: str) -> bool:
    """Whether a top-level field of a JSON body is a key. Narrower than for addresses: ``prompt_cache_key`` is none."""
    return name.lower().replace("-", "_") in _BODY_FIELDS


def mark(value: str) -> str:
    """What stands for a secret value in an address: 48 bits of its hash. A mark stands for itself."""
    if _MARK.fullmatch(value):
        return value
    return "scrubbed-" + hashlib.sha256(unquote_plus(value).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _scrub_parameter(match: re.Match[str]) -> str:
    before, name, value = match.groups()
    return f"{before}{name}={mark(value)}" if is_secret_name(name) else match.group()


class RedactingFilter(logging.Filter):
    """For a log handler: no line and no traceback that passes it holds a secret.

    The HTTP libraries log whole addresses at INFO and headers at DEBUG.
    """

    def __init__(self, secrets: Secrets = NO_SECRETS) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; keep every one."""
        record.msg, record.args = self._secrets.text(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._secrets.text(record.exc_text)
        return True
