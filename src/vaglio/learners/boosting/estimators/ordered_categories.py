"""Categories as numbers: the mean target of the rows that come before, in random orders.

The mean target of a category, taken over all rows, tells each row its own target. In a random order a row is told the
mean of the rows before it alone, which is honest. Rounds take turns with several orders, so that the model averages
over them. A threshold on the mean is a set of categories: the trained model tests the set, by the mean over all rows.

Larger tables are put in order in blocks, by the hash of the number of each row; a row is told the mean of the blocks
before its own. Sums of blocks need no sorting, and can be added up wherever the rows are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.boosting.estimators.boosting_rounds import is_large
from vaglio.learners.boosting.model.boosted_trees import CategoryNumbers
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
        places = [_places(training, len(targets), seed, order) for order in range(ORDERS)]
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


def _places(training: np.ndarray, n: int, seed: int, order: int) -> np.ndarray:
    """Return the place of each row to learn from in a random order."""
    places = np.zeros(n, dtype=np.int64)
    places[training] = np.random.default_rng([seed, order]).permutation(len(training))
    return places


def _means(
    codes: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    training: np.ndarray,
    n_codes: int,
    places: list[np.ndarray],
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the mean of every category over all rows to learn from, and of the rows before each row, per order."""
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
