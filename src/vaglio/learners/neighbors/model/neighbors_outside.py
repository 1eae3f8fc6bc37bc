"""Nearest neighbours among rows that are not in memory: they are searched part by part, and the best k are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Protocol

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import NotSupportedError
from vaglio.learners.neighbors.model.neighbors import Neighbors
from vaglio.model.base import State


def refuse_outside(what: str, needs: str = "") -> NoReturn:
    """Say that something needs the rows in memory."""
    raise NotSupportedError(
        "The rows of this model are on disk, because they did not fit in memory: it predicts and finds neighbours, but "
        f"to {what}{needs}, learn with a higher memory limit or from a sample (data.sample(N))."
    )


@dataclass(frozen=True)
class RowPart:
    """Rows that follow each other, as :class:`Neighbors` holds them; ``start`` is the number of the first."""

    start: int
    numeric: np.ndarray
    codes: np.ndarray
    target: np.ndarray
    weight: np.ndarray

    def only(self, wanted: np.ndarray) -> RowPart:
        """Return some of the rows, by a mark for each row of the table; their own numbers are lost."""
        here = wanted[self.start : self.start + len(self.target)]
        weight = self.weight[here] if self.weight.size else self.weight
        return RowPart(self.start, self.numeric[here], self.codes[here], self.target[here], weight)


class StoredRows(Protocol):
    """Rows that can be read part by part, in their order, as often as wanted."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def parts(self) -> Iterator[RowPart]:
        """Read all rows."""

    def refuse_together(self, what: str) -> None:
        """Raise an error if the memory of the machine does not hold all rows together, as ``what`` needs them."""


@dataclass(frozen=True)
class _Found:
    """The nearest of the rows seen so far, nearest first, one line per query; equal ones in the order of the rows."""

    rows: np.ndarray
    ranks: np.ndarray  # distances in the metric's own order: their roots may be equal where they are not
    target: np.ndarray
    weight: np.ndarray

    @classmethod
    def among(cls, part: RowPart, how: Neighbors, queries: Any, k: int, threads: int) -> _Found:
        held = replace(how, numeric=part.numeric, codes=part.codes, target=part.target, weight=part.weight)
        rows, ranks = held.search_for(queries, k, threads, ranked=True)
        weight = part.weight[rows] if part.weight.size else np.empty((len(rows), 0))
        return cls(rows + part.start, ranks, part.target[rows], weight)

    def merge(self, later: _Found, k: int) -> _Found:
        """Return the k nearest of both; ``later`` has rows of higher numbers, which a stable sort keeps behind."""
        order = np.argsort(np.hstack([self.ranks, later.ranks]), axis=1, kind="stable")[:, :k]

        def chosen(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            both = np.hstack([a, b])
            return np.take_along_axis(both, order, axis=1) if both.size else both

        pairs = [(getattr(self, name), getattr(later, name)) for name in ("rows", "ranks", "target", "weight")]
        return _Found(*(chosen(a, b) for a, b in pairs))

    @classmethod
    def in_parts(cls, parts: Iterable[RowPart], how: Neighbors, matrix: EncodedMatrix, k: int) -> _Found:
        queries = how.as_queries(matrix)
        best: _Found | None = None
        for part in parts:
            here = cls.among(part, how, queries, k, matrix.threads)
            best = here if best is None else best.merge(here, k)
        assert best is not None
        return best


def voters_in_parts(
    parts: Iterable[RowPart], how: Neighbors, matrix: EncodedMatrix, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return targets, distances and relative weights of the k nearest of rows that are read part by part."""
    found = _Found.in_parts(parts, how, matrix, k)
    held = replace(how, target=found.target.ravel(), weight=found.weight.ravel())
    places = np.arange(found.rows.size).reshape(found.rows.shape)
    return found.target, how.distances_of(found.ranks, matrix.threads), held.relative_weights(places)


def together(how: Neighbors, parts: Iterable[RowPart]) -> Neighbors:
    """Return a model that holds these rows."""
    held = list(parts)
    return replace(
        how,
        numeric=np.concatenate([part.numeric for part in held]),
        codes=np.concatenate([part.codes for part in held]),
        target=np.concatenate([part.target for part in held]),
        weight=np.concatenate([part.weight for part in held]),
    )


@dataclass(frozen=True, eq=False)
class NeighborsOutside:
    """Training rows outside memory, and how their distance and their vote are measured.

    Attributes
    ----------
    rows : StoredRows
    how : Neighbors
        A model without rows: metric, votes, k.
    """

    kind: ClassVar[str] = "neighbors"

    rows: StoredRows
    how: Neighbors

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    @property
    def n_classes(self) -> int:
        return self.how.n_classes

    @property
    def k(self) -> int:
        return self.how.k

    def size(self) -> dict[str, int]:
        return {**self.how.size(), "rows": self.n_rows}

    def nearest(self, matrix: EncodedMatrix | None, k: int, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and distances of the k nearest, nearest first, ties to the lowest row."""
        if matrix is None:
            refuse_outside("find the neighbours of all of them at once")
        found = _Found.in_parts(self.rows.parts(), self.how, matrix, k)
        return found.rows, self.how.distances_of(found.ranks, matrix.threads)

    def _voting(self, matrix: EncodedMatrix) -> tuple[Neighbors, np.ndarray, np.ndarray]:
        """Return a model that holds the neighbours of all queries, their places in it, and their distances."""
        found = _Found.in_parts(self.rows.parts(), self.how, matrix, self.k)
        held = replace(self.how, target=found.target.ravel(), weight=found.weight.ravel())
        places = np.arange(found.rows.size).reshape(found.rows.shape)
        return held, places, self.how.distances_of(found.ranks, matrix.threads)

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        held, places, distances = self._voting(matrix)
        return held.proba_of(places, distances, matrix.threads)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the weighted mean of the neighbours, for a model of numbers."""
        held, places, distances = self._voting(matrix)
        return held.mean_of(places, distances)

    # -- what needs the rows in memory --------------------------------------------------------------------------------
    def in_memory(self, what: str) -> Neighbors:
        """Return the model that holds its rows, if the machine has room for ``what``."""
        self.rows.refuse_together(what)
        return together(self.how, self.rows.parts())

    def state(self) -> State:
        return self.in_memory("save it (a model file holds the rows, and is read into memory)").state()

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Neighbors:
        return Neighbors.from_state(arrays, meta, features, n_classes)

    def _absent(self) -> Any:
        refuse_outside("explain its decisions, export it or add rows", ", save and load it,")

    # What other rooms ask a model of neighbours for.
    numeric = codes = target = weight = scaled = scale = reliability = absent = property(_absent)
    metric = power = vote = search = voters = vote_weights = of_rows = stored = adding = property(_absent)
