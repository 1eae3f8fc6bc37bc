"""From log-likelihoods to class probabilities, in logarithms: a product of many small numbers would become zero."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix

# Classes whose logarithms are nearer than this are told apart by their probabilities, which rounding may make equal.
_APART = 1e-6


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
        return self._probabilities(self.joint_log_likelihood(matrix))

    def predict_codes(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the most probable class of every row: where one stands out, no probability is computed."""
        joint = np.ascontiguousarray(self.joint_log_likelihood(matrix))
        codes, close = _core.decide_rows(joint, _APART, matrix.threads)
        if len(close):
            codes[close] = self._probabilities(joint[close]).argmax(axis=1)
        return codes

    def predict_codes_and_proba(self, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
        """Return both."""
        probability = self.predict_proba(matrix)
        return probability.argmax(axis=1), probability

    def _probabilities(self, joint: np.ndarray) -> np.ndarray:
        probability = np.exp(log_posterior(joint, self.log_prior))
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


def smoothed(count: np.ndarray, alpha: float, values: int | None = None) -> np.ndarray:
    """Return (count + α) / (total + α·V) along the last axis; uniform where there is nothing to go by.

    V is the number of values that occur in the training rows, by default all of the axis. A value that is declared
    but never occurs has the share of a count of 0, beside the others, which add up to one.
    """
    size = count.shape[-1] if values is None else values
    total = count.sum(axis=-1, keepdims=True) + alpha * size
    with np.errstate(invalid="ignore", divide="ignore"):
        share: np.ndarray = np.where(total > 0, (count + alpha) / total, 1.0 / max(size, 1))
        return share


def believed(count: np.ndarray, reliability: float, alpha: float) -> np.ndarray:
    """Return P(v|c), shape (K, V), of a column of many values whose counts are believed in part only.

    The class shares of a value of n rows are shrunk towards those of all rows by the factor n / (n + m), as if m more
    rows without a difference had been seen; m is such that the factor is ``reliability`` for a value of the average
    number of rows. With a reliability of 0 every class has the same distribution, and the column says nothing.
    A value that is declared but never occurs counts as one of α rows.
    """
    rows = count.sum(axis=0)
    total, seen = float(rows.sum()), rows > 0
    each = np.where(seen, rows, alpha)
    if total <= 0 or reliability <= 0:
        alike = each / total if total > 0 else np.full_like(rows, 1 / max(len(rows), 1))
        return np.tile(alike, (len(count), 1))
    more = total / seen.sum() * (1 - reliability) / reliability
    share = count.sum(axis=1, keepdims=True) / total
    # A class without a row here is taken to be like all of them.
    joint = np.where(share > 0, (count + more * share) / (rows + more), 1.0) * each
    found: np.ndarray = joint / joint[:, seen].sum(axis=1, keepdims=True)
    return found


def observed(count: np.ndarray) -> np.ndarray:
    """Return the shares that training showed along the last axis, without smoothing: what new rows are drawn by.

    A class without any value is taken to be like all classes together; without any at all, every value is as likely.
    """
    total = count.sum(axis=-1, keepdims=True)
    count = np.where(total > 0, count, count.sum(axis=0, keepdims=True))
    return smoothed(count, 0.0)


def values_seen(count: np.ndarray) -> int:
    """Return V: how many values of a table (K, size) occur in the training rows; 1 if none does."""
    return max(1, int(np.count_nonzero(count.any(axis=0))))


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
