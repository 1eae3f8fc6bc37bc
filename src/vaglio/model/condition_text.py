"""Conditions as text, in the names of the table: the words that rules, explanations and exports share."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError
from vaglio.model.condition import Condition, LinearCondition, MissingCondition, RangeCondition, SetCondition

if TYPE_CHECKING:
    from vaglio.encode import Feature

__all__ = ["KEYWORDS", "WORD", "condition_text", "listed_values", "number_text", "value_text"]

# A name that needs no quotes: letters first, then letters, digits, and single dots or hyphens inside.
WORD = r"[^\W\d]\w*(?:[-.]\w+)*"


_TEST_WORDS = frozenset(["AND", "OR", "NOT", "IN", "IS", "MISSING", "KNOWN", "BETWEEN", "TRUE", "FALSE", "INF", "NAN"])


_LINE_WORDS = frozenset(["CLASSES", "COLUMN", "NUMBER", "CHOOSE", "SMOOTHING", "ROWS", "COVERS", "COST"])


KEYWORDS = _TEST_WORDS | _LINE_WORDS | {"IF", "ANYTHING", "THEN", "ELSE"}


# Fewer digits than a float has, so that 2.4499999999999997 reads 2.45: only where nothing is read back.
_READABLE = 12


def value_text(value: Any) -> str:
    """A label, a category or a column's name: bare when it is a plain word, quoted otherwise."""
    if isinstance(value, str):
        plain = re.fullmatch(WORD, value) and value.upper() not in KEYWORDS
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    raise InputError(
        f"The value {value!r} is neither a text nor a number nor a boolean: rules cannot be written with it."
    )


def number_text(value: float, exact: bool) -> str:
    """A number with all its digits, or with as many as a person reads."""
    text = repr(float(value)) if exact else f"{value:.{_READABLE}g}"
    return text.removesuffix(".0")


def condition_text(condition: Condition, exact: bool = False) -> str:
    """One condition, in the names of the table."""
    if isinstance(condition, MissingCondition):
        share = "" if condition.missing == 1 else f" {number_text(condition.missing, exact)}"
        return f"{_name_text(condition.feature)} IS MISSING{share}"
    text = _known_text(condition, exact)
    if condition.missing == 0 or not exact:
        return text  # for a person, what a missing value does is told once, not in every condition
    share = "" if condition.missing == 1 else f" {number_text(condition.missing, exact)}"
    return f"({text} OR MISSING{share})"


def _known_text(condition: Condition, exact: bool) -> str:
    if isinstance(condition, LinearCondition):
        return _linear_text(condition, exact)
    name = _name_text(condition.feature)
    if condition.is_vacuous and not (isinstance(condition, SetCondition) and len(condition.codes) == 1):
        return f"{name} IS KNOWN"
    if isinstance(condition, SetCondition):
        word = condition.feature.word
        if word is not None:
            return name if condition.codes == {1} else f"{value_text(word[0])} does not contain {_quoted(word[1])}"
        return _set_text(name, condition)
    assert isinstance(condition, RangeCondition)
    if condition.feature.kind == "ordinal":
        return _ordinal_text(name, condition)
    return _range_text(name, condition, exact)


def _name_text(feature: Feature) -> str:
    if feature.word is None:
        return value_text(feature.name)
    return f"{value_text(feature.column)} contains {_quoted(feature.word[1])}"


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def _range_text(name: str, condition: RangeCondition, exact: bool) -> str:
    low, high = number_text(condition.low, exact), number_text(condition.high, exact)
    if condition.low == -math.inf:
        return f"{name} {'<=' if condition.high_closed else '<'} {high}"
    if condition.high == math.inf:
        return f"{name} {'>=' if condition.low_closed else '>'} {low}"
    return f"{low} {'<=' if condition.low_closed else '<'} {name} {'<=' if condition.high_closed else '<'} {high}"


def _ordinal_text(name: str, condition: RangeCondition) -> str:
    categories = condition.feature.categories
    last = len(categories) - 1
    low = 0 if condition.low == -math.inf else int(min(max(condition.low + 1, 0), last))
    high = last if condition.high == math.inf else int(min(max(condition.high, 0), last))
    if condition.low == -math.inf:
        return f"{name} <= {value_text(categories[high])}"
    if condition.high == math.inf:
        return f"{name} >= {value_text(categories[low])}"
    return f"{name} BETWEEN {value_text(categories[low])} AND {value_text(categories[high])}"


def _set_text(name: str, condition: SetCondition) -> str:
    accepted = len(condition.codes)
    others = len(condition.feature.categories) - accepted
    if accepted == 1:
        return f"{name} = {value_text(condition.categories[0])}"
    if others == 1:
        return f"{name} != {value_text(condition.other_categories[0])}"
    if others < accepted:
        return f"{name} NOT IN {{{listed_values(condition.other_categories)}}}"
    return f"{name} IN {{{listed_values(condition.categories)}}}"


def _linear_text(condition: LinearCondition, exact: bool) -> str:
    text = ""
    for feature, coefficient in zip(condition.features, condition.coefficients):
        size = number_text(abs(coefficient), exact)
        minus = math.copysign(1.0, coefficient) < 0
        joint = (" - " if minus else " + ") if text else ("-" if minus else "")
        text += f"{joint}{size} * {value_text(feature.name)}"
    return f"{text} {condition.operator} {number_text(condition.threshold, exact)}"


def listed_values(values: Iterable[Any]) -> str:
    """Return labels or categories, separated by commas."""
    return ", ".join(value_text(value) for value in values)
