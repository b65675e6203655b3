"""Connections to public addresses only, and to the very address that was checked.

A page's address comes from a stranger, and so does what its name resolves to, which may differ from one look-up to the
next. So the check sits where the connection is made: the host is resolved once, every address is checked, and one of
these is dialled; no one resolves the name again. TLS and the Host header still see the name. Redirects and pooled
connections pass the same way.
"""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
from collections.abc import Iterable, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Protocol

import anyio
import anyio.to_thread
import httpcore
import httpx

from veriscore_agent.adapters.http.failures import FinalTransportError


class AddressRefused(FinalTransportError):  # noqa: N818
    """The scheme, host, port or resolved address is not one that a page may come from."""


class Resolver(Protocol):
    """Looks names up."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """All addresses of a host, IPv4 and IPv6, in the order of preference. Raises OSError."""
        ...


class SystemResolver:
    """The operating system's own look-up, in threads of its own.

    A look-up blocks its thread for as long as a name server likes. The event loop's own pool has a thread or two for
    each processor: a few dead name servers would hold all of them, and nobody else's name would be resolved. Who is
    cancelled does not wait for the thread.
    """

    def __init__(self) -> None:
        self._threads = anyio.CapacityLimiter(_MOST_LOOKUPS)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """All addresses of a host. Raises OSError, or UnicodeError for what can be no name."""
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=self._threads)
        return list(dict.fromkeys(str(address[0]) for *_, address in found))


_REFUSED_V4 = (
    ("unspecified", "0.0.0.0/8"),
    ("private", "10.0.0.0/8"),
    ("carrier-grade NAT", "100.64.0.0/10"),
    ("loopback", "127.0.0.0/8"),
    ("cloud metadata", "168.63.129.16/32"),
    ("link-local", "169.254.0.0/16"),
    ("private", "172.16.0.0/12"),
    ("reserved", "192.0.0.0/24"),
    ("documentation", "192.0.2.0/24"),
    ("reserved", "192.88.99.0/24"),
    ("private", "192.168.0.0/16"),
    ("benchmarking", "198.18.0.0/15"),
    ("documentation", "198.51.100.0/24"),
    ("documentation", "203.0.113.0/24"),
    ("multicast", "224.0.0.0/4"),
    ("reserved", "240.0.0.0/4"),
)
_REFUSED_V6 = (
    ("unspecified", "::/128"),
    ("loopback", "::1/128"),
    ("private", "fc00::/7"),
    ("link-local", "fe80::/10"),
    ("multicast", "ff00::/8"),
    ("Teredo", "2001::/32"),
    ("reserved", "2001::/23"),
    ("documentation", "2001:db8::/32"),
    ("6to4", "2002::/16"),
    ("documentation", "3fff::/20"),
)
"""After the registries of special-purpose addresses of IANA; beside these only 2000::/3 is public."""
_NETWORKS_V4 = tuple((name, IPv4Network(network)) for name, network in _REFUSED_V4)
_NETWORKS_V6 = tuple((name, IPv6Network(network)) for name, network in _REFUSED_V6)
_GLOBAL_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")

_PROXY_LOOKUP_S = 5.0
_MOST_LOOKUPS = 128

_ENDS_IN_NUMBER = re.compile(r"(?:^|\.)(?:\d+|0[xX][0-9a-fA-F]*)$")
_WEB_PORTS = frozenset({80, 443})
_SERVICE_PORTS = frozenset(
    {1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672}
    | {5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9200, 9300, 10080, 10250}
    | {11211, 27017}
)
"""Above 1023: databases, remote control and others that speak no HTTP, or none for strangers. Partly the bad ports of
the Fetch standard."""


def address_problem(address: str) -> str:
    """Why no page may come from this IP address (``loopback``, ``private``, ...), or an empty text.

    An IPv4 address inside an IPv6 one (mapped, or of a NAT64 gateway) is judged as what it is.
    """
    if "%" in address:
        return "scoped"
    try:
        ip = ip_address(address)
    except ValueError:
        return "no IP address"
    if isinstance(ip, IPv6Address):
        embedded = ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        return _problem_v6(ip) if embedded is None else _problem_v4(embedded)
    return _problem_v4(ip)


def _problem_v4(ip: IPv4Address) -> str:
    return next((name for name, network in _NETWORKS_V4 if ip in network), "")


def _problem_v6(ip: IPv6Address) -> str:
    named = next((name for name, network in _NETWORKS_V6 if ip in network), "")
    return named or ("" if ip in _GLOBAL_V6 else "reserved")


def check_destination(scheme: str, host: str, port: int | None) -> None:
    """Refuse what no look-up is needed for: another scheme, a port of another service, an odd way to write an address.

    Raises AddressRefused.
    """
    if scheme not in ("http", "https"):
        raise AddressRefused(f"only http and https are opened, not {scheme!r}")
    if not host or "%" in host:
        raise AddressRefused("the address names no host" if not host else f"{host} is no host name")
    if port is not None and port not in _WEB_PORTS and (not 1024 <= port <= 65535 or port in _SERVICE_PORTS):
        raise AddressRefused(f"port {port} is not one of the web")
    # 2130706433, 0x7f.1 and 0177.0.0.1 are 127.0.0.1 for a resolver.
    if ":" not in host and _ENDS_IN_NUMBER.search(host.rstrip(".")) and not _is_canonical_v4(host):
        raise AddressRefused(f"{host} is an unusual way to write an address")


def _is_canonical_v4(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Resolves, checks and dials; what is below (``connector``) is only ever given IP addresses."""

    def __init__(self, resolver: Resolver, connector: httpcore.AsyncNetworkBackend, *, allow_private: bool) -> None:
        self._resolver, self._connector, self._allow_private = resolver, connector, allow_private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore's name)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of the host that answers. Raises AddressRefused if any of them is refused."""
        deadline = anyio.current_time() + timeout if timeout is not None else None
        addresses = await self.checked_addresses(host, port, timeout)
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            # A dead address must not use up the time of those behind it.
            share_s = None if deadline is None else max(0.0, deadline - anyio.current_time()) / left
            try:
                stream = await self._connector.connect_tcp(address, port, share_s, local_address, socket_options)
                return _ConnectedStream(stream)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
        raise httpcore.ConnectError(f"{host} has no address")

    async def checked_addresses(self, host: str, port: int, timeout_s: float | None) -> Sequence[str]:
        """All addresses of a host, each of which may be connected to.

        Raises AddressRefused if any may not, httpcore.ConnectError or ConnectTimeout where the name leads nowhere.
        """
        host = host.removesuffix(".")
        try:
            addresses: Sequence[str] = [str(ip_address(host))]
        except ValueError:
            addresses = await self._resolve(host, port, timeout_s)
        for address in () if self._allow_private else addresses:
            if problem := address_problem(address):
                raise AddressRefused(f"{host} leads to a {problem} address")
        return addresses

    async def _resolve(self, host: str, port: int, timeout_s: float | None) -> Sequence[str]:
        try:
            with anyio.fail_after(timeout_s):
                return await self._resolver.resolve(host, port)
        except TimeoutError as problem:
            raise httpcore.ConnectTimeout(f"the name {host} was not resolved in time") from problem
        except (OSError, UnicodeError) as problem:
            raise httpcore.ConnectError(f"the name {host} cannot be resolved: {problem}") from problem

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore's name)
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refused: no page comes from a local socket."""
        raise AddressRefused("no page comes from a local socket")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)


class _ConnectedStream(httpcore.AsyncNetworkStream):
    """A connection that is closed when it is given up in the middle of its TLS handshake.

    httpcore would leave it open then, and the server could hold it for as long as it likes.
    """

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        return await self._inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        try:
            return await self._inner.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._inner.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class GuardedTransport(httpx.AsyncHTTPTransport):
    """An HTTP transport whose every connection passes the guard.

    ``proxy`` is the address of an HTTP proxy. Then the guard still checks what an address says and what its name
    resolves to here, where it does, but it is the proxy that resolves and connects: nothing can be pinned.
    """

    def __init__(
        self,
        *,
        resolver: Resolver | None = None,
        connector: httpcore.AsyncNetworkBackend | None = None,
        allow_private: bool = False,
        proxy: str = "",
        max_connections: int = 128,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        connector = connector or httpcore.AnyIOBackend()
        self._guard = GuardedBackend(resolver or SystemResolver(), connector, allow_private=allow_private)
        self._proxied = bool(proxy)
        # httpx builds its pool without a way to name the backend; its own constructor is therefore not called.
        options: dict[str, Any] = {
            "ssl_context": ssl_context or httpx.create_ssl_context(),
            "max_connections": max_connections,
            "max_keepalive_connections": max_connections // 2,
            "keepalive_expiry": 15.0,
        }
        self._pool = (
            httpcore.AsyncHTTPProxy(proxy_url=proxy, network_backend=connector, **options)
            if proxy
            else httpcore.AsyncConnectionPool(network_backend=self._guard, **options)
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Check and send. Raises AddressRefused and httpx's transport errors."""
        check_destination(request.url.scheme, request.url.raw_host.decode("ascii", "replace"), request.url.port)
        if self._proxied:
            await self._check_for_proxy(request.url)
        return await super().handle_async_request(request)

    async def _check_for_proxy(self, url: httpx.URL) -> None:
        # Behind a proxy a name often cannot be resolved here at all, and then the proxy's own rules have to do.
        with contextlib.suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
            await self._guard.checked_addresses(url.raw_host.decode("ascii"), url.port or 80, _PROXY_LOOKUP_S)
