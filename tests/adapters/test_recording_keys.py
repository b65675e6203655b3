"""What makes two requests the same question, and what does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from veriscore_agent.adapters.http.secrets import NO_SECRETS
from veriscore_agent.adapters.recording.keys import identify, normal_url
from veriscore_agent.errors import Service

CHAT: dict[str, Any] = {
    "model": "m",
    "temperature": 0,
    "seed": 1,
    "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
}


def key(
    service: Service, body: Any = b"", *, url: str = "https://a.example/v1", method: str = "POST", sample: int = 0
) -> str:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return identify(service, method, url, content, sample=sample, secrets=NO_SECRETS).key


def label(value: object) -> str:
    return value if isinstance(value, str) else ""


SAME: list[tuple[str, Service, Any, Any]] = [
    ("I06: order of fields", "model", {"model": "m", "seed": 1}, {"seed": 1, "model": "m"}),
    ("I06: order of fields deep inside", "model", {"a": [{"x": 1, "y": 2}]}, {"a": [{"y": 2, "x": 1}]}),
    ("white space", "model", b'{"a": 1}', b'{ "a" :1 }'),
    ("form of a number", "model", b'{"t": 0.0, "n": 1e2}', b'{"t": 0, "n": 100}'),
    ("escapes", "search", b'{"q": "\\u00e9"}', '{"q": "é"}'.encode()),
    ("a key in the body", "search", {"q": "x", "api_key": "one"}, {"q": "x"}),
]
DIFFERENT: list[tuple[str, Service, Any, Any]] = [
    ("A21: temperature", "model", CHAT, CHAT | {"temperature": 1}),
    ("A21: model", "model", CHAT, CHAT | {"model": "n"}),
    ("A21: seed", "model", CHAT, CHAT | {"seed": 2}),
    ("A21: a sampling parameter that is new", "model", CHAT, CHAT | {"top_p": 0.9}),
    ("A21: a message", "model", CHAT, CHAT | {"messages": CHAT["messages"][:1]}),
    ("order of a list", "model", CHAT, CHAT | {"messages": CHAT["messages"][::-1]}),
    ("response format", "model", CHAT, CHAT | {"response_format": {"type": "json_object"}}),
    ("true and 1", "model", {"a": True}, {"a": 1}),
    ("locale", "search", {"q": "x", "gl": "us"}, {"q": "x", "gl": "de"}),
    ("query", "search", {"q": "x"}, {"q": "y"}),
    ("half an emoji", "model", b'{"a": "\\ud83d"}', b'{"a": "\\ud83e"}'),
    ("bodies that are not JSON", "model", b"\xff", b"\xfe"),
]


@pytest.mark.parametrize(("why", "service", "one", "other"), SAME, ids=label)
def test_these_are_one_question(why: str, service: Service, one: Any, other: Any) -> None:
    assert key(service, one) == key(service, other)


@pytest.mark.parametrize(("why", "service", "one", "other"), DIFFERENT, ids=label)
def test_these_are_two_questions(why: str, service: Service, one: Any, other: Any) -> None:
    assert key(service, one) != key(service, other)


def test_service_and_sample_are_part_of_the_question_and_the_address_is_not() -> None:
    assert key("model", CHAT) == key("model", CHAT, url="http://127.0.0.1:8399/other/path?api-version=2")
    assert key("model", CHAT) != key("search", CHAT)
    assert key("model", CHAT) != key("model", CHAT, sample=1)


def test_a_search_without_a_body_is_known_by_its_query_without_its_key() -> None:
    def get(query: str) -> str:
        return key("search", url=f"https://s.example/find?{query}", method="GET")

    assert get("q=x&hl=en&key=one") == get("hl=en&key=two&q=x")
    assert get("q=x&hl=en") != get("q=x&hl=de")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://A.example:443/x", "https://a.example/x", True),
        ("http://a.example:80", "http://a.example/", True),
        ("http://a.example:8080/", "http://a.example/", False),
        ("https://a.example/x#part", "https://a.example/x", True),
        ("https://a.example/%7euser/%c3%a9", "https://a.example/~user/%C3%A9", True),
        ("https://a.example/é", "https://a.example/%C3%A9", True),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", True),
        ("https://a.example/a%2Fb", "https://a.example/a/b", False),
        ("https://a.example/?a=1&b=2", "https://a.example/?b=2&a=1", False),
        ("https://a.example/x", "https://a.example/x/", False),
        ("https://a.example/x", "http://a.example/x", False),
        ("https://a.example/?token=1", "https://a.example/?token=2", False),
        ("https://user:pw@a.example/", "https://a.example/", True),
    ],
)
def test_addresses_of_pages(one: str, other: str, same: bool) -> None:
    assert (key("page", url=one, method="GET") == key("page", url=other, method="GET")) is same
    assert normal_url(normal_url(one)) == normal_url(one)


def test_a_key_is_the_same_in_every_version_of_this_package() -> None:
    """Pinned: a change would orphan every recording there is."""
    assert key("model", CHAT) == "a3da83ecbe56969387eef22fd31c4e1a"
    assert key("page", url="https://a.example/x", method="GET") == "63ce9c6593cf14811dd400022bd0d03f"


def test_the_values_of_a_request_have_names() -> None:
    identity = identify("model", "POST", "https://a.example", json.dumps(CHAT).encode(), sample=1, secrets=NO_SECRETS)
    assert identity.leaves() == {
        "model": "m",
        "temperature": "0",
        "seed": "1",
        "messages[0].role": "system",
        "messages[0].content": "s",
        "messages[1].role": "user",
        "messages[1].content": "u",
        "sample": "1",
    }
