"""The loss of logistic regression over rows that are not in memory: one pass per evaluation.

What a row adds to loss and slopes depends on the row alone: the kernel adds products column by column, and not by a
matrix product, whose order of additions depends on the rows around. The sums over rows have the same bits in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import DenseEncoder
from vaglio.engines.exact_sums import Grid
from vaglio.engines.passes import Chunk, Pass
from vaglio.learners.linear.estimators.logistic_problem import LogisticProblem

# Loss and slopes in units of their grids, and the number of rows that are not on the right side.
SlopeSums = tuple[np.ndarray, np.ndarray, int]


@dataclass(frozen=True)
class PassedProblem(LogisticProblem):
    """The problem on all rows; ``rows`` are evenly spaced ones of them, at the positions ``places``.

    Attributes
    ----------
    encoder : DenseEncoder
    ask : callable
        Answers a :class:`~vaglio.engines.passes.Pass`.
    places : ndarray
        Global index of each of the rows.
    reach : ndarray
        Largest size of each encoded column.
    whole : tuple of (int, float, float)
        Number of all rows, the sum and the largest of their weights.
    """

    encoder: Any = None
    ask: Callable[[Any], Any] = print
    places: Any = None
    reach: Any = None
    whole: tuple[int, float, float] = (0, 0.0, 1.0)

    @property
    def n_rows(self) -> int:
        return self.whole[0]

    @property
    def total(self) -> float:
        return self.whole[1]

    def subset(self, rows: np.ndarray) -> LogisticProblem:
        """Return the problem on some of the rows that are held, given by their global index."""
        at = np.searchsorted(self.places, rows)
        weight = None if self.weight is None else self.weight[at]
        fixed = (self.outputs, self.l1, self.l2, self.fit_intercept, self.threads, self.intercept_penalty)
        return LogisticProblem(self.rows[at], self.labels[at], weight, *fixed)

    def smooth(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean loss with the squared penalty, and its gradient, in one pass over all rows."""
        slopes = LossSlopes(self.encoder, theta, self.reach, self.whole[2])
        loss, gradient = slopes.values(self.ask(Pass("loss and slopes", slopes.summarize)))
        return self._penalised(theta, loss, gradient)

    def all_right(self, theta: np.ndarray) -> bool:
        """Return whether every row is on the right side."""
        slopes = LossSlopes(self.encoder, theta, self.reach, self.whole[2])
        return not self.ask(Pass("rows on the wrong side", slopes.summarize))[2]


@dataclass(frozen=True)
class LossSlopes:
    """What is needed to add up the loss and its slopes at some coefficients.

    Attributes
    ----------
    encoder : DenseEncoder
    theta : ndarray, shape (outputs, width + 1)
    reach : ndarray, shape (width,)
        Largest size of each encoded column.
    largest : float
        Largest weight of a row.
    """

    encoder: DenseEncoder
    theta: np.ndarray
    reach: np.ndarray
    largest: float

    @property
    def loss_grid(self) -> Grid:
        farthest = float((np.abs(self.theta[:, :-1]) @ self.reach + np.abs(self.theta[:, -1])).max())
        return Grid.for_bound([self.largest * (2 * farthest + np.log(len(self.theta) + 1) + 1)])

    @property
    def slope_grid(self) -> Grid:
        """One exponent per encoded column, and that of the intercept."""
        return Grid.for_bound(self.largest * np.append(np.maximum(self.reach, 1e-300), 1.0))

    def values(self, found: SlopeSums) -> tuple[float, np.ndarray]:
        """Return loss and slopes from their sums."""
        return float(self.loss_grid.value(found[0])[0]), self.slope_grid.value(found[1])

    def summarize(self, chunk: Chunk) -> SlopeSums:
        """Return the sums of the rows of a chunk."""
        encoder = self.encoder
        encoding = {
            "columns": encoder.numeric_columns,
            "centre": encoder.centre,
            "scale": encoder.scale,
            "fill": encoder.fill,
            "of_codes": encoder.columns_of_codes,
            "heights": encoder.heights_of_codes,
        }
        numeric, codes = np.ascontiguousarray(chunk.matrix.numeric.T), np.ascontiguousarray(chunk.matrix.codes.T)
        given = (numeric, codes, chunk.y, chunk.weight, encoding, np.ascontiguousarray(self.theta))
        return _core.slope_sums(*given, int(self.loss_grid.exponent[0]), self.slope_grid.exponent)


def reach_of(encoder: DenseEncoder, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the largest size of each encoded column, given the ranges of the numbers."""
    reach = encoder.heights.copy()
    ends = np.fmax(np.abs(low - encoder.centre), np.abs(high - encoder.centre)) / encoder.scale
    reach[encoder.numeric_columns] = np.nan_to_num(ends, nan=0.0) * (1 + 1e-12)
    return reach
