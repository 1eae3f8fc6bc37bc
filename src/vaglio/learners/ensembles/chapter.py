"""Ensembles: a forest by its importances and one of its trees, other ensembles by their members."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.evaluation.displays import ForestDistanceDisplay
from vaglio.fitted import Fitted
from vaglio.learners.boosting.chapter import first_trees, staged_curves
from vaglio.learners.trees.chapter import tree_drawing
from vaglio.messages.sentences import clip, plural
from vaglio.model.kinds import KINDS
from vaglio.plot.style import PALETTE
from vaglio.report.evaluated_rows import evaluated_rows
from vaglio.report.format import figure
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import chapters
from vaglio.study import Study

# Rows on a map: fewer show nothing, more cover each other. 400 points of both maps have 50 kB.
_FEWEST_MAPPED, _MOST_MAPPED = 10, 400


@chapters.register("forest")
def forest_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    forest: Any = fitted.model
    importances = _importances(
        fitted,
        limits,
        "Impurity importance of the columns",
        "Share of each column in the decrease of impurity over the splits of all trees. This measure is too high for "
        "columns with many values.",
    )
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
        *_maps(fitted, study),
        part,
    ]


def _importances(fitted: Fitted, limits: Limits, title: str, note: str) -> dict[str, Any]:
    """The importances of the columns as bars, the largest first."""
    found: np.ndarray = fitted.model.importances  # type: ignore[attr-defined]
    names = [clip(feature.name, 48) for feature in fitted.codebook.features]
    order = np.argsort(-found, kind="stable")
    order = order[found[order] > 0]
    shown = order[: limits.weights]
    more = f" {plural(len(order) - len(shown), 'further column')} not shown." if len(order) > len(shown) else ""
    return {
        "type": "bars",
        "title": title,
        "note": note + more,
        "rows": [{"label": names[i], "value": float(found[i])} for i in shown],
        "form": "percent",
    }


@chapters.register("boosted")
def boosted_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    each = "one tree each" if model.outputs == 1 else f"{model.outputs} trees each, one per class"
    who = "The model adds" if model.models == 1 else f"The model is the mean of {model.models} models. Each adds"
    said = [
        f"{who} up {plural(model.rounds // model.models, 'round')} with {each}. Every tree corrects what the trees "
        "before it leave over; the importance of the columns summarises them."
    ]
    note = "Share of each column in the gain of all splits, that is in the decrease of the loss."
    importances = _importances(fitted, limits, "Gain of the columns", note)
    return said, [importances, *staged_curves(study), *first_trees(fitted, limits)]


def _maps(fitted: Fitted, study: Study) -> list[dict[str, Any]]:
    """The evaluated rows by the forest's distance and by the Euclidean one, as places on two maps."""
    rows = evaluated_rows(study)
    if fitted.classes is None or len(rows.y) < _FEWEST_MAPPED or len(fitted.classes) > len(PALETTE):
        return []
    display = ForestDistanceDisplay.from_estimator(fitted, rows.X, rows.y, max_rows=_MOST_MAPPED, seed=study.seed)
    named = zip(("Distance of the forest", "Euclidean distance"), (display.forest, display.euclidean))
    maps = [
        {"title": title, "points": points.round(4).tolist(), "caption": caption.split("\n")}
        for (title, points), caption in zip(named, display.captions())
    ]
    return [
        {
            "type": "maps",
            "title": "The rows by the distance of the forest and by the Euclidean distance",
            "note": "Two rows are close in the forest if many trees send them to the same leaf: columns that "
            f"the trees do not test do not count. {display.note}",
            "maps": maps,
            "codes": display.codes.tolist(),
            "labels": [clip(str(label), 40) for label in display.labels],
        }
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
    return said, _maps(fitted, study) if set(kinds) == {"tree"} else []


@chapters.register("voting")
def voting_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    """The members side by side, then the chapter of each of them."""
    model: Any = fitted.model
    how = "the class that most of them predict wins" if model.vote == "hard" else "their probabilities are averaged"
    said = [f"{plural(len(model.members), 'learner')} vote, trained on the same rows; {how}."]
    parts = [_members_table(fitted, study)]
    for name, member in zip(model.names, model.members):
        write = chapters.find(member.model.kind) if member.model.kind in KINDS else None
        if write is None or fitted.classes is None:
            continue
        own = replace(fitted, model=member.model, classes=fitted.classes[member.classes])
        _, found = write(own, study, Limits(tree_nodes=min(limits.tree_nodes, 31), rules=20, weights=10))
        parts += [{**part, "title": f"{clip(name, 40)}: {part['title']}", "folded": True} for part in found[:2]]
    return said, parts


def _members_table(fitted: Fitted, study: Study) -> dict[str, Any]:
    """Name, kind and weight of each member, how often it is right, and how often it agrees with the vote."""
    model: Any = fitted.model
    rows = evaluated_rows(study)
    matrix = fitted.codebook.encode(rows.X)
    together = fitted.predict_encoded(matrix)
    body = []
    for name, member, share in zip(model.names, model.members, model.shares):
        predicted = fitted.classes[member.decide(matrix)]  # type: ignore[index]
        right, agrees = float(np.mean(predicted == rows.y)), float(np.mean(predicted == together))
        body.append([clip(name, 40), member.model.kind, f"{share:.0%}", f"{right:.1%}", f"{agrees:.1%}"])
    right = float(np.mean(together == rows.y))
    body.append(["all together", "voting", "100%", f"{right:.1%}", "100.0%"])
    return {
        "type": "table",
        "title": "Members of the vote",
        "head": ["member", "kind of model", "weight", "right", "agrees with the vote"],
        "rows": body,
        "note": f"On the {plural(len(rows.y), 'row')} of the evaluation, by the final model. Members that are wrong on "
        "different rows correct each other.",
    }
