"""Boosted trees in other forms: parts for exporters, single rows, a Python function, the first trees as rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.part import EXPONENTIAL_OF_SCORE, IDENTITY, LOGIT, SOFTMAX_OF_SCORES, Part
from vaglio.fitted import Fitted
from vaglio.fitted.formats import sql_statement
from vaglio.fitted.one_row import EXPONENTIAL_LINK, LOGISTIC_LINK, NO_LINK, SOFTMAX_LINK
from vaglio.learners.forest.export import part_of_some_trees
from vaglio.learners.forest.model.tree_shares import TreeShare, rules_of_trees
from vaglio.learners.rules.forms.python import rules_python
from vaglio.messages.sentences import clip, plural
from vaglio.model.base import plain_label
from vaglio.model.condition import condition_text

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.boosting.model import Boosted
    from vaglio.model.costs import CostMatrix


def part_of_boosted(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    """One member per score; a score is where it starts and so many times the mean of its trees."""
    k = model.outputs
    members = tuple(part_of_some_trees(model.forest, range(c, k * model.rounds, k), features, 0) for c in range(k))
    link = {"logit": LOGIT, "softmax": SOFTMAX_OF_SCORES, "identity": IDENTITY, "log": EXPONENTIAL_OF_SCORE}
    fields = {"baseline": model.baseline, "rounds": model.rounds, "link": link[model.link]}
    return Part("boosted", max(n_classes, 1), fields, members)


def compile_boosted(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return boosted trees compiled for single rows."""
    link = {"logit": LOGISTIC_LINK, "softmax": SOFTMAX_LINK, "identity": NO_LINK, "log": EXPONENTIAL_LINK}[model.link]
    values = np.ascontiguousarray(model.forest.leaf_values[:, 0])
    return _core.boosted_scorer(model.forest.packed(features), values, model.baseline, link)


def boosted_formats(fitted: Fitted) -> dict[str, Callable[[], str]]:

    model: Any = fitted.model
    told = (model, fitted.codebook.features, fitted.classes, fitted.deciding_cost)
    return {
        "text": lambda: first_trees_text(model, fitted.codebook.features, fitted.classes),
        "sql": lambda: sql_statement(fitted),
        "python": lambda: boosted_python(*told),
    }


# Trees of each score: later ones correct what these leave over, and nobody reads hundreds.
_TREES = 3
_SCALES = {"identity": "the prediction", "log": "the logarithm of the prediction"}


def first_trees_text(model: Boosted, features: tuple[Feature, ...], classes: np.ndarray | None) -> str:
    """Return where each score starts and the rules of its first trees; a row meets one rule of each tree."""
    lines = [
        f"{plural(model.forest.n_trees, 'tree')}, whose values add up to {_SCALES.get(model.link, 'log-odds')}; the "
        "first of them as rules.",
        "A row meets one rule of each tree; the program forms (sql, python) have all of them.",
    ]
    if model.models > 1:
        lines.append(
            f"The model is the mean of {model.models} models: the trees below are the first of one of them, and "
            f"their values are divided by {model.models} already."
        )
    for k, start in enumerate(model.baseline.tolist()):
        label = "" if classes is None else f" of {clip(str(plain_label(classes[k if model.outputs > 1 else 1])), 40)}"
        lines += ["", f"score{label}: start {start:+.4g}"]
        for i in range(min(_TREES, model.rounds // model.models)):
            lines.append(f"tree {i + 1}{label}")
            # The models take turns, round by round.
            for rule in model.forest.tree(i * model.models * model.outputs + k, features).rules(features, None):
                told = " AND ".join(condition_text(condition) for condition in rule.conditions)
                rows = f"{round(sum(rule.covered), 1):g}"
                lines.append(f"  {f'IF {told} THEN' if told else 'ALWAYS'} {float(rule.label):+.4g}  [{rows} rows]")
    return "\n".join(lines) + "\n"


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
