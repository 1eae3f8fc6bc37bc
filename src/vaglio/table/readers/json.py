"""Read JSON lines, a JSON array of rows, or a JSON object of columns."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
from pyarrow import json as arrow_json

from vaglio.errors import ReadError
from vaglio.table._arrow import column_from_arrow
from vaglio.table._table import Table


def read_json(text: Any, name: str) -> Table:
    """Read UTF-8 JSON: one object per line, an array of objects, or an object of arrays."""
    start = bytes(text[:4096]).lstrip()[:1]
    if start == b"[":
        return _whole(text, name)
    try:
        return read_lines(text)
    except pa.ArrowInvalid as error:
        # It may be one object of columns over several lines; else the error names the line.
        try:
            return _whole(text, name)
        except json.JSONDecodeError:
            raise _explain(text, name, str(error)) from None


def read_lines(text: Any) -> Table:
    """Read one object per line, typed by its values; raises the error of pyarrow if that fails."""
    # pyarrow reads in blocks, and a row must fit into one.
    block = max(1 << 20, 2 * _longest_start(text))
    frame = arrow_json.read_json(
        pa.BufferReader(pa.py_buffer(text)), read_options=arrow_json.ReadOptions(block_size=block)
    )
    if any(pa.types.is_nested(kind) for kind in frame.schema.types) and frame.num_rows == 1:
        raise pa.ArrowInvalid("one object of columns, not one object per line")
    return Table([column_from_arrow(name, frame.column(name)) for name in frame.column_names])


def _longest_start(text: Any) -> int:
    first = text.find(b"\n")
    return len(text) if first < 0 else first


def _whole(text: Any, name: str) -> Table:
    try:
        content = json.loads(bytes(text))
    except json.JSONDecodeError as error:
        if bytes(text[:4096]).lstrip()[:1] == b"[":
            raise ReadError(f"{name}, line {error.lineno}: not valid JSON ({error.msg}); correct it there.") from None
        raise
    if isinstance(content, dict) and not all(isinstance(value, list) for value in content.values()):
        content = [content]
    if not content:
        raise ReadError(f"{name} has no rows.")
    return Table.from_any(content)


def _explain(text: Any, name: str, reason: str) -> ReadError:
    """Return an error that names the first line that is no object, or the first column of mixed types."""
    rows = []
    for number, line in enumerate(io.BytesIO(bytes(text)), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            return ReadError(
                f"{name}, line {number}: not valid JSON ({str(error).split(':')[0]}); write one object per line."
            )
        if not isinstance(row, dict):
            return ReadError(
                f"{name}, line {number}: {str(row)[:40]!r} is not a JSON object; write one object per line."
            )
        rows.append(row)
    try:
        Table.from_any(rows)
    except ValueError as error:
        return ReadError(f"{name}: {error}")
    return ReadError(f"{name} cannot be read as JSON lines: {reason}.")
