"""The likelihoods of naive Bayes, fitted: densities, tables and words, from statistics and counts of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError
from vaglio.learners.bayes.estimators.class_statistics import Moments, Statistics
from vaglio.learners.bayes.estimators.intervals import (
    ValueCounts,
    has_few_values,
    in_rows,
    numeric_columns,
    ranges_for_densities,
    rows_per_weight,
)
from vaglio.learners.bayes.model.likelihood import (
    CATEGORY,
    DISTRIBUTIONS,
    INTERVAL,
    VALUE,
    GaussianGroup,
    KernelGroup,
    NamedGroup,
    TableGroup,
    WordGroup,
    possible,
)
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.posterior import values_seen
from vaglio.messages.message import text

# What a distribution takes, for the message that a column has something else.
_TAKES = {
    "poisson": text("counts (0, 1, 2, …)"),
    "exponential": text("numbers of at least 0"),
    "lognormal": text("numbers above 0"),
}
# A class that shows one value only still gets a density: no variance falls below this share of the column's own.
LEAST_VARIANCE = 1e-9
# A class of zeros alone still has a rate: no mean falls below this share of the column's own.
_LEAST_MEAN = 1e-9


@dataclass(frozen=True)
class Strengths:
    """How strongly the estimates are smoothed: rows added to a mean, and to a variance."""

    alpha: float
    var_smoothing: float


def gaussian_group(features: np.ndarray, moments: Moments, var_smoothing: float) -> GaussianGroup:
    """Return normal densities of these features."""
    return GaussianGroup(features, *class_densities(moments, var_smoothing))


def class_densities(moments: Moments, var_smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Return means and smoothed variances, each (columns, K).

    A class's variance is estimated as if ``var_smoothing`` more rows had shown the variance within the classes taken
    together, as α adds rows to a frequency.
    """
    whole = moments.overall()
    total = np.divide(whole.deviation, whole.weight, out=np.zeros_like(whole.weight), where=whole.weight > 0)[0]
    within = np.divide(moments.deviation.sum(axis=0), whole.weight[0], out=np.zeros_like(total), where=total > 0)
    rows = moments.weight + var_smoothing
    variance = np.divide(moments.deviation + var_smoothing * within, rows, out=np.zeros_like(rows), where=rows > 0)
    empty = moments.weight <= 0
    variance = np.where(empty, total, np.maximum(variance, LEAST_VARIANCE * total))
    mean = np.where(empty, whole.mean, moments.mean)
    # A column that never varies is equally likely everywhere, whatever variance it is given.
    return mean.T.copy(), np.where(total > 0, variance, 1.0).T.copy()


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


def kernel_group(
    features: np.ndarray, counts: list[ValueCounts], moments: Moments, rows_per_weight: float
) -> KernelGroup:
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
            bandwidth[t, c] = max(0.5 * spread * (n * rows_per_weight) ** -0.2, gap / 6) or 1.0
            values.append(chosen)
            weights.append(chosen_weight)
            start.append(start[-1] + len(chosen))
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

    @property
    def under_densities(self) -> np.ndarray:
        """The features whose variances are part of the model."""
        return np.concatenate([self.gaussian.feature, self.kernel.feature])

    @classmethod
    def without_choice(
        cls, k: int, gaussian: GaussianGroup | None = None, tables: Sequence[NumericTable] = ()
    ) -> NumericGroups:
        """Return these groups alone."""
        none = np.empty((0, k))
        gaussian = GaussianGroup(np.empty(0, dtype=np.int64), none, none) if gaussian is None else gaussian
        return cls(gaussian, list(tables), KernelGroup.empty(k), NamedGroup.empty(k), {})


def assemble(
    statistics: Statistics,
    prior: np.ndarray,
    numeric: NumericGroups,
    alpha: float,
    guard: float | None,
    threads: int,
) -> NaiveBayesModel:
    """Return naive Bayes over nominal, ordinal and text attributes and these numeric ones."""
    return NaiveBayesModel(
        statistics.class_weight,
        prior,
        numeric.gaussian,
        table_group(statistics, numeric.tables, alpha, guard),
        numeric.kernel,
        word_group(statistics, alpha),
        numeric.named,
        threads=threads,
    )


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
    counts = dict(zip(read, _core.value_counts(numeric_columns(matrix, read), y, weight, k, threads))) if read else {}
    named = named_group(asked, matrix, y, weight, moments, strengths, threads)
    factor = rows_per_weight(y, weight)
    groups = groups_of_counts(asked, counts, moments, matrix.position, named, strengths, factor)
    ranges_for_densities(matrix, groups.under_densities)
    return groups


