"""A tree of vaglio as scikit-learn's own tree object: what ``tree_`` is, and what ``export_text`` or shap read.

The object is of the class of the installed scikit-learn and is filled as unpickling fills it; its class and the fields
of its nodes are taken from a tree that the installed version fits, so that no private name of one version stands here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vaglio.errors import NotSupportedError
from vaglio.model.trees.binary_nodes import LEAF, THRESHOLD
from vaglio.model.trees.tree import Tree
from vaglio.sklearn.tree import SCIKIT_LEARNS

# scikit-learn's marks for what a leaf does not have.
_NO_CHILD, _NO_FEATURE = -1, -2


@cache
def _pattern() -> tuple[type, np.dtype[Any]]:
    """Return the class of the installed scikit-learn's trees and the type of their nodes."""
    tree = SCIKIT_LEARNS().fit([[0.0], [1.0]], [0.0, 1.0]).tree_
    return type(tree), tree.__getstate__()["nodes"].dtype


def tree_object(
    tree: Tree,
    X: np.ndarray,
    complete: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: list[int],
    means: bool,
) -> Any:
    """Return the tree as an object of scikit-learn, the nodes in its order.

    Parameters
    ----------
    tree : Tree
        With tests of one number against a threshold.
    X : ndarray of float32, shape (n_samples, n_features)
        The training rows.
    complete : ndarray of bool, shape (n_features,)
        Whether a column has no missing value.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Class codes or numbers.
    weight : ndarray of shape (n_samples,), optional
        What they weigh.
    n_classes : list of int
        The number of classes of each output; empty for numbers.
    means : bool
        Whether nodes predict the mean of their rows.
    """
    if not ((tree.node_kind == LEAF) | (tree.node_kind == THRESHOLD)).all():
        raise NotSupportedError(
            "scikit-learn's trees test one number against a threshold; this tree has nominal, multiway or linear "
            "tests: use rules() or to_text()."
        )
    kind, fields = _pattern()
    order = _preorder(tree)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    leaf, first = tree.is_leaf[order], tree.first_child[order]
    nodes = np.zeros(len(order), dtype=fields)
    nodes["left_child"] = np.where(leaf, _NO_CHILD, place[np.where(leaf, 0, first)])
    nodes["right_child"] = np.where(leaf, _NO_CHILD, place[np.where(leaf, 0, first + 1)])
    nodes["feature"] = np.where(leaf, _NO_FEATURE, tree.feature[order])
    nodes["threshold"] = np.where(leaf, _NO_FEATURE, tree.threshold[order])
    nodes["impurity"] = tree.impurity[order]
    total = len(X) if weight is None else weight.sum()
    nodes["weighted_n_node_samples"] = tree.weight[order] * (total / tree.weight[0])
    nodes["missing_go_to_left"] = np.where(leaf, False, tree.missing_branch[order] == 0)
    y = y.reshape(len(y), -1)
    values = _values(tree.says[order], y.shape[1], n_classes)
    made = kind(X.shape[1], np.array(n_classes or [1] * y.shape[1], dtype=np.intp), y.shape[1])
    state = {"max_depth": tree.depth, "node_count": len(order), "nodes": nodes, "values": values}
    made.__setstate__(state)
    # The grower counts weights; the numbers of rows come from sending the rows through the tree.
    leaves = made.apply(X)
    counted = leaves if weight is None else leaves[weight > 0]
    nodes["n_node_samples"] = _summed_up(np.bincount(counted, minlength=len(order)), nodes)
    inner = ~leaf & complete[np.where(leaf, 0, nodes["feature"])]
    left, right = (nodes["n_node_samples"][nodes[child]] for child in ("left_child", "right_child"))
    # Where training saw no missing value, one goes the way of most rows; of equally many, right.
    nodes["missing_go_to_left"][inner] = (left > right)[inner]
    if means:
        # The grower subtracts the mean of all rows for the sake of precision; scikit-learn's mean of ones is one.
        one = np.ones(len(y)) if weight is None else weight
        weights = np.array(_summed_up(np.bincount(leaves, one, len(order)), nodes))
        for output, target in enumerate(y.T):
            sums = np.array(_summed_up(np.bincount(leaves, one * target, len(order)), nodes))
            values[:, output, 0] = sums / weights
    made.__setstate__(state)
    return made


def _values(says: np.ndarray, n_outputs: int, n_classes: list[int]) -> np.ndarray:
    """Return what each node predicts as scikit-learn lays it out: (nodes, outputs, most classes)."""
    if n_outputs == 1:
        return np.ascontiguousarray(says)[:, None, :]
    if not n_classes:
        return np.ascontiguousarray(says)[:, :, None]
    values = np.zeros((len(says), n_outputs, max(n_classes)))
    for output, weights in enumerate(np.split(says, np.cumsum(n_classes)[:-1], axis=1)):
        values[:, output, : n_classes[output]] = weights / weights.sum(axis=1, keepdims=True)
    return values


def _summed_up(amounts: np.ndarray, nodes: np.ndarray) -> list[float]:
    """Return the sum of what the leaves below each node have: a parent stands before its children."""
    found: list[float]
    found, left, right = amounts.tolist(), nodes["left_child"].tolist(), nodes["right_child"].tolist()
    for node in range(len(found) - 1, -1, -1):
        if left[node] >= 0:
            found[node] = found[left[node]] + found[right[node]]
    return found


def _preorder(tree: Tree) -> np.ndarray:
    """Return our numbers of the nodes in scikit-learn's order: all of the left branch before the right."""
    order, open_nodes = [], [0]
    first, leaf = tree.first_child.tolist(), tree.is_leaf.tolist()
    while open_nodes:
        node = open_nodes.pop()
        order.append(node)
        if not leaf[node]:
            open_nodes += [first[node] + 1, first[node]]
    return np.array(order, dtype=np.int64)
