"""Boosting by gradient: residuals and Hessians of every round, the tree fitted to them, the leaf values, the sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.model.ensembles.boosted import Boosted
from vaglio.model.trees.tree import Tree
from vaglio.model.trees.tree_outline import test_text
from vaglio.tracing.document import Page
from vaglio.tracing.notation import fixed, percent
from vaglio.tracing.prepare import Training
from vaglio.tracing.tracer import writers

# Rounds with a table of all rows, and lines of such a table.
_ROUNDS_IN_FULL = 3
_MOST_ROWS = 20


@writers.register("gradient-boosting")
def trace_gradient_boosting(page: Page, training: Training) -> None:
    """Write the start, the gradients and leaves of the first rounds, and how the score of a row adds up."""
    say, model = page.say, training.model
    page.section(say("data"))
    page.text(say("boosting_rule"))
    page.formula("p = 1/(1 + exp(−F))" if model.outputs == 1 else "p = exp(F) / Σ exp(F)")
    page.formula(f"g = p − y,  h = p·(1 − p),  {say('leaf')} = −Σ g / (Σ h + λ)")
    start = ", ".join(fixed(value) for value in model.baseline)
    page.text(say("boosting_start", start=start))
    raw, facts = model.raw(training.matrix, 0, 0), list[dict[str, Any]]()
    for number in range(model.rounds):
        if number >= training.most_steps:
            page.text(say("folded_rounds", n=model.rounds - number))
            break
        page.section(say("round", n=number + 1), level=2)
        _round(page, training, number, raw, facts)
        raw = raw + model.raw(training.matrix, number, number + 1) - (model.baseline if number == 0 else 0.0)
    page.facts["rounds"] = facts
    _score(page, training)


def _round(page: Page, training: Training, number: int, raw: np.ndarray, facts: list[dict[str, Any]]) -> None:
    """Write one round: derivatives of the rows before it, and its trees."""
    say, model = page.say, training.model
    p = model.probabilities(raw)
    for k in range(model.outputs):
        column = 1 if model.outputs == 1 else k
        gradient = p[:, column] - (training.y == column)
        hessian = p[:, column] * (1 - p[:, column])
        if model.outputs > 1:
            page.text(say("boosting_tree_of", label=training.classes[k]))
        if number < _ROUNDS_IN_FULL:
            lines = [
                [str(i + 1), training.classes[training.y[i]], *map(fixed, (p[i, column], gradient[i], hessian[i]))]
                for i in range(len(gradient))
            ]
            page.table([say("col_row"), say("class"), "p", "g", "h"], lines, most=_MOST_ROWS)
        index = number * model.outputs + k
        tree = model.forest.tree(index, training.features)
        facts.append(_tree(page, training, tree, gradient * training.weight, hessian * training.weight))


def _tree(page: Page, training: Training, tree: Tree, gradient: np.ndarray, hessian: np.ndarray) -> dict[str, Any]:
    """Write the leaves of a tree with the sums they come from."""
    say = page.say
    leaf = tree.apply(training.matrix)
    if not tree.is_leaf[0]:
        page.text(say("boosting_tests", test=test_text(tree, 0, training.features)))
    found = []
    for node in np.flatnonzero(tree.is_leaf).tolist():
        rows = leaf == node
        sums = (int(rows.sum()), float(gradient[rows].sum()), float(hessian[rows].sum()), float(tree.value[node, 0]))
        found.append([str(node), str(sums[0]), *map(fixed, sums[1:])])
    page.table([say("leaf"), say("col_rows_in"), "Σ g", "Σ h", say("col_leaf_value")], found, most=_MOST_ROWS)
    return {"leaves": len(found), "gradient": float(np.abs(gradient).sum())}


def _score(page: Page, training: Training) -> None:
    """Write how the score of the row adds up, and the probability it gives."""
    if training.row is None:
        return
    say, model, row = page.say, training.model, training.row
    page.section(say("boosting_sum"))
    columns = [say("col_round"), *(["F", "p"] if model.outputs == 1 else [f"F({label})" for label in training.classes])]
    lines = [["0", *_shown(model, model.raw(row, 0, 0))]]
    for number, raw in enumerate(model.staged_raw(row), start=1):
        if number > training.most_steps and number < model.rounds:
            continue
        lines.append([str(number), *_shown(model, raw)])
    page.table(columns, lines)
    _decide(page, training, model, row)


def _shown(model: Boosted, raw: np.ndarray) -> list[str]:
    values = [fixed(value) for value in raw[0]]
    return [*values, fixed(float(model.probabilities(raw)[0, 1]))] if model.outputs == 1 else values


def _decide(page: Page, training: Training, model: Boosted, row: EncodedMatrix) -> None:
    p = model.predict_proba(row)[0]
    best = int(np.argmax(p))
    page.text(page.say("decision_is", label=training.classes[best], share=percent(float(p[best]))))
    page.facts |= {"probabilities": dict(zip(training.classes, p.tolist())), "decision": training.classes[best]}
