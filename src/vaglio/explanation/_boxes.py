"""The smallest change by looking: which leaf or rule of another class lies nearest to a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vaglio.explanation._search import Found, Question
from vaglio.explanation._variants import Variants
from vaglio.model.condition import Condition, LinearCondition, MissingCondition, RangeCondition, SetCondition

# The nearest boxes of a row that are tried: another rule may step in, or no whole number lies inside.
_TRIED = 8


@dataclass(frozen=True)
class Boxes:
    """Conjunctions of ranges and sets of categories, with the class each stands for.

    Attributes
    ----------
    code : int64 (b,)
    low, high : float64 (b, p)
        Ends of the range of each column of the numeric block.
    low_closed, high_closed : bool (b, p)
    accepts : dict of int to bool (b, categories)
        By nominal feature: which categories each box takes.
    bound : bool (b, n_features)
        Whether the box says anything about the column.
    """

    code: np.ndarray
    low: np.ndarray
    high: np.ndarray
    low_closed: np.ndarray
    high_closed: np.ndarray
    accepts: dict[int, np.ndarray]
    bound: np.ndarray

    @classmethod
    def of_rules(cls, question: Question, rules: Iterable[tuple[tuple[Condition, ...], int]]) -> Boxes:
        """Boxes of the rules one can meet by values; a linear test or a value that must be missing leaves one out."""
        kept = [
            entry for entry in rules if not any(isinstance(c, LinearCondition | MissingCondition) for c in entry[0])
        ]
        features, position = question.matrix.features, question.matrix.position
        b, p = len(kept), question.matrix.numeric.shape[1]
        low, high = np.full((b, p), -np.inf), np.full((b, p), np.inf)
        low_closed, high_closed = np.zeros((b, p), bool), np.ones((b, p), bool)
        accepts = {j: np.ones((b, len(f.categories)), bool) for j, f in enumerate(features) if f.is_nominal}
        bound = np.zeros((b, len(features)), bool)
        for i, (conditions, _) in enumerate(kept):
            for condition in conditions:
                j = condition.columns[0]
                bound[i, j] = True
                if isinstance(condition, RangeCondition):
                    at = (i, position[j])
                    low[at], high[at] = condition.low, condition.high
                    low_closed[at], high_closed[at] = condition.low_closed, condition.high_closed
                elif isinstance(condition, SetCondition):
                    accepts[j][i] = False
                    accepts[j][i, sorted(condition.codes)] = True
        code = np.array([code for _, code in kept], dtype=np.int64)
        return cls(code, low, high, low_closed, high_closed, accepts, bound)

    def nearest(self, question: Question, row: int) -> list[list[tuple[int, float]]]:
        """Changes that bring a row into the boxes of other classes, nearest first."""
        missed, far = self._misses(question, row)
        count = missed.sum(axis=1)
        others = np.flatnonzero((self.code != question.codes[row]) & (count > 0))
        order = others[np.lexsort((far[others], count[others]))][:_TRIED]
        ways = [self._way_in(question, row, int(i), np.flatnonzero(missed[i])) for i in order]
        return [way for way in ways if way]

    def _misses(self, question: Question, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Which columns of a row lie outside each box, and how far in all."""
        matrix = question.matrix
        x = matrix.numeric[row]
        with np.errstate(invalid="ignore"):
            below = np.where(self.low_closed, x < self.low, x <= self.low)
            above = np.where(self.high_closed, x > self.high, x >= self.high)
        missed = np.zeros_like(self.bound)
        missed[:, matrix.numeric_features] = below | above | np.isnan(x)
        missed &= self.bound
        ends = np.where(below, self.low, np.where(above, self.high, x))
        scale = question.ruler.scales[matrix.numeric_features]
        gap = np.where(np.isnan(x), 1.0, np.abs(ends - x) / scale) * missed[:, matrix.numeric_features]
        far = gap.sum(axis=1)
        for j, table in self.accepts.items():
            code = int(matrix.codes[row, matrix.position[j]])
            missed[:, j] = self.bound[:, j] & (~table[:, code] if code >= 0 else True)
            far = far + missed[:, j]
        return missed, far

    def _way_in(self, question: Question, row: int, box: int, columns: np.ndarray) -> list[tuple[int, float]]:
        """What the missed columns become; nothing if one of them has no proper value inside."""
        changes = []
        for j in columns.tolist():
            if j in self.accepts:
                value: float | None = float(np.flatnonzero(self.accepts[j][box])[0])
            else:
                p = question.matrix.position[j]
                value = question.ruler.nearest_inside(
                    j,
                    float(question.matrix.numeric[row, p]),
                    float(self.low[box, p]),
                    float(self.high[box, p]),
                    bool(self.low_closed[box, p]),
                    bool(self.high_closed[box, p]),
                )
            if value is None:
                return []
            changes.append((j, value))
        return changes


def enter_boxes(question: Question, boxes: Boxes, rows: np.ndarray) -> Found:
    """Return for each row the smallest change into a box of another class that the model confirms."""
    entries = [(int(row), way) for row in rows.tolist() for way in boxes.nearest(question, row)]
    if not entries:
        return {}
    tried = Variants.of_lists(entries)
    tried = tried.take(np.flatnonzero(question.flips(tried)))
    count = (tried.feature >= 0).sum(axis=1)
    order = np.lexsort((question.distance(tried), count, tried.row))
    found: Found = {}
    for i in order.tolist():
        found.setdefault(int(tried.row[i]), tried.changes(i))
    return found
