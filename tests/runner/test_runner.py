"""Answers to outcomes on fakes: fan-out, failures kept apart, clean stops, what is taken over from before."""

from __future__ import annotations

import traceback
from dataclasses import replace

import anyio
import pytest

from tests.fakes import FakeModel, FakeReader, FakeSearcher, ports, snippet
from veriscore_agent.domain import Answer, AnswerOutcome, Claim, ClaimOutcome, GivenClaim, ModelReply, ModelRequest
from veriscore_agent.errors import AccessRefusedError, BudgetSpentError, ModelError, ReplayMissError
from veriscore_agent.graph.state import ClaimState
from veriscore_agent.ports import Limits
from veriscore_agent.runner import RunResult, is_audited, is_done, run_answers
from veriscore_agent.settings import Settings

pytestmark = pytest.mark.anyio

SENTENCES = ("The Larkspur Bridge opened in 1931.", "It is 412 m long.", "Ada Verrin built it.")
ANSWER = Answer("q1", " ".join(SENTENCES), model="m", domain="d")
SNIPPETS_ONLY = Limits(last_stage="snippets")


class Heard:
    """Keeps what a watcher hears."""

    def __init__(self) -> None:
        self.answers: list[AnswerOutcome] = []
        self.claims: list[ClaimOutcome] = []

    def answer_read(self, outcome: AnswerOutcome, claims: tuple[Claim, ...]) -> None:
        self.answers.append(outcome)

    def claim_moved(self, claim: Claim, node: str, state: ClaimState) -> None: ...

    def claim_ended(self, outcome: ClaimOutcome) -> None:
        self.claims.append(outcome)


def marked(request: ModelRequest) -> str:
    """The sentence that an extraction request asks of."""
    return request.user.split("<SOS>")[-1].split("<EOS>")[0].strip()


def echoing(request: ModelRequest) -> str:
    """Every sentence is its own claim, and every claim is supported."""
    return f"- {marked(request)}" if request.kind == "extract" else "supported"


async def run(model: FakeModel, *answers: Answer, **options: object) -> tuple[RunResult, Heard]:
    heard = Heard()
    bound = ports(model, limits=SNIPPETS_ONLY)
    settings = options.pop("settings", Settings())
    result = await run_answers(answers or (ANSWER,), bound, settings, watcher=heard, **options)  # type: ignore[arg-type]
    return result, heard


async def test_every_sentence_is_asked_and_every_claim_judged() -> None:
    result, heard = await run(FakeModel(echoing))
    assert [outcome.claim.text for outcome in result.claims] == list(SENTENCES)
    assert [outcome.claim.id for outcome in result.claims] == ["m/q1#1", "m/q1#2", "m/q1#3"]
    assert [outcome.verdicts[0].label for outcome in result.claims] == ["supported"] * 3
    assert (result.answers[0].sentences, result.answers[0].claims, result.stopped) == (3, 3, None)
    assert len(heard.claims) == 3


async def test_the_sentences_of_an_answer_are_asked_side_by_side() -> None:
    together = 0
    most = 0

    class Slow(FakeModel):
        async def complete(self, request: ModelRequest):  # type: ignore[no-untyped-def]
            nonlocal together, most
            together += 1
            most = max(most, together)
            await anyio.sleep(0.01)
            together -= 1
            return await super().complete(request)

    await run(Slow(echoing))
    assert most == 3


async def test_one_failing_sentence_is_unextracted_and_leaves_the_others_alone() -> None:
    def answer(request: ModelRequest) -> str | Exception:
        if request.kind == "extract" and "412" in marked(request):
            return ModelError("no answer")
        return echoing(request)

    result, _ = await run(FakeModel(answer))
    assert [outcome.claim.text for outcome in result.claims] == [SENTENCES[0], SENTENCES[2]]
    (lost,) = result.answers[0].unextracted
    assert (lost.sentence, lost.reason, lost.text) == (1, "model_failed", SENTENCES[1])
    assert not result.answers[0].abstained


