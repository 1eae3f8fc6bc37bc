"""Read Parquet, Arrow and Feather files."""

from __future__ import annotations

import mmap
from typing import Any

import pyarrow as pa

from vaglio.errors import ReadError
from vaglio.table._arrow import column_from_arrow
from vaglio.table._column import Column
from vaglio.table._table import Table


def read_parquet(data: Any, name: str) -> Table:
    """Read a Parquet file."""
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(pa.BufferReader(pa.py_buffer(data))) as file:
            if not file.metadata.num_rows:
                raise ReadError(f"{name} has no rows.")
            names = [label for label in file.schema_arrow.names if not label.startswith("__index_level_")]
            if len(set(names)) < len(names):  # a column is read by its name, which must be unique
                return table_from_arrow(file.read(), name)
            return Table([_read_column(file, label, data) for label in names])
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, "Parquet", error) from None


def _read_column(file: Any, label: str, data: Any) -> Column:
    """Read one column and release its Arrow form at once, so that memory never holds a second copy of the table."""
    column = column_from_arrow(label, file.read(columns=[label]).column(0))
    # Pages of a mapped file count as memory of the process until the system needs the room: release them at once.
    # Windows has no such call (and files are not mapped there).
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED)
    return column


def read_feather(data: Any, name: str) -> Table:
    """Read an Arrow file or stream, or a Feather file."""
    from pyarrow import feather, ipc

    buffer = pa.py_buffer(data)
    head = bytes(data[:6])
    try:
        if head.startswith(b"FEA1"):
            frame = feather.read_table(pa.BufferReader(buffer))
        elif head == b"ARROW1":
            frame = ipc.open_file(pa.BufferReader(buffer)).read_all()
        else:
            frame = ipc.open_stream(pa.BufferReader(buffer)).read_all()
        # Arrow trusts the offsets in the file; wrong ones would crash the process later.
        frame.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, "Arrow/Feather", error) from None
    return table_from_arrow(frame, name)


def table_from_arrow(frame: pa.Table, name: str) -> Table:
    """Make a Table by the Arrow types of the columns; the row index that pandas adds is no column."""
    if not frame.num_rows:
        raise ReadError(f"{name} has no rows.")
    kept = [at for at, label in enumerate(frame.column_names) if not label.startswith("__index_level_")]
    return Table([column_from_arrow(frame.column_names[at], frame.column(at)) for at in kept])


def _damaged(name: str, form: str, error: Exception) -> ReadError:
    reason = str(error).splitlines()[0].rstrip(".")
    return ReadError(f"{name} is {form} but damaged or cut short ({reason}): download or write it again.")
