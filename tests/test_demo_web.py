"""The made web of the demo: consistent, deterministic, and such that its pages tell what its snippets leave out."""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
import trafilatura

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"
PAGE_LIMIT = 6
"""Links that a claim opens in its first round: two batches of three, the defaults."""


def _load_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_serve_web", DEMO / "serve_web.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


serve_web = _load_module()
INDEX: list[dict[str, Any]] = json.loads((DEMO / "web" / "index.json").read_text(encoding="utf-8"))
ANSWERS = [json.loads(line) for line in (DEMO / "answers.jsonl").read_text(encoding="utf-8").splitlines()]

DECIDED_BY_A_PAGE = [
    # claim, page, what the page says of it. The last column is true where the page contradicts the claim.
    (
        "15 workers died of caisson disease while the Eads Bridge was built.",
        "Eads_Bridge",
        "took the lives of 15",
        False,
    ),
    (
        "An elephant was led across the Eads Bridge on June 14, 1874.",
        "eads-bridge",
        "On 14 June 1874 an elephant",
        False,
    ),
    ("Eads sent 20 locomotives over the Eads Bridge at one time.", "eads-bridge", "sent fourteen locomotives", True),
    ("The ribs of the Eads Bridge are steel tubes 18 inches in diameter.", "Eads_Bridge", "18 inches (46 cm)", False),
    ("The centre arch of the Eads Bridge spans 560 feet.", "Eads_Bridge", "With 520 feet, the centre arch", True),
    ("The Eads Bridge was sold at auction in 1878.", "Eads_Bridge", "sold at auction in December 1878", False),
    ("The 1854 Broad Street cholera outbreak killed 616 people.", "broad-street-pump", "616 people died", False),
    ("John Snow gave chloroform to Queen Victoria in 1853.", "John_Snow", "On 7 April 1853", False),
    ("A cesspool lay under three feet from the Broad Street well.", "snow-1854", "two feet eight inches", False),
    ("None of the men at the Lion Brewery died of cholera in 1854.", "broad-street-pump", "None of them died", False),
    ("Robert Koch reported the cholera bacillus from Calcutta in 1876.", "snow-1854", "at the beginning of 1884", True),
    ("Henry Whitehead found the first case, a baby at 40 Broad Street.", "snow-1854", "a baby of five months", False),
    ("Only five of the 535 inmates of the workhouse died.", "broad-street-pump", "only five of them died", False),
    ("The General Board of Health accepted John Snow's explanation.", "snow-1854", "and rejected it", True),
    ("Cleve and Langlet measured the atomic weight of helium.", "ramsay-tube", "to measure its atomic weight", False),
    ("Gas from a well at Dexter, Kansas, held 1.84 percent helium.", "liquid-helium", "1.84 percent of helium", False),
    ("James Dewar was the first to liquefy helium, in 1908.", "liquid-helium", "Onnes had made liquid helium", True),
    ("82 fragments of the Antikythera mechanism survive.", "antikythera", "82 fragments are known", False),
    ("27 of the 30 surviving gears sit in the largest fragment.", "antikythera", "27 are in this one fragment", False),
    ("The Antikythera fragments were scanned with an eight-ton machine.", "antikythera", "weighed eight tons", False),
    ("The 2005 scan of the Antikythera mechanism was in Science.", "antikythera", "published in Nature", True),
]
SAID_NOWHERE = "brewery wagon"
SAID_ONLY_BY_THE_BLOG = "gold coin"


@pytest.fixture(scope="module")
def web() -> Any:
    return serve_web.DemoWeb()


def _search(web: Any, query: str) -> dict[str, Any]:
    status, headers, body = web.respond("POST", "https://search.example/search", json.dumps({"q": query}).encode())
    assert (status, headers["content-type"]) == (200, "application/json; charset=utf-8")
    found: dict[str, Any] = json.loads(body)
    return found


