"""Checks before anything is spent: each ends in seconds and says what to do."""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from pydantic import SecretStr

from tests.loopback import Handler, LoopbackServer, Reply, json_reply
from veriscore_agent.adapters.preflight import Check, check_model, check_search
from veriscore_agent.settings import Settings
from veriscore_agent.wiring import check_services

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789abcdef"
MODELS = {"object": "list", "data": [{"id": "m"}, {"id": "other"}]}


def serving(replies: Mapping[str, Reply]) -> Handler:
    """Answers by method and path; 404 for the rest."""

    def handle(method: str, path: str, _headers: Mapping[str, str], _body: bytes) -> Reply:
        return replies.get(f"{method} {path}", json_reply({"error": {"message": "not here"}}, 404))

    return handle


async def model_check(replies: Mapping[str, Reply], path: str = "/v1", **settings: Any) -> tuple[Check, LoopbackServer]:
    settings = {"api_key": SecretStr(KEY), "model": "m", **settings}
    with LoopbackServer(serving(replies)) as server:
        async with httpx.AsyncClient() as client:
            return await check_model(Settings(base_url=server.url + path, **settings), client), server


async def test_the_checks_go_through_the_proxy_that_the_run_goes_through() -> None:
    settings: dict[str, Any] = {"base_url": "https://model.example/v1", "search_base_url": "https://search.example"}
    settings |= {"api_key": SecretStr(KEY), "search_api_key": SecretStr(KEY)}
    with LoopbackServer(serving({})) as proxy:
        checks = await check_services(Settings(proxy=proxy.url, **settings))
    asked = sorted((each.method, each.path) for each in proxy.requests)
    assert asked == [("CONNECT", "model.example:443"), ("CONNECT", "search.example:443")]
    assert [each.ok for each in checks] == [False, False]
    assert KEY not in repr((checks, proxy.requests))


async def test_a01_the_checks_trust_the_certificates_that_the_run_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A company's own authority is named in ``SSL_CERT_FILE``; without it nothing is accepted unseen."""
    async with tls_server(tmp_path) as port:
        settings = Settings(base_url=f"https://127.0.0.1:{port}/v1", api_key=SecretStr(KEY))
        (unknown,) = await check_services(settings, search=False)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
        (known,) = await check_services(settings, search=False)
    assert "certificate" in unknown.detail.lower()
    assert (unknown.ok, known.ok) == (False, True)


@asynccontextmanager
async def tls_server(folder: Path) -> AsyncIterator[int]:
    """A server on loopback that answers an empty list to whatever it is asked, with a certificate of its own."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not here")
    key, certificate = str(folder / "key.pem"), str(folder / "certificate.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    await anyio.run_process([*made, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"data": []}')
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def search_check(reply: Reply, **settings: Any) -> tuple[Check, LoopbackServer]:
    settings = {"search_api_key": SecretStr(KEY), **settings}
    with LoopbackServer(serving({"GET /account": reply})) as server:
        async with httpx.AsyncClient() as client:
            return await check_search(Settings(search_base_url=server.url, **settings), client), server


async def without_network(check: Any, **settings: Any) -> Check:
    """The check where every request is an error."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"asked {request.url}")

    async with httpx.AsyncClient(transport=httpx.MockTransport(refuse)) as client:
        found: Check = await check(Settings(**settings), client)
        return found


# ---------------------------------------------------------------- model


async def test_a_server_that_lists_the_model_is_fine() -> None:
    check, server = await model_check({"GET /v1/models": json_reply(MODELS)})
    assert (check.name, check.ok, check.hint) == ("model", True, "")
    assert "lists 2 models" in check.detail
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_model_that_is_not_listed_is_mentioned_and_no_failure() -> None:
    """Deployments, aliases and local servers answer to names that they do not list."""
    check, _ = await model_check({"GET /v1/models": json_reply(MODELS)}, judge_model="mine")
    assert check.ok
    assert "mine" in check.hint


