"""Why a tree decided so: the path of the row, as the one rule it amounts to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.contributions import IN_PREDICTION, by_feature, start_of, sums_of_columns
from vaglio.explanation.counterfactual import Found, Question, search
from vaglio.explanation.explanation import Explanation, Reason, reasons_of
from vaglio.learners.rules.explain import Boxes, enter_boxes
from vaglio.learners.trees.model.model_tree import ModelTree
from vaglio.learners.trees.model.rules import branch_condition, leaf_rules
from vaglio.learners.trees.model.tree import LINEAR, THRESHOLD, Tree
from vaglio.messages.figures import figure
from vaglio.messages.message import Message, Number, join
from vaglio.messages.sentences import listed
from vaglio.model.condition import Condition, LinearCondition, condition_text, merge_conditions


def explain_tree(model: Tree, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by the conditions on its way to its (heaviest) leaf."""
    leaves = model.apply(matrix)
    if model.regression:
        answers = model.predict(matrix)
        return [_explain_number(model, matrix, row, leaf, answers[row], context) for row, leaf in enumerate(leaves)]
    proba = model.predict_proba(matrix)
    return [_explain_class(model, matrix, row, leaf, proba[row], context) for row, leaf in enumerate(leaves)]


def _explain_class(
    tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, proba: np.ndarray, context: Context
) -> Explanation:
    best, *others = context.ranked(proba)
    second = _runner_up(tree, leaf, proba, best) if context.cost is None else next(iter(others), None)
    covered, correct = float(tree.weight[leaf]), float(tree.value[leaf, best])
    notes = _missing_notes(tree, matrix, row, leaf, context)
    if covered > 0:
        held = Message(
            "rows-in-leaf",
            "the leaf holds {n} training rows, {correct} of them {label}",
            n=_count(covered),
            correct=_count(correct),
            label=str(context.label(best)),
        )
    else:
        held = Message("empty-leaf", "no training row had this combination: the prediction is that of the node above")
    notes = [held, *_shrinkage_note(tree), *notes]
    return Explanation(
        decision=context.label(best),
        probability=float(proba[best]),
        runner_up=None if second is None else context.label(second),
        reasons=tuple(reasons_of(conditions_to(tree, leaf, context), matrix, row, context)),
        notes=tuple(notes),
    )


def _runner_up(tree: Tree, leaf: int, proba: np.ndarray, best: int) -> int | None:
    """The second class of the row; in a pure leaf, that of the nearest node above that holds another."""
    node = -1
    shares = proba
    while True:
        others = np.where(np.arange(len(shares)) == best, 0.0, shares)
        if others.any():
            return int(np.argmax(others))
        node = leaf if node < 0 else int(tree.parent[node])
        if node < 0:
            return None
        shares = tree.value[node]


def _explain_number(
    tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, answer: float, context: Context
) -> Explanation:
    notes = [_held(tree, leaf), *_shrinkage_note(tree), *_missing_notes(tree, matrix, row, leaf, context)]
    conditions = conditions_to(tree, leaf, context)
    reasons = reasons_of(conditions, matrix, row, context)
    # Where a missing value shares a row out, the heaviest path alone does not lead to the prediction.
    if tree.says[leaf, 0] != answer:
        return Explanation(decision=float(answer), reasons=tuple(reasons), notes=tuple(notes))
    moved = dict.fromkeys(map(_subject, conditions), 0.0)
    for node, branch in path_to(tree, leaf):
        step = tree.says[int(tree.first_child[node]) + branch, 0] - tree.says[node, 0]
        # A test that every value passes, as a file may say, is no condition.
        subject = _subject(branch_condition(tree, node, branch, context.features))
        moved[subject] = moved.get(subject, 0.0) + float(step)
    # A column of two conditions, such as a range and that it is known, moves the number once.
    weighed = [
        replace(reason, weight=moved.pop(_subject(condition), 0.0)) for reason, condition in zip(reasons, conditions)
    ]
    start = (
        Message("start-at-mean", "start: the mean of the training rows")
        if tree.means
        else Message("start-at-median", "start: the median of the training rows")
    )
    found = sorted([*weighed, Reason(start, weight=float(tree.says[0, 0]))], key=lambda r: -abs(r.weight or 0.0))
    return Explanation(
        decision=float(answer),
        reasons=tuple(reason for reason in found if (reason.weight or 0.0) >= 0),
        against=tuple(reason for reason in found if (reason.weight or 0.0) < 0),
        notes=tuple(notes),
        measure=IN_PREDICTION,
        total=float(answer),
    )


