"""What classifiers with joint Gaussian densities share: numbers under the density, all else as in naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.learners.bayes.estimators.class_statistics import Statistics
from vaglio.learners.bayes.estimators.likelihoods import (
    NumericTable,
    has_few_values,
    table_group,
    value_table,
    word_group,
)
from vaglio.learners.bayes.estimators.quantiles import known_ranges, learn_quantiles
from vaglio.learners.bayes.model.likelihood import GaussianGroup, KernelGroup
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.named_likelihood import NamedGroup


def numeric_columns(matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the numeric features (not the ordinal ones) and their columns, without a copy when they are all."""
    index = np.flatnonzero([feature.kind == "numeric" for feature in matrix.features])
    if len(index) == matrix.numeric.shape[1]:
        return index.astype(np.int64), matrix.numeric
    return index.astype(np.int64), matrix.numeric[:, matrix.position[index]]


def naive_part(
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    prior: np.ndarray,
    alpha: float,
    guard: float | None,
    threads: int,
    tables: Sequence[NumericTable] = (),
) -> NaiveBayesModel:
    """Return naive Bayes over nominal, ordinal and text attributes and these tables; it also holds the priors."""
    statistics = Statistics.gather(matrix, y, weight, len(prior), threads)
    return naive_part_of(statistics, prior, alpha, guard, threads, tables)


def naive_part_of(
    statistics: Statistics,
    prior: np.ndarray,
    alpha: float,
    guard: float | None,
    threads: int,
    tables: Sequence[NumericTable] = (),
) -> NaiveBayesModel:
    """Return the same from what is known of the rows."""
    k = len(prior)
    none = np.empty((0, k))
    return NaiveBayesModel(
        statistics.class_weight,
        prior,
        GaussianGroup(np.empty(0, dtype=np.int64), none, none),
        table_group(statistics, list(tables), alpha, guard),
        KernelGroup.empty(k),
        word_group(statistics, alpha),
        NamedGroup.empty(k),
        quantiles=learn_quantiles({}, known_ranges(*statistics.numeric_ranges()), k),
        threads=threads,
    )


def few_valued_tables(
    index: np.ndarray, x: np.ndarray, y: np.ndarray, weight: np.ndarray | None, k: int, threads: int
) -> list[NumericTable]:
    """Return a table for each numeric attribute that has few distinct values, where a density would be spikes."""
    counts = _core.value_counts(x, y, weight, k, threads)
    return [value_table(int(j), column, k) for j, column in zip(index, counts) if has_few_values(column)]
