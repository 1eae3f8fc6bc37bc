"""A forest by its importances and one of its trees; other ensembles by their members and weights."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from vaglio.fitted import Fitted
from vaglio.report.format import figure
from vaglio.report.inside._chapter import chapters
from vaglio.report.inside.trees import drawing
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
        "title": "Importance of the columns",
        "note": "Share of each column in the impurity that the splits of all trees removed. Columns with many values "
        "tend to look more important than they are."
        + (f" {plural(len(order) - len(shown), 'further column')} not shown." if len(order) > len(shown) else ""),
        "rows": [{"label": names[i], "value": float(forest.importances[i])} for i in shown],
        "form": "percent",
    }
    smaller = Limits(tree_nodes=min(limits.tree_nodes, 31))
    part, _ = drawing(forest.tree(0, fitted.codebook.features), fitted, smaller)
    part["title"] = "One of its trees"
    part["note"] = (
        f"The first of {plural(forest.n_trees, 'tree')}, as an example: each saw other rows and other columns, and "
        f"they decide together. {part['note']}"
    ).strip()
    part["folded"] = True
    return ["The trees are too many to be read one by one; what they rest on can be counted."], [importances, part]


@chapters.register("ensemble")
def ensemble_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    kinds = Counter(member.model.kind for member in model.members)
    what = " and ".join(f"{n} of the kind {kind}" for kind, n in kinds.most_common(3))
    said = [f"{plural(len(model.members), 'model')} vote: {what}."]
    weights = [member.weight for member in model.members]
    if min(weights) < max(weights):
        said.append(f"Their votes weigh from {figure(min(weights), 3)} to {figure(max(weights), 3)}.")
    return said, []
