"""Knots of the quantile functions that new rows are drawn from."""

from __future__ import annotations

from functools import cache

import numpy as np

from vaglio.learners.bayes.model.quantiles import Quantiles, joined

# Even steps of the share; the outermost step is halved down to single rows, because a skewed column has most of its
# spread there.
STEPS = 32
# In a table of more columns there are fewer steps, and the classes share them: a model must not grow with the classes
# times the columns.
WIDE, STEPS_OF_WIDE = 500, 8
# A value that has so many times the least weight occurs in several rows: it is drawn itself.
REPEATED = 1.5

ValueCounts = tuple[np.ndarray, np.ndarray, np.ndarray]
Knots = tuple[np.ndarray, np.ndarray]


def learn_quantiles(counts: dict[int, ValueCounts], limits: dict[int, tuple[float, float]], k: int) -> Quantiles:
    """Return the quantile functions of columns with known values, and the range of the columns in ``limits``."""
    knots: dict[int, list[Knots]] = {}
    nothing = np.empty(0), np.empty(0)
    for j, (value, label, weight) in counts.items():
        if len(counts) > WIDE:
            knots[j] = [class_knots(value, weight, STEPS_OF_WIDE), *[nothing] * (k - 1)]
        else:
            knots[j] = [class_knots(value[label == c], weight[label == c], STEPS) for c in range(k)]
    return joined(knots, limits, k)


def class_knots(value: np.ndarray, weight: np.ndarray, steps: int) -> Knots:
    """Return shares and values of the knots, given values in ascending order and their weights."""
    if not len(value):
        return np.empty(0), np.empty(0)
    above = np.cumsum(weight)
    below, above = np.append(0.0, above[:-1]) / above[-1], above / above[-1]
    single = weight < REPEATED * weight.min()
    share = middle = (below + above) / 2
    if not single.all():
        share = np.column_stack([np.where(single, middle, below), np.where(single, middle, above)]).ravel()
        value = np.repeat(value, 2)
        kept = np.ones(len(value), dtype=bool)
        kept[1::2] = ~single
        share, value = share[kept], value[kept]
    if len(share) <= 2 * steps:
        return share, value
    grid = _grid(steps, int(np.log2(len(share))) + 1)
    return grid, np.interp(grid, share, value)


@cache
def _grid(steps: int, halvings: int) -> np.ndarray:
    halves = 2.0 ** -np.arange(np.log2(steps) + 1, halvings + 1)
    return np.unique(np.concatenate([np.linspace(0, 1, steps + 1), halves, 1 - halves]))


def known_ranges(features: np.ndarray, low: np.ndarray, high: np.ndarray) -> dict[int, tuple[float, float]]:
    """Return the range of each feature, without columns that have no value."""
    found = zip(features.tolist(), low.tolist(), high.tolist())
    return {j: (least, largest) for j, least, largest in found if least == least}
