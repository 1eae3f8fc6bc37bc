"""Read a table larger than memory chunk by chunk, every chunk with the same types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa

from vaglio.errors import DataWarning, InputError, ReadError, warn
from vaglio.messages.message import text
from vaglio.messages.options import as_missing
from vaglio.table._arrow import column_from_arrow, numbers_from_arrow
from vaglio.table._cell_format import CellFormat, Unread
from vaglio.table._column import Column
from vaglio.table._column_names import by_column
from vaglio.table._convert import as_nominal
from vaglio.table._infer import Clues, infer
from vaglio.table._table import Table
from vaglio.table._words import MISSING, tidy
from vaglio.table._written import Written
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.csv import clues_of
from vaglio.table.readers.stream import open_batches
from vaglio.typing import TableSource

# Rows of a chunk, unless another number is given.
_ROWS = 65_536


def read_chunks(
    source: TableSource,
    rows: int = _ROWS,
    like: Any = None,
    *,
    missing: Sequence[str] = MISSING,
    header: bool | None = None,
    footer: bool = True,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dayfirst: bool | None = None,
    keep_words: Mapping[str, Iterable[str]] | None = None,
    rename: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
    as_written: bool = False,
) -> Iterator[Table]:
    """Read a table chunk by chunk, every chunk with the same types.

    CSV, Parquet and JSON lines are streamed, also from gzip and standard input; other formats are read whole and
    cut. No column is left out and no role is inferred.

    Parameters
    ----------
    source : path, "-" or open binary file
        "-" is standard input.
    rows : int, default=65536
        Rows per chunk; the last may have fewer.
    like : Table, mapping or sequence, optional
        The columns to expect: a Table, column -> how it is read as in :func:`vaglio.read`, or for each column a tuple
        (name, kind) or (name, kind, categories). Kinds are "numeric", "nominal", "ordinal", "text" and "date". Values
        outside given categories become missing. Columns not named stay as they are; without `like`, the rules of
        :func:`vaglio.read` decide by the first 65536 rows, or by the first chunk if it has more.
    missing, header, footer, delimiter, decimal, encoding, dayfirst, keep_words, rename, limits
        As in :func:`vaglio.read`; notes and totals below the table are left out of a file, not of a pipe.
    as_written : bool, default=False
        Keep the cells of delimited text as they are, too, so that :class:`~vaglio.table.TableWriter` writes them again.

    Yields
    ------
    Table

    Examples
    --------
    >>> import io
    >>> from vaglio.table import read_chunks
    >>> text = io.BytesIO(b"a,b\\n1,x\\n2,y\\n3,x\\n")
    >>> [len(chunk) for chunk in read_chunks(text, rows=2, like=[("a", "numeric"), ("b", "nominal", ("x", "y"))])]
    [2, 1]
    """
    if rows < 1:
        raise InputError("chunk-without-rows", "A chunk must have at least one row, not {rows}.", rows=rows)
    kept = keep_words or {}
    expected = _expected(like, decimal, dayfirst, missing, kept)
    options = {"missing": missing, "header": header, "footer": footer, "delimiter": delimiter, "decimal": decimal}
    allowed = Limits.given(limits)
    # The first rows decide of all: as many of them as there are in a chunk of the usual size.
    at_once = rows if expected or limits is not None else max(rows, _ROWS)
    known = {column: each.cell_format for column, each in expected.items()}
    name, batches, dialect = open_batches(source, at_once, encoding, options, allowed, known, rename)
    clues = Clues(decimal, None, dayfirst, keep_words=kept)
    clues = clues if dialect is None else clues_of(dialect, clues)
    done = 0
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for batch in _exactly(batches, at_once):
        of_batch = by_column(expected, batch.columns if isinstance(batch, Table) else batch.column_names)
        table = batch if isinstance(batch, Table) else _columns(batch, of_batch)
        allowed.check_words(name, table._columns.values())
        columns = list(table._columns.values())
        if not expected:
            columns, _ = infer(columns, missing=missing, clues=clues)
            columns = [column.replace(role="input") for column in columns]
            expected = {column.name: _Expected.of(column).inferred() for column in columns}
            for column in columns:  # the rows that rules inferred from are rows of the table, too
                tallies[column.name].present += len(column) - column.n_missing
        else:
            columns = [_typed(each, of_batch.get(each.name), name, done, tallies[each.name]) for each in columns]
        typed = Table(columns, sparse=table.sparse)
        if as_written and dialect is not None:
            marks = [each.decimal or each.written for each in known.values() if not each.provisional]
            typed.written = Written(batch, dialect.style(decimal or marks), dialect.titles or dialect.names)
        for start in range(0, len(typed), rows):
            yield typed[start : start + rows] if len(typed) > rows else typed
        done += len(typed)
    if not done:
        raise ReadError("file-without-rows", "{name} has no rows.", name=name)


class _Expected(NamedTuple):
    """How a column is read; its categories, if no others count."""

    cell_format: CellFormat
    categories: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, column: Column, declared: bool = True) -> _Expected:
        # Undeclared categories are only those of the first rows: later ones may have others.
        closed = column.declared or not declared
        return cls(CellFormat.of(column), column.categories or None if closed else None)

    def inferred(self) -> _Expected:
        """Return what rules inferred from the first rows, for the further ones."""
        return self._replace(cell_format=replace(self.cell_format, provisional=True))


def _expected(
    like: Any,
    decimal: str | None,
    dayfirst: bool | None,
    missing: Sequence[str],
    kept: Mapping[str, Iterable[str]],
) -> dict[str, _Expected]:
    if like is None:
        return {}
    if isinstance(like, Table):
        found = {name: _Expected.of(like.column(name), declared=False) for name in like.columns}
    elif isinstance(like, Mapping):
        found = {name: _Expected(CellFormat.given(each)) for name, each in like.items()}
    else:
        found = {name: _Expected(CellFormat.given(kind), *categories) for name, kind, *categories in like}
    for name, each in found.items():
        cell_format = each.cell_format.told(decimal, dayfirst, missing)
        if each.categories:
            cell_format = cell_format.with_categories(each.categories)
        if name in kept:
            cell_format = replace(cell_format, keep=tuple(kept[name]))
        found[name] = each._replace(cell_format=cell_format)
    return found


@dataclass
class _Tally:
    """The cells of a column so far: those that are not missing, and those among them that are not what it holds."""

    present: int = 0
    wrong: int = 0
    first: tuple[int, str] = (0, "")

    def add(self, column: Column, unread: Unread | None, done: int) -> None:
        self.present += len(column) - column.n_missing + (0 if unread is None else unread.n)
        if unread is not None:
            row, cell = unread.first
            self.first = self.first if self.wrong else (done + row + 1, cell)
            self.wrong += unread.n


def _typed(column: Column, expected: _Expected | None, name: str, done: int, tally: _Tally) -> Column:
    if expected is None:
        return tidy(column, MISSING).column
    cell_format, categories = expected
    try:
        found, unread = cell_format.read(column)
        tally.add(found, unread, done)
        if unread is not None:
            _say(unread, column.name, cell_format, name, done, tally)
        if not categories:
            return found
        return as_nominal(found, categories).replace(level="ordinal" if cell_format.kind == "ordinal" else "nominal")
    except InputError as error:
        if isinstance(error, ReadError):
            raise
        first, last = done + 1, done + len(column)
        rows = text("{name}, rows {first:,} to {last:,}", name=name, first=first, last=last)
        raise ReadError(error.at(rows).message) from None


def _say(unread: Unread, column: str, cell_format: CellFormat, name: str, done: int, tally: _Tally) -> None:
    """Warn of the cells that are not what the column holds, or refuse them."""
    values: dict[str, Any] = {"name": name, "column": column, "expected": cell_format.expected}
    if cell_format.refuses(tally.wrong, tally.present):
        row, cell = tally.first
        raise ReadError(
            "cell-not-number-in-stream",
            "{name}, row {row:,}, column {column!r}: {cell!r} is not {expected}.{why} Correct it, or make it missing "
            "({missing}).",
            row=row,
            cell=cell,
            missing=as_missing(cell),
            why=cell_format.why(cell),
            **values,
        )
    row, cell = unread.first
    values |= {"row": done + row + 1, "cell": cell}
    if unread.n > 1:
        told = DataWarning(
            "cells-not-numbers-in-stream",
            "{name}, row {row:,}, column {column!r}: {cell!r} is not {expected} and counts as missing, like {n:,} "
            "further {n:cell|cells}.",
            n=unread.n - 1,
            **values,
        )
    else:
        told = DataWarning(
            "cell-not-number-missing",
            "{name}, row {row:,}, column {column!r}: {cell!r} is not {expected} and counts as missing.",
            **values,
        )
    warn(told)


def _columns(batch: pa.Table, expected: Mapping[str, _Expected]) -> Table:
    columns = []
    for at, name in enumerate(batch.column_names):
        array = batch.column(at)
        known = numbers_from_arrow(name, array, expected[name].cell_format) if name in expected else None
        columns.append(known or column_from_arrow(name, array))
    return Table(columns)


def _exactly(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """Cut and join Arrow batches into chunks of exactly this many rows; Tables pass unchanged."""
    held: list[pa.RecordBatch] = []
    n_held = 0
    for batch in batches:
        if isinstance(batch, Table):
            yield batch
            continue
        at = 0
        while at < batch.num_rows:
            part = batch.slice(at, rows - n_held)
            held.append(part)
            n_held += part.num_rows
            at += part.num_rows
            if n_held == rows:
                yield pa.Table.from_batches(held)
                held, n_held = [], 0
    if held:
        yield pa.Table.from_batches(held)
