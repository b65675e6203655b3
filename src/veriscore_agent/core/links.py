"""Which links to open, and when two of them are the same page."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from veriscore_agent.domain import Snippet

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|srsltid)=.*", re.I
)
_UNREADABLE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|bmp|tiff?|mp[34]|m4[av]|avi|mov|webm|og[gv]|wav|flac|zip|gz|bz2|xz|7z|rar|tar"
    r"|exe|dmg|apk|iso|bin|docx?|xlsx?|pptx?|epub|mobi|css|js|woff2?|ttf)$",
    re.I,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_RESERVED = "%:/?#[]@!$&'()*+,;="


def choose_links(snippets: Sequence[Snippet], opened: Collection[str], *, limit: int) -> tuple[str, ...]:
    """At most ``limit`` links to open next, in the engine's order, as the engine wrote them.

    Left out: what is open already (``opened``, links as written), the same page under another spelling, anything but
    http and https, and media, archives and office files. Portable documents come after everything else.
    """
    seen = {_page_key(link) for link in opened}
    found: dict[str, str] = {}
    for snippet in snippets:
        key = _page_key(snippet.link)
        if key and key not in seen and not _UNREADABLE.search(_path(snippet.link)):
            found.setdefault(key, snippet.link)
    return tuple(sorted(found.values(), key=lambda link: _path(link).lower().endswith(".pdf"))[:limit])


def normalise_url(url: str) -> str:
    """One spelling for all addresses that lead to the same request.

    Scheme and host in lower case, no default port, user name, fragment or tracking parameter, a path, and one way of
    percent-encoding. What is no address comes back trimmed and otherwise as it was.
    """
    parts = _split(url)
    if parts is None:
        return url.strip()
    query = "&".join(pair for pair in parts.query.split("&") if pair and not _TRACKING.fullmatch(pair))
    return urlunsplit((parts.scheme, _host_and_port(parts), _one_encoding(parts.path or "/"), _one_encoding(query), ""))


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(_SURROGATE.sub("\ufffd", url.strip()))
        has_host = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname)
        return parts if has_host and parts.port != 0 else None
    except ValueError:
        return None


def _host_and_port(parts: SplitResult) -> str:
    host = (parts.hostname or "").removesuffix(".")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _one_encoding(text: str) -> str:
    """Every character escaped that must be and none that need not, hexadecimal digits in upper case."""
    return _ESCAPE.sub(_one_escape, quote(text, safe=_RESERVED))


def _one_escape(match: re.Match[str]) -> str:
    character = unquote(match[0])
    return character if character in _UNRESERVED else match[0].upper()


def _page_key(link: str) -> str:
    """Equal for two links that almost surely show one page. Empty where the link cannot be opened."""
    if _split(link) is None:
        return ""
    address = normalise_url(link).partition("://")[2]
    return address.removeprefix("www.").removesuffix("/")


def _path(link: str) -> str:
    parts = _split(link)
    return parts.path if parts else ""
