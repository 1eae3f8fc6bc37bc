"""Stored training rows, of which the nearest decide: k-nearest-neighbour classification and regression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, shown_share
from vaglio.errors import NotSupportedError
from vaglio.model import checks
from vaglio.model.base import State

# Names of distances, of votes by distance, and of ways to search; the kernel knows the same names.
METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "hamming")
# Distances of complete numbers that scikit-learn computes, pair by pair.
PAIRWISE = ("braycurtis", "canberra", "correlation", "haversine", "jaccard", "sqeuclidean")
VOTES = ("uniform", "distance", "squared_distance")
SEARCHES = ("auto", "brute", "kd_tree")

Metric = str | Callable[[np.ndarray, np.ndarray], float]
Vote = str | Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The training rows, and how their distance and their vote are measured.

    Differences of numbers are divided by ``scale``; two categories that differ, and a value that is missing on
    either side, count as a difference of 1 (the heterogeneous Euclidean-overlap metric, with any power p).

    Attributes
    ----------
    numeric : float64 (n, p), codes : int32 (n, q)
        The rows in original units, in C order.
    target : int64 (n,) class codes, or float64 (n,)
    weight : float64 (n,)
        How much the vote of each row counts; empty when all count alike.
    scale : float64 (p,)
        Divisor of each numeric column.
    n_classes : int
        0 for a model that predicts numbers.
    k : int
    metric : one of METRICS or PAIRWISE, or a function of two encoded rows
    power : float
        Of Minkowski's metric.
    vote : one of VOTES, or a function from distances to weights
    search : one of SEARCHES
    absent : int32 (q,) or None
        The code of absence in each nominal column that is asymmetric, -1 in the others; None if no column is. That
        both rows lack something does not count, and the sum of the differences is scaled up to all columns: of
        asymmetric columns alone, the distance is in the order of Jaccard's.
    reliability : float64 (q,) or None
        How far each nominal column is believed: below one half, a difference in it counts less than 1. None believes
        all.
    """

    kind: ClassVar[str] = "neighbors"

    numeric: np.ndarray
    codes: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    scale: np.ndarray
    n_classes: int
    k: int
    metric: Metric = "euclidean"
    power: float = 2.0
    vote: Vote = "uniform"
    search: str = "auto"
    absent: np.ndarray | None = None
    reliability: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return len(self.target)

    def size(self) -> dict[str, int]:
        return {"rows": self.n_rows, "columns": self.numeric.shape[1] + self.codes.shape[1]}

    @cached_property
    def scaled(self) -> np.ndarray:
        return self._scale(self.numeric)

    @cached_property
    def _index(self) -> _core.NeighborIndex:
        return _core.NeighborIndex()

    # What was built for searching is no data: a copy builds its own.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_index"}

    def _scale(self, numeric: np.ndarray) -> np.ndarray:
        if (self.scale == 1).all():
            return np.ascontiguousarray(numeric)
        found: np.ndarray = np.divide(numeric, self.scale, order="C")
        return found

    # -- search ------------------------------------------------------------------------------------------------------
    def nearest(self, matrix: EncodedMatrix | None, k: int, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and distances of the k nearest, nearest first, ties to the lowest row.

        Without a matrix the neighbours of the stored rows themselves are found, on ``threads`` threads; no row is its
        own neighbour.
        """
        if matrix is None:
            return self.search_for((self.scaled, self.codes), k, threads, exclude_self=True)
        return self.search_for(self.as_queries(matrix), k, matrix.threads)

    def as_queries(self, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
        """Return rows in the form in which they are searched for."""
        return self._scale(matrix.numeric), matrix.code_rows

    def search_for(
        self,
        queries: tuple[np.ndarray, np.ndarray],
        k: int,
        threads: int,
        exclude_self: bool = False,
        ranked: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and distances of the k nearest; ``ranked`` leaves these in the metric's own order."""
        k = min(k, self.n_rows - exclude_self)
        if k < 1:
            return np.empty((len(queries[0]), 0), np.int64), np.empty((len(queries[0]), 0))
        if not self._has_kernel:
            return self._nearest_by_function(queries, k, exclude_self)
        how = self._how(k, threads)
        return _core.nearest_neighbors(
            self.scaled, self.codes, *queries, exclude_self=exclude_self, ranked=ranked, **how
        )

    @property
    def _has_kernel(self) -> bool:
        """Whether the compiled search knows the distance."""
        return not callable(self.metric) and self.metric not in PAIRWISE

    def _how(self, k: int, threads: int) -> dict[str, Any]:
        """Return what the compiled search is told beside the rows."""
        return {
            "k": k,
            "metric": self.metric,
            "power": self.power,
            "search": self.search,
            "n_threads": threads,
            "absent": self.absent,
            "share": None if self.reliability is None else shown_share(self.reliability),
            "index": self._index,
        }

    def distances_of(self, ranks: np.ndarray, threads: int) -> np.ndarray:
        """Return the distances of what was found in the metric's own order."""
        if callable(self.metric) or self.metric in PAIRWISE or not ranks.size:
            return ranks
        features = self.numeric.shape[1] + self.codes.shape[1]
        return _core.distances_of_ranks(
            ranks, metric=self.metric, power=self.power, features=features, n_threads=threads
        )

    def _nearest_by_function(
        self, queries: tuple[np.ndarray, np.ndarray], k: int, exclude_self: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        from sklearn.metrics import pairwise_distances  # imports more than the rest of a prediction does

        stored = np.hstack([self.scaled, self.codes])
        asked = np.hstack(queries)
        rows = np.empty((len(asked), k), dtype=np.int64)
        distances = np.empty((len(asked), k))
        for i, x in enumerate(asked):
            row = pairwise_distances(x[None], stored, metric=self.metric, ensure_all_finite=False)[0]
            if exclude_self:
                row[i] = np.inf
            rows[i] = np.argsort(row, kind="stable")[:k]
            distances[i] = row[rows[i]]
        return rows, distances

    def voters(self, matrix: EncodedMatrix | None, k: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, distances and weights of the k nearest, whatever they weigh.

        Weights are relative to the heaviest of the k, so that no sum of them overflows.
        """
        rows, distances = self.nearest(matrix, self.k if k is None else k)
        return rows, distances, self.relative_weights(rows)

    def relative_weights(self, rows: np.ndarray) -> np.ndarray:
        """Return the weights of these neighbours relative to the heaviest of their line."""
        if not self.weight.size:
            return np.ones(rows.shape)
        weight = self.weight[rows]
        relative: np.ndarray = weight / weight.max(axis=1, keepdims=True, initial=np.finfo(float).smallest_subnormal)
        return relative

    def vote_weights(self, distances: np.ndarray) -> np.ndarray:
        """Return the weight of each neighbour's vote; a neighbour at distance 0 decides alone with its like."""
        if callable(self.vote):
            return np.asarray(self.vote(distances), dtype=np.float64)
        if self.vote == "uniform":
            return np.ones_like(distances)
        power = 2 if self.vote == "squared_distance" else 1
        same = distances == 0
        decided = same.any(axis=1, keepdims=True)
        # Relative to the nearest, so that no power of a tiny distance overflows; the shares stay the same.
        nearest = np.where(decided, 1.0, distances[:, :1])
        with np.errstate(divide="ignore"):
            found: np.ndarray = np.where(decided, same, (nearest / distances) ** power)
            return found

    @property
    def _counts_alike(self) -> bool:
        """Whether every neighbour has one vote, whatever its distance."""
        return self.vote == "uniform" and not self.weight.size

    # -- use ---------------------------------------------------------------------------------------------------------
    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        queries = self.as_queries(matrix)
        if self._counts_alike and self._has_kernel:
            how = self._how(min(self.k, self.n_rows), matrix.threads)
            return _core.neighbor_shares(self.scaled, self.codes, *queries, self.target, self.n_classes, **how)
        return self.proba_of(*self.search_for(queries, self.k, matrix.threads), matrix.threads)

    def proba_of(self, rows: np.ndarray, distances: np.ndarray, threads: int) -> np.ndarray:
        """Return the shares of the votes of these neighbours, one line per query."""
        if self._counts_alike:
            return shares(_core.count_votes(self.target, rows, self.n_classes, threads))
        votes = self.vote_weights(distances) * self.relative_weights(rows)
        return shares(class_sums(self.target[rows], votes, self.n_classes))

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the weighted mean of the neighbours, for a model of numbers."""
        return self.mean_of(*self.nearest(matrix, self.k))

    def mean_of(self, rows: np.ndarray, distances: np.ndarray) -> np.ndarray:
        """Return the weighted mean of these neighbours, one line per query."""
        votes = self.vote_weights(distances) * self.relative_weights(rows)
        numbers: np.ndarray = (self.target[rows] * votes).sum(axis=1) / votes.sum(axis=1)
        return numbers

    def of_rows(self, rows: np.ndarray) -> Neighbors:
        """Return a model that holds only these rows."""
        return replace(
            self,
            numeric=self.numeric[rows],
            codes=self.codes[rows],
            target=self.target[rows],
            weight=self.weight[rows] if self.weight.size else self.weight,
        )

    def stored(self, features: tuple[Feature, ...] = ()) -> EncodedMatrix:
        """Return the rows it holds, as a matrix."""
        return EncodedMatrix(features, self.numeric, np.asfortranarray(self.codes))

    def hold_out(
        self, train: np.ndarray, test: np.ndarray, k: int, threads: int
    ) -> tuple[Neighbors, np.ndarray, np.ndarray, np.ndarray]:
        """Return a model that holds the test rows, and their k nearest of the training rows.

        Of each of these its target, its distance and its relative weight.
        """
        kept, asked = self.of_rows(train), self.of_rows(test)
        queries = asked.stored()
        queries.threads = threads
        rows, distances, weights = kept.voters(queries, k)
        return asked, kept.target[rows], distances, weights

    def adding(self, matrix: EncodedMatrix, target: np.ndarray, weight: np.ndarray | None, n_classes: int) -> Neighbors:
        """Return a model that also holds these rows, but for those of weight 0; nothing is learned again."""
        if weight is not None and not weight.all():
            counts = weight > 0
            matrix, target, weight = matrix.take(counts), target[counts], weight[counts]
        joined = self.weight
        if weight is not None or self.weight.size:
            old = self.weight if self.weight.size else np.ones(self.n_rows)
            joined = np.concatenate([old, np.ones(len(target)) if weight is None else weight])
        return replace(
            self,
            numeric=np.concatenate([self.numeric, matrix.numeric_rows]),
            codes=np.concatenate([self.codes, matrix.code_rows]),
            target=np.concatenate([self.target, target]),
            weight=joined,
            n_classes=n_classes,
        )

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        for what in (self.metric, self.vote):
            if callable(what):
                name = getattr(what, "__name__", type(what).__name__)
                raise NotSupportedError(
                    "model-uses-function-cannot",
                    "A model that uses the function {name!r} cannot be saved: a model file holds data, "
                    "no code; use one of the named metrics and weights.",
                    name=name,
                )
        arrays = {
            "numeric": self.numeric,
            "codes": self.codes,
            "target": self.target,
            "weight": self.weight,
            "scale": self.scale,
        }
        if self.reliability is not None:
            arrays["reliability"] = self.reliability
        meta = {
            "k": self.k,
            "metric": self.metric,
            "power": self.power,
            "vote": self.vote,
            "search": self.search,
            "holds": "this file contains the training rows",
        }
        return arrays, meta

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Neighbors:
        p = sum(feature.in_numeric_block for feature in features)
        categories = [len(feature.categories) for feature in features if feature.is_nominal]
        numeric = checks.array(arrays, "numeric", np.float64, (None, p))
        n = len(numeric)
        checks.need(0 < n < 1 << 32, "it holds no rows")
        checks.need(not np.isinf(numeric).any(), "a stored number is not finite")
        codes = checks.array(arrays, "codes", np.int32, (n, len(categories)))
        for j, arity in enumerate(categories):
            checks.within(codes[:, j], -1, arity, "a stored category")
        target = checks.array(arrays, "target", np.int64 if n_classes else np.float64, (n,), finite=True)
        if n_classes:
            checks.within(target, 0, n_classes, "a stored class")
        # Of any size: they are divided by the largest of the k before they are added up.
        weight = checks.array(arrays, "weight", np.float64, (None,), finite=True)
        checks.need(weight.size in (0, n) and (weight > 0).all(), "the weights of its rows are impossible")
        scale = checks.array(arrays, "scale", np.float64, (p,), finite=True)
        checks.need((scale > 0).all(), "a scale is not positive")
        k, power = checks.number(meta, "k", int), float(checks.number(meta, "power"))
        checks.need(1 <= k < 1 << 32 and 0 < power < np.inf, "its number of neighbours or its metric is impossible")
        metric, vote, search = (checks.number(meta, name, str) for name in ("metric", "vote", "search"))
        checks.need(
            metric in (*METRICS, *PAIRWISE) and vote in VOTES and search in SEARCHES,
            "its metric or its vote is unknown",
        )
        absent = codes_of_absence(features)
        believed = None
        if "reliability" in arrays:
            believed = checks.array(arrays, "reliability", np.float64, (len(categories),), finite=True)
            checks.need(((believed >= 0) & (believed <= 1)).all(), "how far a column is believed is impossible")
        how = (metric, power, vote, search, absent, believed)
        return cls(numeric, codes, target, weight, scale, n_classes, k, *how)


def codes_of_absence(features: Sequence[Feature]) -> np.ndarray | None:
    """Return the code of absence of each nominal feature, -1 where absence counts; None if no feature is asymmetric."""
    codes = [f.default if f.asymmetric and f.default is not None else -1 for f in features if f.is_nominal]
    return np.array(codes, dtype=np.int32) if max(codes, default=-1) >= 0 else None


def class_sums(labels: np.ndarray, votes: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Add up the votes of each row's neighbours by class; without weights every neighbour has one vote."""
    cells = labels + n_classes * np.arange(len(labels))[:, None]
    weights = None if votes is None else votes.ravel()
    sums = np.bincount(cells.ravel(), weights=weights, minlength=len(labels) * n_classes)
    return sums.reshape(len(labels), n_classes).astype(np.float64, copy=False)


def shares(sums: np.ndarray) -> np.ndarray:
    """Turn votes into probabilities; where nobody votes all classes are alike."""
    total = sums.sum(axis=1, keepdims=True)
    share: np.ndarray = np.divide(sums, total, out=np.full_like(sums, 1 / sums.shape[1]), where=total > 0)
    return share
