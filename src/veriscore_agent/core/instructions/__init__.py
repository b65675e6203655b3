"""Text that speaks to whoever judges it, instead of about the world."""

from veriscore_agent.core.instructions.detecting import (
    asks_for_something,
    beside_the_verdict,
    command_in,
    may_talk_to_a_judge,
    talks_to_a_judge,
)

__all__ = ["asks_for_something", "beside_the_verdict", "command_in", "may_talk_to_a_judge", "talks_to_a_judge"]
