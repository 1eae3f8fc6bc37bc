"""A table larger than memory, read part by part: for what treats rows one by one, as prediction does."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from vaglio.errors import InputError, ReadError
from vaglio.table._arrow import column_from_arrow
from vaglio.table._convert import apply_overrides
from vaglio.table._csv import find_dialect, read_csv
from vaglio.table._infer import MISSING, infer
from vaglio.table._read import _read_format as read_format
from vaglio.table._source import Source, recognise, to_utf8
from vaglio.table._source import _open_path as open_path
from vaglio.table._table import Table

_HEAD = 1 << 16
_ROWS = 1 << 17
_QUOTE, _NEWLINE = ord('"'), ord("\n")


def read_parts(
    source: Any,
    inputs: Mapping[str, str | None],
    *,
    missing: Sequence[str] = MISSING,
    part_bytes: int = 1 << 24,
) -> Iterator[Table]:
    """Read a table in parts of bounded size.

    CSV, JSON lines (also gzipped, also from standard input), Parquet and Arrow are read as they come; ARFF, a JSON
    array and spreadsheets are read whole. A part cannot be typed by what only other parts show, so the caller says
    what it expects.

    Parameters
    ----------
    source : path or "-"
    inputs : mapping
        Column -> its level as in :func:`vaglio.read`, or None to infer it. Other columns are passed on as they are.
    missing : sequence of str
        Words that mean "no value".
    part_bytes : int
        Size of a part of a text file.

    Yields
    ------
    Table

    Examples
    --------
    >>> import io
    >>> from vaglio.table import read_parts
    >>> file = io.BytesIO(b"zip,size\\n00123,1.5\\n00456,2\\n")
    >>> [part["size"].tolist() for part in read_parts(file, {"zip": "nominal", "size": None}, part_bytes=24)]
    [[1.5], [2.0]]
    """
    stream, opened = _open(source)
    form = recognise(opened)
    first_row = 1
    for part in _raw_parts(stream, opened, form, missing, part_bytes):
        try:
            yield _typed(part, opened.name, inputs, missing)
        except InputError as error:
            where = f" (rows are counted from row {first_row:,} of the file)" if first_row > 1 else ""
            raise type(error)(f"{error}{where}") from None
        first_row += len(part)
    if first_row == 1:
        raise ReadError(f"{opened.name} has no rows.")


def _open(source: Any) -> tuple[Any, Source]:
    """Give a buffered stream of unpacked bytes, and what is known of it: name, first bytes, extension."""
    name, extension = str(getattr(source, "name", "the open file")), ""
    if hasattr(source, "read"):
        stream = source
    elif str(source) == "-":
        stream, name = sys.stdin.buffer, "standard input"
    else:
        mapped = open_path(Path(source))
        stream, name, extension = open(source, "rb"), mapped.name, mapped.extension  # noqa: SIM115 - read to its end
    stream = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
    if stream.peek(2)[:2] == b"\x1f\x8b":
        stream = gzip.GzipFile(fileobj=stream)
    buffered = io.BufferedReader(stream, _HEAD)
    return buffered, Source(name, buffered.peek(_HEAD), extension)


def _raw_parts(stream: Any, opened: Source, form: str, missing: Sequence[str], size: int) -> Iterator[Table]:
    """Yield parts as the file has them, before anything is inferred."""
    if form == "csv" and b"\0" not in opened.data:
        return _csv_parts(stream, opened.name, missing, size)
    if form == "json" and opened.data.lstrip()[:1] == b"{":
        lines = _blocks(stream, size, quoted=False)
        return (_whole(Source(opened.name, block), form, missing) for block in lines)
    if form in ("parquet", "feather"):
        return _arrow_parts(stream, form)
    return _slices(_whole(Source(opened.name, stream.read()), form, missing))


def _whole(source: Source, form: str, missing: Sequence[str]) -> Table:
    return read_format(source, form, encoding=None, sheet=0, header=None, missing=missing, delimiter=None, decimal=None)


def _csv_parts(stream: Any, name: str, missing: Sequence[str], size: int) -> Iterator[Table]:
    """Each part is read as a file of its own, under the header and in the dialect of the first."""
    dialect, header = None, b""
    for block in _blocks(stream, size, quoted=True):
        text = to_utf8(Source(name, block))
        if dialect is None:
            dialect = find_dialect(text, name, missing)
            header = bytes(text[: _first_record_end(text)]) if dialect.header else b""
            if len(header) == len(text):
                # A part that is nothing but the header: rows follow in the next.
                continue
        else:
            text = header + bytes(text)
        frame = read_csv(
            text,
            name,
            missing=missing,
            delimiter=dialect.delimiter,
            decimal=dialect.decimal,
            header=dialect.header,
        )
        yield _as_table(frame)


def _blocks(stream: Any, size: int, *, quoted: bool) -> Iterator[bytes]:
    """Cut a text file into blocks that end where a record ends; quoted fields may hold line ends."""
    rest = b""
    while block := stream.read(size):
        rest += block
        end = _last_record_end(rest) if quoted else rest.rfind(b"\n") + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest.strip():
        yield rest


def _record_ends(text: bytes) -> np.ndarray:
    """Positions of the line ends outside quotes: those before which the number of quotes is even."""
    letters = np.frombuffer(text, dtype=np.uint8)
    inside = np.bitwise_xor.accumulate(letters == _QUOTE)
    return np.flatnonzero((letters == _NEWLINE) & ~inside)


def _last_record_end(text: bytes) -> int:
    if _QUOTE not in text:
        return text.rfind(b"\n") + 1
    ends = _record_ends(text)
    return int(ends[-1]) + 1 if len(ends) else 0


def _first_record_end(text: Any) -> int:
    ends = _record_ends(bytes(text[: 1 << 20])) if len(text) > 1 << 20 else _record_ends(bytes(text))
    return int(ends[0]) + 1 if len(ends) else len(text)


def _arrow_parts(stream: Any, form: str) -> Iterator[Table]:
    source = stream if stream.seekable() else io.BytesIO(stream.read())
    if form == "parquet":
        from pyarrow import parquet

        for batch in parquet.ParquetFile(source).iter_batches(batch_size=_ROWS):
            yield _as_table(pa.Table.from_batches([batch]))
        return
    head = source.read(6)
    source.seek(0)
    if head == b"ARROW1":
        reader = pa.ipc.open_file(source)
        batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
    else:
        batches = iter(pa.ipc.open_stream(source))
    for batch in batches:
        yield from _slices(_as_table(pa.Table.from_batches([batch])))


def _as_table(frame: pa.Table) -> Table:
    return Table([column_from_arrow(name, frame.column(name)) for name in frame.column_names])


def _slices(table: Table) -> Iterator[Table]:
    for start in range(0, len(table), _ROWS):
        yield table[start : start + _ROWS]


def _typed(part: Table, name: str, inputs: Mapping[str, str | None], missing: Sequence[str]) -> Table:
    columns = [part.column(column) for column in part.columns]
    levels = {column: level for column, level in inputs.items() if level is not None and column in part}
    keep = [column for column in part.columns if column not in inputs or column in levels]
    inferred, _ = infer(columns, where=name, missing=missing, keep=keep)
    return Table(apply_overrides(inferred, levels, {}))
