"""The best test of every attribute at a node, scored from the definitions: the tests among which a tree chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from vaglio.document.impurity import MEASURES, Cuts, after, entropy, weighted
from vaglio.document.notation import Notation
from vaglio.document.training import Training, number_text
from vaglio.encode import guarded_from, reliability
from vaglio.messages.message import text

# With more values than this there are too many subsets to try all of them (2⁹ with ten values). The values are then
# ordered by the share of the first class and cut into two, which is exact for two classes.
ENUMERABLE = 10
# Why a test was not chosen.
REMARKS = {
    "used": text("tested above"),
    "one_value": text("one value only"),
    "few_rows": text("too few rows in a branch"),
    "names_rows": text("identifies the rows"),
    "no_gain": text("no gain"),
    "chance": text("no better than chance (many values)"),
    "below_average": text("gain below average"),
}


@dataclass(frozen=True, eq=False)
class Split:
    """The best test of one attribute.

    Attributes
    ----------
    feature : int
    test : str
        A threshold or a set of values; empty for one branch per value.
    branches : float64 (b, K)
        Class weights of the branches; rows of unknown value are among them where the learner puts them there.
    known : float
        Share of the weight whose value is known, or that has a branch.
    penalty : float
        What is subtracted from the gain (C4.5, numeric tests).
    remark : str
        Why it cannot be chosen, as a key of ``REMARKS``; empty when it can.
    binary : tuple of float and str
        Gini index after the best binary test, and that test.
    reliable : float
        Part of the gain that is expected on other rows; below 1 for columns of many values only.
    cuts : Cuts or None
        Every threshold of a numeric attribute.
    """

    feature: int
    test: str
    branches: np.ndarray
    known: float
    total: float
    penalty: float
    remark: str
    binary: tuple[float, str]
    reliable: float = 1.0
    cuts: Cuts | None = None

    def impurity_after(self, measure: str) -> float:
        return after(measure, self.branches)

    def decrease(self, measure: str, reliable: float = 1.0) -> float:
        """Gain in this measure, of the known rows, by their share; of it, the part that is reliable."""
        before = float(MEASURES[measure](self.branches.sum(axis=0)))
        gain = (before - self.impurity_after(measure)) * self.known
        return reliable * (gain if gain > 1e-12 else 0.0) - self.penalty

    @property
    def gain(self) -> float:
        return self.decrease("entropy")

    @property
    def counted_gain(self) -> float:
        """The part of the gain that enters the choice."""
        return self.decrease("entropy", self.reliable)

    @property
    def split_information(self) -> float:
        """Entropy of the branch sizes; rows of unknown value count as one more branch."""
        sizes = self.branches.sum(axis=1)
        return float(entropy(np.append(sizes, max(self.total - sizes.sum(), 0.0))))

    @property
    def ratio(self) -> float:
        return self._per_information(self.gain)

    @property
    def counted_ratio(self) -> float:
        """The gain ratio that enters the choice."""
        return self._per_information(self.counted_gain)

    def _per_information(self, gain: float) -> float:
        information = self.split_information
        return gain / information if information > 1e-12 else 0.0


class NodeSplits:
    """The tests that an estimator considers, by its parameters."""

    def __init__(self, say: Notation, training: Training) -> None:
        self.say, self.training = say, training
        estimator: Any = training.estimator
        self.measure = {"gini": "gini", "error": "error"}.get(estimator.criterion, "entropy")
        self.by_ratio = estimator.criterion == "gain_ratio"
        self.multiway = estimator.nominal_split == "multiway"
        self.missing = estimator.missing
        self.min_rows = least_rows(estimator.min_samples_leaf, len(training.y), 1)
        self.min_weight = estimator.min_weight_fraction_leaf * float(training.weight.sum())
        self.min_split = least_rows(estimator.min_samples_split, len(training.y), 2)
        # Weights come from class weights: those of a class are alike.
        self.row_weight = np.ones(len(training.classes))
        self.row_weight[training.y] = np.where(training.weight > 0, training.weight, 1.0)
        self.c45 = estimator._c45_numeric
        self.require_gain = estimator._require_gain
        self.average_gain = self.by_ratio and estimator.average_gain
        self.guarded_from = guarded_from(estimator.high_cardinality, len(training.y))

    def all(self, weight: np.ndarray, used: frozenset[int]) -> list[Split]:
        """One split per feature; ``weight`` is the share of each row in the node."""
        return [self._split(j, weight, used) for j in range(len(self.training.features))]

    def rows(self, branches: np.ndarray) -> np.ndarray:
        """Rows of each branch, shares of rows included, from its class weights."""
        found: np.ndarray = (branches / self.row_weight).sum(axis=-1)
        return found

    def enough(self, branches: np.ndarray, least: float = 0.0) -> np.ndarray:
        """Whether branches have the rows and the weight that a leaf must have, and at least so many rows."""
        rows = self.rows(branches) >= max(self.min_rows, least) - 1e-9
        found: np.ndarray = rows & (branches.sum(axis=-1) >= max(self.min_weight - 1e-9, 1e-12))
        return found

    def worth(self, split: Split) -> float:
        return split.counted_ratio if self.by_ratio else self.counted(split)

    def counted(self, split: Split) -> float:
        """The decrease of the learner's measure that enters the choice."""
        return split.decrease(self.measure, split.reliable)

    def choose(self, splits: list[Split]) -> tuple[list[Split], dict[int, str]]:
        """Return the best split, or several equally good ones, and why other splits were excluded."""
        remarks = {split.feature: split.remark for split in splits if split.remark}
        usable = [split for split in splits if not split.remark]
        if self.require_gain:
            remarks |= {s.feature: "no_gain" for s in usable if self.counted(s) <= 1e-12}
            usable = [s for s in usable if s.feature not in remarks]
        if self.average_gain and usable:
            average = self.average_of(usable)
            remarks |= {s.feature: "below_average" for s in usable if s.counted_gain < average - 1e-3}
            usable = [s for s in usable if s.feature not in remarks]
        most = max((self.worth(s) for s in usable), default=0.0)
        best = [s for s in usable if self.worth(s) >= most - 1e-9]
        least = self.training.estimator.min_gain
        if (self.by_ratio and most <= 0) or not best or self.counted(best[0]) < least - 1e-9:
            return [], remarks
        return best, remarks

    def average_of(self, splits: list[Split]) -> float:
        """The average gain that a split must reach; infinite if only columns of very many values are left.

        As in C4.5, a column whose values are at least 0.3 of the training rows counts only if all columns are such.
        """
        all_many = all(self._many_valued(feature) for feature in range(len(self.training.features)))
        gains = [s.counted_gain for s in splits if all_many or not self._many_valued(s.feature)]
        return float(np.mean(gains)) if gains else float("inf")

    def _many_valued(self, feature: int) -> bool:
        known = self.training.features[feature]
        return known.is_nominal and len(known.categories) >= 0.3 * len(self.training.y)

    def _split(self, feature: int, weight: np.ndarray, used: frozenset[int]) -> Split:
        matrix, here = self.training.matrix, weight > 0
        position = matrix.position[feature]
        y, w = self.training.y[here], weight[here]
        if matrix.features[feature].is_nominal:
            codes = matrix.codes[here, position]
            return self._nominal(feature, codes, y, w, feature in used and not self.training.estimator._reuse_nominal)
        return self._numeric(feature, matrix.numeric[here, position], y, w)

    # -- nominal -----------------------------------------------------------------------------------------------------
    def _nominal(self, feature: int, codes: np.ndarray, y: np.ndarray, w: np.ndarray, used: bool) -> Split:
        names = self.training.features[feature].categories
        present = np.unique(codes[codes >= 0])
        table = np.zeros((len(present), len(self.training.classes)))
        known = codes >= 0
        np.add.at(table, (np.searchsorted(present, codes[known]), y[known]), w[known])
        unknown = self._counts(y[~known], w[~known])
        labels = [str(names[code]) for code in present]
        binary = best_subset(table, "gini", lambda branches: branches.sum(axis=-1) > 0)
        two = (after("gini", binary[1]), set_text(labels, binary[0])) if binary else (float("nan"), "")
        if self.multiway:
            branches, test, remark = table, "", ""
            if unknown.sum() > 0 and self.missing == "branch":
                branches = np.vstack([table, unknown])
            elif unknown.sum() > 0 and self.missing == "learned" and len(table):
                joined = [table + unknown * (np.arange(len(table)) == b)[:, None] for b in range(len(table))]
                branches = min(joined, key=lambda each: after(self.measure, each))
            if self.enough(branches).sum() < 2:
                remark = "few_rows"
        else:
            branches, test, remark = self._two_sets(table, unknown, labels, len(names) > self.guarded_from)
        if len(present) < 2 and not (unknown.sum() > 0 and self.missing != "fractional"):
            remark = "one_value"
        squares = np.bincount(np.searchsorted(present, codes[known]), w[known] ** 2, minlength=len(present))
        part = reliability(table, squares) ** 2 if len(names) > self.guarded_from else 1.0
        remark = "used" if used else remark or ("chance" if part <= 0 else "")
        return replace(self._made(feature, test, branches, w, 0.0, remark, two), reliable=part)

    def _two_sets(
        self, table: np.ndarray, unknown: np.ndarray, labels: list[str], guarded: bool
    ) -> tuple[np.ndarray, str, str]:
        joins = unknown.sum() > 0 and self.missing == "learned"
        slots = np.vstack([table, unknown]) if joins else table
        found = best_subset(slots, self.measure, self.enough)
        if found is None:
            return slots.sum(axis=0, keepdims=True), "", "few_rows"
        side, branches = found
        if unknown.sum() > 0 and self.missing == "branch":
            branches = np.vstack([branches, unknown])
        names_rows = not guarded and len(table) > 2 and 2 * len(table) > self.rows(table).sum() + 1e-9
        return branches, set_text(labels, side[: len(labels)]), "names_rows" if names_rows else ""

    # -- numeric -----------------------------------------------------------------------------------------------------
    def _numeric(self, feature: int, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> Split:
        known = ~np.isnan(x)
        unknown = self._counts(y[~known], w[~known])
        values, where = np.unique(x[known], return_inverse=True)
        table = np.zeros((len(values), len(self.training.classes)))
        np.add.at(table, (where, y[known]), w[known])
        # Known values against missing ones: a further test if the direction of missing values is learned.
        against = np.array([self._counts(y, w) - unknown, unknown])
        alone = against if self.missing == "learned" and self.enough(against).all() else None
        if len(values) < 2:
            branches, remark = (self._counts(y, w)[None], "one_value") if alone is None else (alone, "")
            return self._made(feature, "" if alone is None else "?", branches, w, 0.0, remark, (float("nan"), ""))
        total, cuts = table.sum(axis=0), Cuts.of(values, table)
        left, middles = cuts.below, cuts.threshold
        least = min(0.1 * float(self.rows(total)) / max(len(total), 1), 25.0) if self.c45 else 0.0
        sides = [(left, total - left)]
        if unknown.sum() > 0 and self.missing == "learned":
            sides = [(left, total - left + unknown), (left + unknown, total - left)]
        best = None
        for lower, upper in sides:
            enough = self.enough(lower, least) & self.enough(upper, least)
            loss = np.where(enough, weighted(self.measure, lower) + weighted(self.measure, upper), np.inf)
            at = int(np.argmin(loss))
            if np.isfinite(loss[at]) and (best is None or loss[at] < best[0] - 1e-12):
                best = (loss[at], at, np.array([lower[at], upper[at]]), int(enough.sum()))
        if alone is not None and (best is None or weighted(self.measure, alone).sum() < best[0] - 1e-12):
            best = (float(weighted(self.measure, alone).sum()), -1, alone, 0)
        by_gini = weighted("gini", left) + weighted("gini", total - left)
        two = (float(by_gini.min() / total.sum()), self._threshold(float(middles[int(np.argmin(by_gini))]), feature))
        if best is None:
            return self._made(feature, "", self._counts(y, w)[None], w, 0.0, "few_rows", two, cuts)
        _, at, branches, tried = best
        if unknown.sum() > 0 and self.missing == "branch":
            branches = np.vstack([branches, unknown])
        penalty = float(np.log2(tried)) / float(w.sum()) if self.c45 and tried > 1 else 0.0
        test = "?" if at < 0 else self._threshold(float(middles[at]), feature)
        return self._made(feature, test, branches, w, penalty, "", two, cuts)

    def threshold_text(self, feature: int, value: float) -> str:
        """Return the test of a threshold, as the tree writes it."""
        return self._threshold(value, feature)

    def _threshold(self, value: float, feature: int) -> str:
        known = self.training.features[feature]
        if known.kind == "ordinal":
            return f"≤ {known.categories[int(np.floor(value))]}"
        sign = "<" if self.training.estimator._strict else "≤"
        return f"{sign} {number_text(self.say, known, round(float(value), 6))}"

    def _counts(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.bincount(y, w, minlength=len(self.training.classes)).astype(float)

    def _made(
        self,
        feature: int,
        test: str,
        branches: np.ndarray,
        w: np.ndarray,
        penalty: float,
        remark: str,
        binary: tuple[float, str],
        cuts: Cuts | None = None,
    ) -> Split:
        if not len(branches) or branches.sum() <= 0:
            branches = np.ones((1, len(self.training.classes)))
        total = float(w.sum())
        return Split(feature, test, branches, float(branches.sum()) / total, total, penalty, remark, binary, cuts=cuts)


def best_subset(
    table: np.ndarray, measure: str, enough: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The division of the values into two sets of least impurity: which side each is on, and the class weights."""
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for side in _divisions(table):
        branches = np.array([table[side == 0].sum(axis=0), table[side == 1].sum(axis=0)])
        if not enough(branches).all():
            continue
        loss = float(weighted(measure, branches).sum())
        if best is None or loss < best[0] - 1e-12:
            best = (loss, side, branches)
    return None if best is None else (best[1], best[2])


def _divisions(table: np.ndarray) -> Any:
    n = len(table)
    if n <= ENUMERABLE:
        for size in range(1, n // 2 + 1):
            for chosen in combinations(range(n), size):
                if 2 * size < n or 0 in chosen:  # of two halves, the one with the first value
                    yield np.isin(np.arange(n), chosen).astype(int)
        return
    order = np.argsort(table[:, 0] / np.maximum(table.sum(axis=1), 1e-12), kind="stable")
    for cut in range(1, n):
        yield np.isin(np.arange(n), order[:cut]).astype(int)


def set_text(labels: list[str], side: np.ndarray) -> str:
    """The smaller of the two sets."""
    chosen = [label for label, s in zip(labels, side) if s == 1]
    others = [label for label, s in zip(labels, side) if s == 0]
    smaller = chosen if len(chosen) <= len(others) else others
    return "{" + ", ".join(smaller) + "}"


def least_rows(value: float, total: float, least: int) -> float:
    """An integer is a number of rows, a float a share of all rows."""
    if isinstance(value, (int, np.integer)):
        return float(value)
    return float(max(least, np.ceil(value * total)))
