"""Text that speaks to whoever judges it, instead of about the world."""

from veriscore_agent.core.instructions.detecting import command_in, talks_to_a_judge

__all__ = ["command_in", "talks_to_a_judge"]