@pytest.mark.parametrize("listed", [{"data": []}, {}, [], {"data": [None, 3]}, {"data": {"m": 1}}])
async def test_a_list_in_another_form_is_no_failure(listed: Any) -> None:
    check, _ = await model_check({"GET /v1/models": json_reply(listed)})
    assert (check.ok, check.hint) == (True, "")


@pytest.mark.parametrize("status", [400, 422, 500])
async def test_a_server_without_a_list_is_asked_with_an_empty_request(status: int) -> None:
    """Refused before anything is computed: nothing is spent."""
    refusal = json_reply({"error": {"message": "messages is required"}}, status)
    check, server = await model_check({"POST /v1/chat/completions": refusal})
    assert (check.ok, "takes chat requests" in check.detail) == (True, True)
    assert [(each.method, each.body) for each in server.requests] == [("GET", b""), ("POST", b"{}")]


@pytest.mark.parametrize(
    ("row", "replies", "detail", "hint"),
    [
        ("no such path", {}, "serves no models", "check the path"),
        (
            "401",
            {"GET /v1/models": json_reply({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)},
            "refused the key (HTTP 401: Incorrect API key: [scrubbed])",
            "check OPENAI_API_KEY",
        ),
        ("403", {"GET /v1/models": json_reply({}, 403)}, "refused the key", "check OPENAI_API_KEY"),
        ("402", {"GET /v1/models": json_reply({}, 402)}, "credit", "top it up"),
        (
            "no credit as 429",
            {"POST /v1/chat/completions": json_reply({"error": {"code": "insufficient_quota"}}, 403)},
            "credit",
            "top it up",
        ),
        ("A10", {"GET /v1/models": Reply(200, {}, b"<html>login</html>")}, "web page instead of JSON", "gateway"),
        (
            "A10 behind a missing list",
            {"POST /v1/chat/completions": Reply(200, {}, b"<!doctype html>")},
            "web page instead of JSON",
            "gateway",
        ),
        ("no JSON", {"GET /v1/models": Reply(200, {}, b"OK")}, "not JSON", "check base_url"),
        ("a redirect", {"GET /v1/models": Reply(302, {"Location": "/login"})}, "redirect", "check base_url"),
        ("503", {"GET /v1/models": json_reply({"error": "loading"}, 503)}, "HTTP 503: loading", "try again later"),
        ("cut", {"GET /v1/models": Reply(cut=True)}, "cannot be reached", "check base_url"),
    ],
)
async def test_what_would_fail_is_told_with_a_hint(row: str, replies: Any, detail: str, hint: str) -> None:
    check, _ = await model_check(replies)
    assert not check.ok, row
    assert detail in check.detail
    assert hint in check.hint
    assert KEY not in str(check)


async def test_too_many_requests_is_no_failure() -> None:
    check, _ = await model_check({"GET /v1/models": json_reply({}, 429)})
    assert check.ok


async def test_the_missing_v1_is_named() -> None:
    check, server = await model_check({"GET /v1/models": json_reply(MODELS)}, path="")
    assert not check.ok
    assert f"{server.url}/v1" in check.hint


async def test_a_local_server_needs_no_key() -> None:
    check, server = await model_check({"GET /v1/models": json_reply(MODELS)}, api_key=None)
    assert check.ok
    assert "authorization" not in server.requests[0].headers


async def test_a_server_that_wants_a_key_says_so() -> None:
    check, _ = await model_check({"GET /v1/models": json_reply({}, 401)}, api_key=None)
    assert check.hint == "set OPENAI_API_KEY"


@pytest.mark.parametrize(
    ("row", "settings", "detail", "hint"),
    [
        ("no key", {}, "no key for https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("no key, Azure", {"base_url": "https://x.openai.azure.com/openai/v1"}, "no key for", "OPENAI_API_KEY"),
        (
            "A16",
            {"base_url": "https://x.openai.azure.com/", "api_key": SecretStr(KEY)},
            "not where Azure serves models",
            "https://x.openai.azure.com/openai/v1",
        ),
        (
            "A16 with deployment",
            {"base_url": "https://x.openai.azure.com/openai/deployments/d?api-version=1", "api_key": SecretStr(KEY)},
            "not where Azure serves models",
            "without deployment or api-version",
        ),
        ("no address", {"base_url": "api.openai.com"}, "base_url: 'api.openai.com' is not an address", "set base_url"),
        ("a shortened key", {"api_key": SecretStr("sk-abc…xyz")}, "characters that no key has", "api_key"),
    ],
)
async def test_what_the_settings_alone_tell_is_told_without_asking(
    row: str, settings: dict[str, Any], detail: str, hint: str
) -> None:
    check = await without_network(check_model, **settings)
    assert not check.ok, row
    assert detail in check.detail
    assert hint in check.hint


async def test_a_silent_server_ends_the_check() -> None:
    with LoopbackServer(lambda *_: Reply(delay_s=30)) as server:
        async with httpx.AsyncClient(timeout=60) as client:
            started = time.monotonic()
            settings = Settings(base_url=server.url + "/v1", search_base_url=server.url)
            checks = [
                await check_model(settings, client, deadline_s=0.3),
                await check_search(settings, client, deadline_s=0.3),
            ]
    assert time.monotonic() - started < 10
    assert [(each.ok, "did not answer within 0.3 s" in each.detail) for each in checks] == [(False, True)] * 2


async def test_an_unreachable_server_is_named() -> None:
    with LoopbackServer(lambda *_: Reply()) as gone:
        url = gone.url
    async with httpx.AsyncClient() as client:
        checks = [
            await check_model(Settings(base_url=url), client),
            await check_search(Settings(search_base_url=url), client),
        ]
    assert [(each.ok, f"{url} cannot be reached" in each.detail) for each in checks] == [(False, True)] * 2


# ---------------------------------------------------------------- search


async def test_the_credits_that_are_left_are_told() -> None:
    check, server = await search_check(json_reply({"balance": 12345, "rateLimit": 5}))
    assert (check.name, check.ok, check.hint) == ("search", True, "")
    assert "12,345 credits left" in check.detail
    assert [(each.method, each.path) for each in server.requests] == [("GET", "/account")]
    assert server.requests[0].headers["x-api-key"] == KEY


@pytest.mark.parametrize("status", [400, 404, 405, 429])
async def test_a_search_service_that_tells_nothing_of_the_account_is_fine(status: int) -> None:
    check, _ = await search_check(json_reply({"message": "Not Found"}, status))
    assert check.ok


@pytest.mark.parametrize("answer", [{}, {"balance": "many"}, [1]])
async def test_an_account_in_another_form_is_fine(answer: Any) -> None:
    check, _ = await search_check(json_reply(answer))
    assert check.ok


@pytest.mark.parametrize(
    ("row", "reply", "detail", "hint"),
    [
        ("F02", json_reply({"message": "Unauthorized.", "statusCode": 403}, 403), "refused the key", "SERPER_API_KEY"),
        ("401", json_reply({}, 401), "refused the key", "SERPER_API_KEY"),
        ("F03", json_reply({"balance": 0}), "no search credits left", "credits"),
        ("a web page", Reply(200, {}, b"<html>login</html>"), "web page instead of JSON", "search_base_url"),
        ("500", json_reply({"message": "boom"}, 500), "HTTP 500: boom", "try again later"),
        ("a redirect", Reply(301, {"Location": "https://other.example"}), "redirect", "search_base_url"),
        ("no JSON", Reply(200, {}, b"OK"), "not JSON", "search_base_url"),
    ],
)
async def test_a_search_that_would_fail_is_told_with_a_hint(row: str, reply: Reply, detail: str, hint: str) -> None:
    check, _ = await search_check(reply)
    assert not check.ok, row
    assert detail in check.detail
    assert hint in check.hint
    assert KEY not in json.dumps([check.detail, check.hint])


async def test_a_search_without_a_key_is_told_without_asking() -> None:
    check = await without_network(check_search)
    assert (check.ok, "SERPER_API_KEY" in check.hint) == (False, True)
    check = await without_network(check_search, search_base_url="nonsense")
    assert (check.ok, "search_base_url" in check.detail) == (False, True)
