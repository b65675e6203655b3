"""Web pages: fetched, read in worker processes, and recognised where they are no evidence."""

from veriscore_agent.adapters.pages.extraction import PageExtractor
from veriscore_agent.adapters.pages.reader import WebPageReader
from veriscore_agent.adapters.pages.transport import build_page_transport

__all__ = ["PageExtractor", "WebPageReader", "build_page_transport"]
