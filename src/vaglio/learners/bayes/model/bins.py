"""Every column as a small set of cells: categories as they are, numbers in intervals.

Beside the intervals stand the quantiles of each class, which new numbers are drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.messages.figures import moment
from vaglio.messages.message import Number, join, text
from vaglio.model import checks


@dataclass(frozen=True, eq=False)
class Quantiles:
    """The quantile function of each numeric feature in each class, linear between knots.

    A value that repeats has two knots, so that it is drawn itself. A feature under a density has only its least and
    largest value, which bound what is drawn.

    Attributes
    ----------
    feature : int64 (Q,)
    start : int64 (Q * K + 1,)
        Where the knots of each feature and class start; a class without values has none.
    share : float64
        Share of the class's rows below the knot.
    value : float64
    """

    feature: np.ndarray
    start: np.ndarray
    share: np.ndarray
    value: np.ndarray

    @cached_property
    def _at(self) -> dict[int, int]:
        return {int(j): at for at, j in enumerate(self.feature)}

    @cached_property
    def _classes(self) -> int:
        return (len(self.start) - 1) // max(len(self.feature), 1)

    def knots(self, j: int, label: int) -> tuple[np.ndarray, np.ndarray]:
        """Shares and values of one feature in one class."""
        at = self._at[j] * self._classes + label
        part = slice(int(self.start[at]), int(self.start[at + 1]))
        return self.share[part], self.value[part]

    def clipped(self, j: int, drawn: np.ndarray) -> np.ndarray:
        """Return drawn numbers with those beyond the training range moved to its end."""
        if j not in self._at:
            return drawn
        first = self._at[j] * self._classes
        seen = self.value[self.start[first] : self.start[first + self._classes]]
        return np.clip(drawn, seen.min(), seen.max()) if seen.size else drawn

    def draw(
        self, j: int, labels: np.ndarray, cells: np.ndarray, points: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Draw a number in the interval ``points[cell]`` to ``points[cell + 1]`` for each class and cell."""
        uniform = rng.random(len(cells))
        if j not in self._at:  # a file that does not say more than the interval
            even: np.ndarray = points[cells] + uniform * (points[cells + 1] - points[cells])
            return even
        drawn = np.empty(len(cells))
        for label, cell in np.unique(np.column_stack([labels, cells]), axis=0).tolist():
            here = (labels == label) & (cells == cell)
            drawn[here] = self._inside(j, label, cell, points, uniform[here])
        return drawn

    def _inside(self, j: int, label: int, cell: int, points: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        low, high = points[cell], points[cell + 1]
        ends = [self._ends(j, c, cell, points) for c in range(self._classes)]
        if ends[label][1] <= ends[label][0]:  # no row of the class: any class that has some in this interval
            label = int(np.argmax([b - a for a, b in ends]))
        a, b = ends[label]
        if b <= a:
            even: np.ndarray = low + uniform * (high - low)
            return even
        share, value = self.knots(j, label)
        drawn: np.ndarray = np.clip(np.interp(a + uniform * (b - a), share, value), low, high)
        return drawn

    def _ends(self, j: int, label: int, cell: int, points: np.ndarray) -> tuple[float, float]:
        """Shares of the class's rows below the interval and below its upper end."""
        share, value = self.knots(j, label)
        if not share.size:
            return 0.0, 0.0
        # A value at a cut point belongs to the interval above it.
        below = np.interp(np.nextafter(points[[cell, cell + 1]], -np.inf), value, share)
        return (0.0 if cell == 0 else float(below[0])), (1.0 if cell == len(points) - 2 else float(below[1]))

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> dict[str, np.ndarray]:
        arrays = {"feature": self.feature, "start": self.start, "share": self.share, "value": self.value}
        return {f"quantiles_{name}": array for name, array in arrays.items()}

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], n_classes: int) -> Quantiles:
        """Rebuild from a model file; files of the first edition have none, and draw evenly over an interval."""
        if "quantiles_feature" not in arrays:
            return NO_QUANTILES
        feature = checks.array(arrays, "quantiles_feature", np.int64, (None,))
        checks.within(feature, 0, len(features), "the index of an attribute is out of range")
        checks.need(len(np.unique(feature)) == len(feature), "an attribute has two distributions")
        checks.need(all(features[j].kind == "numeric" for j in feature), "a column without numbers has quantiles")
        start = checks.array(arrays, "quantiles_start", np.int64, (len(feature) * n_classes + 1,))
        value = checks.array(arrays, "quantiles_value", np.float64, (None,), finite=True)
        share = checks.array(arrays, "quantiles_share", np.float64, value.shape, finite=True)
        fits = start[0] == 0 and start[-1] == len(value) and (np.diff(start) >= 0).all()
        checks.need(bool(fits), "the quantiles do not fit the columns")
        checks.need(((share >= 0) & (share <= 1)).all(), "a quantile is beyond 0 and 1")
        inner = np.setdiff1d(np.arange(1, len(value)), start)
        for array in (share, value):
            checks.need((array[inner] >= array[inner - 1]).all(), "quantiles do not ascend")
        return cls(feature, start, share, value)


NO_QUANTILES = Quantiles(np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64), np.empty(0), np.empty(0))


