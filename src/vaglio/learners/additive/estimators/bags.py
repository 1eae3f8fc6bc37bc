"""Bags of an additive model: which rows each keeps out, and how their tables become the terms of one model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.learners.additive.estimators.pairs import purified
from vaglio.learners.additive.model.additive import Additive, slot_starts
from vaglio.runtime.seeds import row_hash

# Up to so many rows are dealt out to the bags class by class.
DEALT_ROWS = 10_000


def deal_bags(y: np.ndarray, classes: bool, bags: int, share: float, seed: int) -> np.ndarray:
    """Return which rows each bag keeps out, uint8 (bags, n).

    Every row is kept out equally often; the only row of a class is kept out nowhere. Up to :data:`DEALT_ROWS` rows are
    dealt out like cards, class by class, so that every bag keeps out the same share of each class. Of more rows, each
    is dealt out by its number (:func:`hashed_bags`).
    """
    n = len(y)
    held = np.zeros((int(bags), n), dtype=np.uint8)
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
    held = np.zeros((int(bags), len(index)), dtype=np.uint8)
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


def most_steps(n_rows: int) -> int:
    """Return how many steps a term may take by the same sums: one of few rows, where time does not count."""
    return 1 if n_rows <= DEALT_ROWS else 5


def columns_together(learning_rate: float, n_rows: int) -> int:
    """Return how many columns step on the same gradients: about one Newton step in all."""
    return _core.additive_together(learning_rate, most_steps(n_rows))[1]


@dataclass(frozen=True)
class Bagged:
    """What the bags learned.

    Attributes
    ----------
    baseline : float64 (bags, K)
    columns : list of float64 (bags, K, slots)
        By feature.
    pairs : list of float64 (bags, K, groups, groups)
    pair_features : list of (int, int)
    groups : list of uint8
        Group of each slot, by feature.
    weights : list of float64
        Weight of the training rows in each slot, by feature.
    pair_weights : list of float64 (groups, groups)
    """

    baseline: np.ndarray
    columns: list[np.ndarray]
    pairs: list[np.ndarray]
    pair_features: list[tuple[int, int]]
    groups: list[np.ndarray]
    weights: list[np.ndarray]
    pair_weights: list[np.ndarray]


def settle(bagged: Bagged, softmax: bool, nominal: list[bool]) -> Bagged:
    """Return the same sums with terms that have one meaning.

    What a pair says about one of its columns alone moves to the column; the mean of every term moves to the start. With
    one score per class the scores of a cell add up to zero. Categories, missing values and cells of pairs that no
    training row has say nothing.
    """
    baseline = bagged.baseline.copy()
    columns = [table.copy() for table in bagged.columns]
    pairs = []
    for (first, second), table, weight in zip(bagged.pair_features, bagged.pairs, bagged.pair_weights):
        pure, by_first, by_second = purified(table, weight)
        columns[first] += by_first[:, :, bagged.groups[first]]
        columns[second] += by_second[:, :, bagged.groups[second]]
        pairs.append(np.where(weight > 0, pure, 0.0))
    for table, weight, unordered in zip(columns, bagged.weights, nominal):
        if weight.sum() > 0:
            mean = table @ (weight / weight.sum())
            baseline += mean
            table -= mean[:, :, None]
            unknown = weight == 0
            unknown[:-1] &= unordered
            table[:, :, unknown] = 0.0
    if softmax:
        for table in (baseline[:, :, None], *columns, *pairs):
            table -= table.mean(axis=1, keepdims=True)
    return Bagged(baseline, columns, pairs, bagged.pair_features, bagged.groups, bagged.weights, bagged.pair_weights)


def mean_and_deviation(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation over the bags, each as (cells, K)."""
    flat = tables.reshape(*tables.shape[:2], -1)
    spread = flat.std(axis=0, ddof=1) if len(flat) > 1 else np.zeros(flat.shape[1:])
    return np.ascontiguousarray(flat.mean(axis=0).T), np.ascontiguousarray(spread.T)


def slot_weights(
    slots: list[np.ndarray], features: tuple[Feature, ...], thresholds: list[np.ndarray], weight: np.ndarray | None
) -> list[np.ndarray]:
    """Return the weight of the training rows in each slot of each column."""
    sizes = np.diff(slot_starts(features, np.cumsum([0, *map(len, thresholds)]))).tolist()
    return [np.bincount(own, weight, minlength=n).astype(np.float64) for own, n in zip(slots, sizes)]


def mean_model(
    settled: Bagged,
    link: str,
    cuts: np.ndarray,
    cut_start: np.ndarray,
    boosted: list[int],
    features: tuple[Feature, ...],
) -> Additive:
    """Return the mean of the bags, term by term: columns in their order, then pairs."""
    used = {j for pair in settled.pair_features for j in pair} | set(np.flatnonzero(boosted).tolist())
    columns = sorted(used)
    tables = [mean_and_deviation(table) for table in (*(settled.columns[j] for j in columns), *settled.pairs)]
    weights = [*(settled.weights[j] for j in columns), *(weight.ravel() for weight in settled.pair_weights)]
    empty = np.zeros((0, settled.baseline.shape[1]))
    terms = [*((j, -1) for j in columns), *settled.pair_features]
    return Additive(
        link=link,
        intercept=settled.baseline.mean(axis=0),
        cuts=cuts,
        cut_start=cut_start.astype(np.int64),
        groups=np.concatenate(settled.groups),
        terms=np.array(terms, dtype=np.int32).reshape(-1, 2),
        scores=np.concatenate([empty, *(mean for mean, _ in tables)]),
        deviations=np.concatenate([empty, *(spread for _, spread in tables)]),
        weights=np.concatenate([np.zeros(0), *weights]).astype(np.float64),
        features=features,
    )
