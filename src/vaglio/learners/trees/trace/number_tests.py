"""The best test of every attribute at a node of a tree for numbers, scored from the definitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from vaglio.document.notation import Notation
from vaglio.document.spread import Group, impurity_after
from vaglio.document.training import Training, number_text
from vaglio.encode import guarded_from
from vaglio.learners.trees.trace.best_tests import ENUMERABLE, least_rows, set_text

__all__ = ["NumberSplit", "NumberSplits", "ThresholdRow"]


@dataclass(frozen=True, eq=False)
class ThresholdRow:
    """One threshold of a numeric attribute."""

    test: str
    below: Group
    above: Group
    after: float


@dataclass(frozen=True, eq=False)
class NumberSplit:
    """The best test of one attribute.

    Attributes
    ----------
    feature : int
    test : str
        A threshold or a set of values; empty for one branch per value.
    branches : tuple of Group
    known : float
        Share of the weight whose value is known, or that has a branch.
    after : float
        What the branches leave of the impurity.
    reduction : float
        What the test takes off the impurity of the node.
    remark : str
        Why it cannot be chosen, as a key of ``REMARKS``; empty when it can.
    thresholds : tuple of ThresholdRow
        Every threshold of a numeric attribute, where missing values have no side.
    """

    feature: int
    test: str
    branches: tuple[Group, ...]
    known: float
    after: float
    reduction: float
    remark: str = ""
    thresholds: tuple[ThresholdRow, ...] = ()


class NumberSplits:
    """The tests that an estimator considers, by its parameters."""

    def __init__(self, say: Notation, training: Training) -> None:
        self.say, self.training = say, training
        estimator: Any = training.estimator
        self.measure = {"friedman_mse": "squared_error"}.get(estimator.criterion, estimator.criterion)
        self.missing, self.multiway = estimator.missing, estimator.nominal_split == "multiway"
        self.min_rows = least_rows(estimator.min_samples_leaf, len(training.y), 1)
        self.min_split = least_rows(estimator.min_samples_split, len(training.y), 2)
        self.min_weight = estimator.min_weight_fraction_leaf * float(training.weight.sum())
        self.guarded_from = guarded_from(estimator.high_cardinality, len(training.y))

    def all(self, weight: np.ndarray) -> list[NumberSplit]:
        """One split per feature; ``weight`` is the share of each row in the node."""
        matrix, here = self.training.matrix, weight > 0
        y, w, found = self.training.y[here], weight[here], []
        for j, feature in enumerate(matrix.features):
            if feature.is_nominal:
                found.append(self._nominal(j, matrix.codes[here, matrix.position[j]], y, w))
            else:
                found.append(self._numeric(j, matrix.numeric[here, matrix.position[j]], y, w))
        return found

    def choose(self, splits: list[NumberSplit]) -> list[NumberSplit]:
        """Return the split that leaves least, or several equally good ones."""
        usable = [split for split in splits if not split.remark]
        most = max((split.reduction for split in usable), default=0.0)
        if most <= 0:
            return []
        return [split for split in usable if split.reduction >= most * (1 - 1e-9)]

    def enough(self, groups: tuple[Group, ...]) -> bool:
        """Whether two branches, or both, have the rows and the weight that a leaf must have."""
        least = max(self.min_rows - 1e-9, self.min_weight - 1e-9, 1e-12)
        return sum(group.size >= least for group in groups) > 1 and self._above_zero(groups)

    def _above_zero(self, groups: tuple[Group, ...]) -> bool:
        return self.measure != "poisson" or all(group.mean > 0 for group in groups)

    # -- one attribute -----------------------------------------------------------------------------------------------
    def _nominal(self, feature: int, codes: np.ndarray, y: np.ndarray, w: np.ndarray) -> NumberSplit:
        present, known = np.unique(codes[codes >= 0]), codes >= 0
        slots = [codes == code for code in present]
        joins = (~known).any() and self.missing == "learned"
        if joins and not self.multiway:
            slots.append(~known)
        names = self.training.features[feature].categories
        labels = [str(names[code]) for code in present]
        if len(slots) < 2:
            return self._none(feature, y, w, "one_value")
        extra = [~known] if (~known).any() and self.missing == "branch" else []
        if self.multiway:
            ways = [[slot | ~known if b == k else slot for k, slot in enumerate(slots)] for b in range(len(slots))]
            return self._best(feature, [("", way) for way in ways] if joins else [("", [*slots, *extra])], y, w)
        tried = []
        for side in _divisions(slots, y, w, self.measure):
            sets = [np.logical_or.reduce([slot for slot, s in zip(slots, side) if s == b]) for b in (0, 1)]
            tried.append((set_text(labels, np.array(side[: len(labels)])), [*sets, *extra]))
        guarded = len(names) > self.guarded_from
        if not guarded and len(present) > 2 and 2 * len(present) > w[known].sum() + 1e-9:
            return self._best(feature, tried, y, w, "names_rows")
        return self._best(feature, tried, y, w, "guarded" if guarded else "")

    def _numeric(self, feature: int, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> NumberSplit:
        known, values = ~np.isnan(x), np.unique(x[~np.isnan(x)])
        lost = (~known).any()
        tried, rows = [], list[ThresholdRow]()
        if lost and self.missing == "learned" and known.any():
            tried.append(("?", [known, ~known]))
        for cut in ((values[:-1] + values[1:]) / 2).tolist():
            test, low, high = self._threshold(cut, feature), x <= cut, x > cut
            below, above = Group.of(y, w * low), Group.of(y, w * high)
            rows.append(ThresholdRow(test, below, above, impurity_after(self.measure, (below, above))))
            if lost and self.missing == "learned":
                tried += [(test, [low, high | ~known]), (test, [low | ~known, high])]
            else:
                tried.append((test, [low, high, ~known] if lost and self.missing == "branch" else [low, high]))
        if not tried:
            return self._none(feature, y, w, "one_value")
        return self._best(feature, tried, y, w, thresholds=tuple(rows))

    def _best(
        self,
        feature: int,
        tried: list[tuple[str, list[np.ndarray]]],
        y: np.ndarray,
        w: np.ndarray,
        remark: str = "",
        thresholds: tuple[ThresholdRow, ...] = (),
    ) -> NumberSplit:
        """Return the test that leaves least; gains of known rows count by their share."""
        best: NumberSplit | None = None
        for test, sets in tried:
            groups = tuple(Group.of(y, w * rows) for rows in sets)
            if not self.enough(groups):
                continue
            inside = np.logical_or.reduce(sets)
            known, after = float(w[inside].sum() / w.sum()), impurity_after(self.measure, groups)
            reduction = known * (Group.of(y, w * inside).impurity(self.measure) - after)
            if best is None or reduction > best.reduction + 1e-12 * abs(best.reduction):
                best = NumberSplit(feature, test, groups, known, after, reduction, remark, thresholds)
        return self._none(feature, y, w, "few_rows", thresholds) if best is None else best

    def _none(
        self, feature: int, y: np.ndarray, w: np.ndarray, remark: str, thresholds: tuple[ThresholdRow, ...] = ()
    ) -> NumberSplit:
        whole = Group.of(y, w)
        return NumberSplit(feature, "", (whole,), 1.0, whole.impurity(self.measure), 0.0, remark, thresholds)

    def _threshold(self, value: float, feature: int) -> str:
        known = self.training.features[feature]
        if known.kind == "ordinal":
            return f"≤ {known.categories[int(np.floor(value))]}"
        return f"≤ {number_text(self.say, known, round(float(value), 6))}"


def _divisions(slots: list[np.ndarray], y: np.ndarray, w: np.ndarray, measure: str) -> Iterator[list[int]]:
    """Yield the divisions of the values into two sets; of many values, those that their means order."""
    n = len(slots)
    if n <= ENUMERABLE:
        for size in range(1, n // 2 + 1):
            for chosen in combinations(range(n), size):
                if 2 * size < n or 0 in chosen:  # of two halves, the one with the first value
                    yield [int(k in chosen) for k in range(n)]
        return
    order = np.argsort([Group.of(y, w * slot).centre(measure) for slot in slots], kind="stable")
    for cut in range(1, n):
        yield [int(k in order[cut:]) for k in range(n)]
