"""How sure a boosted model may be: the factor of its scores under which rows held out are most probable."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

# Scores are at most so many times larger or smaller.
_WIDEST = 5.0
# What is thought of the logarithm of the factor before any row is seen: 0, give or take this. The rounds are chosen by
# the loss of the same rows, so that scores are nearly right already, and a few dozen rows cannot tell otherwise.
_USUAL_SPREAD = 0.25


def best_factor(raw: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the factor of least log loss; the fewer rows, the nearer to 1.

    Parameters
    ----------
    raw : float64 (n, K)
        Scores of rows that were not learned from; of two classes the log-odds of the second.
    y : ndarray of int64
        Class codes.
    weight : float64 (n,) or None
    """
    scores = np.column_stack([np.zeros(len(raw)), raw[:, 0]]) if raw.shape[1] == 1 else raw
    own = scores[np.arange(len(y)), y]
    weight = np.ones(len(y)) if weight is None else weight

    def loss(logarithm: float) -> float:
        factor = np.exp(logarithm)
        surprise = (logarithm / _USUAL_SPREAD) ** 2 / 2
        return float(weight @ (logsumexp(factor * scores, axis=1) - factor * own)) + surprise

    widest = np.log(_WIDEST)
    found = minimize_scalar(loss, bounds=(-widest, widest), method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))
