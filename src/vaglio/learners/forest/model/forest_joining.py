"""Trees from several sources as the arrays of one forest: those that growing all of them together would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.forest.model.forest import MISSING_RIGHT, NODE
from vaglio.learners.trees.model.tree import Tree

_SUBSET = 2


@dataclass(frozen=True)
class Part:
    """Some trees of a forest: the arrays of :class:`Forest`, numbered by themselves.

    Attributes
    ----------
    nodes : structured (n,)
    starts : int64 (trees + 1,)
    tables : uint32
    leaves : float64 (leaves, K)
    importances : float64 (trees, n_features)
        Share of each feature in what the splits of a tree gain.
    """

    nodes: np.ndarray
    starts: np.ndarray
    tables: np.ndarray
    leaves: np.ndarray
    importances: np.ndarray

    @classmethod
    def of_tree(cls, tree: Tree, features: tuple[Feature, ...]) -> Part:
        """Take a tree of two branches a node."""
        words = np.array([(len(f.categories) + 31) // 32 if f.is_nominal else 0 for f in features], dtype=np.int64)
        inner, subset = ~tree.is_leaf, tree.node_kind == _SUBSET
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
        tables = tree.tables[np.repeat(tree.table_start[subset], length) + within]
        leaves = tree.value[~inner]
        if tree.regression:
            leaves = np.column_stack([leaves, tree.weight[~inner]])
        starts = np.array([0, tree.n_nodes], dtype=np.int64)
        return cls(nodes, starts, tables, leaves, _importances(tree, len(features))[None])

    @classmethod
    def of_forest(cls, arrays: dict[str, Any], features: tuple[Feature, ...], first: int = 0) -> Part:
        """Take the trees of a forest from one on; the arrays are named as the grower of forests names them."""
        starts = arrays["starts"][first:]
        nodes = arrays["nodes"].reshape(-1).view(NODE)[starts[0] :].copy()
        nominal = _with_table(nodes, features)
        begin = int(nodes["threshold"][nominal].min(initial=len(arrays["tables"])))
        nodes["threshold"][nominal] -= begin
        return cls(nodes, starts - starts[0], arrays["tables"][begin:], arrays["leaves"], arrays["importances"][first:])


def joined_arrays(parts: Sequence[Part], features: tuple[Feature, ...]) -> dict[str, Any]:
    """Return the arrays of a forest of all these trees, named as the grower of forests names them."""
    nodes, leaves, starts, n_words = [], [], [np.zeros(1, np.int64)], 0
    for part in parts:
        own = part.nodes.copy()
        own["threshold"][_with_table(own, features)] += n_words
        leaves.append(part.leaves[~own["link"][own["link"] < 0]])
        nodes.append(own)
        starts.append(part.starts[1:] + starts[-1][-1])
        n_words += len(part.tables)
    every = np.concatenate(nodes)
    distinct, row = _distinct(np.concatenate(leaves))
    every["link"][every["link"] < 0] = ~row
    return {
        "nodes": every,
        "starts": np.concatenate(starts),
        "tables": np.concatenate([part.tables for part in parts]),
        "leaves": distinct,
        "importances": np.concatenate([part.importances for part in parts]),
    }


def _with_table(nodes: np.ndarray, features: tuple[Feature, ...]) -> np.ndarray:
    """Return which nodes test a nominal feature: their threshold says where a bitset begins."""
    nominal = np.array([feature.is_nominal for feature in features])
    found: np.ndarray = nominal[nodes["feature"] & ~MISSING_RIGHT] & (nodes["link"] >= 0)
    return found


def _distinct(leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, in the order in which they first appear, and the number of each row among them."""
    leaves = np.ascontiguousarray(leaves)
    contents = leaves.view(np.dtype((np.void, leaves.dtype.itemsize * leaves.shape[1]))).ravel()
    _, first, inverse = np.unique(contents, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return leaves[first[order]], number[inverse.ravel()]


def _importances(tree: Tree, n_features: int) -> np.ndarray:
    """Return the share of each feature in what the splits gain, added up in the order of the nodes."""
    inner = np.flatnonzero(~tree.is_leaf)
    gains = tree.gain[inner] * tree.weight[inner]
    found = np.zeros(n_features)
    np.add.at(found, tree.feature[inner], gains)
    removed = np.cumsum(gains)[-1] if len(gains) else 0.0
    return found / removed if removed > 0 else found
