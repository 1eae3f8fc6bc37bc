"""A value with its confidence interval: Wilson for rates, percentiles for resampled values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

__all__ = ["Estimate", "effective_size", "percentile_interval", "wilson_interval"]


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of its confidence interval; it counts as a float.

    Attributes
    ----------
    value, low, high : float
        The value and the ends of its interval.
    confidence : float, default=0.95
        Confidence level of the interval.

    Examples
    --------
    >>> wilson_interval(19, 27)
    0.7037 (0.5152 to 0.8415)
    """

    value: float
    low: float
    high: float
    confidence: float = 0.95

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def complement(self) -> Estimate:
        """The estimate of 1 − value: the error rate for an accuracy."""
        return Estimate(1.0 - self.value, 1.0 - self.high, 1.0 - self.low, self.confidence)

    def to_dict(self) -> dict[str, float]:
        """Plain data, ready for JSON."""
        return {"value": self.value, "low": self.low, "high": self.high, "confidence": self.confidence}


def wilson_interval(successes: float, total: float, confidence: float = 0.95) -> Estimate:
    """Wilson's score interval of a rate; it stays inside [0, 1] and is valid at 0 and 1 too.

    Parameters
    ----------
    successes, total : float
        Counts, which may be weighted.
    confidence : float, default=0.95
        Confidence level.
    """
    if total <= 0:
        return Estimate(float("nan"), 0.0, 1.0, confidence)
    z = ndtri(0.5 + confidence / 2)
    rate = successes / total
    centre = rate + z * z / (2 * total)
    reach = z * np.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # Rounding may carry an end past the rate itself when the rate is 0 or 1.
    low = min(max(0.0, (centre - reach) / scale), rate)
    high = max(min(1.0, (centre + reach) / scale), rate)
    return Estimate(float(rate), float(low), float(high), confidence)


def effective_size(weight: np.ndarray | None, n_rows: int) -> float:
    """How many unweighted rows carry as much information as these weighted ones (Kish)."""
    if weight is None:
        return float(n_rows)
    squares = float(np.square(weight).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def percentile_interval(value: float, replicates: np.ndarray, confidence: float = 0.95) -> Estimate:
    """The interval that holds the middle share of the resampled values; the value itself is always inside."""
    finite = replicates[np.isfinite(replicates)]
    if not np.isfinite(value) or finite.size == 0:
        return Estimate(float(value), float("nan"), float("nan"), confidence)
    low, high = np.quantile(finite, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Estimate(float(value), float(min(low, value)), float(max(high, value)), confidence)
