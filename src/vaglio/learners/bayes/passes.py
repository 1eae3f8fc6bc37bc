"""The Bayes learners in passes: what is counted, and what is made of it."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio.engines.exact_sums import Grid
from vaglio.engines.moments import MomentPlan, ScatterPlan
from vaglio.engines.passes import Chunk, Pass, TableSummary
from vaglio.engines.row_samples import EncodedRows, sample_rows
from vaglio.engines.survey import unit_of
from vaglio.engines.value_counts import SAMPLE_ROWS, Cells, ColumnCounts, cells_of, count_values, needs_sample
from vaglio.learners.bayes.estimators.class_statistics import (
    Moments,
    Statistics,
    category_tables,
    squares_of_categories,
)
from vaglio.learners.bayes.estimators.covariance import ClassGaussians, Scatter, gaussians_of, share_of_sums
from vaglio.learners.bayes.estimators.intervals import bins_of_counts, in_rows
from vaglio.learners.bayes.estimators.likelihood_choice import MOST_COLUMNS, MOST_ROWS, resolve_likelihoods
from vaglio.learners.bayes.estimators.likelihoods import (
    NumericGroups,
    Strengths,
    groups_of_counts,
    impossible_number,
    named_of_moments,
)
from vaglio.learners.bayes.model.bins import Bins
from vaglio.learners.bayes.model.likelihood import DISTRIBUTIONS, possible
from vaglio.learners.inputs import refuse_numbers_without_squares


@dataclass(frozen=True)
class CountingPlan:
    """What is counted.

    Attributes
    ----------
    k : int
        Number of classes.
    moments : MomentPlan
        Of all columns of the numeric block.
    logarithms : MomentPlan or None
        Of the columns that are log-normal.
    cells : Cells
        Columns whose values are counted.
    square_unit : float
        Squared weights are rounded to multiples of it.
    """

    k: int
    moments: MomentPlan
    logarithms: MomentPlan | None
    cells: Cells
    square_unit: float

    @classmethod
    def of(cls, facts: TableSummary, cells: Cells | None = None, logarithms: Any = ()) -> CountingPlan:
        """Plan the pass."""
        k, p = facts.n_classes, len(facts.low)
        return cls(
            k,
            MomentPlan.of(facts, range(p), k),
            MomentPlan.of(facts, logarithms, k, logarithms=True) if len(logarithms) else None,
            cells or Cells((), ()),
            unit_of(max(facts.largest_weight, math.ldexp(1.0, -500)) ** 2, facts.n_rows),
        )

    def counting(self, name: str = "counts and moments") -> Pass:
        """Return the pass; its answer is :class:`Counted`."""
        return Pass(name, partial(_count, self))


@dataclass(frozen=True)
class Counted:
    """What was counted."""

    class_weight: np.ndarray
    tables: dict[int, np.ndarray]
    squares: dict[int, np.ndarray]
    moments: dict[str, np.ndarray]
    logarithms: dict[str, np.ndarray]
    values: tuple[ColumnCounts, ...]

    def merge(self, other: Counted) -> Counted:
        """Add the counts of other rows."""
        return Counted(
            self.class_weight + other.class_weight,
            {j: table + other.tables[j] for j, table in self.tables.items()},
            {j: square + other.squares[j] for j, square in self.squares.items()},
            {name: part + other.moments[name] for name, part in self.moments.items()},
            {name: part + other.logarithms[name] for name, part in self.logarithms.items()},
            tuple(a.merge(b) for a, b in zip(self.values, other.values)),
        )

    def statistics(self, plan: CountingPlan, facts: TableSummary) -> Statistics:
        """Return the statistics that the models of naive Bayes are made from."""
        return Statistics(
            facts.codebook.features,
            facts.n_rows,
            self.class_weight,
            Moments(*plan.moments.moments(self.moments)),
            self.tables,
            self.squares,
            {},
            {},
            facts.low,
            facts.high,
        )

    def value_counts(self, plan: CountingPlan) -> dict[int, Any]:
        """Return the counts of values by column of the numeric block, as the kernels give them."""
        return {j: counts.triples() for j, counts in zip(plan.cells.columns, self.values)}


def _count(plan: CountingPlan, chunk: Chunk) -> Counted:
    matrix, y, weight, k = chunk.matrix, chunk.y, chunk.weight, plan.k
    tables = category_tables(matrix, y, weight, k, 1)
    squares = None if weight is None else np.rint(weight**2 / plan.square_unit) * plan.square_unit
    return Counted(
        np.bincount(y, weight, minlength=k).astype(np.float64),
        tables,
        squares_of_categories(matrix, squares, tables),
        plan.moments.summarize(chunk),
        {} if plan.logarithms is None else plan.logarithms.summarize(chunk),
        count_values(plan.cells, k, chunk),
    )


def chooses_density(likelihood: Any, facts: TableSummary) -> bool:
    """Return whether "auto" looks at the rows themselves: in tables so small that they are gathered."""
    asked = resolve_likelihoods(likelihood, facts.codebook.features)
    return facts.n_rows <= MOST_ROWS and 0 < sum(kind == "auto" for kind in asked.values()) <= MOST_COLUMNS


def naive_passes(
    likelihood: Any, strengths: Strengths, facts: TableSummary
) -> Generator[Pass, Any, tuple[Statistics, NumericGroups]]:
    """Ask for what naive Bayes needs; return the statistics and the likelihoods of the numeric columns."""
    features = facts.codebook.features
    asked = resolve_likelihoods(likelihood, features)
    block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    place = {j: at for at, j in enumerate(block)}
    position = np.array([place.get(j, -1) for j in range(len(features))], dtype=np.int64)
    chosen = {j: kind for j, kind in asked.items() if kind in DISTRIBUTIONS}
    if chosen:
        columns = [(int(position[j]), kind) for j, kind in chosen.items()]
        wrong = yield Pass("checking distributions", partial(_first_impossible, columns), _earlier)
        for (j, kind), (row, value) in zip(chosen.items(), wrong):
            if row >= 0:
                raise impossible_number(features[j].name, kind, row, value)
    counted = [int(position[j]) for j, kind in asked.items() if kind in ("auto", "mdl", "discrete")]
    # A frequency belongs to one number: bins would make one of many.
    exact = {int(position[j]) for j, kind in asked.items() if kind == "discrete"}
    kernels = [int(position[j]) for j, kind in asked.items() if kind == "kde"]
    sample: EncodedRows | None = None
    if kernels or needs_sample(facts, set(counted) - exact):
        sample = yield from sample_rows(facts, SAMPLE_ROWS, 0)
    logarithms = [int(position[j]) for j, kind in asked.items() if kind == "lognormal"]
    plan = CountingPlan.of(facts, cells_of(facts, counted, sample, exact), logarithms)
    found: Counted = yield plan.counting()
    statistics = found.statistics(plan, facts)
    by_column = found.value_counts(plan)
    if kernels:  # a kernel density keeps values: those of the sampled rows
        assert sample is not None
        cells = Cells(tuple(kernels), (None,) * len(kernels))
        held = count_values(cells, facts.n_classes, Chunk(sample.matrix, sample.y, sample.weight, 0))
        by_column |= {j: each.triples() for j, each in zip(kernels, held)}
    counts = {j: by_column[int(position[j])] for j in asked if int(position[j]) in by_column}
    moved = None if plan.logarithms is None else Moments(*plan.logarithms.moments(found.logarithms))
    named = named_of_moments(asked, position, statistics.moments, moved, strengths)
    factor = _rows_per_weight(facts)
    groups = groups_of_counts(asked, counts, statistics.moments, position, named, strengths, factor)
    _refuse_without_squares(facts, position[groups.under_densities])
    return statistics, groups


def _refuse_without_squares(facts: TableSummary, columns: Any) -> None:
    names = [feature.name for feature in facts.codebook.features if feature.in_numeric_block]
    columns = [int(j) for j in columns]
    refuse_numbers_without_squares([names[j] for j in columns], facts.low[columns], facts.high[columns])


def _rows_per_weight(facts: TableSummary) -> float:
    return facts.n_rows / float(facts.class_weight.sum()) if facts.weighted else 1.0


def _first_impossible(columns: list[tuple[int, str]], chunk: Chunk) -> list[tuple[int, float]]:
    found = []
    for j, kind in columns:
        x = chunk.matrix.numeric[:, j]
        wrong = np.flatnonzero(~possible(kind, x) & ~np.isnan(x))
        found.append((chunk.start + int(wrong[0]), float(x[wrong[0]])) if wrong.size else (-1, 0.0))
    return found


def _earlier(a: list[tuple[int, float]], b: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return [min((each for each in pair if each[0] >= 0), default=(-1, 0.0)) for pair in zip(a, b)]


def bins_passes(facts: TableSummary, keep_few_values: bool) -> Generator[Pass, Any, tuple[Bins, np.ndarray]]:
    """Ask for the numbers of every column and class; return the cells and the weight of each class."""
    features = facts.codebook.features
    block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    numeric = [at for at, j in enumerate(block) if features[j].kind == "numeric"]
    sample: EncodedRows | None = None
    if needs_sample(facts, numeric):
        sample = yield from sample_rows(facts, SAMPLE_ROWS, 0)
    plan = CountingPlan.of(facts, cells_of(facts, numeric, sample))
    found: Counted = yield plan.counting("counts of values")
    factor = _rows_per_weight(facts)
    counts = {block[at]: in_rows(triples, factor) for at, triples in found.value_counts(plan).items()}
    seen = {j: max(1, int(np.count_nonzero(table.sum(axis=0)))) for j, table in found.tables.items()}
    return bins_of_counts(features, counts, seen, facts.n_classes, keep_few_values), found.class_weight


def gaussian_passes(
    facts: TableSummary, columns: list[int], kind: str, shrinkage: float | str
) -> Generator[Pass, Any, ClassGaussians]:
    """Ask for the sums behind means and covariances; return the Gaussian of each class."""
    assert facts.classes is not None
    _refuse_without_squares(facts, columns)
    plan = ScatterPlan.of(facts, columns)
    # What mends a covariance counts rows; its other uses do not depend on the scale of the weights.
    factor = _rows_per_weight(facts)
    sums = plan.sums((yield Pass("means and covariances", plan.summarize)))
    weight, first, second = (each * factor for each in sums)
    whole = scatter_of_sums(plan.centre, weight.sum(axis=0), first.sum(axis=0), second.sum(axis=0), None)
    total = np.diag(whole.product) / np.maximum(np.diag(whole.weight), np.finfo(float).tiny)
    total = np.where(facts.low[columns] < facts.high[columns], total, 0.0)
    parts = [scatter_of_sums(plan.centre, *sums, whole.mean) for sums in zip(weight, first, second)]
    shares = [float(shrinkage) if isinstance(shrinkage, (int, float)) else 0.0] * len(parts)
    if kind == "shrunk" and shrinkage == "auto":
        lengths = Lengths.of(facts, plan, parts)
        fourth = lengths.grid.value((yield Pass("lengths of rows", lengths.summarize)))[:, 0] * factor
        shares = [lengths.share(c, part, float(fourth[c])) for c, part in enumerate(parts)]
    return gaussians_of(parts, total, facts.class_weight, facts.classes, kind, shares)


def scatter_of_sums(
    centre: np.ndarray, weight: np.ndarray, first: np.ndarray, second: np.ndarray, fallback: np.ndarray | None
) -> Scatter:
    """Return the products of deviations from the mean, given those from the centre."""
    rows = np.diag(weight)
    shift = np.divide(np.diag(first), rows, out=np.zeros(len(rows)), where=rows > 0)
    instead = np.zeros(len(rows)) if fallback is None else fallback
    mean = np.where(rows > 0, centre + shift, instead)
    product = second - first * shift[None, :] - first.T * shift[:, None] + np.outer(shift, shift) * weight
    diagonal = np.diag_indices_from(product)
    product[diagonal] = np.maximum(product[diagonal], 0.0)
    return Scatter(product, weight, mean, np.empty((0, len(rows))))


@dataclass(frozen=True)
class Lengths:
    """Squared lengths of the rows in units of the deviations of their class, squared and added up."""

    columns: tuple[int, ...]
    mean: np.ndarray
    spread: np.ndarray
    total: np.ndarray
    grid: Grid

    @classmethod
    def of(cls, facts: TableSummary, plan: ScatterPlan, parts: list[Scatter]) -> Lengths:
        """Plan the sum."""
        total = facts.class_weight * _rows_per_weight(facts)
        mean = np.stack([part.mean for part in parts])
        spread = np.sqrt(np.stack([np.diag(part.product) for part in parts]) / total[:, None])
        low, high = facts.low[list(plan.columns)], facts.high[list(plan.columns)]
        reach = np.nan_to_num(np.fmax(np.abs(low - mean), np.abs(high - mean)))
        most = np.divide(reach, spread, out=np.zeros_like(reach), where=spread > 0)
        bound = facts.largest_weight * float((most**2).sum(axis=1).max()) ** 2
        return cls(plan.columns, mean, spread, total, Grid.for_bound([max(bound, 1e-300)]))

    def summarize(self, chunk: Chunk) -> np.ndarray:
        """Return the sums of one chunk in each class."""
        length = np.zeros(chunk.n_rows)
        for at, j in enumerate(self.columns):
            spread = self.spread[:, at][chunk.y]
            deviation = np.nan_to_num(chunk.matrix.numeric[:, j] - self.mean[:, at][chunk.y])
            length += np.divide(deviation, spread, out=np.zeros_like(length), where=spread > 0) ** 2
        terms = length**2 if chunk.weight is None else chunk.weight * length**2
        return self.grid.class_sums(terms[:, None], chunk.y, len(self.total))

    def share(self, c: int, part: Scatter, fourth: float) -> float:
        """Return the shrinkage of one class."""
        varies = self.spread[c] > 0
        spread = self.spread[c][varies]
        correlation = part.product[np.ix_(varies, varies)] / np.outer(spread, spread) / self.total[c]
        return share_of_sums(correlation, fourth, float(self.total[c]))
