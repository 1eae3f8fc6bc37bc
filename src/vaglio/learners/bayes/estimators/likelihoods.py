"""Which density each numeric attribute gets in naive Bayes, and its parameters.

The choice behind ``"auto"`` looks at the training rows alone:

1. at most ten distinct values, with three rows or more per value on average: each value has its own frequency, as a
   category has;
2. otherwise the column is cut where Fayyad and Irani's description length says that the class changes, and every
   interval has its own frequency; a column that is not cut does not distinguish the classes and has no effect;
3. if no column at all is cut, those columns are Gaussian: otherwise no numeric column would have an effect;
4. a density takes the place of the intervals if cross-validation says so (``_density_choice``).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import InputError
from vaglio.learners.bayes.estimators.class_statistics import Moments, Statistics
from vaglio.learners.bayes.estimators.density_choice import MOST_COLUMNS, MOST_ROWS
from vaglio.learners.bayes.estimators.named import Strengths, named_group
from vaglio.learners.bayes.estimators.quantiles import ValueCounts
from vaglio.learners.bayes.estimators.variances import gaussian_group
from vaglio.learners.bayes.model.likelihood import CATEGORY, INTERVAL, VALUE, GaussianGroup, KernelGroup, TableGroup
from vaglio.learners.bayes.model.named_likelihood import DISTRIBUTIONS, NamedGroup
from vaglio.learners.bayes.model.posterior import values_seen
from vaglio.learners.bayes.model.text_likelihood import WordGroup
from vaglio.messages.sentences import did_you_mean, listed

LIKELIHOODS = ("auto", "gaussian", "kde", "mdl", "discrete", *DISTRIBUTIONS)
# Rule 1: a frequency per value needs few values, each seen several times.
FEW_VALUES = 10
ROWS_PER_VALUE = 3
# Rows that show, of most columns with many values, that they are many.
_FIRST_ROWS = 64


def resolve_likelihoods(likelihood: Any, features: tuple[Feature, ...]) -> dict[int, str]:
    """Return the likelihood asked for each numeric feature, by its index."""
    numeric = {feature.name: j for j, feature in enumerate(features) if feature.kind == "numeric"}
    if isinstance(likelihood, str):
        return dict.fromkeys(numeric.values(), likelihood)
    asked = dict.fromkeys(numeric.values(), "auto")
    for name, kind in likelihood.items():
        if name not in numeric:
            raise InputError(
                f"likelihood names the column {name!r}, which is not a numeric column of X: numeric are "
                f"{listed(numeric, quoted=True)}."
            )
        if kind not in LIKELIHOODS:
            raise InputError(f"There is no likelihood {kind!r} for column {name!r}: {did_you_mean(kind, LIKELIHOODS)}")
        asked[numeric[name]] = kind
    return asked


@dataclass
class NumericTable:
    """An attribute on its way into a TableGroup."""

    feature: int
    kind: int
    count: np.ndarray
    points: np.ndarray

    @property
    def is_cut(self) -> bool:
        """Whether it has more than one interval."""
        return self.kind == INTERVAL and self.count.shape[1] > 1


def class_table(counts: ValueCounts, cell: np.ndarray, size: int, k: int) -> np.ndarray:
    """Return class weights (K, size), given the cell of every (value, class) pair."""
    _, label, weight = counts
    return np.bincount(label * size + cell, weight, minlength=k * size).reshape(k, size)


def value_table(feature: int, counts: ValueCounts, k: int) -> NumericTable:
    """Every distinct value has its own frequency."""
    values, cell = np.unique(counts[0], return_inverse=True)
    return NumericTable(feature, VALUE, class_table(counts, cell, len(values), k), values)


def interval_table(feature: int, counts: ValueCounts, cuts: np.ndarray, k: int) -> NumericTable:
    """Every interval between cuts has its own frequency."""
    cell = np.searchsorted(cuts, counts[0], side="right")
    low, high = (counts[0][0], counts[0][-1]) if len(counts[0]) else (0.0, 0.0)
    return NumericTable(
        feature, INTERVAL, class_table(counts, cell, len(cuts) + 1, k), np.array([low, *cuts, high], dtype=np.float64)
    )


def has_few_values(counts: ValueCounts) -> bool:
    value = counts[0]
    distinct = 1 + np.count_nonzero(value[1:] != value[:-1])
    return bool(distinct <= FEW_VALUES and counts[2].sum() >= ROWS_PER_VALUE * distinct)


def kernel_group(features: np.ndarray, counts: list[ValueCounts], moments: Moments) -> KernelGroup:
    """Kernel densities with half of Scott's bandwidth, ½·s·n^(-1/5), in each class.

    A kernel density is chosen where several modes are expected; the full bandwidth is made for one normal mode and
    would blur them.
    It never falls under a sixth of the mean gap between distinct values, nor s under a thousandth of the column's
    variance.
    """
    k = len(moments.weight)
    bandwidth = np.empty((len(features), k))
    start, values, weights = [0], [np.empty(0)], [np.empty(0)]
    whole = moments.overall()
    for t, (value, label, weight) in enumerate(counts):
        distinct = 1 + np.count_nonzero(np.diff(value))
        gap = (value[-1] - value[0]) / (distinct - 1) if distinct > 1 else 0.0
        total = whole.deviation[0, t] / whole.weight[0, t]
        for c in range(k):
            here = label == c
            chosen, chosen_weight = value[here], weight[here]
            n, deviation = moments.weight[c, t], moments.deviation[c, t]
            if not here.any():  # a class without values is taken to be like all of them
                chosen, where = np.unique(value, return_inverse=True)
                chosen_weight = np.bincount(where, weight)
                n, deviation = whole.weight[0, t], whole.deviation[0, t]
            spread = np.sqrt(max(deviation / n, 1e-3 * total))
            bandwidth[t, c] = max(0.5 * spread * n**-0.2, gap / 6) or 1.0
            values.append(chosen)
            weights.append(chosen_weight)
            start.append(start[-1] + len(chosen))
    if not np.isfinite(bandwidth).all():
        raise InputError("A numeric column has numbers too large for a kernel density: rescale it, or name another.")
    return KernelGroup(
        features, bandwidth, np.array(start, dtype=np.int64), np.concatenate(values), np.concatenate(weights)
    )


def table_group(statistics: Statistics, numeric: list[NumericTable], alpha: float, guard: float | None) -> TableGroup:
    """Nominal, ordinal and tabulated numeric attributes together."""
    k = len(statistics.class_weight)
    tables = list(numeric)
    for j, count in statistics.tables.items():
        ordinal = statistics.features[j].kind == "ordinal"
        points = np.arange(count.shape[1], dtype=np.float64) if ordinal else np.empty(0)
        tables.append(NumericTable(j, VALUE if ordinal else CATEGORY, count, points))
    if not tables:
        return TableGroup.empty(k, alpha)
    tables.sort(key=lambda table: table.feature)
    return TableGroup(
        np.array([table.feature for table in tables], dtype=np.int64),
        np.array([table.kind for table in tables], dtype=np.int32),
        np.array([table.count.shape[1] for table in tables], dtype=np.int64),
        np.concatenate([np.empty(0), *(table.count.ravel() for table in tables)]),
        np.concatenate([np.empty(0), *(table.points for table in tables)]),
        alpha,
        k,
        np.array([values_seen(table.count) for table in tables], dtype=np.int64),
        np.array([statistics.reliability(table.feature, guard) for table in tables], dtype=np.float64),
    )


def word_group(statistics: Statistics, alpha: float) -> WordGroup:
    """Text attributes."""
    k = len(statistics.class_weight)
    if not statistics.words:
        return WordGroup.empty(k, alpha)
    index = np.array(sorted(statistics.words), dtype=np.int64)
    tables = [statistics.words[int(j)] for j in index]
    length = np.zeros((len(index), k))
    for t, j in enumerate(index):
        documents = statistics.documents[int(j)]
        length[t] = tables[t].sum(axis=1) / np.where(documents > 0, documents, 1.0)
    return WordGroup(
        index,
        np.array([table.shape[1] for table in tables], dtype=np.int64),
        np.concatenate([np.empty(0), *(table.ravel() for table in tables)]),
        length,
        alpha,
    )


@dataclass
class NumericGroups:
    """What was decided for the numeric attributes."""

    gaussian: GaussianGroup
    tables: list[NumericTable]
    kernel: KernelGroup
    named: NamedGroup
    counts: dict[int, ValueCounts]


def numeric_groups(
    asked: dict[int, str],
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    moments: Moments,
    strengths: Strengths,
    threads: int,
) -> NumericGroups:
    """Choose and fit the likelihood of every numeric attribute; the moments are those of the numeric block."""
    k = len(moments.weight)
    read = {j: kind for j, kind in asked.items() if kind not in ("gaussian", *DISTRIBUTIONS)}
    counts = dict(zip(read, _core.value_counts(_columns(read, matrix), y, weight, k, threads))) if read else {}
    named = named_group(asked, matrix, y, weight, moments, strengths, threads)
    return groups_of_counts(asked, counts, moments, matrix.position, named, strengths)


def groups_of_counts(
    asked: dict[int, str],
    counts: dict[int, ValueCounts],
    moments: Moments,
    position: np.ndarray,
    named: NamedGroup,
    strengths: Strengths,
) -> NumericGroups:
    """Choose and fit the likelihoods, given the counts of values of the columns that need them."""
    k = len(moments.weight)
    read = {j: kind for j, kind in asked.items() if kind not in ("gaussian", *DISTRIBUTIONS)}
    tables, uncut = _tabulate(read, counts, k)
    smooth = np.array(sorted([*uncut, *(j for j, kind in asked.items() if kind == "gaussian")]), dtype=np.int64)
    dense = np.array([j for j, kind in read.items() if kind == "kde" and len(counts[j][0])], dtype=np.int64)
    kernel = KernelGroup.empty(k)
    if len(dense):
        kernel = kernel_group(dense, [counts[int(j)] for j in dense], moments.select(position[dense]))
    return NumericGroups(
        gaussian_group(smooth, moments.select(position[smooth]), strengths.var_smoothing),
        tables,
        kernel,
        named,
        {table.feature: counts[table.feature] for table in tables if table.kind == INTERVAL},
    )


def split_auto(
    asked: dict[int, str], matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, k: int, threads: int
) -> tuple[list[int], list[int]]:
    """Return the "auto" columns of few values, and those of many if the table is small enough for a choice."""
    index = [j for j, kind in asked.items() if kind == "auto"]
    if not 0 < len(index) <= MOST_COLUMNS or matrix.n_rows > MOST_ROWS:
        return [], []
    possible = [j for j, many in zip(index, _shows_many_values(_columns(index, matrix))) if not many]
    counts = _core.value_counts(_columns(possible, matrix), y, weight, k, threads) if possible else []
    few = [j for j, column in zip(possible, counts) if has_few_values(column)]
    return few, [j for j in index if j not in few]


def _shows_many_values(columns: np.ndarray) -> np.ndarray:
    """Return which columns have more than a few values among their first rows already, and need not be counted."""
    first = np.sort(columns[:_FIRST_ROWS], axis=0)
    new = (first[1:] != first[:-1]) & ~np.isnan(first[1:])
    many: np.ndarray = np.count_nonzero(new, axis=0) >= FEW_VALUES
    return many


def _tabulate(asked: dict[int, str], counts: dict[int, ValueCounts], k: int) -> tuple[list[NumericTable], list[int]]:
    """Return the tables, and the "auto" columns that become Gaussian because none of them was cut."""
    tables, uncut = [], []
    any_cut = False
    for j, kind in asked.items():
        if kind == "discrete" or (kind == "auto" and has_few_values(counts[j])):
            tables.append(value_table(j, counts[j], k))
        elif kind in ("mdl", "auto"):
            cuts = _core.mdl_cuts(*counts[j], k)
            any_cut = any_cut or len(cuts) > 0
            if kind == "auto" and not len(cuts):
                uncut.append(interval_table(j, counts[j], cuts, k))
            else:
                tables.append(interval_table(j, counts[j], cuts, k))
    if any_cut:
        return tables + uncut, []
    return tables, [table.feature for table in uncut]


def _columns(index: Collection[int], matrix: EncodedMatrix) -> np.ndarray:
    """Return these columns of the numeric block, without a copy when it is all of them."""
    if len(index) == matrix.numeric.shape[1]:
        return matrix.numeric
    return matrix.numeric[:, matrix.position[np.array(list(index), dtype=np.int64)]]
