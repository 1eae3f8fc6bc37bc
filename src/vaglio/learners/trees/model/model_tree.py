"""A model tree as data: a tree whose leaves hold weighted sums of the encoded columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import DenseEncoder, EncodedMatrix, Feature, within_reach
from vaglio.learners.trees.model.tree import LEAF, Tree
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class ModelTree:
    """A tree for numbers with a linear model in each leaf, smoothed already.

    Attributes
    ----------
    tree : Tree
        Where a row goes; no missing value shares it out. What its nodes say is the mean of their training rows.
    encoder : DenseEncoder
    start : int64 (n_nodes + 1,)
        The terms of a leaf are ``start[node] … start[node + 1] - 1``; other nodes have none.
    column : int32, coef : float64
        Encoded column and coefficient of each term.
    intercept : float64 (n_nodes,)
        Of the leaves; 0 in other nodes.
    bounds : float64 (2,)
        The least and the greatest number of the training rows: no prediction is outside.
    """

    kind: ClassVar[str] = "model-tree"

    tree: Tree
    encoder: DenseEncoder
    start: np.ndarray
    column: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    bounds: np.ndarray

    def terms(self, leaf: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the encoded columns of a leaf's linear model, and their coefficients."""
        span = slice(int(self.start[leaf]), int(self.start[leaf + 1]))
        return self.column[span], self.coef[span]

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the number that the linear model of the leaf gives, within the bounds."""
        leaf = self.tree.apply(matrix)
        values = within_reach(self.encoder.transform(matrix), lambda rows: self.sums(rows, leaf))
        kept: np.ndarray = np.clip(values, self.bounds[0], self.bounds[1])
        return kept

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        return self.predict(matrix)[:, None]

    def sums(self, rows: np.ndarray, leaf: np.ndarray) -> np.ndarray:
        """Return what the linear models of the leaves give for encoded rows; term by term, as for single rows."""
        order = np.argsort(leaf, kind="stable")
        leaves, begin = np.unique(leaf[order], return_index=True)
        found = np.zeros(len(leaf))
        for node, own in zip(leaves.tolist(), np.split(order, begin[1:])):
            for column, coef in zip(*self.terms(node)):
                found[own] += rows[own, column] * coef
            found[own] += self.intercept[node]
        return found

    def size(self) -> dict[str, int]:
        return {**self.tree.size(), "weights": len(self.coef) + self.tree.n_leaves}

    def mean_shape(self) -> dict[str, float]:
        """Return the mean number of tests of a training row, and of branches per test."""
        return self.tree.mean_shape()

    def state(self) -> State:
        arrays, meta = self.tree.state()
        encoding, encoder = self.encoder.to_state()
        own = {f"model_{name}": getattr(self, name) for name in ("start", "column", "coef", "intercept", "bounds")}
        return {**arrays, **encoding, **own}, {**meta, "encoder": encoder}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> ModelTree:
        tree = Tree.from_state(arrays, meta, features, n_classes)
        checks.need(tree.regression and not tree.spreads_missing, "the tree of a model tree shares no row out")
        encoder = DenseEncoder.from_state(arrays, meta.get("encoder"), features)
        checks.need(not encoder.as_is and encoder.products is None, "the encoding of its columns is not readable")
        n = tree.n_nodes
        start = checks.array(arrays, "model_start", np.int64, (n + 1,))
        column = checks.array(arrays, "model_column", np.int32, (None,))
        coef = checks.array(arrays, "model_coef", np.float64, (len(column),), finite=True)
        intercept = checks.array(arrays, "model_intercept", np.float64, (n,), finite=True)
        bounds = checks.array(arrays, "model_bounds", np.float64, (2,), finite=True)
        checks.need(start[0] == 0 and start[-1] == len(column), "the terms of the leaves are out of range")
        checks.need((np.diff(start) >= 0).all(), "the terms of the leaves are out of range")
        checks.need((np.diff(start)[~tree.is_leaf] == 0).all(), "a node with children has a linear model")
        checks.within(column, 0, encoder.width, "the column of a term is out of range")
        checks.need(bounds[0] <= bounds[1], "the bounds of the predictions are impossible")
        return cls(tree, encoder, start, column, coef, intercept, bounds)


def cut_back(tree: Tree, leaf: np.ndarray) -> tuple[Tree, np.ndarray]:
    """Return the tree in which the nodes marked as ``leaf`` have no children, and the old number of each node."""
    kept = np.zeros(tree.n_nodes, dtype=bool)
    kept[0] = True
    for node in np.flatnonzero(~leaf).tolist():
        if kept[node]:
            kept[tree.children(node)] = True
    old = np.flatnonzero(kept)
    place = np.cumsum(kept) - 1
    inner = ~leaf[old]
    whole: dict[str, Any] = {
        name: getattr(tree, name)[old]
        for name in ("node_kind", "feature", "threshold", "first_child", "n_children", "missing_branch", "table_start")
    }
    first = place[np.maximum(whole["first_child"], 0)].astype(np.int32)
    whole["node_kind"] = np.where(inner, whole["node_kind"], LEAF).astype(np.uint8)
    whole["feature"] = np.where(inner, whole["feature"], -1).astype(np.int32)
    whole["threshold"] = np.where(inner, whole["threshold"], 0.0)
    whole["first_child"] = np.where(inner, first, -1).astype(np.int32)
    whole["n_children"] = np.where(inner, whole["n_children"], 0).astype(np.int32)
    for name in ("value", "weight", "impurity"):
        whole[name] = getattr(tree, name)[old]
    whole["gain"] = np.where(inner, tree.gain[old], 0.0)
    return replace(tree, **whole, linear_start=np.zeros(0, np.int64)), old
