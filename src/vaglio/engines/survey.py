"""The first look at all rows, the same on any partitioning; and the codes and facts that a learner starts from."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import (
    Codebook,
    EncodedMatrix,
    Feature,
    code_of_absence,
    natural_order,
    spelling,
    spread_rows,
    spreads_of,
)
from vaglio.engines.exact_sums import ExactSum
from vaglio.engines.passes import MOST_VALUES, Chunk, TableSummary
from vaglio.engines.raw import RawChunk, Recoding, on_grid
from vaglio.errors import InputError
from vaglio.messages.sentences import listed
from vaglio.table import KIND_WORDS

# A dictionary of more words than this would not stay small: the column is an identifier, or free text.
MOST_CATEGORIES = 1 << 20


@dataclass(frozen=True)
class ColumnSurvey:
    """What is known of one column.

    Attributes
    ----------
    feature : Feature
        Without categories.
    place : str
        Where its kind was seen: the first place, in the order of the words.
    declared : tuple or None
        The categories, if the source declared the same ones everywhere.
    counts : Counter
        Rows of each category that occurs.
    low, high : float
        Range of the numbers; infinite and reversed without any.
    missing : int
    values : ndarray or None
        Distinct numbers, if not too many.
    """

    feature: Feature
    place: str
    declared: tuple[Any, ...] | None
    counts: Counter[Any]
    low: float
    high: float
    missing: int
    values: np.ndarray | None

    @property
    def is_empty(self) -> bool:
        """Whether no value was seen, so that the kind is open."""
        return not self.counts and self.low > self.high

    def merge(self, other: ColumnSurvey) -> ColumnSurvey:
        """Combine with the same column of other rows."""
        if self.is_empty or other.is_empty:
            known, empty = (other, self) if self.is_empty else (self, other)
            return replace(known, missing=known.missing + empty.missing)
        if (self.feature.kind, self.feature.is_date) != (other.feature.kind, other.feature.is_date):
            raise _other_kind(self, other)
        counts = self.counts + other.counts
        if len(counts) > MOST_CATEGORIES:
            raise InputError(
                "too-many-categories",
                "Column {column!r} has more than {most:,} categories. It is an identifier or free text; leave it out.",
                column=self.feature.name,
                most=MOST_CATEGORIES,
            )
        return ColumnSurvey(
            _either(self.feature, other.feature),
            min(self.place, other.place),
            self.declared if self.declared == other.declared else None,
            counts,
            min(self.low, other.low),
            max(self.high, other.high),
            self.missing + other.missing,
            _joined_values(self.values, other.values),
        )

    def described(self) -> Feature:
        """Return the feature as a training in memory would describe it."""
        if self.feature.kind == "numeric":
            return self.feature
        if self.declared is not None:
            found = {spelling(value): value for value in self.declared}
        else:
            found = {spelling(value): value for value in sorted(self.counts, key=natural_order)}
        categories = tuple(found.values())
        if self.feature.kind == "ordinal":
            return replace(self.feature, categories=categories)
        feature = replace(self.feature, categories=categories)
        counts = np.zeros(len(categories))
        for value, rows in self.counts.items():
            counts[feature.code(value)] += rows
        return replace(feature, default=code_of_absence(categories, feature.asymmetric, counts))


def _either(a: Feature, b: Feature) -> Feature:
    """Return the feature of both parts: cells that are not what the column holds may be in one of them only."""
    if a.cell_format == b.cell_format or b.cell_format is None:
        return a
    if a.cell_format is None or b.cell_format.lenient:
        return replace(a, cell_format=b.cell_format)
    return a


def _other_kind(a: ColumnSurvey, b: ColumnSurvey) -> InputError:
    first, second = sorted((a, b), key=lambda each: each.place)
    return InputError(
        "kinds-differ-by-part",
        "Column {column!r} is {first} in {first_place} and {second} in {second_place}. Write all parts with the same "
        "types.",
        column=first.feature.name,
        first=KIND_WORDS[first.feature.kind],
        first_place=first.place,
        second=KIND_WORDS[second.feature.kind],
        second_place=second.place,
    )


def _joined_values(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    if a is None or b is None:
        return None
    joined = np.union1d(a, b)
    return joined if len(joined) <= MOST_VALUES else None


@dataclass(frozen=True)
class Survey:
    """What is known of all rows.

    Attributes
    ----------
    columns : tuple of ColumnSurvey
    labels : dict
        Rows and the sum of the weights of each class; the sum is an
        :class:`~vaglio.engines.exact_sums.ExactSum` or None.
    n_rows : int
    weight_range : tuple of float
        Smallest and largest weight.
    y_range : tuple of float
    total_weight : ExactSum or None
        Sum of all weights; None when no row has one.
    """

    columns: tuple[ColumnSurvey, ...]
    labels: dict[Any, tuple[int, ExactSum | None]]
    n_rows: int
    weight_range: tuple[float, float]
    y_range: tuple[float, float]
    total_weight: ExactSum | None

    @classmethod
    def of(cls, raw: RawChunk) -> Survey:
        """ColumnSummary at one chunk."""
        columns = tuple(_column(raw, j) for j in range(len(raw.features)))
        told: dict[Any, tuple[int, ExactSum | None]] = {}
        rows = _core.count_codes(raw.y, len(raw.labels))[1:].tolist() if len(raw.labels) else []
        for code, label in enumerate(raw.labels.tolist()):
            told[label] = (rows[code], None if raw.weight is None else ExactSum.of(raw.weight[raw.y == code]))
        weights = (1.0, 1.0) if raw.weight is None else (float(raw.weight.min()), float(raw.weight.max()))
        y_range = (0.0, 0.0) if len(raw.labels) else (float(raw.y.min()), float(raw.y.max()))
        total = None if raw.weight is None else ExactSum.of(raw.weight)
        return cls(columns, told, raw.n_rows, weights, y_range, total)

    def merge(self, other: Survey) -> Survey:
        """Combine with other rows."""
        names, others = ([each.feature.name for each in columns] for columns in (self.columns, other.columns))
        if names != others:
            odd = sorted(set(names) ^ set(others)) or names
            raise InputError(
                "column-absent-in-parts",
                "Some parts have the {n:column|columns} {columns} and others do not. All parts need the same columns.",
                n=len(odd),
                columns=listed(odd, quoted=True),
            )
        told = dict(self.labels)
        for label, (rows, weight) in other.labels.items():
            before = told.get(label)
            told[label] = (rows, weight) if before is None else (before[0] + rows, _both(before[1], weight))
        return Survey(
            tuple(a.merge(b) for a, b in zip(self.columns, other.columns)),
            told,
            self.n_rows + other.n_rows,
            _widened(self.weight_range, other.weight_range),
            _widened(self.y_range, other.y_range),
            _both(self.total_weight, other.total_weight),
        )

    def in_short(self) -> list[Any]:
        """Return plain values that are the same on any partitioning, and most probably others for other rows."""
        columns = [
            (each.feature.name, each.low, each.high, each.missing, sorted((str(k), n) for k, n in each.counts.items()))
            for each in self.columns
        ]
        labels = sorted((str(label), rows) for label, (rows, _) in self.labels.items())
        return [self.n_rows, labels, columns, self.y_range, self.weight_range]


def _both(a: ExactSum | None, b: ExactSum | None) -> ExactSum | None:
    return None if a is None or b is None else a.merge(b)


def _widened(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return min(a[0], b[0]), max(a[1], b[1])


def _column(raw: RawChunk, j: int) -> ColumnSurvey:
    feature, look = raw.features[j], raw.looks[j]
    plain = replace(feature, categories=(), default=None)
    if feature.is_nominal:
        counts = Counter({value: n for value, n in zip(feature.categories, look.counts.tolist()) if n})
        declared = feature.categories if raw.declared[j] else None
        return ColumnSurvey(plain, raw.place, declared, counts, look.low, look.high, look.missing, None)
    declared = feature.categories if feature.kind == "ordinal" and look.low <= look.high else None
    return ColumnSurvey(plain, raw.place, declared, Counter(), look.low, look.high, look.missing, look.values)


def plan_of(survey: Survey, unseen: Any = "missing") -> Recoding:
    """Return the codes of all categories and classes, for rows without weights."""
    features = tuple(column.described() for column in survey.columns)
    classes = np.unique(label_array(list(survey.labels))) if survey.labels else None
    return Recoding(Codebook(features, unseen=unseen), classes)


def label_array(labels: list[Any]) -> np.ndarray:
    """Return labels with the dtype they have in common; labels that do not compare are refused."""
    kinds = {bool if isinstance(label, bool) else str if isinstance(label, str) else float for label in labels}
    if len(kinds) > 1:
        raise InputError(
            "classes-of-two-types",
            "The classes are words in some parts and numbers in others. Write all parts with the same types.",
        )
    return np.array(labels, dtype=np.str_ if kinds == {str} else None)


def class_totals(survey: Survey, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and weight of each class."""
    told = [survey.labels[label] for label in classes.tolist()]
    counts = np.array([rows for rows, _ in told], dtype=np.int64)
    weight = np.array([float(rows) if total is None else total.value for rows, total in told])
    return counts, weight


