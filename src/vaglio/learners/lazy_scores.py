"""Scores on rows outside memory: sums over the rows that have the same bits on any partitioning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from vaglio.encode import aligned_labels
from vaglio.engines.by_parts import each_table
from vaglio.engines.engines import same_table
from vaglio.engines.exact_sums import ExactSum
from vaglio.engines.frames import TARGET, WEIGHT, dask_together
from vaglio.errors import InputError
from vaglio.fitted import Fitted
from vaglio.table import LazyTable, Table
from vaglio.table.lazy import labels, numbers

# Inputs, classes (or numbers to predict) and weights of some rows.
Labelled = tuple[Table, np.ndarray, np.ndarray | None]


def accuracy_outside(fitted: Fitted, X: Any, y: Any, weight: Any) -> float:
    """Return the share of rows whose class is predicted; rows without a class are left out."""
    right, whole = ExactSum.of([]), ExactSum.of([])
    for here, all_here in each_labelled(partial(_right, fitted), X, y, weight):
        right, whole = right.merge(here), whole.merge(all_here)
    if whole.value == 0:
        raise InputError("No row has a class and a weight above zero, so that there is nothing to score.")
    return right.value / whole.value


def _right(fitted: Fitted, rows: Labelled) -> tuple[ExactSum, ExactSum]:
    inputs, true, weights = rows
    counts = np.ones(len(true)) if weights is None else weights
    hits = fitted.predict(inputs) == aligned_labels(true, fitted.classes)
    return ExactSum.of(counts[hits]), ExactSum.of(counts)


def determination_outside(fitted: Fitted, X: Any, y: Any, weight: Any) -> float:
    """Return the coefficient of determination; rows without a number are left out."""
    sums = [ExactSum.of([]) for _ in range(4)]
    for here in each_labelled(partial(_squares, fitted), X, y, weight, regression=True):
        sums = [a.merge(b) for a, b in zip(sums, here)]
    total, first, second, error = (each.value for each in sums)
    if total == 0:
        raise InputError("No row has a number and a weight above zero, so that there is nothing to score.")
    spread = second - first * first / total
    return 1 - error / spread if spread > 0 else float(error == 0)


def _squares(fitted: Fitted, rows: Labelled) -> list[ExactSum]:
    inputs, true, weights = rows
    w = np.ones(len(true)) if weights is None else weights
    error = w * (true - fitted.predict(inputs)) ** 2
    return [ExactSum.of(terms) for terms in (w, w * true, w * true * true, error)]


def each_labelled(
    function: Callable[[Labelled], Any], X: Any, y: Any, weight: Any = None, regression: bool = False
) -> Iterator[Any]:
    """Yield what a function returns for the rows whose class (or number) is known, chunk by chunk.

    Parameters
    ----------
    function : callable
        From inputs, classes and weights; picklable, because on a cluster it runs where the rows are.
    X : LazyTable or Dask frame
    y : LazyColumn or Dask series
    weight : LazyColumn, Dask series or None
    regression : bool, default=False
        Whether y is a number.
    """
    if isinstance(X, LazyTable):
        source, target, weights = same_table(X, y, weight)
    else:
        source, target, weights = dask_together(X, y, weight), TARGET, None if weight is None else WEIGHT
    work = partial(_labelled, function, target, weights, regression)
    return (found[0] for found in each_table(work, source) if found)


def _labelled(
    function: Callable[[Labelled], Any], target: str, weights: str | None, regression: bool, table: Table
) -> list[Any]:
    rows = np.flatnonzero(~table.column(target).missing)
    if not len(rows):
        return []
    known = table if len(rows) == len(table) else table.take(rows)
    inputs = known.select([name for name in known.columns if name not in (target, weights)])
    true = numbers(known.column(target)) if regression else labels(known.column(target))
    return [function((inputs, true, None if weights is None else known.column(weights).data))]
