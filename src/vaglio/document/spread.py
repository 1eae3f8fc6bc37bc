"""Variance, absolute deviation and Poisson deviance of numbers, from their definitions: the impurity of a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def weighted_median(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the value that halves the weight; between two values, their mean.

    >>> weighted_median(np.array([1.0, 2.0, 9.0, 4.0]), np.ones(4))
    3.0
    """
    order = np.argsort(values, kind="stable")
    y, reached = values[order], np.cumsum(weight[order])
    half = reached[-1] / 2
    low = int(np.searchsorted(reached, half * (1 - 1e-12)))
    exact = abs(reached[low] - half) <= 1e-12 * reached[-1] and low + 1 < len(y)
    return float((y[low] + y[low + 1]) / 2 if exact else y[low])


@dataclass(frozen=True, eq=False)
class Group:
    """Numbers with their weights: the rows of a node or of a branch.

    Attributes
    ----------
    y, weight : float64 (n,)
        Rows of weight 0 are left out.

    Examples
    --------
    >>> group = Group.of(np.array([1.0, 3.0, 8.0]), np.array([1.0, 1.0, 0.0]))
    >>> group.size, group.mean, group.impurity("squared_error")
    (2.0, 2.0, 1.0)
    """

    y: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, y: np.ndarray, weight: np.ndarray) -> Group:
        """Make a group of the rows that have a weight."""
        return cls(y[weight > 0], weight[weight > 0])

    @property
    def size(self) -> float:
        """The weight of all rows."""
        return float(self.weight.sum())

    @property
    def mean(self) -> float:
        """The weighted mean; NaN of no rows."""
        return float(self.weight @ self.y / self.size) if len(self.y) else float("nan")

    @property
    def deviation(self) -> float:
        """The root of the variance."""
        return float(np.sqrt(self.impurity("squared_error")))

    def centre(self, measure: str) -> float:
        """What a leaf of these rows predicts: the mean, by the absolute error the median."""
        if not len(self.y):
            return float("nan")
        return weighted_median(self.y, self.weight) if measure == "absolute_error" else self.mean

    def impurity(self, measure: str) -> float:
        """Mean loss of predicting the centre for every row."""
        if not len(self.y):
            return 0.0
        middle = self.centre(measure)
        if measure == "absolute_error":
            loss = np.abs(self.y - middle)
        elif measure == "poisson":
            if middle <= 0:
                return 0.0
            loss = np.where(self.y > 0, self.y * np.log(np.where(self.y > 0, self.y, 1.0) / middle), 0.0)
            loss = loss - (self.y - middle)
        else:
            loss = (self.y - middle) ** 2
        return float(self.weight @ loss / self.size)


def impurity_after(measure: str, groups: Sequence[Group]) -> float:
    """Return Σ n_b/n · impurity of branch b."""
    sizes = np.array([group.size for group in groups])
    return float(sizes @ [group.impurity(measure) for group in groups] / sizes.sum())
