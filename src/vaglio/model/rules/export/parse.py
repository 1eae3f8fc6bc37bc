"""The grammar of rules as text, read by recursive descent; :mod:`~vaglio.model.rules.export.text` describes it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vaglio.encode import Feature, spelling
from vaglio.errors import InputError
from vaglio.model.rules.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
    merge_conditions,
)
from vaglio.model.rules.export.draft import (
    AnyTest,
    DraftRule,
    LinearTest,
    OrderTest,
    SetTest,
    StateTest,
    infer_features,
)
from vaglio.model.rules.export.text import KEYWORDS, WORD, value_text
from vaglio.model.rules.rule import Rule
from vaglio.model.rules.ruleset import RuleSet
from vaglio.model.trees.smoothing import Smoothing

__all__ = ["parse_condition", "parse_rules"]

_TOKEN = re.compile(
    rf"""(?P<space>\s+|\#[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf\b|nan\b)(?!\w))
      | (?P<word>{WORD})
      | (?P<mark><=|>=|!=|[<>=(){{}}\[\],:*+-])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def parse_rules(text: str, features: Sequence[Feature] | None = None, classes: Any = None) -> RuleSet:
    """Read a whole rule set."""
    return _Builder(_Reader(text), features, classes).ruleset()


def parse_condition(text: str, features: Sequence[Feature]) -> Condition:
    """Read one condition on known columns."""
    reader = _Reader(text)
    test = reader.condition()
    reader.expect_end()
    return _bind(test, {feature.name: (i, feature) for i, feature in enumerate(features)})


class _Reader:
    """Tokens in, drafts out: what was said, before it is known what the columns are."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0

    # -- tokens --
    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def is_key(self, word: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind == "word" and token.text.upper() == word

    def accept(self, text: str) -> bool:
        token = self.peek()
        found = self.is_key(text) or (token.kind == "mark" and token.text == text)
        self.at += found
        return found

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text}")

    def expect_end(self) -> None:
        if self.peek().kind != "end":
            raise self.error("expected nothing more")

    def error(self, what: str) -> InputError:
        token = self.peek()
        found = "the end" if token.kind == "end" else repr(token.text)
        return InputError(f"Rules, line {token.line}: {what}, found {found}.")

    # -- values --
    def value(self) -> Any:
        token = self.take()
        if token.kind == "string":
            try:
                return json.loads(token.text, strict=False)
            except ValueError:
                pass
        elif token.kind == "number":
            return _number(token.text)
        elif token.kind == "word":
            upper = token.text.upper()
            if upper in ("TRUE", "FALSE"):
                return upper == "TRUE"
            if upper not in KEYWORDS:
                return token.text
        self.at -= 1
        raise self.error("expected a name or a value")

    def name(self) -> str:
        value = self.value()
        if not isinstance(value, str):
            self.at -= 1
            raise self.error("expected the name of a column")
        return value

    def number(self) -> float:
        if self.peek().kind != "number":
            raise self.error("expected a number")
        return float(self.take().text)

    def values(self, joint: str) -> list[Any]:
        values = [self.value()]
        while self.accept(joint):
            if self.peek().kind in ("end",) or self.is_key("COLUMN") or self.is_key("CHOOSE"):
                break
            values.append(self.value())
        return values

    def weights(self) -> dict[Any, float] | None:
        if not self.accept("["):
            return None
        weights: dict[Any, float] = {}
        while not self.accept("]"):
            label = self.value()
            weights[label] = self.number()
            if not self.accept(","):
                self.expect("]")
                break
        return weights

    # -- rules --
    def rule(self) -> DraftRule:
        line = self.peek().line
        self.expect("IF")
        conditions: list[AnyTest] = []
        if not self.accept("ANYTHING"):
            conditions.append(self.condition())
            while self.accept("AND"):
                conditions.append(self.condition())
        self.expect("THEN")
        label = self.value()
        weights = self.weights()
        covered = self.weights() if self.accept("COVERS") else None
        return DraftRule(conditions, label, weights, covered, line)

    def condition(self) -> AnyTest:
        if not self.accept("("):
            return self.test()
        test = self.test()
        if self.accept("OR"):
            self.expect("MISSING")
            test.missing = self.number() if self.peek().kind == "number" else 1.0
            if not 0 <= test.missing <= 1:
                raise self.error("a share of missing values lies between 0 and 1")
        self.expect(")")
        return test

    def test(self) -> AnyTest:
        line = self.peek().line
        if self.peek().kind == "number":
            if self.peek(1).text == "*":
                return self.linear(line)
            low = self.number()
            op = self.order()
            if op not in ("<", "<="):
                raise self.error("expected < or <= before the column of an interval")
            name = self.name()
            other = self.order()
            if other not in ("<", "<="):
                raise self.error("expected < or <= after the column of an interval")
            return OrderTest(name, line, [({"<": ">", "<=": ">="}[op], low), (other, self.number())])
        name = self.name()
        if self.accept("IS"):
            return self.state(name, line)
        negated = self.accept("NOT")
        if self.accept("IN"):
            self.expect("{")
            values = [] if self.peek().text == "}" else self.values(",")
            self.expect("}")
            return SetTest(name, line, values, negated)
        if self.accept("BETWEEN"):
            low = self.value()
            self.expect("AND")
            return OrderTest(name, line, [(">=", low), ("<=", self.value())])
        if self.accept("="):
            return SetTest(name, line, [self.value()], False)
        if self.accept("!="):
            return SetTest(name, line, [self.value()], True)
        return OrderTest(name, line, [(self.order(), self.value())])

    def order(self) -> str:
        for op in ("<=", ">=", "<", ">"):
            if self.accept(op):
                return op
        raise self.error("expected a comparison")

    def state(self, name: str, line: int) -> StateTest:
        if self.accept("KNOWN"):
            return StateTest(name, line, known=True)
        self.expect("MISSING")
        share = self.number() if self.peek().kind == "number" else 1.0
        return StateTest(name, line, known=False, missing=share)

    def linear(self, line: int) -> LinearTest:
        terms: list[tuple[float, str]] = []
        sign = 1.0
        while True:
            coefficient = sign * self.number()
            self.expect("*")
            terms.append((coefficient, self.name()))
            if self.accept("+"):
                sign = 1.0
            elif self.accept("-"):
                sign = -1.0
            else:
                break
        return LinearTest(terms, self.order(), self.number(), line)


def _tokens(text: str) -> list[Token]:
    tokens, at, line = [], 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise InputError(f"Rules, line {line}: cannot read {text[at : at + 20]!r}.")
        if found.lastgroup != "space":
            tokens.append(Token(found.lastgroup or "", found.group(), line))
        line += found.group().count("\n")
        at = found.end()
    tokens.append(Token("end", "", line))
    return tokens


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


class _Builder:
    """Header, rules and default of a text, put together."""

    def __init__(self, reader: _Reader, features: Sequence[Feature] | None, classes: Any) -> None:
        self.reader = reader
        self.declared: dict[str, Feature] = {}
        self.classes = None if classes is None else [c.item() if hasattr(c, "item") else c for c in classes]
        self.features = features
        self.resolution, self.smoothing = "first", Smoothing()
        self.rows: dict[Any, float] | None = None
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
        entries = []
        for draft in self.drafts:
            conditions = merge_conditions(_bind(test, columns) for test in draft.tests)
            if conditions is None:
                raise InputError(f"Rules, line {draft.line}: no row can meet these conditions.")
            entries.append(_rule(draft, conditions, classes, totals))
        label, weights = self.default
        default = _word(label, weights, classes, 0)
        return RuleSet(tuple(entries), features, tuple(classes), default, totals, self.resolution, self.smoothing)

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
        else:
            raise reader.error("expected IF, ELSE, CLASSES, COLUMN, CHOOSE, SMOOTHING or ROWS")

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


def _rule(draft: DraftRule, conditions: tuple[Condition, ...], classes: list[Any], totals: tuple[float, ...]) -> Rule:
    code = classes.index(draft.label)
    weights = _word(draft.label, draft.weights, classes, draft.line)
    if draft.covered is not None:
        covered = _spread(draft.covered, classes)
    else:
        covered = _spread(draft.weights or {}, classes)
    return Rule(conditions, classes[code], code, weights, covered, totals)


def _word(label: Any, weights: dict[Any, float] | None, classes: list[Any], line: int) -> tuple[float, ...]:
    """What a rule says. Weights that speak for another class are of the rule as it was before someone edited its
    label: the person's word counts, and it is certain."""
    spread = _spread(weights or {}, classes)
    code = classes.index(label)
    if sum(spread) > 0 and int(np.argmax(spread)) == code:
        return spread
    return tuple(1.0 if i == code else 0.0 for i in range(len(classes)))


def _spread(weights: dict[Any, float], classes: list[Any]) -> tuple[float, ...]:
    for label, weight in weights.items():
        if label not in classes:
            raise InputError(f"A weight is given to {value_text(label)}, which is none of the classes {classes}.")
        if not (weight >= 0 and math.isfinite(weight)):
            raise InputError(f"The weight of {value_text(label)} must be a finite number >= 0, got {weight}.")
    return tuple(float(weights.get(label, 0.0)) for label in classes)


# -- from drafts to conditions on columns --
def _bind(test: AnyTest, columns: dict[str, tuple[int, Feature]]) -> Condition:
    for name in test.names:
        if name not in columns:
            raise InputError(f"Rules, line {test.line}: there is no column {name!r}; known are {', '.join(columns)}.")
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
        if len(test.values) == 1 and not test.negated and _is_number(test.values[0]):
            value = float(test.values[0])
            return RangeCondition(column, feature, value, value, True, True, test.missing)
        raise InputError(
            f"Rules, line {test.line}: {feature.name!r} is a number; compare it with <, <=, >, >= or = a number."
        )
    codes = frozenset(_code(value, feature, test.line) for value in test.values)
    if test.negated:
        codes = frozenset(range(len(feature.categories))) - codes
    if feature.is_nominal:
        return SetCondition(column, feature, codes, test.missing)
    low, high = min(codes, default=0), max(codes, default=-1)
    if len(codes) != high - low + 1:
        raise InputError(
            f"Rules, line {test.line}: the values of the ordered column {feature.name!r} must be neighbours."
        )
    return RangeCondition(column, feature, low - 1.0, float(high), missing=test.missing)


def _bind_order(test: OrderTest, column: int, feature: Feature) -> Condition:
    if feature.is_nominal:
        raise InputError(f"Rules, line {test.line}: the values of {feature.name!r} have no order; use =, != or IN.")
    condition: Condition = RangeCondition(column, feature, missing=test.missing)
    bounds = {"low": -math.inf, "high": math.inf, "low_closed": False, "high_closed": True}
    for operator, value in test.bounds:
        if feature.kind == "ordinal":
            value = float(_code(value, feature, test.line))
        elif not _is_number(value):
            raise InputError(
                f"Rules, line {test.line}: {feature.name!r} is a number and cannot be compared with {value!r}."
            )
        end = "low" if operator.startswith(">") else "high"
        bounds[end], bounds[f"{end}_closed"] = float(value), operator.endswith("=")
    condition = RangeCondition(column, feature, missing=test.missing, **bounds)  # type: ignore[arg-type]
    if condition.is_empty:
        raise InputError(f"Rules, line {test.line}: no value of {feature.name!r} lies between these bounds.")
    return condition


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)


def _code(value: Any, feature: Feature, line: int) -> int:
    code = feature.code_of.get(spelling(value))
    if code is None:
        raise InputError(
            f"Rules, line {line}: {value_text(value)} is no known value of {feature.name!r}; add it to its COLUMN line."
        )
    return code
