"""Why many trees decided so: how they voted, and how much each column moved the answer along their paths."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._dispatch import Context
from vaglio.explanation._explanation import Explanation, Reason
from vaglio.model.ensemble import Ensemble
from vaglio.model.forest import Forest
from vaglio.model.tree import Tree

_SHOWN = 8

# A tree, the rows as it sees them, the columns it sees, what its nodes say for every class (or number), its weight.
Part = tuple[Tree, EncodedMatrix, np.ndarray, np.ndarray, float]


def explain_forest(model: Forest, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by the votes of the trees and the share of each column in them."""
    everything = np.arange(matrix.n_features)
    trees = (model.tree(i, context.features) for i in range(model.n_trees))
    parts = ((tree, matrix, everything, _says(tree, None), 1.0 / model.n_trees) for tree in trees)
    answers = model.predict(matrix)[:, None] if model.regression else model.predict_proba(matrix)
    return _explained(answers, parts, matrix, context, f"{model.n_trees} trees")


def explain_ensemble(model: Ensemble, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row likewise, as far as the members are trees; else by the votes alone."""
    answers = model.predict_proba(matrix) if model.n_classes else model.predict(matrix)[:, None]
    total = sum(member.weight for member in model.members)
    parts: Iterator[Part] = iter(())
    if all(isinstance(member.model, Tree) for member in model.members):
        everything = np.arange(matrix.n_features)
        parts = (
            (
                member.model,
                member.rows(matrix),
                everything if member.features is None else member.features,
                _full(_says(member.model, model.vote), member.classes, model.n_classes),
                member.weight / total,
            )
            for member in model.members
        )
    return _explained(answers, parts, matrix, context, f"{len(model.members)} members")


def _says(tree: Tree, vote: str | None) -> np.ndarray:
    """What each node would answer: the mean, the class probabilities, or one vote."""
    if tree.regression:
        return tree.value
    if vote == "hard":
        return np.eye(tree.value.shape[1])[np.argmax(tree.distribution, axis=1)]
    return tree.distribution


def _full(says: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    if n_classes in (0, len(classes)):
        return says
    full = np.zeros((len(says), n_classes))
    full[:, classes] = says
    return full


def _explained(
    answers: np.ndarray, parts: Iterator[Part], matrix: EncodedMatrix, context: Context, who: str
) -> list[Explanation]:
    best = np.argmax(answers, axis=1)
    moved, agree = contributions(parts, matrix, best)
    return [_explain(i, answers[i], int(best[i]), moved[i], agree[i], matrix, context, who) for i in range(len(best))]


def contributions(parts: Iterator[Part], matrix: EncodedMatrix, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How much each column moved the answer for class ``best`` of each row, and the weight that decided for it.

    Every step down a tree changes what the node says; the change is credited to the column the step tested.
    """
    moved = np.zeros((matrix.n_rows, matrix.n_features))
    agree = np.zeros(matrix.n_rows)
    rows = np.arange(matrix.n_rows)
    for tree, seen, columns, says, weight in parts:
        node = tree.apply(seen).astype(np.int64)
        agree += weight * (np.argmax(says[node], axis=1) == best)
        above = tree.parent[node]
        while (above >= 0).any():
            inner = above >= 0
            i, child, parent = rows[inner], node[inner], above[inner]
            change = says[child, best[inner]] - says[parent, best[inner]]
            np.add.at(moved, (i, columns[tree.feature[parent]]), weight * change)
            node = np.where(inner, above, node)
            above = np.where(inner, tree.parent[node], -1)
    return moved, agree


def _explain(
    row: int,
    answer: np.ndarray,
    best: int,
    moved: np.ndarray,
    agree: float,
    matrix: EncodedMatrix,
    context: Context,
    who: str,
) -> Explanation:
    order = np.argsort(-np.abs(moved), kind="stable")
    reasons = [_reason(j, moved[j], row, matrix, context) for j in order if moved[j] > 0]
    against = [_reason(j, moved[j], row, matrix, context) for j in order if moved[j] < 0]
    if context.classes is None:
        note = f"the mean of {who}; the columns raised (or lowered) it by the amounts shown"
        return Explanation(float(answer[0]), reasons=tuple(reasons), against=tuple(against), notes=(note,))
    ranked = np.argsort(-answer, kind="stable")
    second = int(ranked[1]) if len(ranked) > 1 and answer[ranked[1]] > 0 else None
    note = f"of {who}, {agree:.0%} of the weight decided for {context.label(best)}"
    if not moved.any():
        note = f"the decision of {who} together"
    return Explanation(
        decision=context.label(best),
        probability=float(answer[best]),
        runner_up=None if second is None else context.label(second),
        reasons=tuple(reasons[:_SHOWN]),
        against=tuple(against[:_SHOWN]),
        notes=(note,),
    )


def _reason(feature: int, weight: float, row: int, matrix: EncodedMatrix, context: Context) -> Reason:
    name, value = context.features[feature].name, context.value(matrix, row, feature)
    shown = "missing" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return Reason(f"{name} = {shown}", name, value, float(weight))
