"""Rows of a file or a pipe as they arrive: one generator of batches per format."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from vaglio.errors import DataWarning, ReadError, warn
from vaglio.messages.message import text
from vaglio.messages.options import reading
from vaglio.table._cell_format import CellFormat
from vaglio.table._read import read
from vaglio.table._table import Table
from vaglio.table.readers.binary import FAULTS, arrow_batches, damaged, open_arrow, open_parquet, spell_out
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.csv import TOO_LARGE, Dialect, convert_options, find_dialect, parse_options, read_options
from vaglio.table.readers.layout import TAIL, end_of_table
from vaglio.table.readers.source import (
    MIXED,
    OPEN_FILE,
    PACKED_FAULTS,
    STANDARD_INPUT,
    Source,
    damaged_packed,
    extension_of,
    open_file,
    packing,
    recognise,
    regular_size,
    to_utf8,
)
from vaglio.typing import TableSource

# A thread that is not done by then is not at work on the stream any more.
_PATIENCE_SECONDS = 5.0
# Bytes looked at to recognise format, encoding and dialect; a buffer of this size also holds whole rows of wide tables.
_HEAD = 1 << 20
# The message of pyarrow about a row with too few or too many fields.
_RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")


class _Lent(io.RawIOBase):
    """Reads from a stream; to close it leaves the stream open."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> Any:
        return self._stream.read(size)


@contextmanager
def lent(stream: Any) -> Iterator[list[Any]]:
    """Lend a stream to pyarrow's readers; at the end, wait until its threads have let go of it.

    A thread of pyarrow may hold the stream for a moment after the last batch was given. If Python ended just then, the
    thread would be unwound while it lets go of the stream, and the process would abort.

    Parameters
    ----------
    stream : file object

    Yields
    ------
    list
        It holds the stream that is lent. The reader takes it out (``pop``) and must be deleted before the end.
    """
    released = threading.Event()
    box: list[Any] = [_Lent(stream)]
    weakref.finalize(box[0], released.set)
    try:
        yield box
    finally:
        box.clear()
        released.wait(_PATIENCE_SECONDS)


def open_batches(
    source: TableSource,
    rows: int,
    encoding: str | None,
    options: dict[str, Any],
    limits: Limits,
    like: Mapping[str, CellFormat] | None = None,
) -> tuple[str, Iterator[Any], Dialect | None]:
    """Return the name of a source, its rows as Arrow batches of any size or as Tables of `rows` rows, and its dialect.

    Parameters
    ----------
    source : path, "-" or open binary file
    rows : int
        Rows per batch, where the format leaves the choice.
    encoding : str or None
        Of delimited text; detected if None.
    options : dict
        missing, header, footer, delimiter and decimal of delimited text.
    limits : Limits
        What a batch may hold; the number of batches is not limited.
    like : mapping, optional
        Column -> how it is read. Formats that are read whole need it; in others its names show which row has the names.
    """
    name, stream, path = _stream(source)
    head = stream.peek(_HEAD)
    if not head.strip():
        raise ReadError(
            "empty-file", "{name} is empty. A table needs a row of column names and at least one row.", name=name
        )
    form = recognise(Source(name, head, extension_of(Path(name))))
    if form == "csv":
        first = _whole_rows(head)
        dialect = find_dialect(to_utf8(Source(name, first), encoding), name, whole=False, known=like or (), **options)
        limits.check_shape(name, 1, len(dialect.names))
        return name, _csv_batches(stream, head, name, path, encoding, options, dialect), dialect
    if form in ("parquet", "feather") and path is not None:
        batches = _parquet_batches if form == "parquet" else _arrow_batches
        return name, batches(path, name, rows, limits), None
    if form == "json" and not head.lstrip().startswith(b"["):
        return name, _json_tables(stream, name, rows, encoding, limits), None
    said = {name: options[name] for name in ("missing", "header", "footer", "decimal")}
    whole = read(stream, format=form, like=like, limits=limits, **said)
    return name, (whole[at : at + rows] for at in range(0, len(whole), rows)), None


def _stream(source: Any) -> tuple[str, Any, Path | None]:
    """Return the name of a source, its unpacked bytes as a stream, and its path if the file itself has these bytes."""
    path = None
    if hasattr(source, "read"):
        name, raw = str(source.name) if hasattr(source, "name") else OPEN_FILE, source
    elif str(source) == "-":
        name, raw = STANDARD_INPUT, sys.stdin.buffer
    else:
        path = Path(source)
        name, raw = str(path), open_file(path)
        path = path if regular_size(raw) else None
    stream: Any = io.BufferedReader(_Raw(raw, name), _HEAD)
    if packed := packing(stream.peek(16)):
        form, unpacker = packed
        return name, io.BufferedReader(_Raw(unpacker(stream), name, packed=form), _HEAD), None
    return name, stream, path


class _Raw(io.RawIOBase):
    """Any readable object as a raw stream, so that a buffer can look ahead even in a pipe."""

    def __init__(self, file: Any, name: str, end: int | None = None, packed: str = "") -> None:
        self._file = file
        self._packed = packed
        self.name = name
        self._left = sys.maxsize if end is None else end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # Fill the whole buffer even if a slow pipe gives little at a time: the first bytes must hold whole rows.
        try:
            size = min(len(buffer), self._left)
            data = self._file.read(size)
            while data and len(data) < size and (more := self._file.read(size - len(data))):
                data += more
        except ReadError:  # of the packed file below
            raise
        except (*PACKED_FAULTS, ValueError) as error:
            if self._packed:
                raise damaged_packed(self.name, self._packed, error) from None
            raise ReadError(
                "file-cannot-be-read",
                "{name} cannot be read ({reason}). Try again, or copy it first.",
                name=self.name,
                reason=str(error),
            ) from None
        if isinstance(data, str):
            raise ReadError("open-as-text", "{name} is open as text. Open it in binary mode.", name=self.name)
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


