"""Read spreadsheets (xlsx, xls, xlsb, ods) with python-calamine, an optional dependency.

A spreadsheet is a zip archive of XML parts. A few bytes can say that a sheet reaches to its last possible cell, that a
long string stands in every cell, or that a part unpacks to gigabytes, and calamine asks for all the memory at once. So
the sizes in an xlsx file are checked before it is read.
"""

from __future__ import annotations

import datetime
import decimal
import io
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np

from vaglio.errors import MissingDependencyError, ReadError
from vaglio.messages.message import text
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.runtime.installed import install_command
from vaglio.table._cell_format import CellFormat
from vaglio.table._column_names import by_column, renamed
from vaglio.table._numerals import is_numeral
from vaglio.table._table import Table
from vaglio.table._words import MISSING
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.csv import is_number
from vaglio.table.readers.excel_child import NoSheet, rows_of
from vaglio.table.readers.layout import find_heading, rows_of_table

# Attributes in quotes may contain a closing bracket.
_ATTRIBUTES = rb"""((?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+)"""
_PREFIX = rb"<(?:[\w.-]++:)?"
# A row or a cell, and the value of the cell if that comes next.
_CELL = re.compile(
    _PREFIX + rb"(row|c)(?=[\s/>])" + _ATTRIBUTES + rb">(?:\s*+" + _PREFIX + rb"v(?=[\s>])[^<>]*+>([^<]*+))?"
)
_PLACE = re.compile(rb"""\sr\s*+=\s*+["']([^"']*+)["']""")
_REFERENCE = re.compile(rb"([A-Za-z]{0,3})([0-9]{1,7})")
_SHARED = re.compile(rb"""\st\s*+=\s*+["']s["']""")
_STRING = re.compile(_PREFIX + rb"si(?=[\s/>])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?: |$)")
# Bytes that calamine and Python need for one cell.
_PER_CELL = 48
# Rows from which the lines of names are found.
_SAMPLE_ROWS = 200


def checked(data: bytes, name: str, limits: Limits) -> bytes:
    """Return the same workbook as an archive that is not compressed, of which every size has been checked.

    calamine then reads the bytes that were checked, whatever else the file may hold.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for errors.
    limits : Limits
        Those of cells, columns and bytes.
    """
    parts = _unpacked(data, name, limits)
    lengths = [_string_lengths(part) for part in parts.values()]
    strings = [max(found) for found in zip_longest(*lengths, fillvalue=0)]
    for part in parts.values():
        if b"sheetData" in part:
            _check_sheet(part, strings, name, limits)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for label, part in parts.items():
            archive.writestr(zipfile.ZipInfo(label), part)
    return out.getvalue()


def _unpacked(data: bytes, name: str, limits: Limits) -> dict[str, bytes]:
    parts: dict[str, bytes] = {}
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                # Pictures are not read. A size in the directory is an upper bound: reading stops there.
                if not entry.filename.lower().endswith((".xml", ".rels")):
                    continue
                size += entry.file_size
                limits.check_bytes(name, size)
                parts[entry.filename] = archive.read(entry)
    except ReadError:  # of a limit; it is a ValueError, too
        raise
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        raise ReadError(
            "damaged-spreadsheet",
            "{name} is a spreadsheet but damaged ({reason}). Download it or save it again.",
            name=name,
            reason=clip(error, 80),
        ) from None
    for label, part in parts.items():
        if b"\0" in part:
            raise ReadError(
                "damaged-spreadsheet",
                "{name} is a spreadsheet but damaged ({reason}). Download it or save it again.",
                name=name,
                reason=text("{part} is not UTF-8 text", part=label),
            )
    return parts


def _string_lengths(part: bytes) -> list[int]:
    """Return about how long each shared string is."""
    starts = [found.start() for found in _STRING.finditer(part)]
    return [end - start for start, end in zip(starts, [*starts[1:], len(part)])]


def _check_sheet(part: bytes, strings: list[int], name: str, limits: Limits) -> None:
    """Refuse a sheet that is too large once its cells are laid out in rows and columns."""
    row = column = 0
    lowest_row = lowest_column = 1 << 30
    highest_row = highest_column = 0
    used: Counter[bytes] = Counter()
    for found in _CELL.finditer(part):
        tag, attributes, value = found.groups()
        place = _PLACE.search(attributes)
        if tag == b"row":
            # calamine counts from the last row or cell where no place is given.
            row, column = (int(_reference(place[1], name)[2]) if place else row + 1), 0
            continue
        column += 1
        if place:
            letters, number = _reference(place[1], name).groups()
            row, column = int(number), _column(letters)
        lowest_row, highest_row = min(lowest_row, row), max(highest_row, row)
        lowest_column, highest_column = min(lowest_column, column), max(highest_column, column)
        if _SHARED.search(attributes):
            used[value or b""] += 1
    if highest_row or highest_column:
        rows, columns = highest_row - lowest_row + 1, highest_column - lowest_column + 1
        limits.check_shape(text("a sheet of {name}", name=name), rows, columns)
        limits.check_bytes(name, rows * columns * _PER_CELL)
    limits.check_bytes(name, sum(times * _length(index, strings) for index, times in used.items()))


