"""From class weights to class probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.errors import InputError
from vaglio.text.sentences import did_you_mean

__all__ = ["SMOOTHINGS", "Smoothing"]

# Nothing added, one row per class, or m rows that follow the prior.
SMOOTHINGS = ("none", "laplace", "m-estimate")


@dataclass(frozen=True)
class Smoothing:
    """How probabilities are drawn towards a prior.

    ``none``: w_c / W. ``laplace``: (w_c + 1) / (W + K). ``m-estimate``: (w_c + m·prior_c) / (W + m).

    Examples
    --------
    >>> from vaglio.model.smoothing import Smoothing
    >>> Smoothing("laplace").probabilities([[3.0, 1.0]], [5.0, 5.0])
    array([[0.66666667, 0.33333333]])
    """

    kind: str = "none"
    m: float = 2.0

    def __post_init__(self) -> None:
        if self.kind not in SMOOTHINGS:
            raise InputError(f"There is no smoothing {self.kind!r}: {did_you_mean(self.kind, SMOOTHINGS)}")
        if not (np.isfinite(self.m) and self.m >= 0):
            raise InputError(f"The m of the m-estimate must be a finite number >= 0, got {self.m}.")

    def probabilities(self, weights: np.ndarray, totals: np.ndarray) -> np.ndarray:
        """Row-wise probabilities; a row without any weight gets the prior, and without a prior a uniform one."""
        weights = np.atleast_2d(np.asarray(weights, dtype=np.float64)) + self.pseudo_weights(totals)
        total = weights.sum(axis=1, keepdims=True)
        return np.where(total > 0, weights / np.where(total > 0, total, 1.0), _prior(totals))

    def pseudo_weights(self, totals: np.ndarray) -> np.ndarray:
        """What is added to the weight of each class."""
        if self.kind == "laplace":
            return np.ones(len(totals))
        return self.m * _prior(totals) if self.kind == "m-estimate" else np.zeros(len(totals))


def _prior(totals: np.ndarray) -> np.ndarray:
    prior = np.asarray(totals, dtype=np.float64)
    return prior / prior.sum() if prior.sum() > 0 else np.full(len(prior), 1.0 / len(prior))
