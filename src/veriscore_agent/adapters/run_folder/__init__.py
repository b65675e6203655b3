"""The folder of one run on disk: who writes to it, what stands in it, and how it survives a kill."""

from veriscore_agent.adapters.run_folder.folder import (
    RunFolder,
    StoredRun,
    holds_run,
    move_aside,
    read_record,
    read_run,
)
from veriscore_agent.adapters.run_folder.record import answers_digest, begin_record, software

__all__ = [
    "RunFolder",
    "StoredRun",
    "answers_digest",
    "begin_record",
    "holds_run",
    "move_aside",
    "read_record",
    "read_run",
    "software",
]
