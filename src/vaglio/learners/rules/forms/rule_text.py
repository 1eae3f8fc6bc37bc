"""Rules as text a person reads and :mod:`~vaglio.learners.rules.forms.parse` reads back.

::

    CLASSES no, yes
    COLUMN outlook: overcast, rain, sunny
    COLUMN humidity: number
    COLUMN size: small < medium < large
    CHOOSE first
    SMOOTHING laplace
    ROWS [no 5, yes 9]
    COST no [yes 1]
    COST yes [no 10]
    IF outlook = sunny AND humidity > 77.5 THEN no [no 3]
    IF (70 < humidity <= 80 OR MISSING 0.25) AND size IN {small, medium} THEN yes [yes 2] COVERS [no 1, yes 4]
    ELSE yes [no 2, yes 7]

A text is tested for single words: ``IF subject contains "offer" AND subject does not contain "report" THEN spam``.

Words stand bare where that is clear, else in JSON quotes. After a label stand the class weights its probabilities come
from; COVERS gives those of all rows that meet the conditions, where they differ. COST says, by true class, what a
prediction costs that is not free: with it the class of least expected cost is decided for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError
from vaglio.learners.rules.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.rules.model.rule import Rule
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["KEYWORDS", "WORD", "condition_text", "rule_text", "ruleset_text", "value_text"]

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
        return f"{name} NOT IN {{{_listed(condition.other_categories)}}}"
    return f"{name} IN {{{_listed(condition.categories)}}}"


def _linear_text(condition: LinearCondition, exact: bool) -> str:
    text = ""
    for feature, coefficient in zip(condition.features, condition.coefficients):
        size = number_text(abs(coefficient), exact)
        minus = math.copysign(1.0, coefficient) < 0
        joint = (" - " if minus else " + ") if text else ("-" if minus else "")
        text += f"{joint}{size} * {value_text(feature.name)}"
    return f"{text} {condition.operator} {number_text(condition.threshold, exact)}"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(value_text(value) for value in values)


def rule_text(rule: Rule, exact: bool = False, classes: Sequence[Any] | None = None) -> str:
    """One rule; with the classes given, its class weights as well."""
    meets = " AND ".join(condition_text(condition, exact) for condition in rule.conditions) or "ANYTHING"
    text = f"IF {meets} THEN {value_text(rule.label)}"
    if classes is None:
        return text
    text += f" {_weights_text(rule.weights, classes, exact)}"
    if exact and rule.covered != rule.weights:
        text += f" COVERS {_weights_text(rule.covered, classes, exact)}"
    return text


def _weights_text(weights: Sequence[float], classes: Sequence[Any], exact: bool) -> str:
    shown = [
        f"{value_text(label)} {number_text(weight, exact)}" for label, weight in zip(classes, weights) if weight != 0
    ]
    return f"[{', '.join(shown)}]"


def ruleset_text(ruleset: RuleSet, header: bool) -> str:
    """All rules. With the header every digit is kept and the text says all that prediction needs."""
    if ruleset.classes is None:
        return _numbers_text(ruleset)
    lines = _header(ruleset) if header else []
    if header:
        lines += [rule_text(rule, True, ruleset.classes) for rule in ruleset]
        lines += [f"ELSE {value_text(ruleset.default_label)} {_weights_text(ruleset.default, ruleset.classes, True)}"]
        return "\n".join(lines)
    lines += [f"{rule_text(rule)}  {_summary(rule)}" for rule in ruleset]
    if ruleset.resolution not in ("exclusive", "mean"):  # of a tree, one rule always fires
        lines.append(f"ELSE {value_text(ruleset.default_label)}")
    return "\n".join(lines)


def _summary(rule: Rule) -> str:
    if not sum(rule.totals) > 0:
        return ""
    # Shares of rows (missing values) make long fractions: two digits are enough.
    return f"[{number_text(round(rule.positives, 2), False)} of {number_text(round(sum(rule.covered), 2), False)}]"


def _numbers_text(ruleset: RuleSet) -> str:
    """The rules of a regression tree: for reading only."""
    return "\n".join(f"{rule_text(rule)}  [{number_text(sum(rule.covered), False)} rows]" for rule in ruleset)


def _header(ruleset: RuleSet) -> list[str]:
    assert ruleset.classes is not None
    used = sorted({column for rule in ruleset for condition in rule.conditions for column in condition.columns})
    smoothing = ruleset.smoothing.kind
    if smoothing == "m-estimate":
        smoothing += f" {number_text(ruleset.smoothing.m, True)}"
    return [
        f"CLASSES {_listed(ruleset.classes)}",
        *(f"COLUMN {_column_text(ruleset.features[j])}" for j in used if ruleset.features[j].word is None),
        f"CHOOSE {ruleset.resolution}",
        f"SMOOTHING {smoothing}",
        f"ROWS {_weights_text(ruleset.totals, ruleset.classes, True)}",
        *(
            f"COST {value_text(label)} {_weights_text(line, ruleset.classes, True)}"
            for label, line in zip(ruleset.classes, ruleset.cost or ())
        ),
    ]


def _column_text(feature: Feature) -> str:
    name = value_text(feature.name)
    if feature.kind == "numeric":
        return f"{name}: number"
    joint = " < " if feature.kind == "ordinal" else ", "
    # A single ordered category would read as a nominal one: a trailing < keeps it ordered.
    tail = " <" if feature.kind == "ordinal" and len(feature.categories) == 1 else ""
    return f"{name}: {joint.join(value_text(value) for value in feature.categories)}{tail}"
