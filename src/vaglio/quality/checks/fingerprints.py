"""Find equal rows, exactly, in memory that does not grow with the number of columns.

Each row gets a 64-bit fingerprint, computed column by column. Only rows whose fingerprint occurs twice are compared
value by value, so that two different rows with the same fingerprint are never taken for equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vaglio.table import Column

__all__ = ["fingerprint", "repeated_groups"]

# Rows at a time: their fingerprints (256 KB) stay in the cache while column after column is mixed in.
_CHUNK = 1 << 15
# Large odd numbers and a shift that spread every bit over the whole fingerprint; any others like them would do.
_START = 0x2545F4914F6CDD1D
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)
# One bit pattern for all NaN, which have many.
_MISSING = np.uint64(0x7FF8000000000000)


def _bits(column: Column, part: slice) -> np.ndarray:
    """Return the values as 64-bit integers that are equal when the values are equal."""
    values = column.data[part]
    if column.kind == "numeric":
        bits = (values + 0.0).view(np.uint64)  # −0.0 + 0.0 is +0.0
        bits[np.isnan(values)] = _MISSING
        return bits
    if column.kind == "nominal":
        return values.astype(np.int64).view(np.uint64)
    return np.fromiter(map(hash, values.tolist()), dtype=np.int64, count=len(values)).view(np.uint64)


def fingerprint(columns: Iterable[Column], n_rows: int, start: np.ndarray | None = None) -> np.ndarray:
    """Return a number per row; equal rows have equal numbers. ``start`` adds columns to earlier fingerprints."""
    out = np.full(n_rows, _START, dtype=np.uint64) if start is None else start.copy()
    columns = list(columns)
    for begin in range(0, n_rows, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        mixed = out[part]
        for column in columns:
            mixed ^= _bits(column, part)
            mixed *= _MULTIPLIER
            mixed ^= mixed >> _SHIFT
            mixed *= _SECOND
    return out


def repeated_groups(prints: np.ndarray, columns: Sequence[Column]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that occur more than once, and the number of the group of equal rows that each belongs to.

    Rows are ordered by group, and within a group as in the table.
    """
    ordered = np.sort(prints)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    wanted = twice[np.append(True, twice[1:] != twice[:-1])]
    place = np.minimum(np.searchsorted(wanted, prints), len(wanted) - 1)
    rows = np.flatnonzero(wanted[place] == prints)
    group = place[rows]
    order = np.argsort(group, kind="stable")
    rows, group = rows[order], group[order]
    return _verified(rows, group, columns)


def _verified(rows: np.ndarray, group: np.ndarray, columns: Sequence[Column]) -> tuple[np.ndarray, np.ndarray]:
    """Split the groups in which two different rows share a fingerprint."""
    first = rows[np.searchsorted(group, group)]
    same = np.ones(len(rows), dtype=bool)
    for column in columns:
        a, b = column.data[rows], column.data[first]
        equal = a == b
        if column.kind == "numeric":
            equal |= np.isnan(a) & np.isnan(b)
        same &= equal
    if same.all():
        return rows, group
    keys = [column.data[rows] for column in columns]
    seen: dict[tuple[str, ...], int] = {}
    fixed = np.array([seen.setdefault(tuple(str(key[i]) for key in keys), len(seen)) for i in range(len(rows))])
    order = np.argsort(fixed, kind="stable")
    rows, fixed = rows[order], fixed[order]
    often = np.bincount(fixed)[fixed] > 1
    return rows[often], fixed[often]
