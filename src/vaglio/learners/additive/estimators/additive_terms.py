"""From the tables of the bags to the terms of the model: pure pairs, centred terms, means and deviations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.additive.model.additive import Additive, slot_starts

_ROUNDS_OF_PURITY = 100
_PURE = 1e-10


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


def purified(table: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split a pair (…, a, b) into a table whose weighted rows and columns have mean zero, and what was in them."""
    pure = table.copy()
    by_first, by_second = np.zeros(table.shape[:-1]), np.zeros((*table.shape[:-2], table.shape[-1]))
    along, down = weight.sum(axis=1), weight.sum(axis=0)
    for _ in range(_ROUNDS_OF_PURITY):
        rows = (pure * weight).sum(axis=-1) / np.where(along > 0, along, 1.0)
        pure -= rows[..., :, None]
        by_first += rows
        lines = (pure * weight).sum(axis=-2) / np.where(down > 0, down, 1.0)
        pure -= lines[..., None, :]
        by_second += lines
        if max(np.abs(rows).max(initial=0.0), np.abs(lines).max(initial=0.0)) < _PURE:
            break
    return pure, by_first, by_second


def mean_and_deviation(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation over the bags, each as (cells, K)."""
    flat = tables.reshape(*tables.shape[:2], -1)
    spread = flat.std(axis=0, ddof=1) if len(flat) > 1 else np.zeros(flat.shape[1:])
    return np.ascontiguousarray(flat.mean(axis=0).T), np.ascontiguousarray(spread.T)


def pair_tables(cells: np.ndarray, pairs: list[tuple[int, int]], groups: list[np.ndarray]) -> list[np.ndarray]:
    """Return the cells of each pair, (bags, K, groups, groups), from those of all pairs behind each other."""
    found, begin = [], 0
    for a, b in pairs:
        shape = int(groups[a][-1]) + 1, int(groups[b][-1]) + 1
        found.append(cells[:, :, begin : begin + shape[0] * shape[1]].reshape(*cells.shape[:2], *shape).copy())
        begin += shape[0] * shape[1]
    return found


def slot_weights(
    slots: list[np.ndarray], features: tuple[Feature, ...], thresholds: list[np.ndarray], weight: np.ndarray | None
) -> list[np.ndarray]:
    """Return the weight of the training rows in each slot of each column."""
    sizes = np.diff(slot_starts(features, np.cumsum([0, *map(len, thresholds)]))).tolist()
    return [np.bincount(own, weight, minlength=n).astype(np.float64) for own, n in zip(slots, sizes)]


def joint_weight(
    slots: list[np.ndarray], groups: list[np.ndarray], a: int, b: int, weight: np.ndarray | None
) -> np.ndarray:
    """Return the weight of the training rows in each cell of a pair."""
    shape = int(groups[a][-1]) + 1, int(groups[b][-1]) + 1
    cell = groups[a][slots[a]].astype(np.int64) * shape[1] + groups[b][slots[b]]
    return np.bincount(cell, weights=weight, minlength=shape[0] * shape[1]).astype(np.float64).reshape(shape)


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
