"""A decision tree as arrays: node 0 is the root, siblings lie side by side, parents come before children."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse as sp

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import NotSupportedError
from vaglio.messages.message import text
from vaglio.model import checks
from vaglio.model.base import Smoothing, State

# The kinds of nodes, by the numbers the grower gives.
LEAF, THRESHOLD, SUBSET, MULTIWAY, LINEAR = range(5)
_NOT_BINARY = {
    SUBSET: text("a set of categories"),
    MULTIWAY: text("one branch per category"),
    LINEAR: text("a sum of several columns"),
}

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
# Those that the kernels name as here.
_SAME_NAMES = [name for name in _DTYPES if name != "node_kind"]


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree for classes or for numbers.

    Attributes
    ----------
    node_kind : uint8 (n,)
        LEAF, THRESHOLD, SUBSET (of categories), MULTIWAY (one branch per category) or LINEAR (combination).
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

    @cached_property
    def means(self) -> bool:
        """Whether the nodes of a tree for numbers hold the means of their rows, and not their medians."""
        leaves = self.is_leaf
        total = float(self.weight[leaves].sum())
        if not self.regression or not total > 0:
            return False
        middle = float(self.weight[leaves] @ self.value[leaves, 0] / total)
        return bool(abs(middle - self.value[0, 0]) <= 1e-9 * np.abs(self.value).max())

    @cached_property
    def spreads(self) -> np.ndarray | None:
        """Standard deviation of the training rows in each node; None where the impurity is no variance.

        Variances, and no other impurity, add up: that of the root is that within the leaves and that between them.
        """
        if not self.means:
            return None
        leaves = self.is_leaf
        share = self.weight[leaves] / self.weight[leaves].sum()
        within = share @ self.impurity[leaves]
        between = share @ (self.value[leaves, 0] - self.value[0, 0]) ** 2
        if not abs(within + between - self.impurity[0]) <= 1e-6 * self.impurity[0]:
            return None
        return np.asarray(np.sqrt(np.maximum(self.impurity, 0.0)))

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

    # -- missing values ----------------------------------------------------------------------------------------------
    @property
    def spreads_missing(self) -> bool:
        """Whether a missing value may send a row down several branches."""
        return bool((self.missing_branch[~self.is_leaf] < 0).any())

    def missing_share(self, node: int, branch: int) -> float:
        """Return the share of a row of unknown value that a branch of a node gets, as the kernel spreads it."""
        direction = int(self.missing_branch[node])
        if direction < 0:
            first = int(self.first_child[node])
            weight = self.weight[first : first + int(self.n_children[node])]
            total = float(np.cumsum(weight)[-1])  # added one by one, as the kernel does
            if 0 < total < np.inf and weight.max() / total > 0:
                return float(weight[branch] / total)
        # Weights that are all zero, or whose sum is not finite, give the first branch all.
        return float(branch == max(direction, 0))

    # -- names of scikit-learn's trees -------------------------------------------------------------------------------
    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self.n_nodes

    @property
    def max_depth(self) -> int:
        """Number of tests on the longest path."""
        return self.depth

    @property
    def weighted_n_node_samples(self) -> np.ndarray:
        """Training weight of each node."""
        return self.weight

    @property
    def children_left(self) -> np.ndarray:
        """The child of rows up to the threshold; -1 in a leaf."""
        return self._child(0)

    @property
    def children_right(self) -> np.ndarray:
        """The child of rows above the threshold; -1 in a leaf."""
        return self._child(1)

    def _child(self, side: int) -> np.ndarray:
        other = np.flatnonzero((self.node_kind != LEAF) & (self.node_kind != THRESHOLD))
        if other.size:
            test = _NOT_BINARY[int(self.node_kind[other[0]])]
            raise NotSupportedError(
                "no-threshold",
                "Node {node} of this tree tests {test} and has no left and right child. Read first_child "
                "and n_children, or use rules() or to_text().",
                node=int(other[0]),
                test=test,
            )
        inner = self.node_kind == THRESHOLD
        return np.where(inner, self.first_child.astype(np.int64) + side, -1)

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
        return self.mean_over_leaves(matrix, self.says)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return what the leaf says, for a tree that predicts numbers."""
        return self.mean_over_leaves(matrix, self.says)[:, 0]

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

    def mean_over_leaves(self, matrix: EncodedMatrix, values: np.ndarray) -> np.ndarray:
        """Return what the leaves of each row are worth, by numbers per node: their mean by its shares in them."""
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
        from vaglio.learners.trees.model.rules import rules_of_tree

        return rules_of_tree(self, features, classes)

    # -- kernel ------------------------------------------------------------------------------------------------------
    @classmethod
    def from_kernel(cls, arrays: _core.TreeArrays, smoothing: str, m: float, regression: bool) -> Tree:
        """Wrap the arrays a kernel returned."""
        return cls(
            arrays.kind,
            **{name: getattr(arrays, name) for name in _SAME_NAMES},
            strict=arrays.strict,
            smoothing=smoothing,
            m=m,
            regression=regression,
            shrinkage=0.0,
        )

    def to_kernel(self) -> _core.TreeArrays:
        """Return the arrays as the kernels take them."""
        arrays = {name: getattr(self, name) for name in _SAME_NAMES}
        return _core.TreeArrays(kind=self.node_kind, strict=self.strict, **arrays)

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
        shapes: dict[str, tuple[int | None, ...]] = {"value": (None, max(n_classes, 1))}
        finite = ("value", "weight", "impurity", "gain", "linear_coef")
        tree = cls(
            **{
                name: checks.array(arrays, name, dtype, shapes.get(name, (None,)), finite=name in finite)
                for name, dtype in _DTYPES.items()
            },
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


def kernel_features(features: tuple[Feature, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, as the kernels want it: which features are nominal, the column of each in its block, the categories."""
    sizes = [len(feature.categories) for feature in features if feature.is_nominal]
    if not sizes:
        return np.zeros(len(features), np.uint8), np.arange(len(features), dtype=np.uint32), np.empty(0, np.uint32)
    nominal = np.array([feature.is_nominal for feature in features], dtype=np.uint8)
    column = np.where(nominal, np.cumsum(nominal), np.cumsum(1 - nominal)) - 1
    return nominal, column.astype(np.uint32), np.array(sizes, dtype=np.uint32)


def shrink(
    says: np.ndarray, weight: np.ndarray, first_child: np.ndarray, n_children: np.ndarray, lam: float
) -> np.ndarray:
    """Return what each node of a tree says after hierarchical shrinkage (Agarwal and others, 2022).

    A leaf of two rows knows little, its parent of fifty more. Down a path, each step from a node p to its child c
    counts 1 / (1 + λ / N(p)) of what it is worth, N(p) being the training weight of p. Since N falls down a path, the
    sum is a mean of what the nodes on the path say, with weights that are never negative: probabilities remain
    probabilities, and what is monotone remains so. The tests of the tree do not change.

    Parameters
    ----------
    says : float64 (n, K)
        Class probabilities or the mean of each node; node 0 is the root.
    weight : float64 (n,)
        Of the training rows.
    first_child, n_children : int (n,)
        Of a node with children: where they begin, and how many they are; leaves have none.
    lam : float
        The strength λ.
    """
    found = says.astype(np.float64, copy=True)
    parents = np.flatnonzero(n_children[:1])
    while parents.size:
        counts = n_children[parents]
        above = np.repeat(parents, counts)
        below = np.repeat(first_child[parents] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        # Of a branch without rows the parent may have none either: it says what the parent says.
        share = weight[above] / np.maximum(weight[above] + lam, np.finfo(np.float64).tiny)
        found[below] = found[above] + share[:, None] * (says[below] - says[above])
        parents = below[n_children[below] > 0]
    return found


# -- checks: what a file claims is not followed by any kernel before it is known to be a tree ------------------------
def check_shape(tree: Tree) -> None:
    """Check that the arrays belong together and that the links form one tree."""
    n = len(tree.node_kind)
    checks.need(0 < n < 1 << 31, "the tree has no nodes")
    for name in ("feature", "threshold", "first_child", "n_children", "missing_branch", "table_start"):
        checks.need(len(getattr(tree, name)) == n, "the array {array!r} has another length than the tree", array=name)
    for name in ("value", "weight", "impurity", "gain"):
        checks.need(len(getattr(tree, name)) == n, "the array {array!r} has another length than the tree", array=name)
    checks.sound_weights(tree.weight, "a node has an impossible weight")
    if not tree.regression:
        checks.sound_weights(tree.value, "a node has impossible class weights")
        checks.need((tree.value.sum(axis=1) > 0).all(), "a node has impossible class weights")
    checks.within(tree.node_kind, LEAF, LINEAR + 1, "the kind of a node is out of range")
    inner = tree.node_kind != LEAF
    checks.need((tree.first_child[~inner] == -1).all() and (tree.n_children[~inner] == 0).all(), "a leaf has children")
    first, count = tree.first_child[inner].astype(np.int64), tree.n_children[inner].astype(np.int64)
    checks.need((count >= 2).all() and (first > np.flatnonzero(inner)).all(), "the children of a node are impossible")
    # Each node but the root is the child of exactly one node that comes before it: no cycle, nothing unreachable.
    order = np.argsort(first, kind="stable")
    ends = first[order] + count[order]
    starts = np.append(first[order], n)
    checks.need(
        starts[0] == (1 if n > 1 else n) and (ends == starts[1:]).all(),
        "the children of the nodes do not form a tree",
    )
    missing = tree.missing_branch
    checks.need((missing >= -1).all() and (missing[inner] < count).all(), "a branch for missing values does not exist")


def check_tests(tree: Tree, features: tuple[Feature, ...]) -> None:
    """Check that every test asks for something the columns have."""
    numeric = np.array([feature.in_numeric_block for feature in features] + [False])
    arity = np.array([len(feature.categories) if feature.is_nominal else 0 for feature in features] + [0])
    single = np.isin(tree.node_kind, (THRESHOLD, SUBSET, MULTIWAY))
    checks.within(tree.feature[single], 0, len(features), "the feature of a test is out of range")
    checks.within(tree.feature[~single], -1, len(features), "the feature of a node is out of range")
    threshold = np.isin(tree.node_kind, (THRESHOLD, LINEAR))
    checks.need(not np.isnan(tree.threshold[threshold]).any(), "a threshold is not a number")
    plain = tree.node_kind == THRESHOLD
    checks.need(numeric[tree.feature[plain]].all(), "a threshold is set on a column without order")
    check_ranks(tree.feature[plain], tree.threshold[plain], features)
    binary = np.isin(tree.node_kind, (THRESHOLD, SUBSET, LINEAR))
    # A third branch is for missing values alone.
    sides = tree.n_children[binary] - (tree.missing_branch[binary] == 2)
    checks.need((sides == 2).all(), "a test has no two sides")
    for kind in (SUBSET, MULTIWAY):
        nodes = np.flatnonzero(tree.node_kind == kind)
        categories = arity[tree.feature[nodes]]
        checks.need((categories > 0).all(), "a test for categories is set on a column without them")
        words = categories if kind == MULTIWAY else (categories + 31) // 32
        start = tree.table_start[nodes]
        checks.need(
            (start >= 0).all() and (start <= len(tree.tables) - words).all(),
            "a category table is out of range",
        )
        if kind == MULTIWAY:
            for node, begin, length in zip(nodes.tolist(), start.tolist(), words.tolist()):
                branches = tree.tables[begin : begin + length]
                checks.need(branches.max() < tree.n_children[node], "a category has no branch")
    check_linear(tree, numeric)


def check_ranks(tested: np.ndarray, threshold: np.ndarray, features: tuple[Feature, ...]) -> None:
    """Check that a threshold on an ordered column lies between two of its categories, or tells apart missing values."""
    ranks = np.array([len(feature.categories) if feature.kind == "ordinal" else 0 for feature in features] + [0])
    known = ranks[tested]
    ordered = known > 0
    between = (threshold[ordered] >= 0) & (threshold[ordered] < known[ordered])
    between |= threshold[ordered] == np.inf
    checks.need(between.all(), "a threshold is outside of the categories of its column")


def check_linear(tree: Tree, numeric: np.ndarray) -> None:
    """Check the terms of linear tests."""
    start = tree.linear_start
    any_linear = (tree.node_kind == LINEAR).any()
    if not any_linear:
        checks.need(
            len(tree.linear_feature) == 0 and len(tree.linear_coef) == 0,
            "there are terms without a linear test",
        )
    if len(start) == 0 and not any_linear:  # as written by trees that have no such tests
        return
    checks.need(len(start) == len(tree.node_kind) + 1 and start[0] == 0, "the terms of linear tests are out of range")
    checks.need(
        (np.diff(start) >= 0).all() and start[-1] == len(tree.linear_feature),
        "the terms of linear tests are out of range",
    )
    checks.need(len(tree.linear_feature) == len(tree.linear_coef), "the terms of linear tests are out of range")
    checks.within(tree.linear_feature, 0, len(numeric) - 1, "the feature of a linear test is out of range")
    checks.need(numeric[tree.linear_feature].all(), "a linear test uses a column without numbers")
