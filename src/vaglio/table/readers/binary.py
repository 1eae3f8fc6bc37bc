"""Read Parquet, Arrow and Feather files. What a file says about its size is checked before a column is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vaglio.errors import ReadError
from vaglio.messages.sentences import clip
from vaglio.table._arrow import column_from_arrow, is_string, refuse_type
from vaglio.table._column import Column
from vaglio.table._table import Table, refuse_duplicates
from vaglio.table.readers.binary_sizes import Damaged, measure, measure_pages
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.source import Source

# Everything that pyarrow raises when a file is not what it should be.
FAULTS = (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, Damaged)

# A batch of words that are written as parts of others takes at most this part of the bytes that may be unpacked.
_PARTS = 16


def arrow_file(source: Source) -> Any:
    """Return a file for pyarrow. A file on disk is read in parts: a map of it would kill the process if it shrank."""
    if source.path is not None:
        return pa.OSFile(str(source.path))
    return pa.BufferReader(pa.py_buffer(source.data))


def read_parquet(source: Source) -> Table:
    """Read a Parquet file."""
    name, limits = source.name, source.limits
    try:
        with arrow_file(source) as opened:
            found = open_parquet(opened, name, limits)
            if not found.file.metadata.num_rows:
                raise ReadError("has-rows", "{name} has no rows.", name=name)
            refuse_duplicates(found.schema.names, f"{name}: ")  # a column is read by its name
            fields = [field for field in found.schema if not is_index(field.name)]
            return Table([_read_column(found, field, name, limits) for field in fields])
    except FAULTS as error:
        raise damaged(name, "Parquet", error) from None


@dataclass(frozen=True)
class ParquetColumns:
    """A Parquet file whose sizes and types are within the limits.

    Attributes
    ----------
    file : pyarrow.parquet.ParquetFile
        It is read with the dictionaries of its words: a long word that stands in every row is stored once in the file,
        and once in memory.
    schema : pyarrow.Schema
        The types that the columns have without dictionaries.
    batch : int
        Rows to be read at a time at most: words may be written as "the last one, and some letters more", and a page of
        such words fills memory.
    """

    file: Any
    schema: pa.Schema
    batch: int


def open_parquet(opened: Any, name: str, limits: Limits, rows: int | None = None) -> ParquetColumns:
    """Return the columns of a Parquet file, to be read.

    Parameters
    ----------
    opened : pyarrow.NativeFile
    name : str
        Name of the file.
    limits : Limits
    rows : int, optional
        Rows that are read at a time; by default all.
    """
    from pyarrow import parquet

    with parquet.ParquetFile(opened) as file:
        schema, about = file.schema_arrow, file.metadata
        groups = [about.row_group(at) for at in range(about.num_row_groups)]
    limits.check_shape(name, rows or max(about.num_rows, sum(g.num_rows for g in groups)), len(schema.names))
    for field in schema:
        refuse_type(field.name, field.type)
    pages = measure_pages(opened)
    sizes = [max(g.total_byte_size, sum(of.unpacked for of in held)) for g, held in zip(groups, pages)]
    limits.check_bytes(name, sum(sizes) if rows is None else max(sizes, default=0))
    # Such words cannot be read with a dictionary.
    chained = {at for held in pages for at, of in enumerate(held) if of.chained}
    largest = max((of.largest for held in pages for at, of in enumerate(held) if at in chained), default=0)
    words = [field.name for at, field in enumerate(schema) if is_string(field.type) and at not in chained]
    file = parquet.ParquetFile(opened, read_dictionary=words)
    return ParquetColumns(file, schema, max(1, limits.bytes // _PARTS // largest) if largest else 1 << 31)


def _read_column(found: ParquetColumns, field: pa.Field, name: str, limits: Limits) -> Column:
    """Read one column and release its Arrow form at once, so that memory never holds a second copy of the table."""
    if is_string(field.type):
        # Its dictionary is only a way to read it, and declares nothing.
        column = column_from_arrow(field.name, _read_words(found, field, name, limits), declared=False)
        return column.replace(storage=field.type)
    frame = found.file.read(columns=[field.name])
    frame.validate(full=True)
    return column_from_arrow(field.name, frame.column(0))


def _read_words(found: ParquetColumns, field: pa.Field, name: str, limits: Limits) -> pa.ChunkedArray:
    if found.batch >= found.file.metadata.num_rows:
        frame = found.file.read(columns=[field.name])
        frame.validate(full=True)
        return frame.column(0)
    parts, held = [], 0
    for batch in found.file.iter_batches(batch_size=found.batch, columns=[field.name]):
        batch.validate(full=True)
        words = batch.column(0)
        parts.append(words if pa.types.is_dictionary(words.type) else words.dictionary_encode())
        held += parts[-1].dictionary.nbytes
        limits.check_bytes(f"{name}, column {field.name!r},", held, at_least=True)
    return pa.chunked_array(parts)


def read_feather(source: Source) -> Table:
    """Read an Arrow file or stream, or a Feather file."""
    name = source.name
    try:
        with arrow_file(source) as file:
            reader = open_arrow(file, name, source.limits)
            frame = pa.Table.from_batches(arrow_batches(reader, name, source.limits), reader.schema)
            return table_from_arrow(frame, name)
    except FAULTS as error:
        raise damaged(name, "Arrow/Feather", error) from None


def arrow_batches(reader: Any, name: str, limits: Limits) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a reader, each checked."""
    single = hasattr(reader, "get_batch")
    for batch in map(reader.get_batch, range(reader.num_record_batches)) if single else reader:
        # Arrow trusts the offsets in the file; wrong ones would crash the process later.
        batch.validate(full=True)
        check_views(batch, name, limits)
        yield pa.RecordBatch.from_arrays([_without_garbage(column) for column in batch.columns], schema=batch.schema)


