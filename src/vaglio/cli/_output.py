"""Rows and text on their way out. A file is written beside its place and renamed there when complete."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from vaglio.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


class RowFormat(StrEnum):
    """How rows are written."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


@contextmanager
def open_rows(out: str, format: RowFormat | None) -> Iterator[CsvRows | ParquetRows | JsonRows]:
    """Give something whose ``write`` takes Arrow tables of one schema; the format follows the name if not given."""
    chosen = format or _by_name(out)
    sinks: dict[RowFormat, Any] = {RowFormat.csv: CsvRows, RowFormat.parquet: ParquetRows, RowFormat.jsonl: JsonRows}
    if out == "-" and chosen is RowFormat.parquet and sys.stdout.isatty():
        raise typer.BadParameter("Parquet is not for the eye: name a file with --out, or use --format csv.")
    with open_output(out) as file:
        sink = sinks[chosen](file)
        yield sink
        sink.close()


def _by_name(out: str) -> RowFormat:
    suffix = Path(out).suffix.lower().lstrip(".")
    known = {"parquet": RowFormat.parquet, "pq": RowFormat.parquet, "jsonl": RowFormat.jsonl, "ndjson": RowFormat.jsonl}
    return known.get(suffix, RowFormat.csv)


@contextmanager
def open_output(out: str | Path) -> Iterator[BinaryIO]:
    """Open standard output ("-") or a file that appears only when it is complete."""
    if str(out) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(out)
    if target.exists() and not (target.is_file() or target.is_dir()):
        # A device or a pipe (/dev/stdout, /dev/null) cannot be put in place by a rename.
        with target.open("wb") as file:
            yield file
        return
    if target.is_dir():
        raise InputError(f"{target} is a folder: name a file in it.")
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def write_text(out: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with open_output(out) as file:
        file.write(text.encode())


class CsvRows:
    """Rows as CSV, quoted only where needed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._started = False

    def write(self, table: pa.Table) -> None:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        if not self._started:
            line = io.StringIO()
            csv.writer(line, lineterminator="\n").writerow(table.column_names)
            self._file.write(line.getvalue().encode())
            self._started = True
        # Arrow's "needed" quotes every word of a part; its "none" refuses a part in which one needs quotes.
        for style in ("none", "needed"):
            part = io.BytesIO()
            with suppress(pa.ArrowInvalid):
                arrow_csv.write_csv(
                    _flat(table), part, arrow_csv.WriteOptions(include_header=False, quoting_style=style)
                )
                break
        self._file.write(part.getbuffer())

    def close(self) -> None:
        self._file.flush()


class ParquetRows:
    """Rows as one Parquet file, a row group for each table written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: Any = None

    def write(self, table: pa.Table) -> None:
        from pyarrow import parquet

        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class JsonRows:
    """Rows as JSON lines; what is missing is null."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, table: pa.Table) -> None:
        for row in table.to_pylist():
            plain = {name: None if value != value else value for name, value in row.items()}
            self._file.write(json.dumps(plain, ensure_ascii=False, default=str).encode() + b"\n")

    def close(self) -> None:
        self._file.flush()


def _flat(table: pa.Table) -> pa.Table:
    """Dictionary columns as their values: Arrow's CSV writer does not take them."""
    import pyarrow as pa

    fields = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
