"""Copied columns: equal ones, multiples with a shift, and one-to-one recodings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from vaglio.messages.message import Message, text
from vaglio.quality.checks.context import Context, Finding
from vaglio.quality.profile import distinct_codes
from vaglio.table import Column

__all__ = ["copied_columns"]

# Two columns may divide a few rows alike by chance: their values must tell at least so many bits together.
_FEWEST_BITS = 12.0
# Of a column in which nearly every row has a value of its own, every other such column is a recoding.
_MOST_DISTINCT = 0.5
# An error of rounding, as a share of the largest value.
_ROUNDING = 1e-9


def copied_columns(context: Context) -> Iterator[Finding]:
    """Find columns that say what an earlier column says."""
    seen: dict[bytes, _Group] = {}
    bits = _FEWEST_BITS + 2 * np.log2(max(1, len(context.inputs)))
    for name in context.inputs:
        column, profile = context.columns[name], context.profiles[name]
        if column.kind == "text" or profile.n_distinct < 2:
            continue
        parts = _parts(column.take(context.sample))
        if _information(parts) < bits:
            continue
        group = seen.setdefault(hashlib.sha256(parts.tobytes()).digest(), _Group())
        telling = profile.n_distinct <= _MOST_DISTINCT * profile.n_present
        for earlier in group.names if telling else group.candidates(column):
            message = _relation(context.columns[earlier], column, telling)
            if message is not None:
                yield Finding(
                    "copy",
                    "medium",
                    message,
                    text(
                        "Leave one of them out: naive Bayes counts what they say twice, so that a probability of 80% "
                        "from one of them becomes 94%; coefficients of linear models are divided between them."
                    ),
                    (name, earlier),
                    details={"of": earlier},
                )
                break
        group.append(column)


class _Group:
    """Columns that divide the rows alike, and which of them a further one may repeat or be a multiple of.

    All columns of measurements without repeated values are one group, and a wide table may consist of them: candidates
    are found without looking at each pair.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._words: dict[int, list[str]] = {}
        self._numbers: list[str] = []
        # Of each column of numbers: the rows and the values of its lowest, its highest and its median value.
        self._rows = np.empty((0, 3), dtype=np.int64)
        self._values = np.empty((0, 3))

    def candidates(self, column: Column) -> list[str]:
        """Return the columns of the group that this one may follow from, in their order."""
        if column.kind == "numeric":
            return self._on_a_line(column.data)
        return self._words.get(_hash_of_words(column), [])

    def append(self, column: Column) -> None:
        """Take a column into the group."""
        self.names.append(column.name)
        if column.kind != "numeric":
            self._words.setdefault(_hash_of_words(column), []).append(column.name)
            return
        n, x = len(self._numbers), column.data
        if n == len(self._rows):
            self._rows = np.resize(self._rows, (2 * n + 8, 3))
            self._values = np.resize(self._values, (2 * n + 8, 3))
        known = np.flatnonzero(~column.missing)
        order = known[np.argsort(x[known], kind="stable")]
        self._rows[n] = np.nanargmin(x), np.nanargmax(x), order[len(order) // 2]
        self._values[n] = x[self._rows[n]]
        self._numbers.append(column.name)

    def _on_a_line(self, y: np.ndarray) -> list[str]:
        """Return the columns whose median value follows from this one's by the line through the two ends."""
        n = len(self._numbers)
        x_low, x_high, x_median = self._values[:n].T
        y_low, y_high, y_median = y[self._rows[:n]].T
        with np.errstate(all="ignore"):
            slope = (y_high - y_low) / (x_high - x_low)
            shift = y_low - slope * x_low
            largest = np.maximum(np.nanmax(np.abs(y)), np.abs(shift))
            # What cannot be computed is not ruled out.
            off = np.abs(slope * x_median + shift - y_median) > _ROUNDING * largest
        return [self._numbers[place] for place in np.flatnonzero(~off)]


def _hash_of_words(column: Column) -> int:
    return hash(tuple(column.values.tolist()))


def _parts(column: Column) -> np.ndarray:
    """Return for each row the first row with the same value: equal for columns that are recoded one to one."""
    codes = column.data if column.kind == "nominal" else distinct_codes(column.data, column.missing)[0]
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse.ravel()], dtype=np.int64)


def _information(parts: np.ndarray) -> float:
    """Return the bits that the values of all rows tell."""
    counts = np.bincount(np.unique(parts, return_inverse=True)[1])
    return float(-(counts * np.log2(counts / len(parts))).sum())


def _relation(one: Column, other: Column, telling: bool) -> Message | None:
    """Return how a column follows from an earlier one that divides the rows alike; None if only by order of values."""
    named = {"column": other.name, "of": one.name}
    if one.kind == other.kind == "numeric":
        known = ~one.missing
        x, y = one.data[known], other.data[known]
        if np.array_equal(one.data, other.data, equal_nan=True):
            return Message("copied-column", "Column {column!r} repeats {of!r}: all values are equal.", **named)
        low, high = int(np.argmin(x)), int(np.argmax(x))
        with np.errstate(over="ignore", invalid="ignore"):
            slope = float((y[high] - y[low]) / (x[high] - x[low]))
            shift = float(y[low] - slope * x[low])
            largest = max(np.abs(y).max(), abs(shift))
            close = np.abs(slope * x + shift - y) <= _ROUNDING * largest
        if close.all():
            return Message(
                "multiple-of-column",
                "Column {column!r} follows from {of!r}: it is {slope:.6g} times {of!r} plus {shift:.6g}.",
                slope=slope,
                shift=0.0 if abs(shift) <= _ROUNDING * largest else shift,
                **named,
            )
    elif one.kind == other.kind and one.values.tolist() == other.values.tolist():
        return Message("copied-column", "Column {column!r} repeats {of!r}: all values are equal.", **named)
    if not telling or not np.array_equal(_parts(one), _parts(other)):
        return None
    return Message(
        "recoded-column",
        "Column {column!r} is {of!r} under other names: every value stands for one of its values.",
        **named,
    )
