"""Why rules gave a row its class: what fired, what almost did, or the default; and which other rule lies near."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context, shown
from vaglio.explanation.counterfactual import Found, Question, Variants, search, smaller
from vaglio.explanation.explanation import Explanation, Reason, reasons_of
from vaglio.learners.rules.forms.text import rule_text
from vaglio.learners.rules.model.rule import SHARED, Rule, decision_order
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.messages.message import Message, text
from vaglio.model.base import Smoothing
from vaglio.model.condition import Condition, LinearCondition, RangeCondition, SetCondition, condition_text

# More rules than this that fired or almost did are counted, not listed.
_LISTED = 3
# Which of several rules that fire decides alone.
_DECIDES = {
    "first": text("the first rule decides"),
    "specific": text("the most specific rule decides"),
    "quality": text("the rule of highest quality decides"),
}


def explain_rules(model: RuleSet, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row by the rules, in the names of the table."""
    rules = model.rules(context.features, context.classes)
    said = rules.predict_proba(matrix)
    # What each condition of each rule makes of each row, computed once for all rows.
    met = [[condition.match(matrix) for condition in rule.conditions] for rule in rules]
    order = decision_order(rules.entries, rules.resolution)
    return [_explain(rules, matrix, context, row, said[row], met, order) for row in range(matrix.n_rows)]


def _explain(
    rules: RuleSet,
    matrix: EncodedMatrix,
    context: Context,
    row: int,
    said: np.ndarray,
    met: list[list[np.ndarray]],
    order: list[int],
) -> Explanation:
    shares = {i: math.prod(float(match[row]) for match in met[i]) for i in order}
    fired = [i for i in order if shares[i] > 0]
    if rules.classes is None:
        path = tuple(reasons_of(rules[fired[0]].conditions, matrix, row, context)) if fired else ()
        return Explanation(float(said[0]), reasons=path, notes=_sharing(shares, fired))
    best, second = [*context.ranked(said), None][:2]
    assert best is not None
    deciding = fired if rules.resolution in SHARED else fired[:1]
    reasons: list[Reason] = []
    for rule in (rules[i] for i in deciding if rules[i].code == best):
        # A deciding rule by its conditions; among several, each rule in one line.
        whole = rules.resolution == "vote" or not rule.conditions
        reasons += [_as_a_whole(rule)] if whole else reasons_of(rule.conditions, matrix, row, context)
    notes: tuple[str, ...] = ()
    if not fired:
        label = str(rules.default_label)
        notes = (Message("default-rule", "no rule fires, so the default decides: {label}", label=label),)
    notes += _sharing(shares, fired)
    unused = [i for i in fired if i not in deciding]  # by the resolution
    notes += tuple(
        Message(
            "unused-rule",
            "also met, but not used ({resolution}): {rule}",
            resolution=_DECIDES[rules.resolution],
            rule=rule_text(rules[i]),
        )
        for i in unused[:_LISTED]
    )
    if len(unused) > _LISTED:
        more = len(unused) - _LISTED
        notes += (Message("more-unused-rules", "and {n:,} more {n:rule|rules} met but not used", n=more),)
    against = tuple(_as_a_whole(rules[i]) for i in deciding if rules[i].code != best)
    return Explanation(
        context.label(best),
        float(said[best]),
        None if second is None or said[second] <= 0 else context.label(second),
        tuple(reasons),
        against,
        notes + _near(rules, met, matrix, context, row),
        measure=Message("rows-of-rule", "training rows that the rule classifies correctly")
        if any(r.weight for r in (*reasons, *against))
        else None,
    )


def _as_a_whole(rule: Rule) -> Reason:
    if not sum(rule.covered) > 0:
        return Reason(rule_text(rule), weight=rule.positives or None)
    told = Message(
        "rule-with-count",
        "{rule} ({correct:g} of {covered:g} rows)",
        rule=rule_text(rule),
        correct=rule.positives,
        covered=sum(rule.covered),
    )
    return Reason(told, weight=rule.positives or None)


def _sharing(shares: dict[int, float], fired: list[int]) -> tuple[str, ...]:
    if fired and any(shares[i] < 1 for i in fired):
        return (
            Message(
                "shared-row",
                "values are missing: {n:,} {n:rule shares|rules share} the row, the largest share is {share:.0%}",
                n=len(fired),
                share=max(shares.values()),
            ),
        )
    return ()


