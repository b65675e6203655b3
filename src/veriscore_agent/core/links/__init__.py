"""Links: which of them to open, in which order, and when two of them are one page."""

from __future__ import annotations

from veriscore_agent.core.links.addresses import ascii_host, host_of, normalise_url, page_key, site_of
from veriscore_agent.core.links.choosing import choose_links, openable_links

__all__ = ["ascii_host", "choose_links", "host_of", "normalise_url", "openable_links", "page_key", "site_of"]
