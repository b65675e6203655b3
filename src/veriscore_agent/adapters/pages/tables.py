"""Tables as lines that can be understood one by one: every cell with the header of its column or row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell with its text on one line."""

    text: str
    header: bool = False
    in_head: bool = False
    columns: int = 1
    rows: int = 1


_LONG_CELL = 500
"""Characters of a cell that is no longer a value but a part of the page."""
_MAX_COLUMNS = 200


def table_lines(rows: Sequence[Sequence[Cell]]) -> tuple[str, ...] | None:
    """One line a row: ``Header: cell | Header: cell``. None where the table only lays out the page.

    Header rows (``thead``, or rows of nothing but ``th`` at the top) come first as they stand. A row of one ``th``
    and its values, as in an infobox, reads ``Header: value``. Spanning cells are repeated where they reach.
    """
    if _is_layout(rows):
        return None
    grid = _grid(rows)
    top = _header_rows(grid)
    headers = _column_headers(grid[:top])
    lines = [" | ".join(_distinct(row)) for row in grid[:top]]
    lines += [_line(row, headers) for row in grid[top:]]
    return tuple(line for line in lines if line)


def _is_layout(rows: Sequence[Sequence[Cell]]) -> bool:
    cells = [cell for row in rows for cell in row]
    if any(cell.header for cell in cells):
        return False
    return max((len(row) for row in rows), default=0) < 2 or any(len(cell.text) > _LONG_CELL for cell in cells)


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[Cell | None]]:
    """Cells by row and column, each repeated over the rows and columns that it spans."""
    grid: list[list[Cell | None]] = [[] for _ in rows]
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while column < len(grid[at]) and grid[at][column] is not None:
                column += 1
            for below in range(at, min(at + cell.rows, len(rows))):
                for right in range(column, min(column + cell.columns, _MAX_COLUMNS)):
                    grid[below].extend([None] * (right + 1 - len(grid[below])))
                    grid[below][right] = cell
            column += cell.columns
    return grid


def _header_rows(grid: Sequence[Sequence[Cell | None]]) -> int:
    """How many rows at the top are headers; 0 where nothing would be left below them."""
    count = 0
    for row in grid:
        cells = [cell for cell in row if cell is not None and cell.text]
        if not cells or not all(cell.header or cell.in_head for cell in cells):
            break
        count += 1
    return count if count < len(grid) else 0


def _column_headers(rows: Sequence[Sequence[Cell | None]]) -> list[str]:
    """The header of each column, those of several levels one after the other.

    A header row that is one cell over the whole width is a title and belongs to no column.
    """
    width = max((len(row) for row in rows), default=0)
    levels = [row for row in rows if len({id(cell) for cell in row if cell is not None}) > 1]
    headers = []
    for column in range(width):
        texts = [cell.text for row in levels if column < len(row) and (cell := row[column]) is not None]
        headers.append(" ".join(dict.fromkeys(text for text in texts if text)))
    return headers


def _line(row: Sequence[Cell | None], headers: Sequence[str]) -> str:
    texts: list[str] = []
    previous: Cell | None = None
    for column, cell in enumerate(row):
        if cell is None or not cell.text or cell is previous:
            continue
        header = headers[column] if column < len(headers) else ""
        texts.append(f"{header}: {cell.text}" if header and header != cell.text else cell.text)
        previous = cell
    cells = [cell for cell in row if cell is not None]
    if not any(headers) and cells and cells[0].header and len(texts) > 1 and not cells[1].header:
        return f"{texts[0]}: {' | '.join(texts[1:])}"
    return " | ".join(texts)


def _distinct(row: Sequence[Cell | None]) -> list[str]:
    """Texts of a row's cells, a spanning cell once."""
    texts: list[str] = []
    previous: Cell | None = None
    for cell in row:
        if cell is not None and cell is not previous and cell.text:
            texts.append(cell.text)
        previous = cell
    return texts