async def test_l10_one_refused_judging_leaves_nine_claims_scored() -> None:
    """L10: one refusal must not turn the whole sample into an error."""
    given = tuple(GivenClaim(f"Claim {number}.") for number in range(1, 11))

    def answer(request: ModelRequest) -> str | Exception:
        refused = "Claim 4." in request.user
        return ModelError("it declined", reason="model_refused") if refused else "supported"

    result, _ = await run(FakeModel(answer), replace(ANSWER, given=given))
    unscored = [outcome for outcome in result.claims if outcome.unscored]
    assert [outcome.claim.text for outcome in unscored] == ["Claim 4."]
    assert sum(bool(outcome.verdicts) for outcome in result.claims) == 9


async def test_an_answer_that_declines_is_an_abstention_only_without_a_claim() -> None:
    decline = replace(ANSWER, id="q2", response="I'm sorry, I don't have information about that.")
    nothing = FakeModel(lambda request: "No verifiable claim." if request.kind == "extract" else "supported")
    result, _ = await run(nothing, decline)
    assert (result.answers[0].abstained, result.answers[0].claims) == (True, 0)
    one_claim = FakeModel(lambda request: "It exists." if request.kind == "extract" else "supported")
    result, _ = await run(one_claim, decline)
    assert (result.answers[0].abstained, result.answers[0].claims) == (False, 1)


async def test_a_failed_extraction_is_never_taken_for_an_abstention() -> None:
    decline = replace(ANSWER, id="q2", response="I'm sorry, I don't have information about that.")
    result, _ = await run(FakeModel(lambda _: ModelError("no answer")), decline)
    assert not result.answers[0].abstained
    assert len(result.answers[0].unextracted) == 1


async def test_calls_that_waited_for_their_turn_are_not_begun_after_a_stop() -> None:
    """Three hundred sentences are not three hundred calls with a key that was refused."""
    begun = 0

    class Refusing(FakeModel):
        async def complete(self, request: ModelRequest) -> ModelReply:
            nonlocal begun
            begun += 1
            await anyio.sleep(0.01)
            return await super().complete(request)

    long = replace(ANSWER, response=" ".join(f"Gate number {number} opened." for number in range(300)))
    stop = AccessRefusedError("model", "the key was refused")
    result, _ = await run(Refusing(lambda _: stop), long, settings=Settings(model_concurrency=4))
    assert (result.stopped, begun) == (stop, 4)
    assert len(result.answers[0].unextracted) == 300


async def test_a_stop_that_thousands_of_calls_meet_keeps_no_frames_of_theirs() -> None:
    answers = [replace(ANSWER, id=f"q{number}") for number in range(200)]
    result, _ = await run(FakeModel(lambda _: AccessRefusedError("model", "the key was refused")), *answers)
    assert result.stopped is not None
    assert len(traceback.extract_tb(result.stopped.__traceback__)) < 50


@pytest.mark.parametrize(
    ("stop", "reason"),
    [(AccessRefusedError("model", "credit is used up"), "stopped"), (BudgetSpentError("spent"), "budget")],
)
async def test_a_stop_keeps_what_is_known_and_begins_no_other_call(stop: Exception, reason: str) -> None:
    calls = 0

    def answer(request: ModelRequest) -> str | Exception:
        nonlocal calls
        calls += request.kind == "judge"
        return stop if calls > 1 else echoing(request)

    answers = [replace(ANSWER, id=f"q{number}") for number in range(20)]
    result, _ = await run(FakeModel(answer), *answers, settings=Settings(answer_concurrency=1))
    assert result.stopped is stop
    assert calls == 2, "no call was begun after the one that stopped the run"
    assert sum(bool(outcome.verdicts) for outcome in result.claims) == 1
    assert {outcome.unscored.reason for outcome in result.claims if outcome.unscored} == {reason}
    assert len(result.answers) == 20
    assert {lost.reason for outcome in result.answers[1:] for lost in outcome.unextracted} == {reason}


async def test_done_outcomes_are_taken_as_they_are() -> None:
    first, _ = await run(FakeModel(echoing))
    model = FakeModel(echoing)
    done = {outcome.claim.id: outcome for outcome in first.claims[:2]}
    again, heard = await run(model, done=done)
    assert again.claims == first.claims
    assert [request.kind for request in model.asked].count("judge") == 1
    assert len(heard.claims) == 1