def _csv_batches(
    stream: Any,
    head: bytes,
    name: str,
    path: Path | None,
    encoding: str | None,
    options: Mapping[str, Any],
    dialect: Dialect,
) -> Iterator[pa.RecordBatch]:
    from pyarrow import csv as arrow_csv

    used = encoding or _encoding(head)
    # The end of a pipe, or of packed text, cannot be looked at before the rest.
    if path is not None and not used.startswith("utf-16"):
        stream = _until_end(stream, path, dialect, footer=options["footer"])
    # All cells stay words: what they are is decided from more than one block, and an error can name the row.
    types = dict.fromkeys(dialect.names, pa.string())
    how = read_options(dialect, max(1 << 20, 4 * len(_whole_rows(head))))
    how.use_threads = False  # with threads pyarrow does not say the number of a bad row
    how.encoding = used
    parsing = parse_options(b'"', dialect)
    converting = convert_options(dialect, options["missing"], column_types=types)
    try:
        with lent(stream) as box:
            yield from arrow_csv.open_csv(box.pop(), how, parsing, converting)
    except pa.ArrowInvalid as error:
        raise _explain(str(error), name, dialect) from None
    except UnicodeError as error:
        raise ReadError(
            "undecodable-text",
            "{name} cannot be read as {encoding} ({reason}). Set {option}, for instance latin-1.",
            name=name,
            encoding=used,
            reason=str(error),
            option=reading("encoding"),
        ) from None


def _whole_rows(head: bytes) -> bytes:
    return head if len(head) < _HEAD // 2 else head[: head.rfind(b"\n") + 1] or head


def _until_end(stream: Any, path: Path, dialect: Dialect, *, footer: bool) -> Any:
    """Return the stream up to the notes and totals below the table, if there are any."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL - 1))
        tail = file.read()
    # Of a text that is longer, the first line here may be cut, and says nothing.
    heading = 0 if size > len(tail) else dialect.above + dialect.header
    end, remarks = end_of_table(tail, dialect.delimiter, len(dialect.names), heading, dialect.decimal, footer=footer)
    for remark in remarks:
        warn(DataWarning(remark).at(str(path)))
    return _Raw(stream, str(path), size - len(tail) + end) if remarks else stream


def _encoding(head: bytes) -> str:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if head[:3] == b"\xef\xbb\xbf":
        return "utf-8-sig"
    source = Source("", head[: head.rfind(b"\n") + 1] or head)
    to_utf8(source)
    return MIXED if source.remarks else "utf-8"


def _explain(reason: str, name: str, dialect: Dialect) -> ReadError:
    skipped = dialect.header + dialect.above
    if found := _RAGGED.search(reason):
        expected, n = int(found[2]), int(found[3])
        if not found[1]:
            return ReadError(
                "some-row-length",
                "{name} has a row with {n:,} {n:field|fields}; expected {expected:,}. Correct the row.",
                name=name,
                n=n,
                expected=expected,
            )
        return ReadError(
            "row-length-in-stream",
            "{name}, row {row:,} has {n:,} {n:field|fields}; expected {expected:,}. Correct the row.",
            name=name,
            row=int(found[1]) - skipped,
            n=n,
            expected=expected,
        )
    if TOO_LARGE in reason:
        return ReadError(
            "row-too-long", "{name} has a row of several megabytes, or an unclosed quote. Correct it.", name=name
        )
    return ReadError(
        "not-delimited-text",
        "{name} cannot be read as delimited text: {reason}.",
        name=name,
        reason=reason.splitlines()[0],
    )


def _arrow_batches(path: Path, name: str, rows: int, limits: Limits) -> Iterator[pa.RecordBatch]:
    try:
        with pa.OSFile(str(path)) as file:
            yield from arrow_batches(open_arrow(file, name, limits, whole=False), name, limits)
    except FAULTS as error:
        raise damaged(name, "Arrow/Feather", error) from None


def _parquet_batches(path: Path, name: str, rows: int, limits: Limits) -> Iterator[pa.RecordBatch]:
    try:
        with pa.OSFile(str(path)) as opened:
            found = open_parquet(opened, name, limits, rows)
            for batch in found.file.iter_batches(batch_size=min(rows, found.batch)):
                batch.validate(full=True)
                yield spell_out(batch, found.schema, name, limits)
    except FAULTS as error:
        raise damaged(name, "Parquet", error) from None


def _json_tables(stream: Any, name: str, rows: int, encoding: str | None, limits: Limits) -> Iterator[Table]:
    from vaglio.table.readers.json import read_json

    lines: list[bytes] = []
    size = 0
    while line := stream.readline(limits.bytes + 1):
        size += len(line)
        if size > limits.bytes:
            rows_read = text("{name}, {n:,} {n:row|rows},", name=name, n=len(lines) + 1)
            limits.check_bytes(rows_read, size)
        if line.strip():
            lines.append(line)
        if len(lines) == rows:
            yield read_json(to_utf8(Source(name, b"".join(lines)), encoding), name, limits)
            lines, size = [], 0
    if lines:
        yield read_json(to_utf8(Source(name, b"".join(lines)), encoding), name, limits)
