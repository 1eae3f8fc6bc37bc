"""A value with its confidence interval, by what kind of figure it is.

Shares have Wilson's interval, means over rows Hall's, areas Newcombe's (``areas.py``), and what is computed from the
confusion matrix has draws of the matrix (``cells.py``). Figures of folds count their rows as fewer than they are:
:func:`design_effect`. ``make honest`` measures how often each of them holds the true value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from vaglio.runtime.arguments import checked

__all__ = [
    "Estimate",
    "accuracy_of_folds",
    "design_effect",
    "effective_size",
    "mean_interval",
    "overdispersion",
    "percentile_interval",
    "wilson_interval",
]


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


@checked
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


def design_effect(n_folds: float, test_ratio: float | None = None) -> float:
    """How many times larger the variance of a figure of folds is than that of one model on as many rows.

    The training sets of the folds overlap, so that their results vary together. Nadeau and Bengio take the correlation
    to be the share of a test set in the rows, 1/k: the variance is then 1 + k/(k - 1) times that of independent rows.
    Further divisions of the same rows add no rows: the folds of all divisions count as those of one.

    Parameters
    ----------
    n_folds : float
    test_ratio : float, optional
        Test rows per training row; by default those of k folds that test every row once, 1/(k - 1).

    Examples
    --------
    >>> round(design_effect(10), 3), round(design_effect(10, 1 / 9), 3), round(design_effect(10, 0.3 / 0.7), 3)
    (2.111, 2.111, 7.286)
    """
    if test_ratio is None:
        return 1 + n_folds / (n_folds - 1)
    return n_folds * (1 / min(n_folds, 1 + 1 / test_ratio) + test_ratio)


def overdispersion(hits: np.ndarray, rows: np.ndarray) -> float:
    """How many times more a share varies between folds than rows of one model make it vary, by Pearson's statistic.

    At least 1: folds may agree by chance, but their rows vary all the same.

    Parameters
    ----------
    hits, rows : ndarray
        Of each fold.

    Examples
    --------
    >>> round(overdispersion(np.array([10, 2, 9, 3]), np.array([10, 10, 10, 10])), 2)
    6.94
    """
    hits, rows = hits[rows > 0], rows[rows > 0]
    share = hits.sum() / rows.sum() if len(rows) else 0.0
    if len(rows) < 2 or not 0 < share < 1:
        return 1.0
    squares = float((np.square(hits - share * rows) / rows).sum())
    return max(1.0, squares / (len(rows) - 1) / float(share * (1 - share)))


def accuracy_of_folds(scores: np.ndarray, *, n_train: float, n_test: float, confidence: float = 0.95) -> Estimate:
    """Wilson's interval of an accuracy from the accuracies of folds, with Nadeau and Bengio's variance.

    Parameters
    ----------
    scores : ndarray
        Accuracy of each fold, of one division of the rows or of several.
    n_train, n_test : float
        Training rows and test rows of a fold.
    confidence : float, default=0.95

    Examples
    --------
    >>> accuracy_of_folds(np.array([0.9, 0.8, 1.0, 0.9, 0.9]), n_train=80, n_test=20)
    0.9000 (0.7695 to 0.9604)
    """
    in_fold = np.full(len(scores), n_test)
    # Further divisions of the same rows add no rows: the folds of all divisions count as those of one.
    n_folds = min(len(scores), 1 + n_train / n_test)
    rows = n_test / (1 / n_folds + n_test / n_train) / overdispersion(scores * in_fold, in_fold)
    return wilson_interval(float(np.mean(scores)) * rows, rows, confidence)


def mean_interval(
    values: np.ndarray, weight: np.ndarray | None = None, *, effect: float = 1.0, confidence: float = 0.95
) -> Estimate:
    """Interval of a mean over rows, by Hall's transformation of Student's t, which allows for skewness.

    Losses of rows are skewed: most are small, a few large. Student's own interval misses the true mean too often then.

    Parameters
    ----------
    values : ndarray
        What each row contributes.
    weight : ndarray, optional
    effect : float, default=1
        By how much the variance exceeds that of independent rows (:func:`design_effect`).
    confidence : float, default=0.95

    Examples
    --------
    >>> mean_interval(np.array([0.0, 0.1, 0.0, 0.2, 0.1, 0.9]))
    0.2167 (-0.0042 to 1.3355)
    """
    n = effective_size(weight, len(values))
    mean = float(np.average(values, weights=weight))
    variance = float(np.average(np.square(values - mean), weights=weight))
    if n <= 1 or not np.isfinite(mean) or variance <= 1e-24 * mean * mean:
        return Estimate(mean, float("nan"), float("nan"), confidence)
    skewness = float(np.average((values - mean) ** 3, weights=weight)) / variance**1.5
    gamma = skewness * np.sqrt(effect / n)
    t = stdtrit(n - 1, 0.5 + confidence / 2)

    def untransformed(x: float) -> float:
        return float(3 / gamma * (np.cbrt(1 + gamma * (x - gamma / 6)) - 1)) if abs(gamma) > 1e-9 else x

    error = np.sqrt(variance * effect / n)
    low, high = (float(mean - error * untransformed(end)) for end in (t, -t))
    return Estimate(mean, min(low, mean), max(high, mean), confidence)


def percentile_interval(value: float, replicates: np.ndarray, confidence: float = 0.95) -> Estimate:
    """The interval that holds the middle share of the resampled values; the value itself is always inside."""
    finite = replicates[np.isfinite(replicates)]
    if not np.isfinite(value) or finite.size == 0:
        return Estimate(float(value), float("nan"), float("nan"), confidence)
    low, high = np.quantile(finite, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Estimate(float(value), float(min(low, value)), float(max(high, value)), confidence)