def _text(web: Any, url: str) -> str:
    """What a reader of the page gets out of it, white space folded."""
    status, _, body = web.respond("GET", url, b"")
    extracted = trafilatura.extract(body.decode(), include_tables=True) if status == 200 else ""
    return " ".join((extracted or "").split())


def test_index_names_every_page_once_under_example_hosts() -> None:
    """Every file is used, every address is new and on a reserved host, every redirect leads to a page."""
    urls = [row["url"] for row in INDEX]
    files = [row["file"] for row in INDEX if "file" in row]
    assert len(set(urls)) == len(urls)
    assert all(httpx.URL(url).host.endswith(".example") for url in urls)
    assert sorted(files) == sorted(path.name for path in (DEMO / "web").glob("*.html"))
    assert {row["location"] for row in INDEX if "location" in row} <= {row["url"] for row in INDEX if "file" in row}
    assert {row.get("status", 200) for row in INDEX} == {200, 301, 403, 404}


@pytest.mark.parametrize("row", INDEX, ids=lambda row: str(row["url"]))
def test_every_page_is_answered_by_address_and_through_page(web: Any, row: dict[str, Any]) -> None:
    direct = web.respond("GET", row["url"], b"")
    through = web.respond("GET", str(httpx.URL("http://127.0.0.1:1/page", params={"url": row["url"]})), b"")
    assert direct == through
    assert direct[0] == row.get("status", 200)
    assert direct[1].get("location") == row.get("location")


@pytest.mark.parametrize("row", [row for row in INDEX if "status" not in row], ids=lambda row: str(row["url"]))
def test_pages_give_text_without_their_furniture(web: Any, row: dict[str, Any]) -> None:
    text = _text(web, row["url"])
    assert 250 <= len(text.split()) <= 900
    assert "cookie" not in text.lower()


def test_a_challenge_page_holds_nothing_of_what_the_engine_indexed(web: Any) -> None:
    row = next(row for row in INDEX if row.get("status") == 403)
    body = web.respond("GET", row["url"], b"")[2].decode()
    assert "Just a moment..." in body
    assert "Dewar" not in body


@pytest.mark.parametrize(
    ("method", "url", "body", "status"),
    [
        pytest.param("GET", "https://encyclopedia.example/robots.txt", b"", 200, id="robots of a known host"),
        pytest.param("GET", "https://unknown.example/robots.txt", b"", 200, id="robots of any host"),
        pytest.param("GET", "https://unknown.example/page", b"", 404, id="no such page"),
        pytest.param("GET", "https://search.example/search", b"", 404, id="search needs POST"),
        pytest.param("POST", "https://encyclopedia.example/wiki/Helium", b"{}", 404, id="pages take no POST"),
        pytest.param("PUT", "https://encyclopedia.example/wiki/Helium", b"", 405, id="no other method"),
        pytest.param("POST", "https://search.example/search", b"{}", 400, id="no query"),
        pytest.param("POST", "https://search.example/search", b'{"q": " "}', 400, id="blank query"),
        pytest.param("POST", "https://search.example/search", b"[1]", 400, id="not an object"),
        pytest.param("POST", "https://search.example/search", b"q=helium", 400, id="not JSON"),
    ],
)
def test_requests_besides_pages_and_searches(web: Any, method: str, url: str, body: bytes, status: int) -> None:
    answer = web.respond(method, url, body)
    assert answer[0] == status
    if url.endswith("robots.txt"):
        assert answer[2] == b"User-agent: *\nAllow: /\n"


@pytest.mark.parametrize("claim", [row[0] for row in DECIDED_BY_A_PAGE])
def test_results_have_the_form_of_serper(web: Any, claim: str) -> None:
    """At most eight results, numbered, short snippets, and links that lead to an address of the index."""
    found = _search(web, claim)
    results = found["organic"]
    assert found["searchParameters"]["q"] == claim
    assert 1 <= len(results) <= serve_web.MAX_RESULTS
    assert [result["position"] for result in results] == list(range(1, len(results) + 1))
    for result in results:
        assert set(result) == {"title", "link", "snippet", "position"}
        assert 0 < len(result["snippet"]) <= serve_web.MAX_SNIPPET_CHARS
        assert result["link"] in web.entries


