"""Numbers by the counts of their values: where they are cut into intervals, and the quantiles to draw from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, Ranges
from vaglio.errors import NotSupportedError
from vaglio.learners.bayes.model.bins import Bins, Quantiles, joined
from vaglio.learners.inputs import refuse_numbers_without_squares

# A frequency per value needs few values, each seen several times.
FEW_VALUES = 10
ROWS_PER_VALUE = 3
ROUNDING = 1e-12

# Even steps of the share; the outermost step is halved down to single rows, because a skewed column has most of its
# spread there.
STEPS = 32
# In a table of more columns there are fewer steps, and the classes share them: a model must not grow with the classes
# times the columns.
WIDE, STEPS_OF_WIDE = 500, 8
# A value that has so many times the least weight occurs in several rows: it is drawn itself.
REPEATED = 1.5

ValueCounts = tuple[np.ndarray, np.ndarray, np.ndarray]
Knots = tuple[np.ndarray, np.ndarray]


def learn_quantiles(counts: dict[int, ValueCounts], limits: dict[int, tuple[float, float]], k: int) -> Quantiles:
    """Return the quantile functions of columns with known values, and the range of the columns in ``limits``."""
    knots: dict[int, list[Knots]] = {}
    nothing = np.empty(0), np.empty(0)
    for j, (value, label, weight) in counts.items():
        if len(counts) > WIDE:
            knots[j] = [class_knots(value, weight, STEPS_OF_WIDE), *[nothing] * (k - 1)]
        else:
            knots[j] = [class_knots(value[label == c], weight[label == c], STEPS) for c in range(k)]
    return joined(knots, limits, k)


def class_knots(value: np.ndarray, weight: np.ndarray, steps: int) -> Knots:
    """Return shares and values of the knots, given values in ascending order and their weights."""
    if not len(value):
        return np.empty(0), np.empty(0)
    above = np.cumsum(weight)
    below, above = np.append(0.0, above[:-1]) / above[-1], above / above[-1]
    single = weight < REPEATED * weight.min()
    share = middle = (below + above) / 2
    if not single.all():
        share = np.column_stack([np.where(single, middle, below), np.where(single, middle, above)]).ravel()
        value = np.repeat(value, 2)
        kept = np.ones(len(value), dtype=bool)
        kept[1::2] = ~single
        share, value = share[kept], value[kept]
    if len(share) <= 2 * steps:
        return share, value
    grid = _grid(steps, int(np.log2(len(share))) + 1)
    return grid, np.interp(grid, share, value)


@cache
def _grid(steps: int, halvings: int) -> np.ndarray:
    halves = 2.0 ** -np.arange(np.log2(steps) + 1, halvings + 1)
    return np.unique(np.concatenate([np.linspace(0, 1, steps + 1), halves, 1 - halves]))


def learn_bins(
    matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, k: int, threads: int, keep_few_values: bool
) -> Bins:
    """Cut every numeric column where Fayyad and Irani's description length says that the class changes.

    Parameters
    ----------
    keep_few_values : bool
        Give numbers with at most ten distinct values (three rows each on average) one cell per value.
    """
    for j in matrix.text:
        name = matrix.features[j].name
        raise NotSupportedError(
            "free-text-in-table",
            "Column {column!r} is free text, whose words cannot be combined in a table. Drop it, or "
            "use NaiveBayesClassifier or MultinomialNB.",
            column=name,
        )
    index = np.flatnonzero([feature.kind == "numeric" for feature in matrix.features])
    counts = counts_in_rows(_core.value_counts(numeric_columns(matrix, index), y, weight, k, threads), y, weight)
    by_column = dict(zip(index.tolist(), counts))
    seen = {}
    for j, feature in enumerate(matrix.features):
        if feature.kind != "numeric":
            codes = (matrix.codes if feature.is_nominal else matrix.numeric)[:, matrix.position[j]]
            seen[j] = max(1, len(np.unique(codes[codes >= 0])))
    return bins_of_counts(matrix.features, by_column, seen, k, keep_few_values)


def bins_of_counts(
    features: tuple[Feature, ...],
    by_column: dict[int, ValueCounts],
    seen: dict[int, int],
    k: int,
    keep_few_values: bool,
) -> Bins:
    """Cut numeric columns by the counts of their values, in rows; the others have as many values as ``seen`` says."""
    size = np.array([max(1, len(feature.categories)) for feature in features], dtype=np.int64)
    points = [np.empty(0)]
    for j, counts in by_column.items():
        if keep_few_values and len(counts[0]) and has_few_values(counts):
            values = np.unique(counts[0])
            cuts = (values[1:] + values[:-1]) / 2
        else:
            cuts = _core.mdl_cuts(*counts, k)
        ends = (counts[0][0], counts[0][-1]) if len(counts[0]) else (0.0, 0.0)
        points.append(np.array([ends[0], *cuts, ends[1]], dtype=np.float64))
        size[j] = len(cuts) + 1
    occurring = size.copy()
    occurring[list(seen)] = list(seen.values())
    return Bins(features, size, np.concatenate(points), occurring, learn_quantiles(by_column, {}, k))


def ranges_for_densities(matrix: EncodedMatrix, index: np.ndarray) -> Ranges:
    """Return the ranges of these features, which must have variances."""
    at, ranges = matrix.position[index], matrix.ranges
    low, high = ranges.low[at], ranges.high[at]
    refuse_numbers_without_squares([matrix.features[j].name for j in index], low, high)
    return replace(ranges, low=low, high=high)


def rows_per_weight(y: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the number of rows for a weight of one, by which weights become counts of rows."""
    return 1.0 if weight is None else len(y) / float(weight.sum())


def in_rows(counts: ValueCounts, factor: float) -> ValueCounts:
    """Return the counts with their weights as numbers of rows, which description lengths and minimums need."""
    value, label, weight = counts
    return value, label, weight if factor == 1.0 else weight * factor


def counts_in_rows(counts: list[ValueCounts], y: np.ndarray, weight: np.ndarray | None) -> list[ValueCounts]:
    """Return counts of values of these rows as numbers of rows."""
    factor = rows_per_weight(y, weight)
    return [in_rows(column, factor) for column in counts]


def has_few_values(counts: ValueCounts) -> bool:
    """Return whether a column has at most ten values, with three rows each on average; counts are in rows."""
    value = counts[0]
    distinct = 1 + np.count_nonzero(value[1:] != value[:-1])
    # Weights that became rows are a rounding away from them.
    return bool(distinct <= FEW_VALUES and counts[2].sum() >= ROWS_PER_VALUE * distinct * (1 - ROUNDING))


def numeric_columns(matrix: EncodedMatrix, index: Collection[int]) -> np.ndarray:
    """Return these columns of the numeric block, without a copy when they are all of it."""
    if len(index) == matrix.numeric.shape[1]:
        return matrix.numeric
    return matrix.numeric[:, matrix.position[np.array(list(index), dtype=np.int64)]]
