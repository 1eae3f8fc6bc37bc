"""Weights and targets of trees on bins, as numbers whose sums do not depend on the order of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio import _core

# More than this is no count of anything, and its rounding would be taken for one.
_LARGEST_MULTIPLE = 1 << 26
_ROUNDING = 1e-14

# Whether weights are multiples of the least, the sum of these, and the sum of the weights on their grid.
WeightLook = tuple[bool, float, float]


@dataclass(frozen=True)
class Amounts:
    """What is known of all weights and targets before a tree is grown.

    Attributes
    ----------
    rows : int
        Number of rows.
    total : float
        Weight of all rows.
    largest : float
        The largest weight.
    unit : float
        What a weight of one stands for in the model, where weights sum to the number of rows.
    grid : float
        The given weight that counts one, where weights are whole numbers; else the power of two that they are made
        multiples of, so that their sum is exact.
    whole : bool
        Whether weights are whole numbers.
    weighted : bool
        Whether rows have weights.
    middle, reach : float
        Targets are kept less ``middle``, and are then at most ``reach``; 0 for classes.
    """

    rows: int
    total: float
    largest: float = 1.0
    unit: float = 1.0
    grid: float = 1.0
    whole: bool = True
    weighted: bool = False
    middle: float = 0.0
    reach: float = 0.0

    @classmethod
    def of(cls, y: np.ndarray, weight: np.ndarray | None, n_classes: int) -> Amounts:
        """Look at rows in memory."""
        amounts = cls(len(y), float(len(y)))
        if not n_classes:
            amounts = amounts.with_range(float(y.min()), float(y.max()))
        if weight is None:
            return amounts
        ends = float(weight.min()), float(weight.max())
        return amounts.with_weights(ends, weight_look(ends, len(y), weight))

    def with_weights(self, ends: tuple[float, float], look: WeightLook) -> Amounts:
        """Return the amounts of weights between these, by a look at all of them."""
        whole, multiples, total = look
        if whole:
            return self.with_whole(ends[0], multiples, np.rint(ends[1] / ends[0]))
        return self.with_grid(grid_of(ends[1], self.rows), ends[1], total)

    def with_range(self, low: float, high: float) -> Amounts:
        """Return the amounts of targets between these."""
        middle = low / 2 + high / 2
        return replace(self, middle=middle, reach=max(high - middle, middle - low))

    def with_whole(self, least: float, total: float, largest: float) -> Amounts:
        """Return the amounts of weights that become whole numbers."""
        unit = self.rows / float(total)
        return replace(self, total=float(total), largest=float(largest), unit=unit, grid=least, weighted=True)

    def with_grid(self, grid: float, largest: float, total: float) -> Amounts:
        """Return the amounts of weights that are rounded to a grid."""
        unit = self.rows / total if total > 0 else 1.0
        return replace(self, grid=grid, largest=largest, total=total, unit=unit, whole=False, weighted=True)

    def weights(self, weight: np.ndarray | None) -> np.ndarray | None:
        """Return the weights of rows as the grower takes them; their sums are exact."""
        if weight is None or not self.weighted:
            return None
        if self.whole:
            rounded: np.ndarray = np.rint(weight / self.grid)
        else:
            rounded = np.maximum(np.rint(weight / self.grid), 1.0) * self.grid
        return rounded

    def targets(self, y: np.ndarray, n_classes: int) -> np.ndarray:
        """Return classes, or numbers less the middle of their range, as the grower takes them."""
        return y.astype(np.uint16) if n_classes else np.asarray(y, dtype=np.float64) - self.middle

    def for_kernel(self, draws: int = 0) -> _core.GrowthAmounts:
        """Return what the grower is told; ``draws`` of the rows are drawn for a tree, 0 when all are taken once."""
        weight, rows = self.total, float(self.rows)
        if draws:
            weight, rows = draws * self.largest, float(draws)
        return _core.GrowthAmounts(
            weight=weight,
            rows=rows,
            target=self.reach,
            largest=self.largest,
            unit=self.unit,
            middle=self.middle,
            whole=self.whole,
            weighted=self.weighted,
        )


def weight_look(ends: tuple[float, float], rows: int, weight: np.ndarray) -> WeightLook:
    """Look at some of the weights, all of which lie between ``ends`` and are so many."""
    least, grid = ends[0], grid_of(ends[1], rows)
    multiple = np.rint(weight / least)
    whole = are_multiples(weight, least, _ROUNDING * multiple * least)
    rounded = np.maximum(np.rint(weight / grid), 1.0) * grid
    return whole, float(multiple.sum()), float(rounded.sum())


def both_looks(a: WeightLook, b: WeightLook) -> WeightLook:
    """Merge what was seen of two parts."""
    return a[0] and b[0], a[1] + b[1], a[2] + b[2]


def grid_of(largest: float, rows: int) -> float:
    """Return the power of two whose multiples, so many and so large at most, add without rounding."""
    return math.ldexp(1.0, math.frexp(largest)[1] + math.ceil(math.log2(max(rows, 2))) - 52)


def are_multiples(weight: np.ndarray, least: float, tolerance: Any) -> bool:
    """Return whether all weights are whole multiples of the least one, and small ones."""
    multiple = np.rint(weight / least)
    return bool(multiple.max() <= _LARGEST_MULTIPLE and (np.abs(weight - multiple * least) <= tolerance).all())
