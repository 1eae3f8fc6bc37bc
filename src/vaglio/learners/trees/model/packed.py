"""Trees of two branches a node in sixteen bytes a node, as forests hold them, and a :class:`Tree` to and from it."""

from __future__ import annotations

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.trees.model.tree import LEAF, SUBSET, THRESHOLD, Tree

# Threshold (of a nominal test: where its bitset starts), link (>= 0: first of two children, counted within the tree;
# < 0: ~row of the contents of leaves), feature (its top bit: missing values go to the second branch).
NODE = np.dtype([("threshold", "<f8"), ("link", "<i4"), ("feature", "<u4")])
MISSING_RIGHT = np.uint32(1 << 31)


def tested(nodes: np.ndarray) -> np.ndarray:
    """Return the feature that each node tests."""
    found: np.ndarray = nodes["feature"] & ~MISSING_RIGHT
    return found


def missing_right(nodes: np.ndarray) -> np.ndarray:
    """Return whether each node sends missing values to its second branch."""
    found: np.ndarray = (nodes["feature"] & MISSING_RIGHT) != 0
    return found


def with_table(nodes: np.ndarray, features: tuple[Feature, ...]) -> np.ndarray:
    """Return which nodes test a nominal feature: their threshold says where a bitset begins."""
    nominal = np.array([feature.is_nominal for feature in features])
    found: np.ndarray = nominal[tested(nodes)] & (nodes["link"] >= 0)
    return found


def pack(tree: Tree, features: tuple[Feature, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes and the bitsets of a tree; its leaves are numbered in their order."""
    words = np.array([(len(f.categories) + 31) // 32 if f.is_nominal else 0 for f in features], dtype=np.int64)
    inner, subset = ~tree.is_leaf, tree.node_kind == SUBSET
    nodes = np.zeros(tree.n_nodes, dtype=NODE)
    nodes["link"] = tree.first_child
    nodes["link"][~inner] = ~np.arange(int((~inner).sum()), dtype=np.int32)
    nodes["feature"][inner] = tree.feature[inner].astype(np.uint32)
    nodes["feature"][inner & (tree.missing_branch == 1)] |= MISSING_RIGHT
    nodes["threshold"][inner] = tree.threshold[inner]
    length = words[tree.feature[subset]]
    begin = np.cumsum(length) - length
    nodes["threshold"][subset] = begin
    within = np.arange(int(length.sum())) - np.repeat(begin, length)
    return nodes, tree.tables[np.repeat(tree.table_start[subset], length) + within]


def unpack(
    nodes: np.ndarray,
    tables: np.ndarray,
    features: tuple[Feature, ...],
    value: np.ndarray,
    weight: np.ndarray,
    regression: bool,
    shrinkage: float,
) -> Tree:
    """Return packed nodes, of which value and weight are known, as a tree; it has no impurities and gains."""
    inner, nominal = nodes["link"] >= 0, with_table(nodes, features)
    return Tree(
        node_kind=np.where(inner, np.where(nominal, SUBSET, THRESHOLD), LEAF).astype(np.uint8),
        feature=np.where(inner, tested(nodes).astype(np.int32), -1).astype(np.int32),
        threshold=np.where(inner & ~nominal, nodes["threshold"], 0.0),
        first_child=np.where(inner, nodes["link"], -1).astype(np.int32),
        n_children=np.where(inner, 2, 0).astype(np.int32),
        missing_branch=np.where(inner, missing_right(nodes), 0).astype(np.int32),
        table_start=np.where(nominal, nodes["threshold"], -1).astype(np.int64),
        tables=tables,
        value=value,
        weight=weight,
        impurity=np.zeros(len(nodes)),
        gain=np.zeros(len(nodes)),
        linear_start=np.empty(0, np.int64),
        linear_feature=np.empty(0, np.int32),
        linear_coef=np.empty(0),
        regression=regression,
        shrinkage=shrinkage,
    )
