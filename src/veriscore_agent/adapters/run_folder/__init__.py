"""The folder of one run on disk: who writes to it, what stands in it, and how it survives a kill."""

from veriscore_agent.adapters.run_folder.folder import RunFolder, StoredRun, holds_run, move_aside, read_run
from veriscore_agent.adapters.run_folder.lines import ReadRecords, Record

__all__ = ["ReadRecords", "Record", "RunFolder", "StoredRun", "holds_run", "move_aside", "read_run"]