def _reference(place: bytes, name: str) -> re.Match[bytes]:
    found = _REFERENCE.fullmatch(place)
    if found is None:
        raise ReadError(
            "damaged-spreadsheet",
            "{name} is a spreadsheet but damaged ({reason}). Download it or save it again.",
            name=name,
            reason=text("{place} is not the place of a cell", place=repr(place[:20])),
        )
    return found


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _length(index: bytes, strings: list[int]) -> int:
    known = index.strip()
    if known.isdigit() and len(known) < 10 and int(known) < len(strings):
        return strings[int(known)]
    return max(strings, default=0)


def read_excel(
    data: Any,
    name: str,
    sheet: str | int = 0,
    header: bool | None = None,
    limits: Limits | None = None,
    *,
    like: Mapping[str, CellFormat] | None = None,
    rename: Mapping[str, str] | None = None,
    footer: bool = True,
) -> Table:
    """Read one sheet, as :func:`vaglio.read` does."""
    rows = _rows(bytes(data), name, sheet, limits or Limits())
    filled = [at for at, row in enumerate(rows) if any(_word(cell) for cell in row)]
    if not filled:
        raise ReadError("sheet-without-rows", "{name}: the sheet has no rows below its column names.", name=name)
    words = [[_word(cell) for cell in rows[at]] for at in filled[:_SAMPLE_ROWS]]
    heading = find_heading(words, _is_quantity, MISSING, header, like or ())
    above = heading.above + heading.lines
    body, below = rows_of_table(rows[filled[above] :] if above < len(filled) else [], len(heading.names), footer=footer)
    if not body:
        raise ReadError("sheet-without-rows", "{name}: the sheet has no rows below its column names.", name=name)
    heading.refuse_duplicates(name)
    wanted = by_column(like or {}, renamed(heading.names, rename))
    known = {name: wanted[new] for name, new in zip(heading.names, renamed(heading.names, rename)) if new in wanted}
    cells_of = zip(heading.names, zip(*body))
    table = Table.from_any({label: _one_type(list(cells), known.get(label)) for label, cells in cells_of})
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
            "excel-not-installed",
            "{name} is a spreadsheet, and reading it needs python-calamine. Run {install}, or export the sheet as CSV.",
            name=name,
            install=install_command("excel"),
        ) from None
    try:
        if is_xlsx(data):
            return rows_of(io.BytesIO(checked(data, name, limits)), sheet)
        from vaglio.table.readers.excel_child import rows_by_child

        return rows_by_child(data, name, sheet, limits)
    except NoSheet as error:
        near = did_you_mean(str(sheet), error.args, otherwise=text("it has"), quoted=True)
        raise ReadError(
            "unknown-sheet", "{name} has no sheet {sheet!r}: {hint}", name=name, sheet=sheet, hint=near
        ) from None
    except (python_calamine.CalamineError, OSError) as error:
        raise _unreadable(name, error) from None
    except BaseException as error:
        # A fault inside calamine is no Exception for Python.
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable(name, error) from None


def is_xlsx(data: bytes) -> bool:
    """Return whether bytes are an xlsx file, whose sizes can be checked."""
    return data[:4] == b"PK\x03\x04" and b"xl/workbook.xml" in data


def _unreadable(name: str, error: BaseException) -> ReadError:
    return ReadError(
        "unreadable-spreadsheet",
        "{name} cannot be read as a spreadsheet ({reason}). Save it again as xlsx.",
        name=name,
        reason=clip(error, 80),
    )


def _word(cell: Any) -> str:
    """Return a cell as the word that was written."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _is_quantity(word: str) -> bool:
    """Return whether a word is a number or a date, which a sheet stores as one."""
    return is_number(word) or _DATE.match(word) is not None


def _one_type(cells: list[Any], like: CellFormat | None) -> list[Any]:
    """Return cells of one type: empty ones as None, and values of several types as the words that were written.

    Beside words that are numbers, a number has no decimal mark: it is that number, whatever the mark of the words is.
    """
    cells = [None if not _word(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) < 2 or kinds <= {int, float}:
        return cells
    if kinds == {datetime.date, datetime.datetime}:
        midnight = datetime.time()
        return [datetime.datetime.combine(cell, midnight) if type(cell) is datetime.date else cell for cell in cells]
    words = [cell.strip() for cell in cells if isinstance(cell, str)]
    if like is None:
        of_numbers = bool((is_numeral(words) | np.isin(words, MISSING)).all())
    else:
        of_numbers = like.kind in ("numeric", "date") or like.form == "number"
    spelled = _digits if of_numbers else _word
    return [cell if cell is None else spelled(cell) for cell in cells]


def _digits(cell: Any) -> str:
    """Return a number as digits and a power of ten, which every country reads alike; other cells as words."""
    if not isinstance(cell, float) or cell.is_integer() or not math.isfinite(cell):
        return _word(cell)
    sign, digits, power = decimal.Decimal(repr(cell)).as_tuple()
    return f"{'-' * sign}{''.join(map(str, digits))}e{power}"
