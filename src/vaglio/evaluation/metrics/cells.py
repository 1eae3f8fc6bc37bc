"""Intervals of figures of the confusion matrix: of draws of the matrix that may have led to the one observed.

The cells are drawn from their posterior distribution, which starts from one row of each class, spread over the
predicted classes: Jeffreys' prior for two classes. A bootstrap never draws an error that did not occur, so that its
intervals collapse where a model makes few errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.metrics.rates import AVERAGES, RATES
from vaglio.messages.sentences import did_you_mean

__all__ = ["DRAWN_CLASSES", "draw_cells", "kappa_of", "matthews_of", "mean_rate_of"]

# With more classes, draws of all cells take longer than anybody waits for an interval.
DRAWN_CLASSES = 50
# Numbers that are drawn at most.
_MOST_NUMBERS = 4_000_000


def draw_cells(confusion: np.ndarray, scale: float, n_draws: int, seed: int) -> np.ndarray:
    """Draw confusion matrices as shares.

    Parameters
    ----------
    confusion : ndarray of shape (n_classes, n_classes)
    scale : float
        Independent rows that a unit of the matrix stands for.
    n_draws, seed : int

    Returns
    -------
    ndarray of shape (n_draws, n_classes, n_classes)
    """
    k = len(confusion)
    present = confusion.sum(axis=1, keepdims=True) > 0
    cells = confusion * scale + present / k
    drawn = np.random.default_rng(seed).standard_gamma(
        np.broadcast_to(cells, (max(200, min(n_draws, _MOST_NUMBERS // k**2)), k, k))
    )
    return np.asarray(drawn / drawn.sum(axis=(1, 2), keepdims=True))


def kappa_of(cells: np.ndarray) -> np.ndarray:
    """Cohen's kappa of each matrix of shares."""
    agreed = np.trace(cells, axis1=-2, axis2=-1)
    chance = (cells.sum(axis=-1) * cells.sum(axis=-2)).sum(axis=-1)
    return _ratio(agreed - chance, 1 - chance)


def matthews_of(cells: np.ndarray) -> np.ndarray:
    """Matthews' coefficient of each matrix of shares."""
    true, predicted = cells.sum(axis=-1), cells.sum(axis=-2)
    chance = (true * predicted).sum(axis=-1)
    # Rounding may leave a value slightly below zero where one class has all rows.
    rest = [np.maximum(1 - np.square(shares).sum(axis=-1), 0.0) for shares in (true, predicted)]
    spread = np.sqrt(rest[0] * rest[1])
    return _ratio(np.trace(cells, axis1=-2, axis2=-1) - chance, spread)


def mean_rate_of(name: str, average: str, undefined: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of matrices that averages a rate over the classes.

    Parameters
    ----------
    name : str
        One of ``RATES``.
    average : str
        One of ``AVERAGES``.
    undefined : ndarray of bool
        Classes whose rate counts as 0, because it is undefined in the matrix that was observed.
    """
    if average not in AVERAGES:
        near = did_you_mean(average, AVERAGES)
        raise InputError("unknown-average", "There is no average {average!r}; {hint}", average=average, hint=near)
    top, bottom = RATES[name]

    def averaged(cells: np.ndarray) -> np.ndarray:
        hit, true, predicted = np.diagonal(cells, axis1=-2, axis2=-1), cells.sum(axis=-1), cells.sum(axis=-2)
        counts = {"tp": hit, "fp": predicted - hit, "fn": true - hit, "tn": 1 - true - predicted + hit}
        above, below = (np.sum([counts[c] for c in part], axis=0) for part in (top, bottom))
        if average == "micro":
            return _ratio(above.sum(axis=-1), below.sum(axis=-1))
        rate = np.where(undefined, 0.0, _ratio(above, below))
        return np.asarray(rate.mean(axis=-1) if average == "macro" else (rate * true).sum(axis=-1))

    return averaged


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    return np.asarray(np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0))
