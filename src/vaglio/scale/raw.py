"""Rows as they are read, with the categories of their own chunk; and from all chunks together to facts and codes.

A chunk cannot know the categories of the others. So it is encoded by its own, kept in that form, and a small table per
column translates its codes once all chunks have been seen: a file is decoded once, however many passes follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import Codebook, EncodedMatrix, Feature
from vaglio.errors import InputError, NotSupportedError
from vaglio.scale.passes import Chunk
from vaglio.table import Column, Table
from vaglio.table.lazy import labels, numbers


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
class RawChunk:
    """Rows that count, encoded by the categories of this chunk.

    Attributes
    ----------
    matrix : EncodedMatrix
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

    matrix: EncodedMatrix
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
        table, weight = _that_count(table, wanted, place)
        target = table.column(wanted.target)
        try:
            y = numbers(target) if wanted.regression else labels(target)
            X = table.select(list(wanted.inputs))
            matrix = Codebook.learn(X).encode(X)
        except InputError as error:
            raise type(error)(f"{place}: {error}") from None
        if matrix.text:
            name = matrix.features[next(iter(matrix.text))].name
            raise NotSupportedError(f"{place}: column {name!r} is free text, which is not learned from in passes.")
        known = (np.empty(0), y) if wanted.regression else _distinct(target, y)
        declared = tuple(X.column(name).declared for name in X.columns)
        codes = known[1].astype(np.float64 if wanted.regression else np.int32, copy=False)
        return cls(matrix, declared, known[0], codes, weight, place)

    def chunk(self, plan: Recoding, start: int) -> Chunk:
        """Return the rows in the codes of the whole table."""
        y = self.y if not len(self.labels) else np.searchsorted(plan.classes, self.labels)[self.y]
        matrix = plan.encode(self.matrix)
        return Chunk(matrix, y.astype(np.float64 if plan.classes is None else np.int64), plan.weights(self, y), start)


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

    def encode(self, matrix: EncodedMatrix) -> EncodedMatrix:
        """Translate the codes of one chunk."""
        features = self.codebook.features
        names = {feature.name: at for at, feature in enumerate(matrix.features)}
        numeric, codes = [], []
        for feature in features:
            at = names[feature.name]
            here, position = matrix.features[at], matrix.position[at]
            if feature.is_nominal:
                codes.append(_translated(matrix, here, position, feature))
            else:
                numeric.append(np.full(matrix.n_rows, np.nan) if here.is_nominal else matrix.numeric[:, position])
        found = EncodedMatrix(
            features, _stacked(numeric, matrix.n_rows, np.float64), _stacked(codes, matrix.n_rows, np.int32)
        )
        found.threads = self.threads
        return found

    def weights(self, raw: RawChunk, y: np.ndarray) -> np.ndarray | None:
        """Return the weights of the rows: times those of their classes, scaled, on the grid."""
        if raw.weight is None and self.factors is None:
            return None
        weight = np.ones(raw.n_rows) if raw.weight is None else raw.weight
        if self.factors is not None:
            weight = weight * self.factors[y]
        return on_grid(weight * self.scale, self.unit)


def on_grid(weight: np.ndarray, unit: float) -> np.ndarray:
    """Return positive weights as multiples of a power of two, once at least."""
    grid: np.ndarray = np.maximum(np.rint(weight / unit), 1.0) * unit
    return grid


def _distinct(target: Column, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels in order and the code of each row; words are not sorted again, for a column has their codes."""
    if target.kind != "nominal" or not len(y):
        return np.unique(y, return_inverse=True)
    first = np.full(len(target.categories), -1, dtype=np.int64)
    first[target.data[::-1]] = np.arange(len(y))[::-1]
    seen = np.flatnonzero(first >= 0)
    labels, place = np.unique(y[first[seen]], return_inverse=True)
    lookup = np.zeros(len(target.categories), dtype=np.int64)
    lookup[seen] = place
    return labels, lookup[target.data]


def _stacked(columns: list[np.ndarray], n: int, dtype: Any) -> np.ndarray:
    block = np.empty((n, len(columns)), dtype=dtype, order="F")
    for j, column in enumerate(columns):
        block[:, j] = column
    return block


def _translated(matrix: EncodedMatrix, here: Feature, position: int, feature: Feature) -> np.ndarray:
    if not here.is_nominal:  # a chunk without any value
        return np.full(matrix.n_rows, -1, dtype=np.int32)
    own = matrix.codes[:, position]
    if here.categories == feature.categories:
        return own
    lookup = np.array([*map(feature.code, here.categories), -1], dtype=np.int32)
    translated: np.ndarray = lookup[own]  # the code -1 of a missing value finds the last entry
    return translated


def _that_count(table: Table, wanted: Wanted, place: str) -> tuple[Table, np.ndarray | None]:
    target: Column = table.column(wanted.target)
    counts = ~target.missing
    weight = None
    if wanted.weight is not None:
        column = table.column(wanted.weight)
        weight = column.data if column.kind == "numeric" else np.full(len(column), np.nan)
        wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
        if len(wrong):
            raise InputError(
                f"{place}: the weight {wanted.weight!r} of row {int(wrong[0]) + 1} of this part is no number of at "
                "least 0: correct it."
            )
        counts &= weight > 0
    if counts.all():
        return table, weight
    rows = np.flatnonzero(counts)
    return table.take(rows), None if weight is None else weight[rows]


def raw_chunks(tables: Iterable[Table], wanted: Wanted, place: str) -> Iterable[RawChunk]:
    """Return the chunks of some tables, without empty ones."""
    for table in tables:
        if len(table):
            chunk = RawChunk.of(table, wanted, place)
            if chunk.n_rows:
                yield chunk
