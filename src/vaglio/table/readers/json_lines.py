"""Check that text is one flat JSON object per line, before it reaches a parser that trusts it to be so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from vaglio.errors import ReadError
from vaglio.messages.sentences import clip

# A value that is no object and no array. Parts do not overlap, so matching takes linear time.
_VALUE = rb'(?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|[^\s,"{}\[\]]++)'
_GAP = rb"[ \t\r]*+"
# Patterns of more keys than this take longer to compile than they save.
_MOST_KEYS = 500


class NotLines(Exception):
    """The text is not one flat object per line; it may still be one value over several lines."""


def check_lines(text: Any, name: str, loads: Callable[[bytes], Any]) -> tuple[int, set[str]]:
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
        row = _object(line, f"{name}, line {number}", loads, first=not rows)
        if any(isinstance(value, (dict, list)) for value in row.values()):
            _refuse_nested(row, f"{name}, line {number}", alone=not rows and not text[at:].strip())
        rows += 1
        keys.update(row)
        if pattern is None or rows % 64 == 0:
            pattern = _pattern(row)
    return rows, keys


def _object(line: bytes, where: str, loads: Callable[[bytes], Any], first: bool) -> dict[str, Any]:
    try:
        row = loads(line)
    except json.JSONDecodeError as error:
        said = f"{where}: not valid JSON ({str(error).split(':')[0]}); write one object per line."
        raise (NotLines if first else ReadError)(said) from None
    if not isinstance(row, dict):
        raise ReadError(f"{where}: {clip(json.dumps(row), 40)!r} is not a JSON object; write one object per line.")
    return row


def _refuse_nested(row: dict[str, Any], where: str, alone: bool) -> None:
    if alone:
        raise NotLines(where)
    column, value = next((key, value) for key, value in row.items() if isinstance(value, (dict, list)))
    raise ReadError(
        f"{where}: column {column!r} holds {clip(json.dumps(value), 40)}, which cannot be a cell of a table: convert "
        "it to numbers, words or dates first."
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
