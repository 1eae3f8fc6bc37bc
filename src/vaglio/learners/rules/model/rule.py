"""One IF … THEN …, how well it did on the rows it was counted on, and what counts when several rules fire."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vaglio.model.condition import Condition

if TYPE_CHECKING:
    from vaglio.encode import EncodedMatrix


@dataclass(frozen=True)
class Rule:
    """IF all conditions hold THEN label.

    Attributes
    ----------
    conditions : tuple of conditions, all of which must hold; none means every row.
    label : the class it says (a number, in the rules of a regression tree).
    code : position of the label among the classes; -1 for a number.
    weights : class weights of the rows it decided in training; its probabilities come from these.
    covered : class weights of the rows that meet its conditions, decided by it or not.
    totals : class weights of all rows it was counted on.
    spread : standard deviation of the numbers of the covered rows, in the rules of a regression tree that was grown by
        squared error; None elsewhere.
    """

    conditions: tuple[Condition, ...]
    label: Hashable
    code: int
    weights: tuple[float, ...]
    covered: tuple[float, ...]
    totals: tuple[float, ...]
    spread: float | None = None

    @property
    def rows(self) -> float:
        """Weight of the rows that meet the conditions."""
        return sum(self.covered)

    @property
    def positives(self) -> float:
        """Weight of the covered rows that are of the rule's class."""
        return self.covered[self.code]

    @property
    def negatives(self) -> float:
        """Weight of the covered rows that are not."""
        return sum(w for code, w in enumerate(self.covered) if code != self.code % len(self.covered))

    @property
    def coverage(self) -> float:
        """Rows that meet the conditions / all rows."""
        return _ratio(sum(self.covered), sum(self.totals))

    @property
    def accuracy(self) -> float:
        """Rows of the class / rows covered; NaN when it covers none."""
        return _ratio(self.positives, sum(self.covered))

    @property
    def class_coverage(self) -> float:
        """Rows of the class covered / all rows of the class."""
        return _ratio(self.positives, self.totals[self.code])

    @property
    def lift(self) -> float:
        """Accuracy / share of the class among all rows."""
        return _ratio(self.accuracy, _ratio(self.totals[self.code], sum(self.totals)))

    @property
    def quality(self) -> float:
        """Laplace accuracy on the covered rows, (positives + 1) / (covered + K)."""
        return (self.positives + 1.0) / (sum(self.covered) + len(self.covered))

    def match(self, matrix: EncodedMatrix) -> np.ndarray:
        """The share of each row that meets the conditions: 1 or 0, or between where a value is missing.

        Parameters
        ----------
        matrix : EncodedMatrix
        """
        result = np.ones(matrix.n_rows, dtype=bool)
        for condition in self.conditions:
            match = condition.match(matrix)
            result = result & match if result.dtype == match.dtype == bool else result * match
        return result

    def __len__(self) -> int:
        return len(self.conditions)

    def __str__(self) -> str:
        from vaglio.learners.rules.forms.text import rule_text

        return rule_text(self)

    __repr__ = __str__


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


# What decides when several rules fire; RuleSet says what each means.
RESOLUTIONS = ("exclusive", "first", "vote", "mean", "specific", "quality")
# Those by which every rule that fires counts, not the first alone.
SHARED = ("exclusive", "vote", "mean")

# Shares of a row are products of floating-point fractions: a rest below this is rounding, not weight left over.
_ROUNDING = 1e-9


def decision_order(rules: Sequence[Rule], resolution: str) -> list[int]:
    """The order in which rules are tried.

    ``specific`` and ``quality`` are ``first`` over another order: neither the number of conditions nor the quality of a
    rule depends on the row. Ties: the better rule, then the earlier one.
    """
    if resolution == "specific":
        return sorted(range(len(rules)), key=lambda i: (-len(rules[i]), -rules[i].quality, i))
    if resolution == "quality":
        return sorted(range(len(rules)), key=lambda i: (-rules[i].quality, i))
    return list(range(len(rules)))


def resolve(
    matches: Sequence[np.ndarray], said: np.ndarray, default: np.ndarray, rules: Sequence[Rule], resolution: str
) -> np.ndarray:
    """Combine what the rules say into one distribution per row.

    Parameters
    ----------
    matches : share of each row that each rule takes, one array per rule
    said : (rules, K) probabilities of each rule; for ``vote`` and ``mean`` its class weights
    default : (K,) what a row gets that no rule takes
    """
    n_rows = len(matches[0]) if len(matches) else 0
    result = np.zeros((n_rows, said.shape[1]))
    if resolution == "vote" or (resolution == "mean" and rules[0].code >= 0):
        # The class weights of all rules that fire are summed.
        for match, weight in zip(matches, said):
            rows = np.flatnonzero(match)
            result[rows] += match[rows, None] * weight
        total = result.sum(axis=1, keepdims=True)
        return np.where(total > 0, result / np.where(total > 0, total, 1.0), default)
    left = np.ones(n_rows)
    for i in decision_order(rules, resolution):
        taken = matches[i] * 1.0 if resolution in SHARED else left * matches[i]
        rows = np.flatnonzero(taken)
        result[rows] += taken[rows, None] * said[i]
        left -= taken
    rest = np.flatnonzero(left > _ROUNDING)
    result[rest] += left[rest, None] * default
    # The numbers of several trees: a row meets one rule of each, and their mean counts.
    several = np.flatnonzero(left < -_ROUNDING)
    result[several] /= 1.0 - left[several, None]
    return result
