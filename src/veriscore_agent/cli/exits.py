"""Exit codes."""

DONE = 0
THRESHOLD_MISSED = 1
USAGE = 2
"""Usage, settings, input, and whatever is found before the first paid call."""
REPLAY_MISS = 3
INCOMPLETE = 4
"""Finished or stopped incomplete. Goes before a missed threshold."""
INTERRUPTED = 130
