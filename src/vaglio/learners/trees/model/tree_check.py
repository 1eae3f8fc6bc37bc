"""Is this really a tree? What a file claims is checked before any kernel follows its indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.encode import Feature
from vaglio.model.checks import need, sound_weights, within

if TYPE_CHECKING:
    from vaglio.learners.trees.model.tree import Tree

_LEAF, _THRESHOLD, _SUBSET, _MULTIWAY, _LINEAR = range(5)


def check_shape(tree: Tree) -> None:
    """Check that the arrays belong together and that the links form one tree."""
    n = len(tree.node_kind)
    need(0 < n < 1 << 31, "the tree has no nodes")
    for name in ("feature", "threshold", "first_child", "n_children", "missing_branch", "table_start"):
        need(len(getattr(tree, name)) == n, f"the array {name!r} has another length than the tree")
    for name in ("value", "weight", "impurity", "gain"):
        need(len(getattr(tree, name)) == n, f"the array {name!r} has another length than the tree")
    sound_weights(tree.weight, "a node has an impossible weight")
    if not tree.regression:
        sound_weights(tree.value, "a node has impossible class weights")
        need((tree.value.sum(axis=1) > 0).all(), "a node has impossible class weights")
    within(tree.node_kind, _LEAF, _LINEAR + 1, "the kind of a node")
    inner = tree.node_kind != _LEAF
    need((tree.first_child[~inner] == -1).all() and (tree.n_children[~inner] == 0).all(), "a leaf has children")
    first, count = tree.first_child[inner].astype(np.int64), tree.n_children[inner].astype(np.int64)
    need((count >= 2).all() and (first > np.flatnonzero(inner)).all(), "the children of a node are impossible")
    # Each node but the root is the child of exactly one node that comes before it: no cycle, nothing unreachable.
    order = np.argsort(first, kind="stable")
    ends = first[order] + count[order]
    starts = np.append(first[order], n)
    need(
        starts[0] == (1 if n > 1 else n) and (ends == starts[1:]).all(),
        "the children of the nodes do not form a tree",
    )
    missing = tree.missing_branch
    need((missing >= -1).all() and (missing[inner] < count).all(), "a branch for missing values does not exist")


def check_tests(tree: Tree, features: tuple[Feature, ...]) -> None:
    """Check that every test asks for something the columns have."""
    numeric = np.array([feature.in_numeric_block for feature in features] + [False])
    arity = np.array([len(feature.categories) if feature.is_nominal else 0 for feature in features] + [0])
    single = np.isin(tree.node_kind, (_THRESHOLD, _SUBSET, _MULTIWAY))
    within(tree.feature[single], 0, len(features), "the feature of a test")
    within(tree.feature[~single], -1, len(features), "the feature of a node")
    threshold = np.isin(tree.node_kind, (_THRESHOLD, _LINEAR))
    need(not np.isnan(tree.threshold[threshold]).any(), "a threshold is not a number")
    plain = tree.node_kind == _THRESHOLD
    need(numeric[tree.feature[plain]].all(), "a threshold is set on a column without order")
    check_ranks(tree.feature[plain], tree.threshold[plain], features)
    binary = np.isin(tree.node_kind, (_THRESHOLD, _SUBSET, _LINEAR))
    # A third branch is for missing values alone.
    sides = tree.n_children[binary] - (tree.missing_branch[binary] == 2)
    need((sides == 2).all(), "a test has no two sides")
    for kind in (_SUBSET, _MULTIWAY):
        nodes = np.flatnonzero(tree.node_kind == kind)
        categories = arity[tree.feature[nodes]]
        need((categories > 0).all(), "a test for categories is set on a column without them")
        words = categories if kind == _MULTIWAY else (categories + 31) // 32
        start = tree.table_start[nodes]
        need(
            (start >= 0).all() and (start <= len(tree.tables) - words).all(),
            "a category table is out of range",
        )
        if kind == _MULTIWAY:
            for node, begin, length in zip(nodes.tolist(), start.tolist(), words.tolist()):
                branches = tree.tables[begin : begin + length]
                need(branches.max() < tree.n_children[node], "a category has no branch")
    check_linear(tree, numeric)


def check_ranks(tested: np.ndarray, threshold: np.ndarray, features: tuple[Feature, ...]) -> None:
    """Check that a threshold on an ordered column lies between two of its categories."""
    ranks = np.array([len(feature.categories) if feature.kind == "ordinal" else 0 for feature in features] + [0])
    known = ranks[tested]
    ordered = known > 0
    between = (threshold[ordered] >= 0) & (threshold[ordered] < known[ordered])
    need(between.all(), "a threshold is outside of the categories of its column")


def check_linear(tree: Tree, numeric: np.ndarray) -> None:
    """Check the terms of linear tests."""
    start = tree.linear_start
    if not (tree.node_kind == _LINEAR).any():
        need(
            len(tree.linear_feature) == 0 and len(tree.linear_coef) == 0,
            "there are terms without a linear test",
        )
        return
    need(len(start) == len(tree.node_kind) + 1 and start[0] == 0, "the terms of linear tests are out of range")
    need(
        (np.diff(start) >= 0).all() and start[-1] == len(tree.linear_feature),
        "the terms of linear tests are out of range",
    )
    need(len(tree.linear_feature) == len(tree.linear_coef), "the terms of linear tests are out of range")
    within(tree.linear_feature, 0, len(numeric) - 1, "the feature of a linear test")
    need(numeric[tree.linear_feature].all(), "a linear test uses a column without numbers")
