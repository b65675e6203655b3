"""The nodes of the graph. Each reads the state, calls the ports, and returns what it changes.

No client, environment, clock or broad except here: failures become values in the wrapper that ``build_claim_graph``
puts on every node. A node's name is its function's name is its name in the drawing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import anyio.to_thread

from veriscore_agent.asking import ask
from veriscore_agent.concurrency import map_concurrently
from veriscore_agent.core.admission import admit, admit_reading
from veriscore_agent.core.links import page_key
from veriscore_agent.core.novelty import new_snippets
from veriscore_agent.core.passages import choose_passages as choose_passages_within
from veriscore_agent.core.planning import plan_request, read_queries
from veriscore_agent.core.verification.judge import JudgingTask
from veriscore_agent.domain import Evidence, PageReading, PageVisit, Passage, SearchResults, Snippet, Stage, Verdict
from veriscore_agent.errors import ModelOutputError, SearchError, ServiceError, StopRunError
from veriscore_agent.graph.routing import end_reason, is_audit, links_to_open
from veriscore_agent.graph.state import ClaimState, ClaimUpdate
from veriscore_agent.ports import Ports

SECOND_LOOK_SAMPLE = 2
"""Number of the sample that judges the same snippets again; 1 is the repetition of an unreadable reply."""

SNIPPETS_A_QUERY = 5
"""Results kept of a further query; their usefulness falls with rank (paper, section 3.3)."""


async def search(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Search the web for the claim, unless its results are there already."""
    if state["snippets"] is not None:
        return _first_evidence(state, ports, state["snippets"])
    found = await ports.searcher.search(state["claim"].text)
    update = _first_evidence(state, ports, found.snippets, found.excluded)
    if found.shortened:
        update["flags"] = (*update["flags"], "query_shortened")
    return {**update, "queries": (found.query,)}


