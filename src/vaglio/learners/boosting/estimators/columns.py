"""The columns as the boosting kernel sees them: those of the table, and numbers in place of categories.

The mean target of a category, taken over all rows, tells each row its own target. In a random order a row is told the
mean of the rows before it alone, which is honest. Rounds take turns with several orders, so that the model averages
over them. A threshold on the mean is a set of categories: the trained model tests the set, by the mean over all rows.

Larger tables are put in order in blocks, by the hash of the number of each row; a row is told the mean of the blocks
before its own. Sums of blocks need no sorting, and can be added up wherever the rows are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.boosting.estimators.rounds import is_large
from vaglio.learners.boosting.model import Boosted, CategoryNumbers, forest_of
from vaglio.learners.trees.model.tree import kernel_features
from vaglio.runtime.seeds import row_hash

# So many random orders; and rows of the overall mean that every category begins with.
ORDERS = 4
_PRIOR_ROWS = 1.0
# Blocks of an order, as a power of two.
_BLOCK_BITS = 6


@dataclass(frozen=True)
class OrderedCategories:
    """Numbers in place of the categories of some columns, for rows to learn from and for rows to watch.

    Attributes
    ----------
    numbers : float64 (n, columns)
        What the kernel sees: for each order, nominal column and target, one column.
    sources : tuple of CategoryNumbers
        Where each of these columns comes from, and the number of each category over all rows.
    turns : ndarray of int64
        The order of each column.
    """

    numbers: np.ndarray
    sources: tuple[CategoryNumbers, ...]
    turns: np.ndarray

    @classmethod
    def of(
        cls,
        matrix: EncodedMatrix,
        columns: np.ndarray,
        targets: np.ndarray,
        weight: np.ndarray | None,
        training: np.ndarray,
        seed: int,
    ) -> OrderedCategories:
        """Count targets per category; rows that are not learned from get the means of all that are.

        Parameters
        ----------
        matrix : EncodedMatrix
        columns : ndarray of int64
            The nominal features that become numbers.
        targets : float64 (n, T)
            What means are taken of: one column per class, or the number.
        weight : float64 (n,) or None
        training : ndarray of int64
            The rows to learn from.
        seed : int
        """
        if is_large(len(targets)):
            blocks = CategoryBlocks.of(matrix.features, columns, targets.shape[1], seed)
            learned = np.zeros(len(targets), dtype=bool)
            learned[training] = True
            index = np.arange(len(targets))
            means = blocks.means(blocks.sums(matrix.codes, targets, weight, index, learned))
            return cls(means.numbers(matrix.codes, index, learned), means.sources, means.turns)
        weight = np.ones(len(targets)) if weight is None else weight
        places = np.zeros((ORDERS, len(targets)), dtype=np.int64)
        for order in range(ORDERS):
            places[order, training] = np.random.default_rng([seed, order]).permutation(len(training))
        numbers, sources, turns = [], [], []
        for feature in columns.tolist():
            n_categories = len(matrix.features[feature].categories)
            codes = matrix.codes[:, matrix.position[feature]]
            codes = np.where(codes < 0, n_categories, codes)
            for target in targets.T:
                whole, before = _means(codes, target, weight, training, n_categories + 1, places)
                for order, column in enumerate(before):
                    numbers.append(column)
                    sources.append(CategoryNumbers(feature, whole))
                    turns.append(order)
        return cls(np.stack(numbers, axis=1), tuple(sources), np.array(turns))


def _means(
    codes: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    training: np.ndarray,
    n_codes: int,
    places: np.ndarray,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the mean of every category over all rows to learn from, and of the rows before each row, per order.

    ``places`` are those of the rows to learn from, in each random order.
    """
    own, known = codes[training], weight[training]
    mass = known * target[training]
    prior = _prior(float(mass.sum()), float(known.sum()))
    whole = _smoothed(
        np.bincount(own, weights=mass, minlength=n_codes), np.bincount(own, weights=known, minlength=n_codes), prior
    )
    before = []
    for place in places:
        order = np.lexsort((place[training], own))
        first = np.searchsorted(own[order], own[order], side="left")
        column = whole[codes]
        total, count = _sums_before(mass[order]), _sums_before(known[order])
        column[training[order]] = _smoothed(total - total[first], count - count[first], prior)
        before.append(column)
    return whole, before


def _prior(total: float, count: float) -> float:
    return total / max(count, float(np.finfo(np.float64).tiny))


def _smoothed(total: np.ndarray, count: np.ndarray, prior: float) -> np.ndarray:
    found: np.ndarray = (total + _PRIOR_ROWS * prior) / (count + _PRIOR_ROWS)
    return found