def _without_garbage(column: pa.Array) -> pa.Array:
    """Return a column whose missing cells point to nothing. They are never checked, but some functions follow them."""
    viewed, coded = pa.types.is_string_view(column.type), pa.types.is_dictionary(column.type)
    if not column.null_count or not (viewed or coded):
        return column
    present = column.is_valid().to_numpy(zero_copy_only=False)
    if coded:
        indices = pc.fill_null(column.indices, 0).to_numpy(zero_copy_only=False)
        clean = pa.array(indices, column.type.index_type, mask=~present)
        return pa.DictionaryArray.from_arrays(clean, column.dictionary, ordered=column.type.ordered)
    _, _, *words = column.buffers()
    clean = np.where(present[:, None], _views(column), 0)  # all zeros are an empty word
    valid = pa.array(present).buffers()[1]
    return pa.Array.from_buffers(column.type, len(column), [valid, pa.py_buffer(clean.tobytes()), *words])


def _views(words: pa.Array) -> np.ndarray:
    """Return the views of words: four numbers each, of which the first is the length.

    Behind the last one, a file may hold any bytes, also less than a view.
    """
    count = words.offset + len(words)
    return np.frombuffer(words.buffers()[1], np.int32, 4 * count).reshape(-1, 4)[words.offset :]


def open_arrow(file: Any, name: str, limits: Limits, *, whole: bool = True) -> Any:
    """Return a reader of an Arrow file or stream whose sizes and types are within the limits.

    Parameters
    ----------
    file : pyarrow.NativeFile
    name : str
        Name of the file.
    limits : Limits
    whole : bool, default=True
        Whether all batches are read, or one at a time.
    """
    from pyarrow import ipc

    head = file.read_at(6, 0)
    if head.startswith(b"FEA1"):
        raise ReadError(
            "feather-version-which-read",
            "{name} is Feather version 1, which is not read because a damaged file crashes its reader: "
            "convert a file you trust by pandas.read_feather(file).to_parquet(new_file).",
            name=name,
        )
    sizes = measure(file)
    file.seek(0)
    reader = ipc.open_file(file) if head == b"ARROW1" else ipc.open_stream(file)
    rows, unpacked = (sizes.rows, sizes.unpacked) if whole else (sizes.most_rows, sizes.most_unpacked)
    limits.check_shape(name, rows, len(reader.schema.names))
    if unpacked > file.size():
        limits.check_bytes(name, unpacked)
    for field in reader.schema:
        refuse_type(field.name, field.type)
    return reader


def check_views(batch: pa.RecordBatch, name: str, limits: Limits) -> None:
    """Refuse views of words that show the same bytes again and again: as words of their own they might fill memory."""
    for label, column in zip(batch.schema.names, batch.columns):
        if pa.types.is_string_view(column.type):
            limits.check_bytes(f"{name}, column {label!r},", _bytes_shown(column))


def spell_out(batch: pa.RecordBatch, schema: pa.Schema, name: str, limits: Limits) -> pa.RecordBatch:
    """Return a batch whose words were read with their dictionaries as words; not more of them than memory may hold."""
    columns = []
    for field, column in zip(schema, batch.columns):
        if column.type != field.type:
            lengths = np.append(pc.fill_null(pc.binary_length(column.dictionary), 0).to_numpy(), 0)
            codes = pc.fill_null(column.indices, -1).to_numpy(zero_copy_only=False)
            limits.check_bytes(f"{name}, column {field.name!r},", int(lengths[codes].sum(dtype=np.int64)))
            column = column.cast(field.type)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _bytes_shown(words: pa.Array) -> int:
    if words.buffers()[1] is None or not len(words):
        return 0
    lengths = _views(words)[:, 0]
    return int(lengths[words.is_valid().to_numpy(zero_copy_only=False)].sum(dtype=np.int64))


def is_index(label: str) -> bool:
    """Return whether a column is the row index that pandas adds, which is no column of the table."""
    return label.startswith("__index_level_")


def table_from_arrow(frame: pa.Table, name: str) -> Table:
    """Make a Table by the Arrow types of the columns; the row index that pandas adds is no column."""
    if not frame.num_rows:
        raise ReadError("has-rows", "{name} has no rows.", name=name)
    kept = [at for at, label in enumerate(frame.column_names) if not is_index(label)]
    return Table([column_from_arrow(frame.column_names[at], frame.column(at)) for at in kept])


def damaged(name: str, form: str, error: Exception) -> ReadError:
    """Return the error about a file that pyarrow cannot read."""
    reason = clip(error, 160).rstrip(".")
    return ReadError(
        "but-damaged-cut-short",
        "{name} is {form} but damaged or cut short ({reason}): download or write it again.",
        name=name,
        form=form,
        reason=reason,
    )
