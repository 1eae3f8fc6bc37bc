"""The likelihoods of naive Bayes: P(x|c) for groups of attributes that are modelled alike.

Groups hold arrays over all their attributes rather than one object each, so that thousands of attributes are read,
written and handed to the kernel at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse as sp
from scipy.special import gammaln, xlogy

from vaglio import _core
from vaglio.encode import Feature
from vaglio.learners.bayes.model.bins import Quantiles
from vaglio.learners.bayes.model.posterior import believed, choose, log_of, observed, read_reliability, smoothed
from vaglio.model import checks

GAUSSIAN, CATEGORY, INTERVAL, VALUE = range(4)
# In the order of their codes in the model file.
DISTRIBUTIONS = ("poisson", "exponential", "lognormal")


def _feature_index(
    arrays: dict[str, np.ndarray], group: str, features: tuple[Feature, ...], kinds: tuple[str, ...]
) -> np.ndarray:
    index = checks.array(arrays, f"{group}_feature", np.int64, (None,))
    checks.within(index, 0, len(features), "the index of an attribute is out of range")
    checks.need(all(features[j].kind in kinds for j in index), "an attribute is of another kind than its likelihood")
    return index


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

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int) -> GaussianGroup:
        index = _feature_index(arrays, "gaussian", features, ("numeric", "ordinal"))
        mean = checks.array(arrays, "gaussian_mean", np.float64, (len(index), k), finite=True)
        variance = checks.array(arrays, "gaussian_variance", np.float64, (len(index), k), finite=True)
        checks.need((variance > 0).all(), "a variance is not positive")
        return cls(index, mean, variance)


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

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int, alpha: float
    ) -> TableGroup:
        index = _feature_index(arrays, "table", features, ("numeric", "ordinal", "nominal"))
        kind = checks.array(arrays, "table_table_kind", np.int32, index.shape)
        checks.within(kind, CATEGORY, VALUE + 1, "the kind of a table is out of range")
        size = checks.array(arrays, "table_size", np.int64, index.shape)
        count = checks.counts(arrays, "table_count", (None,))
        point = checks.array(arrays, "table_point", np.float64, (None,), finite=True)
        checks.within(size, 0, len(count) + 1, "the size of a table is out of range")
        checks.need(int(size.sum()) * k == len(count), "the tables do not fit their counts")
        checks.need(int(points_of(kind, size).sum()) == len(point), "the tables do not fit their points")
        # Files of the first edition smooth over all declared values.
        values = checks.array(arrays, "table_values", np.int64, index.shape) if "table_values" in arrays else size
        checks.need(((values >= 0) & (values <= np.maximum(size, 1))).all(), "a table has more values than cells")
        reliability = read_reliability(arrays, "table_reliability", len(index))
        checks.need((kind[reliability < 1] == CATEGORY).all(), "a table of numbers is not believed")
        group = cls(index, kind, size, count, point, alpha, k, values, reliability)
        for t, j in enumerate(index):
            nominal = features[j].is_nominal
            checks.need(nominal == (kind[t] == CATEGORY), "a table is of another kind than its attribute")
            checks.need(not nominal or size[t] == len(features[j].categories), "a table does not fit its categories")
            checks.need(kind[t] != INTERVAL or size[t] > 0, "an attribute has no interval")
            checks.need((np.diff(group.points(t)) >= 0).all(), "cut points do not ascend")
        return group


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

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int) -> KernelGroup:
        index = _feature_index(arrays, "kernel", features, ("numeric", "ordinal"))
        bandwidth = checks.array(arrays, "kernel_bandwidth", np.float64, (len(index), k), finite=True)
        checks.need((bandwidth > 0).all(), "a bandwidth is not positive")
        start = checks.array(arrays, "kernel_start", np.int64, (len(index) * k + 1,))
        value = checks.array(arrays, "kernel_value", np.float64, (None,), finite=True)
        weight = checks.counts(arrays, "kernel_weight", value.shape)
        checks.need(start[0] == 0 and start[-1] == len(value) and (np.diff(start) > 0).all(), "a density has no values")
        checks.need((weight > 0).all(), "a weight is not positive")
        ascends = np.diff(value) > 0
        ascends[start[1:-1] - 1] = True
        checks.need(ascends.all(), "the values of a density do not ascend")
        return cls(index, bandwidth, start, value, weight)


@dataclass(frozen=True, eq=False)
class NamedGroup:
    """Numeric attributes with a named distribution in each class.

    Attributes
    ----------
    feature : int64 (D,)
    distribution : int32 (D,)
        Code of the distribution.
    mean : float64 (D, K)
        Mean of the values; of their logarithms if log-normal.
    variance : float64 (D, K)
        Variance of the logarithms if log-normal; not used by the others, whose mean says all.
    """

    name: ClassVar[str] = "named"

    feature: np.ndarray
    distribution: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    @classmethod
    def empty(cls, n_classes: int) -> NamedGroup:
        none = np.empty((0, n_classes))
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), none, none)

    def __len__(self) -> int:
        return len(self.feature)

    def distribution_of(self, t: int) -> str:
        """Name of the distribution of one attribute."""
        return DISTRIBUTIONS[int(self.distribution[t])]

    def log_density(self, t: int, x: np.ndarray) -> np.ndarray:
        """Log density (or probability, for counts) of one attribute in every class, shape (n, K).

        It is 0 where x is missing, and where no class could have produced x: that says nothing.
        """
        kind = self.distribution_of(t)
        fits = possible(kind, x)
        known = x[fits][:, None]
        found = np.zeros((len(x), self.mean.shape[1]))
        mean, variance = self.mean[t], self.variance[t]
        if kind == "poisson":
            found[fits] = xlogy(known, mean) - mean - gammaln(known + 1)
        elif kind == "exponential":
            found[fits] = -known / mean - log_of(mean)
        else:
            logarithm = np.log(known)
            found[fits] = -0.5 * ((logarithm - mean) ** 2 / variance + np.log(2 * np.pi * variance)) - logarithm
        return found

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator, quantiles: Quantiles) -> np.ndarray:
        kind, mean = self.distribution_of(t), self.mean[t][labels]
        drawn: Any
        if kind == "poisson":
            drawn = rng.poisson(np.minimum(mean, 1e15)).astype(np.float64)
        elif kind == "exponential":
            drawn = rng.exponential(mean)
        else:
            drawn = rng.lognormal(mean, np.sqrt(self.variance[t])[labels])
        return quantiles.clipped(int(self.feature[t]), drawn)

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int) -> NamedGroup:
        """Rebuild from a model file; those of the first edition have no such attributes."""
        if "named_feature" not in arrays:
            return cls.empty(k)
        feature = _feature_index(arrays, "named", features, ("numeric",))
        distribution = checks.array(arrays, "named_distribution", np.int32, feature.shape)
        checks.within(distribution, 0, len(DISTRIBUTIONS), "the distribution of an attribute is out of range")
        mean = checks.array(arrays, "named_mean", np.float64, (len(feature), k), finite=True)
        variance = checks.array(arrays, "named_variance", np.float64, (len(feature), k), finite=True)
        on_logarithms = (distribution == DISTRIBUTIONS.index("lognormal"))[:, None]
        checks.need(((mean > 0) | on_logarithms).all(), "a mean is not positive")
        checks.need((variance > 0).all(), "a variance is not positive")
        return cls(feature, distribution, mean, variance)


def possible(distribution: str, x: np.ndarray) -> np.ndarray:
    """Return which numbers the distribution can produce; a missing value is none of them."""
    if distribution == "lognormal":
        found: np.ndarray = x > 0
        return found
    found = x >= 0
    return found & (x == np.floor(x)) if distribution == "poisson" else found


@dataclass(frozen=True, eq=False)
class WordGroup:
    """Word counts of each class, for every text attribute.

    Attributes
    ----------
    feature : int64 (T,)
    vocabulary : int64 (T,)
        Number of words of each attribute.
    count : float64, tables (K, W) one after the other
    length : float64 (T, K)
        Mean number of words of a document of the class, for drawing new ones.
    alpha : float
    """

    name: ClassVar[str] = "words"

    feature: np.ndarray
    vocabulary: np.ndarray
    count: np.ndarray
    length: np.ndarray
    alpha: float

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def size(self) -> int:
        return self.count.size

    @cached_property
    def _start(self) -> np.ndarray:
        return np.cumsum([0, *(self.vocabulary * self.length.shape[1])])

    def counts(self, t: int) -> np.ndarray:
        return self.count[self._start[t] : self._start[t + 1]].reshape(-1, int(self.vocabulary[t]))

    def probability(self, t: int) -> np.ndarray:
        """θ of every class and word, shape (K, W)."""
        return smoothed(self.counts(t), self.alpha)

    def log_likelihood(self, t: int, counts: sp.csr_array) -> np.ndarray:
        """Σ n·log θ of every document and class; a missing document says nothing."""
        return weighted_log(counts, log_of(self.probability(t)))

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw documents, as arrays of word codes."""
        lengths = rng.poisson(self.length[t][labels])
        codes = choose(rng, observed(self.counts(t)), np.repeat(labels, lengths))
        documents = np.empty(len(labels), dtype=object)
        documents[:] = np.split(codes, np.cumsum(lengths)[:-1])
        return documents

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int, alpha: float
    ) -> WordGroup:
        index = _feature_index(arrays, "words", features, ("text",))
        vocabulary = checks.array(arrays, "words_vocabulary", np.int64, index.shape)
        known = [len(features[j].categories) for j in index]
        checks.need(vocabulary.tolist() == known, "the words do not fit the vocabulary")
        count = checks.counts(arrays, "words_count", (int(sum(known)) * k,))
        length = checks.array(arrays, "words_length", np.float64, (len(index), k), finite=True)
        checks.need((length >= 0).all() and (length < 1e9).all(), "the length of a document is impossible")
        return cls(index, vocabulary, count, length, alpha)


def weighted_log(counts: np.ndarray | sp.csr_array, log_probability: np.ndarray) -> np.ndarray:
    """Return counts @ log_probability.T where a count of zero is zero, also beside log 0."""
    impossible = np.isneginf(log_probability)
    if not impossible.any():
        return np.asarray(counts @ log_probability.T)
    total = np.asarray(counts @ np.where(impossible, 0.0, log_probability).T)
    total[np.asarray(counts @ impossible.astype(np.float64).T) > 0] = -np.inf
    return total
