"""How much of what a nominal column of many values tells about the target is beyond chance.

Many values fit any target. V values that tell nothing explain (V − 1) / (N − 1) of the target's variance (for classes:
of the Gini index) on average over all orders of N rows. What a column explains is compared with this:

    reliability r = 1 − (explained by chance) / (explained).

For values of n rows each, r = n / (n + m) is the factor by which empirical Bayes shrinks the mean of a value towards
the mean of all rows: a value is believed as if m = n·(1 − r) / r rows without a difference had been seen too. Explained
by chance is the mean plus two standard deviations, so that a column of noise has r = 0: it is left out. The grower of
the trees computes the same number in every node (``cpp/tree/split/chance.cpp``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # a matrix knows its features, and they know no matrix
    from vaglio.encode._matrix import EncodedMatrix

# Up to so many values chance has few to choose from.
UNGUARDED_VALUES = 10
# One column in forty that tells nothing is above this many standard deviations.
_DEVIATIONS = 2


def guarded_from(guard: float | None, rows: float) -> float:
    """Return the number of values above which a nominal column is corrected for chance."""
    return np.inf if guard is None else max(UNGUARDED_VALUES, guard * rows)


def reliability(table: np.ndarray, squares: np.ndarray, deviations: float = _DEVIATIONS) -> float:
    """Return r of a column, from 0 (chance explains as much) to 1.

    Parameters
    ----------
    table : float64 (V, K)
        Class weights of each value.
    squares : float64 (V,)
        Sum of the squared weights of its rows: rows of unequal weight tell less than as many equal ones.
    deviations : float
        How many standard deviations above its mean chance is taken.
    """
    sizes = table.sum(axis=1)
    table, squares, sizes = table[sizes > 0], squares[sizes > 0], sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    classes, total = table.sum(axis=0), sizes.sum()
    within = float((sizes - (table**2).sum(axis=1) / sizes).sum())
    return _compared(within, float(total - (classes**2).sum() / total), sizes, squares, deviations)


def shown_share(reliability: np.ndarray) -> np.ndarray:
    """Return what an indicator, or a difference of two values, counts in a column of this reliability.

    In full if at least half of what the column tells is beyond chance, else in proportion; a column of 0 is left out.
    """
    share: np.ndarray = np.minimum(1.0, 2 * reliability)
    return share


def reliability_for_numbers(
    codes: np.ndarray, y: np.ndarray, weight: np.ndarray, deviations: float = _DEVIATIONS
) -> float:
    """Return r of a column where the target is a number; every row has a code."""
    sizes = np.bincount(codes, weight)
    centred = y - np.average(y, weights=weight)
    means = np.bincount(codes, weight * centred) / np.where(sizes > 0, sizes, 1.0)
    within = float((weight * (centred - means[codes]) ** 2).sum())
    present = sizes > 0
    squares = np.bincount(codes, weight**2)[present]
    return _compared(within, float((weight * centred**2).sum()), sizes[present], squares, deviations)


def _compared(within: float, total: float, sizes: np.ndarray, squares: np.ndarray, deviations: float) -> float:
    """Compare what values explain with chance: ``within`` of the ``total`` sum of squares they leave unexplained."""
    row = squares.sum() / sizes.sum()  # what one row counts, on average
    rows, used = float(sizes.sum() / row - 1), float((squares / sizes).sum() / row - 1)
    if total <= 0 or rows <= 1 or used <= 1:
        return 1.0

    def by_chance(degrees: float) -> float:
        spread = 2 * degrees * max(0.0, rows - degrees) / (rows**2 * (rows + 2))
        return float(degrees / rows + deviations * np.sqrt(spread))

    two = by_chance(1.0)  # a column of two values, as a threshold of a number, is not corrected
    chance = (by_chance(min(used, rows)) - two) / (1 - two) if two < 1 else 0.0
    explained = 1 - within / total
    return max(0.0, 1 - chance / explained) if explained > 0 else 0.0


def learn_reliability(
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    guard: float | None,
    deviations: float = _DEVIATIONS,
) -> np.ndarray:
    """Return r of each column of the code block, 1 for those of few values; ``n_classes`` is 0 for numbers.

    Where no other column is left, all are taken as they are: a model needs something to go by.
    """
    found = np.ones(matrix.codes.shape[1])
    if not len(found):
        return found
    most = guarded_from(guard, matrix.n_rows)
    for q in np.flatnonzero(matrix.n_categories > most):
        known = matrix.codes[:, q] >= 0
        codes, target = matrix.codes[known, q].astype(np.int64), y[known]
        w = np.ones(len(codes)) if weight is None else weight[known]
        if not len(codes):
            continue
        if n_classes:
            flat = np.bincount(codes * n_classes + target, w, minlength=(int(codes.max()) + 1) * n_classes)
            found[q] = reliability(flat.reshape(-1, n_classes), np.bincount(codes, w**2), deviations)
        else:
            found[q] = reliability_for_numbers(codes, target, w, deviations)
    nothing_left = matrix.n_features == len(found) and not found.any()
    return np.ones_like(found) if nothing_left else found
