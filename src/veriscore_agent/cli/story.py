"""One claim's story as text: every query, snippet, page, passage and quote, and how the label came of them."""

from __future__ import annotations

from collections.abc import Iterator

from veriscore_agent.cli.output import WIDEST, one_line, wrap
from veriscore_agent.domain import STAGES, ClaimOutcome, Finding, PageVisit, Verdict

ENDS = {
    "decided": "decided",
    "stages": "--stages goes no further",
    "no_new_evidence": "a round brought no new evidence",
    "rounds": "limit of rounds",
    "pages": "its pages are read",
    "no_queries": "no further query could be planned",
    "failed": "a later stage failed; the verdict before it stands",
    "stopped": "the run was stopped",
    "unscored": "no verdict",
}

DROPPED = {
    "quote_not_found": "its quote is not in the evidence",
    "off_the_part": "its quote does not speak of the part",
    "instruction": "its quote speaks to the judge",
    "page_gives_instructions": "its page tells its reader how to judge",
    "unknown_part": "the claim has no such part",
    "unknown_evidence": "there is no such evidence",
}
"""Why a finding may not count, in words."""


def render_story(outcome: ClaimOutcome, *, width: int = WIDEST) -> str:
    """Everything that is known of one claim, for people to read, in lines of at most ``width`` characters."""
    sections = (
        _heading(outcome),
        _numbered("queries", outcome.queries),
        _snippets(outcome),
        _pages(outcome.visits),
        _passages(outcome),
        *(_verdict(f"verdict after {verdict.stage}", verdict) for verdict in outcome.verdicts),
        *([_verdict("audit: what its pages say", outcome.audit)] if outcome.audit else []),
        *([_verdict("second look at the same snippets", outcome.second_look)] if outcome.second_look else []),
    )
    wrapped = ([part for line in section for part in wrap(line, width)] for section in sections)
    return "\n\n".join("\n".join(lines) for lines in wrapped if lines)


def path_of_labels(outcome: ClaimOutcome) -> str:
    """The labels by stage in one line (``snippets inconclusive -> pages supported``).

    Stages that were gone through in vain are named too, for they leave no verdict.
    """
    if outcome.unscored:
        return f"unscored ({outcome.unscored.reason})"
    if not outcome.verdicts:
        return "unscored"
    labels = " -> ".join(f"{verdict.stage} {verdict.label}" for verdict in outcome.verdicts)
    vain = [stage for stage in STAGES if f"{stage}_brought_nothing" in outcome.flags]
    return f"{labels} ({' and '.join(vain)} brought nothing)" if vain else labels


def _heading(outcome: ClaimOutcome) -> Iterator[str]:
    claim, answer = outcome.claim, outcome.answer
    yield one_line(claim.id)
    yield from _line(claim.text, "  ")
    yield from _labelled("answer", " ".join(filter(None, (answer.model, answer.id, answer.domain))))
    if claim.sentences:
        yield f"  from sentence {', '.join(str(index + 1) for index in claim.sentences)}"
    for wording in claim.wordings:
        if wording != claim.text:
            yield from _labelled("also worded", wording)
    yield from _labelled("label", path_of_labels(outcome))
    yield from _labelled("detail", outcome.unscored.detail if outcome.unscored else "")
    yield from _labelled("ended", ENDS.get(outcome.ended, outcome.ended))
    yield from _labelled("reference label", claim.reference_label or "")
    yield from _labelled("flags", ", ".join(outcome.flags))


def _numbered(title: str, values: tuple[str, ...]) -> Iterator[str]:
    if values:
        yield title.upper()
    for number, value in enumerate(values, 1):
        yield from _line(f"{number}. {value}", "  ")


def _snippets(outcome: ClaimOutcome) -> Iterator[str]:
    yield "SEARCH RESULTS" if outcome.snippets else "SEARCH RESULTS: none"
    for snippet in outcome.snippets:
        kind = "" if snippet.kind == "organic" else f" [{snippet.kind}]"
        yield from _line(f"{snippet.id}{kind} {snippet.title}", "  ")
        yield from _labelled("link", snippet.link, "     ")
        yield from _line(snippet.text, "     ")


def _pages(visits: tuple[PageVisit, ...]) -> Iterator[str]:
    if visits:
        yield "PAGES"
    for visit in visits:
        yield f"  {visit.outcome:<8} {one_line(visit.link)}"
        moved = visit.url if visit.url and visit.url != visit.link else ""
        yield from _labelled("led to", moved, "           ")
        yield from _labelled("why", visit.reason, "           ")
        facts = (
            f"status {visit.status}" if visit.status else "",
            visit.content_type,
            f"{visit.body_bytes:,} bytes" if visit.body_bytes else "",
            f"{visit.text_chars:,} characters of text" if visit.text_chars else "",
            visit.extractor,
            f"{visit.passage_tokens:,} tokens to the judge" if visit.outcome == "read" else "",
        )
        yield from _line(", ".join(filter(None, facts)), "           ")


def _passages(outcome: ClaimOutcome) -> Iterator[str]:
    if outcome.passages:
        yield "PASSAGES"
    for passage in outcome.passages:
        dated = f", {passage.date}" if passage.date else ""
        yield from _line(f"{passage.id} {passage.title}", "  ")
        yield f"     {one_line(passage.url)} [{passage.start}:{passage.end}]{one_line(dated)}"
        yield from _labelled("same text at", ", ".join(passage.copies), "     ")
        yield from _line(passage.text, "     ")


def _verdict(title: str, verdict: Verdict) -> Iterator[str]:
    yield f"{title.upper()}: {verdict.label} ({verdict.judge})"
    if not verdict.clear_referent:
        yield "  what the claim is about is not clear"
    for index, part in enumerate(verdict.parts):
        still_open = " [open]" if index in verdict.open_parts else ""
        yield from _line(f"part {index + 1}{still_open}: {part}", "  ")
        for finding in verdict.findings:
            if finding.part == index:
                yield from _finding(finding, finding.stance)
    for dropped in verdict.dropped:
        part = f" part {dropped.finding.part + 1}" if dropped.finding.part >= 0 else ""
        yield from _finding(dropped.finding, f"dropped ({_dropped(dropped.reason)}): {dropped.finding.stance}{part},")
    yield from _labelled("reason", verdict.reason)
    yield from _labelled("flags", ", ".join(verdict.flags))


def _dropped(reason: str) -> str:
    return DROPPED.get(reason, reason.replace("_", " "))


def _finding(finding: Finding, stance: str) -> Iterator[str]:
    yield from _line(f'{stance} {finding.evidence} (trust {finding.trust}): "{finding.quote}"', "     ")


def _labelled(label: str, value: str, indent: str = "  ") -> Iterator[str]:
    if value:
        yield from _line(f"{label}: {value}", indent)


def _line(text: str, indent: str) -> Iterator[str]:
    if text:
        yield indent + one_line(text)
