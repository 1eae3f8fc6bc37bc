"""The areas under the ROC curve and the precision-recall curve, with intervals from what each row contributes.

How an area changes with the weight of a row gives its variance without resampling; for the ROC area this is DeLong's.
Where few rows of a class decide, or the classes are separated, that variance is too small or 0. For the ROC area it is
therefore drawn towards the variance that Newcombe's method 5 takes from the area alone, which also gives the interval:
the areas from which the observed one is not surprisingly far.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit, ndtri

from vaglio.evaluation.metrics.intervals import Estimate, effective_size, wilson_interval

__all__ = ["Area", "mean_area", "precision_area", "roc_area"]

# Rows of the smaller class that a variance smaller than Newcombe's needs to count as much as his.
_PRIOR_ROWS = 20.0
# Halvings of the range in which an end of an interval is searched: more than float64 can tell apart.
_HALVINGS = 60


@dataclass(frozen=True)
class Area:
    """An area and what each row contributes to its error.

    Attributes
    ----------
    value : float
        NaN if there are rows of one class only.
    errors : ndarray of shape (n_rows,)
        By how much the area exceeds its true value because of each row, as far as the rows can tell.
    positive, negative : float
        Rows of the class and other rows; weighted ones as many as carry the same information.
    """

    value: float
    errors: np.ndarray
    positive: float
    negative: float

    @cached_property
    def variance(self) -> float:
        """Variance of the area."""
        # Not a product of BLAS, which wakes its threads for it: on a busy machine that takes a thousand times as long.
        return float(np.square(self.errors).sum())

    def roc_interval(self, effect: float, confidence: float) -> Estimate:
        """Newcombe's interval, with the variance of these rows as far as they are enough to tell it."""
        if not np.isfinite(self.value):
            return Estimate(float("nan"), float("nan"), float("nan"), confidence)
        value = min(max(self.value, 0.0), 1.0)
        known = _newcombe(value, self.positive, self.negative)
        ratio = self.variance / known if known > 0 and self.variance > 0 else 1.0
        if ratio < 1:
            rows = min(self.positive, self.negative)
            ratio = (rows * ratio + _PRIOR_ROWS) / (rows + _PRIOR_ROWS)
        scale = ndtri(0.5 + confidence / 2) ** 2 * ratio

        def end(outside: float) -> float:
            inside = value
            for _ in range(_HALVINGS):
                middle = (inside + outside) / 2
                near = (middle - value) ** 2 <= scale * _newcombe(
                    middle, self.positive / effect, self.negative / effect
                )
                inside, outside = (middle, outside) if near else (inside, middle)
            return (inside + outside) / 2

        return Estimate(self.value, end(0.0), end(1.0), confidence)

    def logit_interval(self, effect: float, confidence: float) -> Estimate:
        """The interval on the scale of log-odds; for an area without error Wilson's, of the rows of the class."""
        if not np.isfinite(self.value):
            return Estimate(float("nan"), float("nan"), float("nan"), confidence)
        if not 0 < self.value < 1 or self.variance == 0:
            rows = self.positive / effect
            return wilson_interval(min(max(self.value, 0.0), 1.0) * rows, rows, confidence)
        reach = ndtri(0.5 + confidence / 2) * np.sqrt(self.variance * effect) / (self.value * (1 - self.value))
        middle = logit(self.value)
        return Estimate(self.value, float(expit(middle - reach)), float(expit(middle + reach)), confidence)


def _newcombe(area: float, positive: float, negative: float) -> float:
    """Hanley and McNeil's variance of an area, with equal numbers of rows as Newcombe takes them."""
    more = (positive + negative) / 2 - 1
    spread = 1 + more * ((1 - area) / (2 - area) + area / (1 + area))
    return max(area * (1 - area) * spread / (positive * negative), 0.0)


