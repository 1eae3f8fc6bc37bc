"""From drafts to conditions on columns: names become columns, values become codes and bounds."""

from __future__ import annotations

import math
from typing import Any

from vaglio.encode import Feature, spelling
from vaglio.errors import InputError
from vaglio.learners.rules.forms.draft import AnyTest, LinearTest, OrderTest, SetTest, StateTest
from vaglio.messages.sentences import did_you_mean
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)
from vaglio.model.condition_text import value_text

__all__ = ["bind"]


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
            raise InputError(f"Rules, line {test.line}: there is no column {name!r}: {near}")
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
