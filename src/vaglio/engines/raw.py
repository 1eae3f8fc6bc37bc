"""Rows as they are read, with the categories of their own chunk; and from all chunks together to facts and codes.

A chunk cannot know the categories of the others. So it is encoded by its own, kept in that form, and a small table per
column translates its codes once all chunks have been seen: a file is decoded once, however many passes follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix, Feature, code_type, describe, own_codes
from vaglio.engines.passes import MOST_VALUES, Chunk
from vaglio.errors import InputError, NotSupportedError
from vaglio.messages.message import text
from vaglio.table import Column, Table
from vaglio.table.scanned import labels, numbers


@dataclass(frozen=True)
class Wanted:
    """What is made of the columns of a table.

    Attributes
    ----------
    inputs : tuple of str
    target : str
    weight : str or None
        The column of the weights.
    regression : bool
        Whether the target is a number.
    """

    inputs: tuple[str, ...]
    target: str
    weight: str | None = None
    regression: bool = False


@dataclass(frozen=True)
class ColumnSummary:
    """What the first look at a column of a chunk says.

    Attributes
    ----------
    missing : int
    counts : ndarray of int64
        Rows of each category; empty for a column of numbers.
    low, high : float
        Range of the numbers; infinite and reversed without any.
    values : ndarray or None
        Distinct numbers, if not too many.
    """

    missing: int
    counts: np.ndarray
    low: float = np.inf
    high: float = -np.inf
    values: np.ndarray | None = None

    @classmethod
    def at_codes(cls, codes: np.ndarray, categories: int) -> ColumnSummary:
        """ColumnSummary at the codes of so many categories."""
        counts = _core.count_codes(codes, categories)
        return cls(int(counts[0]), counts[1:])

    @classmethod
    def at_numbers(cls, numbers: np.ndarray) -> tuple[ColumnSummary, np.ndarray]:
        """ColumnSummary at numbers; return them, too, in the smallest type that loses nothing."""
        x = np.ascontiguousarray(numbers, dtype=np.float64)
        low, high, missing, short, _ = _core.look_at(x)
        values = _core.few_values(x, MOST_VALUES) if low <= high else np.empty(0)
        return cls(missing, np.empty(0, np.int64), low + 0.0, high + 0.0, values), x.astype(np.float32) if short else x


@dataclass(frozen=True)
class RawChunk:
    """Rows that count, encoded by the categories of this chunk.

    Attributes
    ----------
    features : tuple of Feature
    columns : tuple of ndarray
        One per feature, in the smallest type that loses nothing: numbers, NaN being missing, or codes from -1.
    looks : tuple of ColumnSummary
        What was seen in each of them.
    declared : tuple of bool
        Whether the source declared the categories of a feature.
    labels : ndarray
        The classes of this chunk, in order; empty when a number is predicted.
    y : ndarray
        Code of the class, or the number.
    weight : ndarray or None
    place : str
        Where the rows are, for messages.
    """

    features: tuple[Feature, ...]
    columns: tuple[np.ndarray, ...]
    looks: tuple[ColumnSummary, ...]
    declared: tuple[bool, ...]
    labels: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    place: str

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @classmethod
    def of(cls, table: Table, wanted: Wanted, place: str) -> RawChunk:
        """Encode the rows whose target is known and whose weight is positive."""
        table, weight = _that_count(table, wanted)
        target = table.column(wanted.target)
        inputs = [table.column(name) for name in wanted.inputs]
        features = tuple(map(describe, inputs))
        seen = tuple(map(_own_column, inputs, features))
        known = (np.empty(0), numbers(target, whole=False)) if wanted.regression else _distinct(target)
        declared = tuple(column.declared for column in inputs)
        looks, columns = tuple(look for look, _ in seen), tuple(column for _, column in seen)
        return cls(features, columns, looks, declared, known[0], known[1], weight, place)

    def column(self, feature: Feature) -> np.ndarray:
        """Return the numbers or the codes of a column as this feature has them.

        Parameters
        ----------
        feature : Feature
            Of all chunks together.
        """
        at = [own.name for own in self.features].index(feature.name)
        here, own = self.features[at], self.columns[at]
        if here.is_nominal != feature.is_nominal:  # a chunk without any value
            return np.full(self.n_rows, *((-1, np.int8) if feature.is_nominal else (np.nan, np.float32)))
        if not feature.is_nominal or here.categories == feature.categories:
            return own
        lookup = np.array([*map(feature.code, here.categories), -1], dtype=np.int32)
        translated: np.ndarray = lookup[own]  # the code -1 of a missing value finds the last entry
        return translated

    def take(self, rows: np.ndarray) -> RawChunk:
        """Return some of the rows; what was seen in all is still said."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, columns=tuple(column[rows] for column in self.columns), y=self.y[rows], weight=weight)

    def chunk(self, plan: Recoding, start: int) -> Chunk:
        """Return the rows in the codes of the whole table."""
        if plan.classes is None:
            y = self.y.astype(np.float64)
        else:
            y = np.searchsorted(plan.classes, self.labels)[self.y].astype(np.int64)
        features = plan.codebook.features
        numeric = self._block([feature for feature in features if not feature.is_nominal], np.float64)
        codes = self._block([feature for feature in features if feature.is_nominal], np.int32)
        matrix = EncodedMatrix(features, numeric, codes)
        matrix.threads = plan.threads
        given = plan.given(self, y)
        weight = None if given is None else on_grid(plan.scaled(given), plan.unit)
        return Chunk(matrix, y, weight, start, given=given)

    def _block(self, features: list[Feature], dtype: DTypeLike) -> np.ndarray:
        block = np.empty((self.n_rows, len(features)), dtype=dtype, order="F")
        for j, feature in enumerate(features):
            block[:, j] = self.column(feature)
        return block


