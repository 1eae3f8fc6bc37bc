"""Many trees in one array: sixteen bytes a node, every distinct leaf content once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.forest.model.tree_shares import TreeShare, rules_of_trees
from vaglio.learners.trees.model.packed import MISSING_RIGHT, NODE, missing_right, tested, unpack, with_table
from vaglio.learners.trees.model.tree import Tree, check_ranks, kernel_features, shrink
from vaglio.model import checks
from vaglio.model.base import State

# Trees whose thresholds are tried for a counterfactual, an even choice of them: more add hardly any new threshold.
MOST_TREES = 50


class ForestArrays(Protocol):
    """The arrays of a forest: those of the kernel, whose nodes are bytes, or those of trees that Python joins."""

    @property
    def nodes(self) -> np.ndarray: ...
    @property
    def starts(self) -> np.ndarray: ...
    @property
    def tables(self) -> np.ndarray: ...
    @property
    def leaves(self) -> np.ndarray: ...
    @property
    def importances(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Forest:
    """A fitted forest of binary trees for classes or for numbers.

    Attributes
    ----------
    nodes : structured (n,)
        All nodes of all trees, see ``NODE``.
    starts : int64 (trees + 1,)
        Where each tree begins in ``nodes``, and the end.
    tables : uint32
        Bitsets of the nominal tests: bit 1 goes to the second branch.
    leaves : float64 (u, K)
        The distinct contents of leaves: class weights, or mean and weight for numbers.
    importances : float64 (n_features,)
        Share of each feature in the impurity removed, mean over the trees.
    regression : bool
    shrinkage : float
        How strongly leaves are drawn towards the nodes above them; if at all, each has its own row of ``leaves``.
    """

    kind: ClassVar[str] = "forest"

    nodes: np.ndarray
    starts: np.ndarray
    tables: np.ndarray
    leaves: np.ndarray
    importances: np.ndarray
    regression: bool = False
    shrinkage: float = 0.0

    @classmethod
    def from_kernel(cls, arrays: ForestArrays, regression: bool) -> Forest:
        """Wrap the arrays the kernel returned, or those of trees that were joined."""
        mean = arrays.importances.mean(axis=0)
        return cls(
            nodes=arrays.nodes.reshape(-1).view(NODE),
            starts=arrays.starts,
            tables=arrays.tables,
            leaves=arrays.leaves,
            importances=mean / mean.sum() if mean.sum() > 0 else mean,
            regression=regression,
        )

    @property
    def n_trees(self) -> int:
        return len(self.starts) - 1

    @property
    def n_nodes(self) -> int:
        return len(self.nodes)

    @property
    def parents(self) -> np.ndarray:
        """Parent of each node, numbered through the whole forest; -1 for roots."""
        link = self.nodes["link"].astype(np.int64)
        inner = np.flatnonzero(link >= 0)
        start = self.starts[np.searchsorted(self.starts, inner, side="right") - 1]
        parents = np.full(self.n_nodes, -1, dtype=np.int64)
        parents[start + link[inner]] = inner
        parents[start + link[inner] + 1] = inner
        return parents

    @cached_property
    def node_depths(self) -> np.ndarray:
        """The number of tests above each node, int32."""
        link, depths, depth = self.nodes["link"], np.zeros(self.n_nodes, dtype=np.int32), 0
        node = start = self.starts[:-1]
        while node.size:
            depths[node] = depth
            inner = link[node] >= 0
            start = start[inner]
            first = start + link[node[inner]]
            node, start = np.concatenate([first, first + 1]), np.concatenate([start, start])
            depth += 1
        return depths

    @cached_property
    def cuts(self) -> tuple[np.ndarray, ...]:
        """By feature, the different finite thresholds of some of the trees, in order.

        Of a nominal feature the numbers mean nothing.
        """
        trees = range(0, self.n_trees, max(1, self.n_trees // MOST_TREES))
        parts = [slice(self.starts[i], self.starts[i + 1]) for i in trees]
        nodes = np.concatenate([self.nodes[part] for part in parts])
        nodes = nodes[(nodes["link"] >= 0) & np.isfinite(nodes["threshold"])]
        feature, value = tested(nodes), nodes["threshold"]
        return tuple(np.unique(value[feature == j]) for j in range(len(self.importances)))

    def size(self) -> dict[str, int]:
        return {"trees": self.n_trees, "nodes": self.n_nodes, "leaves": int((self.nodes["link"] < 0).sum())}

    # -- use ---------------------------------------------------------------------------------------------------------
    @cached_property
    def leaf_values(self) -> np.ndarray:
        """What each leaf content says: class probabilities, or the mean."""
        found = self.leaves[:, :1].copy() if self.regression else self.leaves / self.leaves.sum(axis=1, keepdims=True)
        if not self.shrinkage:
            return found
        for start, end in zip(self.starts[:-1], self.starts[1:]):
            link = self.nodes["link"][start:end]
            value, weight = _node_values(link, self.leaves, self.regression)
            says = value if self.regression else value / weight[:, None]
            drawn = shrink(says, weight, link, np.where(link >= 0, 2, 0), self.shrinkage)
            outer = link < 0
            found[~link[outer]] = drawn[outer] if self.regression else np.maximum(drawn[outer], 0.0)
        return found

    def with_votes(self) -> Forest:
        """Return the same forest with leaves that are sure of their majority: its probabilities are shares of votes."""
        votes = np.zeros_like(self.leaves)
        votes[np.arange(len(votes)), self.leaves.argmax(axis=1)] = self.leaves.sum(axis=1)
        return replace(self, leaves=votes)

    def with_shrinkage(self, lam: float) -> Forest:
        """Return the same forest with its leaves drawn towards the nodes above them."""
        if self.shrinkage or not lam:
            return replace(self, shrinkage=float(lam))
        # What a shrunken leaf says depends on its path: leaves of equal content get rows of their own.
        nodes = self.nodes.copy()
        outer = np.flatnonzero(nodes["link"] < 0)
        leaves = self.leaves[~nodes["link"][outer]]
        nodes["link"][outer] = ~np.arange(len(outer), dtype=np.int32)
        return replace(self, nodes=nodes, leaves=leaves, shrinkage=float(lam))

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        return self._sums(matrix)[0] / self.n_trees

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the mean over the trees, for a forest of numbers."""
        return self._sums(matrix)[0][:, 0] / self.n_trees

    def predict_unseen(self, matrix: EncodedMatrix, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return for each training row the mean over the trees that did not draw it, and how many these were."""
        sums, asked = self._sums(matrix, draws, seed)
        with np.errstate(invalid="ignore"):
            return np.where(asked[:, None] > 0, sums / np.maximum(asked, 1)[:, None], np.nan), asked

    def _sums(self, matrix: EncodedMatrix, draws: int = 0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        sums: np.ndarray
        asked: np.ndarray
        sums, asked = self.packed(matrix.features).predict(
            matrix.given_rows, matrix.code_rows, self.leaf_values, draws=draws, seed=seed, n_threads=matrix.threads
        )
        return sums, asked

    def apply(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the leaf of each row in each tree, int32 (n, trees), numbered through the whole forest."""
        leaf: np.ndarray = self.packed(matrix.features).apply(
            matrix.given_rows, matrix.code_rows, n_threads=matrix.threads
        )
        return leaf

    def contributions(self, matrix: EncodedMatrix, direction: np.ndarray) -> np.ndarray:
        """Return what each column contributes to the sum over the trees, (n, n_features + 1): its Shapley value.

        The last number is the sum when no column is known; see :meth:`Tree.contributions`.

        Parameters
        ----------
        matrix : EncodedMatrix
        direction : float64 (n, outputs, K)
            The sum that is meant: what tree t says, times these numbers of output t mod outputs.
        """
        found: np.ndarray = self.packed(matrix.features).contributions(
            matrix.numeric_rows,
            matrix.code_rows,
            np.ascontiguousarray(self.leaves[:, 1] if self.regression else self.leaves.sum(axis=1)),
            self.leaf_values,
            np.ascontiguousarray(direction),
            n_threads=matrix.threads,
        )
        return found

    def permutation_importances(self, matrix: EncodedMatrix, y: np.ndarray, draws: int, seed: int) -> np.ndarray:
        """Return the loss each feature's shuffling adds on the rows a tree did not draw, (trees, n_features)."""
        found: np.ndarray = self.packed(matrix.features).permutation_importance(
            matrix.numeric_rows,
            matrix.code_rows,
            self.leaf_values,
            y,
            0 if self.regression else self.leaves.shape[1],
            draws=draws,
            seed=seed,
            n_threads=matrix.threads,
        )
        return found

    def packed(self, features: tuple[Feature, ...]) -> Any:
        """Return the trees laid out for the kernel; what it makes of them is kept."""
        kept = self.__dict__.get("_packed")
        if kept is None or kept[0] is not features:
            nodes = self.nodes.view(np.uint8).reshape(-1, NODE.itemsize)
            kept = features, _core.PackedForest(nodes, self.starts, self.tables, *kernel_features(features))
            self.__dict__["_packed"] = kept
        return kept[1]

    # The kernel's form is no data: a copy in another process makes its own.
    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    # -- reading -----------------------------------------------------------------------------------------------------
    def tree(self, index: int, features: tuple[Feature, ...]) -> Tree:
        """Return one of the trees as a model of its own, with the class weights of every node."""
        nodes = self.nodes[self.starts[index] : self.starts[index + 1]]
        value, weight = _node_values(nodes["link"], self.leaves, self.regression)
        return unpack(nodes, self.tables, features, value, weight, self.regression, self.shrinkage)

    def rules(self, features: tuple[Feature, ...], classes: np.ndarray | None) -> Any:
        """Return the rules of all trees; every row meets one of each tree, and their mean counts."""
        everything = np.arange(len(classes) if classes is not None else 0)
        shares = [TreeShare(self.tree(i, features), 1.0, everything) for i in range(self.n_trees)]
        return rules_of_trees(shares, features, classes)

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        inner = self.nodes[self.nodes["link"] >= 0]
        number = tested(inner)
        arrays = {
            "link": np.ascontiguousarray(self.nodes["link"]),
            "threshold": np.ascontiguousarray(inner["threshold"]),
            "feature": number.astype(np.uint16 if number.max(initial=0) < 1 << 16 else np.uint32),
            "missing_right": np.packbits(missing_right(inner)),
            "starts": self.starts,
            "tables": self.tables,
            "leaves": self.leaves,
            "importances": self.importances,
        }
        return arrays, {"regression": self.regression} | ({"shrinkage": self.shrinkage} if self.shrinkage else {})

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Forest:
        regression = checks.number(meta, "regression", bool)
        checks.need(regression == (n_classes == 0), "the forest and its classes do not fit each other")
        link = checks.array(arrays, "link", np.int32, (None,))
        inner = link >= 0
        count = int(inner.sum())
        feature = arrays.get("feature")
        wide = feature is not None and feature.dtype == np.uint32
        feature = checks.array(arrays, "feature", np.uint32 if wide else np.uint16, (count,)).astype(np.uint32)
        checks.within(feature, 0, len(features), "the feature of a test is out of range")
        missing = checks.array(arrays, "missing_right", np.uint8, ((count + 7) // 8,))
        nodes = np.zeros(len(link), dtype=NODE)
        nodes["link"] = link
        nodes["threshold"][inner] = checks.array(arrays, "threshold", np.float64, (count,))
        nodes["feature"][inner] = feature | np.where(np.unpackbits(missing, count=count), MISSING_RIGHT, np.uint32(0))
        forest = cls(
            nodes=nodes,
            starts=checks.array(arrays, "starts", np.int64, (None,)),
            tables=checks.array(arrays, "tables", np.uint32, (None,)),
            leaves=checks.array(arrays, "leaves", np.float64, (None, n_classes or 2), finite=True),
            importances=checks.array(arrays, "importances", np.float64, (len(features),), finite=True),
            regression=regression,
            shrinkage=checks.shrinkage(meta),
        )
        check_links(forest)
        check_tests(forest, features)
        return forest


def _node_values(link: np.ndarray, leaves: np.ndarray, regression: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return value and weight of every node, summed up from the leaves, the deepest first."""
    held = np.zeros((len(link), leaves.shape[1]))
    outer = link < 0
    held[outer] = leaves[~link[outer]]
    if regression:
        held[:, 0] *= held[:, 1]
    levels = []
    level = np.zeros(1, dtype=np.int64)
    while (level := level[~outer[level]]).size:
        levels.append(level)
        level = np.concatenate([link[level], link[level] + 1])
    for level in reversed(levels):
        held[level] = held[link[level]] + held[link[level] + 1]
    if not regression:
        return held, held.sum(axis=1)
    weight = held[:, 1].copy()
    return held[:, :1] / np.where(weight > 0, weight, 1.0)[:, None], weight


# -- checks: what a file claims is not followed by any kernel before it is known to be a forest ----------------------
def check_links(forest: Forest) -> None:
    """Check that the links form trees and that every leaf has a content."""
    starts, link, n = forest.starts, forest.nodes["link"].astype(np.int64), forest.n_nodes
    checks.need(0 < n < 1 << 31 and len(starts) >= 2, "the forest has no trees")
    checks.need(starts[0] == 0 and starts[-1] == n and (np.diff(starts) > 0).all(), "the trees do not fill the forest")
    checks.within(~link[link < 0], 0, len(forest.leaves), "the content of a leaf is out of range")
    if not forest.regression:
        checks.sound_weights(forest.leaves, "a leaf has impossible class weights")
        checks.need((forest.leaves.sum(axis=1) > 0).all(), "a leaf has impossible class weights")
    if forest.shrinkage:
        own = np.sort(~link[link < 0])
        checks.need(
            len(own) == len(forest.leaves) and (np.diff(own) == 1).all(), "leaves of a shrunken forest share a content"
        )
        checks.sound_weights(forest.leaves[:, -1], "a leaf has an impossible weight")
    inner = np.flatnonzero(link >= 0)
    tree = np.searchsorted(starts, inner, side="right") - 1
    checks.need((link[inner] < n).all(), "the children of a node are impossible")
    first = starts[tree] + link[inner]
    checks.need((first > inner).all() and (first + 1 < starts[tree + 1]).all(), "the children of a node are impossible")
    # Each node but the roots is the child of exactly one node that comes before it: no cycle, nothing unreachable.
    parents = np.bincount(np.concatenate([first, first + 1]), minlength=n)
    expected = np.ones(n, dtype=np.int64)
    expected[starts[:-1]] = 0
    checks.need((parents == expected).all(), "the children of the nodes do not form trees")


def check_tests(forest: Forest, features: tuple[Feature, ...]) -> None:
    """Check that every test asks for something the columns have."""
    inner = forest.nodes[forest.nodes["link"] >= 0]
    feature, threshold, nominal = tested(inner), inner["threshold"], with_table(inner, features)
    usable = np.array([f.in_numeric_block or f.is_nominal for f in features])
    checks.need(usable[feature].all(), "a test is set on a column without order or categories")
    checks.need(not np.isnan(threshold).any(), "a threshold is not a number")
    check_ranks(feature, threshold, features)
    arity = np.array([len(f.categories) if f.is_nominal else 0 for f in features])
    start, words = threshold[nominal], (arity[feature[nominal]] + 31) // 32
    checks.need((start == np.floor(start)).all() and (start >= 0).all(), "a category table is out of range")
    checks.need((start + words <= len(forest.tables)).all(), "a category table is out of range")
