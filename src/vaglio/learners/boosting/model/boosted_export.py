"""Boosted trees as a Python function: scores that add up, then the class or the number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.learners.forest.model.tree_shares import TreeShare, rules_of_trees
from vaglio.learners.rules.forms.python import rules_python
from vaglio.model.base import plain_label

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.boosting.model.boosted import Boosted
    from vaglio.model.costs import CostMatrix

__all__ = ["boosted_python"]


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