def unit_of(largest: float, n_rows: int) -> float:
    """Return the power of two whose multiples, so many and so large at most, add without rounding."""
    return math.ldexp(1.0, math.frexp(largest)[1] + math.ceil(math.log2(max(n_rows, 2))) - 52)


def facts_of(survey: Survey, plan: Recoding, threads: int, memory: int, room: int) -> TableSummary:
    """Return what is known of all rows; weights are those that ``plan`` gives to the rows."""
    block = [column for column, feature in zip(survey.columns, plan.codebook.features) if feature.in_numeric_block]
    weighted = not plan.alike and (plan.factors is not None or survey.weight_range != (1.0, 1.0))
    factors = np.ones(1) if plan.factors is None else plan.factors
    counts, weight = np.empty(0, np.int64), np.empty(0)
    if plan.classes is not None:
        counts, weight = class_totals(survey, plan.classes)
        weight = weight * factors / (plan.least or 1.0) * plan.scale if weighted else counts.astype(np.float64)
    return TableSummary(
        plan.codebook,
        plan.classes,
        survey.n_rows,
        counts,
        weight,
        np.array([column.low if column.low <= column.high else np.nan for column in block], dtype=np.float64),
        np.array([column.high if column.low <= column.high else np.nan for column in block], dtype=np.float64),
        np.array([column.missing for column in survey.columns], dtype=np.int64),
        tuple(column.values for column in block),
        weighted,
        plan.unit,
        float(plan.scaled(survey.weight_range[1] * factors.max())) if weighted else 1.0,
        survey.y_range,
        threads,
        memory,
        room,
    )


