"""The error of a majority vote of independent learners."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np

from vaglio.errors import InputError

__all__ = ["majority_vote_error"]


def majority_vote_error(error: float | Sequence[float], n_learners: int | None = None) -> float:
    """Return the probability that most of several independent learners are wrong.

    Parameters
    ----------
    error : float or sequence of float
        One error for all learners, or one per learner.
    n_learners : int, optional
        Number of learners, if ``error`` is one number. A tie of the votes counts half.

    Returns
    -------
    float

    Examples
    --------
    >>> from vaglio.evaluation import majority_vote_error
    >>> round(majority_vote_error(1 / 3, 3) * 27, 10)
    7.0
    """
    if isinstance(error, Real):
        if n_learners is None or n_learners < 1:
            raise InputError(f"majority_vote_error needs n_learners of at least 1, not {n_learners}.")
        errors = np.full(n_learners, float(error))
    else:
        errors = np.asarray(error, dtype=np.float64)
    if errors.size == 0 or not ((errors >= 0) & (errors <= 1)).all():
        raise InputError("An error is a probability: every error must lie between 0 and 1.")
    wrong = np.ones(1)  # probability of 0, 1, … wrong learners so far
    for e in errors:
        wrong = np.convolve(wrong, [1 - e, e])
    half = len(errors) / 2
    counts = np.arange(len(wrong))
    return float(wrong[counts > half].sum() + 0.5 * wrong[counts == half].sum())