def test_panels_come_with_their_words_alone(web: Any) -> None:
    assert "knowledgeGraph" in _search(web, "When was the Eads Bridge opened?")
    assert "answerBox" in _search(web, "who named helium")
    assert {"knowledgeGraph", "answerBox"}.isdisjoint(_search(web, "helium"))


def test_num_limits_the_results_and_an_unknown_word_finds_nothing(web: Any) -> None:
    body = json.dumps({"q": "helium", "num": 2}).encode()
    assert len(json.loads(web.respond("POST", "https://search.example/search", body)[2])["organic"]) == 2
    assert _search(web, "zzyzx")["organic"] == []


def test_two_loadings_answer_alike(web: Any) -> None:
    other = serve_web.DemoWeb()
    assert [_search(web, row[0]) for row in DECIDED_BY_A_PAGE] == [_search(other, row[0]) for row in DECIDED_BY_A_PAGE]


@pytest.mark.parametrize(("claim", "page", "words", "against"), DECIDED_BY_A_PAGE)
def test_the_page_tells_what_the_snippets_leave_out(web: Any, claim: str, page: str, words: str, against: bool) -> None:
    """The deciding words stand on a page among the first links, and in no snippet, title or panel."""
    found = _search(web, claim)
    opened = [result["link"] for result in found["organic"][:PAGE_LIMIT] if result["link"].endswith(f"/{page}")]
    assert any(words in _text(web, link) for link in opened)
    assert words not in json.dumps(found)


def test_the_demo_turns_claims_both_ways() -> None:
    turns = [against for *_, against in DECIDED_BY_A_PAGE]
    assert turns.count(False) >= 8
    assert turns.count(True) >= 3


def test_one_detail_stands_on_no_page_and_one_on_the_blog_alone(web: Any) -> None:
    texts = {row["url"]: _text(web, row["url"]).lower() for row in INDEX}
    assert [url for url, text in texts.items() if SAID_NOWHERE in text] == []
    assert [url for url, text in texts.items() if SAID_ONLY_BY_THE_BLOG in text] == [
        "https://oddfacts.blog.example/bridge-secrets"
    ]
    responses = " ".join(answer["response"] for answer in ANSWERS)
    assert SAID_NOWHERE in responses
    assert SAID_ONLY_BY_THE_BLOG in responses


def test_answers_pair_two_models_on_every_question() -> None:
    """Two domains, and each question answered once by both models, so that they can be compared."""
    models = {answer["model"] for answer in ANSWERS}
    assert models == {"demo-model-a", "demo-model-b"}
    assert {answer["prompt_source"] for answer in ANSWERS} == {"history", "science"}
    pairs = {(answer["id"], answer["question"], answer["prompt_source"]) for answer in ANSWERS}
    assert len(ANSWERS) == len(models) * len(pairs)
    assert len({(answer["model"], answer["id"]) for answer in ANSWERS}) == len(ANSWERS)


def test_served_on_loopback_it_answers_the_same(web: Any) -> None:
    """By /page, by Host header, and for a search."""
    url = "https://encyclopedia.example/wiki/Helium"
    with serve_web.make_server(web, 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}", timeout=5, trust_env=False) as client:
                by_page = client.get("/page", params={"url": url})
                by_host = client.get("/wiki/Helium", headers={"host": "encyclopedia.example"})
                found = client.post("/search", json={"q": "helium"})
        finally:
            server.shutdown()
            thread.join(timeout=5)
    assert by_page.content == by_host.content == web.respond("GET", url, b"")[2]
    assert found.json() == _search(web, "helium")
