"""The kernel that scores every possible next condition of a rule, in the terms of encoded rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.model.condition import Condition, RangeCondition, SetCondition

# What the kernel calls its tests, and the bit by which a column allows each.
AT_MOST, ABOVE, EQUAL, UNEQUAL, ONE_OF = range(5)
MEASURES = (
    "foil_gain",
    "target_laplace",
    "target_m-estimate",
    "target_entropy",
    "difference",
    "entropy",
    "laplace",
    "m-estimate",
)

# What a condition must prove to be listed: that it, or one with further conditions, is significant; or that it is.
IN_REACH, SIGNIFICANT = 1, 2

KernelCondition = tuple[int, int, int, float, list[int]]


class Scored(NamedTuple):
    """A condition the kernel found."""

    condition: KernelCondition
    score: float
    weight: float
    positive: float
    significant: bool


class ConditionScorer:
    """Class counts over covered rows, for every value and threshold at once.

    Parameters
    ----------
    matrix : EncodedMatrix
    y : class codes
    weight : row weights, or None
    n_classes : int
    threads : int
    """

    def __init__(
        self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, n_classes: int, threads: int = 1
    ) -> None:
        self.matrix = matrix
        self.y = np.ascontiguousarray(y, dtype=np.int32)
        self.weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        self.n_classes = n_classes
        self.threads = threads
        # The kernel counts numeric columns first, then nominal ones.
        self.features = np.concatenate([matrix.numeric_features, matrix.nominal_features]).astype(np.int64)
        ranks = matrix.ranks()
        lengths = [len(values) for values in ranks.values]
        self.kernel = _core.RuleKernel(
            np.ascontiguousarray(ranks.ranks.T, dtype=np.uint32),
            np.concatenate([*ranks.values, np.empty(0)]).astype(np.float64),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
            np.ascontiguousarray(matrix.codes.T, dtype=np.int32),
            matrix.n_categories,
            self.y,
            n_classes,
            self.weight,
        )

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def all_rows(self) -> np.ndarray:
        return np.arange(self.n_rows, dtype=np.uint32)

    def class_weights(self, rows: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
        """Weight of each class among some rows."""
        weight = self.weight if weight is None else weight
        return np.bincount(self.y[rows], None if weight is None else weight[rows], self.n_classes).astype(np.float64)

    def best(self, rows: np.ndarray, measure: str, **options: Any) -> list[Scored]:
        """The conditions of highest score, best first; each leaves out at least one of the rows and keeps another."""
        found = self.kernel.best_conditions(rows, measure=MEASURES.index(measure), n_threads=self.threads, **options)
        return [Scored(*each) for each in found]

    def meeting(self, rows: np.ndarray, condition: KernelCondition) -> np.ndarray:
        """The rows that meet a condition."""
        return self.kernel.rows_meeting(rows, condition)

    def condition(self, found: KernelCondition) -> Condition:
        """A condition of the kernel as one of the model."""
        column, test, cut, threshold, codes = found
        index = int(self.features[column])
        feature = self.matrix.features[index]
        if test == AT_MOST:
            return RangeCondition(index, feature, high=threshold)
        if test == ABOVE:
            return RangeCondition(index, feature, low=threshold)
        if test == UNEQUAL:
            return SetCondition(index, feature, frozenset(range(len(feature.categories))) - {cut})
        return SetCondition(index, feature, frozenset(codes if test == ONE_OF else [cut]))