def groups_of_counts(
    asked: dict[int, str],
    counts: dict[int, ValueCounts],
    moments: Moments,
    position: np.ndarray,
    named: NamedGroup,
    strengths: Strengths,
    rows_per_weight: float,
) -> NumericGroups:
    """Choose and fit the likelihoods, given the counts of values of the columns that need them.

    Frequencies and moments are weighed against α, so they keep the weights as given; minimums, description lengths
    and bandwidths count rows, a weight of one being ``rows_per_weight`` of them.
    """
    k = len(moments.weight)
    read = {j: kind for j, kind in asked.items() if kind not in ("gaussian", *DISTRIBUTIONS)}
    tables, uncut = _tabulate(read, counts, k, rows_per_weight)
    smooth = np.array(sorted([*uncut, *(j for j, kind in asked.items() if kind == "gaussian")]), dtype=np.int64)
    dense = np.array([j for j, kind in read.items() if kind == "kde" and len(counts[j][0])], dtype=np.int64)
    kernel = KernelGroup.empty(k)
    if len(dense):
        of_dense = [counts[int(j)] for j in dense]
        kernel = kernel_group(dense, of_dense, moments.select(position[dense]), rows_per_weight)
    return NumericGroups(
        gaussian_group(smooth, moments.select(position[smooth]), strengths.var_smoothing),
        tables,
        kernel,
        named,
        {table.feature: counts[table.feature] for table in tables if table.kind == INTERVAL},
    )


def _tabulate(
    asked: dict[int, str], counts: dict[int, ValueCounts], k: int, rows_per_weight: float
) -> tuple[list[NumericTable], list[int]]:
    """Return the tables, and the "auto" columns that become Gaussian because none of them was cut."""
    tables, uncut = [], []
    any_cut = False
    for j, kind in asked.items():
        rows = in_rows(counts[j], rows_per_weight)
        if kind == "discrete" or (kind == "auto" and has_few_values(rows)):
            tables.append(value_table(j, counts[j], k))
        elif kind in ("mdl", "auto"):
            cuts = _core.mdl_cuts(*rows, k)
            any_cut = any_cut or len(cuts) > 0
            if kind == "auto" and not len(cuts):
                uncut.append(interval_table(j, counts[j], cuts, k))
            else:
                tables.append(interval_table(j, counts[j], cuts, k))
    if any_cut:
        return tables + uncut, []
    return tables, [table.feature for table in uncut]


def named_group(
    asked: dict[int, str],
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    moments: Moments,
    strengths: Strengths,
    threads: int,
) -> NamedGroup:
    """Fit the columns that are asked to follow a named distribution.

    The mean of a Poisson or exponential distribution is estimated as if α more rows had the mean of all rows, as α
    adds to a frequency; the logarithms of a log-normal one are smoothed like a Gaussian. With 0 it is the estimate of
    largest likelihood.
    """
    chosen = {j: kind for j, kind in asked.items() if kind in DISTRIBUTIONS}
    for j, kind in chosen.items():
        x = matrix.numeric[:, matrix.position[j]]
        for row in np.flatnonzero(~possible(kind, x) & ~np.isnan(x))[:1].tolist():
            raise impossible_number(matrix.features[j].name, kind, row, x[row])
    positions = [int(matrix.position[j]) for j, kind in chosen.items() if kind == "lognormal"]
    moved = None
    if positions:
        logarithms = np.log(matrix.numeric[:, positions])
        moved = Moments(*_core.class_moments(logarithms, y, weight, len(moments.weight), threads))
    return named_of_moments(asked, matrix.position, moments, moved, strengths)


def named_of_moments(
    asked: dict[int, str], position: np.ndarray, moments: Moments, moved: Moments | None, strengths: Strengths
) -> NamedGroup:
    """Fit the columns from their moments; ``moved`` are those of the logarithms of the log-normal ones, in order."""
    k = len(moments.weight)
    chosen = {j: kind for j, kind in asked.items() if kind in DISTRIBUTIONS}
    if not chosen:
        return NamedGroup.empty(k)
    means: list[np.ndarray] = []
    variances: list[np.ndarray] = []
    done = 0
    for j, kind in chosen.items():
        if kind == "lognormal":
            assert moved is not None
            mean, variance = class_densities(moved.select(np.array([done])), strengths.var_smoothing)
            done += 1
        else:
            mean = _smoothed_means(moments.select(position[j : j + 1]), strengths.alpha)
            variance = np.ones((1, k))
        means.append(mean)
        variances.append(variance)
    codes = np.array([DISTRIBUTIONS.index(kind) for kind in chosen.values()], dtype=np.int32)
    return NamedGroup(np.array(list(chosen), dtype=np.int64), codes, np.concatenate(means), np.concatenate(variances))


def _smoothed_means(moments: Moments, alpha: float) -> np.ndarray:
    """Return the smoothed mean of one column in every class, shape (1, K)."""
    overall = float(moments.overall().mean[0, 0])
    rows = moments.weight[:, 0] + alpha
    total = moments.weight[:, 0] * moments.mean[:, 0] + alpha * overall
    mean = np.divide(total, rows, out=np.full(len(rows), overall), where=rows > 0)
    positive: np.ndarray = np.maximum(mean, _LEAST_MEAN * overall if overall > 0 else 1.0)[None, :]
    return positive


def impossible_number(name: str, kind: str, row: int, value: float) -> InputError:
    """Return the error that a column has a number its distribution cannot produce."""
    return InputError(
        "value-outside-likelihood",
        "Column {column!r} has {value:g} in row {row:,}, but the likelihood {likelihood!r} needs "
        "{allowed}. Correct the value, or choose another likelihood for this column.",
        column=name,
        value=float(value),
        row=row + 1,
        likelihood=kind,
        allowed=_TAKES[kind],
    )
