"""Models that are sums over the columns (linear ones, naive Bayes) or over trees as one SELECT.

An inner SELECT computes the sum of each class (or of each machine), the next ones make of it what the decision needs:
votes of machines, probabilities, expected costs. NULL is missing, and so is a category that nobody knows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.export_node import (
    AS_IT_IS,
    CALIBRATED,
    DECIDE,
    EXPONENTIAL,
    EXPONENTIAL_OF_SCORE,
    GAUSSIAN,
    INTERVAL,
    KERNEL,
    LOGNORMAL,
    POISSON,
    TABLE,
    VALUE,
    ExportNode,
    factors,
)
from vaglio.export.source import Source
from vaglio.export.sql.statement import (
    MOST_LISTED,
    Statement,
    in_dialect,
    sql_name,
    sql_number,
    sql_sum,
    sql_value,
)
from vaglio.export.sql.trees import Compared, scores_of_trees, written_as_trees
from vaglio.messages.message import Option, text
from vaglio.messages.sentences import listed

__all__ = ["SUMS", "scores_sql"]

# Kinds of nodes that are sums over the columns.
SUMS = ("linear", "bayes", "lines")

# The logarithm of 0: so small that nothing added makes up for it, and far from what numbers end at.
_RULED_OUT = -1e300
# Below it, an exponential is 0; some databases raise an error instead of rounding.
_NOTHING = -700.0
# Days since 1970 of a date.
_DAYS = {
    "sqlite": "(julianday({}) - 2440587.5)",
    "duckdb": "(epoch(CAST({} AS TIMESTAMP)) / 86400.0)",
    "postgresql": "(EXTRACT(EPOCH FROM CAST({} AS TIMESTAMP)) / 86400.0)",
}


def scores_sql(source: Source, node: ExportNode, table: str, probabilities: bool, dialect: str) -> str:
    """Return the statement.

    Parameters
    ----------
    source : Source
    node : ExportNode
        The model: one of ``SUMS``, or trees for which :func:`~vaglio.export.sql.trees.written_as_trees` holds.
    table : str
    probabilities : bool
        One column per class instead of the label.
    dialect : str
    """
    return in_dialect(_ScoreStatement(source, node, table, dialect).text(probabilities), dialect)


class _ScoreStatement(Statement):
    def __init__(self, source: Source, node: ExportNode, table: str, dialect: str) -> None:
        super().__init__(table, source.features, dialect)
        self.source, self.node = source, node

    def text(self, probabilities: bool) -> str:
        if written_as_trees(self.node):
            return self._of_trees(probabilities)
        if self.node.kind == "lines" and written_as_trees(self.node.members[0]):
            return self._lines()
        if self.node.kind not in ("linear", "bayes"):
            raise self.source.refusal("sql", "its members are not single trees with two branches per test")
        sums = self._linear() if self.node.kind == "linear" else self._bayes()
        if self.node.fields.get("link") == AS_IT_IS:
            return self.outer("", f"{sums[0]} AS prediction")
        layer, scores = self._layer("v", sums), self.names("v", len(sums))
        if self.node.kind == "bayes":
            return self._from_scores(*self._with_priors(layer, scores), probabilities)
        link = self.node.fields["link"]
        if link not in (DECIDE, CALIBRATED):
            return self._from_scores(layer, scores, probabilities)
        layer, scores, decided = self._machines(layer, scores)
        if link == CALIBRATED and (probabilities or self.source.cost is not None):
            return self._from_chances(self._layer("e", self._calibrated(scores), layer), probabilities)
        return self.outer(layer, self.decision(self.source.labels, decided))

    def _from_scores(self, layer: str, scores: list[str], probabilities: bool) -> str:
        """The last SELECTs over logarithms of what is in proportion to the probabilities."""
        if len(scores) == 1:  # two classes: the first has the score 0
            scores = ["0.0", *scores]
        if not probabilities and self.source.cost is None:
            return self.outer(layer, self.decision(self.source.labels, scores))
        larger = [
            f"WHEN {' AND '.join(f'{score} >= {other}' for other in scores[k + 1 :])} THEN {score}"
            for k, score in enumerate(scores[:-1])
        ]
        largest = f"CASE {' '.join(larger)} ELSE {scores[-1]} END" if larger else scores[0]
        layer, top = self._layer("t", [largest], layer), self.names("t", 1)[0]
        chances = [f"CASE WHEN {score} - {top} < {_NOTHING} THEN 0.0 ELSE EXP({score} - {top}) END" for score in scores]
        return self._from_chances(self._layer("e", chances, layer), probabilities)

    # -- layers ------------------------------------------------------------------------------------------------------
    def _layer(self, letter: str, expressions: list[str], layers: str = "") -> str:
        """A SELECT, in brackets, that adds numbered columns."""
        return self.layer(letter, dict(zip(self.names(letter, len(expressions)), expressions)), layers)

    def _from_chances(self, rows: str, probabilities: bool) -> str:
        """The last SELECT over numbers that are in proportion to the probabilities."""
        names = self.names("e", self.node.outputs)
        total = " + ".join(names)
        if self.source.calibration is not None:
            raise self.source.refusal("sql", "its probabilities are sums that are calibrated")
        if probabilities:
            shares = [
                f"{name} / ({total}) AS {sql_name(f'p({label})')}" for name, label in zip(names, self.source.labels)
            ]
            return self.outer(rows, ",\n".join(shares))
        cost = self.source.cost
        assert cost is not None
        expected = [
            sql_sum([f"{sql_number(float(-value))} * {name}" for value, name in zip(column, names) if value])
            for column in cost.matrix.T
        ]
        rows = self._layer("g", expected, rows)
        return self.outer(rows, self.decision(self.source.labels, self.names("g", len(expected))))

    # -- trees -------------------------------------------------------------------------------------------------------
    def _of_trees(self, probabilities: bool) -> str:
        """Sums over the trees: of probabilities, of scores, or of numbers."""
        node = self.node
        boosted = node.kind == "boosted"
        start = node.fields["baseline"].tolist() if boosted else [0.0] * node.outputs
        rows, sums = self._sums_of_trees(node, len(start))
        sums = [f"{sql_number(first)} + {total}" if first else total for first, total in zip(start, sums)]
        if not self.source.labels:
            if rows:  # the outer SELECT may have the columns of the table twice
                rows, sums = self._layer("v", sums, rows), self.names("v", 1)
            power = boosted and node.fields["link"] == EXPONENTIAL_OF_SCORE
            return self.outer(rows, f"{f'EXP({sums[0]})' if power else sums[0]} AS prediction")
        if boosted:
            return self._from_scores(self._layer("v", sums, rows), self.names("v", len(sums)), probabilities)
        layer = self._layer("e", sums, rows)
        if probabilities or self.source.cost is not None:
            return self._from_chances(layer, probabilities)
        return self.outer(layer, self.decision(self.source.labels, self.names("e", node.outputs)))

    def _sums_of_trees(self, node: ExportNode, outputs: int) -> tuple[str, list[str]]:
        """Return a SELECT of the codes of long lists of categories, if there are any, and the sums over the trees."""
        features = self.features
        coded = [j for j, feature in enumerate(features) if len(feature.categories) > MOST_LISTED]
        names = dict(zip(coded, self.names("k", len(coded))))

        def compared(column: int) -> Compared:
            feature = features[column]
            if column in names:
                return Compared(names[column], sql_value, [str(code) for code in range(len(feature.categories))])
            known = [sql_value(value) for value in feature.categories]
            return Compared(sql_name(feature.name), self.literal_of(feature), known)

        sums = scores_of_trees(node, outputs, len(features), compared, self.written.add)
        return self._layer("k", [self.rank(features[j]) for j in coded]) if coded else "", sums

    def _lines(self) -> str:
        """A tree says the number of the sum that counts, which is then kept within its bounds."""
        fields, leaf, value = self.node.fields, self.names("v", 1)[0], self.names("w", 1)[0]
        rows, numbers = self._sums_of_trees(self.node.members[0], 1)
        chosen = []
        for k, (first, last) in enumerate(zip(fields["start"][:-1].tolist(), fields["start"][1:].tolist())):
            terms = [self._term_of_line(i) for i in range(first, last)]
            chosen.append(f"WHEN {k} THEN {sql_sum([*terms, sql_number(float(fields['intercept'][k]))])}")
        layer = self._layer("w", [f"CASE {leaf} {' '.join(chosen)} END"], self._layer("v", numbers, rows))
        low, high = (sql_number(float(bound)) for bound in fields["bounds"])
        kept = f"CASE WHEN {value} < {low} THEN {low} WHEN {value} > {high} THEN {high} ELSE {value} END"
        return self.outer(layer, f"{kept} AS prediction")

    def _term_of_line(self, i: int) -> str:
        fields, feature = self.node.fields, self.features[int(self.node.fields["column"][i])]
        coef, category = sql_number(float(fields["coef"][i])), int(fields["category"][i])
        self.written.add(1)
        if category >= 0:
            return (
                f"CASE {sql_name(feature.name)} WHEN {sql_value(feature.categories[category])} THEN {coef} ELSE 0.0 END"
            )
        centre, scale, fill = (sql_number(float(fields[name][i])) for name in ("centre", "scale", "fill"))
        return f"{coef} * ((COALESCE({self._number(feature)}, {fill}) - {centre}) / {scale})"

    # -- linear ------------------------------------------------------------------------------------------------------
    def _linear(self) -> list[str]:
        fields, features = self.node.fields, self.features
        n = fields["n_values"]
        sums = []
        for c in range(n):
            terms = [sql_number(float(fields["intercept"][c]))]
            for i in range(len(fields["centre"])):
                coef = float(fields["number_coef"].reshape(-1, n)[i, c])
                if coef:
                    centre, scale, fill = (float(fields[name][i]) for name in ("centre", "scale", "fill"))
                    value = self._product([features[j] for j in factors(fields, i)])
                    value = value if math.isnan(fill) else f"COALESCE({value}, {sql_number(fill)})"
                    terms.append(f"{sql_number(coef)} * (({value} - {sql_number(centre)}) / {sql_number(scale)})")
            for i, j in enumerate(fields["nominal"].tolist()):
                start, end = fields["nominal_start"][i : i + 2]
                terms.append(self._of_category(features[j], fields["nominal_coef"][start:end].reshape(-1, n)[:, c]))
            sums.append(sql_sum(terms))
        return sums

    def _machines(self, layer: str, values: list[str]) -> tuple[str, list[str], list[str]]:
        """From machines to one score per class (or one of two classes), and the scores that decide."""
        k = self.node.outputs
        if k == 2:
            return layer, values, ["0.0", values[0]]
        if not self.node.fields["pairs"]:
            return layer, values, values
        pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
        votes, sums = [], []
        for c in range(k):
            won = [f"CASE WHEN {v} {'>' if a == c else '<='} 0 THEN 1.0 ELSE 0.0 END"
                   for v, (a, b) in zip(values, pairs) if c in (a, b)]  # fmt: skip
            votes.append(sql_sum(won))
            sums.append(sql_sum([v if a == c else f"(-{v})" for v, (a, b) in zip(values, pairs) if c in (a, b)]))
        layer = self._layer("n", [*votes, *sums], layer)
        names = self.names("n", 2 * k)
        confident = [f"({vote} + {total} / (3 * (ABS({total}) + 1)))" for vote, total in zip(names[:k], names[k:])]
        return layer, confident, confident if self.node.fields["break_ties"] else names[:k]

    def _calibrated(self, scores: list[str]) -> list[str]:
        slopes = self.node.fields["calibration"].reshape(-1, 2).tolist()
        powers = [f"({score} * {sql_number(a)} + {sql_number(b)})" for score, (a, b) in zip(scores, slopes)]
        chances = [f"CASE WHEN {power} < {_NOTHING} THEN 0.0 ELSE 1.0 / (1.0 + EXP(-{power})) END" for power in powers]
        return [f"(1.0 - {chances[0]})", chances[0]] if len(chances) == 1 else chances

    # -- naive Bayes -------------------------------------------------------------------------------------------------
    def _with_priors(self, layer: str, scores: list[str]) -> tuple[str, list[str]]:
        """Where every class is ruled out the evidence says nothing, and the priors count."""
        numbers = self.node.fields["numbers"]
        if np.isfinite(numbers).all() and np.isfinite(self.node.fields["prior"]).all():
            return layer, scores
        out = " AND ".join(f"{score} < {_RULED_OUT / 10}" for score in scores)
        prior = self._log(self.node.fields["prior"])
        chosen = [f"CASE WHEN {out} THEN {sql_number(p)} ELSE {score} END" for p, score in zip(prior, scores)]
        return self._layer("w", chosen, layer), self.names("w", len(scores))

    @staticmethod
    def _log(values: Any) -> list[float]:
        return [_RULED_OUT if value == -math.inf else float(value) for value in values]

    def _bayes(self) -> list[str]:
        fields = self.node.fields
        prior, k = self._log(fields["prior"]), self.node.outputs
        terms: list[list[str]] = [[sql_number(value)] for value in prior]
        for t, j in enumerate(fields["feature"].tolist()):
            numbers = fields["numbers"][fields["start"][t] : fields["start"][t + 1]]
            kind, size, feature = int(fields["term"][t]), int(fields["size"][t]), self.features[j]
            if kind == KERNEL:
                why = f"column {feature.name!r} has a kernel density, which is a sum over its training values"
                raise self.source.refusal("sql", f"{why}; learn with another likelihood")
            for c in range(k):
                terms[c].append(self._term(kind, size, feature, numbers, c))
        return [sql_sum(each) for each in terms]

    def _term(self, kind: int, size: int, feature: Feature, numbers: np.ndarray, c: int) -> str:
        k = self.node.outputs
        if kind == TABLE:
            return self._of_category(feature, numbers.reshape(-1, k)[:, c])
        if kind in (INTERVAL, VALUE):
            points = size - 1 if kind == INTERVAL else size
            return self._of_cell(feature, kind, numbers[:points], numbers[points:].reshape(-1, k)[:, c])
        x = self._number(feature)
        mean, second = float(numbers[c]), float(numbers[k + c])
        if kind == GAUSSIAN:
            squared = f"({x} - {sql_number(mean)}) * ({x} - {sql_number(mean)})"
            density = f"{sql_number(float(numbers[2 * k + c]))} - {squared} * {sql_number(second)}"
            return f"COALESCE({density}, 0.0)"
        # What all classes have in common is left out: it makes no difference between them.
        if kind == POISSON:
            return (f"CASE WHEN {x} >= 0 AND {x} = FLOOR({x}) THEN {x} * {sql_number(math.log(mean))} - "
                    f"{sql_number(mean)} ELSE 0.0 END")  # fmt: skip
        if kind == EXPONENTIAL:
            return f"CASE WHEN {x} >= 0 THEN -{x} / {sql_number(mean)} - {sql_number(math.log(mean))} ELSE 0.0 END"
        assert kind == LOGNORMAL
        distance = f"(LN({x}) - {sql_number(mean)})"
        power = f"{distance} * {distance} / {sql_number(second)} + {sql_number(math.log(second))}"
        return f"CASE WHEN {x} > 0 THEN (-0.5) * ({power}) ELSE 0.0 END"

    def _of_cell(self, feature: Feature, kind: int, points: np.ndarray, table: np.ndarray) -> str:
        """The number of an interval, which starts at its cut point, or of a value."""
        values = self._log(table)
        self.written.add(2 * len(values))
        # The value of a column to compare with: of an ordered category its rank.
        name = self.rank(feature) if feature.categories else sql_name(feature.name)
        written = self.literal_of(feature)
        if kind == VALUE:
            lines = [f"WHEN {name} = {written(p)} THEN {sql_number(v)}" for p, v in zip(points.tolist(), values)]
            return f"CASE {' '.join(lines)} ELSE 0.0 END" if lines else "0.0"
        lines = [f"WHEN {name} < {written(p)} THEN {sql_number(v)}" for p, v in zip(points.tolist(), values)]
        return f"CASE WHEN {name} IS NULL THEN 0.0 {' '.join(lines)} ELSE {sql_number(values[-1])} END"

    # -- values ------------------------------------------------------------------------------------------------------
    def _number(self, feature: Feature) -> str:
        """The value of a column to compute with."""
        if feature.categories:
            return self.rank(feature)
        if not feature.is_date:
            return sql_name(feature.name)
        if self.dialect not in _DAYS:
            why = text(
                "it computes with the date {column!r}, for which there is no portable SQL: set {option} to {dialects}",
                column=feature.name,
                option=Option("dialect"),
                dialects=listed(_DAYS, last="or"),
            )
            raise self.source.refusal("sql", why)
        return _DAYS[self.dialect].format(sql_name(feature.name))

    def _product(self, features: list[Feature]) -> str:
        """The value of a column, or the product of several; whole numbers must not overflow."""
        values = [self._number(feature) for feature in features]
        return values[0] if len(values) == 1 else f"(1.0 * {' * '.join(values)})"

    def _of_category(self, feature: Feature, table: np.ndarray) -> str:
        values = self._log(table)
        self.written.add(len(values))
        lines = [f"WHEN {sql_value(c)} THEN {sql_number(v)}" for c, v in zip(feature.categories, values) if v]
        return f"CASE {sql_name(feature.name)} {' '.join(lines)} ELSE 0.0 END" if lines else "0.0"
