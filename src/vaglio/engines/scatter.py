"""Sums of products of deviations, for covariances; the same on any partitioning, missing values left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.engines.exact_sums import Grid
from vaglio.engines.moments import MomentPlan
from vaglio.engines.passes import Chunk, Facts


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
    def of(cls, facts: Facts, columns: Any) -> ScatterPlan:
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
