"""Growing the trees of a forest: all in one kernel, or one by one where a tree has something of its own.

A tree is grown by itself where trees are added to a forest (a warm start), where it is pruned, where it weighs the
classes by its own sample, and where it may test some columns only and some of these are constrained. On exact numbers
it is the same tree either way. On bins, rows that were drawn several times are then rows of more weight:
``min_samples_leaf`` and ``min_samples_split`` count each of them once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from vaglio import _core
from vaglio.encode import EncodedMatrix, select_features
from vaglio.engines.passes import Chunk
from vaglio.learners.forest.estimators.tree_draws import bag_of, columns_of, growth_seed
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.forest.model.forest_joining import Part, joined_arrays
from vaglio.learners.inputs import class_factors
from vaglio.learners.trees.estimators.cost_complexity import prune_to
from vaglio.learners.trees.estimators.growing import on_bins, tree_config, tree_of
from vaglio.learners.trees.model.grower import training_table
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.amounts import Amounts
from vaglio.learners.trees.passes.tree_bins import binning_of
from vaglio.learners.trees.passes.tree_passes import Setup, grow_block


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
    def part(self) -> Part:
        """Their arrays."""
        arrays = {name: getattr(self.forest, name) for name in ("nodes", "starts", "tables", "leaves")}
        return Part(**arrays, importances=self.growth.importances)


@dataclass(frozen=True)
class Rows:
    """Training rows, and what is to be predicted: class codes, or numbers where ``classes`` is None."""

    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray | None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)


def grow_trees(estimator: Any, rows: Rows, draws: int, seed: int, kept: Kept | None = None) -> dict[str, Any]:
    """Return the arrays of a forest by the parameters of the estimator, after the kept trees if there are any."""
    first, features = 0 if kept is None else kept.forest.n_trees, rows.matrix.features
    own_columns = estimator.features_per_tree is not None and estimator.monotonic_cst is not None
    alone = estimator.ccp_alpha or own_columns or balances_each(estimator)
    if kept is None and not alone:
        return _grow_together(estimator, rows, draws, seed)
    if first == estimator.n_estimators:
        added = []
    elif alone or not on_bins(estimator):
        added = [Part.of_tree(tree, features) for tree in grow_one_by_one(estimator, rows, draws, seed, first)]
    else:
        # The grower on bins knows how often a row was drawn in whole forests only.
        added = [Part.of_forest(_grow_together(estimator, rows, draws, seed), features, first)]
    return joined_arrays([*(() if kept is None else (kept.part,)), *added], features)


def _grow_together(estimator: Any, rows: Rows, draws: int, seed: int) -> dict[str, Any]:
    matrix, y, weight, n_classes = rows.matrix, rows.y, rows.weight, rows.n_classes
    config = tree_config(estimator, matrix, n_classes)
    options: dict[str, Any] = {
        "n_trees": estimator.n_estimators,
        "draws": draws,
        "features_per_tree": count_of(estimator.features_per_tree, matrix.n_features),
        "seed": seed,
    }
    if not on_bins(estimator):
        given = training_table(matrix), y, n_classes, weight
        return _core.grow_forest(*given, config=config, **options, n_threads=matrix.threads)
    binning, amounts = binning_of(matrix, estimator.max_bins, estimator._strict), Amounts.of(y, weight, n_classes)
    setup = Setup.made(binning, amounts, n_classes, _core.plan_forest(matrix.n_features, **options))
    block = setup.block(Chunk(matrix, y, weight, 0))
    arrays: dict[str, Any] = grow_block(setup, block, config, joined=True, threads=matrix.threads)
    return arrays


def balances_each(estimator: Any) -> bool:
    """Return whether every tree weighs the classes by its own sample."""
    return bool(estimator.bootstrap) and getattr(estimator, "class_weight", None) == "balanced_subsample"


def count_of(value: float | None, total: int) -> int:
    """A whole number is itself, a fraction a share of the total, None is 0."""
    if value is None:
        return 0
    return int(value) if isinstance(value, Integral) else max(1, round(value * total))


def grow_one_by_one(estimator: Any, rows: Rows, draws: int, seed: int, first: int = 0) -> list[Tree]:
    """Return the trees of a forest from one on, each grown by itself."""
    grower = _Grower(estimator, rows, draws, seed)
    trees: list[Tree] = Parallel(n_jobs=rows.matrix.threads, prefer="threads")(
        delayed(grower.tree)(i) for i in range(first, estimator.n_estimators)
    )
    return trees


class _Grower:
    """Grows any tree of a forest; what all of them read is made once."""

    def __init__(self, estimator: Any, rows: Rows, draws: int, seed: int) -> None:
        self.estimator, self.rows, self.draws, self.seed = estimator, rows, draws, seed
        self.wanted = count_of(estimator.features_per_tree, rows.matrix.n_features)
        self.config = tree_config(estimator, rows.matrix, rows.n_classes)
        self.balanced = balances_each(estimator)
        if on_bins(estimator):
            self.binning = binning_of(rows.matrix, estimator.max_bins, estimator._strict)
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
        weight = self._weight(bag)
        grow = self._on_bins if on_bins(self.estimator) else self._exactly
        tree = tree_of(self.estimator, grow(bag, columns, weight, config), rows.n_classes)
        if self.estimator.ccp_alpha:
            tree = prune_to(self.estimator, tree, float(self.estimator.ccp_alpha), rows.n_classes)
        if columns is None:
            return tree
        return replace(tree, feature=np.where(tree.is_leaf, -1, columns[tree.feature]).astype(np.int32))

    def _weight(self, bag: np.ndarray | None) -> np.ndarray | None:
        """Return the weights of the rows; balanced in the sample of the tree if asked for."""
        if not self.balanced or bag is None or self.rows.classes is None:
            return self.rows.weight
        y, weight = self.rows.y, self.rows.weight
        drawn = bag if weight is None else bag * weight
        factors = class_factors("balanced", self.rows.classes, y, drawn)
        own: np.ndarray = factors[y] if weight is None else factors[y] * weight
        return own

    def _exactly(
        self, bag: np.ndarray | None, columns: np.ndarray | None, weight: np.ndarray | None, config: _core.TreeConfig
    ) -> dict[str, Any]:
        own = self.rows.matrix if columns is None else select_features(self.rows.matrix, columns)
        table = self.table if columns is None else training_table(own)
        return _core.grow_tree(table, self.rows.y, self.rows.n_classes, weight, bag, config)

    def _on_bins(
        self, bag: np.ndarray | None, columns: np.ndarray | None, weight: np.ndarray | None, config: _core.TreeConfig
    ) -> dict[str, Any]:
        y, n_classes = self.rows.y, self.rows.n_classes
        chosen = np.arange(len(self.cells)) if columns is None else columns
        taken = np.arange(len(y)) if bag is None else np.flatnonzero(bag)
        own = None if weight is None else weight[taken]
        if bag is not None:
            own = bag[taken] * (1.0 if own is None else own)
        amounts = Amounts.of(y[taken], own, n_classes)
        return _core.grow_binned_tree(
            (self.binning if columns is None else self.binning.of_features(columns)).layout(),
            [self.cells[j][taken] for j in chosen],
            amounts.targets(y[taken], n_classes),
            n_classes,
            amounts.weights(own),
            config,
            amounts=amounts.for_kernel(),
        )
