"""What a cell became, judged by its text: a number in another spelling, a date, a word, or nothing."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from dateutil import parser

from tools.cells.text import TextTable
from vaglio.table import Column, Table

_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
# A number with a currency or unit around it, or in brackets; the sign may stand on either side of the currency.
_DRESSED = re.compile(r"(?P<open>\(?)(?P<before>[^\d.,]*)(?P<body>[\d.,'’\s]*\d[.,]?)(?P<after>[^\d]*\d?)")
_DAY = 86_400_000_000
# What needs no judgement: the value is that of the text, by other code than vaglio's.
SAME = frozenset(("number", "word", "empty", "missing", "marks", "unit", "date", "time", "true or false"))
USUAL = frozenset(("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A"))


class Difference(NamedTuple):
    """Cells of a column that became something else than their text says.

    Attributes
    ----------
    what : str
        "lost", "other number", "other word", "names", "rows", "refused", …
    column : str
    shown : str
        The first cell, and what it became.
    n : int
        How many cells.
    """

    what: str
    column: str
    shown: str
    n: int


def of_cells(table: Table, text: TextTable, counted: Counter[str]) -> Iterator[Difference]:
    """Compare each cell of a table that was read with its text; count the cells by what they became.

    Parameters
    ----------
    table : Table
    text : TextTable
        The same file.
    counted : Counter
        Gets the number of cells of each kind.
    """
    if [*table.columns] != text.names:
        yield Difference("names", "", f"{text.names[:6]} -> {[*table.columns][:6]}", len(text.names))
    if len(table) != len(text.rows):
        yield Difference("rows", "", f"{len(text.rows)} -> {len(table)}; last: {text.rows[-1][:4]}", 1)
        return
    for at, name in enumerate(table.columns):
        column = table.column(name)
        pairs = Counter(zip(text.column(at), map(_hashable, _values(column))))
        found: dict[str, list[tuple[str, Any, int]]] = {}
        for (cell, value), n in pairs.items():
            what = _became(cell, value, column)
            counted[what] += n
            if what not in SAME:
                found.setdefault(what, []).append((cell, value, n))
        for what, cells in found.items():
            if what == "lost":
                what = _how_lost(cells, name, table.remarks)
            shown = ", ".join(f"{cell!r} -> {value!r}" for cell, value, _ in cells[:3])
            yield Difference(what, name, shown, sum(n for *_, n in cells))


def _how_lost(cells: list[tuple[str, Any, int]], column: str, remarks: Iterable[str]) -> str:
    """Return whether a remark names the column and one of the cells; the words for "missing" are named, too."""
    # An infinite number is named as a number, whatever its spelling.
    of_column = [remark.casefold() for remark in remarks if repr(column) in remark]
    named = any(repr(cell).casefold() in remark for cell, *_ in cells for remark in of_column)
    every = all(any(repr(cell).casefold() in remark for remark in of_column) for cell, *_ in cells)
    return "missing words, all named" if every else "lost cells, some named" if named else "lost, not named"


def _values(column: Column) -> list[Any]:
    """Return numbers as floats, NaN as None: exact integers as they are, dates as days."""
    if column.kind == "numeric" and column.exact is None:
        return [None if value != value else value for value in column.data.tolist()]
    values: list[Any] = (column if column.exact is None else column.exact).values.tolist()
    return values


def _hashable(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _became(cell: str, value: Any, column: Column) -> str:
    plain = _PLAIN.fullmatch(cell) is not None
    if value is None:
        return "empty" if cell == "" else "missing" if cell in USUAL else "lost"
    if isinstance(value, str):
        return "word" if value.strip() == cell or f'="{value}"' == cell else "other word"
    if isinstance(value, bool):
        return "true or false" if cell.lower() == str(value).lower() else "other word"
    if column.is_date:
        # What is smaller than a microsecond is left out.
        return "date" if any(abs(value * _DAY - each) <= 1 for each in _moments(cell)) else "other date"
    if plain:
        same = int(cell) == value if re.fullmatch(r"[-+]?\d+", cell) else float(cell) == value
        # More digits than a float has are those of the nearest float.
        return "number" if same or float(cell) == value else "other number"
    if clock := _CLOCK.fullmatch(cell):
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return "time" if value == 3600 * hours + 60 * minutes + seconds else "other number"
    return _dressed(cell, value)


def _dressed(cell: str, value: float) -> str:
    found = _DRESSED.fullmatch(cell)
    if found is None:
        return "other number"
    body = re.sub(r"['’\s]", "", found["body"])
    readings = {body.replace(",", ""), body.replace(".", "").replace(",", ".")}
    sign = -1.0 if found["open"] or re.search(r"[-−–]", found["before"]) else 1.0
    numbers = {sign * float(each) for each in readings if _PLAIN.fullmatch(each)}
    if value not in numbers:
        return "other number"
    return "unit" if found["before"].strip("-−– ") or found["after"].strip() else "marks"


def _moments(cell: str) -> set[float]:
    """Return the microseconds since 1970 that a date can mean: the day, or the month, first."""
    found = set()
    iso = re.match(r"\d{4}", cell) is not None
    for dayfirst in (False,) if iso else (True, False):
        with contextlib.suppress(ValueError, OverflowError):
            stamp = parser.parse(cell, dayfirst=dayfirst, yearfirst=iso)
            stamp = stamp.astimezone(UTC).replace(tzinfo=None) if stamp.tzinfo else stamp
            found.add((stamp - datetime(1970, 1, 1)) / timedelta(microseconds=1))
    return found
