"""A decision tree as arrays: node 0 is the root, siblings lie side by side, parents come before children."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse as sp

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.trees.model.binary_nodes import LEAF, LINEAR, BinaryNodes
from vaglio.learners.trees.model.shrinkage import shrink
from vaglio.learners.trees.model.tree_check import check_shape, check_tests
from vaglio.model import checks
from vaglio.model.base import Smoothing, State

# The arrays of a tree, with the types in which the grower gives them and the file keeps them.
_DTYPES: dict[str, Any] = {
    "node_kind": np.uint8,
    "feature": np.int32,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "missing_branch": np.int32,
    "table_start": np.int64,
    "tables": np.uint32,
    "value": np.float64,
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,
    "linear_start": np.int64,
    "linear_feature": np.int32,
    "linear_coef": np.float64,
}


@dataclass(frozen=True, eq=False)
class Tree(BinaryNodes):
    """A fitted tree for classes or for numbers.

    Attributes
    ----------
    node_kind : uint8 (n,)
        0 leaf, 1 threshold, 2 subset of categories, 3 one branch per category, 4 linear combination.
    feature : int32 (n,)
        Index of the tested feature; -1 in a leaf or a linear test.
    threshold : float64 (n,)
        Branch 0 is ``x <= threshold`` (``x < threshold`` when ``strict``).
    first_child, n_children : int32 (n,)
        Children of a node are ``first_child … first_child + n_children - 1``; -1 and 0 in a leaf.
    missing_branch : int32 (n,)
        Where a missing value goes; -1 spreads it over the branches by their training weight.
    table_start : int64 (n,), tables : uint32
        Where the category table of a node starts: a bitset (subset: bit 1 goes to branch 1) or one word per category
        (multiway: its branch).
    value : float64 (n, K)
        Class weights of the training rows in the node; for numbers (n, 1) their mean.
    weight, impurity, gain : float64 (n,)
        Training weight, impurity, and gain of the node's split in the criterion's unit.
    linear_start : int64 (n + 1,), linear_feature : int32, linear_coef : float64
        Terms of the linear tests.
    strict : bool
    smoothing : {"none", "laplace", "m-estimate"}
    m : float
        Weight of the prior in the m-estimate.
    shrinkage : float
        How strongly nodes are drawn towards those above them; 0 leaves them as they are.
    """

    kind: ClassVar[str] = "tree"

    node_kind: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    missing_branch: np.ndarray
    table_start: np.ndarray
    tables: np.ndarray
    value: np.ndarray
    weight: np.ndarray
    impurity: np.ndarray
    gain: np.ndarray
    linear_start: np.ndarray
    linear_feature: np.ndarray
    linear_coef: np.ndarray
    strict: bool = False
    smoothing: str = "none"
    m: float = 2.0
    regression: bool = False
    shrinkage: float = 0.0

    # -- shape -------------------------------------------------------------------------------------------------------
    @property
    def n_nodes(self) -> int:
        return len(self.node_kind)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        found: np.ndarray = self.node_kind == LEAF
        return found

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @cached_property
    def parent(self) -> np.ndarray:
        """Parent of each node; -1 for the root."""
        parent = np.full(self.n_nodes, -1, dtype=np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        counts = self.n_children[inner]
        # Child number 0, 1, … of each inner node, one after the other.
        ordinal = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        parent[np.repeat(self.first_child[inner], counts) + ordinal] = np.repeat(inner, counts)
        return parent

    @cached_property
    def depth_of(self) -> np.ndarray:
        """Number of tests above each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        for node, parent in enumerate(self.parent[1:].tolist(), start=1):
            depth[node] = depth[parent] + 1
        return depth

    @property
    def depth(self) -> int:
        return int(self.depth_of.max())

    def size(self) -> dict[str, int]:
        return {"nodes": self.n_nodes, "leaves": self.n_leaves, "depth": self.depth}

    def mean_shape(self) -> dict[str, float]:
        """Return the mean number of tests of a training row, by its weight, and of branches per test."""
        leaves = self.is_leaf
        total = self.weight[leaves].sum()
        tests = (self.weight * self.depth_of)[leaves].sum() / total if total > 0 else 0.0
        branches = self.n_children[~leaves].mean() if not leaves.all() else 0.0
        return {"mean_path": float(tests), "branching": float(branches)}

    def children(self, node: int) -> range:
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    # -- use ---------------------------------------------------------------------------------------------------------
    @cached_property
    def says(self) -> np.ndarray:
        """What each node predicts: class probabilities, smoothed, or a number; shrunken if the tree is."""
        smoothing = Smoothing(self.smoothing, self.m)
        says = self.value if self.regression else smoothing.probabilities(self.value, self.value[0])
        if not self.shrinkage:
            return says
        drawn = shrink(says, self.weight, self.first_child, self.n_children, self.shrinkage)
        return drawn if self.regression else np.maximum(drawn, 0.0)

    def with_shrinkage(self, lam: float) -> Tree:
        """Return the same tree with its nodes drawn towards those above them."""
        return replace(self, shrinkage=float(lam))

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        return self._mean_over_leaves(matrix, self.says)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return what the leaf says, for a tree that predicts numbers."""
        return self._mean_over_leaves(matrix, self.says)[:, 0]

    def apply(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the leaf each row ends in; of several (missing values) the heaviest, then the lowest."""
        leaf: np.ndarray = self.predictor(matrix.features).apply(
            matrix.numeric_rows, matrix.codes, n_threads=matrix.threads
        )
        return leaf

    def decision_path(self, matrix: EncodedMatrix) -> sp.csr_array:
        """Return which nodes each row visits, all of them where a missing value goes several ways."""
        indptr, indices = self.predictor(matrix.features).decision_path(
            matrix.numeric_rows, matrix.codes, n_threads=matrix.threads
        )
        ones = np.ones(len(indices), dtype=np.int8)
        return sp.csr_array((ones, indices, indptr), shape=(matrix.n_rows, self.n_nodes))

    def contributions(self, matrix: EncodedMatrix, says: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """Return what each column contributes to a prediction, (n, n_features + 1): its Shapley value.

        Where a column is not known, a row goes down all branches, as the training rows did. The last number is what is
        predicted when none is known; all together are the prediction.

        Parameters
        ----------
        matrix : EncodedMatrix
        says : float64 (nodes, K)
            What each leaf predicts.
        direction : float64 (n, K)
            The prediction that is meant: the sum of these numbers times the K that are predicted.
        """
        found: np.ndarray = self.predictor(matrix.features).contributions(
            matrix.numeric_rows,
            matrix.codes,
            np.ascontiguousarray(says),
            np.ascontiguousarray(direction),
            n_threads=matrix.threads,
        )
        return found

    def _mean_over_leaves(self, matrix: EncodedMatrix, values: np.ndarray) -> np.ndarray:
        predictor = self.predictor(matrix.features)
        found: np.ndarray = predictor.predict(
            matrix.numeric_rows, matrix.codes, np.ascontiguousarray(values), n_threads=matrix.threads
        )
        return found

    def predictor(self, features: tuple[Feature, ...]) -> Any:
        """Return the tree laid out for the kernel, made once."""
        if "_kernel" not in self.__dict__:
            self.__dict__["_kernel"] = _core.TreePredictor(self.to_kernel(), *kernel_features(features))
        return self.__dict__["_kernel"]

    def importances(self, n_features: int) -> np.ndarray:
        """Return each feature's share of the total decrease of impurity; a linear test's is split by its terms."""
        loss = self.weight * self.impurity
        below = np.zeros(self.n_nodes)
        np.add.at(below, self.parent[1:], loss[1:])
        loss = loss - below
        decrease = np.zeros(n_features)
        single = ~self.is_leaf & (self.node_kind != LINEAR)
        np.add.at(decrease, self.feature[single], loss[single])
        for node in np.flatnonzero(self.node_kind == LINEAR).tolist():
            span = slice(int(self.linear_start[node]), int(self.linear_start[node + 1]))
            size = np.abs(self.linear_coef[span])
            np.add.at(decrease, self.linear_feature[span], loss[node] * size / size.sum())
        decrease = np.maximum(decrease, 0.0)
        return decrease / decrease.sum() if decrease.sum() > 0 else decrease

    def rules(self, features: tuple[Feature, ...], classes: np.ndarray | None) -> Any:
        from vaglio.learners.trees.model.tree_rules import rules_of_tree

        return rules_of_tree(self, features, classes)

    # -- kernel ------------------------------------------------------------------------------------------------------
    @classmethod
    def from_kernel(cls, arrays: dict[str, Any], smoothing: str, m: float, regression: bool) -> Tree:
        """Wrap the arrays a kernel returned."""
        arrays = dict(arrays)
        strict = bool(arrays.pop("strict").any())
        arrays["node_kind"] = arrays.pop("kind")
        return cls(
            **{name: np.asarray(arrays.get(name, ()), dtype=dtype) for name, dtype in _DTYPES.items()},
            strict=strict,
            smoothing=smoothing,
            m=m,
            regression=regression,
            shrinkage=0.0,
        )

    def to_kernel(self) -> dict[str, Any]:
        """Return the arrays as the kernels name them."""
        arrays = {name: getattr(self, name) for name in _DTYPES if name != "node_kind"}
        return {"kind": self.node_kind, "strict": np.full(self.n_nodes, self.strict), **arrays}

    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays = {name: getattr(self, name).astype(dtype, copy=False) for name, dtype in _DTYPES.items()}
        meta = {
            "strict": self.strict,
            "smoothing": self.smoothing,
            "m": self.m,
            "regression": self.regression,
        }
        # A tree that is not shrunken is written as before there was shrinkage.
        return arrays, meta | ({"shrinkage": self.shrinkage} if self.shrinkage else {})

    @classmethod
    def from_state(
        cls,
        arrays: dict[str, np.ndarray],
        meta: dict[str, Any],
        features: tuple[Feature, ...],
        n_classes: int,
    ) -> Tree:
        regression = checks.number(meta, "regression", bool)
        checks.need(regression == (n_classes == 0), "the tree and its classes do not fit each other")
        tree = cls(
            **{name: _read(arrays, name, dtype, n_classes) for name, dtype in _DTYPES.items()},
            strict=checks.number(meta, "strict", bool),
            smoothing=checks.number(meta, "smoothing", str),
            m=float(checks.number(meta, "m")),
            regression=regression,
            shrinkage=checks.shrinkage(meta),
        )
        checks.need(tree.smoothing in ("none", "laplace", "m-estimate"), "the smoothing of the leaves is unknown")
        checks.need(0 <= tree.m < np.inf, "the smoothing of the leaves is impossible")
        check_shape(tree)
        check_tests(tree, features)
        tree.predictor(features)  # the kernel looks at every index once more
        return tree


def _read(arrays: dict[str, np.ndarray], name: str, dtype: Any, n_classes: int) -> np.ndarray:
    finite = name in ("value", "weight", "impurity", "gain", "linear_coef")
    shape = (None, max(n_classes, 1)) if name == "value" else (None,)
    return checks.array(arrays, name, dtype, shape, finite=finite)


def kernel_features(features: tuple[Feature, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, as the kernels want it: which features are nominal, the column of each in its block, the categories."""
    sizes = [len(feature.categories) for feature in features if feature.is_nominal]
    if not sizes:
        return np.zeros(len(features), np.uint8), np.arange(len(features), dtype=np.uint32), np.empty(0, np.uint32)
    nominal = np.array([feature.is_nominal for feature in features], dtype=np.uint8)
    column = np.where(nominal, np.cumsum(nominal), np.cumsum(1 - nominal)) - 1
    return nominal, column.astype(np.uint32), np.array(sizes, dtype=np.uint32)
