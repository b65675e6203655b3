"""Whether a claim's parts say all that the claim says: every number, name, date, negation and relation.

The check compares words, since nothing more can be checked without another model. A word of the claim is covered if
the parts hold it, a regular form of it, or another way to write the same number, negation or connective. English words
that carry nothing by themselves (articles, auxiliaries, most prepositions) are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from veriscore_agent.core.verification.words import NEGATIONS, UNSPACED, Vocabulary, Word, content_words, words

MAX_LEFT_OUT = 12
"""Words that are asked for by name; a list of parts that lacks more is about another claim."""

_UNSPACED_NEGATIONS = frozenset("不没沒無无未非")


def left_out(claim: str, parts: Iterable[str]) -> tuple[str, ...]:
    """The words of ``claim`` that ``parts`` together do not cover, as they stand there, in order, each once."""
    text = "\n".join(parts)
    offered = Vocabulary(words(text))
    missing: dict[str, str] = {}
    for word in content_words(words(claim)):
        if not offered.holds(word):
            missing.setdefault(word.key, word.shown)
    found = [*missing.values(), *_missing_negation(claim, text), *_missing_unspaced(claim, text)]
    return tuple(sorted(found, key=claim.find))[:MAX_LEFT_OUT]


def _missing_negation(claim: str, text: str) -> list[str]:
    """The claim's last negation, where the parts have fewer of them."""
    wanted, offered = _negations(claim), _negations(text)
    return [wanted[-1].shown] if len(offered) < len(wanted) else []


def _negations(text: str) -> list[Word]:
    return [word for word in words(text) if word.key in NEGATIONS]


def _missing_unspaced(claim: str, text: str) -> list[str]:
    """Stretches of two characters or more, or a negation, of a script without spaces that the parts do not hold."""
    offered = set(text)
    marked = "".join(
        character if UNSPACED.match(character) and character not in offered else " " for character in claim
    )
    return [stretch for stretch in marked.split() if len(stretch) > 1 or stretch in _UNSPACED_NEGATIONS]
