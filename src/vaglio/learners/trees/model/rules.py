"""A tree in the user's terms: the conditions of its branches, its leaves as rules, its nodes as boxes to draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.model.tree import LINEAR, MULTIWAY, SUBSET, THRESHOLD, Tree
from vaglio.messages.figures import moment, short_number
from vaglio.messages.message import Number, join, text
from vaglio.model.base import plain_label
from vaglio.model.calibration import Calibration, calibrated
from vaglio.model.condition import (
    Condition,
    LinearCondition,
    Merged,
    MissingCondition,
    RangeCondition,
    SetCondition,
    finish_merge,
    merged_with,
)
from vaglio.plot.tree_drawing import Box

if TYPE_CHECKING:
    from vaglio.model.costs import CostMatrix


def rules_of_tree(tree: Tree, features: tuple[Feature, ...], classes: np.ndarray | None) -> RuleSet:
    """Return the rules of the leaves as a rule set that predicts like the tree."""
    labels = None if classes is None else tuple(plain_label(label) for label in classes)
    rules = tuple(leaf_rules(tree, features, classes))
    default = tuple(tree.says[0].tolist())
    return RuleSet(rules, tuple(features), labels, default, _covered(tree, 0), "exclusive")


def leaf_rules(tree: Tree, features: tuple[Feature, ...], classes: np.ndarray | None) -> Iterator[Rule]:
    """One rule for every leaf a row can reach, in the order of the leaves from left to right.

    Where a missing value is spread over the branches, each condition carries its branch's share: a row that lacks the
    value meets several rules in part, and the shares are summed as the tree itself does.
    """
    says, totals = tree.says, _covered(tree, 0)
    spreads = tree.spreads if tree.regression else None
    for node, conditions in leaf_conditions(tree, features):
        code = -1 if classes is None else int(np.argmax(says[node]))
        label = float(says[node, 0]) if classes is None else plain_label(classes[code])
        spread = None if spreads is None else float(spreads[node])
        yield Rule(conditions, label, code, tuple(says[node].tolist()), _covered(tree, node), totals, spread)


def leaf_conditions(tree: Tree, features: tuple[Feature, ...]) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Every leaf a row can reach, from left to right, with what a row must meet to reach it."""
    # A stack, since a tree may be very deep. Conditions are merged on the way down, not leaf by leaf: a path costs its
    # columns, not its length.
    stack: list[tuple[int, Merged]] = [(0, {})]
    while stack:
        node, path = stack.pop()
        if not tree.is_leaf[node]:
            for branch in reversed(range(int(tree.n_children[node]))):
                condition = branch_condition(tree, node, branch, features)
                stack.append((int(tree.first_child[node]) + branch, merged_with(path, condition)))
            continue
        conditions = finish_merge(path)
        if conditions is not None:
            yield node, conditions


def _covered(tree: Tree, node: int) -> tuple[float, ...]:
    """Class weights of the training rows in a node. An empty branch holds none, whatever its parent lends it."""
    weight = float(tree.weight[node])
    if tree.regression:
        return (weight,)
    return tuple(tree.value[node].tolist()) if weight > 0 else (0.0,) * tree.value.shape[1]


def branch_condition(tree: Tree, node: int, branch: int, features: tuple[Feature, ...]) -> Condition:
    """What a row must meet to go from a node to one of its children."""
    share = tree.missing_share(node, branch)
    kind = int(tree.node_kind[node])
    if kind == LINEAR:
        terms, above = slice(int(tree.linear_start[node]), int(tree.linear_start[node + 1])), branch == 1
        columns = tuple(tree.linear_feature[terms].tolist())
        return LinearCondition(
            columns,
            tuple(features[column] for column in columns),
            tuple(tree.linear_coef[terms].tolist()),
            float(tree.threshold[node]),
            above=above,
            closed=above if tree.strict else not above,
            missing=share,
            told=False,
        )
    column = int(tree.feature[node])
    feature = features[column]
    if kind == THRESHOLD and branch < 2:
        t, strict = float(tree.threshold[node]), bool(tree.strict)
        if branch == 0:
            return RangeCondition(column, feature, high=t, high_closed=not strict, missing=share, told=False)
        return RangeCondition(column, feature, low=t, low_closed=strict, missing=share, told=False)
    if kind in (SUBSET, MULTIWAY):
        codes = np.flatnonzero(branch_of_category(tree, node, len(feature.categories)) == branch)
        if codes.size:
            return SetCondition(column, feature, frozenset(codes.tolist()), share, told=False)
    return MissingCondition(column, feature, share)


