"""Weights, means, and sums of squares and products of deviations of numeric columns; the same on any partitioning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.engines.exact_sums import Grid
from vaglio.engines.passes import Chunk, TableSummary


@dataclass(frozen=True)
class MomentPlan:
    """How the moments of some columns are added up.

    Attributes
    ----------
    columns : tuple of int
        Columns of the numeric block.
    centre : ndarray
        Subtracted first, so that little is lost when the mean is taken out of the squares.
    first, second : Grid
        Of the weighted deviations from the centre and of their squares.
    logarithms : bool
        Whether the moments are those of the logarithms.
    k : int
        Number of classes; 1 for all rows together.
    """

    columns: tuple[int, ...]
    centre: np.ndarray
    first: Grid
    second: Grid
    logarithms: bool
    k: int

    @classmethod
    def of(cls, facts: TableSummary, columns: Any, k: int, logarithms: bool = False) -> MomentPlan:
        """Plan the sums of these columns, in each of k classes (1: of all rows together)."""
        columns = tuple(int(j) for j in columns)
        low, high = facts.low[list(columns)], facts.high[list(columns)]
        spreads = facts.codebook.spreads
        middle = [spreads[j].median if spreads[j].values else low[at] for at, j in enumerate(columns)]
        centre = np.where(np.isnan(low), 0.0, np.array(middle, dtype=np.float64))
        if logarithms:
            low, high, centre = np.log(low), np.log(high), np.log(np.maximum(centre, low))
        reach = np.fmax(np.abs(low - centre), np.abs(high - centre))
        bound = np.where(np.isnan(reach), 1.0, np.maximum(reach, np.finfo(float).tiny))
        most = facts.largest_weight
        with np.errstate(over="ignore"):
            return cls(columns, centre, Grid.for_bound(most * bound), Grid.for_bound(most * bound**2), logarithms, k)

    def summarize(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return the sums of one chunk."""
        k, p = self.k, len(self.columns)
        y = chunk.y if k > 1 else np.zeros(chunk.n_rows, dtype=np.int64)
        found = {
            "weight": np.zeros((k, p)),
            "first": np.zeros((2, k, p), dtype=np.int64),
            "second": np.zeros((2, k, p), dtype=np.int64),
        }
        x, columns = chunk.matrix.numeric, self.columns
        if self.logarithms:
            x, columns = np.log(x[:, columns]), tuple(range(p))
        grids = zip(columns, self.centre.tolist(), self.first.exponent.tolist(), self.second.exponent.tolist())
        for at, (weight, sums) in enumerate(_core.grid_moments(x, list(grids), y, chunk.weight, k)):
            found["weight"][:, at] = weight
            found["first"][:, :, at], found["second"][:, :, at] = sums
        return found

    def moments(self, found: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return weight, mean and sum of squared deviations from the mean, each (k, columns)."""
        weight = found["weight"]
        first, second = self.first.value(found["first"]), self.second.value(found["second"])
        share = np.divide(first, weight, out=np.zeros_like(first), where=weight > 0)
        mean = np.where(weight > 0, self.centre + share, 0.0)
        return weight, mean, np.maximum(second - first * share, 0.0)


@dataclass(frozen=True)
class ScatterPlan:
    """How products of deviations from a fixed centre are added up in each class.

    Attributes
    ----------
    columns : tuple of int
        Columns of the numeric block.
    centre : ndarray (p,)
    first : Grid
        Of the weighted deviations, (p,).
    second : Grid
        Of the weighted products, (p, p).
    k : int
        Number of classes.
    """

    columns: tuple[int, ...]
    centre: np.ndarray
    first: Grid
    second: Grid
    k: int

    @classmethod
    def of(cls, facts: TableSummary, columns: Any) -> ScatterPlan:
        """Plan the sums of these columns."""
        plan = MomentPlan.of(facts, columns, facts.n_classes)
        reach = np.ldexp(1.0, plan.first.exponent) / facts.largest_weight
        with np.errstate(over="ignore"):
            second = Grid.for_bound(facts.largest_weight * np.outer(reach, reach))
        return cls(plan.columns, plan.centre, plan.first, second, facts.n_classes)

    def summarize(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return the sums of one chunk: of weights, deviations and products over the rows that know both columns."""
        k, p, y = self.k, len(self.columns), chunk.y
        found = {
            "weight": np.zeros((k, p, p)),
            "first": np.zeros((2, k, p, p), dtype=np.int64),
            "second": np.zeros((2, k, p, p), dtype=np.int64),
        }
        x = chunk.matrix.numeric[:, list(self.columns)] - self.centre
        known = ~np.isnan(x)
        complete = known.all(axis=0)
        weight = chunk.weight
        weighed = x if weight is None else x * weight[:, None]
        every = np.bincount(y, weight, minlength=k).astype(np.float64)
        for i in range(p):
            for j in range(p):
                rows = slice(None) if complete[i] and complete[j] else np.flatnonzero(known[:, i] & known[:, j])
                codes, own = y[rows], None if weight is None else weight[rows]
                found["weight"][:, i, j] = every if isinstance(rows, slice) else np.bincount(codes, own, minlength=k)
                # Entry (i, j) of the first sums is that of column i, over the rows that know column j too.
                found["first"][:, :, i, j] = _sums(self.first, i, weighed[rows, i], codes, k)
                if j <= i:
                    products = _sums(self.second, (i, j), weighed[rows, i] * x[rows, j], codes, k)
                    found["second"][:, :, i, j] = found["second"][:, :, j, i] = products
        return found

    def sums(self, found: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return weights, sums of deviations and of products from the centre, each (k, p, p)."""
        first = Grid(np.repeat(self.first.exponent[:, None], len(self.columns), axis=1))
        return found["weight"], first.value(found["first"]), self.second.value(found["second"])


def _sums(grid: Grid, at: Any, terms: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    return Grid(grid.exponent[at : at + 1] if isinstance(at, int) else grid.exponent[at][None]).class_sums(
        terms[:, None], y, k
    )[:, :, 0]
