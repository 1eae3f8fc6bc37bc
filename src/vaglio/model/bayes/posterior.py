"""From log-likelihoods to class probabilities, in logarithms: a product of many small numbers would become zero."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vaglio.encode import EncodedMatrix


class BayesModel:
    """What every Bayes model has in common: the class probabilities follow from log P(x, c) by normalisation.

    Attributes
    ----------
    prior : float64 (K,)
        P(c) of each class.
    """

    prior: np.ndarray

    @cached_property
    def log_prior(self) -> np.ndarray:
        """Log P(c), -inf for a class that cannot be."""
        return log_of(self.prior)

    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return log P(x, c) of every row and class, shape (n, K)."""
        raise NotImplementedError

    def predict_log_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return log P(c|x) of every row and class."""
        return log_posterior(self.joint_log_likelihood(matrix), self.log_prior)

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return P(c|x) of every row and class; rows add up to one."""
        probability = np.exp(self.predict_log_proba(matrix))
        # Rounding leaves the sums a little beside one.
        scaled: np.ndarray = probability / probability.sum(axis=1, keepdims=True)
        return scaled


def log_posterior(joint: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """Return log P(c|x) from log P(x, c), row by row.

    A row that every class rules out (all -inf: without smoothing, or so far away that every density is zero) falls back
    on the priors: the evidence contradicts itself, so it says nothing. A density beyond all numbers counts as the
    largest number.
    """
    if not np.isfinite(joint.sum()):
        joint = np.nan_to_num(joint, nan=-np.inf, posinf=np.finfo(float).max, neginf=-np.inf)
    top = joint.max(axis=1, keepdims=True)
    ruled_out = np.isneginf(top[:, 0])
    if ruled_out.any():
        joint = joint.copy()
        joint[ruled_out] = log_prior
        top = joint.max(axis=1, keepdims=True)
    shifted = joint - top
    log_probability: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return log_probability


def log_of(probability: np.ndarray) -> np.ndarray:
    """Return the logarithm, -inf for zero."""
    with np.errstate(divide="ignore"):
        logarithm: np.ndarray = np.log(probability)
        return logarithm


def smoothed(count: np.ndarray, alpha: float) -> np.ndarray:
    """Return (count + α) / (total + α·V) along the last axis; uniform where there is nothing to go by."""
    size = count.shape[-1]
    total = count.sum(axis=-1, keepdims=True) + alpha * size
    with np.errstate(invalid="ignore", divide="ignore"):
        share: np.ndarray = np.where(total > 0, (count + alpha) / total, 1.0 / max(size, 1))
        return share


def choose(rng: np.random.Generator, probability: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Draw one column index for each entry of ``rows``, by the probabilities of that row of the table."""
    cumulative = np.cumsum(probability, axis=1)
    drawn = np.empty(len(rows), dtype=np.int64)
    uniform = rng.random(len(rows))
    for row in np.unique(rows):
        here = rows == row
        found = np.searchsorted(cumulative[row], uniform[here] * cumulative[row, -1], side="right")
        drawn[here] = np.minimum(found, probability.shape[1] - 1)
    return drawn
