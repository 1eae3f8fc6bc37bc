"""The smallest change by looking: which leaf or rule of another class lies nearest to a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vaglio.explanation.counterfactual.strategy import Found, Question, Variants
from vaglio.learners.rules.model.rule import Rule
from vaglio.model.condition import LinearCondition, MissingCondition, RangeCondition, SetCondition

# The nearest boxes of a row that are tried: another rule may step in, or no whole number lies inside.
_TRIED = 8


@dataclass(frozen=True)
class Boxes:
    """Conjunctions of ranges and sets of categories, with the class each stands for.

    Attributes
    ----------
    code : int64 (b,)
    numbers : int64 (u,)
        The numeric and ordinal features that any box tests.
    low, high : float64 (b, u)
        Ends of the range of each of them.
    low_closed, high_closed, bound : bool (b, u)
        Whether an end belongs to the range, and whether the box tests the column.
    accepts : dict of int to bool (b, categories + 1)
        By nominal feature that any box tests: which categories each accepts; the last place is for a missing value,
        which only a box that does not test the feature accepts.
    """

    code: np.ndarray
    numbers: np.ndarray
    low: np.ndarray
    high: np.ndarray
    low_closed: np.ndarray
    high_closed: np.ndarray
    bound: np.ndarray
    accepts: dict[int, np.ndarray]

    @classmethod
    def of_rules(cls, question: Question, rules: Iterable[Rule]) -> Boxes:
        """Boxes of the rules one can meet by values; a linear test or a value that must be missing leaves one out."""
        shut = LinearCondition | MissingCondition
        kept = [rule for rule in rules if not any(isinstance(condition, shut) for condition in rule.conditions)]
        used = sorted({condition.columns[0] for rule in kept for condition in rule.conditions})
        features = question.matrix.features
        numbers = np.array([j for j in used if features[j].in_numeric_block], dtype=np.int64)
        place = {int(j): u for u, j in enumerate(numbers)}
        shape = (len(kept), len(numbers))
        low, high, bound = np.full(shape, -np.inf), np.full(shape, np.inf), np.zeros(shape, bool)
        low_closed, high_closed = np.zeros(shape, bool), np.ones(shape, bool)
        accepts = {j: np.ones((len(kept), len(features[j].categories) + 1), bool) for j in used if j not in place}
        for i, rule in enumerate(kept):
            for condition in rule.conditions:
                j = condition.columns[0]
                if isinstance(condition, RangeCondition):
                    at = (i, place[j])
                    low[at], high[at], bound[at] = condition.low, condition.high, True
                    low_closed[at], high_closed[at] = condition.low_closed, condition.high_closed
                elif isinstance(condition, SetCondition):
                    accepts[j][i] = False
                    accepts[j][i, sorted(condition.codes)] = True
        cost = question.context.cost
        code = np.array([rule.code if cost is None else cost.decide_one(rule.weights) for rule in kept], dtype=np.int64)
        return cls(code, numbers, low, high, low_closed, high_closed, bound, accepts)

    def nearest(self, question: Question, row: int) -> list[list[tuple[int, float]]]:
        """Changes that bring a row into the boxes of other classes, nearest first."""
        outside, far = self._outside(question, row)
        codes = {j: int(question.matrix.codes[row, question.matrix.position[j]]) for j in self.accepts}
        refused = {j: ~table[:, codes[j]] for j, table in self.accepts.items()}
        count = outside.sum(axis=1) + sum((missed for missed in refused.values()), np.zeros(len(self.code), np.int64))
        far = far + sum((missed for missed in refused.values()), np.zeros(len(self.code)))
        others = np.flatnonzero((self.code != question.codes[row]) & (count > 0))
        order = others[np.lexsort((far[others], count[others]))][:_TRIED]
        ways = []
        for box in order.tolist():
            columns = [*self.numbers[outside[box]].tolist(), *(j for j, missed in refused.items() if missed[box])]
            ways.append(self._way_in(question, row, box, columns))
        return [way for way in ways if way]

    def _outside(self, question: Question, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Which numbers of a row lie outside each box, and how far in all."""
        x = question.matrix.numeric[row, question.matrix.position[self.numbers]]
        with np.errstate(invalid="ignore"):
            below = np.where(self.low_closed, x < self.low, x <= self.low)
            above = np.where(self.high_closed, x > self.high, x >= self.high)
            ends = np.where(below, self.low, np.where(above, self.high, x))
            gap = np.where(np.isnan(x), 1.0, np.abs(ends - x) / question.ruler.scales[self.numbers])
        outside = self.bound & (below | above | np.isnan(x))
        return outside, np.where(outside, gap, 0.0).sum(axis=1)

    def _way_in(self, question: Question, row: int, box: int, columns: list[int]) -> list[tuple[int, float]]:
        """What the missed columns become; nothing if one of them has no proper value inside."""
        changes = []
        for j in columns:
            if j in self.accepts:
                value: float | None = float(np.flatnonzero(self.accepts[j][box])[0])
            else:
                at = box, int(np.searchsorted(self.numbers, j))
                value = question.ruler.nearest_inside(
                    j,
                    float(question.matrix.numeric[row, question.matrix.position[j]]),
                    float(self.low[at]),
                    float(self.high[at]),
                    bool(self.low_closed[at]),
                    bool(self.high_closed[at]),
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
