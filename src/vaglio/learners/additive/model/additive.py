"""A sum of tables: one score per value of a column, or per combination of values of two columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.boosting.model import LARGEST_SUM, checked_link, numbers_of, probabilities_of
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class Additive:
    """Terms that add up to a score: the whole model can be read as one table per term.

    A column has slots: the intervals between its cuts or its categories, and a last one for missing values. A term of
    one column has one cell per slot. A term of two columns has one cell per pair of groups of slots, row by row.

    Attributes
    ----------
    link : {"logit", "softmax", "identity", "log"}
        How scores become predictions, as in :class:`~vaglio.learners.boosting.model.Boosted`.
    intercept : float64 (K,)
        Where each score starts.
    cuts : float64
        The cuts of all columns, ascending within a column: x <= cut belongs to the slot before it.
    cut_start : int64 (n_features + 1,)
    groups : uint8
        The group of each slot of all columns, for terms of two columns; missing values are in the last group.
    terms : int32 (T, 2)
        The columns of each term; -1 stands for no second one.
    scores, deviations : float64 (cells, K)
        What each cell adds, and its standard deviation over the bags.
    weights : float64 (cells,)
        Weight of the training rows of each cell.
    """

    kind: ClassVar[str] = "additive"

    link: str
    intercept: np.ndarray
    cuts: np.ndarray
    cut_start: np.ndarray
    groups: np.ndarray
    terms: np.ndarray
    scores: np.ndarray
    deviations: np.ndarray
    weights: np.ndarray
    features: tuple[Feature, ...]

    @property
    def outputs(self) -> int:
        return len(self.intercept)

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    def size(self) -> dict[str, int]:
        pairs = int((self.terms[:, 1] >= 0).sum())
        return {"terms": self.n_terms, "pairs": pairs, "cells": len(self.scores)}

    def shifted(self, amount: float) -> Additive:
        """Return the model whose scores are larger by so much."""
        return replace(self, intercept=self.intercept + amount) if amount else self

    # -- tables ------------------------------------------------------------------------------------------------------
    @cached_property
    def slot_start(self) -> np.ndarray:
        """Where the slots of each column begin in ``groups``, and the end."""
        return slot_starts(self.features, self.cut_start)

    def cuts_of(self, feature: int) -> np.ndarray:
        """The cuts of a column of numbers or ranks."""
        return self.cuts[self.cut_start[feature] : self.cut_start[feature + 1]]

    def groups_of(self, feature: int) -> np.ndarray:
        """The group of each slot of a column."""
        return self.groups[self.slot_start[feature] : self.slot_start[feature + 1]]

    def shape_of(self, term: int) -> tuple[int, ...]:
        """The cells of a term: slots of its column, or groups of both."""
        first, second = self.terms[term].tolist()
        if second < 0:
            return (int(self.slot_start[first + 1] - self.slot_start[first]),)
        return int(self.groups_of(first)[-1]) + 1, int(self.groups_of(second)[-1]) + 1

    @cached_property
    def cell_start(self) -> np.ndarray:
        """Where the cells of each term begin, and the end."""
        return np.cumsum([0, *(int(np.prod(self.shape_of(t))) for t in range(self.n_terms))])

    def table(self, term: int, of: str = "scores") -> np.ndarray:
        """``scores``, ``deviations`` (…, K) or ``weights`` (…,) of a term in the shape of its cells."""
        found = getattr(self, of)[self.cell_start[term] : self.cell_start[term + 1]]
        return np.asarray(found.reshape(*self.shape_of(term), *found.shape[1:]))

    def name_of(self, term: int) -> str:
        """The column of a term, or both: ``age``, ``age & income``."""
        return " & ".join(self.features[j].name for j in self.terms[term].tolist() if j >= 0)

    def importances(self) -> np.ndarray:
        """How much each term moves the score of a training row: the mean of its absolute value, over all scores."""
        found = np.zeros(self.n_terms)
        for t in range(self.n_terms):
            weight = self.table(t, "weights").ravel()
            size = np.abs(self.table(t)).reshape(len(weight), -1).mean(axis=1)
            found[t] = weight @ size / weight.sum() if weight.sum() > 0 else 0.0
        return found

    # -- use ---------------------------------------------------------------------------------------------------------
    def slots(self, matrix: EncodedMatrix, feature: int) -> np.ndarray:
        """The slot of each row in a column."""
        missing = int(self.slot_start[feature + 1] - self.slot_start[feature]) - 1
        place = matrix.position[feature]
        if self.features[feature].is_nominal:
            codes = matrix.codes[:, place]
            return np.where((codes < 0) | (codes >= missing), missing, codes)
        values = matrix.numeric[:, place]
        return np.where(np.isnan(values), missing, np.searchsorted(self.cuts_of(feature), values, side="left"))

    def cells(self, matrix: EncodedMatrix) -> np.ndarray:
        """The cell of each row in each term, int64 (n, T), numbered through all terms."""
        used = np.unique(self.terms[self.terms >= 0])
        slots = {j: self.slots(matrix, j) for j in used.tolist()}
        found = np.empty((matrix.n_rows, self.n_terms), dtype=np.int64)
        for t, (first, second) in enumerate(self.terms.tolist()):
            own = slots[first]
            if second >= 0:
                width = self.shape_of(t)[1]
                own = self.groups_of(first)[own].astype(np.int64) * width + self.groups_of(second)[slots[second]]
            found[:, t] = own + self.cell_start[t]
        return found

    def raw(self, matrix: EncodedMatrix) -> np.ndarray:
        """The scores, shape (n, K): the intercept and what each term adds, in their order."""
        found = np.repeat(self.intercept[None, :], matrix.n_rows, axis=0)
        cells = self.cells(matrix)
        for t in range(self.n_terms):
            found += self.scores[cells[:, t]]
        return found

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        return self.probabilities(self.raw(matrix))

    def probabilities(self, raw: np.ndarray) -> np.ndarray:
        """Class probabilities of scores."""
        return probabilities_of(raw, self.link)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """The number, where numbers are predicted."""
        return numbers_of(self.raw(matrix), self.link)

    # -- file --------------------------------------------------------------------------------------------------------
    def edited(
        self, classes: np.ndarray | None, term: str | int, action: str, **options: Any
    ) -> tuple[Additive, dict[str, Any]]:
        """Return the model with one term changed, and what was changed as plain data."""
        from vaglio.learners.additive.model.edits import edited

        return edited(self, classes, term, action, **options)

    def state(self) -> State:
        names = ("intercept", "cuts", "cut_start", "groups", "terms", "scores", "deviations", "weights")
        return {name: getattr(self, name) for name in names}, {"link": self.link}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Additive:
        (link, outputs), p = checked_link(meta, n_classes), len(features)
        cuts, cut_start = _checked_cuts(arrays, features)
        start = slot_starts(features, cut_start)
        groups = checks.array(arrays, "groups", np.uint8, (int(start[-1]),))
        for first, last in zip(start[:-1].tolist(), start[1:].tolist()):
            checks.need(groups[last - 1] == groups[first:last].max(), "missing values are not in the last group")
        terms = checks.array(arrays, "terms", np.int32, (None, 2))
        checks.within(terms[:, 0], 0, p, "the column of a term is out of range")
        checks.within(terms[:, 1], -1, p, "the column of a term is out of range")
        checks.need((terms[:, 0] != terms[:, 1]).all(), "a term has one column twice")
        checks.need(len({frozenset(pair) for pair in terms.tolist()}) == len(terms), "a term occurs twice")
        intercept = checks.array(arrays, "intercept", np.float64, (outputs,), finite=True)
        scores = checks.array(arrays, "scores", np.float64, (None, outputs), finite=True)
        deviations = checks.array(arrays, "deviations", np.float64, scores.shape, finite=True)
        checks.need((deviations >= 0).all(), "a standard deviation is negative")
        weights = checks.counts(arrays, "weights", (len(scores),))
        model = cls(link, intercept, cuts, cut_start, groups, terms, scores, deviations, weights, features)
        checks.need(int(model.cell_start[-1]) == len(scores), "its tables do not fit its columns")
        checks.need(model.is_bounded, "its scores are impossible")
        return model

    @property
    def is_bounded(self) -> bool:
        """Whether no sum over its terms can overflow."""
        with np.errstate(over="ignore"):
            reached = np.abs(self.scores).max(initial=0.0) * max(self.n_terms, 1)
        return bool(max(np.abs(self.intercept).max(), reached) < LARGEST_SUM)


def slot_starts(features: tuple[Feature, ...], cut_start: np.ndarray) -> np.ndarray:
    """Where the slots of each column begin, and the end: one per category or interval, and one for missing values."""
    sizes = [
        len(feature.categories) + 1 if feature.is_nominal else int(cut_start[j + 1] - cut_start[j]) + 2
        for j, feature in enumerate(features)
    ]
    return np.cumsum([0, *sizes])


def _checked_cuts(arrays: dict[str, np.ndarray], features: tuple[Feature, ...]) -> tuple[np.ndarray, np.ndarray]:
    cuts = checks.array(arrays, "cuts", np.float64, (None,), finite=True)
    start = checks.array(arrays, "cut_start", np.int64, (len(features) + 1,))
    checks.need(start[0] == 0 and start[-1] == len(cuts), "the cuts do not fit the columns")
    checks.need((np.diff(start) >= 0).all(), "the cuts do not fit the columns")
    for j, feature in enumerate(features):
        own = cuts[start[j] : start[j + 1]]
        checks.need(not (feature.is_nominal and own.size), "a column without an order has cuts")
        checks.need((np.diff(own) > 0).all(), "cuts do not ascend")
    return cuts, start
