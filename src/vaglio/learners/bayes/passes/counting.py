"""One pass for the Bayes learners: class weights, tables of categories, moments of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio.engines.facts import unit_of
from vaglio.engines.moments import MomentPlan
from vaglio.engines.passes import Chunk, Facts, Pass
from vaglio.engines.value_counts import Cells, ColumnCounts, count_values
from vaglio.learners.bayes.estimators.class_statistics import Moments, Statistics, category_tables


@dataclass(frozen=True)
class CountingPlan:
    """What is counted.

    Attributes
    ----------
    k : int
        Number of classes.
    moments : MomentPlan
        Of all columns of the numeric block.
    logarithms : MomentPlan or None
        Of the columns that are log-normal.
    cells : Cells
        Columns whose values are counted.
    square_unit : float
        Squared weights are rounded to multiples of it.
    """

    k: int
    moments: MomentPlan
    logarithms: MomentPlan | None
    cells: Cells
    square_unit: float

    @classmethod
    def of(cls, facts: Facts, cells: Cells | None = None, logarithms: Any = ()) -> CountingPlan:
        """Plan the pass."""
        k, p = facts.n_classes, len(facts.low)
        return cls(
            k,
            MomentPlan.of(facts, range(p), k),
            MomentPlan.of(facts, logarithms, k, logarithms=True) if len(logarithms) else None,
            cells or Cells((), ()),
            unit_of(max(facts.largest_weight, math.ldexp(1.0, -500)) ** 2, facts.n_rows),
        )

    def counting(self, name: str = "counts and moments") -> Pass:
        """Return the pass; its answer is :class:`Counted`."""
        return Pass(name, partial(_count, self))


@dataclass(frozen=True)
class Counted:
    """What was counted."""

    class_weight: np.ndarray
    tables: dict[int, np.ndarray]
    squares: dict[int, np.ndarray]
    moments: dict[str, np.ndarray]
    logarithms: dict[str, np.ndarray]
    values: tuple[ColumnCounts, ...]

    def merge(self, other: Counted) -> Counted:
        """Add the counts of other rows."""
        return Counted(
            self.class_weight + other.class_weight,
            {j: table + other.tables[j] for j, table in self.tables.items()},
            {j: square + other.squares[j] for j, square in self.squares.items()},
            {name: part + other.moments[name] for name, part in self.moments.items()},
            {name: part + other.logarithms[name] for name, part in self.logarithms.items()},
            tuple(a.merge(b) for a, b in zip(self.values, other.values)),
        )

    def statistics(self, plan: CountingPlan, facts: Facts) -> Statistics:
        """Return the statistics that the models of naive Bayes are made from."""
        return Statistics(
            facts.codebook.features,
            self.class_weight,
            Moments(*plan.moments.moments(self.moments)),
            self.tables,
            self.squares,
            {},
            {},
            facts.low,
            facts.high,
        )

    def value_counts(self, plan: CountingPlan) -> dict[int, Any]:
        """Return the counts of values by column of the numeric block, as the kernels give them."""
        return {j: counts.triples() for j, counts in zip(plan.cells.columns, self.values)}


def _count(plan: CountingPlan, chunk: Chunk) -> Counted:
    matrix, y, weight, k = chunk.matrix, chunk.y, chunk.weight, plan.k
    tables = category_tables(matrix, y, weight, k, 1)
    index = [int(j) for j in matrix.nominal_features]
    if weight is None:
        squares = {j: tables[j].sum(axis=0) for j in index}
    else:
        square = np.rint(weight**2 / plan.square_unit) * plan.square_unit
        squares = {
            j: np.bincount(codes + 1, square, minlength=tables[j].shape[1] + 1)[1:]
            for j, codes in zip(index, matrix.codes.T)
        }
    return Counted(
        np.bincount(y, weight, minlength=k).astype(np.float64),
        tables,
        squares,
        plan.moments.summarize(chunk),
        {} if plan.logarithms is None else plan.logarithms.summarize(chunk),
        count_values(plan.cells, k, chunk),
    )
