"""The rules of the metric, pure: no await, no clock, no environment, no disk."""
