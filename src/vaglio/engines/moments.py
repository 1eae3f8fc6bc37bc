"""Weights, means and sums of squared deviations of the numeric columns, the same on any partitioning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.engines.exact_sums import Grid
from vaglio.engines.passes import Chunk, Facts


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
    def of(cls, facts: Facts, columns: Any, k: int, logarithms: bool = False) -> MomentPlan:
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
