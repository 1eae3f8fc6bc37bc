"""How far the last rows of a service are from the training rows: the measures of the audit, over a window."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vaglio.learners.provenance import Shares

__all__ = ["ColumnDrift", "column_drift"]

# Rows of a window below which nothing is said.
FEWEST_ROWS = 50


@dataclass(frozen=True)
class ColumnDrift:
    """How far one column is from training.

    Attributes
    ----------
    measure : {"ks", "psi"}
        Kolmogorov and Smirnov's distance for numbers, taken at the ends of the bins of the training rows, or the
        population stability index for categories.
    value : float
    severity : {"medium", "high"} or None
        As the audit would call it; None if it would not mention it.
    """

    measure: str
    value: float
    severity: str | None


def column_drift(shares: Shares | None, bins: list[int]) -> ColumnDrift | None:
    """Return how far the values of a window are from those of training; None if too little is known.

    Parameters
    ----------
    shares : Shares or None
        Of training.
    bins : list of int
        Rows of the window per bin or category, and behind them those of unknown categories.
    """
    # Imported late, and by a thread: the audit and what it needs take longer to import than all the rest of a server.
    from scipy.special import kolmogorov

    from vaglio.quality.checks.drift import population_stability, severity_of_shares, severity_of_shift

    seen = sum(bins)
    if shares is None or seen < FEWEST_ROWS or not sum(shares.counts):
        return None
    if shares.edges or math.isfinite(shares.low):
        before, now = np.array(shares.counts, dtype=float), np.array(bins[:-1], dtype=float)
        if not now.sum():
            return None
        n, m = before.sum(), now.sum()
        distance = float(np.abs(np.cumsum(before) / n - np.cumsum(now) / m).max())
        p = float(kolmogorov(math.sqrt(n * m / (n + m)) * distance))
        return ColumnDrift("ks", distance, severity_of_shift(distance, p, int(n), int(m)))
    before = np.array([*shares.counts, 0], dtype=float)
    now = np.array(bins, dtype=float)
    used = (before > 0) | (now > 0)
    stability = population_stability(before[used], now[used])
    return ColumnDrift("psi", stability, severity_of_shares(stability, int(used.sum()), before.sum(), now.sum()))
