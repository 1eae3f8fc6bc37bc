"""Significance tests for the differences between learners on the same rows, the same folds, or the same tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from vaglio.errors import InputError
from vaglio.evaluation.labels import as_labels, as_numbers
from vaglio.evaluation.metrics.intervals import Estimate, design_effect
from vaglio.evaluation.selection.trials import Trial
from vaglio.model.base import one_per_row
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike

__all__ = [
    "Contrast",
    "FriedmanNemenyi",
    "corrected_interval",
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


@checked
def nadeau_bengio(
    a: ColumnLike, b: ColumnLike, *, n_train: float, n_test: float, shares: bool = False
) -> tuple[float, float]:
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
    first = as_numbers(a, "a")
    difference = first - one_per_row("b", b, len(first))
    if len(difference) < 2:
        raise InputError("too-few-folds-to-test", "A paired test needs at least two folds.")
    if not (0 < n_train < np.inf and 0 < n_test < np.inf):
        raise InputError("rows-of-folds", "n_train and n_test must be numbers of rows above 0.")
    mean = float(difference.mean())
    factor, freedom = _correction(len(difference), n_train, n_test)
    variance = factor * float(np.var(difference, ddof=1))
    if shares:
        variance = max(variance, factor * (abs(mean) - mean * mean) / n_test)
    if variance == 0:
        return (0.0, 1.0) if mean == 0 else (float(np.sign(mean)) * float("inf"), 0.0)
    statistic = mean / np.sqrt(variance)
    return float(statistic), float(2 * stdtr(freedom, -abs(statistic)))


@dataclass(frozen=True)
class Contrast:
    """The difference of the scores of two learners, from what each row contributes to them.

    Attributes
    ----------
    mean, error : float
        The difference and its standard error.
    freedom : float
        Degrees of freedom.
    least : float
        Variance of the mean if the learners disagreed on every row; 0 of scores that are not accuracies.
    """

    mean: float
    error: float
    freedom: float
    least: float

    @classmethod
    def of_rows(
        cls,
        difference: np.ndarray,
        of_folds: np.ndarray,
        *,
        n_train: float,
        n_test: float,
        rows: np.ndarray | None = None,
        shares: bool = True,
        dearest: float = 0.0,
    ) -> Contrast:
        """Take the variance from the rows, with Nadeau and Bengio's correction for what the folds have in common.

        The variance between folds alone is too small: stratified folds have the same shares of the classes, so that a
        learner that mostly predicts one class is equally good in all of them, but not on all tables. With it, one in
        ten comparisons of equal C4.5 trees on 60 rows found a difference. Where folds vary more than their rows, the
        models differ, and this counts too.

        Parameters
        ----------
        difference : ndarray
            Row by row, 1 where only the first learner is right and -1 where only the second is; or of other scores by
            how much the first learner has more.
        of_folds : ndarray
            The same, as the mean of each fold.
        n_train, n_test : float
            Training rows and test rows of a fold.
        rows : ndarray of int, optional
            Which row of the table each difference is of, if a row is tested more than once: its mean counts.
        shares : bool, default=True
            The scores are accuracies.
        dearest : float, default=0
            Of costs, how far those of two predictions for a row may be apart. A rare and dear error may be missing
            among the rows by chance, and the variance would know nothing of it: it counts one such row more.

        Examples
        --------
        >>> d = np.tile([1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 10)
        >>> found = Contrast.of_rows(d, np.full(10, 0.1), n_train=90, n_test=10)
        >>> round(found.mean, 2), round(found.p, 2), round(found.detectable(0.05), 2)
        (0.1, 0.21, 0.23)
        """
        effect = design_effect(1 + n_train / n_test)
        spread = float(np.var(difference, ddof=1))
        together = max(1.0, n_test * float(np.var(of_folds, ddof=1)) / spread) if spread else 1.0
        if rows is not None:
            difference = np.bincount(rows, difference) / np.bincount(rows)
        n, mean = len(difference), float(np.mean(difference))
        # For a mean difference d of accuracies the learners disagree on a share |d| of the rows at least.
        variance = max(float(np.var(difference, ddof=1)), abs(mean) - mean * mean if shares else 0.0)
        error = float(np.sqrt(effect * (together * variance + dearest * dearest / n) / n))
        return cls(mean, error, max(n / effect - 1, 1.0), effect / n if shares else 0.0)

    @classmethod
    def of_trials(
        cls,
        a: Trial,
        b: Trial,
        *,
        n_train: float,
        n_test: float,
        rows: np.ndarray | None = None,
        shares: bool = True,
        dearest: float = 0.0,
    ) -> Contrast:
        """Compare two trials that keep what every row contributes to their score.

        Parameters
        ----------
        a, b : Trial
            On the same folds.
        n_train, n_test, rows, shares, dearest
            As in :meth:`of_rows`.
        """
        assert a.row_scores is not None
        assert b.row_scores is not None
        difference = a.row_scores - b.row_scores
        return cls.of_rows(
            difference, a.scores - b.scores, n_train=n_train, n_test=n_test, rows=rows, shares=shares, dearest=dearest
        )

    @property
    def statistic(self) -> float:
        """Student's t."""
        return self.mean / self.error if self.error else float(np.sign(self.mean)) * float("inf") if self.mean else 0.0

    @property
    def p(self) -> float:
        """How likely so large a difference is between learners that are equally good."""
        return float(2 * stdtr(self.freedom, -abs(self.statistic))) if self.mean else 1.0

    def detectable(self, alpha: float) -> float:
        """Return the difference that a test of this level would find on four of five tables like this.

        Parameters
        ----------
        alpha : float
        """
        reach = stdtrit(self.freedom, 1 - alpha / 2) + stdtrit(self.freedom, _POWER)
        least = reach * reach * self.least
        return float(max(reach * self.error, least / (1 + least)))


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


@checked
def mcnemar(y: ColumnLike, a: ColumnLike, b: ColumnLike) -> tuple[int, int, float]:
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
    y = as_labels(y)
    a, b = one_per_row("a", a, len(y), None), one_per_row("b", b, len(y), None)
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

    @checked
    def differ(self, a: str, b: str) -> bool:
        """Whether two learners differ significantly."""
        ranks = dict(zip(self.names, self.mean_ranks, strict=True))
        return self.p_value < self.alpha and abs(ranks[a] - ranks[b]) > self.critical_difference


@checked
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
    n = len(as_numbers(scores[names[0]], names[0])) if names else 0
    table = np.column_stack([np.empty((n, 0)), *(one_per_row(name, scores[name], n) for name in names)])
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
