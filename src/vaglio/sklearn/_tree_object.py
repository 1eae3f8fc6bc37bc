"""A tree of vaglio as scikit-learn's own tree object: what ``tree_`` is, and what ``export_text`` or shap read.

The object is of the class of the installed scikit-learn and is filled as unpickling fills it; its class and the fields
of its nodes are taken from a tree that the installed version fits, so that no private name of one version stands here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.errors import NotSupportedError
from vaglio.learners.trees.model.binary_nodes import LEAF, THRESHOLD
from vaglio.learners.trees.model.tree import Tree
from vaglio.sklearn.tree import SCIKIT_LEARNS

# scikit-learn's mark for the test that a leaf does not have.
_NO_FEATURE = -2


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
    y = y.reshape(len(y), -1)
    tests = (tree.feature, tree.threshold, tree.first_child, tree.missing_branch)
    # The grower counts weights; the numbers of rows come from sending the rows through the tree.
    found = _core.preorder_nodes(*tests, X, complete, weight, y if means else None)
    order, left, right, rows, missing_left, weights, sums, depth = found
    leaf = left < 0
    nodes = np.zeros(len(order), dtype=fields)
    nodes["left_child"], nodes["right_child"] = left, right
    nodes["feature"] = np.where(leaf, _NO_FEATURE, tree.feature[order])
    nodes["threshold"] = np.where(leaf, _NO_FEATURE, tree.threshold[order])
    nodes["impurity"] = tree.impurity[order]
    nodes["n_node_samples"] = rows
    total = len(X) if weight is None else weight.sum()
    nodes["weighted_n_node_samples"] = tree.weight[order] * (total / tree.weight[0])
    nodes["missing_go_to_left"] = missing_left
    values = _values(tree.says[order], y.shape[1], n_classes)
    if means:
        # The grower subtracts the mean of all rows for the sake of precision; scikit-learn's mean of ones is one.
        values[:, :, 0] = (sums / weights).T
    made = kind(X.shape[1], np.array(n_classes or [1] * y.shape[1], dtype=np.intp), y.shape[1])
    made.__setstate__({"max_depth": depth, "node_count": len(order), "nodes": nodes, "values": values})
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
