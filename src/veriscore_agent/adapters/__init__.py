"""The only code that touches a socket or a disk."""
