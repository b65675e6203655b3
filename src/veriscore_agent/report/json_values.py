"""Our types as values that every JSON reader accepts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def json_value(value: Any) -> Any:
    """A dataclass as an object with its fields in order, tuples as arrays; all the way down.

    A number that JSON does not know becomes null. Half a surrogate pair, which no UTF-8 file can hold and strict
    readers refuse even as an escape, becomes U+FFFD: one character for one, so that spans still fit.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {clean_text(str(name)): json_value(each) for name, each in value.items()}
    if is_dataclass(value):
        return {each.name: json_value(getattr(value, each.name)) for each in fields(value)}
    return [json_value(each) for each in value]


def clean_text(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be written as UTF-8."""
    return _LONE_SURROGATE.sub("\ufffd", text)
