"""The folder of one run on disk: who writes to it, what stands in it, and how it survives a kill."""

from veriscore_agent.adapters.run_folder.folder import RunFolder, StoredRun, holds_run, move_aside, read_run
from veriscore_agent.adapters.run_folder.lines import ReadRecords, Record
from veriscore_agent.adapters.run_folder.record import RUN_SCHEMA, RunIdentity, identify, software

__all__ = [
    "RUN_SCHEMA",
    "ReadRecords",
    "Record",
    "RunFolder",
    "RunIdentity",
    "StoredRun",
    "holds_run",
    "identify",
    "move_aside",
    "read_run",
    "software",
]
