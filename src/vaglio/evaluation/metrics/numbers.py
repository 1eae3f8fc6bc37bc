"""Figures of predicted numbers, each with an interval by a studentized bootstrap of the rows.

Every figure but the median is a smooth function of means over the rows. For such a function each draw of the rows gives
both the figure and its standard error, and thus how many standard errors a figure is off. A percentile interval would
miss too often: errors are skewed, a few large ones decide. Figures that cannot be negative are drawn on the scale of
their logarithm. The median has the interval of its order statistics, to which its bootstrap comes down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from vaglio.evaluation.metrics.intervals import Estimate, effective_size, wilson_interval

__all__ = ["MEANS", "Errors", "binary_size", "near_zero", "weighted_median"]

# Rows beyond this are drawn in as many random groups: the same interval, in bounded time.
_MOST_UNITS = 500
# A target nearer to zero than this share of the mean absolute target makes percentages of it meaningless.
_NEAR_ZERO = 0.01
# The largest share of a target that an error is counted as.
_LARGEST_SHARE = 1e100

# Columns of the moments.
_ONE, _ABSOLUTE, _ERROR, _SQUARE, _TRUE, _TRUE_SQUARE, _SHARE, _COST = range(8)


def near_zero(true: np.ndarray) -> int:
    """Return the number of targets that are so near to zero that an error as a share of them says nothing.

    Examples
    --------
    >>> near_zero(np.array([0.0, 1.0, 200.0, 300.0])), near_zero(np.array([0.9, 1.0]))
    (2, 0)
    """
    size = np.abs(true)
    return int(np.count_nonzero(size <= _NEAR_ZERO * size.mean())) if len(size) else 0


def binary_size(*values: np.ndarray) -> int:
    """Return the power of two above the largest of the numbers: in units of it, no square overflows or vanishes.

    Examples
    --------
    >>> binary_size(np.array([-3.0, 1.0])), binary_size(np.array([2.0]), np.array([1e300])), binary_size(np.zeros(2))
    (2, 997, 0)
    """
    return int(np.frexp(max(float(np.abs(each).max()) for each in values))[1])


def weighted_median(values: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the median; of two values that halve the weight, their mean.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), None), weighted_median(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    (2.0, 2.0)
    """
    if weight is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    half = reached[-1] / 2
    first = int(np.searchsorted(reached, half * (1 - 1e-12)))
    last = int(np.searchsorted(reached, half * (1 + 1e-12), side="right"))
    return float((values[order[first]] + values[order[min(last, len(order) - 1)]]) / 2)


@dataclass(frozen=True)
class _Mean:
    """A figure that is a function of the moments.

    Attributes
    ----------
    of : callable
        From the moments, the last axis, to the figure on the scale on which it is drawn, and its gradient.
    back : callable
        From that scale to the figure itself, without its unit.
    """

    of: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    back: Callable[[np.ndarray], np.ndarray]


