"""Text that speaks to whoever judges it, instead of about the world."""

from veriscore_agent.core.instructions.detecting import (
    beside_the_verdict,
    command_in,
    may_talk_to_a_judge,
    talks_to_a_judge,
)

__all__ = ["beside_the_verdict", "command_in", "may_talk_to_a_judge", "talks_to_a_judge"]
