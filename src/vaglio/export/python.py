"""Rules, and scores that rules add up to, as the source of a Python function that needs nothing but itself."""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence
from typing import Any

from vaglio.encode import Feature, spelling
from vaglio.errors import InputError
from vaglio.export.export_node import EXPONENTIAL_OF_SCORE, IN_TURN, LOGIT, VOTE
from vaglio.export.source import RuleList, Written
from vaglio.model.calibration import Calibration
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)
from vaglio.model.costs import CostMatrix

__all__ = ["lines_python", "rules_python", "scores_python"]

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
# Beyond 1e100 how far a number is away from the training rows makes no difference, nor beyond their range.
_LINE = """\
    def scaled(value, fill, centre, scale):
        return min(max(((fill if value != value else value) - centre) / scale, -1e100), 1e100)

    def kept(value):
        return min(max(value, {low!r}), {high!r})
"""


_OF_A_NUMBER = '"""Give the number of a row, a mapping from column to value (None or NaN is missing)."""'
_OF_A_CLASS = (
    '"""Give the class of a row, a mapping from column to value (None or NaN is missing), '
    'or its class probabilities."""'
)


def rules_python(rules: RuleList, name: str) -> str:
    """Return the source of a function of a row.

    Parameters
    ----------
    rules : RuleList
    name : str
        Of the function.
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError("invalid-python-name", "{name!r} is not a name for a Python function.", name=name)
    columns = _columns_of(rules)
    body = [] if rules.classes is None else [f"classes = {list(rules.classes)!r}"]
    if not rules.is_crisp:
        body += _summed(rules)
    elif rules.classes is None:
        body += _crisp(rules, [repr(said) for said in [*rules.said[:, 0].tolist(), float(rules.default[0])]])
    else:
        body += [
            "",
            "def answer(label, chances):",
            "    return dict(zip(classes, chances)) if probabilities else label",
            "",
        ]
        told = zip([*rules.labels, rules.default_label], [*rules.said.tolist(), rules.default.tolist()])
        body += _crisp(rules, [f"answer({label!r}, {said!r})" for label, said in told])
    return _function(name, rules, columns, [], body)


def _columns_of(rules: RuleList) -> set[int]:
    """The columns that rules test, which must not be too many conditions to write."""
    written = Written("python")
    for conditions in rules.conditions:
        written.add(1 + sum(_size(condition) for condition in conditions))
    return {column for conditions in rules.conditions for c in conditions for column in c.columns}


def _function(name: str, rules: RuleList, columns: set[int], helpers: list[str], body: list[str]) -> str:
    """A function that reads the columns of a row, with functions inside that the body calls."""
    readings = {column: _reading(rules.features[column]) for column in sorted(columns)}
    # The functions that read a value of the row, as far as they are needed.
    needed = {reading.split("(")[0] for reading in readings.values()}
    readers = {"number": _NUMBER, "day": _DAY, "category": _CATEGORY, "contains": _CONTAINS}
    lines = [
        f"def {name}(row, probabilities=False):",
        f"    {_OF_A_NUMBER if rules.classes is None else _OF_A_CLASS}",
        "",
        *(text for reader, text in readers.items() if reader in needed),
        *helpers,
        *(f"    x{column} = {reading}" for column, reading in readings.items()),
        *(f"    {line}" if line else "" for line in body),
    ]
    return "\n".join(lines) + "\n"


def lines_python(rules: RuleList, fields: dict[str, Any]) -> str:
    """Return the source of a function ``classify`` of rules that end in linear models.

    Parameters
    ----------
    rules : RuleList
        What each says is the number of its linear model.
    fields : dict
        The linear models: those of an export node of lines.
    """
    columns, written = _columns_of(rules), Written("python")
    written.add(len(fields["coef"]))
    columns |= set(fields["column"].tolist())
    formulas = [_line(rules, fields, int(leaf)) for leaf in rules.said[:, 0]]
    low, high = fields["bounds"].tolist()
    return _function("classify", rules, columns, [_LINE.format(low=low, high=high)], _crisp(rules, formulas))


def _line(rules: RuleList, fields: dict[str, Any], leaf: int) -> str:
    """A linear model, term by term in the order in which the model adds them up."""
    terms = []
    for i in range(int(fields["start"][leaf]), int(fields["start"][leaf + 1])):
        column, code, coef = int(fields["column"][i]), int(fields["category"][i]), float(fields["coef"][i])
        feature = rules.features[column]
        if code >= 0:
            terms.append(f"({coef!r} if {_one_of(f'x{column}', (feature.categories[code],))} else 0.0)")
        else:
            scaling = ", ".join(repr(float(fields[name][i])) for name in ("fill", "centre", "scale"))
            terms.append(f"{coef!r} * scaled({_ranked(column, feature)}, {scaling})")
    return f"kept({' + '.join([*terms, repr(float(fields['intercept'][leaf]))])})"


def scores_python(
    means: Sequence[RuleList],
    baseline: Sequence[float],
    rounds: int,
    link: int,
    labels: list[Any] | None,
    cost: CostMatrix | None,
    calibration: Calibration | None,
) -> str:
    """Return the source of a function ``classify`` of scores that add up, as those of boosted trees.

    Parameters
    ----------
    means : sequence of RuleList
        Of each score, the mean of its trees.
    baseline : sequence of float
        Where each score starts.
    rounds : int
        By how much each mean counts.
    link : int
        What scores become: LOGIT, SOFTMAX_OF_SCORES, IDENTITY or EXPONENTIAL_OF_SCORE.
    labels : list or None
        Class labels; None for numbers.
    cost : CostMatrix or None
    calibration : Calibration or None
    """
    functions = [rules_python(rules, f"mean_{k}") for k, rules in enumerate(means)]
    terms = ", ".join(f"{start!r} + {rounds} * mean_{k}(row)" for k, start in enumerate(baseline))
    if labels is None:
        lines = [
            "def classify(row):",
            f"    {_OF_A_NUMBER}",
            "    from math import exp",
            "",
            f"    scores = [{terms}]",
            f"    return {'exp(scores[0])' if link == EXPONENTIAL_OF_SCORE else 'scores[0]'}",
        ]
    else:
        lines = [
            "def classify(row, probabilities=False):",
            f"    {_OF_A_CLASS}",
            "    from math import exp",
            "",
            f"    classes = {labels!r}",
            f"    scores = [{'0.0, ' if link == LOGIT else ''}{terms}]",
            "    powers = [exp(score - max(scores)) for score in scores]",
            "    chances = [power / sum(powers) for power in powers]",
            *(f"    {line}" for line in _calibrated(calibration, "chances", len(labels))),
            "    if probabilities:",
            "        return dict(zip(classes, chances))",
            *(f"    {line}" for line in _decision(cost, "scores", "chances")),
        ]
    return "\n\n".join([*functions, "\n".join(lines) + "\n"])


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


def _crisp(rules: RuleList, answers: list[str]) -> list[str]:
    """One early return a rule, then that of the other rows: a chain of elif would nest as deep as there are rules."""
    lines = []
    for conditions, answer in zip(rules.conditions, answers[:-1]):
        tests = " and ".join(_meets(condition) for condition in conditions) or "True"
        lines += [f"if {tests}:", f"    return {answer}"]
    return [*lines, f"return {answers[-1]}"]


def _summed(rules: RuleList) -> list[str]:
    """Rules that take a row in part, or several of which count: what each says counts by its share."""
    lines = [f"total = [0.0] * {len(rules.default)}", "left = 1.0", "", "def add(share, said):"]
    lines += ["    for k, value in enumerate(said):", "        total[k] += share * value", "    return share", ""]
    for conditions, said in zip(rules.conditions, rules.said.tolist()):
        if rules.mode == IN_TURN:
            lines.append(f"left -= add(left * ({_share(conditions)}), {said!r})")
        elif any(condition.missing not in (0, 1) for condition in conditions):
            lines.append(f"left -= add({_share(conditions)}, {said!r})")
        else:  # a rule that takes a row wholly or not at all is skipped by a plain test
            tests = " and ".join(_meets(condition) for condition in conditions) or "True"
            lines += [f"if {tests}:", f"    left -= add(1.0, {said!r})"]
    default = rules.default.tolist()
    if rules.mode == VOTE and rules.classes is not None:
        lines += ["votes = sum(total)", f"total = [t / votes for t in total] if votes > 0 else {default!r}"]
    else:
        lines += ["if left > 1e-9:", f"    add(left, {default!r})"]
    if rules.classes is None:
        # Of several trees a row meets one rule each: their mean counts.
        return [*lines, "return total[0] / (1.0 - left) if left < -1e-9 else total[0]"]
    return [
        *lines,
        *_calibrated(rules.calibration, "total", len(default)),
        "if probabilities:",
        "    return dict(zip(classes, total))",
        *_decision(rules.costs, "total", "total"),
    ]


def _calibrated(calibration: Calibration | None, chances: str, n_classes: int) -> list[str]:
    if calibration is None:
        return []
    keep, floor, power = 1 - calibration.floor, calibration.floor / n_classes, 1 / calibration.temperature
    return [
        f"raised = [({keep!r} * chance + {floor!r}) ** {power!r} for chance in {chances}]",
        f"{chances} = [value / sum(raised) for value in raised]",
    ]


def _decision(cost: CostMatrix | None, scores: str, chances: str) -> list[str]:
    if cost is None:
        return [f"return classes[{scores}.index(max({scores}))]"]
    return [
        f"costs = {cost.matrix.T.tolist()!r}  # by predicted class, then by true class",
        f"expected = [sum(chance * cost for chance, cost in zip({chances}, column)) for column in costs]",
        "return classes[expected.index(min(expected))]",
    ]


def _share(conditions: tuple[Condition, ...]) -> str:
    crisp = [_meets(c) for c in conditions if c.missing in (0, 1)]
    parts = [
        f"({c.missing!r} if {_absent(c)} else 0.0)"
        if isinstance(c, MissingCondition)
        else f"({c.missing!r} if {_absent(c)} else 1.0 if {_known(c)} else 0.0)"
        for c in conditions
        if c.missing not in (0, 1)
    ]
    product = " * ".join(parts) or "1.0"
    return f"{product} if {' and '.join(crisp)} else 0.0" if crisp else product


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
    terms = []
    for coefficient, column, feature in zip(condition.coefficients, condition.columns, condition.features):
        terms.append(f"{coefficient!r} * {_ranked(column, feature)}")
    return " + ".join(terms)


def _ranked(column: int, feature: Feature) -> str:
    """A number, of an ordered category its rank."""
    if not feature.categories:
        return f"x{column}"
    ranks = {spelling(category): rank for rank, category in enumerate(feature.categories)}
    return f'{ranks!r}.get(x{column}, float("nan"))'