@dataclass(frozen=True)
class Recoding:
    """How the codes of a chunk become those of the whole table, and which weights its rows have.

    Attributes
    ----------
    codebook : Codebook
    classes : ndarray or None
    factors : ndarray or None
        Weight of each class, by which the weight of a row is multiplied.
    scale : float
        What weights are multiplied by.
    least : float or None
        Weights are whole multiples of it, and are scaled as these whole numbers; None: as they are.
    alike : bool
        Whether all weights are the same, and none is told to the learner.
    unit : float
        They are rounded to multiples of this power of two.
    threads : int
    """

    codebook: Codebook
    classes: Any
    factors: np.ndarray | None = None
    scale: float = 1.0
    unit: float = 1.0
    threads: int = 1
    least: float | None = None
    alike: bool = False

    def given(self, raw: RawChunk, y: np.ndarray) -> np.ndarray | None:
        """Return the weights of the rows, times those of their classes."""
        if self.alike or (raw.weight is None and self.factors is None):
            return None
        weight = np.ones(raw.n_rows) if raw.weight is None else raw.weight
        return weight if self.factors is None else weight * self.factors[y]

    def scaled(self, weight: Any) -> Any:
        """Return weights as they are scaled, before they are rounded."""
        return (weight if self.least is None else np.rint(weight / self.least)) * self.scale


def on_grid(weight: np.ndarray, unit: float) -> np.ndarray:
    """Return positive weights as multiples of a power of two, once at least."""
    grid: np.ndarray = np.maximum(np.rint(weight / unit), 1.0) * unit
    return grid


def _own_column(column: Column, feature: Feature) -> tuple[ColumnSummary, np.ndarray]:
    if feature.kind == "text":
        raise NotSupportedError(
            "text-in-passes",
            "Column {column!r} is free text, which learners that read the data in passes do not support.",
            column=feature.name,
        )
    if feature.kind == "numeric":
        look, numbers = ColumnSummary.at_numbers(column.data)
        if look.low == -np.inf or look.high == np.inf:
            column.refuse_infinite()
        return look, numbers
    codes = own_codes(column, feature)
    if feature.kind == "ordinal":
        return ColumnSummary.at_numbers(np.where(codes < 0, np.nan, codes))
    return ColumnSummary.at_codes(codes, len(feature.categories)), codes


def _distinct(target: Column) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels in order and the code of each row; words are not sorted again, for a column has their codes."""
    if target.kind != "nominal":
        known, codes = np.unique(labels(target), return_inverse=True)
        return known, codes.astype(code_type(len(known)))
    seen = np.flatnonzero(_core.count_codes(target.data, len(target.categories))[1:])
    known, place = np.unique(labels(target.replace(data=seen)), return_inverse=True)
    lookup = np.zeros(len(target.categories), dtype=np.int32)
    lookup[seen] = place
    return known, _core.recode(target.data, lookup, True)


def _that_count(table: Table, wanted: Wanted) -> tuple[Table, np.ndarray | None]:
    target: Column = table.column(wanted.target)
    counts = ~target.missing
    weight = None
    if wanted.weight is not None:
        column = table.column(wanted.weight)
        weight = column.data if column.kind == "numeric" else np.full(len(column), np.nan)
        wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
        if len(wrong):
            raise InputError(
                "weight-not-valid",
                "The weight {column!r} in row {row:,} is not a number of at least 0. Correct it.",
                column=wanted.weight,
                row=int(wrong[0]) + 1,
            )
        counts &= weight > 0
    if counts.all():
        return table, weight
    rows = np.flatnonzero(counts)
    return table.take(rows), None if weight is None else weight[rows]


def raw_chunks(tables: Iterable[Table], wanted: Wanted, place: str) -> Iterable[RawChunk]:
    """Return the chunks of some tables that follow each other, without empty ones."""
    before = 0
    for table in tables:
        if len(table):
            try:
                chunk = RawChunk.of(table, wanted, place)
            except InputError as error:  # it names a row of these
                where = text("{place}, after the first {n:,} rows", place=place, n=before) if before else place
                raise error.at(where) from None
            if chunk.n_rows:
                yield chunk
        before += len(table)
