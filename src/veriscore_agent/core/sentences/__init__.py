"""From an answer's text to the units that claims are asked of.

``blocks`` takes the Markdown apart, ``prose`` cuts running text into sentences; here they are joined.
"""

from __future__ import annotations

from collections.abc import Iterator

from veriscore_agent.core.sentences.blocks import Block, markdown_blocks
from veriscore_agent.core.sentences.prose import MAX_UNIT_CHARS, fit_units, prose_sentences
from veriscore_agent.domain import Sentence

__all__ = ["MAX_UNIT_CHARS", "split_sentences"]


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """The units of an answer, in order.

    A sentence of prose, a list item, and a row of a table (as ``header: cell | header: cell``) are one unit each.
    Code is none. Headings, list introductions and parent items become the ``context`` of what stands under them; a
    heading is a unit only where it reads as a statement or has nothing under it. Units are verbatim but for the
    marks of their block at the start of lines; none is longer than ``MAX_UNIT_CHARS``. Takes time in proportion to
    the text.
    """
    sentences: list[Sentence] = []
    for paragraph, block in enumerate(markdown_blocks(text)):
        for unit in _units(block):
            sentences.append(Sentence(len(sentences), unit, paragraph, block.context))
    return tuple(sentences)


def _units(block: Block) -> Iterator[str]:
    sentences = prose_sentences(block.text) if block.kind == "prose" else fit_units(block.text)
    return (sentence for sentence in sentences if any(map(str.isalnum, sentence)))
