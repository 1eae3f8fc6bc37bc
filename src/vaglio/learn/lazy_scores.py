"""Scores on rows outside memory: sums over the rows that have the same bits on any partitioning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vaglio.encode import aligned_labels
from vaglio.errors import InputError
from vaglio.fitted import Fitted
from vaglio.scale.engines import scanned_parts
from vaglio.scale.exact_sums import ExactSum
from vaglio.scale.frames import TARGET, WEIGHT, dask_together
from vaglio.table import LazyTable, Table
from vaglio.table.lazy import labels, numbers

_ROWS = 1 << 16


def accuracy_outside(fitted: Fitted, X: Any, y: Any, weight: Any) -> float:
    """Return the share of rows whose class is predicted; rows without a class are left out."""
    right, whole = ExactSum.of([]), ExactSum.of([])
    for predicted, true, weights in _predicted(fitted, X, y, weight, regression=False):
        counts = np.ones(len(true)) if weights is None else weights
        right = right.merge(ExactSum.of(counts[predicted == aligned_labels(true, fitted.classes)]))
        whole = whole.merge(ExactSum.of(counts))
    if whole.value == 0:
        raise InputError("No row has a class and a weight above zero, so that there is nothing to score.")
    return right.value / whole.value


def determination_outside(fitted: Fitted, X: Any, y: Any, weight: Any) -> float:
    """Return the coefficient of determination; rows without a number are left out."""
    sums = [ExactSum.of([]) for _ in range(4)]
    for predicted, true, weights in _predicted(fitted, X, y, weight, regression=True):
        w = np.ones(len(true)) if weights is None else weights
        for at, terms in enumerate((w, w * true, w * true * true, w * (true - predicted) ** 2)):
            sums[at] = sums[at].merge(ExactSum.of(terms))
    total, first, second, error = (each.value for each in sums)
    if total == 0:
        raise InputError("No row has a number and a weight above zero, so that there is nothing to score.")
    spread = second - first * first / total
    return 1 - error / spread if spread > 0 else float(error == 0)


def labelled_chunks(X: Any, y: Any, weight: Any) -> Iterator[tuple[Table, np.ndarray, np.ndarray | None]]:
    """Return the rows whose class is known, chunk by chunk, with their classes and weights."""
    for table, target, weights in _tables(X, y, weight):
        rows = np.flatnonzero(~table.column(target).missing)
        if len(rows):
            known = table.take(rows)
            inputs = known.select([name for name in known.columns if name not in (target, weights)])
            yield inputs, labels(known.column(target)), None if weights is None else known.column(weights).data


def _predicted(
    fitted: Fitted, X: Any, y: Any, weight: Any, regression: bool
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    for table, target, weights in _tables(X, y, weight):
        column = table.column(target)
        rows = np.flatnonzero(~column.missing)
        if len(rows):
            known = table.take(rows)
            true = numbers(known.column(target)) if regression else labels(known.column(target))
            w = None if weights is None else known.column(weights).data
            yield fitted.predict(known), true, w


def _tables(X: Any, y: Any, weight: Any) -> Iterator[tuple[Table, str, str | None]]:
    if isinstance(X, LazyTable):
        for part in scanned_parts(X, y, weight, False):
            for table in part.part.tables(part.reading, _ROWS):
                yield table, part.wanted.target, part.wanted.weight
        return
    joined = dask_together(X, y, weight)
    for partition in joined.to_delayed():
        yield Table.from_any(partition.compute()), TARGET, None if weight is None else WEIGHT
