"""Rows that are not in memory, for what trains on some of them and evaluates on others.

Rows are divided by the hash of their number in the whole table: nothing is kept or sorted, and it is the same rows
however the table is read. Folds are therefore neither stratified nor of exactly the same size; with the many rows of
such a table both hold nearly.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from vaglio.engines.frames import dask_parts, dask_taking
from vaglio.errors import InputError
from vaglio.evaluation.lazy_predictions import predict_outside
from vaglio.evaluation.metrics.scoring import Scorer, with_known_predictions
from vaglio.evaluation.selection.trials import Rows
from vaglio.learners.lazy_scores import Labelled, each_labelled
from vaglio.runtime.seeds import row_hash
from vaglio.table import Column, LazyTable, Table
from vaglio.table.lazy import Change, RowShare, joined

__all__ = ["LabelNoise", "MissingValues", "OutsideRows"]


@dataclass(frozen=True)
class OutsideRows:
    """Inputs and class of rows that stay on disk or with a cluster.

    Attributes
    ----------
    X : LazyTable or Dask frame
    y : LazyColumn or Dask series
    """

    X: Any
    y: Any
    weight: None = None
    outside: ClassVar[bool] = True

    @classmethod
    def of(cls, table: Any, target: Any) -> OutsideRows:
        """Return the rows of a table and the name of its class column, or of X and y."""
        if target is None:
            raise InputError("Which column is the class? Name it as the target.")
        if not isinstance(target, str):
            return cls(table, target)
        if isinstance(table, LazyTable):
            return cls(*table.xy(target))
        if target not in table.columns:
            raise InputError(f"The frame has no column {target!r}.")
        return cls(table.drop(columns=target), table[target])

    def __len__(self) -> int:
        return len(self.X)

    @property
    def target(self) -> str:
        """Name of the class column."""
        return str(self.y.name)

    @property
    def key(self) -> str:
        """What tells these rows from others, in a checkpoint."""
        if isinstance(self.X, LazyTable):
            return f"{self.X.parts} {self.X.columns} {self.target}"
        _, parts, shares, changes = self._numbered
        return f"{[start for _, start in parts]} {list(self.X.columns)} {self.target} {shares} {changes}"

    def part(self, rows: OutsideRows) -> OutsideRows:
        """Some of the rows, as :meth:`folds` and :meth:`split` give them."""
        return rows

    def like(self, table: Any) -> OutsideRows:
        """The same columns of another table."""
        if isinstance(self.X, LazyTable):
            return OutsideRows(table.select(self.X.columns), table[self.target])
        return OutsideRows(table[list(self.X.columns)], table[self.target])

    def folds(self, n_splits: int, seed: int) -> list[tuple[OutsideRows, OutsideRows]]:
        """Training and test rows of each fold."""
        if n_splits < 2:
            raise InputError(f"{n_splits} folds leave nothing to learn from: ask for at least 2.")
        edges = [fold / n_splits for fold in range(n_splits + 1)]
        shares = [RowShare(low, high, seed) for low, high in pairwise(edges)]
        return [(self._taking(replace(share, inside=False)), self._taking(share)) for share in shares]

    def split(self, share: float, seed: int) -> tuple[OutsideRows, OutsideRows]:
        """Divide the rows in two; the second part has about this share of them."""
        held = RowShare(0.0, share, seed)
        return self._taking(replace(held, inside=False)), self._taking(held)

    def changed(self, change: Change) -> OutsideRows:
        """The rows with something changed whenever they are read."""
        if isinstance(self.X, LazyTable):
            data = self.y.table.changing(change)
            return OutsideRows(data.select(self.X.columns), data[self.target])
        return self._of_frame((), (change,))

    def leading(self, share: float) -> OutsideRows:
        """About this share of the rows, from the beginning, so that the others are not read."""
        if isinstance(self.X, LazyTable):
            data = self.y.table.leading(share)
            return OutsideRows(data.select(self.X.columns), data[self.target])
        n = max(1, round(share * self.X.npartitions))
        return OutsideRows(self.X.partitions[:n], self.y.partitions[:n])

    def _taking(self, share: RowShare) -> OutsideRows:
        if isinstance(self.X, LazyTable):
            data = self.y.table.taking(share)
            return OutsideRows(data.select(self.X.columns), data[self.target])
        return self._of_frame((share,), ())

    def _of_frame(self, shares: tuple[RowShare, ...], changes: tuple[Change, ...]) -> OutsideRows:
        frame, parts, before, done = self._numbered
        shares, changes = (*before, *shares), (*done, *changes)
        taken = dask_taking(frame, parts, shares, changes)
        found = OutsideRows(taken.drop(columns=self.target), taken[self.target])
        # Numbers of rows are those of the whole frame, also in parts of parts.
        found.__dict__["_numbered"] = (frame, parts, shares, changes)
        return found

    @cached_property
    def _numbered(self) -> tuple[Any, list[tuple[Any, int]], tuple[RowShare, ...], tuple[Change, ...]]:
        """The frame with its class, its partitions with their first rows, and what is taken and changed of them."""
        frame = self.X.assign(**{self.target: self.y})
        return frame, dask_parts(frame), (), ()

    def sampled(self, most: int) -> Rows:
        """At most so many of the rows whose class is known, in memory; those with the smallest hashes."""
        held: list[tuple[np.ndarray, Rows]] = []
        start = 0
        for inputs, true in each_labelled(_inputs_and_classes, self.X, self.y):
            hashes = row_hash(np.arange(start, start + len(true)), 0)
            start += len(true)
            rows = np.sort(np.argsort(hashes, kind="stable")[:most])
            held = _smallest([*held, (hashes[rows], Rows(inputs, true).part(rows))], most)
        if not held:
            raise InputError("No row has a value of the target, so that there is nothing to score.")
        return _together([rows for _, rows in held])

    def classes(self) -> np.ndarray:
        """The class labels, sorted: one look at the target."""
        X = self.X.select([]) if isinstance(self.X, LazyTable) else self.X[[]]
        found: set[Any] = set()
        for labels in each_labelled(_labels, X, self.y):
            found |= set(labels.tolist())
        if not found:
            raise InputError(f"No row has a value of {self.target!r}, so that there is nothing to learn from.")
        return np.unique(np.array(sorted(found)))

    def score(self, scorer: Scorer, estimator: Any) -> float:
        """Score a fitted estimator; rows without a class are left out."""
        predictions, true, _ = predict_outside(estimator, self.X, self.y)
        return float(scorer(with_known_predictions(estimator, predictions), self.X, true))

    def predict_all(self, model: Any) -> None:
        """Predict every row and forget the predictions: to measure how long it takes."""
        for _ in each_labelled(_Predicting(model), self.X, self.y):
            pass


@dataclass(frozen=True)
class _Predicting:
    model: Any

    def __call__(self, rows: Labelled) -> None:
        self.model.predict(rows[0])


def _inputs_and_classes(rows: Labelled) -> tuple[Table, np.ndarray]:
    return rows[0], rows[1]


def _labels(rows: Labelled) -> np.ndarray:
    return np.unique(rows[1])


def _smallest(held: list[tuple[np.ndarray, Rows]], most: int) -> list[tuple[np.ndarray, Rows]]:
    """Return of each chunk the rows that are among those with the smallest hashes of all."""
    hashes = np.concatenate([each for each, _ in held])
    if len(hashes) <= most:
        return held
    bound = np.partition(hashes, most - 1)[most - 1]
    kept = [(each[each <= bound], rows.part(np.flatnonzero(each <= bound))) for each, rows in held]
    return [(each, rows) for each, rows in kept if len(each)]


def _together(parts: list[Rows]) -> Rows:
    return Rows(joined([part.X for part in parts]), np.concatenate([part.y for part in parts]))


@dataclass(frozen=True)
class LabelNoise:
    """Changes the class of a share of the rows to another one, by the hash of the row: the same rows however read.

    Attributes
    ----------
    target : str
    classes : tuple
    share : float
    seed : int
    """

    target: str
    classes: tuple[Any, ...]
    share: float
    seed: int

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        if self.target not in table or len(self.classes) < 2:
            return table
        column = table.column(self.target)
        k = len(self.classes)
        codes = self._codes(column)
        moved = (codes + 1 + (row_hash(index, self.seed + 1) % np.uint64(k - 1)).astype(np.int64)) % k
        codes = np.where((_uniform(index, self.seed) < self.share) & (codes >= 0), moved, codes)
        if column.kind == "numeric":
            return table.with_column(column.replace(data=np.append(np.array(self.classes, float), np.nan)[codes]))
        changed = column.replace(data=codes.astype(np.int32), categories=self.classes, kind="nominal")
        return table.with_column(changed)

    def _codes(self, column: Column) -> np.ndarray:
        code_of = {str(label): code for code, label in enumerate(self.classes)}
        if column.kind == "nominal":
            own = [code_of.get(str(value), -1) for value in column.categories]
            codes: np.ndarray = np.array([*own, -1])[column.data]
            return codes
        known = np.searchsorted(np.array(self.classes, float), column.data)
        return np.where(column.missing, -1, known)


@dataclass(frozen=True)
class MissingValues:
    """Makes a share of the values of all columns but one missing, by the hash of row and column.

    Attributes
    ----------
    target : str
        The column that is left as it is.
    share : float
    seed : int
    """

    target: str
    share: float
    seed: int

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        columns = []
        for name in table.columns:
            column = table.column(name)
            if name == self.target:
                continue
            gone = _uniform(index, self.seed + zlib.crc32(name.encode())) < self.share
            data = np.where(gone, np.nan if column.kind == "numeric" else -1, column.data)
            columns.append(column.replace(data=data))
        return table.with_columns(columns)


def _uniform(index: np.ndarray, seed: int) -> np.ndarray:
    """Return a number from 0 to 1 for each row."""
    drawn: np.ndarray = np.ldexp((row_hash(index, seed) >> np.uint64(11)).astype(np.float64), -53)
    return drawn
