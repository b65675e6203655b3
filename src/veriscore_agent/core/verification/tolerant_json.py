"""JSON as models write it: amid prose, in fences, with wrong escapes or trailing commas, or cut off.

Only the form is forgiven. A value is never made up: what is unfinished is left out and named, and an object that is
neither whole nor cut off at the end of the text is reported as broken, so that nothing inside it passes for a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

_OPENING = re.compile(r'\{\s*(?=["}]|$)|\[\s*(?=[\[{"\]]|$)')
_BLANK = re.compile(r"\s*")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = re.compile(r"(?:\\(?:u[0-9a-fA-F]{4}|.))+", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SCALAR = re.compile(r"[-+.\w]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class FoundJson:
    """An object or array found in a text, with its span."""

    value: Any
    """None where it is broken. An array of one object stands for that object."""
    start: int
    end: int
    cut: bool = False
    """The text ended inside it: what was whole by then is there."""
    unfinished: str | None = None
    """Of an object that is cut: the key whose value was begun and is not whole."""


class _CutError(Exception):
    """The text ended before the value was whole."""


class _TooDeepError(ValueError):
    """Nested deeper than any reply has reason to be."""


def find_json(text: str) -> list[FoundJson]:
    """Every outermost object or array in the text, in order."""
    found: list[FoundJson] = []
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        each = _read(text, start)
        position = each.end
        if each.value is not None or text[start] == "{":
            found.append(each)
    return found


def _read(text: str, start: int) -> FoundJson:
    parser = _Parser(text, start)
    cut = False
    try:
        parser.fill(parser.root.append, 0)
    except _CutError:
        cut = True
    except ValueError as problem:
        # An object that breaks off hides whatever it holds; a square bracket may be mere prose.
        if text[start] == "{":
            return FoundJson(None, start, _past_braces(text, start))
        return FoundJson(None, start, parser.position if isinstance(problem, _TooDeepError) else start + 1)
    value = parser.root[0]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]
    return FoundJson(value, start, len(text) if cut else parser.position, cut, parser.open_key if cut else None)


def _past_braces(text: str, start: int) -> int:
    depth = 0
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.end()
    return len(text)


class _Parser:
    """Recursive descent over one value.

    A container is attached to what holds it before it is filled, so that a text that ends early leaves all that was
    whole. Raises ValueError where the text is no JSON, _CutError where it ends.
    """

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self.position = position
        self.root: list[Any] = []
        self.open_key: str | None = None

    def fill(self, attach: Callable[[Any], None], depth: int) -> None:
        """Read one value and attach it."""
        if depth > _MAX_DEPTH:
            raise _TooDeepError
        opening = self._peek()
        if opening == "{":
            members: dict[str, Any] = {}
            attach(members)
            self._fill_object(members, depth)
        elif opening == "[":
            items: list[Any] = []
            attach(items)
            self._fill_array(items, depth)
        else:
            attach(self._string() if opening == '"' else self._scalar())

    def _fill_object(self, members: dict[str, Any], depth: int) -> None:
        outermost = members is self.root[0] or self.root[0] == [members]
        self.position += 1
        while self._peek() != "}":
            key = self._string()
            if key in members:
                raise ValueError("a key stands twice")
            if self._peek() != ":":
                raise ValueError("a colon is missing")
            self.position += 1
            if outermost:
                self.open_key = key
            self.fill(partial(members.__setitem__, key), depth + 1)
            if outermost:
                self.open_key = None
            self._pass_comma("}")
        self.position += 1

    def _fill_array(self, items: list[Any], depth: int) -> None:
        self.position += 1
        while self._peek() != "]":
            self.fill(items.append, depth + 1)
            self._pass_comma("]")
        self.position += 1

    def _pass_comma(self, closer: str) -> None:
        """Past the comma after a value, even one before the closing bracket."""
        following = self._peek()
        if following == ",":
            self.position += 1
        elif following != closer:
            raise ValueError("a comma is missing")

    def _peek(self) -> str:
        self.position = _BLANK.match(self._text, self.position).end()  # type: ignore[union-attr]
        if self.position == len(self._text):
            raise _CutError
        return self._text[self.position]

    def _string(self) -> str:
        if self._peek() != '"':
            raise ValueError("a string is missing")
        match = _STRING.match(self._text, self.position)
        if match is None:
            raise _CutError
        self.position = match.end()
        return _ESCAPES.sub(lambda escapes: _unescape(escapes[0]), match[1])

    def _scalar(self) -> Any:
        match = _SCALAR.match(self._text, self.position)
        if match is None:
            raise ValueError("no JSON value")
        if match.end() == len(self._text):
            raise _CutError
        self.position = match.end()
        token = match[0]
        if token in _WORDS:
            return _WORDS[token]
        if not _NUMBER.fullmatch(token):
            raise ValueError("neither a number nor a known word")
        return int(token) if token.lstrip("-").isdigit() else float(token)


def _unescape(escapes: str) -> str:
    """A run of escapes as text. Half a surrogate pair becomes U+FFFD, so that the text can be written down."""
    text: str = json.loads(f'"{_ESCAPE.sub(_repair, escapes)}"', strict=False)
    return _SURROGATE.sub("\ufffd", text)


def _repair(escape: re.Match[str]) -> str:
    """A wrong escape as its writer meant it: ``\\'`` is an apostrophe, the backslash of ``C:\\docs`` is itself."""
    character = escape[1]
    if len(character) > 1 or character in '"\\/bfnrt':
        return escape[0]
    return f"\\\\{character}" if character.isalpha() else json.dumps(character)[1:-1]
