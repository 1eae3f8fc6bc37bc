"""Boosted trees as a SELECT or as a Python function: scores that add up, then the class or the number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.model.base import plain_label
from vaglio.model.ensembles.tree_shares import TreeShare, rules_of_trees
from vaglio.model.rules.export.python import rules_python
from vaglio.model.rules.export.sql import scores_sql, sql_name, sql_value

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.model.costs import CostMatrix
    from vaglio.model.ensembles.boosted import Boosted
    from vaglio.model.rules.ruleset import RuleSet

__all__ = ["boosted_python", "boosted_sql"]


def _rules(model: Boosted, features: tuple[Feature, ...]) -> tuple[RuleSet, list[int]]:
    """Return the leaves of all trees as rules that give numbers, and the output that each adds to."""
    trees = [model.forest.tree(i, features) for i in range(model.forest.n_trees)]
    outputs = [i % model.outputs for i, tree in enumerate(trees) for _ in range(tree.n_leaves)]
    return rules_of_trees([TreeShare(tree, 1.0, np.arange(0)) for tree in trees], features, None), outputs


def boosted_sql(
    model: Boosted,
    features: tuple[Feature, ...],
    classes: np.ndarray | None,
    cost: CostMatrix | None,
    table: str = "data",
    probabilities: bool = False,
) -> str:
    """Return a SELECT that predicts the rows of a table."""
    rules, outputs = _rules(model, features)

    def told(names: list[str]) -> str:
        if probabilities and classes is not None:
            return _chances(names, model, classes)
        return f"{_decision(names, model, classes, cost)} AS prediction"

    return scores_sql(rules, table, outputs, model.baseline.tolist(), told)


def _chances(names: list[str], model: Boosted, classes: np.ndarray) -> str:
    """The probability of each class; scores are compared before powers are taken, so that none overflows."""
    scores = ["0.0", names[0]] if model.link == "logit" else names
    return ",\n".join(
        f"1.0 / ({' + '.join(f'EXP({_bounded(other, score)})' for other in scores)}) AS {sql_name(f'p({label})')}"
        for score, label in zip(scores, map(plain_label, classes))
    )


def _bounded(other: str, score: str) -> str:
    """The difference of two scores; beyond 700 its power is no number, and the probability is 0 anyway."""
    return f"CASE WHEN {other} - {score} > 700.0 THEN 700.0 ELSE {other} - {score} END"


def _decision(names: list[str], model: Boosted, classes: np.ndarray | None, cost: CostMatrix | None) -> str:
    if classes is None:
        return f"EXP({names[0]})" if model.link == "log" else names[0]
    labels = [sql_value(plain_label(label)) for label in classes]
    scores, order = ["0.0", names[0]] if model.link == "logit" else names, ">="
    if cost is not None:
        # Costs weigh probabilities; their common divisor changes no comparison.
        chances = [f"EXP({score})" for score in scores]
        scores, order = (
            [
                "(" + " + ".join(f"{sql_value(float(c))} * {p}" for c, p in zip(column, chances)) + ")"
                for column in cost.matrix.T
            ],
            "<=",
        )
    lines = []
    for k, label in enumerate(labels[:-1]):
        better = " AND ".join(f"{scores[k]} {order} {other}" for other in scores[k + 1 :])
        lines.append(f"  WHEN {better} THEN {label}")
    return "\n".join(["CASE", *lines, f"  ELSE {labels[-1]}", "END"]) if lines else labels[-1]


def boosted_python(
    model: Boosted, features: tuple[Feature, ...], classes: np.ndarray | None, cost: CostMatrix | None
) -> str:
    """Return the source of a function ``classify`` that needs nothing but itself."""
    parts = []
    for k in range(model.outputs):
        trees = [model.forest.tree(i, features) for i in range(k, model.forest.n_trees, model.outputs)]
        rules = rules_of_trees([TreeShare(tree, 1.0, np.arange(0)) for tree in trees], features, None)
        parts.append(rules_python(rules, f"mean_{k}"))
    terms = ", ".join(f"{start!r} + {model.rounds} * mean_{k}(row)" for k, start in enumerate(model.baseline.tolist()))
    return "\n\n".join([*parts, "\n".join(_classify(model, terms, classes, cost)) + "\n"])


def _classify(model: Boosted, terms: str, classes: np.ndarray | None, cost: CostMatrix | None) -> list[str]:
    if classes is None:
        value = "exp(scores[0])" if model.link == "log" else "scores[0]"
        given = '"""Give the number of a row, a mapping from column to value (None or NaN is missing)."""'
        return [
            "def classify(row):",
            f"    {given}",
            "    from math import exp",
            "",
            f"    scores = [{terms}]",
            f"    return {value}",
        ]
    labels = [plain_label(label) for label in classes]
    lines = [
        "def classify(row, probabilities=False):",
        '    """Give the class of a row, a mapping from column to value (None or NaN is missing), '
        'or its class probabilities."""',
        "    from math import exp",
        "",
        f"    classes = {labels!r}",
        f"    scores = [{'0.0, ' if model.link == 'logit' else ''}{terms}]",
        "    powers = [exp(score - max(scores)) for score in scores]",
        "    chances = [power / sum(powers) for power in powers]",
        "    if probabilities:",
        "        return dict(zip(classes, chances))",
    ]
    if cost is None:
        return [*lines, "    return classes[scores.index(max(scores))]"]
    return [
        *lines,
        f"    costs = {cost.matrix.T.tolist()!r}  # by predicted class, then by true class",
        "    expected = [sum(chance * cost for chance, cost in zip(chances, column)) for column in costs]",
        "    return classes[expected.index(min(expected))]",
    ]
