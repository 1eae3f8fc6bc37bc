"""Pruning by rows that a tree was not grown on, for trees on bins: which rows these are, the hash of their number says.

All trees grow together, each without its part of the rows; then one look at the rows sends each to the trees that did
not see it. A row that a test shares out counts in the leaf that takes most of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio import _core
from vaglio.engines.passes import Chunk, Pass
from vaglio.learners.trees.estimators.growing import pruned_by_counts, tree_of
from vaglio.learners.trees.estimators.pruning import FOLDS, choose, path_of, prices, standing
from vaglio.learners.trees.model.grower import training_table
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.bins import WeightSummary
from vaglio.learners.trees.passes.tree_passes import Asking, Setup, Sizes, grow_trees, plan_of
from vaglio.runtime.seeds import row_hash, seed_of

if TYPE_CHECKING:
    from vaglio.learners.trees.estimators.decision_tree import TreeEstimator
    from vaglio.learners.trees.estimators.growing import GrowthParameters

# Rows that are hashed at a time.
_BLOCK = 1 << 20
# With so many rows, no fold has none, or all.
_SURELY_DIVIDED = 1 << 10
# Sums of powers of targets: those of a squared error and of its square.
_POWERS = 5


@dataclass(frozen=True)
class HashFold:
    """Rows whose hash lies between two numbers."""

    seed: int
    first: int
    last: int

    @classmethod
    def fold(cls, seed: int, at: int, folds: int) -> HashFold:
        """Return one of so many equal parts."""
        return cls(seed, (at << 64) // folds, ((at + 1 << 64) // folds) - 1)

    @classmethod
    def share(cls, seed: int, fraction: float) -> HashFold:
        """Return about this share of the rows."""
        return cls(seed, 0, min(max(int(fraction * 2**64), 1), 2**64) - 1)

    def of(self, index: np.ndarray) -> np.ndarray:
        """Return the positions of the rows, given by their numbers, that belong to it."""
        word = row_hash(index, self.seed)
        return np.flatnonzero((word >= np.uint64(self.first)) & (word <= np.uint64(self.last)))

    def count(self, n_rows: int) -> int:
        """Return how many of the first rows belong to it."""
        starts = range(0, n_rows, _BLOCK)
        return sum(len(self.of(np.arange(at, min(at + _BLOCK, n_rows), dtype=np.int64))) for at in starts)


@dataclass(frozen=True)
class OnBins:
    """What trees on bins are grown from: bins, amounts, classes (0 for numbers) and the grower's configuration."""

    binning: Any
    amounts: WeightSummary
    n_classes: int
    config: _core.TreeConfig

    def setup(self, parts: list[HashFold | None]) -> Setup:
        """Return the setup of trees of which each leaves out a part of the rows; None: nothing."""
        every = np.arange(len(self.binning.features))
        left_out = [(1, 0) if part is None else (part.first, part.last) for part in parts]
        # All parts of one table have the same seed.
        hash_seed = next((part.seed for part in parts if part is not None), 0)
        seeds, columns = [self.config.seed] * len(parts), [every] * len(parts)
        plan = plan_of(seeds, columns, hash_seed=hash_seed, left_out=left_out)
        return Setup.made(self.binning, self.amounts, self.n_classes, plan)


def tree_and_price(estimator: TreeEstimator, sizes: Sizes, on_bins: OnBins) -> Asking:
    """Grow a tree, and choose the price of a leaf by ten folds; return the tree, the price and what was tried.

    As :func:`vaglio.learners.trees.estimators.pruning.choose_alpha`, with folds by the hash of the row.
    """
    seed = seed_of(estimator.random_state) % 2**32
    folds = [HashFold.fold(seed, at, FOLDS) for at in range(FOLDS)]
    if sizes.n_rows < _SURELY_DIVIDED:
        folds = [fold for fold in folds if 0 < fold.count(sizes.n_rows) < sizes.n_rows]
    grown = yield from grow_trees(sizes, on_bins.setup([None, *folds]), on_bins.config)
    k = on_bins.n_classes
    tree, *of_folds = [pruned_by_counts(estimator, tree_of(estimator, arrays, k), k) for arrays in grown]
    path = path_of(estimator, tree)
    keep, ends, tried = prices(path)
    errors = spread = np.zeros(len(tried))
    if folds:
        given = partial(_tallies, of_folds, folds, on_bins.amounts, k)
        tallies = yield Pass("rows left out of folds", given)
        errors, squares = _mean_losses(estimator, of_folds, tallies, tried, on_bins)
        spread = np.sqrt(np.maximum(squares - errors**2, 0.0) / sizes.n_rows)
    return (tree, *choose(estimator, path, (keep, ends, tried), errors, spread))


