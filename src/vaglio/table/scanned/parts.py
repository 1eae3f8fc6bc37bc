"""Parts of tables on disk: a file, or some row groups of a Parquet file, read chunk by chunk."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vaglio.errors import InputError, ReadError
from vaglio.messages.message import text
from vaglio.messages.sentences import clip, listed
from vaglio.table._arrow import column_from_arrow, is_string, refuse_type
from vaglio.table._cell_format import CellFormat
from vaglio.table._chunks import read_chunks
from vaglio.table._column import KIND_WORDS
from vaglio.table._column_names import renamed
from vaglio.table._convert import as_level
from vaglio.table._table import Table
from vaglio.table.readers.binary import FAULTS
from vaglio.table.scanned.group_keys import group_keys
from vaglio.table.scanned.row_shares import Change, RowShare, take_shares

# Families of types that mean the same kind of column.
KINDS = ("numeric", "nominal", "date")
# Bytes at the end of a file that tell whether it has changed.
_END = 1 << 16


@dataclass(frozen=True)
class Reading:
    """Which columns are read, and as what.

    Attributes
    ----------
    columns : tuple of (name, cell_format)
        How the cells are written; the kinds are "numeric", "nominal" and "date".
    """

    columns: tuple[tuple[str, CellFormat], ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [name for name, _ in self.columns]


@dataclass(frozen=True)
class FilePart:
    """Rows of one file that follow each other; small enough to be sent to another process, which then reads them.

    Attributes
    ----------
    path : str
    format : {"parquet", "text"}
        "text" is CSV, JSON lines or whatever else :func:`vaglio.table.read_chunks` reads.
    groups : tuple of int
        Row groups of a Parquet file.
    rows : int or None
        How many rows, where the file says so.
    options : tuple of (str, object)
        How text is read: delimiter and the like; of both formats, which columns are renamed.
    start : int
        The number of the first row in the whole table, if ``numbered``; needed where only some rows are taken.
    numbered : bool
    shares : tuple of RowShare
        Which rows are taken: those of all shares. ``rows`` counts them.
    stamp : int or None
        What the file was known by when it was scanned: one that has changed since is not read.
    levels : tuple of (str, str or tuple)
        Levels that were declared: the columns are of these, whatever the file says.
    changes : tuple of callable
        What is changed in the rows when they are read: functions of a table and the numbers of its rows.
    as_written : bool
        Keep the cells of delimited text as they are, too.
    group : (str, CellFormat) or None
        The column whose value decides which share a row is in, in place of its number: it is read for this.
    """

    path: str
    format: str
    groups: tuple[int, ...] = ()
    rows: int | None = None
    options: tuple[tuple[str, Any], ...] = ()
    start: int = 0
    numbered: bool = False
    shares: tuple[RowShare, ...] = ()
    stamp: int | None = None
    levels: tuple[tuple[str, Any], ...] = ()
    changes: tuple[Change, ...] = ()
    as_written: bool = False
    group: tuple[str, CellFormat] | None = None

    @property
    def place(self) -> str:
        """Where the rows are, in words."""
        if not self.groups:
            return self.path
        if len(self.groups) == 1:
            return text("{path}, row group {group:,}", path=self.path, group=self.groups[0])
        return text(
            "{path}, row groups {first:,} to {last:,}", path=self.path, first=self.groups[0], last=self.groups[-1]
        )

    def tables(self, reading: Reading, rows: int) -> Iterator[Table]:
        """Read the rows in chunks of at most ``rows``, each with the columns asked for.

        Parameters
        ----------
        reading : Reading
        rows : int
        """
        if not self.shares and not self.changes:
            return self._all_tables(reading, rows)
        if self.group is None:
            return take_shares(self._all_tables(reading, rows), self.shares, self.start, self.changes)
        name, further = self.group[0], self.group[0] not in reading.names
        tables = self._all_tables(Reading((*reading.columns, self.group)) if further else reading, rows)
        taken = take_shares(tables, self.shares, self.start, self.changes, partial(_keys_of, name))
        return (table.select(reading.names) for table in taken) if further else taken

    def _all_tables(self, reading: Reading, rows: int) -> Iterator[Table]:
        declared, tables = dict(self.levels), self._as_written(reading, rows)
        return (with_levels(table, declared, self.place) for table in tables) if declared else tables

    def _as_written(self, reading: Reading, rows: int) -> Iterator[Table]:
        if self.stamp is not None and self.stamp != stamp_of(self.path):
            raise ReadError(
                "file-changed-since-scan",
                "{path} has changed since it was scanned. Scan it again, and do not change it meanwhile.",
                path=self.path,
            )
        if self.format == "parquet":
            yield from self._parquet(reading, rows)
            return
        for table in read_chunks(
            self.path, rows, like=reading.columns, as_written=self.as_written, **dict(self.options)
        ):
            self._refuse_absent(reading, table.columns)
            yield table.select(reading.names) if list(table.columns) != reading.names else table

    def _parquet(self, reading: Reading, rows: int) -> Iterator[Table]:
        file = open_parquet_file(self.path)
        names = renamed(file.schema_arrow.names, dict(self.options).get("rename"))
        self._refuse_absent(reading, names)
        in_file = dict(zip(names, file.schema_arrow.names))
        declared = dict(self.levels)
        for name, cell_format in reading.columns:
            if name not in declared:
                self._refuse_other_kind(name, cell_format.kind, file.schema_arrow.field(in_file[name]).type)
        for group in self.groups:
            try:
                columns = [in_file[name] for name in reading.names]
                for batch in file.iter_batches(rows, row_groups=[group], columns=columns):
                    batch.validate()
                    yield Table(
                        column_from_arrow(name, batch.column(batch.schema.get_field_index(old)), declared=False)
                        for name, old in zip(reading.names, columns)
                    )
            except FAULTS as error:
                raise ReadError(
                    "damaged-row-group",
                    "{path}, row group {group:,}, is damaged ({reason}). Write the file again, or leave it out.",
                    path=self.path,
                    group=group,
                    reason=clip(str(error).splitlines()[0]),
                ) from None

    def _refuse_absent(self, reading: Reading, present: Any) -> None:
        absent = [name for name in reading.names if name not in set(present)]
        if absent:
            raise ReadError(
                "column-absent-in-file",
                "{path} lacks the {n:column|columns} {columns} of the first file. All files need the same columns.",
                path=self.path,
                n=len(absent),
                columns=listed(absent, quoted=True),
            )

    def _refuse_other_kind(self, name: str, kind: str, found: pa.DataType) -> None:
        other = kind_of_type(name, found, self.path)
        if other not in (kind, "any"):
            raise ReadError(
                "column-of-other-kind",
                "{path}: column {column!r} is {kind} ({type}), but {first} in the first file. Write all files with "
                "the same types.",
                path=self.path,
                column=name,
                kind=KIND_WORDS[other],
                type=clip(str(found)),
                first=KIND_WORDS[kind],
            )


def _keys_of(name: str, table: Table, index: np.ndarray) -> np.ndarray:
    return group_keys(table.column(name), index)


def stamp_of(path: str) -> int:
    """Return a number that depends on the size of a file and on its end, where a Parquet file says what it has.

    The time of its last change is left aside: workers may have copies of their own.
    """
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _END))
            return zlib.crc32(file.read(), size & 0xFFFFFFFF)
    except FileNotFoundError:
        raise ReadError("file-removed", "{path} does not exist, or not any more.", path=path) from None
    except OSError as error:
        raise ReadError(
            "unreadable-file", "{path} cannot be read ({reason}).", path=path, reason=error.strerror or str(error)
        ) from None


def with_levels(table: Table, levels: Mapping[str, Any], place: str = "") -> Table:
    """Return a table whose columns have the levels that were declared."""
    try:
        return Table(
            as_level(column, levels[name]) if name in levels else column for name, column in table._columns.items()
        )
    except InputError as error:
        raise error.at(place) if place else error from None


def open_parquet_file(path: str) -> Any:
    """Open a Parquet file whose words are read with their dictionaries."""
    try:
        plain = pq.ParquetFile(path)
        words = [field.name for field in plain.schema_arrow if is_string(field.type)]
        if not words:
            return plain
        plain.close()
        return pq.ParquetFile(path, read_dictionary=words)
    except FileNotFoundError:
        raise ReadError("file-removed", "{path} does not exist, or not any more.", path=path) from None
    except FAULTS as error:
        raise ReadError(
            "unreadable-parquet",
            "{path} cannot be read as Parquet ({reason}). Write it again, or leave it out.",
            path=path,
            reason=clip(str(error).splitlines()[0]),
        ) from None


def give_back_reading() -> None:
    """Let the system have what reading has freed."""
    pa.default_memory_pool().release_unused()


def kind_of_type(name: str, found: pa.DataType, path: str) -> str:
    """Return the kind of a column of this Arrow type; "any" for a column without values."""
    try:
        refuse_type(name, found)
    except ReadError:
        raise
    except InputError as error:
        raise ReadError(error.at(path).message) from None
    types = pa.types
    if types.is_null(found):
        return "any"
    if types.is_dictionary(found) or is_string(found) or types.is_boolean(found):
        return "nominal"
    return "date" if types.is_date(found) or types.is_timestamp(found) else "numeric"
