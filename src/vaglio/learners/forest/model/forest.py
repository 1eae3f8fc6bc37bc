"""Many trees in one array: sixteen bytes a node, every distinct leaf content once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.forest.model.forest_check import check_links, check_tests
from vaglio.learners.forest.model.tree_shares import TreeShare, rules_of_trees
from vaglio.learners.trees.model.shrinkage import shrink
from vaglio.learners.trees.model.tree import Tree, kernel_features
from vaglio.model import checks
from vaglio.model.base import State

# Threshold (of a nominal test: where its bitset starts), link (>= 0: first of two children, counted within the tree;
# < 0: ~row of `leaves`), feature (its top bit: missing values go to the second branch).
NODE = np.dtype([("threshold", "<f8"), ("link", "<i4"), ("feature", "<u4")])
MISSING_RIGHT = np.uint32(1 << 31)
# Trees whose thresholds are tried for a counterfactual, an even choice of them: more add hardly any new threshold.
MOST_TREES = 50


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
    def from_kernel(cls, arrays: dict[str, Any], regression: bool) -> Forest:
        """Wrap the arrays the kernel returned."""
        per_tree = arrays["importances"]
        mean = per_tree.mean(axis=0)
        return cls(
            nodes=arrays["nodes"].reshape(-1).view(NODE),
            starts=arrays["starts"],
            tables=arrays["tables"],
            leaves=arrays["leaves"],
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
        link, feature, value = (
            np.concatenate([self.nodes[f][p] for p in parts]) for f in ("link", "feature", "threshold")
        )
        used = np.flatnonzero((link >= 0) & np.isfinite(value))
        feature, value = feature[used] & ~MISSING_RIGHT, value[used]
        return tuple(np.unique(value[feature == j]) for j in range(len(self.importances)))

    def size(self) -> dict[str, int]:
        return {"trees": self.n_trees, "nodes": self.n_nodes, "leaves": int((self.nodes["link"] < 0).sum())}

    # -- use ---------------------------------------------------------------------------------------------------------
    @cached_property
    def leaf_values(self) -> np.ndarray:
        """What each leaf content says: class probabilities, or the mean."""
        if self.shrinkage:
            return self._shrunken_values()
        if self.regression:
            return np.ascontiguousarray(self.leaves[:, :1])
        found: np.ndarray = self.leaves / self.leaves.sum(axis=1, keepdims=True)
        return found

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

    def _shrunken_values(self) -> np.ndarray:
        found = np.empty((len(self.leaves), 1 if self.regression else self.leaves.shape[1]))
        for start, end in zip(self.starts[:-1], self.starts[1:]):
            link = self.nodes["link"][start:end]
            value, weight = _node_values(link, self.leaves, self.regression)
            says = value if self.regression else value / weight[:, None]
            drawn = shrink(says, weight, link, np.where(link >= 0, 2, 0), self.shrinkage)
            outer = link < 0
            found[~link[outer]] = drawn[outer] if self.regression else np.maximum(drawn[outer], 0.0)
        return found

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
        inner = nodes["link"] >= 0
        feature = (nodes["feature"] & ~MISSING_RIGHT).astype(np.int32)
        nominal = np.array([f.is_nominal for f in features])[feature] & inner
        value, weight = _node_values(nodes["link"], self.leaves, self.regression)
        n = len(nodes)
        return Tree(
            node_kind=np.where(inner, np.where(nominal, 2, 1), 0).astype(np.uint8),
            feature=np.where(inner, feature, -1).astype(np.int32),
            threshold=np.where(inner & ~nominal, nodes["threshold"], 0.0),
            first_child=np.where(inner, nodes["link"], -1).astype(np.int32),
            n_children=np.where(inner, 2, 0).astype(np.int32),
            missing_branch=np.where(inner, (nodes["feature"] & MISSING_RIGHT) != 0, 0).astype(np.int32),
            table_start=np.where(nominal, nodes["threshold"], -1).astype(np.int64),
            tables=self.tables,
            value=value,
            weight=weight,
            impurity=np.zeros(n),
            gain=np.zeros(n),
            linear_start=np.empty(0, np.int64),
            linear_feature=np.empty(0, np.int32),
            linear_coef=np.empty(0),
            regression=self.regression,
            shrinkage=self.shrinkage,
        )

    def rules(self, features: tuple[Feature, ...], classes: np.ndarray | None) -> Any:
        """Return the rules of all trees; every row meets one of each tree, and their mean counts."""
        everything = np.arange(len(classes) if classes is not None else 0)
        shares = [TreeShare(self.tree(i, features), 1.0, everything) for i in range(self.n_trees)]
        return rules_of_trees(shares, features, classes)

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        inner = self.nodes["link"] >= 0
        feature = self.nodes["feature"][inner]
        number = feature & ~MISSING_RIGHT
        arrays = {
            "link": np.ascontiguousarray(self.nodes["link"]),
            "threshold": self.nodes["threshold"][inner],
            "feature": number.astype(np.uint16 if number.max(initial=0) < 1 << 16 else np.uint32),
            "missing_right": np.packbits((feature & MISSING_RIGHT) != 0),
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
        checks.within(feature, 0, len(features), "the feature of a test")
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
