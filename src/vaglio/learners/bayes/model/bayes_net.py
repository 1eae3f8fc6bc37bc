"""Bayesian network classifiers: every attribute depends on the class and on a few other attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.bayes.model.bins import Bins, flat_index
from vaglio.learners.bayes.model.naive_bayes_file import check_alpha, check_prior, read_reliability
from vaglio.learners.bayes.model.posterior import BayesModel, believed, choose, log_of, observed, smoothed
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class BayesNetModel(BayesModel):
    """Structure and counts.

    Attributes
    ----------
    bins : Bins
    class_count, prior : float64 (K,)
    parents : tuple of tuple of int
        Attributes each attribute depends on beside the class.
    single : tuple of ndarray (K, V)
        Class weights of each attribute's values.
    table : tuple of ndarray (K, combinations of the parents, V)
        The same for each combination of the parents' values; empty for an attribute without parents.
    alpha : float
    reliability : float64 (columns,)
        How far the counts of each attribute are believed: below 1 for a nominal column of many values.
    """

    kind: ClassVar[str] = "bayes-net"

    bins: Bins
    class_count: np.ndarray
    prior: np.ndarray
    parents: tuple[tuple[int, ...], ...]
    single: tuple[np.ndarray, ...]
    table: tuple[np.ndarray, ...]
    alpha: float
    reliability: np.ndarray

    def given_class(self, j: int) -> np.ndarray:
        """P(v|c), shape (K, V), smoothed as in naive Bayes."""
        if self.reliability[j] < 1:
            return believed(self.single[j], float(self.reliability[j]), self.alpha)
        return smoothed(self.single[j], self.alpha, int(self.bins.n_values[j]))

    def given_parents(self, j: int) -> np.ndarray:
        """P(v|c, parents), shape (K, combinations, V).

        Smoothed by α·V rows that follow P(v|c): where the parents' combination is rare, the attribute counts as it
        would without them.
        """
        base = self.given_class(j)[:, None, :]
        extra = self.alpha * float(self.bins.n_values[j])
        total = self.table[j].sum(axis=2, keepdims=True) + extra
        return np.where(total > 0, (self.table[j] + extra * base) / np.where(total > 0, total, 1.0), base)

    def evidence(self, matrix: EncodedMatrix) -> dict[int, np.ndarray]:
        """Log P(xⱼ|c, parents) of each attribute, (n, K).

        A missing value counts nothing; one whose parents are not all known counts by P(xⱼ|c).
        """
        cells = self.bins.cells(matrix)
        return {j: self._log_likelihood(j, cells) for j in range(len(self.parents))}

    def _log_likelihood(self, j: int, cells: np.ndarray) -> np.ndarray:
        value = cells[:, j]
        found = np.zeros((len(cells), len(self.prior)))
        above = list(self.parents[j])
        combination = flat_index(cells[:, above], self.bins.size[above]) if above else np.full(len(cells), -1)
        alone = (value >= 0) & (combination < 0)
        both = (value >= 0) & (combination >= 0)
        found[alone] = log_of(self.given_class(j))[:, value[alone]].T
        if above:
            found[both] = log_of(self.given_parents(j))[:, combination[both], value[both]].T
        return found

    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        joint: np.ndarray = (
            sum(self.evidence(matrix).values(), np.zeros((matrix.n_rows, len(self.prior)))) + self.log_prior
        )
        return joint

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Attributes, parents before children."""
        return tuple(TopologicalSorter(dict(enumerate(self.parents))).static_order())

    def draw(self, labels: np.ndarray, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw a row for each class code, parents first, by the counts without smoothing."""
        cells = np.full((len(labels), len(self.parents)), -1, dtype=np.int64)
        for j in self.order:
            cells[:, j] = self._draw_attribute(j, cells, labels, rng)
        return {j: self.bins.values(j, cells[:, j], labels, rng) for j in self.order}

    def _draw_attribute(self, j: int, cells: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        above = list(self.parents[j])
        alone = observed(self.single[j])
        if not above:
            return choose(rng, alone, labels)
        combination = flat_index(cells[:, above], self.bins.size[above])
        table = self.table[j]
        # Parents that never occurred together say nothing: the attribute follows the class alone.
        seen = table.sum(axis=2, keepdims=True) > 0
        share = np.where(seen, table, alone[:, None, :])
        return choose(rng, share.reshape(-1, table.shape[2]), labels * table.shape[1] + combination)

    def size(self) -> dict[str, int]:
        return {
            "attributes": len(self.parents),
            "classes": len(self.prior),
            "edges": sum(map(len, self.parents)),
            "numbers": sum(table.size for table in (*self.single, *self.table)),
        }

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays = {
            "class_count": self.class_count,
            "prior": self.prior,
            "single": np.concatenate([np.empty(0), *(table.ravel() for table in self.single)]),
            "table": np.concatenate([np.empty(0), *(table.ravel() for table in self.table)]),
            **self.bins.state(),
        }
        if (self.reliability < 1).any():
            arrays["reliability"] = self.reliability
        return arrays, {"alpha": float(self.alpha), "parents": [list(above) for above in self.parents]}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> BayesNetModel:
        alpha = check_alpha(meta)
        bins = Bins.from_state(arrays, features, n_classes)
        prior = check_prior(arrays, n_classes)
        class_count = checks.counts(arrays, "class_count", (n_classes,))
        parents = _check_parents(meta.get("parents"), len(features))
        single = _split(arrays, "single", [(n_classes, int(size)) for size in bins.size])
        shapes = [
            (n_classes, math.prod(int(bins.size[p]) for p in above), int(bins.size[j])) if above else (0, 0, 0)
            for j, above in enumerate(parents)
        ]
        reliability = read_reliability(arrays, "reliability", len(features))
        table = _split(arrays, "table", shapes)
        return cls(bins, class_count, prior, parents, single, table, alpha, reliability)


def _check_parents(given: Any, n: int) -> tuple[tuple[int, ...], ...]:
    checks.need(isinstance(given, list) and len(given) == n, "the network does not fit the columns")
    for above in given:
        proper = isinstance(above, list) and all(type(p) is int and 0 <= p < n for p in above)
        checks.need(proper and len(set(above)) == len(above), "the network has an edge from nowhere")
    parents = tuple(tuple(above) for above in given)
    try:
        tuple(TopologicalSorter(dict(enumerate(parents))).static_order())
    except CycleError:
        checks.need(False, "the network has a cycle")
    return parents


def _split(arrays: dict[str, np.ndarray], name: str, shapes: Sequence[tuple[int, ...]]) -> tuple[np.ndarray, ...]:
    lengths = [math.prod(shape) for shape in shapes]
    flat = checks.counts(arrays, name, (sum(lengths),))
    ends = np.cumsum([0, *lengths])
    return tuple(flat[a:b].reshape(shape) for a, b, shape in zip(ends[:-1], ends[1:], shapes))