def _near(
    rules: RuleSet, met: list[list[np.ndarray]], matrix: EncodedMatrix, context: Context, row: int
) -> tuple[str, ...]:
    """Rules that only one condition kept from firing."""
    notes = []
    for i, matches in enumerate(met):
        failed = [j for j, match in enumerate(matches) if match[row] == 0]
        if len(failed) == 1 and len(matches) > 1:
            condition = rules[i].conditions[failed[0]]
            unmet = condition_text(condition)
            if len(condition.columns) == 1:
                value = context.value(matrix, row, condition.columns[0])
                unmet = (
                    text("{condition} (it is missing)", condition=unmet)
                    if value is None
                    else text("{condition} (it is {value})", condition=unmet, value=shown(value))
                )
            rule = rule_text(rules[i])
            notes.append(Message("near-rule", "almost: {rule}; not met: {condition}", rule=rule, condition=unmet))
    if len(notes) <= _LISTED:
        return tuple(notes)
    more = len(notes) - _LISTED
    return (
        *notes[:_LISTED],
        Message("more-near-rules", "and {n:,} more {n:rule that almost fires|rules that almost fire}", n=more),
    )


def change_into_a_rule(question: Question, rows: np.ndarray) -> Found:
    """Take the smaller of two changes: into the nearest rule of another class, or one found by search.

    The search also finds the way out of a rule, after which the default or a later rule decides.
    """
    near = enter_boxes(question, Boxes.of_rules(question, question.model), rows)
    return smaller(question, near, search(question, rows))


def ends_of_ranges(model: RuleSet, context: Context) -> dict[int, Sequence[float]]:
    """The ends of the ranges that the rules test, by feature."""
    found: dict[int, list[float]] = {}
    for rule in model:
        for condition in rule.conditions:
            if isinstance(condition, RangeCondition):
                found.setdefault(condition.column, []).extend([condition.low, condition.high])
    return {j: [end for end in ends if math.isfinite(end)] for j, ends in found.items()}


# The nearest boxes of a row that are tried: another rule may step in, or no whole number lies inside.
_TRIED = 8


@dataclass(frozen=True)
class Boxes:
    """Conjunctions of ranges and sets of categories, with the class each stands for.

    Attributes
    ----------
    code : int64 (b,)
    label : float64 (b,) or None
        The number each stands for, where numbers are predicted.
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
    label: np.ndarray | None = None

    @classmethod
    def of_rules(cls, question: Question, rules: Iterable[Rule]) -> Boxes:
        """Boxes of the rules one can meet by values; linear tests and those that no value meets leave one out."""
        kept = [rule for rule in rules if not any(_is_shut(condition) for condition in rule.conditions)]
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
        cost, label = question.context.cost, None
        if question.goal is not None:
            label = np.array([float(str(rule.label)) for rule in kept])
        if cost is None:
            code = np.array([rule.code for rule in kept], dtype=np.int64)
        else:
            weights = np.array([rule.weights for rule in kept], dtype=np.float64).reshape(len(kept), len(cost.matrix))
            said = Smoothing().probabilities(weights, np.ones(weights.shape[1]))
            code = cost.decide(question.context.calibrated(said))
        return cls(code, numbers, low, high, low_closed, high_closed, bound, accepts, label)

    def nearest(self, question: Question, row: int) -> list[list[tuple[int, float]]]:
        """Changes that bring a row into the boxes of other classes, nearest first."""
        outside, far = self._outside(question, row)
        codes = {j: int(question.matrix.codes[row, question.matrix.position[j]]) for j in self.accepts}
        refused = {j: ~table[:, codes[j]] for j, table in self.accepts.items()}
        count = outside.sum(axis=1) + sum((missed for missed in refused.values()), np.zeros(len(self.code), np.int64))
        far = far + sum((missed for missed in refused.values()), np.zeros(len(self.code)))
        differs = self.code != question.codes[row]
        if question.goal is not None and self.label is not None:
            differs = question.goal.reached(np.full(len(self.label), row), self.label)
        others = np.flatnonzero(differs & (count > 0))
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


def _is_shut(condition: Condition) -> bool:
    return condition.is_empty or isinstance(condition, LinearCondition)


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
