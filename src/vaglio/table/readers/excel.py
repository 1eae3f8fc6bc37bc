"""Read spreadsheets (xlsx, xls, xlsb, ods) with python-calamine, an optional dependency."""

from __future__ import annotations

import datetime
import io
from typing import Any

from vaglio.errors import MissingDependencyError, ReadError
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.table._absent import MISSING
from vaglio.table._table import Table, refuse_duplicates
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.csv import is_number
from vaglio.table.readers.excel_child import NoSheet, rows_of
from vaglio.table.readers.layout import find_heading, rows_of_table

# Rows from which the lines of names are found.
_SAMPLE_ROWS = 200


def read_excel(
    data: Any, name: str, sheet: str | int = 0, header: bool | None = None, limits: Limits | None = None
) -> Table:
    """Read one sheet; its first row has the names unless `header` is False."""
    rows = _rows(bytes(data), name, sheet, limits or Limits())
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


def _rows(data: bytes, name: str, sheet: str | int, limits: Limits) -> list[list[Any]]:
    """Return the cells of a sheet.

    The sizes in an xlsx file are checked before it is read. Those of the other formats cannot be: they are read by a
    process of their own, which may use no more memory than the limit.
    """
    try:
        import python_calamine
    except ImportError:
        raise MissingDependencyError(
            f"{name} is a spreadsheet, and reading it needs python-calamine: pip install 'vaglio[excel]', "
            "or export the sheet as CSV."
        ) from None
    try:
        if data[:4] == b"PK\x03\x04" and b"xl/workbook.xml" in data:
            from vaglio.table.readers.sizes.excel_sizes import checked

            return rows_of(io.BytesIO(checked(data, name, limits)), sheet)
        from vaglio.table.readers.excel_child import rows_by_child

        return rows_by_child(data, name, sheet, limits)
    except NoSheet as error:
        near = did_you_mean(str(sheet), error.args, otherwise="it has", quoted=True)
        raise ReadError(f"{name} has no sheet {sheet!r}: {near}") from None
    except (python_calamine.CalamineError, OSError) as error:
        raise _unreadable(name, error) from None
    except BaseException as error:
        # A fault inside calamine is no Exception for Python.
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: BaseException) -> ReadError:
    return ReadError(f"{name} cannot be read as a spreadsheet ({clip(error, 80)}): save it again as xlsx.")


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
