"""The likelihoods of naive Bayes: P(x|c) for groups of attributes that are modelled alike.

Groups hold arrays over all their attributes rather than one object each, so that thousands of attributes are read,
written and handed to the kernel at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from vaglio import _core
from vaglio.learners.bayes.model.posterior import believed, choose, log_of, observed, smoothed
from vaglio.learners.bayes.model.quantiles import Quantiles

GAUSSIAN, CATEGORY, INTERVAL, VALUE = range(4)


@dataclass(frozen=True, eq=False)
class Terms:
    """Attributes in the flat form the kernel reads (see naive_bayes.hpp)."""

    kind: np.ndarray
    feature: np.ndarray
    size: np.ndarray
    numbers: list[np.ndarray]

    @cached_property
    def start(self) -> np.ndarray:
        return np.cumsum([0, *(len(numbers) for numbers in self.numbers)], dtype=np.int64)[:-1]

    @cached_property
    def flat(self) -> np.ndarray:
        return np.concatenate([np.empty(0), *self.numbers])

    def only(self, t: int) -> Terms:
        """Return one attribute alone."""
        return Terms(self.kind[t : t + 1], self.feature[t : t + 1], self.size[t : t + 1], [self.numbers[t]])


@dataclass(frozen=True, eq=False)
class GaussianGroup:
    """Numeric attributes with a normal density in each class.

    Attributes
    ----------
    feature : int64 (G,)
    mean, variance : float64 (G, K)
    """

    name: ClassVar[str] = "gaussian"

    feature: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    def __len__(self) -> int:
        return len(self.feature)

    def terms(self) -> Terms:
        scale = 0.5 / self.variance
        normaliser = -0.5 * np.log(2 * np.pi * self.variance)
        numbers = np.concatenate([self.mean, scale, normaliser], axis=1)
        kind = np.full(len(self), GAUSSIAN, dtype=np.int32)
        return Terms(kind, self.feature, np.zeros(len(self), dtype=np.int64), list(numbers))

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator, quantiles: Quantiles) -> np.ndarray:
        drawn = rng.normal(self.mean[t][labels], np.sqrt(self.variance[t])[labels])
        return quantiles.clipped(int(self.feature[t]), drawn)


@dataclass(frozen=True, eq=False)
class TableGroup:
    """Attributes with a table of class weights: categories, intervals of a number, or its single values.

    Attributes
    ----------
    feature : int64 (T,)
    table_kind : int32 (T,)
        1 category, 2 interval, 3 value.
    size : int64 (T,)
        Number V of cells of each table.
    count : float64, the tables (K, V) one after the other
    point : float64
        Cut points of intervals with the least and the largest training value around them (V + 1 numbers), or the
        values themselves (V numbers), one attribute after the other; none for categories.
    alpha : float
        What is added to every count.
    values : int64 (T,)
        Number V of values of each table that occur in the training rows.
    reliability : float64 (T,)
        How far the counts of each table are believed: below 1 for a nominal column of many values.
    """

    name: ClassVar[str] = "table"

    feature: np.ndarray
    table_kind: np.ndarray
    size: np.ndarray
    count: np.ndarray
    point: np.ndarray
    alpha: float
    n_classes: int
    values: np.ndarray
    reliability: np.ndarray

    @classmethod
    def empty(cls, n_classes: int, alpha: float) -> TableGroup:
        """No such attributes."""
        none, index = np.empty(0), np.empty(0, dtype=np.int64)
        return cls(index, np.empty(0, dtype=np.int32), index, none, none, alpha, n_classes, index, none)

    def __len__(self) -> int:
        return len(self.feature)

    @cached_property
    def _count_start(self) -> np.ndarray:
        return np.cumsum([0, *(self.size * self.n_classes)])

    @cached_property
    def _point_start(self) -> np.ndarray:
        return np.cumsum([0, *points_of(self.table_kind, self.size)])

    @property
    def reliabilities(self) -> dict[int, float]:
        """How far each attribute is believed."""
        return dict(zip(self.feature.tolist(), self.reliability.tolist()))

    def counts(self, t: int) -> np.ndarray:
        """Class weights (K, V) of one attribute."""
        flat = self.count[self._count_start[t] : self._count_start[t + 1]]
        return flat.reshape(self.n_classes, int(self.size[t]))

    def points(self, t: int) -> np.ndarray:
        return self.point[self._point_start[t] : self._point_start[t + 1]]

    def cuts(self, t: int) -> np.ndarray:
        """Inner cut points of an attribute in intervals."""
        return self.points(t)[1:-1]

    def probability(self, t: int) -> np.ndarray:
        """Smoothed P(v|c), shape (K, V)."""
        if self.reliability[t] < 1:
            return believed(self.counts(t), float(self.reliability[t]), self.alpha)
        return smoothed(self.counts(t), self.alpha, int(self.values[t]))

    def terms(self) -> Terms:
        return Terms(self.table_kind, self.feature, self.size, [self._numbers(t) for t in range(len(self))])

    def _numbers(self, t: int) -> np.ndarray:
        table = log_of(self.probability(t)).T.ravel()
        if self.table_kind[t] == INTERVAL:
            return np.concatenate([self.cuts(t), table])
        return np.concatenate([self.points(t), table])

    def cell(self, t: int, value: float) -> int:
        """Cell of a present value (a code, or a number), or -1 when the table does not know it."""
        if self.table_kind[t] == CATEGORY:
            return int(value)
        if self.table_kind[t] == INTERVAL:
            return int(np.searchsorted(self.cuts(t), value, side="right"))
        at = int(np.searchsorted(self.points(t), value))
        return at if at < self.size[t] and self.points(t)[at] == value else -1

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator, quantiles: Quantiles) -> np.ndarray:
        cells = choose(rng, observed(self.counts(t)), labels)
        if self.table_kind[t] == CATEGORY:
            return cells
        points = self.points(t)
        if self.table_kind[t] == VALUE:
            drawn: np.ndarray = points[cells]
            return drawn
        return quantiles.draw(int(self.feature[t]), labels, cells, points, rng)


def points_of(table_kind: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return how many points each table of a group has."""
    return np.select([table_kind == INTERVAL, table_kind == VALUE], [size + 1, size], 0)


