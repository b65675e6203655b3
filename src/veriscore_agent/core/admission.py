"""What may be evidence for a claim: one rule for search results, links and pages, and why one of them is not.

The run's rules (``EvidenceRules``) hold for all claims; the pages that an answer was written from, and copies of its
text, concern its own claims alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from veriscore_agent.core.copies import is_copy
from veriscore_agent.core.links import ascii_host, host_of, page_key
from veriscore_agent.domain import PageReading, PageVisit, Snippet

UNDATED = "undated: it may be later than the day asked for"


@dataclass(frozen=True, slots=True)
class EvidenceRules:
    """Which results and pages a run takes as evidence."""

    only_sites: tuple[str, ...] = ()
    """Hosts; they and the hosts below them are evidence alone. Empty: all are."""
    excluded_sites: tuple[str, ...] = ()
    """Hosts; neither they nor the hosts below them are evidence."""
    as_of: str = ""
    """Day as ISO 8601; what is dated later is no evidence. Empty: any date."""
    exclude_copies: bool = False
    """Pages that hold the answer's own text are no evidence for its claims."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """Search results, parted."""

    snippets: tuple[Snippet, ...]
    excluded: tuple[PageVisit, ...]
    """Those that are no evidence, as lines of the page ledger, each link once."""


def why_excluded(link: str, rules: EvidenceRules, *, sources: Sequence[str] = (), date: str | None = None) -> str:
    """Why what stands at ``link`` is no evidence; empty where it may be.

    ``sources`` are links of the pages that the answer was written from, ``date`` is ISO 8601. What has no date is
    never too late; a month or a year is where it begins after the day of the rules.
    """
    host = host_of(link)
    if rules.only_sites and not _is_of(host, rules.only_sites):
        return f"not one of the sites that are evidence: {host or 'no address'}"
    if _is_of(host, rules.excluded_sites):
        return f"excluded site: {host}"
    if any(page_key(link) == page_key(source) != "" for source in sources):
        return "the answer was written from it"
    if date and rules.as_of and date[:10] > rules.as_of:
        return f"dated {date[:10]}, after {rules.as_of}"
    return ""


def admit(found: Iterable[Snippet], rules: EvidenceRules, *, sources: Sequence[str] = ()) -> Admitted:
    """The search results that may be evidence, in their order and under their ids, and the others."""
    kept: list[Snippet] = []
    excluded: dict[str, PageVisit] = {}
    for snippet in found:
        reason = why_excluded(snippet.link, rules, sources=sources, date=snippet.date)
        if reason:
            excluded.setdefault(snippet.link, PageVisit(snippet.link, "excluded", reason))
        else:
            kept.append(snippet)
    return Admitted(tuple(kept), tuple(excluded.values()))


def admit_reading(
    reading: PageReading, rules: EvidenceRules, *, sources: Sequence[str] = (), answer_text: str = ""
) -> PageReading:
    """The reading as it is, or without its page where that is no evidence, wherever its link led.

    ``answer_text`` is the text of the answer that the claim is of.
    """
    page = reading.page
    if page is None:
        return reading
    reason = why_excluded(page.url, rules, sources=sources, date=page.date)
    if not reason and rules.exclude_copies and is_copy(page.text, answer_text):
        reason = "it holds the answer's own text"
    if reason:
        return PageReading(replace(reading.visit, outcome="excluded", reason=reason))
    if rules.as_of and not page.date:
        known = reading.visit.reason
        return replace(reading, visit=replace(reading.visit, reason=f"{known}; {UNDATED}" if known else UNDATED))
    return reading


def _is_of(host: str, sites: Iterable[str]) -> bool:
    """Whether the host is one of the sites, or lies below one."""
    names = (ascii_host(site) for site in sites)
    return any(host == name or host.endswith(f".{name}") for name in names)
