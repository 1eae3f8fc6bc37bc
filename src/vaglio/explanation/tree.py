"""Why a tree decided so: the path of the row, as the one rule it amounts to."""

from __future__ import annotations

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._dispatch import Context
from vaglio.explanation._explanation import Explanation, Reason
from vaglio.model.condition import Condition, merge_conditions
from vaglio.model.tree import Tree
from vaglio.model.tree_rules import branch_condition


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
    order = np.argsort(-proba, kind="stable")
    best = int(order[0])
    second = int(order[1]) if len(order) > 1 and proba[order[1]] > 0 else None
    covered, correct = float(tree.weight[leaf]), float(tree.value[leaf, best])
    notes = _missing_notes(tree, matrix, row, leaf, context)
    if covered > 0:
        notes.insert(
            0, f"the leaf holds {_count(covered)} training rows, {_count(correct)} of them {context.label(best)}"
        )
    else:
        notes.insert(0, "no training row had this combination: the answer is that of the node above")
    return Explanation(
        decision=context.label(best),
        probability=float(proba[best]),
        runner_up=None if second is None else context.label(second),
        reasons=_reasons(tree, matrix, row, leaf, context),
        notes=tuple(notes),
        counterfactual=_nearest_other_leaf(tree, matrix, row, leaf, best, context),
    )


def _explain_number(
    tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, answer: float, context: Context
) -> Explanation:
    notes = _missing_notes(tree, matrix, row, leaf, context)
    notes.insert(0, f"the leaf holds {_count(float(tree.weight[leaf]))} training rows; the answer is their mean")
    return Explanation(decision=float(answer), reasons=_reasons(tree, matrix, row, leaf, context), notes=tuple(notes))


def _count(weight: float) -> str:
    return f"{round(weight, 1):.10g}"


def path_to(tree: Tree, leaf: int) -> list[tuple[int, int]]:
    """Return (node, branch) pairs from the root to a leaf."""
    steps = []
    node = int(leaf)
    while node:
        parent = int(tree.parent[node])
        steps.append((parent, node - int(tree.first_child[parent])))
        node = parent
    return steps[::-1]


def _conditions(tree: Tree, leaf: int, context: Context) -> tuple[Condition, ...]:
    steps = [branch_condition(tree, node, branch, context.features) for node, branch in path_to(tree, leaf)]
    return merge_conditions(steps) or tuple(steps)


def _reasons(tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, context: Context) -> tuple[Reason, ...]:
    reasons = []
    for condition in _conditions(tree, leaf, context):
        if len(condition.columns) == 1:
            column = condition.columns[0]
            value = context.value(matrix, row, column)
            reasons.append(Reason(str(condition), context.features[column].name, value))
        else:
            reasons.append(Reason(str(condition)))
    return tuple(reasons)


def _missing_notes(tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, context: Context) -> list[str]:
    """Say which values were missing on the way, and what the tree did about it."""
    notes = []
    for node, _ in path_to(tree, leaf):
        column = int(tree.feature[node])
        if column >= 0 and context.value(matrix, row, column) is None:
            way = "all branches were followed" if tree.missing_branch[node] < 0 else "it took the branch for that"
            note = f"{context.features[column].name} is missing: {way}"
            if note not in notes:
                notes.append(note)
    return notes


def _nearest_other_leaf(
    tree: Tree, matrix: EncodedMatrix, row: int, leaf: int, best: int, context: Context
) -> str | None:
    """Return the change of one answer on the path that leads to a leaf of another class, lowest on the path first."""
    for node, branch in reversed(path_to(tree, leaf)):
        for other, child in enumerate(tree.children(node)):
            if other == branch or not tree.is_leaf[child] or tree.weight[child] == 0:
                continue
            code = int(np.argmax(tree.distribution[child]))
            if code != best:
                condition = branch_condition(tree, node, other, context.features)
                return f"{condition}, all else equal: {context.label(code)}"
    return None
