"""Connections go to public addresses only, and to the very address that was checked."""

from __future__ import annotations

import socket
import threading

import anyio
import httpcore
import httpx
import pytest

from tests.loopback import LoopbackServer, Reply, in_turn
from tests.stub_network import PUBLIC, Names, StubConnector, StubResolver
from veriscore_agent.adapters.address_guard import (
    AddressRefused,
    GuardedBackend,
    GuardedTransport,
    SystemResolver,
    address_problem,
)

pytestmark = pytest.mark.anyio

REFUSED = [
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("0.0.0.0", "unspecified"),
    ("10.1.2.3", "private"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.168.1.1", "private"),
    ("169.254.169.254", "link-local"),
    ("100.64.0.1", "carrier-grade NAT"),
    ("100.100.100.200", "carrier-grade NAT"),
    ("168.63.129.16", "cloud metadata"),
    ("192.0.0.192", "reserved"),
    ("192.0.2.1", "documentation"),
    ("198.18.0.1", "benchmarking"),
    ("203.0.113.9", "documentation"),
    ("224.0.0.1", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::127.0.0.1", "reserved"),
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:10.0.0.5", "private"),
    ("::ffff:a9fe:a9fe", "link-local"),
    ("64:ff9b::7f00:1", "loopback"),
    ("64:ff9b::a00:5", "private"),
    ("64:ff9b:1::7f00:1", "reserved"),
    ("2002:7f00:1::", "6to4"),
    ("2002:808:808::", "6to4"),
    ("2001:0:5ef5:79fd::1", "Teredo"),
    ("2001:db8::1", "documentation"),
    ("100::1", "reserved"),
    ("fc00::1", "private"),
    ("fd00:ec2::254", "private"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "scoped"),
    ("fec0::1", "reserved"),
    ("ff02::1", "multicast"),
    ("5f00::1", "reserved"),
    ("localhost", "no IP address"),
    ("127.1", "no IP address"),
    ("", "no IP address"),
]


@pytest.mark.parametrize(("address", "problem"), REFUSED)
def test_refused_addresses(address: str, problem: str) -> None:
    assert address_problem(address) == problem


@pytest.mark.parametrize(
    "address",
    [
        "::ffff:8.8.8.8",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.1",
        "172.32.0.1",
        "192.1.2.3",
        "2606:4700::1111",
        "64:ff9b::808:808",
    ],
)
def test_public_addresses(address: str) -> None:
    assert address_problem(address) == ""


DESTINATIONS = [
    ("ftp://site.example/", "scheme"),
    ("http://2130706433/", "decimal"),
    ("http://0x7f000001/", "hexadecimal"),
    ("http://0x7f.1/", "hexadecimal, short"),
    ("http://0177.0.0.1/", "octal"),
    ("http://127.1/", "short"),
    ("http://127.0.0.1./", "root dot"),
    ("http://1.2.3.4.5/", "five numbers"),
    ("http://%31%32%37.0.0.1/", "percent-encoded"),
    ("http://site.example:22/", "SSH"),
    ("http://site.example:25/", "SMTP"),
    ("http://site.example:6379/", "Redis"),
    ("http://site.example:2375/", "Docker"),
    ("http://site.example:0/", "no port"),
    ("http://site.example:99999/", "no port"),
    ("http://127.0.0.1/", "loopback"),
    ("http://[::1]/", "loopback"),
    ("http://[::ffff:127.0.0.1]/", "mapped"),
    ("http://[::ffff:7f00:1]:8080/", "mapped, in hexadecimal"),
    ("http://169.254.169.254/latest/meta-data/", "metadata"),
    ("http://inside.example/", "a name that leads inside"),
    ("http://half.example/", "one of two addresses leads inside"),
    ("https://inside.example/", "over TLS"),
]
NAMES: Names = {"site.example": [PUBLIC], "inside.example": ["10.0.0.5"], "half.example": [PUBLIC, "10.0.0.5"]}


@pytest.mark.parametrize(("url", "why"), DESTINATIONS)
async def test_a_refused_destination_is_never_dialled(url: str, why: str) -> None:
    connector = StubConnector()
    async with httpx.AsyncClient(transport=_transport(NAMES, connector), trust_env=False) as client:
        # httpx itself does not take some of them for addresses.
        with pytest.raises((AddressRefused, httpx.InvalidURL)):
            await client.get(url)
    assert connector.attempts == [], why


@pytest.mark.parametrize("port", [80, 443, 1024, 8080, 8443, 65535])
async def test_ports_of_the_web(port: int) -> None:
    connector = StubConnector()
    async with httpx.AsyncClient(transport=_transport(NAMES, connector), trust_env=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://site.example:{port}/")
    assert connector.attempts == [(PUBLIC, port)]


async def test_the_checked_address_is_dialled_and_the_name_is_resolved_once() -> None:
    """The Host header still has the name."""
    with LoopbackServer(in_turn(Reply(body=b"hello"))) as server:
        resolver, connector = StubResolver(NAMES), StubConnector(server.port)
        async with httpx.AsyncClient(transport=GuardedTransport(resolver=resolver, connector=connector)) as client:
            response = await client.get("http://site.example/")
    assert response.text == "hello"
    assert resolver.asked == ["site.example"]
    assert connector.attempts == [(PUBLIC, 80)]
    assert server.requests[0].headers["host"] == "site.example"


async def test_a_name_that_leads_inside_at_the_second_look_up() -> None:
    """Rebinding: what was public a moment ago is checked again for the next connection."""
    names: Names = {"site.example": [[PUBLIC], ["127.0.0.1"]]}
    with LoopbackServer(in_turn(Reply())) as server:
        connector = StubConnector(server.port)
        async with httpx.AsyncClient(transport=_transport(names, connector)) as client:
            await client.get("http://site.example/", headers={"Connection": "close"})
            with pytest.raises(AddressRefused):
                await client.get("http://site.example/")
    assert connector.attempts == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    "location",
    ["http://169.254.169.254/", "http://127.0.0.1:6379/", "http://inside.example/", "http://[::ffff:127.0.0.1]/"],
)
async def test_a_redirect_to_the_inside_is_refused(location: str) -> None:
    """G10, every form of it."""
    with LoopbackServer(in_turn(Reply(302, {"Location": location}))) as server:
        connector = StubConnector(server.port)
        async with httpx.AsyncClient(transport=_transport(NAMES, connector), follow_redirects=True) as client:
            with pytest.raises(AddressRefused):
                await client.get("http://site.example/")
    assert connector.attempts == [(PUBLIC, 80)]


async def test_the_next_address_is_tried_where_one_is_dead() -> None:
    names: Names = {"site.example": ["2606:4700::1111", PUBLIC]}
    with LoopbackServer(in_turn(Reply(body=b"hello"))) as server:
        connector = StubConnector(server.port, dead=["2606:4700::1111"])
        async with httpx.AsyncClient(transport=_transport(names, connector)) as client:
            assert (await client.get("http://site.example/")).text == "hello"
    assert [host for host, _ in connector.attempts] == ["2606:4700::1111", PUBLIC]


async def test_names_that_lead_nowhere_are_connection_errors() -> None:
    async with httpx.AsyncClient(transport=_transport({"empty.example": [[]]}, StubConnector())) as client:
        for url in ("http://unknown.example/", "http://empty.example/", f"http://{'a' * 300}.example/"):
            with pytest.raises(httpx.ConnectError):
                await client.get(url)


async def test_private_addresses_where_they_are_allowed() -> None:
    with LoopbackServer(in_turn(Reply(body=b"hello"))) as server:
        async with httpx.AsyncClient(transport=GuardedTransport(allow_private=True), trust_env=False) as client:
            assert (await client.get(server.url)).text == "hello"
            assert (await client.get(f"http://localhost:{server.port}/")).text == "hello"


async def test_loopback_is_refused_by_the_guard_as_it_is_used() -> None:
    """With the system's own resolver and connector."""
    with LoopbackServer(in_turn(Reply())) as server:
        async with httpx.AsyncClient(transport=GuardedTransport(), trust_env=False) as client:
            for host in ("127.0.0.1", "localhost"):
                with pytest.raises(AddressRefused):
                    await client.get(f"http://{host}:{server.port}/")
    assert server.connections == 0


async def test_the_system_resolver_knows_this_machine() -> None:
    assert set(await SystemResolver().resolve("localhost", 80)) <= {"127.0.0.1", "::1"}


async def test_slow_name_servers_hold_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """More look-ups hang than the event loop has threads; another name is resolved, and none is waited for."""
    let_go = threading.Event()

    def look_up(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        if host != "quick.example":
            let_go.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    resolver = SystemResolver()
    try:
        with anyio.move_on_after(20) as all_of_it:
            async with anyio.create_task_group() as group:
                for number in range(60):
                    group.start_soon(resolver.resolve, f"slow{number}.example", 80)
                await anyio.sleep(0.1)
                assert await resolver.resolve("quick.example", 80) == [PUBLIC]
                group.cancel_scope.cancel()
        assert not all_of_it.cancelled_caught
    finally:
        let_go.set()


async def test_behind_a_proxy_the_check_comes_first() -> None:
    """The proxy is only asked for what the guard, as far as it can see, would connect to itself."""
    with LoopbackServer(in_turn(Reply(body=b"from the proxy"))) as proxy:
        transport = GuardedTransport(resolver=StubResolver(NAMES), proxy=proxy.url)
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            with pytest.raises(AddressRefused):
                await client.get("http://inside.example/")
            with pytest.raises(AddressRefused):
                await client.get("http://127.0.0.1/")
            assert proxy.requests == []
            assert (await client.get("http://site.example/")).text == "from the proxy"
            assert (await client.get("http://unknown-here.example/")).text == "from the proxy"


async def test_no_page_comes_from_a_local_socket() -> None:
    backend = GuardedBackend(StubResolver({}), StubConnector(), allow_private=True)
    with pytest.raises(AddressRefused):
        await backend.connect_unix_socket("/run/docker.sock")


async def test_a_slow_look_up_ends_with_the_connection_timeout() -> None:
    class Slow:
        async def resolve(self, host: str, port: int) -> list[str]:
            await anyio.sleep(60)
            return []

    backend = GuardedBackend(Slow(), StubConnector(), allow_private=False)
    with pytest.raises(httpcore.ConnectTimeout):
        await backend.connect_tcp("site.example", 80, timeout=0.05)


def _transport(names: Names, connector: StubConnector) -> GuardedTransport:
    return GuardedTransport(resolver=StubResolver(names), connector=connector)
