"""The loss of logistic regression over rows that are not in memory: one pass per evaluation.

What a row adds to loss and slopes depends on the row alone: products are added column by column, not by a matrix
product, whose order of additions depends on the rows around. The sums over rows have the same bits in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from vaglio.encode import DenseEncoder
from vaglio.learn.linear.logistic_problem import LogisticProblem
from vaglio.scale.exact_sums import Grid
from vaglio.scale.passes import Chunk, Pass

# Rows whose intermediate numbers stay in the cache of a processor.
_BLOCK = 8192


@dataclass(frozen=True)
class PassedProblem(LogisticProblem):
    """The problem on all rows; ``rows`` are evenly spaced ones of them, at the positions ``places``.

    Attributes
    ----------
    encoder : DenseEncoder
    ask : callable
        Answers a :class:`~vaglio.scale.passes.Pass`.
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

    def hessian(self, theta: np.ndarray, sample: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the second derivative, estimated from rows that are held."""
        rows = self.places if isinstance(sample, slice) else sample
        return self.subset(rows).hessian(theta)

    def smooth(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean loss with the squared penalty, and its gradient, in one pass over all rows."""
        slopes = LossSlopes(self.encoder, theta, self.reach, self.whole[2])
        found = self.ask(Pass("loss and slopes", partial(_slopes, slopes)))
        loss, gradient = slopes.values(found)
        penalised = theta * self.penalised
        gradient = gradient / self.total + self.l2 * self.penalised * penalised
        if not self.fit_intercept:
            gradient[:, -1] = 0.0
        return loss / self.total + 0.5 * self.l2 * float(np.vdot(penalised, penalised)), gradient

    def all_right(self, theta: np.ndarray) -> bool:
        """Return whether every row is on the right side."""
        slopes = LossSlopes(self.encoder, theta, self.reach, self.whole[2])
        return not self.ask(Pass("rows on the wrong side", partial(_wrong, slopes)))


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

    def values(self, found: tuple[np.ndarray, np.ndarray]) -> tuple[float, np.ndarray]:
        """Return loss and slopes from their sums."""
        return float(self.loss_grid.value(found[0])[0]), self.slope_grid.value(found[1])

    def decisions(self, numbers: list[np.ndarray], codes: np.ndarray) -> np.ndarray:
        """Return the linear functions of some rows, shape (outputs, rows)."""
        values = np.empty((len(self.theta), len(codes)))
        for k, coefficients in enumerate(self.theta):
            values[k] = coefficients[-1]
            for column, x in zip(self.encoder.numeric_columns, numbers):
                values[k] += coefficients[column] * x
            for q, columns in enumerate(self.encoder.columns_of_codes):
                # The code -1 of a missing value, and a category without a column, add nothing.
                added = np.where(columns >= 0, coefficients[columns] * self._height(q), 0.0)
                values[k] += added[codes[:, q]]
        return values

    def numbers(self, matrix: Any, rows: slice) -> list[np.ndarray]:
        """Return the numeric columns of some rows, encoded."""
        encoder, found = self.encoder, []
        for j in range(matrix.numeric.shape[1]):
            x = matrix.numeric[rows, j]
            if not encoder.as_is:
                x = (x - encoder.centre[j]) / encoder.scale[j]
                np.copyto(x, (encoder.fill[j] - encoder.centre[j]) / encoder.scale[j], where=np.isnan(x))
            found.append(x)
        return found

    def _height(self, q: int) -> float:
        return float(self.encoder._heights[q])


def reach_of(encoder: DenseEncoder, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the largest size of each encoded column, given the ranges of the numbers."""
    reach = encoder.heights.copy()
    ends = np.fmax(np.abs(low - encoder.centre), np.abs(high - encoder.centre)) / encoder.scale
    reach[encoder.numeric_columns] = np.nan_to_num(ends, nan=0.0) * (1 + 1e-12)
    return reach


def _slopes(plan: LossSlopes, chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
    outputs, width = plan.theta.shape
    loss_grid, slope_grid = plan.loss_grid, plan.slope_grid
    loss, slopes = np.zeros((2, 1), np.int64), np.zeros((2, outputs, width), np.int64)
    for first in range(0, chunk.n_rows, _BLOCK):
        rows = slice(first, min(first + _BLOCK, chunk.n_rows))
        numbers, codes, y = plan.numbers(chunk.matrix, rows), chunk.matrix.codes[rows], chunk.y[rows]
        weight = None if chunk.weight is None else chunk.weight[rows]
        lost, residual = _lost(plan.decisions(numbers, codes), y)
        if weight is not None:
            lost, residual = lost * weight, residual * weight
        loss += loss_grid.sums(lost[:, None])
        for k in range(outputs):
            _add_slopes(plan, slope_grid, residual[k], numbers, codes, slopes[:, k])
    return loss, slopes


def _lost(values: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the loss of each row and its derivatives by the linear functions."""
    if len(values) == 1:
        z = values[0]
        return np.logaddexp(0.0, z) - y * z, (expit(z) - y)[None]
    highest = values.max(axis=0)
    powers = np.exp(values - highest)
    whole = powers[0].copy()
    for power in powers[1:]:
        whole += power
    every = np.arange(len(y))
    residual = powers / whole
    residual[y, every] -= 1.0
    return np.log(whole) + highest - values[y, every], residual


def _add_slopes(
    plan: LossSlopes, grid: Grid, residual: np.ndarray, numbers: list[np.ndarray], codes: np.ndarray, to: np.ndarray
) -> None:
    exponent = grid.exponent
    for column, x in zip(plan.encoder.numeric_columns, numbers):
        to[:, column] += Grid(exponent[column : column + 1]).sums((residual * x)[:, None])[:, 0]
    for q, columns in enumerate(plan.encoder.columns_of_codes):
        if (columns >= 0).any():
            one = Grid(exponent[columns.max() : columns.max() + 1])
            terms = (residual * plan._height(q))[:, None]
            # The last entry is that of missing values.
            sums = one.class_sums(terms, codes[:, q] % len(columns), len(columns))[:, :, 0]
            known = columns >= 0
            to[:, columns[known]] += sums[:, known]
    to[:, -1] += Grid(exponent[-1:]).sums(residual[:, None])[:, 0]


def _wrong(plan: LossSlopes, chunk: Chunk) -> int:
    wrong = 0
    for first in range(0, chunk.n_rows, _BLOCK):
        rows = slice(first, min(first + _BLOCK, chunk.n_rows))
        values = plan.decisions(plan.numbers(chunk.matrix, rows), chunk.matrix.codes[rows])
        y = chunk.y[rows]
        if len(values) == 1:
            wrong += int(np.count_nonzero(np.where(y == 1, 1.0, -1.0) * values[0] <= 0))
            continue
        own = values[y, np.arange(len(y))].copy()
        values[y, np.arange(len(y))] = -np.inf
        wrong += int(np.count_nonzero(own <= values.max(axis=0)))
    return wrong
