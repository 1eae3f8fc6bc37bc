"""Read JSON lines, a JSON array of rows, or a JSON object of columns."""

from __future__ import annotations

import io
import json
import re
from functools import partial
from typing import Any

import pyarrow as pa
from pyarrow import json as arrow_json

from vaglio.errors import InputError, ReadError
from vaglio.messages.sentences import clip
from vaglio.table._arrow import column_from_arrow
from vaglio.table._table import Table
from vaglio.table.readers.blocks import in_blocks
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.json_lines import NotLines, check_lines

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# Digits of a whole number that may not fit into 64 bits.
_LONG = re.compile(rb"[0-9]{19}")
# Python objects take about so many times the bytes of their text.
_UNPACKED = 8


def read_json(text: Any, name: str, limits: Limits | None = None) -> Table:
    """Read UTF-8 JSON: one object per line, an array of objects, or an object of arrays."""
    limits = limits or Limits()
    if bytes(text[:4096]).lstrip()[:1] == b"[":
        return _whole(text, name, limits)
    try:
        rows, keys = check_lines(text, name, partial(loads, name=name, limits=limits))
    except NotLines as refusal:
        # It may be one object of columns over several lines; else the error names the line.
        try:
            return _whole(text, name, limits)
        except json.JSONDecodeError:
            raise ReadError(str(refusal)) from None
    if not keys:
        raise ReadError(f"{name} has no rows with a value.")
    limits.check_shape(name, rows, len(keys))
    try:
        frame = in_blocks(partial(_parse, text), len(text))
    except pa.ArrowInvalid as error:
        raise _explain(text, name, str(error), limits) from None
    return Table([column_from_arrow(name, frame.column(at)) for at, name in enumerate(frame.column_names)])


def loads(text: bytes, name: str, limits: Limits) -> Any:
    """Return the value of JSON text; brackets that nest too deep and numbers that are too long are refused."""
    if text.count(b"[") + text.count(b"{") > limits.nesting:
        _check_nesting(text, name, limits)
    try:
        # Decoded here: from bytes with zeros in them, json would guess another encoding.
        if _LONG.search(text):
            return json.loads(text.decode(), parse_int=partial(_whole_number, name=name, limits=limits))
        return json.loads(text.decode())
    except RecursionError:
        raise ReadError(f"{name} nests brackets deeper than Python can follow: flatten it first.") from None


def _check_nesting(text: bytes, name: str, limits: Limits) -> None:
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
    # Each pass takes the innermost pairs away, so the passes count the depth.
    for _ in range(limits.nesting):
        before = len(brackets)
        brackets = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(brackets) == before:
            break
    if len(brackets) > limits.nesting or (brackets and len(brackets) < before):
        limits.refuse("nesting", f"{name} nests brackets deeper than a table does", 4 * limits.nesting)


def _whole_number(word: str, name: str, limits: Limits) -> int | float:
    digits = len(word.lstrip("-"))
    if digits > limits.digits:
        limits.refuse("digits", f"{name} has a number of {digits:,} digits", digits)
    return int(word) if digits < 19 else float(word)


def _parse(text: Any, block: int) -> pa.Table:
    return arrow_json.read_json(
        pa.BufferReader(pa.py_buffer(text)), read_options=arrow_json.ReadOptions(block_size=block)
    )


def _whole(text: Any, name: str, limits: Limits) -> Table:
    limits.check_bytes(f"{name} is one JSON value, which", _UNPACKED * len(text))
    try:
        content = loads(bytes(text), name, limits)
    except json.JSONDecodeError as error:
        if bytes(text[:4096]).lstrip()[:1] == b"[":
            raise ReadError(f"{name}, line {error.lineno}: not valid JSON ({error.msg}); correct it there.") from None
        raise
    if isinstance(content, dict) and not all(isinstance(value, list) for value in content.values()):
        content = [content]
    if not content:
        raise ReadError(f"{name} has no rows.")
    if isinstance(content, dict):
        limits.check_shape(name, max(map(len, content.values())), len(content))
        _refuse_nested(content.values(), content)
    elif isinstance(content, list) and all(isinstance(row, dict) for row in content):
        limits.check_shape(name, len(content), len({key for row in content for key in row}))
        for row in content:
            _refuse_nested(([value] for value in row.values()), row)
    elif isinstance(content, list) and all(isinstance(row, list) for row in content):
        limits.check_shape(name, len(content), len(content[0]))
        for row in content:
            _refuse_nested([row], ["x"])
    return Table.from_any(content)


def _refuse_nested(columns: Any, names: Any) -> None:
    for column, cells in zip(names, columns):
        for cell in cells:
            if isinstance(cell, (dict, list)):
                raise InputError(
                    f"column {column!r} holds {clip(json.dumps(cell), 40)}, which cannot be a cell of a table: "
                    "convert it to numbers, words or dates first."
                )


def _explain(text: Any, name: str, reason: str, limits: Limits) -> ReadError:
    """Return an error that names the first line that is no JSON, or the first column of mixed types."""
    rows = []
    for number, line in enumerate(io.BytesIO(bytes(text)), start=1):
        if not line.strip():
            continue
        try:
            rows.append(loads(line, name, limits))
        except ValueError as error:
            return ReadError(
                f"{name}, line {number}: not valid JSON ({str(error).split(':')[0]}); write one object per line."
            )
    try:
        Table.from_any(rows)
    except InputError as error:
        return ReadError(f"{name}: {error}")
    return ReadError(f"{name} cannot be read as JSON lines: {reason.splitlines()[0]}.")
