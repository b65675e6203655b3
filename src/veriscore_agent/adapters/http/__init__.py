"""The transport stack that every service is called through (DESIGN, section 7)."""
