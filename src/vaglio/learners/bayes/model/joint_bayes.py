"""The discrete joint likelihood: one table per class over all combinations of values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.bayes.model.bins import Bins, flat_index
from vaglio.learners.bayes.model.naive_bayes_file import check_alpha, check_prior
from vaglio.learners.bayes.model.posterior import BayesModel, choose, log_of, observed
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class JointBayesModel(BayesModel):
    """Counts of the combinations that training showed; all others have α alone.

    Attributes
    ----------
    bins : Bins
    class_count, prior : float64 (K,)
    cell : int64 (C, F)
        The combinations seen.
    count : float64 (K, C)
        Their weight in each class.
    alpha : float
    """

    kind: ClassVar[str] = "joint-bayes"

    bins: Bins
    class_count: np.ndarray
    prior: np.ndarray
    cell: np.ndarray
    count: np.ndarray
    alpha: float

    @property
    def n_cells(self) -> int:
        """Number of combinations of values that occur in the training rows, seen together or not."""
        return math.prod(int(size) for size in self.bins.n_values)

    def likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        """P(x|c), shape (n, K). A missing value is summed over: any combination that fits what is known counts."""
        cells = self.bins.cells(matrix)
        likelihood = np.empty((len(cells), len(self.prior)))
        patterns, which = np.unique(cells < 0, axis=0, return_inverse=True)
        for number, missing in enumerate(patterns):
            rows = np.flatnonzero(which.ravel() == number)
            likelihood[rows] = self._marginal(cells[rows], ~missing)
        return likelihood

    def _marginal(self, cells: np.ndarray, known: np.ndarray) -> np.ndarray:
        size = self.bins.size[known]
        seen = flat_index(self.cell[:, known], size)
        numbers, where = np.unique(seen, return_inverse=True)
        count = np.zeros((len(self.prior), len(numbers) + 1))
        for c in range(len(self.prior)):
            count[c, :-1] = np.bincount(where, self.count[c], minlength=len(numbers))
        asked = flat_index(cells[:, known], size)
        at = np.minimum(np.searchsorted(numbers, asked), max(len(numbers) - 1, 0))
        found = np.where(numbers[at] == asked, at, len(numbers)) if len(numbers) else np.zeros(len(asked), dtype=int)
        merged = math.prod(int(s) for s in self.bins.n_values[~known])
        total = self.count.sum(axis=1) + self.alpha * self.n_cells
        safe = np.where(total > 0, total, 1.0)
        return np.where(total > 0, (count[:, found].T + self.alpha * merged) / safe, merged / self.n_cells)

    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        joint: np.ndarray = log_of(self.likelihood(matrix)) + self.log_prior
        return joint

    def draw(self, labels: np.ndarray, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw a combination for each class code by the counts without smoothing; any at all if none was seen."""
        if len(self.cell):
            cells = self.cell[choose(rng, observed(self.count), labels)]
        else:
            cells = np.column_stack([rng.integers(0, int(size), len(labels)) for size in self.bins.size])
        return {j: self.bins.values(j, cells[:, j], labels, rng) for j in range(len(self.bins.features))}

    def size(self) -> dict[str, int]:
        return {"attributes": len(self.bins.size), "classes": len(self.prior), "cells": self.n_cells}

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays = {"class_count": self.class_count, "prior": self.prior, "cell": self.cell, "count": self.count}
        return {**arrays, **self.bins.state()}, {"alpha": float(self.alpha)}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> JointBayesModel:
        alpha = check_alpha(meta)
        bins = Bins.from_state(arrays, features, n_classes)
        checks.need(math.prod(int(size) for size in bins.size) < 1 << 62, "the number of cells is impossible")
        prior = check_prior(arrays, n_classes)
        class_count = checks.counts(arrays, "class_count", (n_classes,))
        cell = checks.array(arrays, "cell", np.int64, (None, len(features)))
        checks.need((cell >= 0).all() and (cell < bins.size).all(), "a cell is out of range")
        count = checks.counts(arrays, "count", (n_classes, len(cell)))
        return cls(bins, class_count, prior, cell, count, alpha)
