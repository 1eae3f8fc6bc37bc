"""From a text to a RuleSet: names become columns, values codes and bounds; rules and default are put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vaglio.encode import Feature, spelling
from vaglio.errors import InputError, ModelFileError, as_own_errors
from vaglio.learners.rules.forms.language import (
    AnyTest,
    Day,
    DraftRule,
    LinearTest,
    OrderTest,
    RuleReader,
    SetTest,
    StateTest,
    infer_features,
)
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.base import Smoothing
from vaglio.model.calibration import Calibration, calibrated
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
    merge_conditions,
    value_text,
)
from vaglio.model.costs import CostMatrix

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
        with as_own_errors():
            self.classes = None if classes is None else [c.item() if hasattr(c, "item") else c for c in classes]
        self.features = features
        self.resolution, self.smoothing = "first", Smoothing()
        self.rows: dict[Any, float] | None = None
        self.cost: dict[Any, dict[Any, float]] = {}
        self.calibration: Calibration | None = None
        self.drafts: list[DraftRule] = []
        self.default: tuple[Any, dict[Any, float] | None] | None = None

    def ruleset(self) -> RuleSet:
        while self.reader.peek().kind != "end":
            self._statement()
        if self.default is None:
            raise self.reader.error(text("expected a last line ELSE with a label, for rows that no rule covers"))
        tests = [test for draft in self.drafts for test in draft.tests]
        features = infer_features(tests, self.declared) if self.features is None else tuple(self.features)
        classes = self._all_classes()
        columns = {feature.name: (i, feature) for i, feature in enumerate(features)}
        totals = _spread(self.rows or {}, classes)
        pairs = {(true, label): value for true, line in self.cost.items() for label, value in line.items()}
        cost = CostMatrix.from_any(pairs, labels=classes) if self.cost else None

        def decide(weights: tuple[float, ...]) -> int:
            """How class weights become the class that they stand for."""
            if cost is None:
                return int(np.argmax(weights))
            said = self.smoothing.probabilities(np.array(weights), np.array(totals))
            return cost.decide_one(calibrated(said, self.calibration)[0])

        entries = []
        for draft in self.drafts:
            conditions = merge_conditions(bind(test, columns) for test in draft.tests)
            if conditions is None:
                raise InputError(
                    "rules-contradiction", "Rules, line {line}: no row can meet these conditions.", line=draft.line
                )
            code, weights = classes.index(draft.label), _word(draft.label, draft.weights, classes, decide)
            covered = _spread((draft.weights if draft.covered is None else draft.covered) or {}, classes)
            entries.append(Rule(conditions, classes[code], code, weights, covered, totals))
        default = _word(*self.default, classes, decide)
        lines = None if cost is None else tuple(map(tuple, cost.matrix.tolist()))
        about = default, totals, self.resolution, self.smoothing, lines, self.calibration
        return RuleSet(tuple(entries), features, tuple(classes), *about)

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
        elif reader.accept("CALIBRATE"):
            numbers = {"temperature": reader.number(), "floor": reader.number()}
            try:
                self.calibration = Calibration.from_state(numbers)
            except ModelFileError:
                raise reader.error("CALIBRATE needs a temperature above 0 and a floor from 0 to 1") from None
        else:
            raise reader.error("expected IF, ELSE, CLASSES, COLUMN, CHOOSE, SMOOTHING, ROWS, COST or CALIBRATE")

    def _column(self) -> None:
        reader = self.reader
        name = reader.name()
        reader.expect(":")
        # A category may be called date, too.
        dates = reader.is_key("DATE") and reader.peek(1).text not in (",", "<")
        if dates or reader.is_key("NUMBER"):
            reader.take()
            self.declared[name] = Feature(name, is_date=dates)
            return
        first = reader.value()
        ordered = reader.accept("<")
        more = ordered or reader.accept(",")
        rest = reader.values("<" if ordered else ",") if more and not reader.is_key("CHOOSE") else []
        self.declared[name] = Feature(name, "ordinal" if ordered else "nominal", (first, *rest))

    def _all_classes(self) -> list[Any]:
        assert self.default is not None
        said = [draft.label for draft in self.drafts] + [self.default[0]]
        classes = (
            self.classes if self.classes is not None else sorted(dict.fromkeys(said), key=lambda c: (str(type(c)), c))
        )
        for label in said:
            if label not in classes:
                raise InputError(
                    "rules-unknown-class",
                    "The rules predict {label}, which is not one of the classes {classes}.",
                    label=value_text(label),
                    classes=listed(classes),
                )
        return classes


def _word(label: object, weights: dict[Any, float] | None, classes: list[Any], decide: Decider) -> tuple[float, ...]:
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
            raise InputError(
                "rules-weight-of-unknown-class",
                "A weight is given for {label}, which is not one of the classes {classes}.",
                label=value_text(label),
                classes=listed(classes),
            )
        if not (weight >= 0 and math.isfinite(weight)):
            raise InputError(
                "rules-invalid-weight",
                "The weight of {label} must be a finite number of at least 0, not {weight}.",
                label=value_text(label),
                weight=weight,
            )
    return tuple(float(weights.get(label, 0.0)) for label in classes)


def bind(test: AnyTest, columns: dict[str, tuple[int, Feature]]) -> Condition:
    """Return the condition that a test is, once its columns are known.

    Parameters
    ----------
    test : AnyTest
    columns : dict of str to (int, Feature)
        Name -> position and description of each column.
    """
    for name in test.names:
        if name not in columns:
            near = did_you_mean(name, columns, quoted=True)
            raise InputError(
                "rules-unknown-column",
                "Rules, line {line}: there is no column {column!r}: {hint}",
                line=test.line,
                column=name,
                hint=near,
            )
    if isinstance(test, LinearTest):
        where = [columns[name] for name in test.names]
        return LinearCondition(
            tuple(i for i, _ in where),
            tuple(feature for _, feature in where),
            tuple(coefficient for coefficient, _ in test.terms),
            test.threshold,
            above=test.operator.startswith(">"),
            closed=test.operator.endswith("="),
            missing=test.missing,
        )
    column, feature = columns[test.names[0]]
    if isinstance(test, StateTest):
        if not test.known:
            return MissingCondition(column, feature, test.missing)
        if feature.is_nominal:
            return SetCondition(column, feature, frozenset(range(len(feature.categories))), test.missing)
        return RangeCondition(column, feature, missing=test.missing)
    if isinstance(test, SetTest):
        return _bind_set(test, column, feature)
    return _bind_order(test, column, feature)


def _bind_set(test: SetTest, column: int, feature: Feature) -> Condition:
    if feature.kind == "numeric":
        if len(test.values) == 1 and not test.negated and _is_number(test.values[0], feature):
            value = float(test.values[0])
            return RangeCondition(column, feature, value, value, True, True, test.missing)
        raise InputError(
            "rules-numeric-column",
            "Rules, line {line}: {column!r} is numeric. Compare it with a number by <, <=, >, >= or =.",
            line=test.line,
            column=feature.name,
        )
    codes = frozenset(_code(value, feature, test.line) for value in test.values)
    if test.negated:
        codes = frozenset(range(len(feature.categories))) - codes
    if feature.is_nominal:
        return SetCondition(column, feature, codes, test.missing)
    low, high = min(codes, default=0), max(codes, default=-1)
    if len(codes) != high - low + 1:
        raise InputError(
            "rules-gap-in-order",
            "Rules, line {line}: the values of the ordinal column {column!r} must be neighbours.",
            line=test.line,
            column=feature.name,
        )
    return RangeCondition(column, feature, low - 1.0, float(high), missing=test.missing)


def _bind_order(test: OrderTest, column: int, feature: Feature) -> Condition:
    if feature.is_nominal:
        raise InputError(
            "rules-nominal-column",
            "Rules, line {line}: the values of {column!r} have no order. Use =, != or IN.",
            line=test.line,
            column=feature.name,
        )
    condition: Condition = RangeCondition(column, feature, missing=test.missing)
    bounds = {"low": -math.inf, "high": math.inf, "low_closed": False, "high_closed": True}
    for operator, value in test.bounds:
        if feature.kind == "ordinal":
            value = float(_code(value, feature, test.line))
        elif not _is_number(value, feature):
            raise InputError(
                "rules-not-a-number",
                "Rules, line {line}: {column!r} is numeric and cannot be compared with {value!r}.",
                line=test.line,
                column=feature.name,
                value=value,
            )
        end = "low" if operator.startswith(">") else "high"
        bounds[end], bounds[f"{end}_closed"] = float(value), operator.endswith("=")
    condition = RangeCondition(column, feature, missing=test.missing, **bounds)  # type: ignore[arg-type]
    if condition.is_empty:
        raise InputError(
            "rules-empty-range",
            "Rules, line {line}: no value of {column!r} is between these bounds.",
            line=test.line,
            column=feature.name,
        )
    return condition


def _is_number(value: object, feature: Feature) -> bool:
    """Whether a numeric column can be compared with the value: dates only if it holds dates."""
    if isinstance(value, Day) and not feature.is_date:
        return False
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)


def _code(value: object, feature: Feature, line: int) -> int:
    code = feature.code_of.get(spelling(value))
    if code is None:
        raise InputError(
            "rules-unknown-value",
            "Rules, line {line}: {value} is not a known value of {column!r}. Add it to the COLUMN line.",
            line=line,
            value=value_text(value),
            column=feature.name,
        )
    return code
