"""Every column as a small set of cells: categories as they are, numbers in intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.bayes.model.quantiles import NO_QUANTILES, Quantiles
from vaglio.model import checks


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
            return "any"
        if feature.kind != "numeric":
            return str(feature.categories[cell])
        points = self.points(j)
        if cell == 0:
            return f"< {points[1]:.6g}"
        if cell == self.size[j] - 1:
            return f"≥ {points[-2]:.6g}"
        return f"{points[cell]:.6g} … {points[cell + 1]:.6g}"

    def state(self) -> dict[str, np.ndarray]:
        arrays = {"bins_size": self.size, "bins_point": self.point, "bins_n_values": self.n_values}
        return {**arrays, **self.quantiles.state()}

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], n_classes: int) -> Bins:
        size = checks.array(arrays, "bins_size", np.int64, (len(features),))
        point = checks.array(arrays, "bins_point", np.float64, (None,), finite=True)
        checks.within(size, 1, 1 << 31, "the number of cells")
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
