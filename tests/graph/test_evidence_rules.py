"""What the graph takes as evidence, which links it opens for what is open, and what a further round counts as new."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes import FakeModel, FakeReader, FakeSearcher, LabelJudge, ports, snippet
from veriscore_agent.core.admission import EvidenceRules
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.domain import (
    AnswerKey,
    Claim,
    ClaimOutcome,
    ModelReply,
    ModelRequest,
    PageReading,
    PageVisit,
    SearchResults,
    Snippet,
    Verdict,
)
from veriscore_agent.extractor import ClaimToVerify
from veriscore_agent.graph.build import build_claim_graph
from veriscore_agent.graph.state import outcome_of
from veriscore_agent.ports import Limits, Ports
from veriscore_agent.runner import SilentWatcher, verify_claim

pytestmark = pytest.mark.anyio

CLAIM = Claim("a#1", "The Larkspur Bridge opened in 1931.")
KEY = AnswerKey("m", "a", "d")
PAGE = "The Larkspur Bridge opened to traffic in May 1931 after four years of work."
QUERIES = '{"queries": ["Larkspur Bridge opening year"]}'
PAGES_ONLY = Limits(last_stage="pages")


def judging(*labels: str, plan: str = QUERIES) -> FakeModel:
    """A model that gives these labels in turn (the last one for ever) and plans these queries."""
    queue = list(labels)

    def answer(request: ModelRequest) -> str:
        return plan if request.kind == "plan" else queue.pop(0) if len(queue) > 1 else queue[0]

    return FakeModel(answer)


async def run(bound: Ports, rules: EvidenceRules | None = None, **given: object) -> ClaimOutcome:
    bound = replace(bound, rules=rules or EvidenceRules())
    claim = ClaimToVerify(CLAIM, given.pop("snippets", None))  # type: ignore[arg-type]
    graph = build_claim_graph(bound)
    return await verify_claim(graph, claim, KEY, ports=bound, watcher=SilentWatcher(), **given)  # type: ignore[arg-type]


def lines(outcome: ClaimOutcome) -> list[tuple[str, str, str]]:
    return [(visit.link, visit.outcome, visit.reason) for visit in outcome.visits]


MINE, OTHER = snippet(1, "Mine.", "https://www.mine.example/a"), snippet(2, "Other.", "https://other.example/b")
EXCLUDED = ("https://www.mine.example/a", "excluded", "excluded site: www.mine.example")


@pytest.mark.parametrize("given", [True, False], ids=["results of the file", "results of a search"])
async def test_an_excluded_result_is_neither_judged_nor_opened_and_the_ledger_tells(given: bool) -> None:
    model, reader = judging("inconclusive"), FakeReader({})
    searcher = FakeSearcher({"*": [MINE, OTHER]})
    rules = EvidenceRules(excluded_sites=("mine.example",))
    bound = ports(model, searcher, reader, PAGES_ONLY)
    outcome = await run(bound, rules, snippets=(MINE, OTHER) if given else None)
    assert [(each.id, each.text) for each in outcome.snippets] == [("S1", "Other.")]
    assert "Mine." not in model.asked[0].user
    assert reader.opened == ["https://other.example/b"]
    assert lines(outcome)[0] == EXCLUDED
    assert "all_results_excluded" not in outcome.flags


async def test_what_a_search_excluded_itself_stands_in_the_ledger() -> None:
    class Excluding(FakeSearcher):
        async def search(self, query: str) -> SearchResults:
            found = await super().search(query)
            return replace(found, excluded=(PageVisit(MINE.link, "excluded", EXCLUDED[2]),))

    outcome = await run(ports(judging("supported"), Excluding({"*": [OTHER]})))
    assert lines(outcome) == [EXCLUDED]


async def test_with_no_result_left_the_claim_is_judged_on_nothing_and_flagged() -> None:
    model = judging("inconclusive")
    bound = ports(model, FakeSearcher({"*": [MINE, OTHER]}), limits=PAGES_ONLY)
    outcome = await run(bound, EvidenceRules(only_sites=("third.example",)))
    assert (outcome.snippets, outcome.verdicts[0].label) == ((), "inconclusive")
    assert "all_results_excluded" in outcome.flags
    assert len(model.asked) == 1
    assert [line[1] for line in lines(outcome)] == ["excluded", "excluded"]


class Moving(FakeReader):
    """One of its links leads elsewhere, to a page with a date."""

    def __init__(self, url: str, date: str | None = None) -> None:
        super().__init__({OTHER.link: PAGE, THIRD.link: PAGE})
        self.url, self.date = url, date

    async def read(self, link: str) -> PageReading:
        reading = await super().read(link)
        if reading.page is None or link != OTHER.link:
            return reading
        page = replace(reading.page, url=self.url, date=self.date)
        return PageReading(replace(reading.visit, url=self.url), page)


THIRD = snippet(3, "Third.", "https://third.example/")
READ = [
    (EvidenceRules(excluded_sites=("mine.example",)), "https://mine.example/x", None, "excluded site: mine.example"),
    (EvidenceRules(as_of="2024-05-31"), OTHER.link, "2024-06-01", "dated 2024-06-01, after 2024-05-31"),
]


@pytest.mark.parametrize(("rules", "url", "date", "reason"), READ, ids=["redirected", "later"])
async def test_a_page_that_turns_out_to_be_no_evidence_takes_its_snippet_with_it(
    rules: EvidenceRules, url: str, date: str | None, reason: str
) -> None:
    model = judging("inconclusive", "supported")
    bound = ports(model, FakeSearcher({"*": [OTHER, THIRD]}), Moving(url, date), PAGES_ONLY)
    outcome = await run(bound, rules)
    assert (OTHER.link, "excluded", reason) in lines(outcome)
    assert {passage.url for passage in outcome.passages} == {THIRD.link}
    assert "Other." in model.asked[0].user
    assert "Other." not in model.asked[1].user
    assert "Third." in model.asked[1].user


async def test_an_undated_page_is_kept_and_told() -> None:
    bound = ports(judging("inconclusive"), FakeSearcher({"*": [OTHER]}), Moving(OTHER.link), PAGES_ONLY)
    outcome = await run(bound, EvidenceRules(as_of="2024-05-31"))
    assert lines(outcome) == [(OTHER.link, "read", "undated: it may be later than the day asked for")]
    assert outcome.passages


async def test_the_page_that_the_answer_was_written_from_is_no_evidence_for_its_claims() -> None:
    model = judging("inconclusive")
    bound = ports(model, FakeSearcher({"*": [MINE, OTHER]}), limits=PAGES_ONLY)
    outcome = await run(bound, sources=("http://mine.example/a/",))
    assert [each.text for each in outcome.snippets] == ["Other."]
    assert lines(outcome)[0] == (MINE.link, "excluded", "the answer was written from it")


ANSWER_TEXT = (
    f"{PAGE} Its engineer, Ada Verrin, had built three smaller bridges before, all of them across the river Tamm."
)


@pytest.mark.parametrize("exclude_copies", [True, False])
async def test_a_copy_of_the_answer_is_no_evidence_where_that_is_asked_for(exclude_copies: bool) -> None:
    reader = FakeReader({OTHER.link: f"Welcome. {ANSWER_TEXT} Goodbye."})
    bound = ports(judging("inconclusive"), FakeSearcher({"*": [OTHER]}), reader, PAGES_ONLY)
    outcome = await run(bound, EvidenceRules(exclude_copies=exclude_copies), answer_text=ANSWER_TEXT)
    assert [line[1:] for line in lines(outcome)] == [
        ("excluded", "it holds the answer's own text") if exclude_copies else ("read", "")
    ]
    assert bool(outcome.passages) is not exclude_copies


async def test_the_graph_takes_sources_as_plain_values() -> None:
    bound = ports(judging("supported"), FakeSearcher({"*": [MINE, OTHER]}))
    state = await build_claim_graph(bound).ainvoke({"claim": CLAIM.text, "sources": (MINE.link,)})
    assert [each.text for each in outcome_of(state, KEY).snippets] == ["Other."]


async def test_a_further_round_is_held_to_the_rules_and_excluded_results_take_no_place() -> None:
    mine = [snippet(number, f"Mine {number}.", f"https://mine.example/{number}") for number in range(1, 6)]
    new = snippet(6, "New text.", "https://new.example/")
    searcher = FakeSearcher({CLAIM.text: [replace(OTHER, id="S1")], "*": [*mine, new]})
    outcome = await run(ports(judging("inconclusive"), searcher), EvidenceRules(excluded_sites=("mine.example",)))
    assert [(each.id, each.text) for each in outcome.snippets] == [("S1", "Other."), ("S2", "New text.")]
    assert sum(line[1] == "excluded" for line in lines(outcome)) == 5


async def test_a_round_of_excluded_results_alone_ends_the_claim() -> None:
    searcher = FakeSearcher({CLAIM.text: [OTHER], "*": [MINE]})
    rules = EvidenceRules(excluded_sites=("mine.example",))
    outcome = await run(ports(judging("inconclusive"), searcher, limits=Limits(rounds=3)), rules)
    assert outcome.ended == "no_new_evidence"


async def test_a_round_that_finds_read_pages_again_ends_the_claim() -> None:
    """The engine shows another piece of a page whose whole text was there to choose from."""
    first = snippet(1, "Larkspur Bridge", "https://a.example/")
    again = snippet(1, "... after four years of work ...", "http://www.a.example")
    searcher, reader = FakeSearcher({CLAIM.text: [first], "*": [again]}), FakeReader({first.link: PAGE})
    model = judging("inconclusive")
    outcome = await run(ports(model, searcher, reader, Limits(rounds=3)))
    assert outcome.ended == "no_new_evidence"
    assert len(outcome.snippets) == 1
    assert [request.kind for request in model.asked] == ["judge", "judge", "plan"]
    assert reader.opened == ["https://a.example/"]


@pytest.mark.parametrize(
    ("why", "plan"),
    [
        ("the claim itself", '{"queries": ["The Larkspur Bridge opened in 1931"]}'),
        ("the claim's words in another order", '{"queries": ["opened in 1931: the Larkspur Bridge"]}'),
        ("nothing", '{"queries": []}'),
    ],
)
async def test_no_query_is_sent_twice(why: str, plan: str) -> None:
    searcher = FakeSearcher({"*": [OTHER]})
    outcome = await run(ports(judging("inconclusive", plan=plan), searcher))
    assert (outcome.ended, searcher.asked) == ("no_queries", [CLAIM.text]), why


async def test_the_claim_is_no_further_query_where_the_engine_cut_it() -> None:
    class Cutting(FakeSearcher):
        async def search(self, query: str) -> SearchResults:
            found = await super().search(query)
            return replace(found, query="The Larkspur", shortened=True)

    searcher = Cutting({"*": [OTHER]})
    outcome = await run(ports(judging("inconclusive", plan=f'{{"queries": ["{CLAIM.text}"]}}'), searcher))
    assert (outcome.ended, outcome.flags[0]) == ("no_queries", "query_shortened")


class OpenParts(LabelJudge):
    """Two parts; the first is open at snippets, the second after the first batch."""

    def read(self, reply: ModelReply, task: JudgingTask) -> Verdict:
        open_part = 0 if task.stage == "snippets" else 1
        parts = ("The Larkspur Bridge opened in 1931.", "It is 503 metres long.")
        return Verdict("inconclusive", task.stage, "grounded", parts=parts, open_parts=(open_part,))


async def test_each_batch_is_chosen_for_what_is_open_then() -> None:
    found = [
        Snippet("S1", "", "https://width.example/", "The bridge is wide."),
        Snippet("S2", "", "https://length.example/", "The bridge is 503 metres long."),
        Snippet("S3", "", "https://opening.example/", "The Larkspur Bridge opened in 1931."),
    ]
    reader = FakeReader({each.link: f"{each.text} And more of the Larkspur Bridge." for each in found})
    bound = ports(judging("inconclusive"), FakeSearcher({"*": found}), reader, Limits("pages", pages_per_batch=1))
    await run(replace(bound, judge=OpenParts()))
    assert reader.opened == ["https://opening.example/", "https://length.example/"]