def branch_of_category(tree: Tree, node: int, n_categories: int) -> np.ndarray:
    start = int(tree.table_start[node])
    if tree.node_kind[node] == MULTIWAY:
        return tree.tables[start : start + n_categories]
    codes = np.arange(n_categories)
    return (tree.tables[start + codes // 32] >> (codes % 32).astype(np.uint32)) & np.uint32(1)


# Categories named on a branch; a longer list would not fit above a box.
_MOST_VALUES = 4


def outline(
    tree: Tree,
    features: tuple[Feature, ...],
    classes: np.ndarray | None,
    max_depth: int | None = None,
    cost: CostMatrix | None = None,
    address: Callable[[int], str] | None = None,
    calibration: Calibration | None = None,
) -> Box:
    """Return the root's box; below ``max_depth`` subtrees are folded into one. With costs, leaves decide by them.

    ``address`` gives each node a place that a click leads to.
    """
    decided = np.argmax(tree.says, axis=1) if cost is None else cost.decide(calibrated(tree.says, calibration))
    root = _box(tree, 0, features, classes, decided)
    stack = [(0, root, 0)]
    while stack:
        node, box, depth = stack.pop()
        box.address = "" if address is None else address(node)
        if tree.is_leaf[node]:
            continue
        if max_depth is not None and depth >= max_depth:
            below = _leaves_below(tree, node)
            box.lines = (*box.lines, text("… {n:,} {n:leaf|leaves} below", n=below))
            continue
        for branch, child in enumerate(tree.children(node)):
            inner = _box(tree, child, features, classes, decided)
            inner.edge = branch_text(tree, node, branch, features)
            box.children.append(inner)
            stack.append((child, inner, depth + 1))
    return root


def _box(tree: Tree, node: int, features: tuple[Feature, ...], classes: np.ndarray | None, decided: np.ndarray) -> Box:
    leaf = bool(tree.is_leaf[node])
    count = join("", ["n = ", Number(short_number(round(float(tree.weight[node]), 2)))])
    if tree.regression or classes is None:
        mean = Number(short_number(float(f"{(tree.says if leaf else tree.value)[node, 0]:.5g}")))
        if leaf:
            return Box(mean, (count,), leaf=True)
        return Box(test_text(tree, node, features), (count, text("mean {mean}", mean=mean)))
    shares = tree.value[node] / tree.value[node].sum()
    best = int(decided[node])
    share = Number(f"{shares[best]:.0%}")
    lines = (join(", ", [count, share if leaf else join(" ", [str(classes[best]), share])]),)
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
    if tree.node_kind[node] != LINEAR:
        return features[int(tree.feature[node])].name
    span = slice(int(tree.linear_start[node]), int(tree.linear_start[node + 1]))
    terms = [
        join("·", [Number(f"{coef:+.3g}" if i else f"{coef:.3g}"), features[j].name])
        for i, (j, coef) in enumerate(zip(tree.linear_feature[span].tolist(), tree.linear_coef[span].tolist()))
    ]
    return join(" ", terms)


def branch_text(tree: Tree, node: int, branch: int, features: tuple[Feature, ...]) -> str:
    """Return the value that leads to a branch; the drawing has the test in the node."""
    condition = branch_condition(tree, node, branch, features)
    if isinstance(condition, MissingCondition):
        return text("missing")
    if isinstance(condition, SetCondition):
        values = [str(value) for value in condition.categories]
        if len(values) == 1:
            return f"= {values[0]}"
        shown, left = ", ".join(values[:_MOST_VALUES]), len(values) - _MOST_VALUES
        if left > 0:
            return text("in {{{values}, … {n:,} more}}", values=shown, n=left)
        return text("in {{{values}}}", values=shown)
    threshold = float(tree.threshold[node])
    if isinstance(condition, LinearCondition):
        sign = {"<=": "≤", ">=": "≥"}.get(condition.operator, condition.operator)
        return Number(f"{sign} {short_number(threshold)}")
    if not np.isfinite(threshold):  # a test that only parts known values from missing ones
        return text("known") if (threshold > 0) == (branch == 0) else text("missing")
    if condition.feature.kind == "ordinal":
        # A rank condition is normalised to "at most category k" and "above category k".
        rank = condition.high if branch == 0 else condition.low
        return f"{'≤' if branch == 0 else '>'} {condition.feature.categories[int(rank)]}"
    sign = ("<", "≥")[branch] if tree.strict else ("≤", ">")[branch]
    told = moment(threshold) if condition.feature.is_date else Number(short_number(threshold))
    return join(" ", [sign, told])
