"""Ensembles: a forest by its importances and one of its trees, other ensembles by their members."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from vaglio.fitted import Fitted
from vaglio.report.format import figure
from vaglio.report.inside._chapter import chapters
from vaglio.report.inside.trees import tree_drawing
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import clip, plural


@chapters.register("forest")
def forest_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    forest: Any = fitted.model
    names = [clip(feature.name, 48) for feature in fitted.codebook.features]
    order = np.argsort(-forest.importances, kind="stable")
    order = order[forest.importances[order] > 0]
    shown = order[: limits.weights]
    importances = {
        "type": "bars",
        "title": "Impurity importance of the columns",
        "note": "Share of each column in the decrease of impurity over the splits of all trees. This measure is too "
        "high for columns with many values."
        + (f" {plural(len(order) - len(shown), 'further column')} not shown." if len(order) > len(shown) else ""),
        "rows": [{"label": names[i], "value": float(forest.importances[i])} for i in shown],
        "form": "percent",
    }
    # Half of a page: the tree is one example of many.
    smaller = Limits(tree_nodes=min(limits.tree_nodes, 31))
    part, _ = tree_drawing(forest.tree(0, fitted.codebook.features), fitted, smaller)
    part["title"] = "One of its trees"
    part["note"] = (
        f"The first of {plural(forest.n_trees, 'tree')}, as an example. Each tree was trained on other rows; "
        f"the forest averages their predictions. {part['note']}"
    ).strip()
    part["folded"] = True
    return ["There are too many trees to read one by one; the importance of the columns summarises them."], [
        importances,
        part,
    ]


@chapters.register("ensemble")
def ensemble_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    kinds = Counter(member.model.kind for member in model.members)
    what = " and ".join(f"{n} of kind {kind}" for kind, n in kinds.most_common(3))
    said = [f"The ensemble combines {plural(len(model.members), 'model')}: {what}."]
    weights = [member.weight for member in model.members]
    if min(weights) < max(weights):
        said.append(f"The weights of the models range from {figure(min(weights), 3)} to {figure(max(weights), 3)}.")
    return said, []
