"""Language models behind OpenAI-compatible chat endpoints."""

from veriscore_agent.adapters.openai_model.adapting import AdaptingTransport
from veriscore_agent.adapters.openai_model.model import OpenAIModel
from veriscore_agent.adapters.openai_model.problems import is_final

__all__ = ["AdaptingTransport", "OpenAIModel", "is_final"]
