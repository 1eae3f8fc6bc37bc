"""Which rows each bag of an additive model keeps out, and which slots of a column count as one in a pair."""

from __future__ import annotations

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.runtime.seeds import row_hash

# Up to so many rows are dealt out to the bags class by class.
DEALT_ROWS = 10_000
# Cells of a pair have at least so many rows on average.
_ROWS_PER_CELL = 4
_MOST_GROUPS = 254


def deal_bags(y: np.ndarray, classes: bool, bags: int, share: float, seed: int) -> np.ndarray:
    """Return which rows each bag keeps out, uint8 (bags, n).

    Every row is kept out equally often; the only row of a class is kept out nowhere. Up to :data:`DEALT_ROWS` rows are
    dealt out like cards, class by class, so that every bag keeps out the same share of each class. Of more rows, each
    is dealt out by its number (:func:`hashed_bags`).
    """
    n = len(y)
    held = np.zeros((bags, n), dtype=np.uint8)
    if share <= 0 or n < 2:
        return held
    codes = y.astype(np.int64) if classes else np.zeros(n, np.int64)
    counts = np.bincount(codes)
    if n > DEALT_ROWS:
        return hashed_bags(np.arange(n), counts[codes] < 2, bags, share, seed)
    hands = _hands(share)
    random = np.random.default_rng(seed)
    hand = np.empty(n, dtype=np.int64)
    for bag in range(bags):
        if bag % hands == 0:
            order = random.permutation(n)
            order = order[np.argsort(codes[order], kind="stable")]
            hand[order] = np.arange(n) % hands
        held[bag] = (hand == bag % hands) & (counts[codes] > 1)
    return held


def hashed_bags(index: np.ndarray, alone: np.ndarray, bags: int, share: float, seed: int) -> np.ndarray:
    """Return which rows each bag keeps out by their numbers alone: the same ones, wherever the rows are.

    Parameters
    ----------
    index : ndarray of int64
        Numbers of the rows in the whole table.
    alone : ndarray of bool
        Whether a row is the only one of its class.
    bags, share, seed
        As in :func:`deal_bags`.
    """
    held = np.zeros((bags, len(index)), dtype=np.uint8)
    if share <= 0:
        return held
    hands = _hands(share)
    for bag in range(bags):
        if bag % hands == 0:
            hand = row_hash(index, seed + bag // hands) % np.uint64(hands)
        held[bag] = (hand == bag % hands) & ~alone
    return held


def _hands(share: float) -> int:
    return max(2, round(1 / share))


def group_slots(feature: Feature, weight: np.ndarray, most: int, n_rows: int) -> np.ndarray:
    """Return the group of each slot of a column, uint8: neighbours of about equal weight, or frequent categories.

    Parameters
    ----------
    feature : Feature
    weight : ndarray of shape (slots,)
        Of the training rows of each slot; the last slot is that of missing values.
    most : int
        Most groups, without that of missing values.
    n_rows : int
        A small table has fewer groups, so that cells of two columns have a few rows.
    """
    most = int(np.clip(np.sqrt(n_rows / _ROWS_PER_CELL), 2, min(most, _MOST_GROUPS)))
    present = weight[:-1]
    if len(present) <= most:
        return np.arange(len(weight)).astype(np.uint8)
    if feature.is_nominal:
        # The most frequent ones are groups of their own, in the order of their codes; the others share the last one.
        group = np.full(len(present), most - 1)
        frequent = np.sort(np.argsort(-present, kind="stable")[: most - 1])
        group[frequent] = np.arange(most - 1)
    else:
        middle = np.cumsum(present) - present / 2
        group = np.minimum((middle / max(present.sum(), 1e-300) * most).astype(np.int64), most - 1)
        group = np.unique(group, return_inverse=True)[1]
    return np.append(group, group.max() + 1).astype(np.uint8)


def group_columns(features: tuple[Feature, ...], weights: list[np.ndarray], most: int, n_rows: int) -> list[np.ndarray]:
    """Return the groups of the slots of every column."""
    return [group_slots(feature, own, most, n_rows) for feature, own in zip(features, weights)]


def most_steps(n_rows: int) -> int:
    """Return how many steps a term may take by the same sums: one of few rows, where time does not count."""
    return 1 if n_rows <= DEALT_ROWS else 5


def columns_together(learning_rate: float, n_rows: int) -> int:
    """Return how many columns step on the same gradients: about one Newton step in all."""
    return _core.additive_together(learning_rate, most_steps(n_rows))[1]
