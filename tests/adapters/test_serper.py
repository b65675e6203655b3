"""Web search: what is sent, which results are evidence, and every way in which Serper says no."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from tests.exchange_spy import Spy
from tests.loopback import Handler, LoopbackServer, Reply, in_turn, json_reply
from veriscore_agent.adapters.http.failures import NotRecorded
from veriscore_agent.adapters.serper import (
    MAX_QUERY_CHARS,
    SerperSearcher,
    clean_text,
    is_final,
    results_in,
    shorten_query,
)
from veriscore_agent.core.admission import EvidenceRules
from veriscore_agent.domain import Snippet
from veriscore_agent.errors import (
    AccessRefusedError,
    BudgetSpentError,
    ConfigurationError,
    ReplayMissError,
    SearchError,
    VeriscoreError,
)
from veriscore_agent.settings import Settings
from veriscore_agent.wiring import rules_of

pytestmark = pytest.mark.anyio

KEY = "0123456789abcdef0123456789abcdef01234567"


class Served:
    def __init__(self, searcher: SerperSearcher, server: LoopbackServer, spy: Spy) -> None:
        self.searcher, self.server, self.spy = searcher, server, spy

    @property
    def verdicts(self) -> list[str]:
        return [each.verdict for each in self.spy.exchanges]


@asynccontextmanager
async def served(handler: Handler | Reply, **settings: Any) -> AsyncIterator[Served]:
    settings = {"search_api_key": SecretStr(KEY), **settings}
    with LoopbackServer(in_turn(handler) if isinstance(handler, Reply) else handler) as server:
        spy = Spy()
        async with httpx.AsyncClient(transport=spy) as client:
            chosen = Settings(search_base_url=server.url, **settings)
            yield Served(SerperSearcher(client, chosen, rules_of(chosen)), server, spy)


def result(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "title": f"Title {number}",
        "link": f"https://site{number}.example/page",
        "snippet": f"Text number {number}.",
        "position": number,
        **fields,
    }


def found(body: dict[str, Any], **settings: Any) -> tuple[Snippet, ...]:
    chosen = Settings(**settings)
    return results_in(body, chosen, rules_of(chosen)).snippets


# ---------------------------------------------------------------- what is sent


async def test_the_request_is_serpers_own() -> None:
    async with served(json_reply({"organic": []}), gl="de", hl="fr", results=7) as here:
        await here.searcher.search("Café  opened\nin 1931")
    request = here.server.requests[0]
    assert (request.method, request.path) == ("POST", "/search")
    assert request.json() == {"q": "Café opened in 1931", "num": 7, "gl": "de", "hl": "fr"}
    assert request.headers["x-api-key"] == KEY
    assert request.headers["x-veriscore-kind"] == "search"


async def test_the_engine_is_asked_for_the_sites_and_the_time_that_are_evidence() -> None:
    async with served(json_reply({"organic": []}), only_domains="a.example, b.example", as_of="2024-05-31") as here:
        results = await here.searcher.search("opened in 1931")
    asked = here.server.requests[0].json()
    assert asked["q"] == "opened in 1931 (site:a.example OR site:b.example)"
    assert asked["tbs"] == "cdr:1,cd_max:05/31/2024"
    assert results.query == "opened in 1931"


async def test_without_a_key_none_is_sent() -> None:
    async with served(json_reply({"organic": []}), search_api_key=None) as here:
        await here.searcher.search("x")
    assert "x-api-key" not in here.server.requests[0].headers


CLAIM = "The bridge over the river, which the engineer of the old company planned, opened to traffic in 1931. "


async def test_f05_a_claim_over_the_limit_is_cut_at_a_word_and_flagged() -> None:
    async with served(json_reply({"organic": []})) as here:
        results = await here.searcher.search(CLAIM * 30)
    sent = here.server.requests[0].json()["q"]
    assert results.shortened
    assert results.query == sent
    assert MAX_QUERY_CHARS - 20 < len(sent) <= MAX_QUERY_CHARS
    assert (CLAIM * 30).startswith(sent + " ")


async def test_f05_a_claim_within_the_limit_is_sent_whole() -> None:
    """The 620 characters of the report are too long for another engine, not for this one."""
    claim = (CLAIM * 7)[:620]
    async with served(json_reply({"organic": []})) as here:
        results = await here.searcher.search(claim)
    assert (results.query, results.shortened) == (claim.strip(), False)


@pytest.mark.parametrize(
    ("row", "query", "sent"),
    [
        ("at the limit", "aaaa bbbb", ("aaaa bbbb", False)),
        ("a word ends at the limit", "aaaa bbbb cccc", ("aaaa bbbb", True)),
        ("a word crosses the limit", "aaaa bbbbb", ("aaaa", True)),
        ("no blank to cut at", "東京" * 10, ("東京" * 4 + "東", True)),
        ("blanks do not count", "  aaaa \n\t bbbb  ", ("aaaa bbbb", False)),
        ("a lone surrogate cannot be sent", "aa \ud83d bb", ("aa bb", False)),
    ],
)
def test_f05_queries_are_cut_at_a_word_boundary(row: str, query: str, sent: tuple[str, bool]) -> None:
    assert shorten_query(query, 9) == sent, row


async def test_an_empty_query_is_not_paid_for() -> None:
    async with served(json_reply({"organic": []})) as here:
        with pytest.raises(SearchError, match="nothing to search for"):
            await here.searcher.search(" \n")
    assert here.server.requests == []


# ---------------------------------------------------------------- what is evidence


async def test_results_become_numbered_snippets_best_first() -> None:
    async with served(json_reply({"organic": [result(1), result(2)]})) as here:
        results = await here.searcher.search("q")
    assert results.snippets == (
        Snippet("S1", "Title 1", "https://site1.example/page", "Text number 1."),
        Snippet("S2", "Title 2", "https://site2.example/page", "Text number 2."),
    )
    assert here.verdicts == ["accepted"]


def test_no_more_results_than_asked_for() -> None:
    body = {"organic": [result(number) for number in range(20)]}
    assert len(found(body)) == 10
    assert len(found(body, results=3)) == 3


@pytest.mark.parametrize(
    ("row", "body"),
    [
        ("F01", {"searchParameters": {"q": "x"}}),
        ("organic null", {"searchParameters": {"q": "x"}, "organic": None}),
        ("organic of another kind", {"organic": {"0": {}}}),
        ("results of another kind", {"organic": [None, 3, "x", []]}),
        ("boxes of another kind", {"organic": [], "answerBox": [], "knowledgeGraph": "x"}),
        ("empty boxes", {"organic": [], "answerBox": {}, "knowledgeGraph": {"title": "x"}}),
        ("nothing at all", {}),
    ],
)
async def test_f01_nothing_found_is_no_failure(row: str, body: dict[str, Any]) -> None:
    async with served(json_reply(body)) as here:
        assert (await here.searcher.search("q")).snippets == (), row
    assert here.verdicts == ["accepted"]


def test_f01_the_answer_box_is_evidence_even_without_results() -> None:
    body = {"searchParameters": {"q": "x"}, "answerBox": {"snippet": "1931"}}
    assert found(body) == (Snippet("S1", "", "", "1931", "answer_box"),)


BOXES = {
    "answerBox": {"title": "Champion", "answer": "Argentina", "snippet": "Argentina won.", "link": "https://a.example"},
    "knowledgeGraph": {
        "title": "World Cup",
        "type": "Competition",
        "description": "A football competition.",
        "descriptionLink": "https://b.example/wiki",
        "website": "https://c.example",
        "attributes": {"Founded": "1930", "Teams": 32},
    },
}


def test_boxes_stand_before_the_results_and_are_not_counted_among_the_ten() -> None:
    snippets = found({**BOXES, "organic": [result(number) for number in range(12)]})
    assert snippets[:2] == (
        Snippet("S1", "Champion", "https://a.example", "Argentina. Argentina won", "answer_box"),
        Snippet(
            "S2",
            "World Cup",
            "https://b.example/wiki",
            "Competition. A football competition. Founded: 1930. Teams: 32",
            "knowledge_graph",
        ),
    )
    assert [each.kind for each in snippets[2:]] == ["organic"] * 10


@pytest.mark.parametrize("settings", [{"answer_boxes": False}, {"protocol": "paper"}])
def test_boxes_can_be_left_out_and_are_under_the_papers_protocol(settings: dict[str, Any]) -> None:
    assert [each.kind for each in found({**BOXES, "organic": [result(1)]}, **settings)] == ["organic"]


@pytest.mark.parametrize(
    ("row", "bad"),
    [
        ("F06 a title alone", {"title": "T"}),
        ("F06 a link alone", {"link": "https://a.example", "snippet": None}),
        ("no link", result(9, link=None)),
        ("a script as link", result(9, link="javascript:alert(1)")),
        ("a file as link", result(9, link="file:///etc/passwd")),
        ("a relative link", result(9, link="/search?q=x")),
        ("no host", result(9, link="https:///x")),
        ("a broken address", result(9, link="http://[::1")),
        ("a line end in the link", result(9, link="https://a.example/\r\nX: y")),
    ],
)
def test_f06_unusable_results_are_skipped(row: str, bad: dict[str, Any]) -> None:
    snippets = found({"organic": [bad, result(1)]})
    assert [(each.id, each.title) for each in snippets] == [("S1", "Title 1")], row


def test_a_result_without_text_is_kept_for_its_page() -> None:
    assert found({"organic": [{"title": "T", "link": "http://a.example/x"}]}) == (
        Snippet("S1", "T", "http://a.example/x", ""),
    )


def test_f08_a_copy_is_no_second_witness() -> None:
    copies = [
        result(1, snippet="The bridge opened in 1931."),
        result(2, snippet="the bridge  opened in 1931"),
        result(3, snippet="The tower opened in 1931."),
        result(4, link="https://site1.example/page", snippet="Another passage."),
    ]
    assert [each.link for each in found({"organic": copies})] == [
        "https://site1.example/page",
        "https://site3.example/page",
    ]


def test_f08_a_box_that_repeats_a_result_goes_and_the_result_with_its_link_stays() -> None:
    body = {"answerBox": {"snippet": "Text number 1"}, "organic": [result(1)]}
    assert [(each.kind, each.link) for each in found(body)] == [("organic", "https://site1.example/page")]


def test_f08_excluded_sites_are_no_evidence_and_their_place_goes_to_the_next() -> None:
    body = {
        "answerBox": {"snippet": "Mine", "link": "https://blog.example/a"},
        "organic": [
            result(1, link="https://blog.example/post"),
            result(2, link="https://www.Blog.example/post"),
            result(3, link="https://notblog.example/post"),
            result(4),
        ],
    }
    links = [each.link for each in found(body, exclude_domains=" other.example, blog.example ", results=2)]
    assert links == ["https://notblog.example/post", "https://site4.example/page"]


@pytest.mark.parametrize("sites", ["blog.example", "*.blog.example", "www.Blog.example", ".blog.example., , x"])
def test_f08_an_excluded_site_may_be_written_as_people_write_sites(sites: str) -> None:
    body = {"organic": [result(1, link="https://www.blog.example/post"), result(2, link="http://blog.example")]}
    assert found(body, exclude_domains=sites) == ()
    assert len(found({"organic": [result(1)]}, exclude_domains=sites)) == 1


def test_what_is_excluded_is_told_with_its_reason_and_hides_no_copy() -> None:
    """The same text stands on an excluded site first: the other one is evidence all the same."""
    same = {"snippet": "The bridge opened in 1931."}
    body = {"organic": [result(1, link="https://blog.example/post", **same), result(2, **same)]}
    chosen = Settings(exclude_domains="blog.example")
    admitted = results_in(body, chosen, rules_of(chosen))
    assert [(each.id, each.link) for each in admitted.snippets] == [("S1", "https://site2.example/page")]
    assert [(each.link, each.outcome, each.reason) for each in admitted.excluded] == [
        ("https://blog.example/post", "excluded", "excluded site: blog.example")
    ]


def test_with_only_some_sites_a_box_of_no_site_is_no_evidence() -> None:
    body = {
        "knowledgeGraph": {"title": "Larkspur Bridge", "description": "A bridge."},
        "answerBox": {"answer": "1931", "link": "https://a.example/x"},
        "organic": [result(1), result(2, link="https://www.a.example/y")],
    }
    assert [each.link for each in found(body, only_domains="a.example")] == [
        "https://a.example/x",
        "https://www.a.example/y",
    ]


def test_as_of_a_day_later_results_and_boxes_of_today_are_no_evidence() -> None:
    body = {
        "answerBox": {"answer": "1931"},
        "organic": [
            result(1, date="Jun 1, 2024"),
            result(2, date="May 31, 2024"),
            result(3, date="3 days ago"),
            result(4),
        ],
    }
    kept = found(body, as_of="2024-05-31")
    assert [(each.link, each.date) for each in kept] == [
        ("https://site2.example/page", "2024-05-31"),
        ("https://site3.example/page", None),
        ("https://site4.example/page", None),
    ]


@pytest.mark.parametrize(
    ("row", "raw", "clean"),
    [
        ("control characters", "a\x00b\x1b[31mc\x85d", "a b [31mc d"),
        ("line ends and tabs", "a\r\nb\tc\u2028d", "a b c d"),
        ("no-break blanks", "a\u00a0b\u202fc", "a b c"),
        ("writing direction overridden", "abc\u202edcba\u2066x\u2069", "abcdcbax"),
        ("a lone surrogate", "a\ud83db", "ab"),
        ("joined emoji and Indic joiners stay", "👩‍👩‍👧 क्‍ष", "👩‍👩‍👧 क्‍ष"),
        ("other scripts stay", "東京タワー Москва القاهرة", "東京タワー Москва القاهرة"),
    ],
)
def test_text_is_cleaned(row: str, raw: str, clean: str) -> None:
    assert clean_text(raw) == clean, row


# ---------------------------------------------------------------- failures

FAILURES: list[tuple[str, int, Any, type[VeriscoreError], str]] = [
    ("F02", 403, {"message": "Unauthorized.", "statusCode": 403}, AccessRefusedError, "Unauthorized."),
    (
        "F02 with 200",
        200,
        {"message": "Unauthorized.", "statusCode": 403},
        AccessRefusedError,
        "HTTP 403: Unauthorized.",
    ),
    ("F02 status as text", 200, {"message": "Unauthorized.", "statusCode": "403"}, AccessRefusedError, "HTTP 403"),
    ("F02 no status at all", 200, {"message": "Unauthorized."}, AccessRefusedError, "refused the key"),
    ("F02 under another name", 200, {"error": "Invalid API key"}, AccessRefusedError, "Invalid API key"),
    ("F02 an object", 200, {"error": {"message": "no", "code": 401}}, AccessRefusedError, "HTTP 401: no"),
    ("an error object with 200", 200, {"error": {"message": "upstream died"}}, SearchError, "upstream died"),
    ("F03 in other words", 400, {"message": "Your account has insufficient credit."}, AccessRefusedError, "used up"),
    ("F03 exhausted", 400, {"message": "Credits exhausted"}, AccessRefusedError, "used up"),
    ("401", 401, {"message": "no"}, AccessRefusedError, "refused the key"),
    ("F03", 400, {"message": "Not enough credits", "statusCode": 400}, AccessRefusedError, "search credits used up"),
    ("F03 as 429", 429, {"message": "Not enough credits"}, AccessRefusedError, "search credits used up"),
    ("402", 402, "", AccessRefusedError, "search credits used up"),
    ("F05 another 400", 400, {"message": "Query is too long"}, SearchError, "Query is too long"),
    ("F04 too many requests", 429, {"message": "Too many requests"}, SearchError, "after every retry"),
    ("404", 404, {"message": "Cannot POST"}, AccessRefusedError, "there is no search at http://127.0.0.1"),
    ("a redirect", 302, "", AccessRefusedError, "there is no search at"),
    ("500", 500, {"message": "Internal", "error": "x"}, SearchError, "HTTP 500: Internal"),
    ("a web page", 200, "<!doctype html><title>Sign in</title>", AccessRefusedError, "bad search_base_url or gateway"),
    ("a web page as failure", 502, "<html>Bad gateway</html>", SearchError, "HTTP 502: a web page"),
    ("an error with 200", 200, {"message": "Something broke"}, SearchError, "Something broke"),
    ("Python in place of JSON", 200, "{'organic': [], 'x': None}", SearchError, "not JSON"),
    ("a number that is none", 200, '{"organic": [{"position": NaN}]}', SearchError, "NaN"),
    ("cut", 200, '{"organic": [', SearchError, "not JSON"),
    ("a list", 200, [], SearchError, "not a JSON object"),
]


@pytest.mark.parametrize(("row", "status", "body", "kind", "said"), FAILURES)
async def test_failures_are_told_apart(row: str, status: int, body: Any, kind: type[VeriscoreError], said: str) -> None:
    """What stops the run, what concerns this claim alone; none is an empty result."""
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    async with served(Reply(status, {"Content-Type": "application/json"}, raw)) as here:
        with pytest.raises(kind) as caught:
            await here.searcher.search("q")
    assert said in str(caught.value), row
    assert (len(here.server.requests), here.verdicts) == (1, ["rejected"])


async def test_true_json_is_read() -> None:
    """true, false and null, which an evaluation of the answer as Python would trip over."""
    body = {"organic": [result(1, attributes={"a": True}, date=None)], "x": False}
    async with served(json_reply(body)) as here:
        assert len((await here.searcher.search("q")).snippets) == 1


async def test_a_search_that_is_never_answered_ends() -> None:
    async with served(Reply(delay_s=30), search_timeout_s=0.3) as here:
        with pytest.raises(SearchError, match=r"no answer within 0\.3 s"):
            await here.searcher.search("q")


async def test_a_cut_connection_concerns_this_search() -> None:
    async with served(Reply(cut=True)) as here:
        with pytest.raises(SearchError, match="cannot be reached"):
            await here.searcher.search("q")


async def raised(problem: Exception) -> pytest.ExceptionInfo[VeriscoreError]:
    def handle(_: httpx.Request) -> httpx.Response:
        raise problem

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
        with pytest.raises(VeriscoreError) as caught:
            await SerperSearcher(client, Settings(), EvidenceRules()).search("q")
    return caught


async def test_what_a_frozen_recording_does_not_hold_is_no_failure_of_the_service() -> None:
    caught = await raised(NotRecorded("not in the recording"))
    assert isinstance(caught.value, SearchError)
    assert caught.value.reason == "not_recorded"


@pytest.mark.parametrize("problem", [ReplayMissError("POST x", recording="r"), BudgetSpentError("spent")])
async def test_an_error_of_a_layer_below_passes_untouched(problem: Exception) -> None:
    assert (await raised(problem)).value is problem


async def test_no_key_in_a_message() -> None:
    async with served(json_reply({"message": f"bad key {KEY}"}, 403)) as here:
        with pytest.raises(AccessRefusedError, match="bad key") as caught:
            await here.searcher.search("q")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"search_base_url": "google.serper.dev"}, "search_base_url"),
        ({"search_api_key": SecretStr("ключ")}, "search_api"),
    ],
)
async def test_what_cannot_work_is_a_configuration_error_at_once(settings: dict[str, Any], named: str) -> None:
    async with httpx.AsyncClient() as client:
        with pytest.raises(ConfigurationError, match=named):
            SerperSearcher(client, Settings(**settings), EvidenceRules())


@pytest.mark.parametrize(
    ("row", "status", "body", "final"),
    [
        ("too many requests", 429, {"message": "Too many requests"}, False),
        ("no credit as 429", 429, {"message": "Not enough credits"}, True),
        ("no credit as 500", 500, {"message": "Not enough credits"}, True),
        ("500", 500, {}, False),
        ("502 as a web page", 502, "<html></html>", False),
        ("403", 403, {"message": "Unauthorized."}, True),
        ("403 inside a 200", 200, {"message": "Unauthorized.", "statusCode": 403}, True),
        ("400", 400, {"message": "bad"}, True),
        ("success", 200, {"organic": []}, True),
    ],
)
def test_is_final(row: str, status: int, body: Any, final: bool) -> None:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    assert is_final(httpx.Response(status, content=content)) is final, row


async def test_recorded_answers_of_serper_are_read(shared_data: Path) -> None:
    """Real answers: every organic result is usable, and the boxes are found where there are some."""
    lines = (shared_data / "data/shapes/search_responses.jsonl").read_text(encoding="utf-8").splitlines()
    recorded = [row for row in map(json.loads, lines) if row["provider"] == "google.serper.dev"]
    assert len(recorded) >= 2
    for row in recorded:
        async with served(json_reply(row["response"])) as here:
            snippets = (await here.searcher.search(row["request"]["q"])).snippets
        organic = [each for each in snippets if each.kind == "organic"]
        assert [each.link for each in organic] == [each["link"] for each in row["response"]["organic"]]
        boxes = {"answer_box": "answerBox", "knowledge_graph": "knowledgeGraph"}
        assert {each.kind for each in snippets} - {"organic"} == {
            k for k, name in boxes.items() if name in row["response"]
        }
