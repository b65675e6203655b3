"""The way of one claim through the graph, on fakes: which nodes it takes, what it keeps, why it ends."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from tests.fakes import FakeModel, FakeReader, FakeSearcher, LabelJudge, ports, snippet
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.domain import AnswerKey, Claim, ClaimOutcome, ModelRequest, SearchResults, Verdict
from veriscore_agent.errors import (
    AccessRefusedError,
    BudgetSpentError,
    ModelError,
    ModelOutputError,
    ReplayMissError,
    SearchError,
    StopRunError,
)
from veriscore_agent.extractor import ClaimToVerify
from veriscore_agent.graph.build import build_claim_graph
from veriscore_agent.graph.state import ClaimState, outcome_of
from veriscore_agent.ports import Escalate, Limits, Ports
from veriscore_agent.runner import verify_claim

pytestmark = pytest.mark.anyio

CLAIM = Claim("a#1", "The Larkspur Bridge opened in 1931.")
KEY = AnswerKey("m", "a", "d")
PAGE = "The Larkspur Bridge opened to traffic in May 1931 after four years of work."
QUERIES = '{"queries": ["Larkspur Bridge opening year", "Larkspur Bridge history"]}'


class Trace:
    """Writes down the nodes that a claim takes."""

    def __init__(self) -> None:
        self.nodes: list[str] = []

    def answer_read(self, *_: object) -> None: ...

    def claim_ended(self, outcome: ClaimOutcome) -> None: ...

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None:
        self.nodes.append(node)


async def run(
    bound: Ports, *, audited: bool = False, claim: ClaimToVerify | None = None
) -> tuple[ClaimOutcome, list[str]]:
    trace = Trace()
    graph = build_claim_graph(bound)
    to_verify = claim or ClaimToVerify(CLAIM)
    outcome = await verify_claim(graph, to_verify, KEY, ports=bound, watcher=trace, audited=audited)
    return outcome, trace.nodes


def judging(*labels: str, plan: str = QUERIES) -> FakeModel:
    """A model that gives these labels in turn (the last one for ever) and plans the two queries."""
    queue = list(labels)

    def answer(request: ModelRequest) -> str:
        if request.kind == "plan":
            return plan
        return queue.pop(0) if len(queue) > 1 else queue[0]

    return FakeModel(answer)


def stages(outcome: ClaimOutcome) -> list[tuple[str, str]]:
    return [(verdict.stage, verdict.label) for verdict in outcome.verdicts]


@pytest.mark.parametrize("label", ["supported", "contradicted"])
async def test_a_claim_decided_at_snippets_opens_no_page(label: str) -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    outcome, nodes = await run(ports(judging(label), reader=reader))
    assert stages(outcome) == [("snippets", label)]
    assert nodes == ["search", "judge_snippets", "conclude"]
    assert (outcome.ended, reader.opened) == ("decided", [])


async def test_an_inconclusive_claim_is_decided_by_its_page() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    outcome, nodes = await run(ports(judging("inconclusive", "supported"), reader=reader))
    assert stages(outcome) == [("snippets", "inconclusive"), ("pages", "supported")]
    assert nodes == [
        "search",
        "judge_snippets",
        "choose_pages",
        "read_pages",
        "choose_passages",
        "judge_pages",
        "conclude",
    ]
    assert outcome.ended == "decided"
    assert [passage.text in PAGE for passage in outcome.passages] == [True]
    assert [(visit.link, visit.outcome) for visit in outcome.visits] == [
        ("https://1.example/", "read"),
        ("https://2.example/", "failed"),
    ]
    assert outcome.visits[0].passage_tokens > 0


async def test_links_are_read_in_batches_until_the_claim_is_decided() -> None:
    found = [snippet(number) for number in range(1, 9)]
    reader = FakeReader({each.link: f"{PAGE} Page {each.id}." for each in found})
    model = judging("inconclusive", "inconclusive", "supported")
    outcome, _ = await run(ports(model, FakeSearcher({"*": found}), reader, Limits(pages_per_batch=2, batches=3)))
    assert len(reader.opened) == 4, "the third batch is not opened"
    assert stages(outcome) == [("snippets", "inconclusive"), ("pages", "supported")]


async def test_a_copy_in_a_later_batch_is_told_of_the_passage_shown_before() -> None:
    """And is no new evidence."""
    found = [snippet(1), snippet(2)]
    reader = FakeReader({each.link: PAGE for each in found})
    limits = Limits(pages_per_batch=1, batches=2, rounds=0)
    outcome, _ = await run(ports(judging("inconclusive"), FakeSearcher({"*": found}), reader, limits))
    assert len(reader.opened) == 2
    (passage,) = outcome.passages
    assert {passage.url, *passage.copies} == {each.link for each in found}


async def test_a_further_round_asks_planned_queries_and_reads_their_pages() -> None:
    again = snippet(1, "The opening took place in 1931.", "https://new.example/")
    searcher = FakeSearcher({CLAIM.text: [snippet(1)], "Larkspur Bridge opening year": [again]})
    reader = FakeReader({"https://1.example/": PAGE, "https://new.example/": f"{PAGE} A crowd of 4,000 came."})
    outcome, nodes = await run(ports(judging("inconclusive", "inconclusive", "contradicted"), searcher, reader))
    assert stages(outcome) == [("snippets", "inconclusive"), ("pages", "inconclusive"), ("rounds", "contradicted")]
    assert nodes[6:9] == ["plan_queries", "search_again", "choose_pages"]
    assert outcome.queries == (CLAIM.text, "Larkspur Bridge opening year", "Larkspur Bridge history")
    assert [each.id for each in outcome.snippets] == ["S1", "S2"], "new results are numbered on"
    assert outcome.ended == "decided"


async def test_an_ever_inconclusive_claim_ends_at_the_limit_of_rounds() -> None:
    class Endless(FakeSearcher):
        async def search(self, query: str):  # type: ignore[no-untyped-def]
            number = len(self.asked)
            self.found = {"*": [snippet(number, f"text {number}", f"https://{number}.example/")]}
            return await super().search(query)

    def answer(request: ModelRequest) -> str:
        queries = f'{{"queries": ["query {request.user.count("query")}"]}}'
        return queries if request.kind == "plan" else "inconclusive"

    reader = FakeReader({f"https://{number}.example/": f"{PAGE} {number}" for number in range(9)})
    outcome, nodes = await run(ports(FakeModel(answer), Endless({}), reader, Limits(rounds=3)))
    assert nodes.count("plan_queries") == 3
    assert outcome.ended == "rounds"


async def test_a_round_without_new_evidence_ends_the_claim() -> None:
    searcher = FakeSearcher({"*": [snippet(1)]})
    outcome, nodes = await run(ports(judging("inconclusive"), searcher, limits=Limits(rounds=5)))
    assert nodes.count("search_again") == 1
    assert outcome.ended == "no_new_evidence"
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert "rounds_brought_nothing" in outcome.flags


async def test_no_query_planned_ends_the_claim() -> None:
    outcome, _ = await run(ports(judging("inconclusive", plan='{"queries": []}')))
    assert outcome.ended == "no_queries"


@pytest.mark.parametrize(
    ("escalate", "label", "audited", "ended"),
    [
        ("all", "supported", False, "no_new_evidence"),
        ("unsupported", "contradicted", False, "stages"),
        ("inconclusive", "supported", True, "pages"),
        ("inconclusive", "contradicted", True, "pages"),
    ],
)
async def test_only_an_audited_claim_ends_for_the_limit_of_its_pages(
    escalate: Escalate, label: str, audited: bool, ended: str
) -> None:
    """The audit tells by it which claims were drawn, where their pages brought nothing."""
    limits = Limits(last_stage="pages", escalate=escalate)
    outcome, _ = await run(ports(judging(label), limits=limits), audited=audited)
    assert (outcome.ended, outcome.flags) == (ended, ("pages_brought_nothing",))


async def test_a_stage_that_brought_nothing_keeps_the_verdict_before_it_flagged() -> None:
    model = judging("inconclusive")
    outcome, _ = await run(ports(model, limits=Limits(last_stage="pages")))
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert outcome.flags == ("pages_brought_nothing",)
    assert outcome.ended == "stages"
    assert len(model.asked) == 1, "equal evidence is not judged again"


async def test_stages_snippets_stops_before_pages() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    outcome, _ = await run(ports(judging("inconclusive"), reader=reader, limits=Limits(last_stage="snippets")))
    assert (outcome.ended, reader.opened) == ("stages", [])


@pytest.mark.parametrize(
    ("escalate", "label", "opens"),
    [
        ("inconclusive", "contradicted", False),
        ("unsupported", "contradicted", True),
        ("unsupported", "supported", False),
        ("all", "supported", True),
    ],
)
async def test_escalate_says_which_verdicts_go_on(escalate: str, label: str, opens: bool) -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    limits = Limits(escalate=escalate)  # type: ignore[arg-type]
    outcome, _ = await run(ports(judging(label, "supported"), reader=reader, limits=limits))
    assert bool(reader.opened) is opens
    assert outcome.verdicts[-1].stage == ("pages" if opens else "snippets")


async def test_an_audited_claim_keeps_its_own_verdict_and_the_audits_beside_it() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    outcome, nodes = await run(ports(judging("supported", "contradicted"), reader=reader), audited=True)
    assert stages(outcome) == [("snippets", "supported")]
    assert outcome.audit
    assert (outcome.audit.stage, outcome.audit.label) == ("pages", "contradicted")
    assert "plan_queries" not in nodes


async def test_an_inconclusive_claim_drawn_for_the_audit_is_treated_like_any_other() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    outcome, _ = await run(ports(judging("inconclusive", "supported"), reader=reader), audited=True)
    assert stages(outcome) == [("snippets", "inconclusive"), ("pages", "supported")]
    assert outcome.audit is None


async def test_a_second_look_judges_the_same_snippets_as_another_sample() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    model = judging("inconclusive", "supported", "contradicted")
    outcome, _ = await run(ports(model, reader=reader, limits=Limits(second_look=True)))
    assert outcome.second_look
    assert outcome.second_look.label == "supported"
    assert stages(outcome) == [("snippets", "inconclusive"), ("pages", "contradicted")]
    assert [request.sample for request in model.asked] == [0, 2, 0]


async def test_a_second_look_that_fails_is_told_and_takes_nothing_away() -> None:
    replies: list[str | Exception] = ["inconclusive", ModelError("no answer"), "supported"]
    reader = FakeReader({"https://1.example/": PAGE})
    model = FakeModel(lambda _: replies.pop(0))
    outcome, _ = await run(ports(model, reader=reader, limits=Limits(second_look=True)))
    assert stages(outcome) == [("snippets", "inconclusive"), ("pages", "supported")]
    assert (outcome.second_look, outcome.unscored) == (None, None)
    assert "failed:model_failed" in outcome.flags


@pytest.mark.parametrize("stop", [AccessRefusedError("model", "credit is used up"), BudgetSpentError("spent")])
async def test_a_stop_at_the_second_look_keeps_the_verdict_before_it(stop: StopRunError) -> None:
    replies: list[str | Exception] = ["inconclusive", stop]
    outcome, nodes = await run(ports(FakeModel(lambda _: replies.pop(0)), limits=Limits(second_look=True)))
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert (nodes, outcome.ended) == (["search", "judge_snippets"], "stopped")


async def test_a_decided_claim_gets_no_second_look() -> None:
    model = judging("supported")
    outcome, nodes = await run(ports(model, limits=Limits(second_look=True)))
    assert (outcome.second_look, nodes) == (None, ["search", "judge_snippets", "conclude"])


async def test_a_second_look_of_an_audited_claim_needs_no_pages() -> None:
    limits = Limits(second_look=True, last_stage="snippets")
    outcome, nodes = await run(ports(judging("supported"), limits=limits), audited=True)
    assert outcome.second_look
    assert nodes == ["search", "judge_snippets", "look_again", "conclude"]


async def test_results_of_the_input_file_are_not_searched_for() -> None:
    searcher = FakeSearcher({})
    claim = ClaimToVerify(CLAIM, (snippet(1, "It opened in 1931."),))
    outcome, _ = await run(ports(judging("supported"), searcher), claim=claim)
    assert (searcher.asked, outcome.queries) == ([], ())
    assert outcome.snippets == claim.snippets


async def test_an_unreadable_reply_is_asked_for_once_more_as_another_sample() -> None:
    model = judging("what?", "supported")
    outcome, _ = await run(ports(model))
    assert stages(outcome) == [("snippets", "supported")]
    assert [request.sample for request in model.asked] == [0, 1]


async def test_two_unreadable_replies_leave_the_claim_unscored() -> None:
    model = judging("what?", "how?")
    outcome, _ = await run(ports(model))
    assert outcome.verdicts == ()
    assert outcome.unscored
    assert (outcome.unscored.reason, outcome.ended) == ("unreadable_reply", "unscored")
    assert "how?" in outcome.unscored.detail
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (ModelError("it declined", reason="model_refused"), "model_refused"),
        (ModelError("filtered", reason="content_filtered"), "content_filtered"),
        (ModelError("no answer"), "model_failed"),
        (ModelOutputError("cut", reply="", reason="output_cut"), "output_cut"),
    ],
)
async def test_a_failing_model_leaves_the_claim_unscored_with_the_reason(problem: Exception, reason: str) -> None:
    outcome, _ = await run(ports(FakeModel(lambda _: problem)))
    assert outcome.unscored
    assert outcome.unscored.reason == reason


async def test_a_failing_search_leaves_the_claim_unscored_and_never_inconclusive() -> None:
    model = judging("supported")
    outcome, _ = await run(ports(model, FakeSearcher({"*": SearchError("no answer")})))
    assert outcome.unscored
    assert (outcome.unscored.reason, outcome.verdicts, model.asked) == ("search_failed", (), [])


async def test_a_later_failure_leaves_the_verdict_before_it_standing() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    replies: list[str | Exception] = ["inconclusive", ModelError("no answer")]
    outcome, _ = await run(ports(FakeModel(lambda _: replies.pop(0)), reader=reader))
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert (outcome.unscored, outcome.ended) == (None, "failed")
    assert "failed:model_failed" in outcome.flags


async def test_a_failing_further_search_leaves_the_verdict_standing() -> None:
    searcher = FakeSearcher({CLAIM.text: [snippet(1)], "*": SearchError("no answer")})
    outcome, _ = await run(ports(judging("inconclusive"), searcher))
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert outcome.ended == "failed"


@pytest.mark.parametrize(
    ("problem", "ends"),
    [(SearchError("query not allowed"), "failed"), (AccessRefusedError("search", "no credit"), "stopped")],
)
async def test_a_failing_further_search_lets_the_other_one_end(problem: Exception, ends: str) -> None:
    """It is paid for: cut off, it would be paid for once more when the run goes on."""
    ended: list[str] = []

    class Slow(FakeSearcher):
        async def search(self, query: str) -> SearchResults:
            if query == CLAIM.text:
                return await super().search(query)
            if not ended and len(self.asked) == 1:
                self.asked.append(query)
                raise problem
            await anyio.sleep(0.05)
            ended.append(query)
            return await super().search(query)

    searcher = Slow({CLAIM.text: [snippet(1)], "*": [snippet(2)]})
    outcome, _ = await run(ports(judging("inconclusive"), searcher))
    assert outcome.ended == ends
    assert len(ended) == 1


async def test_a_further_search_that_a_recording_lacks_is_no_evidence_and_no_failure() -> None:
    missing = SearchError("not in the recording", reason="not_recorded")
    outcome, _ = await run(ports(judging("inconclusive"), FakeSearcher({CLAIM.text: [snippet(1)], "*": missing})))
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert outcome.ended == "no_new_evidence"
    assert "not_recorded" in outcome.flags


async def test_a_passage_keeps_its_id_in_every_verdict_of_its_claim() -> None:
    seen: dict[str, set[str]] = {}

    class Reading(LabelJudge):
        def request(self, task: JudgingTask) -> ModelRequest:
            for each in task.evidence:
                seen.setdefault(each.id, set()).add(each.text)
            return super().request(task)

    found = [snippet(number) for number in range(1, 7)]
    reader = FakeReader({each.link: f"Larkspur page {each.id}. {PAGE}" for each in found})
    bound = ports(judging("inconclusive"), FakeSearcher({"*": found}), reader, Limits(pages_per_batch=1, batches=4))
    outcome, _ = await run(replace(bound, judge=Reading()))
    assert len(seen) > len(found)
    assert all(len(texts) == 1 for texts in seen.values())
    assert {each.id for each in outcome.passages} == {name for name in seen if name.startswith("P")}


async def test_no_result_at_all_is_inconclusive_and_judged() -> None:
    outcome, _ = await run(ports(judging("inconclusive"), FakeSearcher({}), limits=Limits(last_stage="snippets")))
    assert stages(outcome) == [("snippets", "inconclusive")]


async def test_a_replay_miss_is_raised_and_names_the_claim() -> None:
    miss = ReplayMissError("POST model", recording="r")
    with pytest.raises(ReplayMissError) as raised:
        await run(ports(FakeModel(lambda _: miss)))
    assert CLAIM.text in raised.value.__notes__[0]


async def test_what_stops_the_run_leaves_the_claim_where_it_stands() -> None:
    reader = FakeReader({"https://1.example/": PAGE})
    replies: list[str | Exception] = ["inconclusive", AccessRefusedError("model", "credit is used up")]
    outcome, _ = await run(ports(FakeModel(lambda _: replies.pop(0)), reader=reader))
    assert stages(outcome) == [("snippets", "inconclusive")]
    assert outcome.ended == "stopped"


async def test_a_programming_error_is_not_caught() -> None:
    with pytest.raises(ZeroDivisionError):
        await run(ports(FakeModel(lambda _: ZeroDivisionError())))


async def test_the_graph_takes_a_plain_text_as_studio_gives_it() -> None:
    graph = build_claim_graph(ports(judging("supported")))
    state = await graph.ainvoke({"claim": "The bridge opened in 1931."})
    outcome = outcome_of(state, KEY)
    assert isinstance(outcome.verdicts[0], Verdict)
    assert outcome.claim.text == "The bridge opened in 1931."