def roc_area(
    positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None, folds: np.ndarray | None = None
) -> Area:
    """The share of pairs of a row of the class and another row in which the first has the higher score; ties half.

    Parameters
    ----------
    positive : ndarray of bool
    score : ndarray
    weight : ndarray, optional
    folds : ndarray of int, optional
        The fold of each row. Only rows of one fold are compared: scores of different models share no scale, and pairs
        across folds would make the area too small.
    """
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, np.float64)
    folds = np.zeros(len(score), np.int64) if folds is None else folds
    won, pairs, lost = 0.0, 0.0, np.zeros(len(score))
    counted = np.zeros(len(score))
    for fold in np.unique(folds):
        at = np.flatnonzero(folds == fold)
        better, against = _wins(positive[at], score[at], weight[at])
        lost[at], counted[at] = better, against
        won += float((weight[at] * better)[positive[at]].sum())
        pairs += float((weight[at] * against)[positive[at]].sum())
    rows = [effective_size(weight[mask], int(mask.sum())) for mask in (positive, ~positive)]
    if pairs == 0:
        return Area(float("nan"), np.zeros(len(score)), *rows)
    area = won / pairs
    return Area(area, _unbiased(weight * (lost - area * counted) / pairs, positive), *rows)


def _wins(positive: np.ndarray, score: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row the weight of rows of the other class that it is ranked rightly against, and of all of them."""
    better, against = np.zeros(len(score)), np.zeros(len(score))
    for own, sign in ((positive, 1.0), (~positive, -1.0)):
        order = np.argsort(sign * score[~own], kind="stable")
        others, sums = (sign * score[~own])[order], np.append(0.0, np.cumsum(weight[~own][order]))
        below = sums[np.searchsorted(others, sign * score[own], "left")]
        not_above = sums[np.searchsorted(others, sign * score[own], "right")]
        better[own], against[own] = (below + not_above) / 2, sums[-1]
    return better, against


def precision_area(positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> Area:
    """The mean precision over the rows of the class, each at the threshold that just takes it.

    Parameters
    ----------
    positive : ndarray of bool
    score : ndarray
    weight : ndarray, optional
    """
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, np.float64)
    rows = [effective_size(weight[mask], int(mask.sum())) for mask in (positive, ~positive)]
    order = np.argsort(-score, kind="stable")
    y, w = positive[order].astype(np.float64), weight[order]
    total = float(w @ y)
    if total == 0:
        return Area(float("nan"), np.zeros(len(score)), *rows)
    first, last = (np.searchsorted(-score[order], -score[order], side) for side in ("left", "right"))
    taken, true = np.cumsum(w)[last - 1], np.cumsum(w * y)[last - 1]
    precision = np.divide(true, taken, out=np.zeros(len(score)), where=taken > 0)
    area = float((w * y) @ precision) / total
    # A row changes the precision of every row of the class that is not ranked above it.
    share = np.divide(w * y, taken, out=np.zeros(len(score)), where=taken > 0)
    after, lost = (np.cumsum(each[::-1])[::-1][first] for each in (share, share * precision))
    errors = np.empty(len(score))
    errors[order] = w * (y * (precision - area) + y * after - lost) / total
    return Area(area, _unbiased(errors, positive), *rows)


def _unbiased(errors: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The errors of each class, as if from n - 1 of its n rows."""
    out = errors.copy()
    for mask in (positive, ~positive):
        n = int(mask.sum())
        if n > 1:
            out[mask] *= np.sqrt(n / (n - 1))
    return out


def mean_area(areas: list[Area]) -> Area:
    """The mean of the areas of several classes on the same rows; those of classes without rows are left out."""
    known = [area for area in areas if np.isfinite(area.value)]
    if not known:
        return areas[0]
    errors = np.mean([area.errors for area in known], axis=0)
    value, positive, negative = (
        float(np.mean([getattr(area, name) for area in known])) for name in ("value", "positive", "negative")
    )
    return Area(value, errors, positive, negative)
