"""A table whose columns are files mapped into memory: the system reads the pages that are used, and drops them again.

What looks at columns one after the other (an audit, an exploration) works on it as on any table, with the same result.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.encode import natural_order
from vaglio.engines.sources import is_out_of_core, source_of
from vaglio.engines.survey import MOST_CATEGORIES
from vaglio.engines.work_settings import present_settings
from vaglio.errors import InputError
from vaglio.messages.message import Option, text
from vaglio.runtime.memory import resident_memory
from vaglio.runtime.progress import reporting
from vaglio.table import KIND_WORDS, Column, Table
from vaglio.typing import TableSource

# What an audit or an exploration holds of each row at a time: copies of a few columns, sorted, and fingerprints.
_BYTES_PER_ROW = 64


def table_of(source: TableSource, like: Table | None = None) -> Any:
    """Return the rows of a scanned table or of a Dask frame as a table on disk; anything else is returned as it is.

    Parameters
    ----------
    source : ScannedTable, Dask frame, or anything else
    like : Table, optional
        Its columns say the level, the role and the unit of those of the same name and kind.
    """
    if not is_out_of_core(source):
        return source
    settings, rows = present_settings(), source_of(source)
    known = rows.known_rows
    _refuse_too_many(known or 0, settings.memory)
    with reporting(settings.progress) as report:
        table = mapped_table(
            rows.tables(_itself),
            like=like,
            folder=settings.spill,
            told=lambda n: report(n, max(known or 0, n), text("reading")),
        )
    if not table.columns or not len(table):
        raise InputError("table-without-rows", "The table has no rows.")
    _refuse_too_many(len(table), settings.memory)
    return table


def _itself(table: Table) -> Table:
    return table


def _refuse_too_many(rows: int, memory: int) -> None:
    held = resident_memory()
    least = held + rows * _BYTES_PER_ROW
    if least > memory:
        raise InputError(
            "memory-limit-for-rows",
            "{rows:,} rows need {least:,} MB to be read column by column, and the limit is {limit:,} MB. Raise the "
            "limit, or take a sample of the rows.",
            rows=rows,
            least=(least >> 20) + 1,
            limit=memory >> 20,
        )


def mapped_table(
    tables: Iterable[Table],
    *,
    like: Table | None = None,
    folder: Path | None = None,
    told: Callable[[int], None] | None = None,
) -> Table:
    """Write the columns of tables that follow each other to files, and return them as one table.

    The files have no names, so that they are gone when the table is.

    Parameters
    ----------
    tables : iterable of Table
        Their columns have the same names.
    like : Table, optional
        Its columns say the level, the role and the unit of those of the same name and kind.
    folder : Path, optional
        Where the files are made; by default in that of temporary files.
    told : callable, optional
        Is told how many rows were written.

    Examples
    --------
    >>> from vaglio.engines.mapped_table import mapped_table
    >>> from vaglio.table import Table
    >>> parts = [Table.from_any({"n": [1.0, 2.0], "w": ["b", None]}), Table.from_any({"n": [None], "w": ["a"]})]
    >>> whole = mapped_table(parts)
    >>> whole["w"].tolist(), whole.column("w").categories
    (['b', None, 'a'], ('a', 'b'))
    """
    growing: dict[str, _Growing] = {}
    rows = 0
    for table in tables:
        for name in table.columns:
            growing.setdefault(name, _Growing(name, folder)).add(table.column(name).without_infinite(), rows)
        rows += len(table)
        if told is not None:
            told(rows)
    return Table([column.whole(rows, None if like is None else _of(like, column.name)) for column in growing.values()])


def _of(like: Table, name: str) -> Column | None:
    return like.column(name) if name in like else None


class _Growing:
    """One column on its way to a file.

    Its kind is that of the first chunk that has a value; a chunk without any may be of another kind.
    """

    def __init__(self, name: str, folder: Path | None) -> None:
        self.name = name
        self._file = _made(folder)
        self._first: Column | None = None
        self._codes: dict[Any, int] = {}
        self._declared = True
        self._unread: list[tuple[np.ndarray, np.ndarray]] = []
        self._rows = 0

    def add(self, column: Column, start: int) -> None:
        if column.unread is not None:
            at = np.flatnonzero(~column.unread.missing)
            self._unread.append((at + start, column.unread.values[at]))
        if column.missing.all():
            return
        if self._first is None:
            self._first = column
        if column.kind != self._first.kind:
            raise InputError(
                "kinds-differ-by-rows",
                "Column {column!r} is {first} in some rows and {second} in others. Write all parts with the same "
                "types.",
                column=self.name,
                first=KIND_WORDS[self._first.kind],
                second=KIND_WORDS[column.kind],
            )
        self._fill(start)
        self._declared &= column.declared and column.categories == self._first.categories
        self._write(column.data if column.kind == "numeric" else self._translated(column))

    def _translated(self, column: Column) -> np.ndarray:
        """Return codes into the values of all chunks so far."""
        if column.kind == "text":
            values = [None if value is None else self._code(value) for value in column.data.tolist()]
            return np.array([-1 if code is None else code for code in values], dtype=np.int32)
        seen = np.flatnonzero(np.bincount(column.data + 1, minlength=len(column.categories) + 1)[1:])
        lookup = np.full(len(column.categories) + 1, -1, dtype=np.int32)
        for code in range(len(column.categories)) if self._declared else seen:
            lookup[code] = self._code(column.categories[code])
        found: np.ndarray = lookup[column.data]
        return found

    def _code(self, value: object) -> int:
        # 1 == True == 1.0 in Python, but they are different categories.
        code = self._codes.setdefault((type(value), value), len(self._codes))
        if code >= MOST_CATEGORIES:
            raise InputError(
                "too-many-categories",
                "Column {column!r} has more than {most:,} categories. It is an identifier or free text; leave it out.",
                column=self.name,
                most=MOST_CATEGORIES,
            )
        return code

    def _fill(self, rows: int) -> None:
        """Write missing values up to a row: chunks without any value were not written."""
        assert self._first is not None
        absent = np.nan if self._first.kind == "numeric" else -1
        while self._rows < rows:
            self._write(np.full(min(rows - self._rows, 1 << 16), absent))

    def _write(self, data: np.ndarray) -> None:
        assert self._first is not None
        stored = np.ascontiguousarray(data, dtype=np.float64 if self._first.kind == "numeric" else np.int32)
        try:
            self._file.write(stored.data)
        except OSError as error:
            raise _cannot_write(error, self._rows) from None
        self._rows += len(stored)

    def whole(self, rows: int, like: Column | None) -> Column:
        """Return the column of all rows."""
        if self._first is None:
            return Column.numeric(self.name, np.full(rows, np.nan), unread=self._whole_unread(rows))
        self._fill(rows)
        numeric = self._first.kind == "numeric"
        try:
            self._file.flush()
            data = np.memmap(self._file, np.float64 if numeric else np.int32, mode="r+", shape=(rows,))
        except OSError as error:
            raise _cannot_write(error, rows) from None
        categories = () if numeric else self._in_order(data)
        self._file.close()  # the map holds the file
        found = self._first.replace(
            data=np.asarray(data),
            kind="numeric" if numeric else "nominal",
            categories=categories,
            declared=self._declared,
            unread=self._whole_unread(rows),
        )
        if like is None:
            return found
        if like.kind != found.kind or like.is_date != found.is_date:
            return found.replace(role=like.role)
        shown = {name: getattr(like, name) for name in ("level", "role", "asymmetric", "unit", "storage")}
        return found.replace(**shown)

    def _in_order(self, data: np.ndarray) -> tuple[Any, ...]:
        """Return the categories in the order that a table in memory has, and give the rows their codes."""
        values = [value for _, value in self._codes]
        assert self._first is not None
        if self._declared and self._first.kind == "nominal":
            return tuple(self._first.categories)
        words = all(isinstance(value, str) for value in values)
        order = sorted(range(len(values)), key=values.__getitem__ if words else lambda at: natural_order(values[at]))
        if order != list(range(len(values))):
            lookup = np.full(len(values) + 1, -1, dtype=np.int32)
            lookup[order] = np.arange(len(values))
            for at in range(0, len(data), 1 << 20):
                data[at : at + (1 << 20)] = lookup[data[at : at + (1 << 20)]]
        return tuple(values[at] for at in order)

    def _whole_unread(self, rows: int) -> Column | None:
        if not self._unread:
            return None
        words = sorted({str(word) for _, found in self._unread for word in found})
        code_of = {word: code for code, word in enumerate(words)}
        codes = np.full(rows, -1, dtype=np.int32)
        for at, found in self._unread:
            codes[at] = [code_of[str(word)] for word in found]
        return Column.nominal(self.name, codes, words)


def _made(folder: Path | None) -> Any:
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=folder, prefix="vaglio-")
    except OSError as error:
        raise InputError(
            "temporary-file-not-made",
            "No temporary file can be created in {folder} ({reason}). Name another folder with {spill} or TMPDIR.",
            folder=folder or tempfile.gettempdir(),
            reason=error.strerror,
            spill=Option("spill"),
        ) from None


def _cannot_write(error: OSError, rows: int) -> InputError:
    why = text("the disk is full") if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror
    return InputError(
        "temporary-file-not-written",
        "The columns of the table cannot be written to a temporary file ({reason}, after {rows:,} rows). Name a "
        "folder with more space with {spill} or TMPDIR.",
        reason=why,
        rows=rows,
        spill=Option("spill"),
    )