def reduced_tree(estimator: TreeEstimator, sizes: Sizes, on_bins: OnBins) -> Asking:
    """Grow a tree on one part of the rows, and prune it by its errors on the others."""
    part = HashFold.share(seed_of(estimator.random_state) % 2**32, estimator.validation_fraction)
    k, amounts = on_bins.n_classes, on_bins.amounts
    divided = 0 < part.count(sizes.n_rows) < sizes.n_rows
    grown = yield from grow_trees(sizes, on_bins.setup([part if divided else None]), on_bins.config)
    if not divided:
        return tree_of(estimator, grown[0], k)
    bound = amounts.total * (1.0 if k else (2.0 * amounts.reach) ** 2)
    given = partial(_validation_errors, grown[0], part, amounts, k, bound)
    errors = yield Pass("errors of rows left out", given)
    return tree_of(estimator, _core.prune_reduced_error(grown[0], errors), k)


def _validation_errors(
    tree: _core.TreeArrays, part: HashFold, amounts: WeightSummary, n_classes: int, bound: float, chunk: Chunk
) -> np.ndarray:
    rows = part.of(chunk.index)
    if not len(rows):
        return np.zeros(len(tree.feature))
    own = chunk.take(rows)
    weight = amounts.weights(own.weight)
    return _core.validation_errors(tree, training_table(own.matrix), own.y, n_classes, weight, bound)


@dataclass
class Tally:
    """Sums of rows by the leaf they reach, for the leaves that rows reached.

    Attributes
    ----------
    leaf : ndarray of int64
        Ascending.
    sums : ndarray of float64, shape (leaves, classes), or (leaves, 5) for numbers
        The weight of each class; of numbers, of their powers from 0 to 4.
    """

    leaf: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, leaf: np.ndarray, sums: np.ndarray) -> Tally:
        """Add up sums of the same leaf."""
        leaves, at = np.unique(leaf, return_inverse=True)
        total = np.zeros((len(leaves), sums.shape[1]))
        np.add.at(total, at, sums)
        return cls(leaves, total)

    def merge(self, other: Tally) -> Tally:
        """Return the sums of both."""
        return Tally.of(np.concatenate([self.leaf, other.leaf]), np.concatenate([self.sums, other.sums]))


def _tallies(
    trees: list[Tree], folds: list[HashFold], amounts: WeightSummary, n_classes: int, chunk: Chunk
) -> tuple[Tally, ...]:
    found = []
    index = chunk.index
    for tree, fold in zip(trees, folds):
        own = chunk.take(fold.of(index))
        weight = amounts.weights(own.weight)
        given = np.ones(own.n_rows) if weight is None else weight
        sums = np.eye(n_classes)[own.y] * given[:, None] if n_classes else _powers(amounts, own.y, given)
        leaf = tree.apply(own.matrix) if own.n_rows else np.empty(0, np.int64)
        found.append(Tally.of(leaf.astype(np.int64), sums))
    return tuple(found)


def _powers(amounts: WeightSummary, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the weighted powers of targets, rounded so that their sums have no order."""
    target = amounts.targets(y, 0)
    found = []
    for power in range(_POWERS):
        bound = amounts.total * amounts.reach**power
        unit = math.ldexp(1.0, math.frexp(bound)[1] - 52) if bound > 0 else 1.0
        found.append(np.rint(weight * target**power / unit) * unit)
    return np.stack(found, axis=1)


def _mean_losses(
    estimator: GrowthParameters, trees: list[Tree], tallies: tuple[Tally, ...], tried: np.ndarray, on_bins: OnBins
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean loss of the rows left out under each price, and the mean of its square."""
    k = on_bins.n_classes
    losses, squares = np.zeros(len(tried)), np.zeros(len(tried))
    for tree, tally in zip(trees, tallies):
        for i, nodes in enumerate(standing(estimator, tree, tried)(tally.leaf)):
            says = tree.says[nodes]
            if k:
                right = tally.sums[np.arange(len(nodes)), says.argmax(axis=1)]
                loss = square = tally.sums.sum() - right.sum()
            else:
                said = says[:, 0] - on_bins.amounts.middle
                s0, s1, s2, s3, s4 = tally.sums.T
                loss = (s2 - 2 * said * s1 + said**2 * s0).sum()
                square = (s4 - 4 * said * s3 + 6 * said**2 * s2 - 4 * said**3 * s1 + said**4 * s0).sum()
            losses[i] += float(loss)
            squares[i] += float(square)
    weight = sum(float(tally.sums.sum() if k else tally.sums[:, 0].sum()) for tally in tallies)
    return losses / weight, squares / weight