async def judge_snippets(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Judge the claim against the result snippets."""
    snippets = state["snippets"] or ()
    verdict = await _judge(JudgingTask(claim=state["claim"].text, stage="snippets", evidence=snippets), ports)
    return {"verdicts": (verdict,), "judged": _texts(snippets)}


async def look_again(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Judge the same snippets once more, with the parts fixed: what differs is judging twice, and nothing else."""
    first = state["verdicts"][0]
    task = JudgingTask(
        claim=state["claim"].text,
        stage="snippets",
        evidence=state["snippets"] or (),
        parts=first.parts or None,
        sample=SECOND_LOOK_SAMPLE,
    )
    try:
        return {"second_look": await _judge(task, ports)}
    except (ServiceError, ModelOutputError) as problem:
        # A check beside the verdict: its failure is told, and takes nothing away.
        return {"flags": (*state["flags"], f"failed:{problem.reason}")}


async def choose_pages(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Choose the next batch of links among the results of this round."""
    return {"links": links_to_open(state, ports.limits.pages_per_batch), "batch": state["batch"] + 1}


async def read_pages(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Open the chosen links side by side. A page that cannot be read, or is no evidence, is a line in the ledger."""
    readings = await map_concurrently(partial(_read_admitted, state, ports), state["links"])
    pages = [reading.page for reading in readings if reading.page]
    return {
        "visits": (*state["visits"], *(reading.visit for reading in readings)),
        "pages": (*state["pages"], *pages),
        "links": (),
    }


async def choose_passages(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Choose the passages of all pages read so far that bear on the claim, within the token budget."""
    if not state["pages"]:
        return {}
    choose = partial(
        choose_passages_within,
        state["claim"].text,
        state["verdicts"][0].parts,
        state["pages"],
        budget_tokens=ports.limits.passage_tokens,
        count_tokens=ports.count_tokens,
        taken=state["shown"],
    )
    # Six pages of the largest size take half a second, in which other claims go on.
    passages = await anyio.to_thread.run_sync(choose)
    # What was shown before is told as it is known now: a later page may hold the same text.
    shown = {passage.id: passage for passage in (*state["shown"], *passages)}
    return {"passages": passages, "shown": tuple(shown.values()), "visits": _with_tokens(state, passages, ports)}


async def judge_pages(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Judge the claim again on snippets and passages together, where there is something new to judge."""
    evidence: tuple[Evidence, ...] = (*_standing_snippets(state), *state["passages"])
    seen = _texts(evidence)
    if seen <= state["judged"]:
        return {"flags": _once(state["flags"], f"{_stage(state)}_brought_nothing")}
    first = state["verdicts"][0]
    task = JudgingTask(claim=state["claim"].text, stage=_stage(state), evidence=evidence, parts=first.parts or None)
    verdict = await _judge(task, ports)
    flags = tuple(flag for flag in state["flags"] if flag != f"{_stage(state)}_brought_nothing")
    update: ClaimUpdate = {"judged": state["judged"] | seen, "round_was_new": True, "flags": flags}
    if is_audit(state, ports.limits):
        update["audit"] = verdict
    else:
        update["verdicts"] = (*(each for each in state["verdicts"] if each.stage != verdict.stage), verdict)
    return update


async def plan_queries(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Write at most two queries for the parts that are still open."""
    latest = state["verdicts"][-1]
    claim = state["claim"].text
    tried = state["queries"] or (claim,)
    request = plan_request(claim, latest.parts, latest.open_parts, tried)
    return {"plan": await ask(ports.model, request, lambda reply: read_queries(reply, (claim, *tried)))}


async def search_again(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Send the planned queries and keep the results that are new."""
    old = state["snippets"] or ()
    results = await _search_all(state["plan"], ports)
    admitted = [(each, admit(each.snippets, ports.rules, sources=state["sources"])) for each in results if each]
    found = [snippet for _, each in admitted for snippet in each.snippets[:SNIPPETS_A_QUERY]]
    return {
        "flags": _once(state["flags"], "not_recorded") if None in results else state["flags"],
        "snippets": (*old, *new_snippets(found, old, state["pages"])),
        "visits": _with_excluded(
            state["visits"], (line for pair in admitted for each in pair for line in each.excluded)
        ),
        "queries": (*state["queries"], *state["plan"]),
        "plan": (),
        "round": state["round"] + 1,
        "round_start": len(old),
        "round_was_new": False,
        "batch": 0,
    }


async def conclude(state: ClaimState, ports: Ports) -> ClaimUpdate:
    """Keep the reason why the claim ends here."""
    return {"ended": end_reason(state, ports.limits)}


async def _judge(task: JudgingTask, ports: Ports) -> Verdict:
    """The judge's verdict; what its first reply left out is asked for once, by name."""
    for _ in range(2):
        read = await ask(ports.model, ports.judge.request(task), partial(ports.judge.read, task=task))
        if isinstance(read, Verdict):
            return read
        task = read
    raise AssertionError("a judge asks for one further task at most")


async def _search_all(queries: tuple[str, ...], ports: Ports) -> list[SearchResults | None]:
    """The results of each query, None where a frozen recording does not hold them: no evidence, and no failure.

    Any other failure is raised when all have ended: a search that is under way is paid for, and its answer is kept.
    """

    async def search_one(query: str) -> SearchResults | SearchError | StopRunError:
        try:
            return await ports.searcher.search(query)
        except (SearchError, StopRunError) as problem:
            return problem

    results: list[SearchResults | None] = []
    for each in await map_concurrently(search_one, queries):
        if isinstance(each, StopRunError) or (isinstance(each, SearchError) and each.reason != "not_recorded"):
            raise each
        results.append(each if isinstance(each, SearchResults) else None)
    return results


def _stage(state: ClaimState) -> Stage:
    return "pages" if state["round"] == 0 else "rounds"


def _texts(evidence: tuple[Evidence, ...]) -> frozenset[str]:
    return frozenset(each.text for each in evidence)


def _once(flags: tuple[str, ...], flag: str) -> tuple[str, ...]:
    return flags if flag in flags else (*flags, flag)


def _first_evidence(
    state: ClaimState, ports: Ports, found: tuple[Snippet, ...], excluded: tuple[PageVisit, ...] = ()
) -> ClaimUpdate:
    """The results that may be evidence, numbered anew where some may not; with none left the claim is flagged."""
    admitted = admit(found, ports.rules, sources=state["sources"])
    lines = (*excluded, *admitted.excluded)
    snippets = admitted.snippets
    if admitted.excluded:
        snippets = tuple(replace(each, id=f"S{number}") for number, each in enumerate(snippets, 1))
    flags = _once(state["flags"], "all_results_excluded") if lines and not snippets else state["flags"]
    return {"snippets": snippets, "visits": _with_excluded(state["visits"], lines), "flags": flags}


def _with_excluded(visits: tuple[PageVisit, ...], excluded: Iterable[PageVisit]) -> tuple[PageVisit, ...]:
    """The ledger with a line for each link that was left out, once."""
    lines = {visit.link: visit for visit in visits}
    return (*visits, *{each.link: each for each in excluded if each.link not in lines}.values())


async def _read_admitted(state: ClaimState, ports: Ports, link: str) -> PageReading:
    reading = await ports.reader.read(link)
    admit_page = partial(
        admit_reading, reading, ports.rules, sources=state["sources"], answer_text=state["answer_text"]
    )
    if not ports.rules.exclude_copies or reading.page is None:
        return admit_page()
    # Words of a page of the largest size take half a second to compare.
    return await anyio.to_thread.run_sync(admit_page)


def _standing_snippets(state: ClaimState) -> tuple[Snippet, ...]:
    """All but those of pages that turned out to be no evidence when they were opened."""
    excluded = {page_key(visit.link) for visit in state["visits"] if visit.outcome == "excluded"} - {""}
    return tuple(each for each in state["snippets"] or () if page_key(each.link) not in excluded)


def _with_tokens(state: ClaimState, passages: tuple[Passage, ...], ports: Ports) -> tuple[PageVisit, ...]:
    tokens: dict[str, int] = {}
    for passage in passages:
        tokens[passage.url] = tokens.get(passage.url, 0) + ports.count_tokens(passage.text)
    return tuple(replace(visit, passage_tokens=tokens.get(visit.url, 0)) for visit in state["visits"])
