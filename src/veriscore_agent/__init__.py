"""Async, agentic factuality scorer for long-form LLM answers."""
