"""Where to cut numbers into intervals for learners that count combinations of cells."""

from __future__ import annotations

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import NotSupportedError
from vaglio.learners.bayes.estimators.likelihoods import has_few_values
from vaglio.learners.bayes.estimators.quantiles import ValueCounts, learn_quantiles
from vaglio.learners.bayes.model.bins import Bins


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
            f"Column {name!r} is free text, whose words cannot be combined in a table: drop it, or use "
            "NaiveBayesClassifier or MultinomialNB."
        )
    index = np.flatnonzero([feature.kind == "numeric" for feature in matrix.features])
    block = matrix.numeric[:, matrix.position[index]]
    by_column = dict(zip(index.tolist(), _core.value_counts(block, y, weight, k, threads)))
    seen = {j: _occurring(matrix, j) for j, feature in enumerate(matrix.features) if feature.kind != "numeric"}
    return bins_of_counts(matrix.features, by_column, seen, k, keep_few_values)


def bins_of_counts(
    features: tuple[Feature, ...],
    by_column: dict[int, ValueCounts],
    seen: dict[int, int],
    k: int,
    keep_few_values: bool,
) -> Bins:
    """Cut numeric columns by the counts of their values; the others have as many values as ``seen`` says."""
    size = np.array([max(1, len(feature.categories)) for feature in features], dtype=np.int64)
    points = [np.empty(0)]
    for j, counts in by_column.items():
        cuts = _cuts(counts, k, keep_few_values)
        ends = (counts[0][0], counts[0][-1]) if len(counts[0]) else (0.0, 0.0)
        points.append(np.array([ends[0], *cuts, ends[1]], dtype=np.float64))
        size[j] = len(cuts) + 1
    occurring = size.copy()
    for j, values in seen.items():
        occurring[j] = values
    return Bins(features, size, np.concatenate(points), occurring, learn_quantiles(by_column, {}, k))


def _occurring(matrix: EncodedMatrix, j: int) -> int:
    """How many values of a nominal or ordinal column occur in these rows; at least one."""
    codes = (matrix.codes if matrix.features[j].is_nominal else matrix.numeric)[:, matrix.position[j]]
    return max(1, len(np.unique(codes[codes >= 0])))


def _cuts(counts: ValueCounts, k: int, keep_few_values: bool) -> np.ndarray:
    if keep_few_values and len(counts[0]) and has_few_values(counts):
        values = np.unique(counts[0])
        midpoints: np.ndarray = (values[1:] + values[:-1]) / 2
        return midpoints
    return _core.mdl_cuts(*counts, k)