def joined(
    knots: Mapping[int, Sequence[tuple[np.ndarray, np.ndarray]]],
    ranges: Mapping[int, tuple[float, float]],
    n_classes: int,
) -> Quantiles:
    """Put the knots of some features in each class, and the ranges of others, into one object.

    A range is kept as two knots of the first class.
    """
    parts = [part for classes in knots.values() for part in classes]
    lengths = [len(share) for share, _ in parts] + [2, *[0] * (n_classes - 1)] * len(ranges)
    ends = np.array([end for both in ranges.values() for end in both], dtype=np.float64)
    return Quantiles(
        np.array([*knots, *ranges], dtype=np.int64),
        np.cumsum([0, *lengths], dtype=np.int64),
        np.concatenate([*(share for share, _ in parts), np.array([0.0, 1.0] * len(ranges))]),
        np.concatenate([*(value for _, value in parts), ends]),
    )


@dataclass(frozen=True, eq=False)
class Bins:
    """The cells of each feature.

    Attributes
    ----------
    features : tuple of Feature
    size : int64 (F,)
        Number of cells of each feature.
    point : float64
        For each numeric feature its least training value, the cut points and its largest value (size + 1 numbers).
    n_values : int64 (F,)
        Number of cells of each feature that occur in the training rows: V of the smoothing.
    quantiles : Quantiles
        How the numbers of each class were distributed within their intervals.
    """

    features: tuple[Feature, ...]
    size: np.ndarray
    point: np.ndarray
    n_values: np.ndarray
    quantiles: Quantiles = NO_QUANTILES

    @cached_property
    def _start(self) -> np.ndarray:
        return np.cumsum([0, *points_needed(self.features, self.size)])

    def points(self, j: int) -> np.ndarray:
        return self.point[self._start[j] : self._start[j + 1]]

    def cells(self, matrix: EncodedMatrix) -> np.ndarray:
        """Cell of every value, int64 (n, F) in Fortran order; -1 is missing.

        A column of one cell has that cell throughout: whether its value is missing makes no difference.
        """
        cells = np.empty((matrix.n_rows, len(self.features)), dtype=np.int64, order="F")
        for j, feature in enumerate(self.features):
            if self.size[j] == 1:
                cells[:, j] = 0
                continue
            if feature.is_nominal:
                cells[:, j] = matrix.codes[:, matrix.position[j]]
                continue
            x = matrix.numeric[:, matrix.position[j]]
            inner = self.points(j)[1:-1] if feature.kind == "numeric" else np.arange(1, self.size[j])
            cells[:, j] = np.where(np.isnan(x), -1, np.searchsorted(inner, x, side="right"))
        return cells

    def values(self, j: int, cells: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Turn drawn cells into values: codes, ranks, or numbers distributed as in their interval of the class."""
        if self.features[j].kind != "numeric":
            cells = cells if self.features[j].categories else np.full(len(cells), -1)
            return cells if self.features[j].is_nominal else cells.astype(np.float64)
        return self.quantiles.draw(j, labels, cells, self.points(j), rng)

    def label(self, j: int, cell: int) -> str:
        """Name a cell: a category, or an interval."""
        feature = self.features[j]
        if self.size[j] == 1:
            return text("any")
        if feature.kind != "numeric":
            return str(feature.categories[cell])
        points = [moment(x) if feature.is_date else Number(f"{x:.6g}") for x in self.points(j).tolist()]
        if cell == 0:
            return join(" ", ["<", points[1]])
        if cell == self.size[j] - 1:
            return join(" ", ["≥", points[-2]])
        return join(" … ", points[cell : cell + 2])

    def condition(self, j: int, cell: int) -> str:
        """Name a cell with its sign: "= red", "≥ 2.5", "1 … 3"."""
        label = self.label(j, cell)
        return label if self.features[j].kind == "numeric" else join(" ", ["=", label])

    def state(self) -> dict[str, np.ndarray]:
        arrays = {"bins_size": self.size, "bins_point": self.point, "bins_n_values": self.n_values}
        return {**arrays, **self.quantiles.state()}

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], n_classes: int) -> Bins:
        size = checks.array(arrays, "bins_size", np.int64, (len(features),))
        point = checks.array(arrays, "bins_point", np.float64, (None,), finite=True)
        checks.within(size, 1, 1 << 31, "the number of cells is out of range")
        checks.need(all(f.kind != "text" for f in features), "a text column has no cells")
        for feature, cells in zip(features, size):
            fits = feature.kind == "numeric" or cells == max(1, len(feature.categories))
            checks.need(fits, "the cells do not fit the columns")
        checks.need(int(points_needed(features, size).sum()) == len(point), "the cut points do not fit the cells")
        # Files of the first edition smooth over all declared values.
        known = "bins_n_values" in arrays
        n_values = checks.array(arrays, "bins_n_values", np.int64, size.shape) if known else size
        checks.need(((n_values >= 1) & (n_values <= size)).all(), "a column has more values than cells")
        bins = cls(features, size, point, n_values, Quantiles.from_state(arrays, features, n_classes))
        checks.need(all((np.diff(bins.points(j)) >= 0).all() for j in range(len(features))), "cut points do not ascend")
        return bins


def points_needed(features: tuple[Feature, ...], size: np.ndarray) -> np.ndarray:
    """Return how many points each feature has."""
    return np.array([cells + 1 if f.kind == "numeric" else 0 for f, cells in zip(features, size)], dtype=np.int64)


def flat_index(cells: np.ndarray, size: Any) -> np.ndarray:
    """Return the number of each combination of cells, the last column running fastest; -1 if any is missing."""
    number = np.zeros(len(cells), dtype=np.int64)
    for at, cells_of in enumerate(size):
        number = number * int(cells_of) + cells[:, at]
    return np.where((cells < 0).any(axis=1), -1, number)
