"""How often each number occurs with each class: exactly in smaller tables, on fixed bins in larger ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.engines.passes import Chunk, Pass, TableSummary
from vaglio.engines.row_samples import EncodedRows

# Up to so many rows every distinct number is counted.
EXACT_ROWS = 1 << 18
# Beyond, a column of more distinct numbers than the facts list is cut into so many bins of equally many sampled rows.
MOST_BINS = 1024
SAMPLE_ROWS = 1 << 16

ValueCounts = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cells:
    """Where the numbers of some columns are counted.

    Attributes
    ----------
    columns : tuple of int
        Columns of the numeric block.
    points : tuple of ndarray or None
        Per column the numbers that stand for the cells, ascending: a number is counted at the first point that is not
        below it. None: every distinct number is counted.
    """

    columns: tuple[int, ...]
    points: tuple[np.ndarray | None, ...]


def needs_sample(facts: TableSummary, columns: Any) -> bool:
    """Return whether bins of some of these columns must be made from a sample."""
    return facts.n_rows > EXACT_ROWS and any(facts.values[int(j)] is None for j in columns)


def cells_of(facts: TableSummary, columns: Any, sample: EncodedRows | None, exact: Any = ()) -> Cells:
    """Return where the numbers of these columns are counted; of the ``exact`` ones every distinct number."""
    points = []
    for j in (int(j) for j in columns):
        known = facts.values[j]
        if known is None and facts.n_rows > EXACT_ROWS and j not in exact:
            assert sample is not None
            known = quantile_points(sample.matrix.numeric[:, j], float(facts.low[j]), float(facts.high[j]))
        points.append(known)
    return Cells(tuple(int(j) for j in columns), tuple(points))


def quantile_points(values: np.ndarray, low: float, high: float, most: int = MOST_BINS) -> np.ndarray:
    """Return at most so many points that cut sampled values into equal parts, from the least to the largest of all."""
    ordered = np.sort(values[~np.isnan(values)])
    places = np.linspace(0, len(ordered) - 1, most - 1).round().astype(np.int64)
    inner = ordered[places] if len(ordered) else ordered
    return np.unique(np.concatenate([[low], inner, [high]])) + 0.0


def count_values(cells: Cells, k: int, chunk: Chunk) -> tuple[ColumnCounts, ...]:
    """Count the numbers of a chunk."""
    found = []
    cut = [(j, points) for j, points in zip(cells.columns, cells.points) if points is not None]
    tables = iter(_core.point_counts(chunk.matrix.numeric, cut, chunk.y, chunk.weight, k))
    for j, points in zip(cells.columns, cells.points):
        if points is not None:
            found.append(ColumnCounts(points, next(tables), False))
            continue
        x = chunk.matrix.numeric[:, j]
        known = np.flatnonzero(~np.isnan(x))
        if len(known) < len(x):
            x, y = x[known], chunk.y[known]
            weight = None if chunk.weight is None else chunk.weight[known]
        else:
            y, weight = chunk.y, chunk.weight
        distinct, cell = np.unique(x, return_inverse=True)
        flat = np.bincount(cell * k + y, weight, minlength=len(distinct) * k)
        found.append(ColumnCounts(distinct + 0.0, flat.astype(np.float64).reshape(-1, k), True))
    return tuple(found)


@dataclass(frozen=True)
class ColumnCounts:
    """Class weights of the points of one column.

    Attributes
    ----------
    points : ndarray (V,)
    table : ndarray (V, K)
    own : bool
        Whether the points are those of the chunk, and not the same everywhere.
    """

    points: np.ndarray
    table: np.ndarray
    own: bool

    def merge(self, other: ColumnCounts) -> ColumnCounts:
        """Add the counts of other rows."""
        if not self.own:
            return ColumnCounts(self.points, self.table + other.table, False)
        points = np.union1d(self.points, other.points)
        table = np.zeros((len(points), self.table.shape[1]))
        table[np.searchsorted(points, self.points)] += self.table
        table[np.searchsorted(points, other.points)] += other.table
        return ColumnCounts(points, table, True)

    def triples(self) -> ValueCounts:
        """Return value, class and weight of every pair that occurs, by value and then by class."""
        at, label = np.nonzero(self.table)
        return self.points[at], label.astype(np.int32), self.table[at, label]


def value_counts_pass(cells: Cells, k: int, name: str = "counting numbers") -> Pass:
    """Return the pass whose answer has the :class:`ColumnCounts` of each column."""
    return Pass(name, partial(count_values, cells, k))
