"""Aligned columns in sections: under several headings, the columns of one grid stand in line throughout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.box import Box
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_LINES = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
_GAP = 2
_NARROWEST_LABEL = 12


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its cells. A cell may have several lines."""

    label: str
    cells: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a heading; without one they follow on."""

    heading: str | None
    rows: tuple[Row, ...]


def draw_grid(
    headers: Sequence[str], sections: Sequence[Section], *, width: int, justify: Literal["left", "right"] = "right"
) -> Iterator[RenderableType]:
    """The parts of one grid. ``headers`` name the label column first; a header may have several lines.

    Cells are never broken; labels are, where they do not fit into what the cells leave of ``width``.
    """
    rows = [row for section in sections for row in section.rows]
    cells = [_widest([header, *(row.cells[index].plain for row in rows)]) for index, header in enumerate(headers[1:])]
    indent = 2 if any(section.heading for section in sections) else 0
    wanted = _widest([headers[0], *(row.label for row in rows)]) + indent
    label = min(wanted, max(width - sum(cells) - _GAP * len(cells), _NARROWEST_LABEL))
    yield _table([label, *cells], justify, headers)
    for section in sections:
        if section.heading:
            yield Text(section.heading, style="bold")
        table = _table([label, *cells], justify)
        for row in section.rows:
            table.add_row(Padding(Text(row.label, overflow="fold"), (0, 0, 0, indent)), *row.cells)
        yield table


def needed_width(headers: Sequence[str], rows: Iterable[Row]) -> int:
    """Columns that all but the label needs."""
    columns = zip(headers[1:], *(tuple(cell.plain for cell in row.cells) for row in rows), strict=True)
    return sum(_widest(column) + _GAP for column in columns)


def _table(widths: Sequence[int], justify: Literal["left", "right"], headers: Sequence[str] = ()) -> Table:
    table = Table(box=_LINES, show_edge=False, show_header=bool(headers), padding=(0, _GAP - 1, 0, 0), pad_edge=False)
    for index, width in enumerate(widths):
        title = Text(headers[index] if headers else "")
        side = justify if index else "left"
        table.add_column(title, width=width, justify=side, no_wrap=index > 0, vertical="bottom" if headers else "top")
    return table


def _widest(texts: Iterable[str]) -> int:
    return max(cell_len(line) for text in texts for line in text.split("\n"))
