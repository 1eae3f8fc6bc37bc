"""Which way to a smallest change fits which model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._explanation import Explanation
from vaglio.explanation.counterfactual.boxes import Boxes, enter_boxes
from vaglio.explanation.counterfactual.counterfactual import Change, Counterfactual
from vaglio.explanation.counterfactual.distance import Ruler
from vaglio.explanation.counterfactual.from_neighbors import toward_rows
from vaglio.explanation.counterfactual.oracle import decide
from vaglio.explanation.counterfactual.search import Found, Question, search
from vaglio.explanation.counterfactual.variants import Variants
from vaglio.model.ensembles.ensemble import Ensemble
from vaglio.model.ensembles.forest import Forest
from vaglio.model.neighbors.neighbors import Neighbors
from vaglio.model.rules.condition import RangeCondition
from vaglio.model.rules.ruleset import RuleSet
from vaglio.model.svm.svm import SVMModel
from vaglio.model.trees.tree import LINEAR, THRESHOLD, Tree
from vaglio.model.trees.tree_rules import rules_of_tree

# Changed copies tried in one round: most models answer them in the wink of an eye, some look at every training row.
_PATIENCE = 400_000
_PATIENCE_WITH = {"forest": 100_000, "ensemble": 40_000, "joint-bayes": 100_000}
_MOST_COMPARED = 1_000_000_000
# Of the thresholds of many trees, an even choice.
_MOST_TREES = 50


def find_counterfactuals(
    model: Any, matrix: EncodedMatrix, context: Context, explanations: Sequence[Explanation] = ()
) -> list[Counterfactual | None]:
    """Return for each row the smallest change found that gives it another class; None where none was found.

    Parameters
    ----------
    explanations : sequence of Explanation
        Of the rows: of a very wide table, columns they name are tried first.
    """
    assert context.classes is not None
    # A row of kernel values is no row of a table: none of them can change alone.
    by_kernel = isinstance(model, SVMModel) and model.kernel.name == "precomputed"
    if len(context.classes) < 2 or not matrix.n_rows or by_kernel:
        return [None] * matrix.n_rows
    ruler = Ruler(context, _cuts(model, context))
    question = Question(model, matrix, decide(model, matrix), ruler, _named(explanations, context))
    found = _found(question)
    changed = Variants.of_lists([(row, found[row]) for row in sorted(found)])
    become = dict(zip(changed.row.tolist(), question.ask(changed).tolist()))
    far = dict(zip(changed.row.tolist(), question.distance(changed).tolist()))
    return [
        _told(question, row, found[row], become[row], far[row])
        if row in found and become[row] != question.codes[row]
        else None
        for row in range(matrix.n_rows)
    ]


def _named(explanations: Sequence[Explanation], context: Context) -> tuple[int, ...]:
    """The columns that explanations name, in the order of their first mention."""
    place = {feature.name: j for j, feature in enumerate(context.features)}
    said = (reason.feature for e in explanations for reason in (*e.reasons, *e.against))
    return tuple(dict.fromkeys(place[name] for name in said if name is not None))


def _found(question: Question) -> Found:
    model, context = question.model, question.context
    rows = np.arange(question.matrix.n_rows)
    if isinstance(model, Tree) and not (model.node_kind == LINEAR).any():
        rules = rules_of_tree(model, context.features, context.classes)
        found = enter_boxes(question, Boxes.of_rules(question, _other_sides(rules)), rows)
        return found | search(question, _without(rows, found), _PATIENCE)
    if isinstance(model, RuleSet):
        near = enter_boxes(question, Boxes.of_rules(question, _other_sides(model)), rows)
        return _smaller(question, near, search(question, rows, _PATIENCE))
    if isinstance(model, Neighbors):
        found = toward_rows(question, model, rows)
        # Every copy is held against every training row: with many of both, the rows found must do.
        patience = int(min(_PATIENCE, _MOST_COMPARED / max(1, model.n_rows * question.matrix.n_features)))
        if len(rows) * question.matrix.n_features * 4 > patience:
            return found
        return _smaller(question, found, search(question, rows, patience))
    if isinstance(model, SVMModel):
        return search(question, rows, int(min(_PATIENCE, 2 * _MOST_COMPARED / max(1, model.vectors.size))))
    return search(question, rows, _PATIENCE_WITH.get(model.kind, _PATIENCE))


def _other_sides(rules: RuleSet) -> list[tuple[tuple[Any, ...], int]]:
    return [(rule.conditions, rule.code) for rule in rules]


def _without(rows: np.ndarray, found: Found) -> np.ndarray:
    return np.array([row for row in rows.tolist() if row not in found], dtype=np.int64)


def _smaller(question: Question, first: Found, second: Found) -> Found:
    """Of two changes of a row the one of fewer columns, then the nearer one."""
    both = sorted(first.keys() & second.keys())
    far = [
        question.distance(Variants.of_lists([(row, found[row]) for row in both])) if both else np.empty(0)
        for found in (first, second)
    ]
    chosen = {**first, **second}
    for row, one, other in zip(both, *far):
        if (len(first[row]), one) <= (len(second[row]), other):
            chosen[row] = first[row]
    return chosen


def _cuts(model: Any, context: Context) -> dict[int, Sequence[float]]:
    """Numbers at which a model made of thresholds changes its mind, by feature."""
    cuts: dict[int, list[float]] = {}
    if isinstance(model, RuleSet):
        for condition in (c for rule in model for c in rule.conditions if isinstance(c, RangeCondition)):
            cuts.setdefault(condition.column, []).extend([condition.low, condition.high])
    for tree, columns in _trees(model, context):
        for node in np.flatnonzero(tree.node_kind == THRESHOLD).tolist():
            cuts.setdefault(int(columns[tree.feature[node]]), []).append(float(tree.threshold[node]))
    return {j: [cut for cut in at if np.isfinite(cut)] for j, at in cuts.items()}


def _trees(model: Any, context: Context) -> list[tuple[Tree, np.ndarray]]:
    """The trees of a model, a choice of them if there are many, with the columns each sees."""
    every = np.arange(len(context.features))
    if isinstance(model, Tree):
        return [(model, every)]
    if isinstance(model, Ensemble):
        members = [member for member in model.members if isinstance(member.model, Tree)]
        chosen = members[:: max(1, len(members) // _MOST_TREES)]
        return [(member.model, every if member.features is None else member.features) for member in chosen]
    if isinstance(model, Forest):
        step = max(1, model.n_trees // _MOST_TREES)
        return [(model.tree(i, context.features), every) for i in range(0, model.n_trees, step)]
    return []


def _told(question: Question, row: int, changes: list[tuple[int, float]], code: int, far: float) -> Counterfactual:
    context = question.context
    return Counterfactual(
        tuple(_change(question, row, j, value) for j, value in changes), context.label(code), round(far, 6)
    )


def _change(question: Question, row: int, j: int, value: float) -> Change:
    feature = question.context.features[j]
    now = question.context.value(question.matrix, row, j)
    if feature.kind == "text":
        return Change(feature.name, now, feature.categories[int(value)], is_word=True)
    return Change(feature.name, now, question.context.decoded(j, value))