async def test_a_done_outcome_of_another_text_is_not_taken() -> None:
    first, _ = await run(FakeModel(echoing))
    other = replace(first.claims[0], claim=replace(first.claims[0].claim, text="Another claim."))
    model = FakeModel(echoing)
    again, _ = await run(model, done={other.claim.id: other})
    assert again.claims == first.claims


async def test_a_replay_miss_ends_the_run_as_itself() -> None:
    with pytest.raises(ReplayMissError):
        await run(FakeModel(lambda _: ReplayMissError("POST model", recording="r")))


async def test_a_replay_miss_lets_the_calls_in_flight_end_and_begins_no_other() -> None:
    """With live judging they are paid for: cut off, they would be paid for once more."""
    ended: list[str] = []

    class Slow(FakeModel):
        async def complete(self, request: ModelRequest) -> ModelReply:
            if "Claim 1." in request.user:
                await anyio.sleep(0.02)
                raise ReplayMissError("POST model", recording="r")
            await anyio.sleep(0.05)
            ended.append(request.user)
            return await super().complete(request)

    given = tuple(GivenClaim(f"Claim {number}.") for number in range(1, 11))
    with pytest.raises(ReplayMissError, match="POST model"):
        await run(Slow(echoing), replace(ANSWER, given=given), settings=Settings(model_concurrency=4))
    assert len(ended) == 3


async def test_the_pages_that_an_answer_was_written_from_are_no_evidence_for_its_claims_alone() -> None:
    bound = ports(FakeModel(echoing), FakeSearcher({"*": [snippet(1), snippet(2)]}), limits=SNIPPETS_ONLY)
    mine = replace(ANSWER, given=(GivenClaim("One claim."),), sources=("https://1.example",))
    other = replace(mine, id="q2", sources=())
    result = await run_answers((mine, other), bound, Settings(), watcher=Heard())
    assert [[each.link for each in outcome.snippets] for outcome in result.claims] == [
        ["https://2.example/"],
        ["https://1.example/", "https://2.example/"],
    ]


async def test_recording_all_pages_opens_those_of_decided_claims_too() -> None:
    reader = FakeReader({})
    found = [snippet(number) for number in range(1, 9)]
    bound = ports(FakeModel(echoing), FakeSearcher({"*": found}), reader, Limits())
    answer = replace(ANSWER, given=(GivenClaim("One claim."),))
    await run_answers((answer,), bound, Settings(), watcher=Heard(), record_all_pages=True)
    assert reader.opened == [each.link for each in found], "another judge may leave other parts open, and choose others"


async def test_the_audit_draws_a_seeded_share_independent_of_order() -> None:
    ids = [f"m/q#{number}" for number in range(2000)]
    drawn = {each for each in ids if is_audited(each, share=0.25, seed=7)}
    assert 420 < len(drawn) < 580, "a quarter of 2,000, give or take four standard deviations"
    assert drawn == {each for each in reversed(ids) if is_audited(each, share=0.25, seed=7)}
    assert drawn != {each for each in ids if is_audited(each, share=0.25, seed=8)}
    assert all(is_audited(each, share=1.0, seed=7) for each in ids)
    assert not any(is_audited(each, share=0.0, seed=7) for each in ids)


async def test_an_outcome_is_taken_for_its_own_answer_alone() -> None:
    """Claims-only files name their claims themselves, and may name two alike."""
    given = (GivenClaim("One claim.", id="c"),)
    first, second = (replace(ANSWER, model=model, id=id, given=given) for model, id in (("x/y", "z"), ("x", "y/z")))
    bound = ports(FakeModel(echoing), FakeSearcher({"*": [snippet(1)]}), FakeReader({}), Limits())
    whole = await run_answers((first,), bound, Settings(), watcher=Heard())
    done = {each.claim.id: each for each in whole.claims}
    again = await run_answers((first, second), bound, Settings(), watcher=Heard(), done=done)
    assert [each.answer.model for each in again.claims] == ["x/y", "x"]


async def test_only_whole_outcomes_are_done() -> None:
    result, _ = await run(FakeModel(echoing))
    whole = result.claims[0]
    assert is_done(whole)
    assert not is_done(replace(whole, verdicts=(), ended="unscored"))
    assert not is_done(replace(whole, ended="stopped"))
    assert not is_done(replace(whole, ended="failed"))
