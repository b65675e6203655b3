"""Recordings: one vcr.py cassette an exchange, and the transport that writes and replays them (DESIGN, section 8)."""