def _mean_of(column: int, power: float) -> _Mean:
    """The logarithm of a power of the mean of a column."""

    def of(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope = np.zeros_like(m)
        slope[..., column] = power / m[..., column]
        slope[..., _ONE] = -power / m[..., _ONE]
        return power * np.log(m[..., column] / m[..., _ONE]), slope

    return _Mean(of, np.exp)


def _explained(biased: bool) -> _Mean:
    """The logarithm of the share of the variance that is not explained; the bias counts as error, or does not."""

    def of(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope = np.zeros_like(m)
        one = m[..., _ONE]
        error, true = m[..., _ERROR] / one, m[..., _TRUE] / one
        left = m[..., _SQUARE] / one - (0.0 if biased else np.square(error))
        spread = m[..., _TRUE_SQUARE] / one - np.square(true)
        slope[..., _SQUARE] = 1 / (left * one)
        slope[..., _TRUE_SQUARE] = -1 / (spread * one)
        slope[..., _TRUE] = 2 * true / (spread * one)
        if not biased:
            slope[..., _ERROR] = -2 * error / (left * one)
        # All figures are of means: they do not change with the sum of the weights.
        slope[..., _ONE] = -(slope * m)[..., 1:].sum(axis=-1) / one
        return np.log(left / spread), slope

    return _Mean(of, lambda x: 1 - np.exp(x))


def _bias() -> _Mean:
    def of(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope = np.zeros_like(m)
        slope[..., _ERROR] = 1 / m[..., _ONE]
        slope[..., _ONE] = -m[..., _ERROR] / np.square(m[..., _ONE])
        return m[..., _ERROR] / m[..., _ONE], slope

    return _Mean(of, lambda x: x)


# The figures that are means, or functions of means, by name.
MEANS: dict[str, _Mean] = {
    "rmse": _mean_of(_SQUARE, 0.5),
    "mae": _mean_of(_ABSOLUTE, 1.0),
    "r2": _explained(True),
    "explained_variance": _explained(False),
    "mape": _mean_of(_SHARE, 1.0),
    "bias": _bias(),
    "cost": _mean_of(_COST, 1.0),
}
# Figures that have the unit of the target, and those with the unit of the costs.
_IN_UNITS = ("rmse", "mae", "bias")
_EXPLAINED = ("r2", "explained_variance")


@dataclass(frozen=True)
class Errors:
    """The errors of some rows, prediction minus truth, and what their figures need.

    Attributes
    ----------
    true, error : ndarray
    cost : ndarray or None
        What the error of each row costs.
    weight : ndarray or None
    folds : ndarray of int or None
    effect : float
        By how much the variance of a figure exceeds that of one model on independent rows.
    confidence : float
    n_draws, seed : int
    """

    true: np.ndarray
    error: np.ndarray
    cost: np.ndarray | None
    weight: np.ndarray | None
    folds: np.ndarray | None
    effect: float
    confidence: float
    n_draws: int
    seed: int

    def value(self, name: str) -> float | None:
        """Return a figure of :data:`MEANS` without its interval; None where it is undefined.

        Parameters
        ----------
        name : str
        """
        if name in _EXPLAINED and self._constant:
            return None
        if self._is_exact(name):
            return 1.0 if name in _EXPLAINED else 0.0
        figure = MEANS[name]
        return self._figure(name, float(figure.of(self._centre)[0]))

    def estimate(self, name: str) -> Estimate | None:
        """Return a figure of :data:`MEANS` with its interval; None where it is undefined.

        Parameters
        ----------
        name : str
        """
        value = self.value(name)
        if value is None:
            return None
        if self._is_exact(name):
            return Estimate(value, math.nan, math.nan, self.confidence)
        figure = MEANS[name]
        at = float(figure.of(self._centre)[0])
        # Every scale is monotone; that of the explained shares falls.
        ends = [self._figure(name, at + apart) for apart in self._reach(figure)]
        return Estimate(value, min(ends), max(ends), self.confidence)

    def median(self) -> Estimate:
        """Return the median absolute error, with the interval of its order statistics."""
        sizes = np.abs(self.error)
        value, n = weighted_median(sizes, self.weight), effective_size(self.weight, len(sizes)) / self.effect
        if n <= 1:
            return Estimate(value, math.nan, math.nan, self.confidence)
        share = wilson_interval(n / 2, n, self.confidence)
        order = np.argsort(sizes, kind="stable")
        weight = np.ones(len(sizes)) if self.weight is None else self.weight[order]
        reached = (np.cumsum(weight) - weight / 2) / weight.sum()
        low, high = (float(np.interp(end, reached, sizes[order])) for end in (share.low, share.high))
        return Estimate(value, min(low, value), max(high, value), self.confidence)

    def _is_exact(self, name: str) -> bool:
        """Whether there is no error at all, which has no logarithm."""
        m = self._centre
        if name == "explained_variance":
            return bool(m[_SQUARE] / m[_ONE] - (m[_ERROR] / m[_ONE]) ** 2 <= 1e-24 * m[_SQUARE] / m[_ONE])
        column = {"rmse": _SQUARE, "mae": _ABSOLUTE, "mape": _SHARE, "cost": _COST, "r2": _SQUARE}.get(name)
        return column is not None and not m[column] > 0

    def _figure(self, name: str, at: float) -> float:
        """Return a figure from its place on the scale on which it is drawn, in the units of the rows."""
        if name in _EXPLAINED:  # errors and targets each have a unit; together these may be beyond all floats
            at += 2 * (math.log(self._unit) - self._targets[1])
        unit = self._unit if name in _IN_UNITS else self._cost_unit if name == "cost" else 1.0
        with np.errstate(over="ignore"):
            return float(MEANS[name].back(np.asarray(at))) * unit

    # ---- the rows as moments, without their units ----------------------------------------------

    @cached_property
    def _constant(self) -> bool:
        """Whether there is no variance to explain."""
        counted = self.true if self.weight is None else self.true[self.weight > 0]
        return bool(np.ptp(counted) == 0)

    @cached_property
    def _unit(self) -> float:
        size = float(np.abs(self.error).max())
        return size if size > 0 else 1.0

    @cached_property
    def _targets(self) -> tuple[np.ndarray, float]:
        """Return how far each target is from their mean, at most 1, and the logarithm of the unit."""
        power = binary_size(self.true)
        true = np.ldexp(self.true, -power)
        apart = true - float(np.average(true, weights=self.weight))
        size = float(np.abs(apart).max())
        size = size if size > 0 else 1.0
        return apart / size, math.log(size) + power * math.log(2)

    @cached_property
    def _cost_unit(self) -> float:
        size = 0.0 if self.cost is None else float(self.cost.max())
        return size if size > 0 else 1.0

    @cached_property
    def _rows(self) -> np.ndarray:
        """One line of moments per row, times the weight; errors and targets in units of their own size."""
        y, e = self._targets[0], self.error / self._unit
        # An error beside a target of zero is a share beyond all numbers; as this one its square is a number still.
        with np.errstate(over="ignore"):
            size = np.abs(self.true) / self._unit
        share = np.minimum(np.abs(e) / np.maximum(size, 1 / _LARGEST_SHARE), _LARGEST_SHARE)
        cost = np.zeros(len(e)) if self.cost is None else self.cost / self._cost_unit
        made = np.column_stack([np.ones(len(e)), np.abs(e), e, e * e, y, y * y, share, cost])
        return made if self.weight is None else made * (self.weight / self.weight.max())[:, None]

    @cached_property
    def _centre(self) -> np.ndarray:
        centre: np.ndarray = self._rows.mean(axis=0)
        return centre

    @cached_property
    def _units(self) -> np.ndarray:
        """What is drawn: rows, or random groups of very many."""
        n = len(self._rows)
        if n <= _MOST_UNITS:
            return self._rows
        order = np.random.default_rng(self.seed).permutation(n)
        edges = np.linspace(0, n, _MOST_UNITS + 1).astype(np.int64)
        return np.add.reduceat(self._rows[order], edges[:-1]) / np.diff(edges)[:, None]

    # ---- intervals -----------------------------------------------------------------------------

    @cached_property
    def _drawn(self) -> tuple[np.ndarray, np.ndarray, int]:
        """Means and covariances of the moments in every draw, and the number of units in a draw.

        With folds there are as many fewer of them as the variance is larger.
        """
        units = self._units
        n, k = units.shape
        size = max(2, round(n / self.effect))
        counts = np.random.default_rng(self.seed).multinomial(size, np.full(n, 1 / n), size=self.n_draws)
        shares = counts / size
        squares = (units[:, :, None] * units[:, None, :]).reshape(n, k * k)
        means = shares @ units
        covariance = (shares @ squares).reshape(-1, k, k) - means[:, :, None] * means[:, None, :]
        return means, covariance, size

    def _reach(self, figure: _Mean) -> tuple[float, float]:
        """Return how far the ends of the interval are from the figure, on its scale."""
        units, none = self._units, (math.nan, math.nan)
        centre = units.mean(axis=0)
        at, slope = figure.of(centre)
        spread = float(np.mean(np.square((units - centre) @ slope)))
        if len(units) < 3 or not spread > 1e-24:
            return none
        means, covariance, size = self._drawn
        with np.errstate(all="ignore"):
            drawn, slopes = figure.of(means)
            errors = np.sqrt(np.einsum("di,dij,dj->d", slopes, covariance, slopes) / size)
            t = (drawn - at) / errors
        t = t[np.isfinite(t) & (errors > 0)]
        if len(t) < self.n_draws / 2:
            return none
        error = math.sqrt(spread / size * self._between_folds(slope))
        # Draws of very few rows may have hardly any error: nothing is so uncertain as that.
        most = 3 * float(stdtrit(size - 1, 0.5 + self.confidence / 2))
        tails = 0.5 - self.confidence / 2, 0.5 + self.confidence / 2
        left, right = np.clip(np.quantile(t, tails), -most, most).tolist()
        return -max(right, 0.0) * error, -min(left, 0.0) * error

    def _between_folds(self, slope: np.ndarray) -> float:
        """How much more a figure varies between the folds than their rows explain; at least 1."""
        if self.folds is None:
            return 1.0
        influence = (self._rows - self._centre) @ slope
        by_fold = np.unique(self.folds, return_inverse=True)[1]
        rows = np.bincount(by_fold)
        if len(rows) < 2 or rows.min() < 2:
            return 1.0
        sums = np.bincount(by_fold, weights=influence)
        return max(1.0, float((np.square(sums) / rows).sum()) / (len(rows) - 1) / float(np.mean(np.square(influence))))
