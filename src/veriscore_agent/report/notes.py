"""What stands below the tables, in sentences: what was left out, what changed, and how sure the figures are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from veriscore_agent.core.scoring import AuditRate, AuditSummary, ReferenceAgreement, SecondLook, StageChange, Summary
from veriscore_agent.core.statistics import Estimate, share_of
from veriscore_agent.domain import LABELS
from veriscore_agent.report.figures import NONE, count_text, name_text, share_text

_FEW_PROMPTS = 10
"""Below it a percentile bootstrap is known to be too narrow."""

_LOST_OR_GAINED = {"supported": "turned out not to be", "contradicted": "turned out supported"}


def answer_notes(summary: Summary) -> Iterator[str]:
    """Abstentions, answers without claims, failed and incomplete ones, and how the means treat each."""
    abstained = sum(group.abstained.count for group in summary.groups)
    answers = sum(group.answers for group in summary.groups)
    yield (
        f"Abstentions: {share_text(share_of(abstained, answers), 'answers')}. Policy: left out of K and of the means,"
        " and counted; the mean with abstentions as 0 stands beside it."
    )
    without = sum(group.without_claims.count for group in summary.groups)
    if without:
        share = share_of(without, sum(group.scored_answers for group in summary.groups))
        yield (
            f"No verifiable claim: {share_text(share, 'scored answers')}. They count in K, and with F1@K = 0 in the"
            " means; the mean over answers with claims stands beside it."
        )
    failed = sum(group.failed for group in summary.groups)
    if failed:
        yield (
            f"Failed: {failed}. Nothing of {_these(failed, 'this answer', 'these answers')} could be scored; left out"
            " of the means, but not of their bounds."
        )
    incomplete = sum(group.incomplete for group in summary.groups)
    if incomplete:
        yield (
            f"Incomplete: {count_text(incomplete, 'answer')}. 'within' is the lowest and highest mean that unscored"
            f" claims and unextracted sentences (of {count_text(summary.sentence_limit, 'claim')} at most, as many as"
            " were read from one sentence) could make."
        )


def overall_notes(summary: Summary) -> Iterator[str]:
    """Which models have no overall score, and why."""
    for each in summary.overall:
        if each.missing_domains:
            domains = ", ".join(name_text(domain, empty="(no domain)") for domain in each.missing_domains)
            yield f"{name_text(each.model, empty='(no model)')}: no overall score, for it has no score in {domains}."


def reason_notes(summary: Summary) -> Iterator[str]:
    """Why claims are unscored, sentences unextracted, and verdicts kept from an earlier stage."""
    for title, reasons in (
        ("Unscored claims", summary.unscored_reasons),
        ("Unextracted sentences", summary.unextracted_reasons),
        ("Claims that keep an earlier verdict, for something later failed", summary.later_failures),
        ("Answers with a warning", summary.warnings),
    ):
        if reasons:
            yield f"{title}: {_counts(reasons)}."


def interval_notes(summary: Summary) -> Iterator[str]:
    """What the intervals are, and where they are not to be trusted."""
    yield (
        f"Brackets: 95% bootstrap interval over questions ({summary.resamples} resamples, seed {summary.seed}); none"
        " for a single question. Shares carry Wilson's 95% interval."
    )
    if any(1 < group.prompts < _FEW_PROMPTS for group in summary.groups):
        yield f"Fewer than {_FEW_PROMPTS} questions in a domain: such intervals are too narrow."


def change_notes(change: StageChange) -> Iterator[str]:
    """Decided claims whose label a later stage changed; only where everything goes on to pages are there any."""
    moves = [
        f"{before} to {after} {change.labels[before][after]}"
        for before in LABELS
        for after in LABELS
        if before not in ("inconclusive", after) and change.labels[before][after]
    ]
    if moves:
        yield f"Other labels changed from {change.before} to {change.after}: {', '.join(moves)}."


def audit_notes(audit: AuditSummary) -> Iterator[str]:
    """What the pages of decided claims say."""
    decided = sum(rate.decided for rate in audit.rates)
    changed = share_text(audit.changed, "audited claims")
    yield f"{count_text(decided, 'claim')} decided at snippets. {changed} changed the label on their pages."
    yield from (_audit_rate(rate) for rate in audit.rates if rate.decided)


def second_look_notes(look: SecondLook) -> Iterator[str]:
    """What judging twice changes by itself."""
    yield f"{share_text(look.flips, 'claims')} flipped when the same snippets were judged again."
    if look.open_turned_by_pages.total:
        pages = share_text(look.open_turned_by_pages, "inconclusive ones")
        again = share_text(look.open_turned_by_second_look, "by the second look alone")
        yield f"{pages} were decided by pages, {again}; net of it {_net_text(look.net)}."


def reference_notes(agreements: Sequence[ReferenceAgreement]) -> Iterator[str]:
    """What of the input's labels was compared with nothing."""
    for each in agreements[-1:]:
        if each.unscored:
            yield f"{count_text(each.unscored, 'claim')} with a reference label and no verdict."
        if each.unknown_labels:
            yield f"Reference labels that are not known, and compared with nothing: {_counts(each.unknown_labels)}."


def _audit_rate(rate: AuditRate) -> str:
    if not rate.turned.total:
        return f"  {rate.label}: {rate.decided} decided, none of them audited; not corrected."
    turned = share_text(rate.turned, "audited")
    return f"  {rate.label}: {rate.decided} decided; {turned} {_LOST_OR_GAINED[rate.label]}."


def _net_text(net: Estimate) -> str:
    if net.value is None or net.low is None or net.high is None:
        return NONE if net.value is None else f"{net.value:+.1%}"
    return f"{net.value:+.1%} [{net.low * 100:+.1f} to {net.high:+.1%}]"


def _counts(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{name_text(name, empty=NONE)} {count}" for name, count in reasons.items())


def _these(count: int, one: str, many: str) -> str:
    return one if count == 1 else many
