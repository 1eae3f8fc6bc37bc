"""Significance tests for the differences between learners on the same rows, the same folds, or the same tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from vaglio.errors import InputError
from vaglio.evaluation.metrics.intervals import Estimate
from vaglio.typing import ColumnLike

__all__ = [
    "FriedmanNemenyi",
    "corrected_interval",
    "detectable_difference",
    "friedman_nemenyi",
    "holm",
    "mcnemar",
    "nadeau_bengio",
]


# Share of tables on which a difference that can be told is found, the usual one.
_POWER = 0.8


def _correction(n_scores: int, n_train: float, n_test: float) -> tuple[float, int]:
    """Factor of the variance of the mean over folds, and degrees of freedom; training sets overlap.

    Folds of further divisions of the same rows count as the k folds of one: they are the same rows again. Where they
    counted as more, one of five comparisons of equal learners on 60 rows found a difference.
    """
    independent = min(n_scores, max(2, round(1 + n_train / n_test))) if n_test else n_scores
    return 1 / independent + n_test / n_train, independent - 1


def nadeau_bengio(a: object, b: object, *, n_train: float, n_test: float, shares: bool = False) -> tuple[float, float]:
    """Corrected resampled t test of two learners on the same folds: t and p.

    The plain paired t test assumes independent folds and finds too many significant differences.

    Parameters
    ----------
    a, b : scores of the two learners, fold by fold
    n_train, n_test : training rows and test rows of a fold
    shares : bool
        The scores are shares of the test rows (accuracies). For a mean difference d the learners must disagree on a
        share ``|d|`` of the rows at least, and the variance is not taken to be less than those rows give: otherwise
        a difference of one row in every fold would count as certain.

    Examples
    --------
    >>> t, p = nadeau_bengio([0.9, 0.8, 0.85, 0.9], [0.8, 0.75, 0.8, 0.82], n_train=90, n_test=10)
    >>> round(t, 2), round(p, 3)
    (4.76, 0.018)
    """
    difference = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    if len(difference) < 2:
        raise InputError("too-few-folds-to-test", "A paired test needs at least two folds.")
    mean = float(difference.mean())
    factor, freedom = _correction(len(difference), n_train, n_test)
    variance = factor * float(np.var(difference, ddof=1))
    if shares:
        variance = max(variance, factor * (abs(mean) - mean * mean) / n_test)
    if variance == 0:
        return (0.0, 1.0) if mean == 0 else (float(np.sign(mean)) * float("inf"), 0.0)
    statistic = mean / np.sqrt(variance)
    return float(statistic), float(2 * stdtr(freedom, -abs(statistic)))


def detectable_difference(a: object, b: object, *, n_train: float, n_test: float, alpha: float) -> float:
    """Return the difference of two accuracies that the corrected test would find on four of five tables like this.

    Parameters
    ----------
    a, b : accuracies of the two learners, fold by fold
    n_train, n_test : training rows and test rows of a fold
    alpha : float
        Level of the test.

    Examples
    --------
    >>> a, b = [0.90, 0.80, 0.85, 0.90, 0.88], [0.80, 0.75, 0.80, 0.82, 0.80]
    >>> round(detectable_difference(a, b, n_train=800, n_test=200, alpha=0.05), 3)
    0.054
    """
    difference = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    factor, freedom = _correction(len(difference), n_train, n_test)
    reach = stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, _POWER)
    # The variance that the rows on which two such learners disagree must have, as in the test.
    least = reach * reach * factor / n_test
    return float(max(reach * np.sqrt(factor * np.var(difference, ddof=1)), least / (1 + least)))


def corrected_interval(scores: np.ndarray, *, n_train: float, n_test: float, confidence: float = 0.95) -> Estimate:
    """Mean score over folds with the interval of the same correction."""
    mean = float(np.mean(scores))
    if len(scores) < 2:
        return Estimate(mean, float("nan"), float("nan"), confidence)
    factor, freedom = _correction(len(scores), n_train, n_test)
    half_width = stdtrit(freedom, 0.5 + confidence / 2) * np.sqrt(factor * np.var(scores, ddof=1))
    low, high = float(mean - half_width), float(mean + half_width)
    if scores.min() >= 0 and scores.max() <= 1:
        low, high = max(low, 0.0), min(high, 1.0)
    return Estimate(mean, low, high, confidence)


def mcnemar(y: ColumnLike, a: object, b: object) -> tuple[int, int, float]:
    """Two models on one test set: rows that only the first predicted correctly, rows that only the second did, exact p.

    Parameters
    ----------
    y : array-like of labels
    a, b : array-like
        What the two models predicted.

    Examples
    --------
    >>> mcnemar([1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1])
    (5, 0, 0.0625)
    """
    y, a, b = (np.asarray(v) for v in (y, a, b))
    first, second = int(((a == y) & (b != y)).sum()), int(((a != y) & (b == y)).sum())
    if first + second == 0:
        return 0, 0, 1.0
    from scipy.stats import binomtest  # takes longer to import than all learners

    return first, second, float(binomtest(first, first + second).pvalue)


def holm(p_values: Any) -> np.ndarray:
    """Correct the p-values of several tests, so that a false positive among all of them stays rare.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty(len(p))
    out[order] = np.minimum(raised, 1.0)
    return out


