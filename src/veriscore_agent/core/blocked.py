"""Pages that are no evidence: challenges, consent and login walls, pages that are gone, shells without text.

A page is one of these only if hardly anything stands beside what says so, and nothing that could be checked: an
article about captchas is read, one with a cookie notice above it, and also what a paywall lets everybody see, for
what is quoted from it does stand there.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, NamedTuple

from veriscore_agent.core import blocked_phrases as says

BlockedReason = Literal[
    "challenge",
    "not_found",
    "region",
    "out_of_service",
    "parked",
    "consent",
    "login",
    "paywall",
    "javascript_only",
]
"""region: not for visitors from here; out_of_service: maintenance, or a broken server; parked: a name with no site."""

Clue = Literal["challenge_script", "password_field", "script"]
"""What the markup tells beside the text: a script of a bot protection, a field for a password, any script."""

_SHORTEST_TEXT = 10
"""Letters and digits below which there is nothing to read."""
_LONGEST_WALL = 6000
"""Characters above which a page is never one of these."""
_PROSE_ROOM = 300
"""Characters of sentences that may stand beside what says so; what is left of a rule's room is for labels."""
_PROSE_WORDS = 8
_STATEMENT_WORDS = 5
_ENDS = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n")
_WORD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CHECKABLE = re.compile(
    r"(?<![\w.#-])\d[\d.,:]*(?![\w-]*[a-z]\w*\d)"
    r"|\b[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]+ (?:(?:of|de|del|von|van) )?[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]+\b"
)
"""A number that is no part of an identifier (``8a1b2c3d``), or a name of two words."""
_FACT_ROW = re.compile(r"^[^:|]{2,40}[:|]\s+\S*\d")
"""``Height: 412 m``."""
_TO_THE_VISITOR = re.compile(
    r"\u00a9|\(c\)|copyright|all rights reserved|\b(?:ray|reference|incident|request|error) ?(?:id|code|#)"
    r"|\b(?:ip|id|code|status|time|timestamp|host|client)\b|\bserver at\b"
    r"|\bprivacy\b|\bpolicy\b|\bterms\b|\byour?\b|\bplease\b|\bour\b|\bclick\b|\bwe(?:'re| are)\b"
    r"|\bbitte\b|\bihren?\b|\bunsere?\b|\bvous\b|\bvotre\b|\bnos\b|\bnuestr[oa]s?\b|\busted\b",
    re.IGNORECASE,
)
"""Small print, and what is said to whoever looks at the page."""


class _Rule(NamedTuple):
    reason: BlockedReason
    phrase: re.Pattern[str]
    """Found in a sentence, or in the title, it says so."""
    room: int
    """Characters that may stand beside it all the same."""
    clue: Clue | None = None
    """Says so too: by itself, or together with a sentence that is like ``with_clue``."""
    with_clue: re.Pattern[str] | None = None

    def weight(self, text: str, clues: Collection[str]) -> int:
        """How much a sentence, or the title, says so: 2 is enough, 1 has to be said twice, 0 is something else."""
        if self.phrase.search(text):
            return 2
        return int(self.with_clue is not None and self.clue in clues and bool(self.with_clue.search(text)))

    def is_told_by(self, clues: Collection[str]) -> bool:
        """Whether the markup says so by itself."""
        return self.with_clue is None and self.clue in clues

    def holds(self, title: str, sentences: Collection[str], clues: Collection[str]) -> bool:
        """Whether this is what the page is about, and hardly anything else."""
        said = 2 * self.is_told_by(clues) + self.weight(title, clues)
        room, prose_room = self.room, _PROSE_ROOM
        for each in sentences:
            if weight := self.weight(each, clues):
                said += weight
                continue
            room -= _length(each)
            prose_room -= _length(each) if _words(each) >= _PROSE_WORDS else 0
            # An article ends it after a few sentences, so that hardly any of its text is searched.
            if min(room, prose_room) < 0 or _is_statement(each):
                return False
        return said >= 2


_RULES = (
    _Rule("challenge", says.CHALLENGE, room=600, clue="challenge_script"),
    _Rule("not_found", says.NOT_FOUND, room=600),
    _Rule("region", says.REGION, room=300),
    _Rule("out_of_service", says.OUT_OF_SERVICE, room=200),
    _Rule("parked", says.PARKED, room=600),
    _Rule("consent", says.CONSENT, room=300),
    _Rule("login", says.LOGIN, room=200, clue="password_field", with_clue=says.LOGIN_BESIDE_A_PASSWORD),
    _Rule("paywall", says.PAYWALL, room=200),
    _Rule("javascript_only", says.JAVASCRIPT_ONLY, room=100),
)


def blocked_reason(title: str, text: str, clues: Collection[str] = ()) -> BlockedReason | None:
    """Why a page is no evidence, judged by its title, its text and the ``Clue`` values of its markup.

    ``text`` is the main text, or all visible text where there is no main one. A page without any text is
    ``javascript_only`` if it has a script; without one it is not blocked, but empty: None.
    """
    if len(text) > _LONGEST_WALL:
        return None
    sentences = [each for each in (part.strip("#-*| \t\r") for part in _ENDS.split(_straight(text))) if each]
    for rule in _RULES:
        if rule.holds(_straight(title), sentences, clues):
            return rule.reason
    return "javascript_only" if is_empty(text) and "script" in clues else None


def is_empty(text: str) -> bool:
    """Whether there is too little to read for it to be a page."""
    return sum(map(str.isalnum, text[:_LONGEST_WALL])) < _SHORTEST_TEXT


def _straight(text: str) -> str:
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("\xa0", " ")


def _length(text: str) -> int:
    """Characters; Chinese, Japanese and Korean ones say as much as two of others."""
    return len(text) + len(_WIDE.findall(text))


def _words(text: str) -> int:
    return len(_WORD.findall(text)) + len(_WIDE.findall(text)) // 2


def _is_statement(sentence: str) -> bool:
    """Whether it tells something with a number or a name, which a claim could be checked against."""
    is_long = _words(sentence) >= _STATEMENT_WORDS and _CHECKABLE.search(sentence)
    return bool((is_long or _FACT_ROW.search(sentence)) and not _TO_THE_VISITOR.search(sentence))
