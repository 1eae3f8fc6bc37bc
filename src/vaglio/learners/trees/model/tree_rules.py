"""A tree read as rules: one per leaf, exclusive and exhaustive, with merged conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.model.base import plain_label
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

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.trees.model.tree import Tree

__all__ = ["branch_condition", "branch_of_category", "leaf_rules", "rules_of_tree"]

_THRESHOLD, _SUBSET, _MULTIWAY, _LINEAR = 1, 2, 3, 4


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
    for leaf, path in _leaves(tree, features):
        merged = finish_merge(path)
        if merged is None:
            continue
        code = -1 if classes is None else int(np.argmax(says[leaf]))
        label = float(says[leaf, 0]) if classes is None else plain_label(classes[code])
        yield Rule(merged, label, code, tuple(says[leaf].tolist()), _covered(tree, leaf), totals)


def _covered(tree: Tree, node: int) -> tuple[float, ...]:
    """Class weights of the training rows in a node. An empty branch holds none, whatever its parent lends it."""
    weight = float(tree.weight[node])
    if tree.regression:
        return (weight,)
    return tuple(tree.value[node].tolist()) if weight > 0 else (0.0,) * tree.value.shape[1]


def _leaves(tree: Tree, features: tuple[Feature, ...]) -> Iterator[tuple[int, Merged]]:
    """Every leaf with the merged conditions on its path; a stack, since a tree may be very deep.

    Conditions are merged on the way down, not leaf by leaf: a path costs its columns, not its length.
    """
    stack: list[tuple[int, Merged]] = [(0, {})]
    while stack:
        node, merged = stack.pop()
        if tree.node_kind[node] == 0:
            yield node, merged
            continue
        for branch in reversed(range(int(tree.n_children[node]))):
            condition = branch_condition(tree, node, branch, features)
            stack.append((int(tree.first_child[node]) + branch, merged_with(merged, condition)))


def branch_condition(tree: Tree, node: int, branch: int, features: tuple[Feature, ...]) -> Condition:
    """What a row must meet to go from a node to one of its children."""
    share = _missing_share(tree, node, branch)
    kind = int(tree.node_kind[node])
    if kind == _LINEAR:
        return _linear(tree, node, branch, features, share)
    column = int(tree.feature[node])
    feature = features[column]
    if kind == _THRESHOLD and branch < 2:
        t, strict = float(tree.threshold[node]), bool(tree.strict)
        if branch == 0:
            return RangeCondition(column, feature, high=t, high_closed=not strict, missing=share)
        return RangeCondition(column, feature, low=t, low_closed=strict, missing=share)
    if kind in (_SUBSET, _MULTIWAY):
        codes = np.flatnonzero(branch_of_category(tree, node, len(feature.categories)) == branch)
        if codes.size:
            return SetCondition(column, feature, frozenset(codes.tolist()), share)
    return MissingCondition(column, feature, share)


def branch_of_category(tree: Tree, node: int, n_categories: int) -> np.ndarray:
    start = int(tree.table_start[node])
    if tree.node_kind[node] == _MULTIWAY:
        return tree.tables[start : start + n_categories]
    codes = np.arange(n_categories)
    return (tree.tables[start + codes // 32] >> (codes % 32).astype(np.uint32)) & np.uint32(1)


def _missing_share(tree: Tree, node: int, branch: int) -> float:
    direction = int(tree.missing_branch[node])
    if direction >= 0:
        return 1.0 if branch == direction else 0.0
    first = int(tree.first_child[node])
    weights = tree.weight[first : first + int(tree.n_children[node])]
    return float(weights[branch] / weights.sum()) if weights.sum() > 0 else 1.0 / len(weights)


def _linear(tree: Tree, node: int, branch: int, features: tuple[Feature, ...], share: float) -> Condition:
    terms = slice(int(tree.linear_start[node]), int(tree.linear_start[node + 1]))
    columns = tuple(tree.linear_feature[terms].tolist())
    above = branch == 1
    return LinearCondition(
        columns,
        tuple(features[column] for column in columns),
        tuple(tree.linear_coef[terms].tolist()),
        float(tree.threshold[node]),
        above=above,
        closed=above if tree.strict else not above,
        missing=share,
    )