@dataclass(frozen=True)
class FriedmanNemenyi:
    """Learners over several tables. Two differ if their mean ranks are further apart than the critical difference.

    Attributes
    ----------
    names : tuple of str
    mean_ranks : ndarray
        Mean rank of each learner; 1 is best.
    statistic, p_value : float
        Of Friedman's test that all learners are equal.
    critical_difference : float
    alpha : float
    """

    names: tuple[str, ...]
    mean_ranks: np.ndarray
    statistic: float
    p_value: float
    critical_difference: float
    alpha: float

    def differ(self, a: str, b: str) -> bool:
        """Whether two learners differ significantly."""
        ranks = dict(zip(self.names, self.mean_ranks, strict=True))
        return self.p_value < self.alpha and abs(ranks[a] - ranks[b]) > self.critical_difference


def friedman_nemenyi(scores: Mapping[str, Sequence[float]], *, alpha: float = 0.05) -> FriedmanNemenyi:
    """Friedman's test over tables, and Nemenyi's critical difference of mean ranks (1 is best).

    Parameters
    ----------
    scores : mapping of learner to its score on each table, the tables in one order
    alpha : float, default=0.05

    Examples
    --------
    >>> result = friedman_nemenyi({"a": [0.9, 0.8, 0.9, 0.95], "b": [0.8, 0.7, 0.8, 0.9], "c": [0.7, 0.6, 0.5, 0.4]})
    >>> result.mean_ranks.tolist(), round(result.critical_difference, 3)
    ([1.0, 2.0, 3.0], 1.657)
    """
    names = tuple(scores)
    table = np.column_stack([np.asarray(scores[name], dtype=np.float64) for name in names])
    n_tables, k = table.shape
    if k < 2 or n_tables < 2:
        raise InputError(
            "too-few-to-compare",
            "Cannot compare {k} {k:learner|learners} on {n_tables} {n_tables:table|tables}; at least two of each "
            "are needed.",
            k=k,
            n_tables=n_tables,
        )
    from scipy.stats import binomtest, friedmanchisquare, rankdata, studentized_range

    ranks = rankdata(-table, axis=1).mean(axis=0)
    if k == 2:  # Friedman's test needs three learners; with two it is the sign test
        wins = int((table[:, 0] > table[:, 1]).sum())
        unequal = int((table[:, 0] != table[:, 1]).sum())
        statistic, p = float(wins), float(binomtest(wins, unequal).pvalue) if unequal else 1.0
    elif (rankdata(-table, axis=1) == rankdata(-table, axis=1)[:, :1]).all():
        statistic, p = 0.0, 1.0
    else:
        result = friedmanchisquare(*table.T)
        statistic, p = float(result.statistic), float(result.pvalue)
    quantile = studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    critical = float(quantile * np.sqrt(k * (k + 1) / (6 * n_tables)))
    return FriedmanNemenyi(names, ranks, statistic, p, critical, alpha)
