"""Addresses: when two of them are one request, one page, or one site."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|srsltid)=.*", re.I
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SECOND_LEVELS = frozenset({"com", "net", "org", "edu", "gov", "gob", "gouv", "mil", "asn", "nom", "sch"})
_RESERVED = "%:/?#[]@!$&'()*+,;="


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


def page_key(link: str) -> str:
    """Equal for two links that almost surely show one page. Empty where the link cannot be opened."""
    if _split(link) is None:
        return ""
    address = normalise_url(link).partition("://")[2]
    return address.removeprefix("www.").removesuffix("/")


def path_of(link: str) -> str:
    """The path of an address; empty where it is none."""
    parts = _split(link)
    return parts.path if parts else ""


def host_of(link: str) -> str:
    """The host of an address in ASCII (``xn--...``) and lower case; empty where it is none."""
    parts = _split(link)
    return ascii_host(parts.hostname or "") if parts else ""


@lru_cache(maxsize=10_000)
def ascii_host(host: str) -> str:
    """One spelling of a host's name, whatever its case and whether its letters are encoded."""
    name = host.lower().strip(".")
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def site_of(link: str) -> str:
    """The site that a link belongs to: its host without what only tells parts of one site apart.

    ``en.wikipedia.org`` and ``de.wikipedia.org`` are one site, ``a.co.uk`` and ``b.co.uk`` are two. Made from the
    name's form, without a list of the registries' suffixes: good for spreading links, not for access rules.
    """
    host = host_of(link)
    labels = host.split(".")
    if ":" in host or labels[-1].isdigit():
        return host
    is_pair = len(labels) > 2 and len(labels[-1]) == 2 and (len(labels[-2]) <= 2 or labels[-2] in _SECOND_LEVELS)
    return ".".join(labels[-3:] if is_pair else labels[-2:])


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
