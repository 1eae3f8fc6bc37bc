"""Boosted trees of vaglio as scikit-learn's own objects: what prediction, partial dependence and shap read."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from vaglio.learners.boosting.model.boosted import Boosted
from vaglio.learners.forest.model.forest import MISSING_RIGHT


def predictors(
    model: Boosted, codes: list[np.ndarray | None], order: np.ndarray, gains: np.ndarray, counts: np.ndarray, like: Any
) -> list[list[Any]]:
    """Return the trees as objects of scikit-learn, the trees of a round in one list.

    Parameters
    ----------
    model : Boosted
    codes : list of ndarray or None
        For each column with categories, scikit-learn's number of each category; None for a column of numbers.
    order : ndarray of int
        Where scikit-learn has each column.
    gains : ndarray
        The gain of every node.
    counts : ndarray
        The number of training rows in every node that is a leaf; 0 elsewhere.
    like : object
        A tree that the installed scikit-learn made: its class and the fields of its nodes are taken.
    """
    forest = model.forest
    link, leaf = forest.nodes["link"].astype(np.int64), forest.nodes["link"] < 0
    feature = np.where(leaf, 0, forest.nodes["feature"] & ~MISSING_RIGHT).astype(np.int64)
    nominal = np.array([known is not None for known in codes])[feature] & ~leaf
    nodes = np.zeros(len(link), dtype=like.nodes.dtype)
    nodes["is_leaf"] = leaf
    nodes["value"][leaf] = forest.leaf_values[~link[leaf], 0]
    nodes["left"], nodes["right"] = np.where(leaf, 0, link), np.where(leaf, 0, link + 1)
    nodes["feature_idx"] = np.where(leaf, 0, order[feature])
    nodes["num_threshold"] = np.where(leaf | nominal, 0.0, forest.nodes["threshold"])
    nodes["missing_go_to_left"] = ~leaf & (forest.nodes["feature"] & MISSING_RIGHT == 0)
    nodes["gain"] = np.where(leaf, -1.0, gains[: len(link)])
    nodes["is_categorical"] = nominal
    _count_and_measure(nodes, forest.starts, counts)
    made = []
    for first, last in zip(forest.starts[:-1], forest.starts[1:]):
        tree, tests = copy(like), first + np.flatnonzero(nominal[first:last])
        nodes["bitset_idx"][tests] = np.arange(len(tests))
        starts = forest.nodes["threshold"][tests].astype(np.int64)
        bits = [_left_bits(forest.tables[start:], codes[f]) for start, f in zip(starts, feature[tests])]
        tree.nodes = nodes[first:last].copy()
        tree.binned_left_cat_bitsets = tree.raw_left_cat_bitsets = np.array(bits, dtype=np.uint32).reshape(-1, 8)
        made.append(tree)
    return [made[i : i + model.outputs] for i in range(0, len(made), model.outputs)]


def _left_bits(right: np.ndarray, codes: Any) -> np.ndarray:
    """Return which of scikit-learn's categories go left, as 256 bits; vaglio notes those of its own that go right."""
    left = np.zeros(256, dtype=np.uint8)
    own = np.arange(len(codes))
    left[codes] = (right[own // 32] >> (own % 32).astype(np.uint32)) & 1 == 0
    return np.packbits(left, bitorder="little").view("<u4").astype(np.uint32)


def _count_and_measure(nodes: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """Write the depth of each node and the number of its rows: level by level down, and up again."""
    nodes["count"] = counts
    base, level = starts[:-1].astype(np.int64), starts[:-1].astype(np.int64)
    levels = []
    while len(level):
        inner = nodes["is_leaf"][level] == 0
        parent, base = level[inner], base[inner]
        left, right = base + nodes["left"][parent], base + nodes["right"][parent]
        nodes["depth"][left] = nodes["depth"][right] = nodes["depth"][parent] + 1
        levels.append((parent, left, right))
        level, base = np.concatenate([left, right]), np.concatenate([base, base])
    for parent, left, right in reversed(levels):
        nodes["count"][parent] = nodes["count"][left] + nodes["count"][right]
