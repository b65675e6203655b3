"""Whether text speaks to its judge: commands, forged verdicts and replies, talk of claims and their labels.

Words decide, so what is worded as nobody has thought of passes. It is one defence of several: evidence is fenced and
neutralised, a finding needs a quote that speaks of its part, and the label is derived in code.
"""

from __future__ import annotations

from functools import lru_cache

from veriscore_agent.core.instructions.commands import find_command
from veriscore_agent.core.instructions.folding import fold
from veriscore_agent.core.instructions.remarks import is_doubtful, is_remark, is_request, without_judging_words
from veriscore_agent.core.instructions.suspecting import suspected

_LONGEST_SHOWN = 160
_SLICE, _OVERLAP = 8_000, 500
"""Characters that are looked through at a time, so that other threads come to their turn, and what slices share."""


@lru_cache(maxsize=512)
def command_in(text: str) -> str:
    """The first words with which ``text`` tells a model what to do or forges what one says, folded; else nothing.

    It is hardly ever found in text that informs, so that all that stands beside it is in doubt.
    """
    for start in range(0, max(1, len(text) - _OVERLAP), _SLICE - _OVERLAP):
        for place in suspected(text[start : start + _SLICE]):
            if found := find_command(fold(place)):
                return found.strip()[:_LONGEST_SHOWN]
    return ""


def talks_to_a_judge(sentence: str) -> bool:
    """Whether a sentence speaks of claims and verdicts and not of the world: no evidence."""
    folded = fold(sentence)
    return bool(find_command(folded)) or is_remark(folded)


def asks_for_something(sentence: str) -> bool:
    """Whether a sentence asks its reader to do something: advice, a recipe, or words for the judge."""
    return is_request(" ".join(sentence.split()))


def may_talk_to_a_judge(sentence: str) -> bool:
    """Whether a sentence has any word of judging: to be asked only where little else speaks for it."""
    return is_doubtful(fold(sentence))


def beside_the_verdict(sentence: str) -> str | None:
    """What a sentence says beside the words of a verdict, folded; None where it has none of those."""
    folded = fold(sentence)
    rest = without_judging_words(folded)
    return rest if rest != folded else None