def _sums_before(values: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.concatenate([[0.0], np.cumsum(values)[:-1]])
    return found


def class_targets(y: np.ndarray, outputs: int) -> np.ndarray:
    """Return what means of categories are taken of, for classes: one column per class, or that of the second of two."""
    return np.stack([y == k for k in (range(outputs) if outputs > 1 else (1,))], axis=1).astype(np.float64)


@dataclass(frozen=True)
class CategoryBlocks:
    """Which sums are kept of each category: per order and block the weight, and the weighted targets.

    Attributes
    ----------
    features : tuple of int
        The nominal features that become numbers.
    positions : tuple of int
        Their columns among the codes.
    sizes : tuple of int
        Their numbers of categories.
    targets : int
    seed : int
    """

    features: tuple[int, ...]
    positions: tuple[int, ...]
    sizes: tuple[int, ...]
    targets: int
    seed: int

    @classmethod
    def of(cls, features: tuple[Feature, ...], columns: np.ndarray, targets: int, seed: int) -> CategoryBlocks:
        """Describe the sums of some columns."""
        nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
        chosen = tuple(int(j) for j in columns)
        sizes = tuple(len(features[j].categories) for j in chosen)
        return cls(chosen, tuple(nominal.index(j) for j in chosen), sizes, targets, seed)

    @property
    def n_sums(self) -> int:
        """How many sums there are in all."""
        return sum(size + 1 for size in self.sizes) * (ORDERS << _BLOCK_BITS) * (1 + self.targets)

    def blocks(self, index: np.ndarray) -> np.ndarray:
        """Return the block of each row in each order, (orders, n)."""
        keys = [(self.seed % 2**32) + ((order + 1) << 32) for order in range(ORDERS)]
        return np.stack([(row_hash(index, key) >> np.uint64(64 - _BLOCK_BITS)).astype(np.int64) for key in keys])

    def codes(self, codes: np.ndarray, at: int) -> np.ndarray:
        """Return the codes of one of the features; missing values have the last one."""
        own = codes[:, self.positions[at]].astype(np.int64)
        return np.where(own < 0, self.sizes[at], own)

    def sums(
        self, codes: np.ndarray, targets: np.ndarray, weight: np.ndarray | None, index: np.ndarray, learned: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Add up the rows that are learned from: per feature an array (1 + targets, orders, categories + 1, blocks)."""
        rows = np.flatnonzero(learned)
        blocks = self.blocks(index[rows])
        weight = np.ones(len(rows)) if weight is None else weight[rows]
        terms = [weight, *(weight * targets[rows, t] for t in range(self.targets))]
        found = []
        for at, size in enumerate(self.sizes):
            cells = self.codes(codes[rows], at) << _BLOCK_BITS
            counts = [
                [np.bincount(cells + block, term, minlength=(size + 1) << _BLOCK_BITS) for block in blocks]
                for term in terms
            ]
            found.append(np.array(counts).reshape(1 + self.targets, ORDERS, size + 1, 1 << _BLOCK_BITS))
        return tuple(found)

    def means(self, sums: tuple[np.ndarray, ...]) -> CategoryMeans:
        """Return the mean of every category over all rows, and over the blocks before each block."""
        sources, turns, before, wholes = [], [], [], []
        for feature, own in zip(self.features, sums):
            all_rows = own.sum(axis=3)
            earlier = np.cumsum(own, axis=3) - own
            for t in range(self.targets):
                prior = _prior(float(all_rows[1 + t, 0].sum()), float(all_rows[0, 0].sum()))
                whole = _smoothed(all_rows[1 + t, 0], all_rows[0, 0], prior)
                for order in range(ORDERS):
                    before.append(_smoothed(earlier[1 + t, order], earlier[0, order], prior))
                    wholes.append(whole)
                    sources.append(CategoryNumbers(feature, whole))
                    turns.append(order)
        return CategoryMeans(self, tuple(before), tuple(wholes), tuple(sources), np.array(turns))


@dataclass(frozen=True)
class CategoryMeans:
    """The numbers that stand for categories.

    Attributes
    ----------
    blocks : CategoryBlocks
    before : tuple of float64 (categories + 1, blocks)
        Per column, for rows that are learned from.
    whole : tuple of float64 (categories + 1,)
        For other rows.
    sources : tuple of CategoryNumbers
    turns : ndarray of int64
    """

    blocks: CategoryBlocks
    before: tuple[np.ndarray, ...]
    whole: tuple[np.ndarray, ...]
    sources: tuple[CategoryNumbers, ...]
    turns: np.ndarray

    def numbers(self, codes: np.ndarray, index: np.ndarray, learned: np.ndarray) -> np.ndarray:
        """Return the numbers of some rows, (n, columns)."""
        found = np.empty((len(index), len(self.before)), order="F")
        blocks, per_feature = self.blocks.blocks(index), self.blocks.targets * ORDERS
        for at in range(len(self.blocks.features)):
            own = self.blocks.codes(codes, at)
            for column in range(at * per_feature, (at + 1) * per_feature):
                told = self.before[column][own, blocks[self.turns[column]]]
                found[:, column] = np.where(learned, told, self.whole[column][own])
        return found


class BoostingColumns:
    """The columns of a table, and those that stand for some of its categories.

    Parameters
    ----------
    matrix : EncodedMatrix
    believed : ndarray of int64
        Features that are tested as they are: all but the nominal ones that tell no more than chance would.
    ordered : ndarray of int64
        Nominal features that become numbers, which chance does not favour.
    targets : float64 (n, T)
    weight : float64 (n,) or None
    seed : int
    """

    def __init__(
        self,
        matrix: EncodedMatrix,
        believed: np.ndarray,
        ordered: np.ndarray,
        targets: np.ndarray,
        weight: np.ndarray | None,
        seed: int,
    ) -> None:
        self.matrix = matrix
        self._believed = set(believed.tolist())
        self._ordered, self._targets, self._weight, self._seed = ordered, targets, weight, seed
        self._kept: dict[bytes, OrderedCategories] = {}

    def _numbers(self, training: np.ndarray | None) -> OrderedCategories | None:
        """Return the numbers for some rows to learn from; None for all rows."""
        if len(self._ordered) == 0:
            return None
        training = np.arange(self.matrix.n_rows) if training is None else np.sort(training)
        key = training.tobytes()
        if key not in self._kept:
            self._kept[key] = OrderedCategories.of(
                self.matrix, self._ordered, self._targets, self._weight, training, self._seed
            )
        return self._kept[key]

    def sources_of(self, training: np.ndarray | None) -> tuple[CategoryNumbers, ...]:
        """Return what the further columns stand for, when some rows are learned from; None for all rows."""
        found = self._numbers(training)
        return () if found is None else found.sources

    def config(self, config: _core.BoostingConfig) -> _core.BoostingConfig:
        """Return the options of the trainer with the further columns."""
        found = self._numbers(None)
        if found is None:
            return config_with(config, self.matrix.n_features, self._believed)
        return config_with(config, self.matrix.n_features, self._believed, found.sources, found.turns)

    def table_of(self, max_bins: int, **binning: Any) -> Callable[[np.ndarray], Any]:
        """Return what gives the binned table for rows to learn from."""
        kept: dict[bytes, Any] = {}

        def table(training: np.ndarray) -> Any:
            found = self._numbers(training)
            key = b"" if found is None else np.sort(training).tobytes()
            if key in kept:
                return kept[key]
            numeric, further = self.matrix.numeric, 0
            if found is not None:
                further = found.numbers.shape[1]
                numeric = np.concatenate([numeric, found.numbers], axis=1)
            kept[key] = _core.bin_table(
                numeric,
                self.matrix.codes,
                *kernel_features_with(self.matrix.features, further),
                max_bins=max_bins,
                seed=self._seed,
                n_threads=self.matrix.threads,
                **binning,
            )
            return kept[key]

        return table

    def model_of(self, trainer: Any, training: np.ndarray, trees: int, link: str) -> Boosted:
        """Return the first trees of a trainer of some rows as a model."""
        forest = forest_of(trainer, self.matrix.features, trees, self.sources_of(training))
        return Boosted(forest, trainer.baseline, link)


def config_with(
    config: _core.BoostingConfig,
    n_features: int,
    believed: set[int],
    sources: tuple[CategoryNumbers, ...] = (),
    turns: np.ndarray | None = None,
) -> _core.BoostingConfig:
    """Return the options of the trainer with columns that stand for categories: they go where their sources may go."""
    groups = config.interactions
    if not groups and len(believed) < n_features:
        groups = [list(range(n_features))]
    groups = [
        [
            *(f for f in group if f in believed),
            *(n_features + i for i, one in enumerate(sources) if one.feature in group),
        ]
        for group in groups
    ]
    config = config.replaced(interactions=[group for group in groups if group] or groups[:1])
    if turns is not None:
        config.monotonic = [*config.monotonic, *(0 for _ in sources)] if config.monotonic else []
        config.turn_of = [-1] * n_features + turns.tolist()
    return config


def kernel_features_with(features: tuple[Feature, ...], further: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the features as the kernel takes them, with so many columns of numbers behind them."""
    nominal, column, n_categories = kernel_features(features)
    start = len(features) - len(n_categories)
    behind = np.arange(start, start + further, dtype=np.uint32)
    return np.concatenate([nominal, np.zeros(further, np.uint8)]), np.concatenate([column, behind]), n_categories
