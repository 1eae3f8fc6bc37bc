"""Boosted trees in other forms: parts for exporters, single rows, a Python function, the first trees as rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.export_node import EXPONENTIAL_OF_SCORE, IDENTITY, LOGIT, SOFTMAX_OF_SCORES, Exporter, ExportNode
from vaglio.fitted import Fitted
from vaglio.fitted.one_row import EXPONENTIAL_LINK, LOGISTIC_LINK, NO_LINK, SOFTMAX_LINK
from vaglio.learners.boosting.model import Boosted
from vaglio.learners.forest.export import node_of_some_trees
from vaglio.messages.message import Number, join, text
from vaglio.messages.sentences import clip
from vaglio.model.base import plain_label
from vaglio.model.calibration import Calibration
from vaglio.model.condition import condition_text, rule_message
from vaglio.model.costs import CostMatrix

# Trees of each score: later ones correct what these leave over, and nobody reads hundreds.
_TREES = 3
_SCALES = {"identity": text("the prediction"), "log": text("the logarithm of the prediction")}
_LINKS = {"logit": LOGIT, "softmax": SOFTMAX_OF_SCORES, "identity": IDENTITY, "log": EXPONENTIAL_OF_SCORE}


def node_of_boosted(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    """One member per score; a score is where it starts and so many times the mean of its trees."""
    k = model.outputs
    members = tuple(node_of_some_trees(model.forest, range(c, k * model.rounds, k), features, 0) for c in range(k))
    fields = {"baseline": model.baseline, "rounds": model.rounds, "link": _LINKS[model.link]}
    return ExportNode("boosted", max(n_classes, 1), fields, members)


def compile_boosted(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return boosted trees compiled for single rows."""
    link = {"logit": LOGISTIC_LINK, "softmax": SOFTMAX_LINK, "identity": NO_LINK, "log": EXPONENTIAL_LINK}[model.link]
    values = np.ascontiguousarray(model.forest.leaf_values[:, 0])
    return _core.boosted_scorer(model.forest.packed(features), values, model.baseline, link)


def boosted_python(
    model: Boosted,
    features: tuple[Feature, ...],
    classes: np.ndarray | None,
    cost: CostMatrix | None,
    calibration: Calibration | None,
) -> str:
    """Return the source of a function ``classify`` that needs nothing but itself."""
    from vaglio.export.python import scores_python
    from vaglio.learners.forest.model.tree_shares import TreeShare, rules_of_trees
    from vaglio.learners.rules.forms.rule_list import rule_list

    means = []
    for k in range(model.outputs):
        trees = [model.forest.tree(i, features) for i in range(k, model.forest.n_trees, model.outputs)]
        means.append(rule_list(rules_of_trees([TreeShare(tree, 1.0, np.arange(0)) for tree in trees], features, None)))
    labels = None if classes is None else [plain_label(label) for label in classes]
    return scores_python(means, model.baseline.tolist(), model.rounds, _LINKS[model.link], labels, cost, calibration)


def boosted_formats(fitted: Fitted) -> dict[str, Callable[[], str]]:
    model: Any = fitted.model
    told = (model, fitted.codebook.features, fitted.classes, fitted.decision_cost, fitted.calibration)
    return {
        "text": lambda: first_trees_text(model, fitted.codebook.features, fitted.classes),
        **({} if fitted.calibration is not None and fitted.decision_cost is not None else {"sql": fitted.to_sql}),
        "python": lambda: boosted_python(*told),
    }


EXPORTERS = {"boosted": Exporter("boosted", node_of_boosted)}


def first_trees_text(model: Boosted, features: tuple[Feature, ...], classes: np.ndarray | None) -> str:
    """Return where each score starts and the rules of its first trees; a row meets one rule of each tree."""
    lines: list[str] = [
        text(
            "{n:,} {n:tree|trees}, whose values add up to {scale}; the first of them as rules.",
            n=model.forest.n_trees,
            scale=_SCALES.get(model.link, text("the log-odds")),
        ),
        text("A row meets one rule of each tree; the exports sql and python contain all trees."),
    ]
    if model.models > 1:
        lines.append(
            text(
                "The model is the mean of {n:,} models. The trees below are the first of one of them, and their values "
                "are already divided by {n:,}.",
                n=model.models,
            )
        )
    for k, start in enumerate(model.baseline.tolist()):
        label = "" if classes is None else clip(str(plain_label(classes[k if model.outputs > 1 else 1])), 40)
        lines += [
            "",
            text("score of {label}: start {start:+.4g}", label=label, start=start)
            if label
            else text("score: start {start:+.4g}", start=start),
        ]
        for i in range(min(_TREES, model.rounds // model.models)):
            lines.append(
                text("tree {number} of {label}", number=i + 1, label=label) if label else text("tree {n}", n=i + 1)
            )
            # The models take turns, round by round.
            for rule in model.forest.tree(i * model.models * model.outputs + k, features).rules(features, None):
                told = rule_message(map(condition_text, rule.conditions), Number(f"{float(rule.label):+.4g}"))
                lines.append(text("  {rule}  [{rows:g} rows]", rule=told, rows=round(sum(rule.covered), 1)))
    return join("\n", [*lines, ""])
