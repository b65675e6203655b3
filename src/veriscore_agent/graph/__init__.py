"""The state machine of one claim."""
