"""One IF … THEN …: its conditions, what it says, and how well it did on the rows it was counted on."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vaglio.model.condition import Condition

if TYPE_CHECKING:
    from vaglio.encode import EncodedMatrix

__all__ = ["Rule"]


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
    """

    conditions: tuple[Condition, ...]
    label: Hashable
    code: int
    weights: tuple[float, ...]
    covered: tuple[float, ...]
    totals: tuple[float, ...]

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
        from vaglio.learners.rules.forms.rule_text import rule_text

        return rule_text(self)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
