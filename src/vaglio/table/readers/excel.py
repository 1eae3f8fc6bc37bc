"""Read spreadsheets (xlsx, xls, xlsb, ods) with python-calamine, an optional dependency."""

from __future__ import annotations

import datetime
import io
from typing import Any

from vaglio.errors import MissingDependencyError, ReadError
from vaglio.table._absent import MISSING
from vaglio.table._table import Table, refuse_duplicates
from vaglio.table.readers.csv import is_number
from vaglio.table.readers.layout import find_heading, rows_of_table
from vaglio.text.sentences import did_you_mean

# Rows from which the lines of names are found.
_SAMPLE_ROWS = 200


def read_excel(data: Any, name: str, sheet: str | int = 0, header: bool | None = None) -> Table:
    """Read one sheet; its first row has the names unless `header` is False."""
    try:
        import python_calamine
    except ImportError:
        raise MissingDependencyError(
            f"{name} is a spreadsheet, and reading it needs python-calamine: pip install 'vaglio[excel]', "
            "or export the sheet as CSV."
        ) from None
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(bytes(data)))
        rows = _sheet(book, name, sheet).to_python(skip_empty_area=True)
    except (python_calamine.CalamineError, OSError) as error:
        raise ReadError(f"{name} cannot be read as a spreadsheet ({str(error)[:80]}): save it again as xlsx.") from None
    filled = [row for row in rows if any(cell != "" for cell in row)]
    if not filled:
        raise ReadError(f"{name}: the sheet has no rows below its row of names.")
    words = [[str(cell) for cell in row] for row in filled[:_SAMPLE_ROWS]]
    heading = find_heading(words, is_number, MISSING, header is not False)
    body, below = rows_of_table(filled[heading.above + heading.lines :], len(heading.names))
    if not body:
        raise ReadError(f"{name}: the sheet has no rows below its row of names.")
    refuse_duplicates(heading.names, f"{name}: ")
    table = Table.from_any({label: _one_type(list(cells)) for label, cells in zip(heading.names, zip(*body))})
    units = {label: unit for label, unit in zip(heading.names, heading.units) if unit}
    columns = [table.column(label).replace(unit=units.get(label, "")) for label in heading.names]
    return table.with_columns(columns).with_remarks([*heading.remarks, *below])


def _sheet(book: Any, name: str, sheet: str | int) -> Any:
    sheets = book.sheet_names
    if isinstance(sheet, str) and sheet in sheets:
        return book.get_sheet_by_name(sheet)
    if isinstance(sheet, int) and -len(sheets) <= sheet < len(sheets):
        return book.get_sheet_by_index(sheet % len(sheets))
    raise ReadError(
        f"{name} has no sheet {sheet!r}: {did_you_mean(str(sheet), sheets, otherwise='it has', quoted=True)}"
    )


def _one_type(cells: list[Any]) -> list[Any]:
    """Return cells of one type: empty ones as None, and values of several types as the words that were written."""
    cells = [None if cell == "" else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) < 2 or kinds <= {int, float}:
        return cells
    if kinds == {datetime.date, datetime.datetime}:
        midnight = datetime.time()
        return [datetime.datetime.combine(cell, midnight) if type(cell) is datetime.date else cell for cell in cells]
    return [cell if cell is None else _written(cell) for cell in cells]


def _written(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
