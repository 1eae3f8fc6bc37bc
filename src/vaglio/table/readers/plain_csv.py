"""Large CSV files that are written in the plain way, read by a kernel of our own straight into columns.

Most large files are written by programs: no quotes, the same number of fields in every row, and nothing but numbers
in a column of numbers. pyarrow finds the types of the columns in the first rows, and the kernel reads all rows by these
types. It gives up a column at the first field that does not fit, and the text at the first row that is unusual. What it
leaves, the reader of :mod:`.csv` reads. Both give the same columns: pyarrow takes the first type in a fixed order that
fits all fields; the first rows show that no earlier type does, and the kernel that this one does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from vaglio import _core
from vaglio.errors import ReadError
from vaglio.runtime.threads import resolve_threads
from vaglio.table._column import Column
from vaglio.table.readers.csv import DELIMITERS, Dialect, parse_fields, words_for_missing

# Below this number of bytes pyarrow is as fast; the first of them show the types.
_LARGE = 1 << 20
_SAMPLE = 1 << 18
# What the kernel reads, by its own numbers of them; and the number of a column that it leaves.
_TYPES = {pa.int64(): 0, pa.float64(): 1, pa.date32(): 2, pa.string(): 3}
_OTHER = 4
# Words of which more than this share differ are many: to number them takes more memory than the text.
_MOSTLY_DIFFERENT = 0.5
# A word for "missing" that could start a number.
_NUMERAL = re.compile(r"\s*[-+.]?\d")


def read_plain(text: Any, name: str, dialect: Dialect, missing: Sequence[str]) -> dict[str, Column]:
    """Return the columns of a large text that are written in the plain way, by name.

    Parameters
    ----------
    text : bytes-like
        UTF-8, without what stands below the table.
    name : str
        Name of the source, for errors.
    dialect : Dialect
        How the text is written.
    missing : sequence of str
        Words that mean "no value".
    """
    start = _below_names(text, dialect)
    absent = words_for_missing(missing)
    if start is None or len(text) - start < _LARGE or any(map(_NUMERAL.match, absent)):
        return {}
    types = _types_of_first_rows(text, name, dialect, missing)
    numbers = [_OTHER if kind is None else _TYPES[kind] for kind in types]
    # If most of the columns are left to the other reader, it reads all of them in not much more time.
    if 2 * numbers.count(_OTHER) >= len(numbers):
        return {}
    rows = np.frombuffer(text, dtype=np.uint8)[start:]
    found = _core.read_plain(rows, ord(dialect.delimiter), numbers, absent, resolve_threads(-1))
    columns = zip(dialect.names, types, found or [])
    return {title: _column(title, kind, *column) for title, kind, column in columns if column is not None}


def _below_names(text: Any, dialect: Dialect) -> int | None:
    """Return where the rows below the names start; None if the text is not one that the kernel can read."""
    if dialect.delimiter not in DELIMITERS or dialect.decimal != "." or dialect.above or dialect.open:
        return None
    start = 0
    for _ in range(dialect.header):
        stop = text.find(b"\n", start) + 1
        line = bytes(text[start:stop])
        # Quotes may hold line ends; empty lines, and others that end in another way, pyarrow counts in its own way.
        if not line.strip() or b'"' in line or b"\r" in line[:-2]:
            return None
        start = stop
    return start


def _types_of_first_rows(text: Any, name: str, dialect: Dialect, missing: Sequence[str]) -> list[pa.DataType | None]:
    """Return the type of each column that the kernel can read, None of the others; [] if none is known."""
    sample = bytes(text[: text.rfind(b"\n", 0, _SAMPLE) + 1])
    if not sample or b'"' in sample:
        return []
    try:
        table = parse_fields(sample, name, dialect, missing)
    except ReadError:
        return []
    return [_readable(column) for column in table.columns] if table.num_rows else []


def _readable(column: pa.ChunkedArray) -> pa.DataType | None:
    if column.type == pa.string() and len(column.unique()) > _MOSTLY_DIFFERENT * len(column):
        return None
    return column.type if column.type in _TYPES else None


def _column(name: str, kind: pa.DataType, values: np.ndarray, words: list[str] | None) -> Column:
    if words is not None:
        return Column.nominal(name, values, words, storage=kind)
    if kind == pa.date32():
        return Column.numeric(name, values, level="interval", is_date=True, storage=kind)
    return Column.numeric(name, values, storage=kind)