def explain_model_tree(model: ModelTree, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by what its columns add in the linear model of its leaf; a note says how it got there."""
    leaves, answers = model.tree.apply(matrix), model.predict(matrix)
    rows = np.asarray(model.encoder.transform(matrix))
    return [
        _explain_leaf_model(model, matrix, row, int(leaf), (rows[row], float(answers[row])), context)
        for row, leaf in enumerate(leaves)
    ]


def _explain_leaf_model(
    model: ModelTree, matrix: EncodedMatrix, row: int, leaf: int, known: tuple[np.ndarray, float], context: Context
) -> Explanation:
    encoded, answer = known
    columns, coef = model.terms(leaf)
    terms = np.zeros(model.encoder.width)
    terms[columns] = encoded[columns] * coef
    start = start_of(model.encoder), float(model.intercept[leaf])
    found = sums_of_columns(context, matrix, row, by_feature(model.encoder, terms), start)
    notes = [_reached(model.tree, leaf, context), *_missing_notes(model.tree, matrix, row, leaf, context)]
    if answer in model.bounds and found["total"] != answer:
        limit = Reason(
            Message("kept-in-range", "the prediction is kept within the numbers of the training rows"),
            weight=answer - found["total"],
        )
        side = "reasons" if answer > found["total"] else "against"
        found |= {side: (*found[side], limit), "total": answer}
    return Explanation(answer, measure=IN_PREDICTION, notes=tuple(notes), **found)


def _reached(tree: Tree, leaf: int, context: Context) -> Message:
    """The conditions of a leaf, and how many rows its linear model was fitted to."""
    n, conditions = _count(float(tree.weight[leaf])), conditions_to(tree, leaf, context)
    if not conditions:
        return Message("model-of-all-rows", "the linear model is that of all {n} training rows", n=n)
    met = join("; ", [condition_text(condition) for condition in conditions])
    return Message(
        "model-of-leaf",
        "the linear model is that of the leaf with {conditions}: {n} training rows",
        conditions=met,
        n=n,
    )


def _subject(condition: Condition) -> int | Condition:
    """What a condition is about: its column; a sum of columns is about itself."""
    return replace(condition, missing=0.0) if isinstance(condition, LinearCondition) else condition.columns[0]


def _held(tree: Tree, leaf: int) -> Message:
    """The rows of a leaf, and what of them is predicted."""
    n = _count(float(tree.weight[leaf]))
    if not tree.means:
        return Message("median-of-leaf", "the leaf holds {n} training rows; the prediction is their median", n=n)
    if tree.spreads is None:
        return Message("mean-of-leaf", "the leaf holds {n} training rows; the prediction is their mean", n=n)
    return Message(
        "mean-and-spread-of-leaf",
        "the leaf holds {n} training rows; the prediction is their mean, their standard deviation is {spread}",
        n=n,
        spread=figure(float(tree.spreads[leaf])),
    )


def _shrinkage_note(tree: Tree) -> list[str]:
    if not tree.shrinkage:
        return []
    return [
        Message(
            "shrunk",
            "the prediction is shrunk towards the nodes above (shrinkage {shrinkage:g})",
            shrinkage=tree.shrinkage,
        )
    ]


def _count(weight: float) -> Number:
    return Number(f"{round(weight, 1):.10g}")


def path_to(tree: Tree, leaf: int) -> list[tuple[int, int]]:
    """Return (node, branch) pairs from the root to a leaf."""
    steps = []
    node = int(leaf)
    while node:
        parent = int(tree.parent[node])
        steps.append((parent, node - int(tree.first_child[parent])))
        node = parent
    return steps[::-1]


def conditions_to(tree: Tree, leaf: int, context: Context) -> tuple[Condition, ...]:
    """Return what a row must meet to reach a leaf, one condition per column."""
    steps = [branch_condition(tree, node, branch, context.features) for node, branch in path_to(tree, leaf)]
    return merge_conditions(steps) or tuple(steps)


def _missing_notes(tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, context: Context) -> list[str]:
    """Return which values were missing on the path and where the row went; then those that were not tested."""
    notes: list[str] = []
    if not matrix.missing[row].any():
        return notes
    for node, _ in path_to(tree, leaf):
        column = int(tree.feature[node])
        if column >= 0 and context.value(matrix, row, column) is None:
            name = context.features[column].column
            note = (
                Message("missing-in-all-branches", "{column} is missing: all branches were followed", column=name)
                if tree.missing_branch[node] < 0
                else Message(
                    "missing-in-its-branch",
                    "{column} is missing: the row took the branch for missing values",
                    column=name,
                )
            )
            if note not in notes:
                notes.append(note)
    # A text is one column, of which many words may be tested.
    asked = {context.features[int(tree.feature[node])].column for node, _ in path_to(tree, leaf)}
    missing = dict.fromkeys(context.features[j].column for j in np.flatnonzero(matrix.missing[row]))
    rest = [name for name in missing if name not in asked]
    if not rest:
        return notes
    named = listed(rest, len(rest))
    return [*notes, Message("missing-not-tested", "missing, but not tested on this path: {columns}", columns=named)]


def change_into_a_leaf(question: Question, rows: np.ndarray) -> Found:
    """Enter the nearest leaf of another class; where no leaf can be entered, search."""
    model, context = question.model, question.context
    if (model.node_kind == LINEAR).any():
        return search(question, rows)  # a leaf behind a linear test is not a box of single columns
    rules = leaf_rules(model, context.features, context.classes)
    found = enter_boxes(question, Boxes.of_rules(question, rules), rows)
    left = np.array([row for row in rows.tolist() if row not in found], dtype=np.int64)
    return found | search(question, left) if left.size else found


def cuts_of_tree(model: Tree, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of the nodes, by feature."""
    return thresholds([(model, np.arange(len(context.features)))])


def thresholds(trees: Iterable[tuple[Tree, np.ndarray]]) -> dict[int, Sequence[float]]:
    """Return the thresholds of several trees, each with the columns it sees, by feature."""
    features, values = [], []
    for tree, columns in trees:
        tested = tree.node_kind == THRESHOLD
        features.append(columns[tree.feature[tested]])
        values.append(tree.threshold[tested])
    return cuts_by_feature(np.concatenate([*features, np.empty(0, int)]), np.concatenate([*values, np.empty(0)]))


def cuts_by_feature(feature: np.ndarray, value: np.ndarray) -> dict[int, Sequence[float]]:
    """Return the different finite thresholds of each feature, in order."""
    return {j: np.unique(value[(feature == j) & np.isfinite(value)]).tolist() for j in np.unique(feature).tolist()}
