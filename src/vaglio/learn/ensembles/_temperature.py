"""How sure a boosted model may be: the factor of its scores under which rows held out are most probable."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

# Scores are at most so many times larger or smaller.
_WIDEST = 5.0


def best_factor(raw: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the factor of least log loss.

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
        # One row, as it were, says that the scores are right as they are: a few rows change little.
        return float(weight @ (logsumexp(factor * scores, axis=1) - factor * own)) + logarithm**2 / 2

    widest = np.log(_WIDEST)
    found = minimize_scalar(loss, bounds=(-widest, widest), method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))
