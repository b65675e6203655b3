"""Addresses of pages: which can be requested at all, where a redirect leads, and whose robots.txt holds."""

from __future__ import annotations

import httpx

from veriscore_agent.core.links import normalise_url

_LONGEST = 8_000
"""Characters of an address; servers take no longer ones."""


class BadAddressError(ValueError):
    """An address that no page can be requested from."""


def page_address(link: str) -> httpx.URL:
    """The one address for all spellings of a link.

    Raises BadAddressError for other schemes, missing hosts, and the many forms that no URL library agrees on.
    """
    if len(link) > _LONGEST:
        raise BadAddressError("the address is too long")
    try:
        url = httpx.URL(normalise_url(link))
        # Asked for here, because a host that cannot be decoded raises only then, and not always an httpx error.
        scheme, host, port = url.scheme, url.host, url.port
    except (httpx.InvalidURL, ValueError) as problem:
        raise BadAddressError("the address cannot be read") from problem
    if scheme not in ("http", "https"):
        raise BadAddressError(f"only http and https are opened, not {scheme or 'an address without a scheme'}"[:100])
    if not host or (port is not None and not 0 < port < 65536):
        raise BadAddressError("the address names no host" if not host else "the address names no port")
    return url


def redirect_address(current: httpx.URL, location: str) -> httpx.URL:
    """Where a Location header leads. Raises BadAddressError."""
    try:
        return page_address(str(current.join(location.strip())))
    except (httpx.InvalidURL, ValueError) as problem:
        why = f" ({problem})" if isinstance(problem, BadAddressError) else ""
        raise BadAddressError(f"it redirects to where no page is: {location[:100]!r}{why}") from problem


def robots_address(url: httpx.URL) -> httpx.URL:
    """Where the robots.txt stands that holds for an address."""
    return url.copy_with(raw_path=b"/robots.txt", fragment=None)
