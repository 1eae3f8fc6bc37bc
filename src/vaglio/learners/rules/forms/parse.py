"""From a text to a RuleSet: header, rules and default, put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import InputError
from vaglio.learners.rules.forms.bind import bind
from vaglio.learners.rules.forms.draft import DraftRule, infer_features
from vaglio.learners.rules.forms.grammar import RuleReader
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.model.base import Smoothing
from vaglio.model.condition import Condition, merge_conditions
from vaglio.model.condition_text import value_text
from vaglio.model.costs import CostMatrix

__all__ = ["parse_condition", "parse_rules"]

Decider = Callable[[tuple[float, ...]], int]


def parse_rules(text: str, features: Sequence[Feature] | None = None, classes: Any = None) -> RuleSet:
    """Read a whole rule set."""
    return _Builder(RuleReader(text), features, classes).ruleset()


def parse_condition(text: str, features: Sequence[Feature]) -> Condition:
    """Read one condition on known columns."""
    reader = RuleReader(text)
    test = reader.condition()
    reader.expect_end()
    return bind(test, {feature.name: (i, feature) for i, feature in enumerate(features)})


class _Builder:
    """Header, rules and default of a text, put together."""

    def __init__(self, reader: RuleReader, features: Sequence[Feature] | None, classes: Any) -> None:
        self.reader = reader
        self.declared: dict[str, Feature] = {}
        self.classes = None if classes is None else [c.item() if hasattr(c, "item") else c for c in classes]
        self.features = features
        self.resolution, self.smoothing = "first", Smoothing()
        self.rows: dict[Any, float] | None = None
        self.cost: dict[Any, dict[Any, float]] = {}
        self.drafts: list[DraftRule] = []
        self.default: tuple[Any, dict[Any, float] | None] | None = None

    def ruleset(self) -> RuleSet:
        while self.reader.peek().kind != "end":
            self._statement()
        if self.default is None:
            raise self.reader.error(
                "the rules need a last line ELSE and a label, for rows that no rule takes; expected it"
            )
        features = self._all_features()
        classes = self._all_classes()
        columns = {feature.name: (i, feature) for i, feature in enumerate(features)}
        totals = _spread(self.rows or {}, classes)
        cost = self._cost(classes)
        entries = []
        for draft in self.drafts:
            conditions = merge_conditions(bind(test, columns) for test in draft.tests)
            if conditions is None:
                raise InputError(f"Rules, line {draft.line}: no row can meet these conditions.")
            entries.append(_rule(draft, conditions, classes, totals, self._decider(totals, cost)))
        label, weights = self.default
        default = _word(label, weights, classes, self._decider(totals, cost))
        lines = None if cost is None else tuple(map(tuple, cost.matrix.tolist()))
        return RuleSet(
            tuple(entries), features, tuple(classes), default, totals, self.resolution, self.smoothing, lines
        )

    def _decider(self, totals: tuple[float, ...], cost: CostMatrix | None) -> Decider:
        """How class weights become the class that they stand for."""

        def by_cost(weights: tuple[float, ...]) -> int:
            assert cost is not None
            return cost.decide_one(self.smoothing.probabilities(np.array(weights), np.array(totals))[0])

        return by_cost if cost is not None else lambda weights: int(np.argmax(weights))

    def _cost(self, classes: list[Any]) -> CostMatrix | None:
        if not self.cost:
            return None
        pairs = {(true, label): value for true, line in self.cost.items() for label, value in line.items()}
        return CostMatrix.from_any(pairs, labels=classes)

    def _statement(self) -> None:
        reader = self.reader
        if reader.is_key("IF"):
            if self.default is not None:
                raise reader.error("ELSE comes last; expected the end")
            self.drafts.append(reader.rule())
        elif reader.accept("ELSE"):
            if self.default is not None:
                raise reader.error("there is one ELSE only; expected the end")
            self.default = reader.value(), reader.weights()
        elif reader.accept("CLASSES"):
            labels = reader.values(",")
            self.classes = labels if self.classes is None else self.classes
        elif reader.accept("COLUMN"):
            self._column()
        elif reader.accept("CHOOSE"):
            self.resolution = reader.name()
        elif reader.accept("SMOOTHING"):
            kind = reader.name()
            self.smoothing = Smoothing(kind, reader.number() if reader.peek().kind == "number" else 2.0)
        elif reader.accept("ROWS"):
            self.rows = reader.weights()
        elif reader.accept("COST"):
            true = reader.value()
            self.cost[true] = reader.weights() or {}
        else:
            raise reader.error("expected IF, ELSE, CLASSES, COLUMN, CHOOSE, SMOOTHING, ROWS or COST")

    def _column(self) -> None:
        reader = self.reader
        name = reader.name()
        reader.expect(":")
        if reader.accept("NUMBER"):
            self.declared[name] = Feature(name)
            return
        first = reader.value()
        ordered = reader.accept("<")
        more = ordered or reader.accept(",")
        rest = reader.values("<" if ordered else ",") if more and not reader.is_key("CHOOSE") else []
        self.declared[name] = Feature(name, "ordinal" if ordered else "nominal", (first, *rest))

    def _all_features(self) -> tuple[Feature, ...]:
        if self.features is not None:
            return tuple(self.features)
        return infer_features([test for draft in self.drafts for test in draft.tests], self.declared)

    def _all_classes(self) -> list[Any]:
        assert self.default is not None
        said = [draft.label for draft in self.drafts] + [self.default[0]]
        classes = (
            self.classes if self.classes is not None else sorted(dict.fromkeys(said), key=lambda c: (str(type(c)), c))
        )
        for label in said:
            if label not in classes:
                raise InputError(f"The rules say {value_text(label)}, which is none of the classes {classes}.")
        return classes


def _rule(
    draft: DraftRule,
    conditions: tuple[Condition, ...],
    classes: list[Any],
    totals: tuple[float, ...],
    decide: Decider,
) -> Rule:
    code = classes.index(draft.label)
    weights = _word(draft.label, draft.weights, classes, decide)
    if draft.covered is not None:
        covered = _spread(draft.covered, classes)
    else:
        covered = _spread(draft.weights or {}, classes)
    return Rule(conditions, classes[code], code, weights, covered, totals)


def _word(label: Any, weights: dict[Any, float] | None, classes: list[Any], decide: Decider) -> tuple[float, ...]:
    """What a rule says. Weights that favour another class belong to the rule as it was before someone edited its
    label: the label counts, with certainty."""
    spread = _spread(weights or {}, classes)
    code = classes.index(label)
    if sum(spread) > 0 and decide(spread) == code:
        return spread
    return tuple(1.0 if i == code else 0.0 for i in range(len(classes)))


def _spread(weights: dict[Any, float], classes: list[Any]) -> tuple[float, ...]:
    for label, weight in weights.items():
        if label not in classes:
            raise InputError(f"A weight is given to {value_text(label)}, which is none of the classes {classes}.")
        if not (weight >= 0 and math.isfinite(weight)):
            raise InputError(f"The weight of {value_text(label)} must be a finite number >= 0, got {weight}.")
    return tuple(float(weights.get(label, 0.0)) for label in classes)
