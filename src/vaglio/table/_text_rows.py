"""Rows as delimited text: new columns beside cells that keep the text they had, in the style of their file."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from vaglio.errors import InputError
from vaglio.messages.locale import Locale
from vaglio.messages.printable import FORMULA
from vaglio.table._cell_format import CellFormat
from vaglio.table._column import Column
from vaglio.table._frames import table_to_arrow
from vaglio.table._table import Table
from vaglio.table._words import plain_word
from vaglio.table._written import TextStyle
from vaglio.table.readers.source import MIXED

__all__ = ["TextRows", "free_name", "whole_days"]

_DAY_SECONDS = 86_400
# A cell that is a number is no formula, though it starts with a sign.
_NUMBER = r"^[-+]?[\s€$£¥%‰\d.,'’]*$"
# Decimals of a number that people read.
_DIGITS = 4


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name for a further column: one that the table has already gets a number, name_2, name_3 …"""
    free, count, known = name, 1, set(taken)
    while free in known:
        count += 1
        free = f"{name}_{count}"
    return free


def whole_days(frame: pa.Table) -> pa.Table:
    """Return a table in which a column of times that are all midnights holds days."""
    for at, column in enumerate(frame.columns):
        if pa.types.is_timestamp(column.type) and column.type.tz is None:
            days = column.cast(pa.date32(), safe=False)
            if pc.all(pc.equal(days.cast(column.type), column)).as_py() in (True, None):
                frame = frame.set_column(at, frame.schema.field(at).name, days)
    return frame


@dataclass(frozen=True)
class TextRows:
    """Write rows as delimited text.

    Attributes
    ----------
    style : TextStyle
    guarded : bool
        Put an apostrophe before words that a spreadsheet would run as a formula.
    locale : Locale or None
        Of the people who read the text in a spreadsheet: numbers are rounded, dates as the language writes them.
    """

    style: TextStyle
    guarded: bool = False
    locale: Locale | None = None

    @cached_property
    def _encoder(self) -> Any:
        # What is not UTF-8 throughout is cp1252 wherever that has the letter, and read back by the same rule.
        name = "cp1252" if self.style.encoding == MIXED else self.style.encoding
        return codecs.getincrementalencoder(name)("utf-8-for-others" if self.style.encoding == MIXED else "strict")

    def _encoded(self, written: str) -> bytes:
        try:
            return bytes(self._encoder.encode(written))
        except UnicodeEncodeError as error:
            raise InputError(
                "letter-not-in-encoding",
                "The table is written in {encoding}, which has no {letter!r}. Write a .parquet or .jsonl file, or "
                "convert the table to UTF-8.",
                encoding=self.style.encoding,
                letter=error.object[error.start],
            ) from None

    def names(self, rows: Table | pa.Table, further: Mapping[str, Any]) -> list[str]:
        """Return the names of all columns, those of the text the rows came from as it has them."""
        names = list(rows.columns if isinstance(rows, Table) else rows.column_names)
        if isinstance(rows, Table) and rows.written is not None:
            names = list(rows.written.names)
        for name in further:
            names.append(free_name(name, names))
        return names

    def header(self, names: Sequence[str]) -> bytes:
        """Return the line of names."""
        line = io.StringIO()
        csv.writer(line, delimiter=self.style.delimiter, lineterminator=self.style.line_end).writerow(names)
        return self._encoded(line.getvalue())

    def lines(self, rows: Table | pa.Table, further: Mapping[str, Any]) -> bytes:
        """Return the lines of some rows, with further columns behind them."""
        cells = self._cells(rows)
        added = pa.table({str(at): pa.array(values) for at, values in enumerate(further.values())})
        columns = [*cells, *map(self._words, added.columns)]
        n = len(rows)
        if not n or not columns:
            return b""
        quoted = [self._quoted(_one(column)) for column in columns]
        mark = pa.scalar(self.style.delimiter, pa.large_string())
        lines = pc.binary_join_element_wise(*quoted, mark, null_handling="replace", null_replacement="")
        end = self.style.line_end
        return self._encoded(end.join(lines.to_pylist()) + end)

    def _cells(self, rows: Table | pa.Table) -> list[Any]:
        if not isinstance(rows, Table) or rows.written is None:
            frame = rows if isinstance(rows, pa.Table) else table_to_arrow(rows)
            return [self._words(column) for column in whole_days(frame).columns]
        words = zip(rows._columns.values(), rows.written.cells.columns)
        if self.locale is None:
            return [self._guarded(cells) for _, cells in words]
        return [self._guarded(self._in_style(column, cells)) for column, cells in words]

    def _in_style(self, column: Column, cells: Any) -> Any:
        """Return the cells of a column, point and comma exchanged where they would be other numbers in this style."""
        known = replace(CellFormat.of(column), decimal=self.style.decimal)
        if column.kind != "numeric" or known.what != "number":
            return cells
        words = pc.unique(cells).drop_null().to_pylist()
        values = dict(zip(words, known.values([*map(plain_word, words)]).tolist()))
        pairs = zip(cells.to_pylist(), column.data.tolist())
        alike = [value != value or values.get(word, value) == value for word, value in pairs]
        return pc.if_else(pa.array(alike, pa.bool_()), cells, _other_marks(cells))

    def _words(self, column: Any) -> Any:
        """Return values as words in this style."""
        kind = column.type
        if pa.types.is_dictionary(kind):
            return self._words(column.cast(kind.value_type))
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return self._guarded(column.cast(pa.large_string()))
        if pa.types.is_date(kind) and self.locale is not None:
            days = [None if day is None else self.locale.date(day) for day in column.to_pylist()]
            return pa.array(days, pa.large_string())
        if pa.types.is_floating(kind):
            numbers = pc.round(column, _DIGITS) if self.locale is not None else column
            words = numbers.cast(pa.large_string())
            return pc.replace_substring(words, ".", self.style.decimal) if self.style.decimal != "." else words
        return column.cast(pa.large_string())

    def _guarded(self, column: Any) -> Any:
        if not self.guarded:
            return column
        formula = pc.fill_null(pc.match_substring_regex(column, FORMULA), False)
        number = pc.fill_null(pc.match_substring_regex(column, _NUMBER), False)
        marked = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
        return pc.if_else(pc.and_(formula, pc.invert(number)), marked, column)

    def _quoted(self, column: Any) -> Any:
        special = pc.match_substring_regex(column, f'["\r\n{self.style.delimiter}]')
        if not pc.any(special).as_py():
            return column
        doubled = pc.replace_substring(column, '"', '""')
        mark, none = pa.scalar('"', pa.large_string()), pa.scalar("", pa.large_string())
        return pc.if_else(special, pc.binary_join_element_wise(mark, doubled, mark, none), column)


def _one(column: Any) -> Any:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.cast(pa.large_string())


def _other_marks(column: Any) -> Any:
    """Return numbers with point and comma exchanged; words for a missing value have no digit."""
    held = pc.replace_substring(column, ".", "\0")
    exchanged = pc.replace_substring(pc.replace_substring(held, ",", "."), "\0", ",")
    return pc.if_else(pc.match_substring_regex(column, r"\d"), exchanged, column)


def _utf8_for_others(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return error.object[error.start : error.end].encode(), error.end


codecs.register_error("utf-8-for-others", _utf8_for_others)
