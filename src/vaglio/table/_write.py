"""Write tables to files, at once or chunk by chunk. A file appears whole or not at all."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pyarrow as pa

from vaglio.errors import InputError
from vaglio.messages.locale import Locale
from vaglio.messages.printable import shown_cell
from vaglio.messages.sentences import listed
from vaglio.runtime.files import replacing
from vaglio.table._frames import table_to_arrow
from vaglio.table._table import Table
from vaglio.table._text_rows import TextRows, free_name, whole_days
from vaglio.table._written import TextStyle
from vaglio.typing import TableLike

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
    table: TableLike | Mapping[str, Any],
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    for_spreadsheet: bool = False,
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
    locale : Locale, optional
        With ``for_spreadsheet``: of the reader, whose spreadsheet program takes columns, numbers and dates of a csv
        file as the language writes them.

    Notes
    -----
    The cells of a chunk that :func:`read_chunks` gave ``as_written`` are written to csv as they were: their text, and
    how the file was written (delimiter, encoding, line ends). What is added has the decimal mark of the columns that
    the chunks were read like.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | IO[bytes],
        format: str | None = None,
        *,
        for_spreadsheet: bool = False,
        locale: Locale | None = None,
    ) -> None:
        self._open: Any = path if hasattr(path, "write") else None
        self.path = "" if self._open is not None else str(path)
        self.for_spreadsheet, self.locale = for_spreadsheet, locale
        self._text: TextRows | None = None
        self.packed = self.path.endswith(".gz")
        self.format = format or self._format_of_name()
        if self.format not in set(_FORMATS.values()) and not (self._open is not None and self.format == "stream"):
            known = listed(sorted(set(_FORMATS.values())), last="or")
            raise InputError(
                "unknown-output-format",
                "A table can be written as {known}, not as {format!r}.",
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
                "unknown-output-extension",
                "{path}: the extension does not name a format. Use {formats}.",
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

    def write(self, table: TableLike | Mapping[str, Any], further: Mapping[str, Any] | None = None) -> None:
        """Write some rows.

        Parameters
        ----------
        table : Table, frame or Arrow table
            The rows.
        further : mapping, optional
            Columns to write after those of the table: name -> array. A name that the table has already gets a number.
        """
        if self.format in ("csv", "tsv"):
            self._write_text(table, further or {})
            return
        frame = table if isinstance(table, pa.Table) else table_to_arrow(Table.from_any(table))
        for name, values in (further or {}).items():
            frame = frame.append_column(free_name(name, frame.column_names), pa.array(values))
        if self.format in ("jsonl", "stream"):
            # Text formats have no categories: their words are written.
            fields = [
                pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
                for field in frame.schema
            ]
            frame = frame.cast(pa.schema(fields))
        if self._schema is None:
            self._schema = frame.schema
            self._start(frame.schema)
        self._refuse_other_columns(frame.schema.names, self._schema.names)
        if self._writer is not None:
            frame = frame.cast(self._schema)
        self._rows(frame)

    def _start(self, schema: pa.Schema) -> None:
        if self.format == "parquet":
            from pyarrow import parquet

            self._writer = parquet.ParquetWriter(self._sink, schema)
        elif self.format in ("feather", "stream"):
            from pyarrow import ipc

            self._writer = (ipc.new_file if self.format == "feather" else ipc.new_stream)(self._sink, schema)

    def _write_text(self, table: Any, further: Mapping[str, Any]) -> None:
        rows = table if isinstance(table, (pa.Table, Table)) else Table.from_any(table)
        if self._text is None:
            self._text = self._text_like(rows)
            names = [shown_cell(name) if self.for_spreadsheet else name for name in self._text.names(rows, further)]
            self._sink.write(self._text.header(names))
            self._columns = list(rows.column_names if isinstance(rows, pa.Table) else rows.columns)
        names = list(rows.column_names if isinstance(rows, pa.Table) else rows.columns)
        self._refuse_other_columns(names, self._columns)
        self._sink.write(self._text.lines(rows, further))

    def _text_like(self, rows: Any) -> TextRows:
        """Return how text is written: like that of the rows, if it is known, or as a spreadsheet wants it."""
        written = rows.written if isinstance(rows, Table) else None
        style = TextStyle() if written is None else written.style
        if self.for_spreadsheet and self.locale is not None:
            style = TextStyle.of_spreadsheet(self.locale)
        if self.format == "tsv":
            style = replace(style, delimiter="\t")
        elif self._terminal:
            style = replace(style, encoding="utf-8")
        return TextRows(style, self.for_spreadsheet, self.locale if self.for_spreadsheet else None)

    @property
    def _terminal(self) -> bool:
        return self.path == "-" and sys.stdout.isatty()

    def _refuse_other_columns(self, names: Sequence[str], first: Sequence[str]) -> None:
        if list(names) != list(first):
            raise InputError(
                "columns-of-chunks-differ",
                "The rows to write have the columns {columns}, but the first ones had {first}.",
                columns=listed(names, quoted=True),
                first=listed(first, quoted=True),
            )

    def _rows(self, frame: pa.Table) -> None:
        if self._writer is not None:
            self._writer.write_table(frame)
        else:
            for row in whole_days(frame).to_pylist():
                self._sink.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")

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
