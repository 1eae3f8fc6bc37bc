"""Read JSON lines, a JSON array of rows, or a JSON object of columns.

Text is checked to be one flat JSON object per line before it reaches a parser that trusts it to be so.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json as arrow_json

from vaglio.errors import InputError, ReadError
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip
from vaglio.table._arrow import column_from_arrow
from vaglio.table._table import Table
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.csv import in_blocks

# A value that is no object and no array. Parts do not overlap, so matching takes linear time.
_VALUE = rb'(?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|[^\s,"{}\[\]]++)'
_GAP = rb"[ \t\r]*+"
# Patterns of more keys than this take longer to compile than they save.
_MOST_KEYS = 500
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# Digits of a whole number that may not fit into 64 bits.
_LONG = re.compile(rb"[0-9]{19}")
# The longest whole numbers of Arrow.
_DIGITS = pa.decimal256(76, 0)
# Python objects take about so many times the bytes of their text.
_UNPACKED = 8


class NotLines(Exception):
    """The text is not one flat object per line; it may still be one value over several lines.

    The argument is the error to raise if it is not.
    """


def _check_lines(text: Any, name: str, loads: Callable[[bytes], Any]) -> tuple[int, set[str]]:
    """Return the number of rows and the keys that occur.

    The keys of a line serve as a pattern for the next lines. Only a line that does not fit it is parsed here.

    Parameters
    ----------
    text : bytes-like
    name : str
        Name of the source, for errors.
    loads : function
        Parses one line.
    """
    keys: set[str] = set()
    rows = number = at = 0
    pattern = None
    while at < len(text):
        if pattern is not None and (found := pattern.match(text, at)) and found.end() > at:
            lines = found[0].count(b"\n")
            rows, number, at = rows + lines, number + lines, found.end()
            continue
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end + 1
        line, at, number = bytes(text[at:end]), end, number + 1
        if not line.strip():
            continue
        first = not rows
        try:
            row = loads(line)
        except json.JSONDecodeError as error:
            refusal = _not_json(name, number, error)
            raise (NotLines(refusal) if first else refusal) from None
        if not isinstance(row, dict):
            raise ReadError(
                "not-json-object",
                "{name}, line {line:,}: {found} is not a JSON object. Write one object per line.",
                name=name,
                line=number,
                found=clip(json.dumps(row), 40),
            )
        if any(isinstance(value, (dict, list)) for value in row.values()):
            column, value = next((key, value) for key, value in row.items() if isinstance(value, (dict, list)))
            if first and not text[at:].strip():
                raise NotLines(_nested(column, value).at(_line(name, number)))
            raise ReadError(_nested(column, value).at(_line(name, number)).message)
        rows += 1
        keys.update(row)
        if pattern is None or rows % 64 == 0:
            pattern = _pattern(row)
    return rows, keys


def _line(name: str, number: int) -> Message:
    return Message("", "{name}, line {line:,}", name=name, line=number)


def _nested(column: str, value: Any) -> InputError:
    return InputError(
        "cell-type-not-supported",
        "Column {column!r} holds {found}, which a table cell cannot hold. Convert it to numbers, words or dates first.",
        column=column,
        found=clip(json.dumps(value), 40),
    )


def _not_json(name: str, number: int, error: ValueError) -> ReadError:
    return ReadError(
        "invalid-json-line",
        "{name}, line {line:,} is not valid JSON ({reason}). Write one object per line.",
        name=name,
        line=number,
        reason=str(error).split(":")[0],
    )


def _pattern(keys: Iterable[str]) -> re.Pattern[bytes] | None:
    """Return a pattern of lines that have these keys, or some of them, in this order."""
    known = list(keys)
    if not 0 < len(known) <= _MOST_KEYS or not all(key.isascii() and key.isprintable() for key in known):
        return None
    if any(mark in key for key in known for mark in '"\\'):
        return None
    # Each key may be absent. A comma too many passes here, and fails in the parser.
    parts = [
        b"(?:" + b'"' + re.escape(key.encode()) + b'"' + _GAP + b":" + _GAP + _VALUE + _GAP + b",?+" + _GAP + b")?+"
        for key in known
    ]
    line = _GAP + rb"\{" + _GAP + b"".join(parts) + rb"\}" + _GAP + rb"\n"
    return re.compile(b"(?:" + line + b")++")


def read_json(text: Any, name: str, limits: Limits | None = None) -> Table:
    """Read UTF-8 JSON: one object per line, an array of objects, or an object of arrays."""
    limits = limits or Limits()
    if bytes(text[:4096]).lstrip()[:1] == b"[":
        return _whole(text, name, limits)
    try:
        rows, keys = _check_lines(text, name, partial(loads, name=name, limits=limits))
    except NotLines as refusal:
        # It may be one object of columns over several lines; else the error names the line.
        try:
            return _whole(text, name, limits)
        except json.JSONDecodeError:
            raise ReadError(refusal.args[0].message) from None
    if not keys:
        raise ReadError("json-without-values", "{name} has no rows with a value.", name=name)
    limits.check_shape(name, rows, len(keys))
    try:
        frame = in_blocks(partial(_parse, text), len(text))
        if dates := [field.name for field in frame.schema if pa.types.is_timestamp(field.type)]:
            # JSON has no dates: what pyarrow takes for some are words, and are read as words of other formats are.
            again = in_blocks(partial(_parse, text, types=dict.fromkeys(dates, pa.string())), len(text))
            frame = again.select(frame.column_names)
        if long_ones := _beyond_64_bits(frame):
            frame = _with_digits(frame, text, long_ones)
    except pa.ArrowInvalid as error:
        raise _explain(text, name, str(error), limits) from None
    return Table([column_from_arrow(name, frame.column(at)) for at, name in enumerate(frame.column_names)])


def loads(text: bytes, name: str, limits: Limits) -> Any:
    """Return the value of JSON text; brackets that nest too deep and numbers that are too long are refused."""
    if text.count(b"[") + text.count(b"{") > limits.nesting:
        brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
        # Each pass takes the innermost pairs away, so the passes count the depth.
        for _ in range(limits.nesting):
            before = len(brackets)
            brackets = brackets.replace(b"{}", b"").replace(b"[]", b"")
            if len(brackets) == before:
                break
        if len(brackets) > limits.nesting or (brackets and len(brackets) < before):
            found = Message("", "{name} nests brackets deeper than a table does", name=name)
            limits.refuse("nesting", found, 4 * limits.nesting)
    try:
        # Decoded here: from bytes with zeros in them, json would guess another encoding.
        if _LONG.search(text):
            return json.loads(text.decode(), parse_int=partial(_whole_number, name=name, limits=limits))
        return json.loads(text.decode())
    except RecursionError:
        raise ReadError(
            "json-too-deep", "{name} nests brackets deeper than Python can follow. Flatten it first.", name=name
        ) from None


def _whole_number(word: str, name: str, limits: Limits) -> int:
    digits = len(word.lstrip("-"))
    if digits > limits.digits:
        limits.refuse("digits", Message("", "{name} has a number of {n:,} digits", name=name, n=digits), digits)
    return int(word)


def _parse(text: Any, block: int, types: Mapping[str, pa.DataType] | None = None) -> pa.Table:
    return arrow_json.read_json(
        pa.BufferReader(pa.py_buffer(text)),
        read_options=arrow_json.ReadOptions(block_size=block),
        parse_options=arrow_json.ParseOptions(explicit_schema=pa.schema((types or {}).items())),
    )


def _beyond_64_bits(frame: pa.Table) -> list[str]:
    """Return the columns in which a whole number may have become a float64, for want of bits."""
    ends = {
        field.name: pc.min_max(column).as_py()
        for field, column in zip(frame.schema, frame.columns)
        if pa.types.is_floating(field.type)
    }
    return [name for name, end in ends.items() if end["max"] is not None and max(end["max"], -end["min"]) >= 2**63]


def _with_digits(frame: pa.Table, text: Any, names: Sequence[str]) -> pa.Table:
    """Return the columns with all digits of their numbers, if these are whole numbers of up to 76 digits."""
    for name in names:
        try:
            again = in_blocks(partial(_parse, text, types={name: _DIGITS}), len(text))
        except pa.ArrowInvalid:
            continue
        frame = frame.set_column(frame.schema.get_field_index(name), name, again.column(name))
    return frame


def _whole(text: Any, name: str, limits: Limits) -> Table:
    limits.check_bytes(Message("", "{name} is one JSON value, which", name=name), _UNPACKED * len(text))
    try:
        content = loads(bytes(text), name, limits)
    except json.JSONDecodeError as error:
        if bytes(text[:4096]).lstrip()[:1] == b"[":
            raise ReadError(
                "invalid-json",
                "{name}, line {line:,}: not valid JSON ({reason}). Correct it there.",
                name=name,
                line=error.lineno,
                reason=error.msg,
            ) from None
        raise
    if isinstance(content, dict) and not all(isinstance(value, list) for value in content.values()):
        content = [content]
    if not content:
        raise ReadError("file-without-rows", "{name} has no rows.", name=name)
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
                raise _nested(column, cell)


def _explain(text: Any, name: str, reason: str, limits: Limits) -> ReadError:
    """Return an error that names the first line that is no JSON, or the first column of mixed types."""
    rows = []
    for number, line in enumerate(io.BytesIO(bytes(text)), start=1):
        if not line.strip():
            continue
        try:
            rows.append(loads(line, name, limits))
        except ValueError as error:
            return _not_json(name, number, error)
    try:
        Table.from_any(rows)
    except InputError as error:
        return ReadError(error.at(name).message)
    return ReadError(
        "not-json-lines", "{name} cannot be read as JSON lines: {reason}.", name=name, reason=reason.splitlines()[0]
    )
