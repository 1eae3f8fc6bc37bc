"""Growing the trees of a forest: all in one kernel, or one by one where a tree has something of its own.

A tree is grown by itself where trees are added to a forest (a warm start), where it is pruned, where it weighs the
classes by its own sample, and where it may test some columns only and some of these are constrained. On exact numbers
it is the same tree either way. On bins, rows that were drawn several times are then rows of more weight:
``min_samples_leaf`` and ``min_samples_split`` count each of them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, select_features
from vaglio.engines.passes import Chunk
from vaglio.learners.forest.model.forest import Forest, ForestArrays
from vaglio.learners.inputs import class_factors
from vaglio.learners.trees.estimators.growing import columns_drawn, on_bins, prune_to, tree_config, tree_of
from vaglio.learners.trees.model.grower import training_table
from vaglio.learners.trees.model.packed import NODE, pack, with_table
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.bins import WeightSummary, binning_of
from vaglio.learners.trees.passes.tree_passes import Setup, grow_block

if TYPE_CHECKING:
    from vaglio.learners.forest.estimators.random_forest import _ForestEstimator


@dataclass(frozen=True)
class Growth:
    """What is kept of the growth of a forest beside its model: enough to add trees, and to see each by itself.

    Attributes
    ----------
    seed : int
        Seed of all that was drawn.
    rows : int64 (n_rows,) or range
        The numbers of the rows that were learned from; those of weight 0 are not.
    draws : int
        How many rows were drawn for each tree; 0 where every tree saw all of them.
    importances : float64 (n_trees, n_features)
        Share of each column in what the splits of a tree gain.
    """

    seed: int
    rows: np.ndarray | range
    draws: int
    importances: np.ndarray


@dataclass(frozen=True)
class Kept:
    """The trees that a warm start goes on from."""

    forest: Forest
    growth: Growth

    @property
    def part(self) -> ForestShard:
        """Their arrays."""
        arrays = {name: getattr(self.forest, name) for name in ("nodes", "starts", "tables", "leaves")}
        return ForestShard(**arrays, importances=self.growth.importances)


@dataclass(frozen=True)
class TrainingRows:
    """Training rows, and what is to be predicted: class codes, or numbers where ``classes`` is None."""

    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray | None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)


def grow_trees(estimator: Any, rows: TrainingRows, draws: int, seed: int, kept: Kept | None = None) -> ForestArrays:
    """Return the arrays of a forest by the parameters of the estimator, after the kept trees if there are any."""
    first, features = 0 if kept is None else kept.forest.n_trees, rows.matrix.features
    own_columns = estimator.features_per_tree is not None and estimator.monotonic_cst is not None
    alone = estimator.ccp_alpha or own_columns or balances_each(estimator)
    if kept is None and not alone:
        return _grow_together(estimator, rows, draws, seed)
    if first == estimator.n_estimators:
        added = []
    elif alone or not on_bins(estimator):
        added = [ForestShard.of_tree(tree, features) for tree in grow_one_by_one(estimator, rows, draws, seed, first)]
    else:
        # The grower on bins knows how often a row was drawn in whole forests only.
        added = [ForestShard.of_forest(_grow_together(estimator, rows, draws, seed), features, first)]
    return joined_arrays([*(() if kept is None else (kept.part,)), *added], features)


def _grow_together(estimator: Any, rows: TrainingRows, draws: int, seed: int) -> _core.ForestArrays:
    matrix, y, weight, n_classes = rows.matrix, rows.y, rows.weight, rows.n_classes
    config = tree_config(estimator, matrix, n_classes)
    options: dict[str, Any] = {
        "n_trees": estimator.n_estimators,
        "draws": draws,
        "features_per_tree": columns_of_tree(estimator.features_per_tree, matrix.n_features),
        "seed": seed,
    }
    if not on_bins(estimator):
        given = training_table(matrix), y, n_classes, weight
        return _core.grow_forest(*given, config=config, **options, n_threads=matrix.threads)
    binning, amounts = (
        binning_of(matrix, estimator.max_bins or 0, estimator._strict),
        WeightSummary.of(y, weight, n_classes),
    )
    setup = Setup.made(binning, amounts, n_classes, _core.plan_forest(matrix.n_features, **options))
    block = setup.block(Chunk(matrix, y, weight, 0))
    arrays: _core.ForestArrays = grow_block(setup, block, config, joined=True, threads=matrix.threads)
    return arrays


def balances_each(estimator: _ForestEstimator) -> bool:
    """Return whether every tree weighs the classes by its own sample."""
    return bool(estimator.bootstrap) and getattr(estimator, "class_weight", None) == "balanced_subsample"


def columns_of_tree(value: float | str | None, total: int) -> int:
    """Return how many columns are drawn for a tree; 0 for all."""
    return columns_drawn(value, total) if isinstance(value, str) else count_of(value, total)


def count_of(value: float | None, total: int) -> int:
    """A whole number is itself, a fraction a share of the total, None is 0."""
    if value is None:
        return 0
    return int(value) if isinstance(value, Integral) else max(1, round(value * total))


def grow_one_by_one(estimator: Any, rows: TrainingRows, draws: int, seed: int, first: int = 0) -> list[Tree]:
    """Return the trees of a forest from one on, each grown by itself."""
    grower = _Grower(estimator, rows, draws, seed)
    trees: list[Tree] = Parallel(n_jobs=rows.matrix.threads, prefer="threads")(
        delayed(grower.tree)(i) for i in range(first, estimator.n_estimators)
    )
    return trees


class _Grower:
    """Grows any tree of a forest; what all of them read is made once."""

    def __init__(self, estimator: Any, rows: TrainingRows, draws: int, seed: int) -> None:
        self.estimator, self.rows, self.draws, self.seed = estimator, rows, draws, seed
        self.wanted = columns_of_tree(estimator.features_per_tree, rows.matrix.n_features)
        self.config = tree_config(estimator, rows.matrix, rows.n_classes)
        self.balanced = balances_each(estimator)
        if on_bins(estimator):
            self.binning = binning_of(rows.matrix, estimator.max_bins or 0, estimator._strict)
            self.cells = self.binning.columns(rows.matrix)
        elif not self.wanted:
            rows.matrix.reused = True
            self.table = training_table(rows.matrix)

    def tree(self, index: int) -> Tree:
        """Return one of the trees, over all features of the forest."""
        rows = self.rows
        bag = bag_of(self.seed, index, rows.matrix.n_rows, self.draws)
        columns = columns_of(self.seed, index, rows.matrix.n_features, self.wanted)
        config = self.config.replaced(seed=growth_seed(self.seed, index))
        if columns is not None and config.monotonic:
            config.monotonic = [config.monotonic[j] for j in columns]
        weight = rows.weight
        if self.balanced and bag is not None and rows.classes is not None:
            # The classes are balanced in the sample of the tree.
            factors = class_factors("balanced", rows.classes, rows.y, bag if weight is None else bag * weight)
            weight = factors[rows.y] if weight is None else factors[rows.y] * weight
        grow = self._on_bins if on_bins(self.estimator) else self._exactly
        tree = tree_of(self.estimator, grow(bag, columns, weight, config), rows.n_classes)
        if self.estimator.ccp_alpha:
            tree = prune_to(self.estimator, tree, float(self.estimator.ccp_alpha), rows.n_classes)
        if columns is None:
            return tree
        return replace(tree, feature=np.where(tree.is_leaf, -1, columns[tree.feature]).astype(np.int32))

    def _exactly(
        self, bag: np.ndarray | None, columns: np.ndarray | None, weight: np.ndarray | None, config: _core.TreeConfig
    ) -> _core.TreeArrays:
        own = self.rows.matrix if columns is None else select_features(self.rows.matrix, columns)
        table = self.table if columns is None else training_table(own)
        return _core.grow_tree(table, self.rows.y, self.rows.n_classes, weight, bag, config)

    def _on_bins(
        self, bag: np.ndarray | None, columns: np.ndarray | None, weight: np.ndarray | None, config: _core.TreeConfig
    ) -> _core.TreeArrays:
        y, n_classes = self.rows.y, self.rows.n_classes
        chosen = np.arange(len(self.cells)) if columns is None else columns
        taken = np.arange(len(y)) if bag is None else np.flatnonzero(bag)
        own = None if weight is None else weight[taken]
        if bag is not None:
            own = bag[taken] * (1.0 if own is None else own)
        amounts = WeightSummary.of(y[taken], own, n_classes)
        return _core.grow_binned_tree(
            (self.binning if columns is None else self.binning.of_features(columns)).layout(),
            [self.cells[j][taken] for j in chosen],
            amounts.targets(y[taken], n_classes),
            n_classes,
            amounts.weights(own),
            config,
            amounts=amounts.for_kernel(),
        )


@dataclass(frozen=True)
class ForestShard:
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
    def of_tree(cls, tree: Tree, features: tuple[Feature, ...]) -> ForestShard:
        """Take a tree of two branches a node."""
        nodes, tables = pack(tree, features)
        leaves = tree.value[tree.is_leaf]
        if tree.regression:
            leaves = np.column_stack([leaves, tree.weight[tree.is_leaf]])
        starts = np.array([0, tree.n_nodes], dtype=np.int64)
        inner = np.flatnonzero(~tree.is_leaf)
        gains = tree.gain[inner] * tree.weight[inner]
        importances = np.zeros((1, len(features)))
        np.add.at(importances[0], tree.feature[inner], gains)
        removed = np.cumsum(gains)[-1] if len(gains) else 0.0  # added up in the order of the nodes
        return cls(nodes, starts, tables, leaves, importances / removed if removed > 0 else importances)

    @classmethod
    def of_forest(cls, arrays: _core.ForestArrays, features: tuple[Feature, ...], first: int = 0) -> ForestShard:
        """Take the trees of a forest from one on."""
        starts = arrays.starts[first:]
        nodes = arrays.nodes.reshape(-1).view(NODE)[starts[0] :].copy()
        nominal = with_table(nodes, features)
        begin = int(nodes["threshold"][nominal].min(initial=len(arrays.tables)))
        nodes["threshold"][nominal] -= begin
        return cls(nodes, starts - starts[0], arrays.tables[begin:], arrays.leaves, arrays.importances[first:])


def joined_arrays(parts: Sequence[ForestShard], features: tuple[Feature, ...]) -> ForestShard:
    """Return the arrays of a forest of all these trees."""
    nodes, leaves, starts, n_words = [], [], [np.zeros(1, np.int64)], 0
    for part in parts:
        own = part.nodes.copy()
        own["threshold"][with_table(own, features)] += n_words
        leaves.append(part.leaves[~own["link"][own["link"] < 0]])
        nodes.append(own)
        starts.append(part.starts[1:] + starts[-1][-1])
        n_words += len(part.tables)
    every = np.concatenate(nodes)
    distinct, row = _distinct(np.concatenate(leaves))
    every["link"][every["link"] < 0] = ~row
    return ForestShard(
        every,
        np.concatenate(starts),
        np.concatenate([part.tables for part in parts]),
        distinct,
        np.concatenate([part.importances for part in parts]),
    )


def _distinct(leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, in the order in which they first appear, and the number of each row among them."""
    leaves = np.ascontiguousarray(leaves)
    contents = leaves.view(np.dtype((np.void, leaves.dtype.itemsize * leaves.shape[1]))).ravel()
    _, first, inverse = np.unique(contents, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return leaves[first[order]], number[inverse.ravel()]


# What the random numbers of a tree are for, as the kernels number them.
_BAG, _COLUMNS, _GROWTH = range(3)
_BITS = (1 << 64) - 1


def bag_of(seed: int, tree: int, rows: int, draws: int) -> np.ndarray | None:
    """Return how often each row was drawn for a tree, uint32 (rows,); None where every tree sees all rows once."""
    return _core.draw_counts(_tree_key(seed, tree, _BAG), rows, draws) if draws else None


def columns_of(seed: int, tree: int, total: int, wanted: int) -> np.ndarray | None:
    """Return the columns that a tree may test, ascending; None where all are."""
    if wanted == 0 or wanted >= total:
        return None
    key, every = _tree_key(seed, tree, _COLUMNS), list(range(total))
    for i in range(wanted):
        drawn = _mix(key ^ _mix(i + 1))
        other = i + (drawn * (total - i) >> 64)
        every[i], every[other] = every[other], every[i]
    return np.sort(every[:wanted])


def growth_seed(seed: int, tree: int) -> int:
    """Return the seed of what is drawn while a tree grows."""
    return _tree_key(seed, tree, _GROWTH)


def _tree_key(seed: int, tree: int, purpose: int) -> int:
    return _key_of(_key_of(seed, tree), purpose)


def _key_of(parent: int, child: int) -> int:
    return _mix(parent ^ _mix(child + 0x632BE59BD9B4E019 & _BITS))


def _mix(x: int) -> int:
    """Splitmix64, as in ``cpp/base/random.hpp``."""
    x = x + 0x9E3779B97F4A7C15 & _BITS
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _BITS
    return x ^ x >> 31
