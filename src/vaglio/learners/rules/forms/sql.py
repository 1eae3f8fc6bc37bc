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
from functools import cached_property
from typing import TYPE_CHECKING, Any

from vaglio.errors import NotSupportedError
from vaglio.export.limit import Written, moment
from vaglio.export.sql import sql_name, sql_number, sql_sum, sql_value
from vaglio.learners.rules.model.resolution import decision_order
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    MissingCondition,
    RangeCondition,
    SetCondition,
)

if TYPE_CHECKING:
    import numpy as np

    from vaglio.encode import Feature
    from vaglio.learners.rules.model.rule import Rule
    from vaglio.learners.rules.model.ruleset import RuleSet
    from vaglio.model.costs import CostMatrix

__all__ = ["rules_sql", "sql_name", "sql_number", "sql_sum", "sql_value"]

# Categories of a column that are listed in its conditions; more are numbered in a list of their own.
_MOST_LISTED = 50


def rules_sql(ruleset: RuleSet, table: str, probabilities: bool) -> str:
    refuse_text(ruleset)
    return _Select(ruleset, table).text(probabilities)


def refuse_text(ruleset: RuleSet) -> None:
    """Refuse rules that test words."""
    for feature in (ruleset.features[j] for rule in ruleset for c in rule.conditions for j in c.columns):
        if feature.word is not None:
            raise NotSupportedError(
                f"Column {feature.column!r} is free text, and standard SQL does not split a text into words: export "
                "the rules as Python, or learn without this column."
            )


