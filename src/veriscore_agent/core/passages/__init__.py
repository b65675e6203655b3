"""From pages to the passages that bear on a claim."""

from veriscore_agent.core.passages.choosing import choose_passages
from veriscore_agent.core.passages.pieces import Piece, split_pieces

__all__ = ["Piece", "choose_passages", "split_pieces"]
