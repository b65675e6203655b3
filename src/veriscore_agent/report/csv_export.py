"""Claims as CSV, for spreadsheets: one row a claim, UTF-8, RFC 4180.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, and claims, reasons and links come
from models and from strangers' pages. Such a cell gets an apostrophe in front, and so does one that begins with
apostrophes before such a character: to have the exact text back, take one apostrophe away from a cell that begins with
apostrophes before one of these (``exact_text`` does it). ``claims.jsonl`` holds every text as it is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from veriscore_agent.core.scoring import binary_label, label_at
from veriscore_agent.domain import STAGES, ClaimOutcome, Stage
from veriscore_agent.report.json_values import clean_text

_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def claims_csv(outcomes: Iterable[ClaimOutcome], *, stages: Sequence[Stage] = STAGES) -> str:
    """All claims under a heading, with their label after each of ``stages``; an empty cell where there is none.

    Columns: model, domain, answer, claim_id, claim, the stages, binary (at the last of them), reference_label,
    unscored, ended, reason (of the last verdict), links (that its findings quote, one a line).
    Write it as UTF-8 with ``newline=""``; some spreadsheets want the byte order mark of ``utf-8-sig`` to see that.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    after = ("binary", "reference_label", "unscored", "ended", "reason", "links")
    writer.writerow(["model", "domain", "answer", "claim_id", "claim", *stages, *after])
    for outcome in outcomes:
        writer.writerow([_cell(each) for each in _row(outcome, stages)])
    return text.getvalue()


def exact_text(cell: str) -> str:
    """The text that a cell was made of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _cell(text: str) -> str:
    clean = clean_text(text)
    return f"'{clean}" if _FORMULA.match(clean) else clean


def _row(outcome: ClaimOutcome, stages: Sequence[Stage]) -> Iterable[str]:
    answer, claim = outcome.answer, outcome.claim
    labels = [label_at(outcome, stage) for stage in stages]
    yield from (answer.model, answer.domain, answer.id, claim.id, claim.text)
    yield from (label or "" for label in labels)
    yield binary_label(labels[-1]) if labels and labels[-1] else ""
    yield claim.reference_label or ""
    yield outcome.unscored.reason if outcome.unscored else ""
    yield outcome.ended
    yield outcome.verdicts[-1].reason if outcome.verdicts else ""
    yield "\n".join(_links(outcome))


def _links(outcome: ClaimOutcome) -> list[str]:
    """Links of the evidence that the last verdict quotes, each once."""
    if not outcome.verdicts:
        return []
    links = {snippet.id: snippet.link for snippet in outcome.snippets}
    links |= {passage.id: passage.url for passage in outcome.passages}
    quoted = (links.get(finding.evidence, "") for finding in outcome.verdicts[-1].findings)
    return [link for link in dict.fromkeys(quoted) if link]
