"""Rules as one SELECT in standard SQL.

NULL is missing, and so is a category the rules do not know: conditions list what they accept instead of negating what
they refuse. Where every row meets one rule wholly, the label is a CASE over the rules; where missing values are shared
out or several rules count, an inner SELECT sums the shares of each class and the CASE takes the largest. With costs, a
rule names the class it decides for, and the inner SELECT sums the expected costs, of which the CASE takes the smallest.

A column of many categories is joined with a list of them that numbers them: the list then stands in the text once, and
not in every condition.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import NotSupportedError
from vaglio.export.export_node import SHARED, VOTE
from vaglio.export.source import RuleList
from vaglio.export.sql.statement import (
    MOST_LISTED,
    Statement,
    in_dialect,
    sql_list,
    sql_name,
    sql_number,
    sql_sum,
    sql_value,
)
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)
from vaglio.model.costs import CostMatrix

__all__ = ["rules_sql"]


def rules_sql(rules: RuleList, table: str, probabilities: bool, dialect: str = "standard") -> str:
    """Return the statement.

    Parameters
    ----------
    rules : RuleList
    table : str
    probabilities : bool
        One column per class instead of the label.
    dialect : str
    """
    for feature in (rules.features[j] for conditions in rules.conditions for c in conditions for j in c.columns):
        if feature.word is not None:
            raise NotSupportedError(
                "free-text-in-sql",
                "Column {column!r} is free text, and standard SQL cannot split a text into words. Export "
                "the rules as Python, or train without this column.",
                column=feature.column,
            )
    return in_dialect(_RuleStatement(rules, table, dialect).text(probabilities), dialect)


class _RuleStatement(Statement):
    def __init__(self, rules: RuleList, table: str, dialect: str) -> None:
        super().__init__(table, rules.features, dialect)
        self.rules = rules
        self.total = f"{self.prefix}total"  # what all votes sum up to, or what no rule takes
        tests = Counter(
            condition.columns[0]
            for conditions in rules.conditions
            for condition in conditions
            if not isinstance(condition, LinearCondition) and condition.feature.categories
        )
        # The columns whose categories are numbered: those of many categories that several conditions test.
        self.coded = {
            column: self.features[column]
            for column in sorted(tests)
            if tests[column] > 1 and len(self.features[column].categories) > MOST_LISTED
        }

    def text(self, probabilities: bool) -> str:
        rules = self.rules
        if rules.is_crisp:
            return self._without_layers(self._crisp_columns(probabilities))
        if rules.classes is None:
            return self._without_layers(f"{self._number()} AS prediction")
        if rules.calibration is not None and (probabilities or rules.costs is not None):
            raise NotSupportedError(
                "calibrated-sums-in-sql",
                "Rules that vote, or share a row, cannot be exported as sql: their sums are calibrated. Keep the model "
                "file.",
            )
        by_cost = None if probabilities else rules.costs
        inner, scores = self._scores(by_cost)
        if probabilities:
            if rules.mode == VOTE:
                scores = [
                    f"CASE WHEN {self.total} > 0 THEN {score} / {self.total} ELSE {sql_value(default)} END"
                    for score, default in zip(scores, rules.default.tolist())
                ]
            outer = ",\n".join(f"{score} AS {sql_name(f'p({label})')}" for score, label in zip(scores, rules.classes))
        else:
            nobody = [f"  WHEN {self.total} <= 0 THEN {sql_value(rules.default_label)}"] if rules.mode == VOTE else []
            outer = self.decision(rules.classes, scores, ">=" if by_cost is None else "<=", nobody)
        return f"{self._lists()}{self.outer(self.layer('s', inner, joins=self._joins(self.rows)), outer)}"

    def _without_layers(self, columns: str) -> str:
        every = f"{self.table}.*" if self.coded else "*"
        return f"{self._lists()}SELECT {every},\n{columns}\nFROM {self.table}{self._joins(self.table)}"

    # -- rows --------------------------------------------------------------------------------------------------------
    def _lists(self) -> str:
        lists = []
        for column, feature in self.coded.items():
            self.written.add(len(feature.categories))
            values = ",\n".join(f"({sql_value(value)}, {code})" for code, value in enumerate(feature.categories))
            names = f"{self.prefix}c{column}({self.prefix}v{column}, {self._code(column)})"
            lists.append(f"{names} AS (VALUES\n{values})")
        return f"WITH {', '.join(lists)}\n" if lists else ""

    def _joins(self, rows: str) -> str:
        return "".join(
            f"\nLEFT JOIN {self.prefix}c{column} ON {rows}.{sql_name(feature.name)} = {self.prefix}v{column}"
            for column, feature in self.coded.items()
        )

    def _code(self, column: int) -> str:
        return f"{self.prefix}k{column}"

    # -- one rule takes the row --------------------------------------------------------------------------------------
    def _crisp_columns(self, probabilities: bool) -> str:
        rules = self.rules
        if not probabilities or rules.classes is None:
            write: Callable[[Any], str] = sql_number if rules.classes is None else sql_value
            return f"{self._case(list(map(write, rules.labels)), write(rules.default_label))} AS prediction"
        return ",\n".join(
            f"{self._case(list(map(sql_value, said)), sql_value(default))} AS {sql_name(f'p({label})')}"
            for label, said, default in zip(rules.classes, rules.said.T.tolist(), rules.default.tolist())
        )

    def _case(self, answers: list[str], otherwise: str) -> str:
        if not answers:
            return otherwise
        lines = []
        for conditions, answer in zip(self.rules.conditions, answers):
            met = " AND ".join(self._meets(condition) for condition in conditions) or "1 = 1"
            lines.append(f"  WHEN {met} THEN {answer}")
        return "\n".join(["CASE", *lines, f"  ELSE {otherwise}", "END"])

    # -- conditions --------------------------------------------------------------------------------------------------
    def _meets(self, condition: Condition) -> str:
        """A condition whose share is 0 or 1, as true or not."""
        if isinstance(condition, MissingCondition):
            return self._is_absent(condition)
        if condition.missing == 0:
            return self._known(condition)
        return f"({self._known(condition)} OR {self._is_absent(condition)})" if not condition.is_vacuous else "1 = 1"

    def _known(self, condition: Condition) -> str:
        """Whether a known value is accepted; not true for a missing one."""
        self.written.add(1)
        if isinstance(condition, LinearCondition):
            return f"{self._linear(condition)} {condition.operator} {sql_value(condition.threshold)}"
        column, feature = condition.columns[0], condition.feature
        if isinstance(condition, SetCondition):
            return self._one_of(column, feature, sorted(condition.codes))
        assert isinstance(condition, RangeCondition)
        if feature.kind == "ordinal":
            ranks = range(len(feature.categories))
            return self._one_of(column, feature, [rank for rank in ranks if condition.low < rank <= condition.high])
        name, literal = sql_name(feature.name), self.literal_of(feature)
        tests = []
        if condition.low != -math.inf:
            tests.append(f"{name} {'>=' if condition.low_closed else '>'} {literal(condition.low)}")
        if condition.high != math.inf:
            tests.append(f"{name} {'<=' if condition.high_closed else '<'} {literal(condition.high)}")
        return " AND ".join(tests) or f"{name} IS NOT NULL"

    def _one_of(self, column: int, feature: Feature, codes: Sequence[int]) -> str:
        self.written.add(len(codes))
        if column in self.coded:
            return f"{self._code(column)} IN ({', '.join(map(str, codes)) or 'NULL'})"
        return f"{sql_name(feature.name)} IN ({sql_list([feature.categories[code] for code in codes])})"

    def _is_absent(self, condition: Condition) -> str:
        """Whether the value is missing, or a category nobody knows."""
        self.written.add(1)
        if isinstance(condition, LinearCondition):
            return f"{self._linear(condition)} IS NULL"
        if condition.column in self.coded:
            return f"{self._code(condition.column)} IS NULL"
        name, categories = sql_name(condition.feature.name), condition.feature.categories
        if not categories:
            return f"{name} IS NULL"
        self.written.add(len(categories))
        return f"({name} IS NULL OR {name} NOT IN ({sql_list(categories)}))"

    def _linear(self, condition: LinearCondition) -> str:
        dates = [feature.name for feature in condition.features if feature.is_date]
        if dates:
            raise NotSupportedError(
                "date-in-linear-sql",
                "SQL has no portable way to multiply a date, such as {column!r} in a linear test.",
                column=dates[0],
            )
        terms = [
            f"{sql_number(coefficient)} * {self.rank(feature) if feature.categories else sql_name(feature.name)}"
            for feature, coefficient in zip(condition.features, condition.coefficients)
        ]
        return f"({' + '.join(terms)})"

    # -- shares ------------------------------------------------------------------------------------------------------
    def _number(self) -> str:
        """The number that the rules give together."""
        said, default = self.rules.said[:, 0], float(self.rules.default[0])
        if self.rules.mode not in (SHARED, VOTE):
            return self._in_turn(said, default)
        shares = self._weighted([1.0] * len(said))
        if self.rules.mode == VOTE:
            return f"CASE WHEN {shares} > 0 THEN {self._weighted(said)} / {shares} ELSE {sql_number(default)} END"
        return f"({self._weighted(said)} + {sql_number(default)} * {self._rest(shares)})"

    def _scores(self, cost: CostMatrix | None) -> tuple[dict[str, str], list[str]]:
        """The columns of the inner SELECT, and the score of each class (probability or expected cost) made of them."""
        said, default = self.rules.said, self.rules.default[None, :]
        if cost is not None:
            said, default = cost.expected(said), cost.expected(default)
        names = [f"{self.prefix}p{k}" for k in range(default.shape[1])]
        if self.rules.mode not in (SHARED, VOTE):
            return {name: self._in_turn(said[:, k], default[0, k]) for k, name in enumerate(names)}, names
        sums = {name: self._weighted(column) for name, column in zip(names, said.T)}
        if self.rules.mode == VOTE:
            return {**sums, self.total: self._weighted(self.rules.said.sum(axis=1))}, names
        rest = self._rest(self._weighted([1.0] * len(said)))
        scores = [f"({name} + {sql_number(value)} * {self.total})" for name, value in zip(names, default[0].tolist())]
        return {**sums, self.total: rest}, scores

    @staticmethod
    def _rest(shares: str) -> str:
        """What rules that exclude one another leave of a row; less is rounding."""
        return f"CASE WHEN 1.0 - {shares} > 1e-9 THEN 1.0 - {shares} ELSE 0.0 END"

    def _in_turn(self, said: np.ndarray, default: float) -> str:
        """Rules of which each takes its share of what those before it left."""
        expression = sql_number(float(default))
        for conditions, value in reversed(list(zip(self.rules.conditions, said.tolist()))):
            share = self._share(conditions, "1.0")
            expression = f"({share} * {sql_number(value)} + (1.0 - {share}) * {expression})"
        return expression

    def _share(self, conditions: tuple[Condition, ...], weight: str) -> str:
        """The share of the row that a rule takes, times a weight."""
        crisp = [self._meets(c) for c in conditions if c.missing in (0, 1)]
        parts = [
            f"CASE WHEN {self._known(c)} THEN 1.0 WHEN {self._is_absent(c)} THEN {sql_number(c.missing)} ELSE 0.0 END"
            if not isinstance(c, MissingCondition)
            else f"CASE WHEN {self._is_absent(c)} THEN {sql_number(c.missing)} ELSE 0.0 END"
            for c in conditions
            if c.missing not in (0, 1)
        ]
        product = " * ".join([*parts, weight])
        return f"CASE WHEN {' AND '.join(crisp)} THEN {product} ELSE 0.0 END" if crisp else f"({product})"

    def _weighted(self, weights: Iterable[float]) -> str:
        pairs = zip(self.rules.conditions, weights)
        return sql_sum([self._share(rule, sql_number(float(weight))) for rule, weight in pairs if weight != 0])
