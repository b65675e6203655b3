"""What a run leaves behind: records, tables, the run folder."""
