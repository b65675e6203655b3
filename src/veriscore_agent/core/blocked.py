"""Pages that are no evidence: challenges, consent and login walls, pages that are gone, shells without text.

A page is one of these only if hardly anything stands beside what says so: an article about captchas, or one with a
cookie notice above it, is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, NamedTuple

BlockedReason = Literal["challenge", "not_found", "consent", "login", "paywall", "javascript_only"]

Clue = Literal["challenge_script", "password_field", "script"]
"""What the markup tells beside the text: a script of a bot protection, a field for a password, any script."""

_SHORTEST_TEXT = 10
"""Letters and digits below which there is nothing to read."""
_LONGEST_WALL = 6000
"""Characters above which a page is never one of these."""


class _Rule(NamedTuple):
    reason: BlockedReason
    line: re.Pattern[str]
    """Found in a line, or in the title, it says so."""
    room: int
    """Characters that may stand in other lines all the same."""
    clue: Clue | None = None
    """Says so too: by itself, or together with a line that is like ``with_clue``."""
    with_clue: re.Pattern[str] | None = None

    def is_about(self, line: str, clues: Collection[str]) -> bool:
        """Whether a line, or the title, says so."""
        weak = self.with_clue if self.clue in clues else None
        return bool(self.line.search(line) or (weak and weak.search(line)))

    def is_told_by(self, clues: Collection[str]) -> bool:
        """Whether the markup says so by itself."""
        return self.with_clue is None and self.clue in clues


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_RULES = (
    _Rule(
        "challenge",
        _any_of(
            r"^\W*just a moment\b.{0,3}$",
            r"checking (?:if the site connection is secure|your browser)",
            r"(?:verify|confirm|prove)(?:ing)? (?:that )?you(?:'re| are) (?:a |not a )?(?:human|robot|bot)",
            r"enable javascript and cookies to continue",
            r"^\W*attention required!",
            r"^\W*(?:error )?(?:403|access)\W+(?:access )?(?:denied|forbidden)\b",
            r"you don't have permission to access",
            r"^\W*pardon our interruption",
            r"request unsuccessful\. incapsula",
            r"unusual (?:traffic|activity) from your",
            r"are you a (?:robot|human)\?",
            r"(?:press (?:&|and) hold|complete the (?:captcha|security check)|ddos protection by)",
            r"^\W*(?:one more step|security check(?:point)?|human verification|too many requests)\W*$",
            r"sorry, you have been blocked",
        ),
        room=600,
        clue="challenge_script",
    ),
    _Rule(
        "not_found",
        _any_of(
            r"^\W*404\W*$|^\W*404\s*[|:–—-]|[|:–—-]\s*404\W*$|\b404\W+(?:error|not found|page|file)\b",
            r"\b(?:error|fehler|erreur|http)\W*404\b",
            r"^.{0,60}\b(?:page|site|document|file|article|content|url)\W+(?:was |is |could |can )?not (?:be )?found\b"
            r".{0,60}$",
            r"(?:page|article|content|document|url)(?: that)? you(?:'re| are|'ve| have)? "
            r"(?:looking|searching|request\w*|tried|trying).{0,80}(?:not be found|not found|n[o']t exist"
            r"|no longer|moved|removed|unavailable|can(?:no|')t be)",
            r"\bpage (?:does not|doesn't|no longer) exists?\b",
            r"we (?:can(?:no|')t|could(?:n't| not)) (?:seem to )?find (?:the|that|this) page",
            r"^.{0,40}\b(?:seite|inhalt) (?:wurde )?(?:leider )?nicht gefunden\b.{0,40}$",
            r"^.{0,40}\bpage (?:non trouvée|introuvable)\b.{0,40}$",
            r"^.{0,40}\bp[áa]gina no (?:encontrada|existe)\b.{0,40}$",
            r"^.{0,40}\bpágina não (?:encontrada|existe)\b.{0,40}$",
            r"^.{0,40}\bpagina non trovata\b.{0,40}$",
            r"^.{0,40}\bpagina niet gevonden\b.{0,40}$",
            r"страница не (?:найдена|существует)",
            r"ページが(?:見つかりません|存在しません)",
            r"页面不存在|找不到(?:该|此)?(?:页面|网页)|您访问的页面",
        ),
        room=600,
    ),
    _Rule(
        "consent",
        _any_of(
            r"\bwe and our \d* ?partners\b",
            r"^\W*before you continue to\b",
            r"\b(?:accept|reject|allow|decline|agree to|manage) (?:all |to all |our |your |the |non-essential )*"
            r"(?:cookies?|consent|privacy|preferences|options|settings)\b",
            r"^\W*(?:accept|reject|agree|decline|allow|manage)(?: all| and (?:close|continue))?\W*$",
            r"^\W*we (?:value|care about|respect) your privacy",
            r"\b(?:we|this (?:web)?site|our partners) (?:also )?uses? cookies\b",
            r"\b(?:store|access)(?: and/or access)? (?:information|data) on (?:a|your) device\b",
        ),
        room=300,
    ),
    _Rule(
        "login",
        _any_of(
            r"\b(?:log|sign) ?in (?:or (?:register|sign up|create an account) )?"
            r"to (?:continue|view|see|access|read|proceed)",
            r"\b(?:please|you (?:must|need to|have to)) (?:be )?(?:log|sign)(?:ged|ned)? ?(?:in|on)\b",
        ),
        room=200,
        clue="password_field",
        with_clue=_any_of(
            r"^\W*(?:log|sign) ?in(?: to .{1,40})?\W*$",
            r"^\W*(?:forgot(?:ten)? (?:your )?password|create (?:an |new )?account|keep me (?:logged|signed) in)\W*$",
        ),
    ),
    _Rule(
        "paywall",
        _any_of(
            r"\bsubscribe (?:now )?to (?:continue|keep|read|unlock)",
            r"\b(?:this|the) (?:article|story|content|page) is (?:only |exclusively )?(?:available )?"
            r"(?:for|to) (?:our )?(?:paying )?(?:subscribers|members)",
            r"^\W*already (?:a |have an? )?(?:subscriber|member|subscription|account)\b",
            r"\b(?:continue|keep) reading with a\b",
            r"\byou(?:'ve| have) (?:reached|used) (?:your|all).{0,40}(?:free )?articles\b",
        ),
        room=200,
    ),
    _Rule(
        "javascript_only",
        _any_of(
            r"\b(?:enable|turn on|activate|requires?|needs?|without) javascript\b",
            r"\bjavascript (?:is (?:disabled|required|not (?:enabled|available))|must be enabled|to run this app)",
            r"^\W*(?:loading|please wait)\W*$",
        ),
        room=100,
    ),
)


def blocked_reason(title: str, text: str, clues: Collection[str] = ()) -> BlockedReason | None:
    """Why a page is no evidence, judged by its title, its text and the ``Clue`` values of its markup.

    ``text`` is the main text, or all visible text where there is no main one. A page without any text is
    ``javascript_only`` if it has a script; without one it is not blocked, but empty: None.
    """
    if len(text) > _LONGEST_WALL:
        return None
    lines = [line.lstrip("#- ").strip() for line in text.splitlines()]
    for rule in _RULES:
        about = [rule.is_about(line, clues) for line in lines]
        beside = sum(len(line) for line, is_about in zip(lines, about, strict=True) if not is_about)
        if beside <= rule.room and (any(about) or rule.is_about(title, clues) or rule.is_told_by(clues)):
            return rule.reason
    return "javascript_only" if is_empty(text) and "script" in clues else None


def is_empty(text: str) -> bool:
    """Whether there is too little to read for it to be a page."""
    return sum(map(str.isalnum, text[:_LONGEST_WALL])) < _SHORTEST_TEXT
