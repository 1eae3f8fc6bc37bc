"""Repeated rows: duplicates, equal rows of different classes, keys with different content.

Equal rows are found exactly, in memory that does not grow with the number of columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context, Finding, cleaning_choice, listed_rows
from vaglio.table import Column

__all__ = ["fingerprint", "repeated_groups", "repeated_keys", "repeated_rows", "surplus"]

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


def surplus(rows: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return the rows that repeat an earlier one."""
    again = np.append(False, group[1:] == group[:-1]) if len(group) else np.empty(0, dtype=bool)
    return np.sort(rows[again])


def repeated_rows(context: Context) -> Iterator[Finding]:
    """Find rows that are equal in all columns, in all but identifiers, or in all but the class."""
    n = len(context.table)
    names = [name for name in context.columns if name not in context.identifiers and name != context.target]
    inputs = [*(context.columns[name] for name in names), *context.packed]
    keys = [context.columns[name] for name in context.identifiers]
    target = [] if context.target is None else [context.columns[context.target]]
    # Each fingerprint continues the one before: every column is read once.
    without_class = fingerprint(inputs, n)
    content = fingerprint(target, n, without_class) if target else without_class
    whole = fingerprint(keys, n, content) if keys else content
    again = surplus(*repeated_groups(whole, [*inputs, *target, *keys]))
    if len(again):
        yield Finding(
            "duplicates",
            "medium",
            Message(
                "duplicate-rows",
                "{n:,} {n:row equals|rows equal} an earlier row in every column.",
                n=len(again),
            ),
            text(
                "If they are records entered twice, use {option}; otherwise copies of training rows may be among "
                "the test "
                "rows.",
                option=cleaning_choice("duplicates", "drop"),
            ),
            rows=listed_rows(again),
            n_rows=len(again),
        )
    if keys:
        yield from _repeated_content(context, content, [*inputs, *target], len(again))
    if target:
        yield from _contradictions(context, without_class, inputs)


def _repeated_content(
    context: Context, prints: np.ndarray, columns: Sequence[Column], n_whole: int
) -> Iterator[Finding]:
    again = surplus(*repeated_groups(prints, columns))
    if len(again) <= n_whole:
        return
    yield Finding(
        "repeated-content",
        "low",
        Message(
            "repeated-content",
            "{n:,} {n:row equals|rows equal} an earlier row in all columns except {columns}.",
            n=len(again),
            columns=listed(context.identifiers, quoted=True),
        ),
        text(
            "The model counts them twice. Keep equal rows together when you split the table ({option}).",
            option=Option("groups"),
        ),
        tuple(context.identifiers),
        listed_rows(again),
        len(again),
    )


def _contradictions(context: Context, prints: np.ndarray, columns: Sequence[Column]) -> Iterator[Finding]:
    rows, group = repeated_groups(prints, columns)
    codes = context.target_codes[rows] if context.target_codes is not None else np.empty(0)
    known = codes >= 0
    rows, group, codes = rows[known], group[known], codes[known]
    if not len(rows):
        return
    starts = np.append(0, np.flatnonzero(group[1:] != group[:-1]) + 1)
    mixed = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
    inside = np.repeat(mixed, np.diff(np.append(starts, len(rows))))
    if not inside.any():
        return
    n_rows, n_groups = int(inside.sum()), int(mixed.sum())
    share = n_rows / len(context.table)
    if context.numbers is not None:
        yield _noise(context, rows[inside], group[inside], n_groups)
        return
    yield Finding(
        "inconsistent",
        "high" if share > 0.05 else "medium",
        Message(
            "contradictory-rows",
            "{n:,} rows in {groups:,} {groups:group|groups} have the same attributes and different classes.",
            n=n_rows,
            groups=n_groups,
        ),
        text("No model can predict all of them. Check the labels, or look for an attribute that separates them."),
        (context.target,) if context.target else (),
        listed_rows(np.sort(rows[inside])),
        n_rows,
        {"groups": n_groups},
    )


def _noise(context: Context, rows: np.ndarray, group: np.ndarray, n_groups: int) -> Finding:
    """Say how much the target varies among rows that a model cannot tell apart: no error can be smaller."""
    assert context.numbers is not None
    codes = np.unique(group, return_inverse=True)[1]
    # In a unit of their own size, of which squares are still numbers.
    power = int(np.frexp(np.abs(context.numbers[rows]).max())[1])
    values = np.ldexp(context.numbers[rows], -power)
    counts = np.bincount(codes)
    means = np.bincount(codes, weights=values) / counts
    # Each group has one degree of freedom less than rows.
    spread = float(np.ldexp(np.sqrt(np.square(values - means[codes]).sum() / (len(rows) - len(counts))), power))
    return Finding(
        "inconsistent",
        "low",
        Message(
            "rows-of-other-numbers",
            "{n:,} rows in {groups:,} {groups:group|groups} have the same attributes and different values of "
            "{target!r} (standard deviation {spread:.4g}).",
            n=len(rows),
            groups=n_groups,
            target=context.target,
            spread=spread,
        ),
        text("On such rows no model has a smaller RMSE. An attribute that separates them would help."),
        (context.target,) if context.target else (),
        listed_rows(np.sort(rows)),
        len(rows),
        {"groups": n_groups, "deviation": spread},
    )


def repeated_keys(context: Context) -> Iterator[Finding]:
    """Find values of an identifier that occur in several rows with different content."""
    n = len(context.table)
    for name in context.identifiers:
        column, profile = context.columns[name], context.profiles[name]
        if profile.n_distinct == profile.n_present:
            continue
        rows, group = repeated_groups(fingerprint([column], n), [column])
        present = ~column.missing[rows]
        rows, group = rows[present], group[present]
        others = [c for other, c in context.columns.items() if other not in context.identifiers] + context.packed
        part = [c.take(rows) for c in others]
        prints = fingerprint(part, len(rows))
        starts = np.append(0, np.flatnonzero(group[1:] != group[:-1]) + 1)
        differ = np.minimum.reduceat(prints, starts) != np.maximum.reduceat(prints, starts)
        inside = np.repeat(differ, np.diff(np.append(starts, len(rows))))
        if inside.any():
            yield Finding(
                "repeated-key",
                "medium",
                Message(
                    "repeated-key",
                    "Column {column!r}: {n:,} {n:value occurs|values occur} in several rows with different content.",
                    column=name,
                    n=int(differ.sum()),
                ),
                text("If the column is a key, one of the rows is wrong or the key is incomplete."),
                (name,),
                listed_rows(np.sort(rows[inside])),
                int(inside.sum()),
            )
