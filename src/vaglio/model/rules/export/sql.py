"""Rules as one SELECT in standard SQL.

NULL is missing, and so is a category the rules do not know: conditions list what they accept instead of negating what
they refuse. Where every row meets a rule wholly or not at all, the label is a CASE over the rules; where missing values
are shared out, an inner SELECT sums the shares of each class and the CASE takes the largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError, NotSupportedError
from vaglio.model.rules.condition import Condition, LinearCondition, MissingCondition, RangeCondition, SetCondition
from vaglio.model.rules.resolution import decision_order

if TYPE_CHECKING:
    from vaglio.model.rules.rule import Rule
    from vaglio.model.rules.ruleset import RuleSet

__all__ = ["rules_sql"]

# Engines limit the depth of an expression (SQLite: 1000), and a plain sum of n terms is n deep.
_TERMS = 200


def rules_sql(ruleset: RuleSet, table: str, probabilities: bool) -> str:
    for feature in (ruleset.features[j] for rule in ruleset for c in rule.conditions for j in c.columns):
        if feature.word is not None:
            raise NotSupportedError(
                f"Column {feature.column!r} is free text, and standard SQL does not split a text into words: export "
                "the rules as Python, or learn without this column."
            )
    source = _name(table)
    if _is_crisp(ruleset):
        wanted = _crisp_columns(ruleset, probabilities)
        return f"SELECT *,\n{wanted}\nFROM {source}"
    scores = _score_columns(ruleset)
    if ruleset.classes is None:
        return f"SELECT *,\n{scores[0]} AS prediction\nFROM {source}"
    inner = ",\n".join(f"{score} AS {_score_name(k)}" for k, score in enumerate(scores))
    outer = _probability_columns(ruleset) if probabilities else _largest(ruleset.classes)
    return f"SELECT *,\n{outer}\nFROM (SELECT *,\n{inner}\nFROM {source}) AS scored"


def _is_crisp(ruleset: RuleSet) -> bool:
    return ruleset.resolution != "vote" and all(
        condition.missing in (0, 1) for rule in ruleset for condition in rule.conditions
    )


def _crisp_columns(ruleset: RuleSet, probabilities: bool) -> str:
    order = decision_order(ruleset.entries, ruleset.resolution)
    if not probabilities or ruleset.classes is None:
        answers = [_value(ruleset[i].label) for i in order]
        return f"{_case(ruleset, order, answers, _value(ruleset.default_label))} AS prediction"
    said, default = ruleset.said, ruleset.said_by_default
    return ",\n".join(
        f"{_case(ruleset, order, [_value(float(said[i, k])) for i in order], _value(float(default[k])))} "
        f"AS {_name(f'p({label})')}"
        for k, label in enumerate(ruleset.classes)
    )


def _case(ruleset: RuleSet, order: list[int], answers: list[str], otherwise: str) -> str:
    if not order:
        return otherwise
    lines = [f"  WHEN {_predicate(ruleset[i])} THEN {answer}" for i, answer in zip(order, answers)]
    return "\n".join(["CASE", *lines, f"  ELSE {otherwise}", "END"])


def _predicate(rule: Rule) -> str:
    return " AND ".join(_meets(condition) for condition in rule.conditions) or "1 = 1"


def _meets(condition: Condition) -> str:
    """A condition whose share is 0 or 1, as true or not."""
    if isinstance(condition, MissingCondition):
        return _is_absent(condition)
    known = _known(condition)
    if condition.missing == 0:
        return known
    return f"({known} OR {_is_absent(condition)})" if not condition.is_vacuous else "1 = 1"


def _known(condition: Condition) -> str:
    """Whether a known value is accepted; not true for a missing one."""
    if isinstance(condition, LinearCondition):
        return f"{_linear(condition)} {condition.operator} {_value(condition.threshold)}"
    name = _name(condition.feature.name)
    if isinstance(condition, SetCondition):
        return f"{name} IN ({_listed(condition.categories)})"
    assert isinstance(condition, RangeCondition)
    if condition.feature.kind == "ordinal":
        return f"{name} IN ({_listed(_ordinal_values(condition))})"
    tests = []
    if condition.low != -math.inf:
        tests.append(f"{name} {'>=' if condition.low_closed else '>'} {_value(condition.low)}")
    if condition.high != math.inf:
        tests.append(f"{name} {'<=' if condition.high_closed else '<'} {_value(condition.high)}")
    return " AND ".join(tests) or f"{name} IS NOT NULL"


def _is_absent(condition: Condition) -> str:
    """Whether the value is missing, or a category nobody knows."""
    if isinstance(condition, LinearCondition):
        return f"{_linear(condition)} IS NULL"
    name = _name(condition.feature.name)
    if not condition.feature.categories:
        return f"{name} IS NULL"
    return f"({name} IS NULL OR {name} NOT IN ({_listed(condition.feature.categories)}))"


def _linear(condition: LinearCondition) -> str:
    terms = [f"{_value(c)} * {_name(f.name)}" for f, c in zip(condition.features, condition.coefficients)]
    return f"({' + '.join(terms)})"


def _ordinal_values(condition: RangeCondition) -> list[Any]:
    return [value for rank, value in enumerate(condition.feature.categories) if condition.low < rank <= condition.high]


# -- shares ----------------------------------------------------------------------------------------------------------
def _score_columns(ruleset: RuleSet) -> list[str]:
    """The probability of each class (or the number) as one expression each."""
    shares = [_share(rule) for rule in ruleset]
    default = ruleset.said_by_default
    if ruleset.resolution == "vote":
        return _vote_columns(ruleset, shares)
    if ruleset.resolution == "exclusive":
        left = f"(1.0 - {_sum(shares)})"
        rest = f"CASE WHEN {left} > 1e-9 THEN {left} ELSE 0.0 END"
        return [
            f"({_weighted(shares, ruleset.said[:, k])} + {_value(float(default[k]))} * {rest})"
            for k in range(len(default))
        ]
    order = decision_order(ruleset.entries, ruleset.resolution)
    columns = []
    for k in range(len(default)):
        expression = _value(float(default[k]))
        for i in reversed(order):
            expression = f"({shares[i]} * {_value(float(ruleset.said[i, k]))} + (1.0 - {shares[i]}) * {expression})"
        columns.append(expression)
    return columns


def _vote_columns(ruleset: RuleSet, shares: list[str]) -> list[str]:
    votes = [_weighted(shares, ruleset.votes[:, k]) for k in range(len(ruleset.default))]
    total = _weighted(shares, ruleset.votes.sum(axis=1))
    return [
        f"CASE WHEN {total} > 0 THEN {vote} / {total} ELSE {_value(float(default))} END"
        for vote, default in zip(votes, ruleset.said_by_default)
    ]


def _share(rule: Rule) -> str:
    """The share of the row a rule takes, as a number."""
    crisp = [_meets(c) for c in rule.conditions if c.missing in (0, 1)]
    parts = [
        f"CASE WHEN {_known(c)} THEN 1.0 WHEN {_is_absent(c)} THEN {_value(c.missing)} ELSE 0.0 END"
        if not isinstance(c, MissingCondition)
        else f"CASE WHEN {_is_absent(c)} THEN {_value(c.missing)} ELSE 0.0 END"
        for c in rule.conditions
        if c.missing not in (0, 1)
    ]
    product = " * ".join(parts) or "1.0"
    return f"CASE WHEN {' AND '.join(crisp)} THEN {product} ELSE 0.0 END" if crisp else f"({product})"


def _weighted(shares: Sequence[str], weights: Iterable[float]) -> str:
    return _sum([f"{share} * {_value(float(weight))}" for share, weight in zip(shares, weights) if weight != 0])


def _sum(terms: list[str]) -> str:
    if not terms:
        return "0.0"
    while len(terms) > 1:
        chunks = [terms[i : i + _TERMS] for i in range(0, len(terms), _TERMS)]
        terms = [f"({' + '.join(chunk)})" for chunk in chunks]
    return terms[0]


def _probability_columns(ruleset: RuleSet) -> str:
    assert ruleset.classes is not None
    return ",\n".join(f"{_score_name(k)} AS {_name(f'p({label})')}" for k, label in enumerate(ruleset.classes))


def _largest(classes: Sequence[Any]) -> str:
    """The class of the largest score, ties to the first."""
    lines = []
    for k, label in enumerate(classes[:-1]):
        beats = " AND ".join(f"{_score_name(k)} >= {_score_name(j)}" for j in range(k + 1, len(classes)))
        lines.append(f"  WHEN {beats} THEN {_value(label)}")
    if not lines:
        return f"{_value(classes[0])} AS prediction"
    return "\n".join(["CASE", *lines, f"  ELSE {_value(classes[-1])}", "END AS prediction"])


# -- names and values ------------------------------------------------------------------------------------------------
def _score_name(k: int) -> str:
    return f"vaglio_p{k}"


def _name(name: str) -> str:
    return '"' + _printable(name).replace('"', '""') + '"'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise InputError(f"SQL has no portable way to write {value}.")
        return f"({value!r})" if value < 0 else repr(value)
    return "'" + _printable(str(value)).replace("'", "''") + "'"


def _printable(text: str) -> str:
    if "\0" in text:
        raise InputError(f"SQL cannot hold a NUL character, as in {text!r}.")
    return text


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(_value(value) for value in values) if len(values) else "NULL"
