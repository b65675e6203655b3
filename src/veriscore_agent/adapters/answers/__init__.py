"""The answers to score, read from JSON Lines: ours, claims only, or the output files of the paper's authors."""

from veriscore_agent.adapters.answers.file import AnswersFile, ReadingOptions, read_answers
from veriscore_agent.adapters.answers.rows import FIELDS

__all__ = ["FIELDS", "AnswersFile", "ReadingOptions", "read_answers"]