class _Select:
    """The parts of the statement; they count what they write, so that a model that is too large is refused."""

    def __init__(self, ruleset: RuleSet, table: str) -> None:
        self.ruleset = ruleset
        self.source = sql_name(table)
        self.written = Written("sql")
        taken = {feature.name for feature in ruleset.features}
        self.prefix = "vaglio_"
        while any(name.startswith(self.prefix) for name in taken):
            self.prefix = f"_{self.prefix}"

    def text(self, probabilities: bool) -> str:
        ruleset = self.ruleset
        if self._is_crisp:
            return self._select(self._crisp_columns(probabilities))
        if ruleset.classes is None:
            return self._select(f"{self._number()} AS prediction")
        by_cost = None if probabilities else ruleset.costs
        inner, scores = self._scores(by_cost)
        outer = self._probabilities(scores) if probabilities else self._decision(scores, "<=" if by_cost else ">=")
        summed = ",\n".join(f"{expression} AS {name}" for name, expression in inner.items())
        lists, rest = self.lists(), self.rows()
        return f"{lists}SELECT *,\n{outer}\nFROM (SELECT {self.all},\n{summed}\nFROM {rest}) AS scored"

    # -- rows --------------------------------------------------------------------------------------------------------
    @cached_property
    def coded(self) -> dict[int, Feature]:
        """The columns whose categories are numbered: those of many categories that several conditions test."""
        tests = Counter(
            condition.columns[0]
            for rule in self.ruleset
            for condition in rule.conditions
            if not isinstance(condition, LinearCondition) and condition.feature.categories
        )
        found = {column: self.ruleset.features[column] for column, count in tests.items() if count > 1}
        return {column: found[column] for column in sorted(found) if len(found[column].categories) > _MOST_LISTED}

    @property
    def all(self) -> str:
        return f"{self.source}.*" if self.coded else "*"

    def _select(self, columns: str) -> str:
        return f"{self.lists()}SELECT {self.all},\n{columns}\nFROM {self.rows()}"

    def lists(self) -> str:
        lists = []
        for column, feature in self.coded.items():
            self.written.add(len(feature.categories))
            values = ",\n".join(f"({sql_value(value)}, {code})" for code, value in enumerate(feature.categories))
            lists.append(f"{self._list(column)}({self._of(column)}, {self._code(column)}) AS (VALUES\n{values})")
        return f"WITH {', '.join(lists)}\n" if lists else ""

    def rows(self) -> str:
        joins = [
            f"\nLEFT JOIN {self._list(column)} ON {self.source}.{sql_name(feature.name)} = {self._of(column)}"
            for column, feature in self.coded.items()
        ]
        return self.source + "".join(joins)

    def _list(self, column: int) -> str:
        return f"{self.prefix}c{column}"

    def _of(self, column: int) -> str:
        return f"{self.prefix}v{column}"

    def _code(self, column: int) -> str:
        return f"{self.prefix}k{column}"

    # -- one rule takes the row --------------------------------------------------------------------------------------
    @property
    def _is_crisp(self) -> bool:
        return self.ruleset.resolution not in ("vote", "mean") and all(
            condition.missing in (0, 1) for rule in self.ruleset for condition in rule.conditions
        )

    def _crisp_columns(self, probabilities: bool) -> str:
        ruleset = self.ruleset
        order = decision_order(ruleset.entries, ruleset.resolution)
        if not probabilities or ruleset.classes is None:
            write: Callable[[Any], str] = sql_number if ruleset.classes is None else sql_value
            answers = [write(ruleset[i].label) for i in order]
            return f"{self._case(order, answers, write(ruleset.default_label))} AS prediction"
        said, default = ruleset.said, ruleset.said_by_default
        return ",\n".join(
            f"{self._case(order, [sql_value(float(said[i, k])) for i in order], sql_value(float(default[k])))} "
            f"AS {sql_name(f'p({label})')}"
            for k, label in enumerate(ruleset.classes)
        )

    def _case(self, order: list[int], answers: list[str], otherwise: str) -> str:
        if not order:
            return otherwise
        lines = [f"  WHEN {self._predicate(self.ruleset[i])} THEN {answer}" for i, answer in zip(order, answers)]
        return "\n".join(["CASE", *lines, f"  ELSE {otherwise}", "END"])

    def _predicate(self, rule: Rule) -> str:
        return " AND ".join(self._meets(condition) for condition in rule.conditions) or "1 = 1"

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
        name = sql_name(feature.name)
        written = moment if feature.is_date else lambda number: number
        tests = []
        if condition.low != -math.inf:
            tests.append(f"{name} {'>=' if condition.low_closed else '>'} {sql_value(written(condition.low))}")
        if condition.high != math.inf:
            tests.append(f"{name} {'<=' if condition.high_closed else '<'} {sql_value(written(condition.high))}")
        return " AND ".join(tests) or f"{name} IS NOT NULL"

    def _one_of(self, column: int, feature: Feature, codes: Sequence[int]) -> str:
        self.written.add(len(codes))
        if column in self.coded:
            return f"{self._code(column)} IN ({', '.join(map(str, codes)) or 'NULL'})"
        return f"{sql_name(feature.name)} IN ({_listed([feature.categories[code] for code in codes])})"

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
        return f"({name} IS NULL OR {name} NOT IN ({_listed(categories)}))"

    def _linear(self, condition: LinearCondition) -> str:
        dates = [feature.name for feature in condition.features if feature.is_date]
        if dates:
            raise NotSupportedError(f"SQL has no portable way to multiply a date, as {dates[0]!r} in a linear test.")
        terms = [f"{sql_number(c)} * {self._term(f)}" for f, c in zip(condition.features, condition.coefficients)]
        return f"({' + '.join(terms)})"

    def _term(self, feature: Feature) -> str:
        """A number of a row; of an ordered category its rank."""
        if not feature.categories:
            return sql_name(feature.name)
        self.written.add(len(feature.categories))
        ranks = " ".join(f"WHEN {sql_value(value)} THEN {rank}" for rank, value in enumerate(feature.categories))
        return f"CASE {sql_name(feature.name)} {ranks} END"

    # -- shares ------------------------------------------------------------------------------------------------------
    def _number(self) -> str:
        """The number that the rules give together."""
        said, default = self.ruleset.said[:, 0], sql_number(float(self.ruleset.said_by_default[0]))
        shares = self.weighted([1.0] * len(self.ruleset))
        if self.ruleset.resolution == "mean":
            return f"CASE WHEN {shares} > 0 THEN {self.weighted(said)} / {shares} ELSE {default} END"
        if self.ruleset.resolution == "exclusive":
            return f"({self.weighted(said)} + {default} * {self._rest(shares)})"
        return self._in_turn(said, float(self.ruleset.said_by_default[0]))

    def _scores(self, cost: CostMatrix | None) -> tuple[dict[str, str], list[str]]:
        """The columns of the inner SELECT, and the score of each class (probability or expected cost) made of them."""
        ruleset = self.ruleset

        def meant(said: np.ndarray) -> np.ndarray:
            return said if cost is None else cost.expected(said)

        default = meant(ruleset.said_by_default[None, :])[0].tolist()
        names = [f"{self.prefix}p{k}" for k in range(len(default))]
        if self._votes:
            sums = {name: self.weighted(column) for name, column in zip(names, meant(ruleset.votes).T)}
            return {**sums, self._total: self.weighted(ruleset.votes.sum(axis=1))}, names
        said = meant(ruleset.said)
        if ruleset.resolution == "exclusive":
            sums = {name: self.weighted(column) for name, column in zip(names, said.T)}
            rest = self._rest(self.weighted([1.0] * len(ruleset)))
            scores = [f"({name} + {sql_number(value)} * {self._total})" for name, value in zip(names, default)]
            return {**sums, self._total: rest}, scores
        return {name: self._in_turn(said[:, k], default[k]) for k, name in enumerate(names)}, names

    @property
    def _votes(self) -> bool:
        return self.ruleset.resolution in ("vote", "mean")

    @property
    def _total(self) -> str:
        """The column with what all votes sum up to, or with what no rule takes."""
        return f"{self.prefix}total"

    @staticmethod
    def _rest(shares: str) -> str:
        """What rules that exclude one another leave of a row; less is rounding."""
        return f"CASE WHEN 1.0 - {shares} > 1e-9 THEN 1.0 - {shares} ELSE 0.0 END"

    def _in_turn(self, said: np.ndarray, default: float) -> str:
        """Rules of which each takes its share of what those before it left."""
        expression = sql_number(default)
        for i in reversed(decision_order(self.ruleset.entries, self.ruleset.resolution)):
            share = self._share(self.ruleset[i], "1.0")
            expression = f"({share} * {sql_number(float(said[i]))} + (1.0 - {share}) * {expression})"
        return expression

    def _share(self, rule: Rule, weight: str) -> str:
        """The share of the row a rule takes, times a weight."""
        crisp = [self._meets(c) for c in rule.conditions if c.missing in (0, 1)]
        parts = [
            f"CASE WHEN {self._known(c)} THEN 1.0 WHEN {self._is_absent(c)} THEN {sql_number(c.missing)} ELSE 0.0 END"
            if not isinstance(c, MissingCondition)
            else f"CASE WHEN {self._is_absent(c)} THEN {sql_number(c.missing)} ELSE 0.0 END"
            for c in rule.conditions
            if c.missing not in (0, 1)
        ]
        product = " * ".join([*parts, weight])
        return f"CASE WHEN {' AND '.join(crisp)} THEN {product} ELSE 0.0 END" if crisp else f"({product})"

    def weighted(self, weights: Iterable[float]) -> str:
        return sql_sum(
            [self._share(rule, sql_number(float(weight))) for rule, weight in zip(self.ruleset, weights) if weight != 0]
        )

    # -- the decision ------------------------------------------------------------------------------------------------
    def _probabilities(self, scores: list[str]) -> str:
        columns = []
        for label, score, default in zip(self.ruleset.classes or (), scores, self.ruleset.said_by_default.tolist()):
            if self._votes:
                score = f"CASE WHEN {self._total} > 0 THEN {score} / {self._total} ELSE {sql_value(default)} END"
            columns.append(f"{score} AS {sql_name(f'p({label})')}")
        return ",\n".join(columns)

    def _decision(self, scores: list[str], order: str) -> str:
        """The class of the largest score (>=), or of the smallest (<=); ties to the first."""
        classes = self.ruleset.classes or ()
        lines = []
        if self._votes:
            lines.append(f"  WHEN {self._total} <= 0 THEN {sql_value(self.ruleset.default_label)}")
        for k, label in enumerate(classes[:-1]):
            better = " AND ".join(f"{scores[k]} {order} {other}" for other in scores[k + 1 :])
            lines.append(f"  WHEN {better} THEN {sql_value(label)}")
        if not lines:
            return f"{sql_value(classes[0])} AS prediction"
        return "\n".join(["CASE", *lines, f"  ELSE {sql_value(classes[-1])}", "END AS prediction"])


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(sql_value(value) for value in values) if len(values) else "NULL"