def facts_in_memory(
    matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, classes: np.ndarray, threads: int
) -> tuple[TableSummary, Chunk]:
    """Return the facts of rows in memory, all of positive weight, and the rows as the only chunk of their table."""
    n, p = matrix.numeric.shape
    columns = [np.ascontiguousarray(column) for column in matrix.numeric.T]
    looks = [_core.look_at(x) for x in columns]
    low, high = (np.array([look[at] for look in looks], dtype=np.float64) + 0.0 for at in (0, 1))
    empty = low > high
    missing = np.zeros(matrix.n_features, dtype=np.int64)
    missing[matrix.numeric_features] = [look[2] for look in looks]
    missing[matrix.nominal_features] = np.count_nonzero(matrix.codes < 0, axis=0)
    largest = 1.0 if weight is None else float(weight.max())
    unit = 1.0 if weight is None else unit_of(largest, n)
    weight = None if weight is None else on_grid(weight, unit)
    facts = TableSummary(
        Codebook(matrix.features, spreads=spreads_of(matrix.numeric[spread_rows(n, p)]) if p else ()),
        classes,
        n,
        np.bincount(y, minlength=len(classes)),
        np.bincount(y, weight, minlength=len(classes)).astype(np.float64),
        np.where(empty, np.nan, low),
        np.where(empty, np.nan, high),
        missing,
        tuple(np.empty(0) if none else _core.few_values(x, MOST_VALUES) for x, none in zip(columns, empty)),
        weight is not None,
        unit,
        largest,
        threads=threads,
    )
    return facts, Chunk(matrix, y, weight, 0)