@dataclass(frozen=True, eq=False)
class KernelGroup:
    """Numeric attributes with a Gaussian kernel density in each class.

    Attributes
    ----------
    feature : int64 (Q,)
    bandwidth : float64 (Q, K)
    start : int64 (Q * K + 1,)
        Where the values of each attribute and class start.
    value, weight : float64
        Distinct training values, ascending, and their weights.
    """

    name: ClassVar[str] = "kernel"

    feature: np.ndarray
    bandwidth: np.ndarray
    start: np.ndarray
    value: np.ndarray
    weight: np.ndarray

    @classmethod
    def empty(cls, n_classes: int) -> KernelGroup:
        none = np.empty(0)
        return cls(none.astype(np.int64), np.empty((0, n_classes)), np.zeros(1, dtype=np.int64), none, none)

    def __len__(self) -> int:
        return len(self.feature)

    def part(self, t: int, label: int) -> slice:
        """Where the values of an attribute in a class are."""
        at = t * self.bandwidth.shape[1] + label
        return slice(int(self.start[at]), int(self.start[at + 1]))

    def values(self, t: int, label: int) -> np.ndarray:
        """Training values of an attribute in a class, ascending."""
        return self.value[self.part(t, label)]

    def log_density(self, t: int, x: np.ndarray, threads: int) -> np.ndarray:
        """Log density of one attribute in every class, shape (n, K); 0 where x is missing."""
        distinct, where = np.unique(x, return_inverse=True)
        columns = []
        for label in range(self.bandwidth.shape[1]):
            part = self.part(t, label)
            values, weights = self.value[part], self.weight[part]
            density = _core.kernel_log_density(distinct, values, weights, float(self.bandwidth[t, label]), threads)
            columns.append(density[where])
        return np.stack(columns, axis=1)

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator, quantiles: Quantiles) -> np.ndarray:
        centre = np.empty(len(labels))
        for label in np.unique(labels):
            part = self.part(t, int(label))
            weight = self.weight[part]
            here = labels == label
            centre[here] = rng.choice(self.value[part], size=int(here.sum()), p=weight / weight.sum())
        return quantiles.clipped(int(self.feature[t]), rng.normal(centre, self.bandwidth[t][labels]))
