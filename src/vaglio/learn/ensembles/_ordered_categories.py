"""Categories as numbers: the mean target of the rows that come before, in random orders.

The mean target of a category, taken over all rows, tells each row its own target. In a random order a row is told the
mean of the rows before it alone, which is honest. Rounds take turns with several orders, so that the model averages
over them. A threshold on the mean is a set of categories: the trained model tests the set, by the mean over all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.model.ensembles.boosted_trees import CategoryNumbers

# So many random orders; and rows of the overall mean that every category begins with.
ORDERS = 4
_PRIOR_ROWS = 1.0


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
    prior = float(mass.sum() / max(known.sum(), np.finfo(np.float64).tiny))

    def smoothed(total: np.ndarray, count: np.ndarray) -> np.ndarray:
        found: np.ndarray = (total + _PRIOR_ROWS * prior) / (count + _PRIOR_ROWS)
        return found

    whole = smoothed(
        np.bincount(own, weights=mass, minlength=n_codes), np.bincount(own, weights=known, minlength=n_codes)
    )
    before = []
    for place in places:
        order = np.lexsort((place[training], own))
        first = np.searchsorted(own[order], own[order], side="left")
        column = whole[codes]
        total, count = _sums_before(mass[order]), _sums_before(known[order])
        column[training[order]] = smoothed(total - total[first], count - count[first])
        before.append(column)
    return whole, before


def _sums_before(values: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.concatenate([[0.0], np.cumsum(values)[:-1]])
    return found
