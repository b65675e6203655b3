"""What a user should be told of an answer's extraction."""

from __future__ import annotations

from veriscore_agent.domain import Answer

_LONG_SENTENCES = 4
_LONG_CHARS = 400


def extraction_warnings(
    answer: Answer, *, sentences: int, claims: int, unextracted: int = 0, abstained: bool = False
) -> tuple[str, ...]:
    """Warnings about an answer of so many units, distinct claims and units whose extraction failed.

    A long answer without any claim is rarely right: the model may have misread its language or form. An abstention is
    expected to have none, and failed units are told of by themselves.
    """
    if claims or abstained or unextracted:
        return ()
    if sentences == 0:
        return ("the answer holds no sentence to extract claims from (only code, marks or white space)",)
    length = len(answer.response.strip())
    if sentences < _LONG_SENTENCES and length < _LONG_CHARS:
        return ()
    return (f"no verifiable claim was found in a long answer ({sentences} sentences, {length} characters)",)
