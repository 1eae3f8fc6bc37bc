"""Rows as growers on bins take them: what trees with ``max_bins``, and trees of rows that are not in memory, grow on.

Numeric columns are cut into bins of about equally many rows, by a sample of the rows that depends on their numbers
alone; columns of few values keep one bin per value. A cell takes one byte, or two in columns of more than 255 bins.
Weights and targets become numbers whose sums do not depend on the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.trees.model.tree import kernel_features
from vaglio.runtime.seeds import row_hash

# Rows by which bins are cut: with 255 bins, a bin has five hundred of them.
SAMPLE_ROWS = 1 << 17
# Columns of at most so many values keep a bin per value, if max_bins allows it, whatever the sample has.
FEW_VALUES = 256
# What rows outside memory are binned by when max_bins is not given: one byte per cell.
DEFAULT_BINS = 255

Edges = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Binning:
    """The bins of each numeric column, and how rows are put into them.

    Attributes
    ----------
    features : tuple of Feature
    edges : tuple of pairs of ndarray
        The least and the greatest value that was seen of each bin, per numeric column.
    strict : bool
        Whether a number that parts two bins belongs to the upper one.
    """

    features: tuple[Feature, ...]
    edges: tuple[Edges, ...]
    strict: bool

    def layout(self) -> _core.BinnedLayout:
        """Return the bins as the grower reads them."""
        nominal, column, n_categories = kernel_features(self.features)
        return _core.BinnedLayout(nominal, column, n_categories, list(self.edges))

    def columns(self, matrix: EncodedMatrix) -> list[np.ndarray]:
        """Return the bin or the code of every row, feature by feature; the last code is a missing value."""
        return _core.bin_rows(self.layout(), matrix.numeric, matrix.codes, self.strict, matrix.threads)

    def matrix(self, columns: list[np.ndarray]) -> EncodedMatrix:
        """Return rows that are in these bins; a tree grown on the bins treats them as the rows themselves."""
        rows = len(columns[0])
        numeric = np.full((rows, len(self.edges)), np.nan, order="F")
        codes = np.full((rows, sum(feature.is_nominal for feature in self.features)), -1, dtype=np.int32, order="F")
        at_number = at_code = 0
        for feature, column in zip(self.features, columns):
            if feature.is_nominal:
                known = column < len(feature.categories)
                codes[known, at_code] = column[known]
                at_code += 1
            else:
                numeric[:, at_number] = np.append(self.edges[at_number][1], np.nan)[column]
                at_number += 1
        return EncodedMatrix(self.features, numeric, codes)

    def of_features(self, chosen: np.ndarray) -> Binning:
        """Return the bins of some of the features, given in ascending order."""
        numeric = np.cumsum([feature.in_numeric_block for feature in self.features]) - 1
        features = tuple(self.features[j] for j in chosen)
        edges = tuple(self.edges[numeric[j]] for j in chosen if self.features[j].in_numeric_block)
        return Binning(features, edges, self.strict)

    @classmethod
    def cut(
        cls,
        features: tuple[Feature, ...],
        sample: np.ndarray,
        values: Sequence[np.ndarray | None],
        max_bins: int,
        strict: bool,
    ) -> Binning:
        """Cut columns by sampled rows; ``values`` has all values of the columns that have few."""
        edges = []
        for j, known in enumerate(values):
            exact = known is not None and len(known) <= max_bins
            column = known if exact else sample[:, j]
            edges.append(_core.bin_edges(np.ascontiguousarray(column, dtype=np.float64), max_bins))
        return cls(features, tuple(edges), strict)


def binning_of(matrix: EncodedMatrix, max_bins: int, strict: bool) -> Binning:
    """Cut the columns of rows in memory."""
    sample = matrix.numeric
    values: list[np.ndarray | None] = [None] * sample.shape[1]
    if matrix.n_rows > SAMPLE_ROWS:
        sample = sample[sampled_rows(np.arange(matrix.n_rows), matrix.n_rows)]
        for j in range(sample.shape[1]):
            if len(_known(sample[:, j])) <= FEW_VALUES:
                every = _known(matrix.numeric[:, j])
                values[j] = every if len(every) <= FEW_VALUES else None
    return Binning.cut(matrix.features, sample, values, max_bins, strict)


def sampled_rows(index: np.ndarray, n_rows: int) -> np.ndarray:
    """Return which rows, by their numbers, bins are cut by: about ``SAMPLE_ROWS`` of ``n_rows``, whoever holds them."""
    if n_rows <= SAMPLE_ROWS:
        return np.ones(len(index), dtype=bool)
    chosen: np.ndarray = row_hash(index, 0) < np.uint64(SAMPLE_ROWS / n_rows * 2**64)
    return chosen


def _known(column: np.ndarray) -> np.ndarray:
    values: np.ndarray = np.unique(column[~np.isnan(column)])
    return values


# More than this is no count of anything, and its rounding would be taken for one.
_LARGEST_MULTIPLE = 1 << 26
_ROUNDING = 1e-14

# Whether weights are multiples of the least, the sum of these, and the sum of the weights on their grid.
WeightSurvey = tuple[bool, float, float]


@dataclass(frozen=True)
class WeightSummary:
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
    def of(cls, y: np.ndarray, weight: np.ndarray | None, n_classes: int) -> WeightSummary:
        """Look at rows in memory."""
        amounts = cls(len(y), float(len(y)))
        if not n_classes:
            amounts = amounts.with_range(float(y.min()), float(y.max()))
        if weight is None:
            return amounts
        ends = float(weight.min()), float(weight.max())
        return amounts.with_weights(ends, weight_look(ends, len(y), weight))

    def with_weights(self, ends: tuple[float, float], look: WeightSurvey) -> WeightSummary:
        """Return the amounts of weights between these, by a look at all of them."""
        whole, multiples, total = look
        if whole:
            return self.with_whole(ends[0], multiples, np.rint(ends[1] / ends[0]))
        return self.with_grid(grid_of(ends[1], self.rows), ends[1], total)

    def with_range(self, low: float, high: float) -> WeightSummary:
        """Return the amounts of targets between these."""
        middle = low / 2 + high / 2
        return replace(self, middle=middle, reach=max(high - middle, middle - low))

    def with_whole(self, least: float, total: float, largest: float) -> WeightSummary:
        """Return the amounts of weights that become whole numbers."""
        unit = self.rows / float(total)
        return replace(self, total=float(total), largest=float(largest), unit=unit, grid=least, weighted=True)

    def with_grid(self, grid: float, largest: float, total: float) -> WeightSummary:
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

    def for_kernel(self, draws: int = 0) -> _core.GrowthWeights:
        """Return what the grower is told; ``draws`` of the rows are drawn for a tree, 0 when all are taken once."""
        weight, rows = self.total, float(self.rows)
        if draws:
            weight, rows = draws * self.largest, float(draws)
        return _core.GrowthWeights(
            weight=weight,
            rows=rows,
            target=self.reach,
            largest=self.largest,
            unit=self.unit,
            middle=self.middle,
            whole=self.whole,
            weighted=self.weighted,
        )


def weight_look(ends: tuple[float, float], rows: int, weight: np.ndarray) -> WeightSurvey:
    """Look at some of the weights, all of which lie between ``ends`` and are so many."""
    least, grid = ends[0], grid_of(ends[1], rows)
    multiple = np.rint(weight / least)
    whole = are_multiples(weight, least, _ROUNDING * multiple * least)
    rounded = np.maximum(np.rint(weight / grid), 1.0) * grid
    return whole, float(multiple.sum()), float(rounded.sum())


def both_looks(a: WeightSurvey, b: WeightSurvey) -> WeightSurvey:
    """Merge what was seen of two parts."""
    return a[0] and b[0], a[1] + b[1], a[2] + b[2]


def grid_of(largest: float, rows: int) -> float:
    """Return the power of two whose multiples, so many and so large at most, add without rounding."""
    return math.ldexp(1.0, math.frexp(largest)[1] + math.ceil(math.log2(max(rows, 2))) - 52)


def are_multiples(weight: np.ndarray, least: float, tolerance: Any) -> bool:
    """Return whether all weights are whole multiples of the least one, and small ones."""
    multiple = np.rint(weight / least)
    return bool(multiple.max() <= _LARGEST_MULTIPLE and (np.abs(weight - multiple * least) <= tolerance).all())
