"""Rules as the source of one Python function that needs nothing but itself."""

from __future__ import annotations

import keyword
import math
from typing import TYPE_CHECKING, Any

from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.export.limit import Written
from vaglio.learners.rules.model.resolution import SHARED, decision_order
from vaglio.model.condition import (
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

__all__ = ["rules_python"]

_NUMBER = """\
    def number(name):
        value = row.get(name)
        return float("nan") if value is None else float(value)
"""
_DAY = """\
    def day(name):
        from datetime import datetime, timezone

        value = row.get(name)
        if value is None or value != value:
            return float("nan")
        if isinstance(value, (int, float)):
            return float(value)
        if not hasattr(value, "year"):
            value = datetime.fromisoformat(str(value)[:26])
        if not hasattr(value, "hour"):
            value = datetime(value.year, value.month, value.day)
        if value.tzinfo is not None:
            value = value.astimezone(timezone.utc).replace(tzinfo=None)
        past = value - datetime(1970, 1, 1)
        return ((past.days * 86400 + past.seconds) * 1000000 + past.microseconds) / 86400000000.0
"""
_CATEGORY = """\
    def category(name, known):
        value = row.get(name)
        if value is None or value != value:
            return None
        if hasattr(value, "item"):
            value = value.item()
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        text = str(value)
        text = text.lower() if text.lower() in ("true", "false") else text
        return text if text in known else None
"""
_CONTAINS = """\
    def contains(name, word):
        value = row.get(name)
        if value is None or value != value:
            return None
        letters = "".join(c if c.isalnum() or c == "_" else " " for c in str(value).lower())
        return "yes" if word in letters.split() else "no"
"""


def rules_python(ruleset: RuleSet, name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{name!r} is no name for a Python function.")
    lines = [f"def {name}(row, probabilities=False):", f"    {_docstring(ruleset)}", "", *_helpers(ruleset)]
    lines += [f"    {line}" if line else "" for line in _body(ruleset)]
    return "\n".join(lines) + "\n"


def _used(ruleset: RuleSet) -> list[int]:
    return sorted({column for rule in ruleset for condition in rule.conditions for column in condition.columns})


def _helpers(ruleset: RuleSet) -> list[str]:
    """The functions that read a value of the row, as far as they are needed."""
    readings = {_reading(ruleset.features[column]).split("(")[0] for column in _used(ruleset)}
    helpers = {"number": _NUMBER, "day": _DAY, "category": _CATEGORY, "contains": _CONTAINS}
    return [text for name, text in helpers.items() if name in readings]


def _docstring(ruleset: RuleSet) -> str:
    if ruleset.classes is None:
        return '"""Give the number of a row, a mapping from column to value (None or NaN is missing)."""'
    return (
        '"""Give the class of a row, a mapping from column to value (None or NaN is missing), '
        'or its class probabilities."""'
    )


def _body(ruleset: RuleSet) -> list[str]:
    written = Written("python")
    for rule in ruleset:
        written.add(1 + sum(_size(condition) for condition in rule.conditions))
    lines = [f"x{column} = {_reading(ruleset.features[column])}" for column in _used(ruleset)]
    lines += [f"classes = {list(ruleset.classes)!r}"] if ruleset.classes is not None else []
    crisp = all(condition.missing in (0, 1) for rule in ruleset for condition in rule.conditions)
    if crisp and ruleset.resolution not in ("vote", "mean"):
        return [*lines, *_answer_helper(ruleset), *_crisp(ruleset)]
    return [*lines, *_summed(ruleset)]


def _size(condition: Condition) -> int:
    """How many values a condition lists."""
    if isinstance(condition, SetCondition):
        return len(condition.codes)
    return len(condition.features) if isinstance(condition, LinearCondition) else 1


def _reading(feature: Feature) -> str:
    if feature.is_date:
        return f"day({feature.name!r})"
    if feature.kind == "numeric":
        return f"number({feature.name!r})"
    if feature.word is not None:
        return "contains({!r}, {!r})".format(*feature.word)
    return f"category({feature.name!r}, {_strings(feature.categories)})"


def _answer_helper(ruleset: RuleSet) -> list[str]:
    if ruleset.classes is None:
        return []
    return ["", "def answer(label, chances):", "    return dict(zip(classes, chances)) if probabilities else label", ""]


def _crisp(ruleset: RuleSet) -> list[str]:
    """One early return a rule: a chain of elif would nest as deep as there are rules."""
    lines = []
    for i in decision_order(ruleset.entries, ruleset.resolution):
        tests = " and ".join(_meets(condition) for condition in ruleset[i].conditions) or "True"
        lines += [f"if {tests}:", f"    return {_answer(ruleset, ruleset[i].label, ruleset.said[i].tolist())}"]
    return [*lines, f"return {_answer(ruleset, ruleset.default_label, ruleset.said_by_default.tolist())}"]


def _answer(ruleset: RuleSet, label: Any, said: list[float]) -> str:
    return repr(said[0]) if ruleset.classes is None else f"answer({label!r}, {said!r})"


def _summed(ruleset: RuleSet) -> list[str]:
    """Rules that take a row in part, or several of which count: what each says counts by its share."""
    voting = ruleset.resolution in ("vote", "mean") and ruleset.classes is not None
    said = ruleset.votes if voting else ruleset.said
    lines = [f"total = [0.0] * {len(ruleset.default)}", "left = 1.0", "", "def add(share, said):"]
    lines += ["    for k, value in enumerate(said):", "        total[k] += share * value", "    return share", ""]
    for i in decision_order(ruleset.entries, ruleset.resolution):
        if ruleset.resolution in SHARED:
            lines += _adding(ruleset[i], said[i].tolist())
        else:
            lines.append(f"left -= add(left * ({_share(ruleset[i])}), {said[i].tolist()!r})")
    default = ruleset.said_by_default.tolist()
    if voting:
        lines += ["votes = sum(total)", f"total = [t / votes for t in total] if votes > 0 else {default!r}"]
    else:
        lines += ["if left > 1e-9:", f"    add(left, {default!r})"]
    if ruleset.classes is None:
        # Of several trees a row meets one rule each: their mean counts.
        return [*lines, "return total[0] / (1.0 - left) if left < -1e-9 else total[0]"]
    return [
        *lines,
        "if probabilities:",
        "    return dict(zip(classes, total))",
        *_decision(ruleset),
    ]


def _adding(rule: Rule, said: list[float]) -> list[str]:
    """What a rule adds; one that takes a row wholly or not at all is skipped by a plain test."""
    if any(condition.missing not in (0, 1) for condition in rule.conditions):
        return [f"left -= add({_share(rule)}, {said!r})"]
    tests = " and ".join(_meets(condition) for condition in rule.conditions) or "True"
    return [f"if {tests}:", f"    left -= add(1.0, {said!r})"]


def _decision(ruleset: RuleSet) -> list[str]:
    if ruleset.cost is None:
        return ["return classes[total.index(max(total))]"]
    by_prediction = [list(column) for column in zip(*ruleset.cost)]
    return [
        f"costs = {by_prediction!r}  # by predicted class, then by true class",
        "expected = [sum(chance * cost for chance, cost in zip(total, column)) for column in costs]",
        "return classes[expected.index(min(expected))]",
    ]


def _share(rule: Rule) -> str:
    crisp = [_meets(c) for c in rule.conditions if c.missing in (0, 1)]
    parts = [_part(c) for c in rule.conditions if c.missing not in (0, 1)]
    product = " * ".join(parts) or "1.0"
    return f"{product} if {' and '.join(crisp)} else 0.0" if crisp else product


def _part(condition: Condition) -> str:
    if isinstance(condition, MissingCondition):
        return f"({condition.missing!r} if {_absent(condition)} else 0.0)"
    return f"({condition.missing!r} if {_absent(condition)} else 1.0 if {_known(condition)} else 0.0)"


def _meets(condition: Condition) -> str:
    if isinstance(condition, MissingCondition):
        return _absent(condition)
    if condition.missing == 0:
        return _known(condition)
    return f"({_absent(condition)} or {_known(condition)})"


def _absent(condition: Condition) -> str:
    """Whether the value is missing: NaN is the one number that differs from itself."""
    if isinstance(condition, LinearCondition):
        return f"({_linear(condition)}) != ({_linear(condition)})"
    variable = f"x{condition.column}"
    return f"{variable} is None" if condition.feature.categories else f"{variable} != {variable}"


def _known(condition: Condition) -> str:
    if isinstance(condition, LinearCondition):
        return f"{_linear(condition)} {condition.operator} {condition.threshold!r}"
    variable = f"x{condition.column}"
    if isinstance(condition, SetCondition):
        return _one_of(variable, condition.categories)
    assert isinstance(condition, RangeCondition)
    if condition.feature.kind == "ordinal":
        ranked = enumerate(condition.feature.categories)
        return _one_of(variable, tuple(c for rank, c in ranked if condition.low < rank <= condition.high))
    tests = []
    if condition.low != -math.inf:
        tests.append(f"{variable} {'>=' if condition.low_closed else '>'} {condition.low!r}")
    if condition.high != math.inf:
        tests.append(f"{variable} {'<=' if condition.high_closed else '<'} {condition.high!r}")
    return " and ".join(tests) or f"{variable} == {variable}"


def _one_of(variable: str, categories: tuple[Any, ...]) -> str:
    if len(categories) == 1:
        return f"{variable} == {spelling(categories[0])!r}"
    return f"{variable} in {_strings(categories)}"


def _strings(categories: tuple[Any, ...]) -> str:
    listed = ", ".join(repr(spelling(category)) for category in categories)
    return f"{{{listed}}}" if listed else "()"


def _linear(condition: LinearCondition) -> str:
    terms = zip(condition.coefficients, condition.columns, condition.features)
    return " + ".join(f"{coefficient!r} * {_term(column, feature)}" for coefficient, column, feature in terms)


def _term(column: int, feature: Feature) -> str:
    """A number of the row; of an ordered category its rank."""
    if not feature.categories:
        return f"x{column}"
    ranks = {spelling(category): rank for rank, category in enumerate(feature.categories)}
    return f'{ranks!r}.get(x{column}, float("nan"))'
