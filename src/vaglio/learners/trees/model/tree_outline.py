"""A tree in the user's terms, as boxes to draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.trees.model.tree_rules import branch_condition
from vaglio.messages.numbers import short_number
from vaglio.model.condition import LinearCondition, MissingCondition, SetCondition
from vaglio.plot.tree_drawing import Box

if TYPE_CHECKING:
    from vaglio.learners.trees.model.tree import Tree
    from vaglio.model.costs import CostMatrix

# Categories named on a branch; a longer list would not fit above a box.
_MOST_VALUES = 4


def outline(
    tree: Tree,
    features: tuple[Feature, ...],
    classes: np.ndarray | None,
    max_depth: int | None = None,
    cost: CostMatrix | None = None,
    address: Callable[[int], str] | None = None,
) -> Box:
    """Return the root's box; below ``max_depth`` subtrees are folded into one. With costs, leaves decide by them.

    ``address`` gives each node a place that a click leads to.
    """
    decided = np.argmax(tree.says, axis=1) if cost is None else cost.decide(tree.says)
    root = _box(tree, 0, features, classes, decided)
    stack = [(0, root, 0)]
    while stack:
        node, box, depth = stack.pop()
        box.address = "" if address is None else address(node)
        if tree.is_leaf[node]:
            continue
        if max_depth is not None and depth >= max_depth:
            box.lines = (*box.lines, f"… {_leaves_below(tree, node)} leaves below")
            continue
        for branch, child in enumerate(tree.children(node)):
            below = _box(tree, child, features, classes, decided)
            below.edge = branch_text(tree, node, branch, features)
            box.children.append(below)
            stack.append((child, below, depth + 1))
    return root


def _box(tree: Tree, node: int, features: tuple[Feature, ...], classes: np.ndarray | None, decided: np.ndarray) -> Box:
    leaf = bool(tree.is_leaf[node])
    count = f"n = {short_number(round(float(tree.weight[node]), 2))}"
    if tree.regression or classes is None:
        mean = short_number(float(f"{(tree.says if leaf else tree.value)[node, 0]:.5g}"))
        return Box(
            mean if leaf else test_text(tree, node, features), (count,) if leaf else (count, f"mean {mean}"), leaf=leaf
        )
    shares = tree.value[node] / tree.value[node].sum()
    best = int(decided[node])
    lines = (f"{count}, {shares[best]:.0%}",) if leaf else (f"{count}, {classes[best]} {shares[best]:.0%}",)
    return Box(str(classes[best]) if leaf else test_text(tree, node, features), lines, shares.tolist(), leaf=leaf)


def _leaves_below(tree: Tree, node: int) -> int:
    count, stack = 0, [node]
    while stack:
        top = stack.pop()
        if tree.is_leaf[top]:
            count += 1
        else:
            stack.extend(tree.children(top))
    return count


def test_text(tree: Tree, node: int, features: tuple[Feature, ...]) -> str:
    """Return what a node tests."""
    if tree.node_kind[node] != 4:
        return features[int(tree.feature[node])].name
    span = slice(int(tree.linear_start[node]), int(tree.linear_start[node + 1]))
    terms = [
        f"{coef:+.3g}·{features[j].name}"
        for j, coef in zip(tree.linear_feature[span].tolist(), tree.linear_coef[span].tolist())
    ]
    return " ".join(terms).lstrip("+")


def branch_text(tree: Tree, node: int, branch: int, features: tuple[Feature, ...]) -> str:
    """Return the value that leads to a branch; the drawing has the test in the node."""
    condition = branch_condition(tree, node, branch, features)
    if isinstance(condition, MissingCondition):
        return "missing"
    if isinstance(condition, SetCondition):
        return _values_text([str(value) for value in condition.categories])
    threshold = float(tree.threshold[node])
    if isinstance(condition, LinearCondition):
        sign = {"<=": "≤", ">=": "≥"}.get(condition.operator, condition.operator)
        return f"{sign} {short_number(threshold)}"
    if not np.isfinite(threshold):  # a test that only parts known values from missing ones
        return "known" if (threshold > 0) == (branch == 0) else "missing"
    if condition.feature.kind == "ordinal":
        # A rank condition is normalised to "at most category k" and "above category k".
        rank = condition.high if branch == 0 else condition.low
        return f"{'≤' if branch == 0 else '>'} {condition.feature.categories[int(rank)]}"
    sign = ("<", "≥")[branch] if tree.strict else ("≤", ">")[branch]
    return f"{sign} {short_number(threshold)}"


def _values_text(values: list[str]) -> str:
    if len(values) == 1:
        return f"= {values[0]}"
    more = f", … {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
    return "in {" + ", ".join(values[:_MOST_VALUES]) + more + "}"
