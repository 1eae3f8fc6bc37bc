"""Write tables to files, at once or chunk by chunk. A file appears whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from vaglio.errors import InputError
from vaglio.messages.printable import FORMULA, shown_cell
from vaglio.messages.sentences import listed
from vaglio.runtime.files import replacing
from vaglio.table._frames import table_to_arrow
from vaglio.table._table import Table

# Extension (without .gz) -> format.
_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def write(
    table: Any, path: str | os.PathLike[str], format: str | None = None, *, for_spreadsheet: bool = False
) -> None:
    """Write a Table or frame to a file, or to standard output when the path is "-".

    Parameters
    ----------
    table : Table or anything `Table.from_any` takes
    path : path or "-"
        The file appears whole or not at all: it is written under another name and then renamed.
    format : {"csv", "tsv", "parquet", "feather", "jsonl"}, optional
        By default from the extension (csv for "-"); `.gz` after csv, tsv or jsonl packs it.
    for_spreadsheet : bool, default=False
        As in :class:`TableWriter`.

    Examples
    --------
    >>> from vaglio.table import Table, write
    >>> write(Table.from_any({"a": [1, 2], "b": ["x", None]}), "-")  # doctest: +SKIP
    a,b
    1,x
    2,
    """
    with TableWriter(path, format, for_spreadsheet=for_spreadsheet) as out:
        out.write(table)


class TableWriter:
    """Write one table in chunks of the same columns; use it as a context.

    If the body raises an error, no file is written.

    Parameters
    ----------
    path : path-like or open binary file
        Where; "-" is standard output.
    format : {"csv", "tsv", "parquet", "feather", "stream", "jsonl"}, optional
        By default from the extension; "stream" is Arrow's form for a connection, and for an open file only.
    for_spreadsheet : bool, default=False
        In csv and tsv, write an apostrophe before words (names of columns, too) that a spreadsheet would take for a
        formula: those that begin with =, +, -, @ or a tab. A program that reads the file would read the apostrophe.
    """

    def __init__(
        self, path: str | os.PathLike[str] | IO[bytes], format: str | None = None, *, for_spreadsheet: bool = False
    ) -> None:
        self._open: Any = path if hasattr(path, "write") else None
        self.path = "" if self._open is not None else str(path)
        self.for_spreadsheet = for_spreadsheet
        self.packed = self.path.endswith(".gz")
        self.format = format or self._format_of_name()
        if self.format not in set(_FORMATS.values()) and not (self._open is not None and self.format == "stream"):
            known = listed(sorted(set(_FORMATS.values())), last="or")
            raise InputError(
                "table-can-written",
                "a table can be written as {known}, not as {format!r}.",
                known=known,
                format=self.format,
            )
        self._schema: pa.Schema | None = None
        self._writer: Any = None

    def _format_of_name(self) -> str:
        if self.path == "-":
            return "csv"
        suffix = Path(self.path.removesuffix(".gz")).suffix.lower()
        if suffix not in _FORMATS:
            raise InputError(
                "extension-says-format-use",
                "{path}: the extension says no format; use {formats}.",
                path=self.path,
                formats=listed(_FORMATS, last="or"),
            )
        return _FORMATS[suffix]

    def __enter__(self) -> TableWriter:
        given = sys.stdout.buffer if self.path == "-" else self._open
        self._place = replacing(self.path) if given is None else nullcontext(given)
        self._file: Any = self._place.__enter__()
        # Without a time stamp: the same table gives the same bytes.
        self._sink = gzip.GzipFile(fileobj=self._file, mode="wb", mtime=0) if self.packed else self._file
        return self

    def write(self, table: Any, further: Mapping[str, Any] | None = None) -> None:
        """Write some rows.

        Parameters
        ----------
        table : Table, frame or Arrow table
            The rows.
        further : mapping, optional
            Columns to write after those of the table: name -> array. A name that the table has already gets a number.
        """
        frame = table if isinstance(table, pa.Table) else table_to_arrow(Table.from_any(table))
        for name, values in (further or {}).items():
            # A name that the table has already gets a number: name_2, name_3 …
            free, count = name, 1
            while free in frame.column_names:
                count += 1
                free = f"{name}_{count}"
            frame = frame.append_column(free, pa.array(values))
        if self.format in ("csv", "tsv", "jsonl", "stream"):
            # Text formats have no categories: their words are written.
            fields = [
                pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
                for field in frame.schema
            ]
            frame = frame.cast(pa.schema(fields))
        if self._schema is None:
            self._schema = frame.schema
            self._start(frame.schema)
        elif frame.schema.names != self._schema.names:
            raise InputError(
                "rows-write-have-columns",
                "the rows to write have columns {names}, not {names2}.",
                names=frame.schema.names,
                names2=self._schema.names,
            )
        elif self._writer is not None:
            frame = frame.cast(self._schema)
        self._rows(frame)

    def _start(self, schema: pa.Schema) -> None:
        if self.format in ("csv", "tsv"):
            line = io.StringIO()
            names = [shown_cell(name) if self.for_spreadsheet else name for name in schema.names]
            csv.writer(line, delimiter=self._delimiter, lineterminator="\n").writerow(names)
            self._sink.write(line.getvalue().encode())
        elif self.format == "parquet":
            from pyarrow import parquet

            self._writer = parquet.ParquetWriter(self._sink, schema)
        elif self.format in ("feather", "stream"):
            from pyarrow import ipc

            self._writer = (ipc.new_file if self.format == "feather" else ipc.new_stream)(self._sink, schema)

    @property
    def _delimiter(self) -> str:
        return "\t" if self.format == "tsv" else ","

    def _rows(self, frame: pa.Table) -> None:
        if self._writer is not None:
            self._writer.write_table(frame)
        elif self.format == "jsonl":
            for row in frame.to_pylist():
                self._sink.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")
        else:
            from pyarrow import csv as arrow_csv

            frame = _without_formulas(frame) if self.for_spreadsheet else frame
            # pyarrow would quote every word; most tables need no quotes.
            style = "needed" if _needs_quotes(frame, self._delimiter) else "none"
            options = arrow_csv.WriteOptions(include_header=False, delimiter=self._delimiter, quoting_style=style)
            arrow_csv.write_csv(frame, pa.PythonFile(self._sink, mode="w"), options)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self._writer is not None and kind is None:
                self._writer.close()
            if self.packed:
                self._sink.close()
            self._file.flush()
        except BaseException as failure:
            if not self._place.__exit__(type(failure), failure, failure.__traceback__):
                raise
        self._place.__exit__(kind, error, at)


def _without_formulas(frame: pa.Table) -> pa.Table:
    for at, column in enumerate(frame.columns):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            formula = pc.fill_null(pc.match_substring_regex(column, FORMULA), False)
            marked = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
            frame = frame.set_column(at, frame.schema.field(at), pc.if_else(formula, marked, column))
    return frame


def _needs_quotes(frame: pa.Table, delimiter: str) -> bool:
    pattern = f'["\r\n{delimiter}]'
    return any(
        pc.any(pc.match_substring_regex(column, pattern)).as_py()
        for column in frame.columns
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    )
