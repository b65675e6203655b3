"""The summary of a run for people, on a terminal of 80 columns and more."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from veriscore_agent.core.scoring import GroupSummary, ReferenceAgreement, StageChange, StageScore, Summary
from veriscore_agent.core.statistics import Estimate
from veriscore_agent.domain import LABELS, Label
from veriscore_agent.report import notes
from veriscore_agent.report.figures import NONE, estimate_text, name_text, number_text, range_text, score_text
from veriscore_agent.report.grid import Row, Section, draw_grid, needed_width

_STYLES: dict[Label, str] = {"supported": "green", "contradicted": "red", "inconclusive": "yellow"}
_NARROWEST = 80
_ROOM_FOR_LABELS = 24

Cells = Callable[[GroupSummary], tuple[Text, ...]]
StageCell = Callable[[StageScore, str], Text]
"""The cell of one stage; its second argument separates what may stand in lines of their own."""


def render_summary(summary: Summary, *, width: int = 80, colour: bool = False) -> str:
    """The summary as text of at most ``width`` columns, with ANSI colours where ``colour`` is True.

    Fewer than 80 columns are taken for 80: a figure must not be cut.

    F1@K of every model and domain at each stage with its interval and the three label counts; the same over all
    domains; what counts as an answer; what later stages, the audit and the second look changed; and in sentences
    what was left out and why.
    """
    stream = io.StringIO()
    width = max(width, _NARROWEST)
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        force_jupyter=False,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    for part in _parts(summary, width):
        console.print(part)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n")).rstrip("\n") + "\n"


def _parts(summary: Summary, width: int) -> Iterator[RenderableType]:
    """Everything that is printed, in order."""
    yield Text(_metric(summary), style="bold")
    if not summary.groups:
        yield from _notes(["No answers."])
        return
    yield from _stage_grid(summary, width, _score_cell)
    yield from _overall_grid(summary, width, _score_cell)
    yield from _notes(["Below F1@K: claims supported/contradicted/inconclusive.", *notes.interval_notes(summary)])
    yield _title("Answers and claims")
    yield from _row_grid(summary, width, *_count_columns(summary))
    yield from _notes([*notes.answer_notes(summary), *notes.reason_notes(summary)])
    yield _title(f"Means at {summary.stages[-1]}")
    yield from _row_grid(summary, width, *_mean_columns())
    yield from _change_parts(summary, width)
    yield from _audit_parts(summary, width)
    yield from _second_look_and_reference(summary, width)


def _metric(summary: Summary) -> str:
    name = "VeriScore F1@K, the paper's protocol" if summary.protocol == "paper" else "VeriScore-style F1@K"
    return f"{name} (K: {name_text(summary.k_rule, empty=NONE)})"


# ---------------------------------------------------------------- F1@K by stage


def _stage_grid(summary: Summary, width: int, cell: StageCell, *, corrected: bool = False) -> Iterator[RenderableType]:
    """A row for every model and domain, a column for every stage; each score on one line where there is room."""
    first = 1 if corrected else 0
    headers = [_label_header(summary), *([] if corrected else ["K"]), *summary.stages[first:]]
    sections: list[Section] = []
    for separator in ("  ", "\n"):

        def cells(group: GroupSummary, separator: str = separator) -> tuple[Text, ...]:
            k = () if corrected else (Text(number_text(group.k)),)
            return (*k, *(cell(score, separator) for score in group.stages[first:]))

        sections = _sections(summary, cells)
        needed = needed_width(headers, [row for section in sections for row in section.rows])
        if needed + _ROOM_FOR_LABELS <= width:
            break
    yield from draw_grid(headers, sections, width=width, justify="left")


def _overall_grid(
    summary: Summary, width: int, cell: StageCell, *, corrected: bool = False
) -> Iterator[RenderableType]:
    """A row for every model; nothing where the only domain is all there is."""
    if _single_domain(summary):
        return
    first = 1 if corrected else 0
    rows = tuple(
        Row(name_text(each.model, empty="(no model)"), tuple(cell(score, "\n") for score in each.stages[first:]))
        for each in summary.overall
        if not each.missing_domains
    )
    yield _title("Overall, corrected" if corrected else "Overall: the mean of the domain means")
    if rows:
        yield from draw_grid(["model", *summary.stages[first:]], [Section(None, rows)], width=width, justify="left")
    yield from _notes(notes.overall_notes(summary))


def _score_cell(score: StageScore, separator: str) -> Text:
    """F1@K with its interval, label counts, and the bounds of what is incomplete."""
    cell = Text(estimate_text(score.f1), style="bold")
    cell = Text.assemble(cell, separator, _label_counts(score))
    if score.lowest is None or score.highest is None or score.lowest == score.highest:
        return cell
    return Text.assemble(cell, "\n", (f"within {range_text(score.lowest, score.highest, places=3)}", "dim"))


def _corrected_cell(score: StageScore, separator: str) -> Text:
    return Text(estimate_text(score.f1_corrected)) if score.f1_corrected else Text(NONE)


def _label_counts(score: StageScore) -> Text:
    counts: dict[Label, int] = {
        "supported": score.supported,
        "contradicted": score.contradicted,
        "inconclusive": score.inconclusive,
    }
    return Text("/").join(_label_cells(counts))


def _label_cells(counts: Mapping[Label, int]) -> tuple[Text, ...]:
    return tuple(Text(str(counts[label]), style=_STYLES[label]) for label in LABELS)


# ---------------------------------------------------------------- other columns


def _count_columns(summary: Summary) -> tuple[list[str], Cells]:
    """Answers and claims; the columns of what is incomplete only where something is."""
    headers = ["answers", "ab-\nstained", "no\nclaim", "claims"]
    if not any(group.incomplete for group in summary.groups):
        return headers, lambda group: _numbers(
            group.answers, group.abstained.count, group.without_claims.count, group.claims
        )
    return [*headers, "failed", "incom-\nplete", "unscored\nclaims", "unextr.\nsent."], lambda group: _numbers(
        *(group.answers, group.abstained.count, group.without_claims.count, group.claims),
        *(group.failed, group.incomplete, group.unscored, group.unextracted),
    )


def _mean_columns() -> tuple[list[str], Cells]:
    headers = [
        "P",
        "R",
        "F1@K",
        "with\nclaims",
        "abstained\nas 0",
        "sent./\nanswer",
        "claims/\nanswer",
        "claims/\nsent.",
    ]

    def cells(group: GroupSummary) -> tuple[Text, ...]:
        last = group.stages[-1]
        scores = (last.precision, last.recall, last.f1.value, last.f1_with_claims, last.f1_abstentions_as_zero)
        rates = (group.sentences_per_answer, group.claims_per_answer, group.claims_per_sentence)
        return (*(Text(score_text(score)) for score in scores), *(Text(number_text(rate)) for rate in rates))

    return headers, cells


def _numbers(*values: int) -> tuple[Text, ...]:
    return tuple(Text(str(value)) for value in values)


def _row_grid(summary: Summary, width: int, headers: Sequence[str], cells: Cells) -> Iterator[RenderableType]:
    yield from draw_grid([_label_header(summary), *headers], _sections(summary, cells), width=width)


# ---------------------------------------------------------------- what changed


def _change_parts(summary: Summary, width: int) -> Iterator[RenderableType]:
    """What became of the inconclusive claims at each later stage: of all models together, and of each."""
    several = len({group.model for group in summary.groups}) > 1
    sections = []
    for before, after in pairwise(summary.stages):
        own = [each for each in summary.changes if each.after == after and (several or each.model is None)]
        rows = (Row(_change_label(each, several=several), _change_cells(each)) for each in own)
        sections.append(Section(f"from {before} to {after}", tuple(rows)))
    if not sections:
        return
    yield _title("What became of inconclusive claims")
    headers = ["", "before", "now\nsupported", "now\ncontradicted", "still\ninconclusive", "judged\nagain"]
    yield from draw_grid(headers, sections, width=width)
    for change in summary.changes:
        if change.model is None:
            yield from _notes(notes.change_notes(change))


def _change_label(change: StageChange, *, several: bool) -> str:
    if change.model is None:
        return "all models" if several else "all claims"
    return name_text(change.model, empty="(no model)")


def _change_cells(change: StageChange) -> tuple[Text, ...]:
    now = change.labels["inconclusive"]
    return (Text(str(sum(now.values()))), *_label_cells(now), Text(str(change.judged)))


def _audit_parts(summary: Summary, width: int) -> Iterator[RenderableType]:
    if not summary.audit:
        return
    yield _title("Audit of decided claims")
    yield from _notes(notes.audit_notes(summary.audit))
    if len(summary.stages) > 1:
        yield _title("F1@K corrected by the audit's rates")
        yield from _stage_grid(summary, width, _corrected_cell, corrected=True)
        yield from _overall_grid(summary, width, _corrected_cell, corrected=True)


def _second_look_and_reference(summary: Summary, width: int) -> Iterator[RenderableType]:
    if summary.second_look:
        yield _title("Judging twice")
        yield from _notes(notes.second_look_notes(summary.second_look))
    if summary.reference:
        yield _title("Agreement with the labels of the input (reference_label)")
        headers = ["supported or not", "agreement", "both\nsupported", "only\nours", "only\nreference", "neither"]
        rows = tuple(Row(f"at {each.stage}", _agreement_cells(each)) for each in summary.reference)
        yield from draw_grid(headers, [Section(None, rows)], width=width)
        yield from _confusion_grid(summary.reference[-1], width)
        yield from _notes(notes.reference_notes(summary.reference))


def _agreement_cells(each: ReferenceAgreement) -> tuple[Text, ...]:
    share = each.agreement
    cells = (each.both_supported, each.only_ours_supported, each.only_reference_supported, each.neither_supported)
    return (Text(estimate_text(Estimate(share.share, share.low, share.high))), *_numbers(*cells))


def _confusion_grid(agreement: ReferenceAgreement, width: int) -> Iterator[RenderableType]:
    """Reference labels against ours at the last stage."""
    rows = tuple(Row(name_text(text, empty=NONE), _label_cells(counts)) for text, counts in agreement.labels.items())
    if rows:
        yield _title(f"reference_label, and ours at {agreement.stage}")
        yield from draw_grid(["reference", *LABELS], [Section(None, rows)], width=width)


# ---------------------------------------------------------------- pieces


def _sections(summary: Summary, cells: Cells) -> list[Section]:
    """A section for every model; one for all of them where there is a single domain."""
    if _single_domain(summary):
        rows = [Row(name_text(group.model, empty="(no model)"), cells(group)) for group in summary.groups]
        return [Section(None, tuple(rows))]
    sections = []
    for model in dict.fromkeys(group.model for group in summary.groups):
        own = [group for group in summary.groups if group.model == model]
        rows = [Row(name_text(group.domain, empty="(no domain)"), cells(group)) for group in own]
        sections.append(Section(name_text(model, empty="(no model)"), tuple(rows)))
    return sections


def _single_domain(summary: Summary) -> bool:
    return len({group.domain for group in summary.groups}) == 1


def _label_header(summary: Summary) -> str:
    if not _single_domain(summary):
        return "model, domain"
    domain = summary.groups[0].domain
    return f"model ({name_text(domain, empty='')})" if domain else "model"


def _title(text: str) -> RenderableType:
    return Padding(Text(text, style="bold"), (1, 0, 0, 0))


def _notes(lines: Iterable[str]) -> Iterator[RenderableType]:
    """Sentences; one that begins with blanks is indented throughout."""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        yield Padding(Text(line.strip(), style="dim"), (0, 0, 0, indent))
