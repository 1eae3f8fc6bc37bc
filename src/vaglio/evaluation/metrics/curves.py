"""Curves of a score against the true classes: ROC, precision-recall, gain, lift and calibration.

Each has one point per distinct score: rows with the same score are always predicted alike, so no point lies between
them. Areas with their intervals are in ``areas.py``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from vaglio.errors import InputError
from vaglio.evaluation.metrics.intervals import wilson_interval
from vaglio.messages.sentences import listed

__all__ = ["CalibrationCurve", "GainCurve", "PrecisionRecallCurve", "RocCurve"]


def _checked(positive: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    positive, score = np.asarray(positive, dtype=bool), np.asarray(score, dtype=np.float64)
    if positive.shape != score.shape or positive.ndim != 1:
        raise InputError(
            "scores-shape",
            "There are {shape} classes and {shape2} scores; pass one of each per row.",
            shape=positive.shape,
            shape2=score.shape,
        )
    if not score.size:
        raise InputError("no-rows-to-evaluate", "There are no rows to evaluate.")
    if np.isnan(score).any():
        raise InputError("score-is-nan", "The score of row {row:,} is NaN.", row=int(np.isnan(score).argmax()) + 1)
    return positive, score


@dataclass(frozen=True)
class RocCurve:
    """False against true positive rate, from (0, 0) to (1, 1)."""

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray

    @classmethod
    def from_scores(cls, positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> RocCurve:
        """Make the curve; ``positive`` is true for the rows of the class."""
        positive, score = _checked(positive, score)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # with one class only a rate is NaN, and so is the area
            fpr, tpr, thresholds = roc_curve(positive, score, sample_weight=weight, drop_intermediate=False)
        return cls(fpr, tpr, thresholds)

    @cached_property
    def auc(self) -> float:
        """Probability that a positive row scores above a negative one, ties count half; NaN with one class."""
        if not (np.isfinite(self.fpr).all() and np.isfinite(self.tpr).all()):
            return float("nan")
        return float(auc(self.fpr, self.tpr))


@dataclass(frozen=True)
class PrecisionRecallCurve:
    """Recall against precision. Without any row predicted positive, precision is undefined and given as 1."""

    recall: np.ndarray
    precision: np.ndarray
    thresholds: np.ndarray
    prevalence: float

    @classmethod
    def from_scores(
        cls, positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None
    ) -> PrecisionRecallCurve:
        """Make the curve; ``positive`` is true for the rows of the class."""
        positive, score = _checked(positive, score)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            precision, recall, thresholds = precision_recall_curve(positive, score, sample_weight=weight)
        # From few predicted rows to all of them, so that every curve here runs from left to right.
        order = slice(None, None, -1)
        return cls(
            recall[order],
            precision[order],
            np.append(np.inf, thresholds[order]),
            float(np.average(positive, weights=weight)),
        )

    @cached_property
    def average_precision(self) -> float:
        """The area as a sum of steps; straight lines between the points would make it too large."""
        if self.prevalence == 0:
            return float("nan")
        return float(np.sum(np.diff(self.recall) * self.precision[1:]))


@dataclass(frozen=True)
class GainCurve:
    """Share of the rows taken, best scores first, against the share of the positives found."""

    share: np.ndarray
    gain: np.ndarray
    thresholds: np.ndarray
    prevalence: float

    @classmethod
    def from_scores(cls, positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> GainCurve:
        """Make the curve; ``positive`` is true for the rows of the class."""
        positive, score = _checked(positive, score)
        prevalence = float(np.average(positive, weights=weight))
        roc = RocCurve.from_scores(positive, score, weight)
        false = 0.0 if prevalence == 1 else roc.fpr * (1 - prevalence)
        true = 0.0 if prevalence == 0 else roc.tpr * prevalence
        return cls(np.asarray(true + false), roc.tpr, roc.thresholds, prevalence)

    @property
    def lift(self) -> np.ndarray:
        """How many times more positives than in a random choice of as many rows; NaN without rows."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.share > 0, self.gain / self.share, np.nan)

    def at(self, share: float | np.ndarray) -> np.ndarray:
        """Gain of the best ``share`` of the rows; rows of equal score are taken in random order."""
        return np.asarray(np.interp(share, self.share, self.gain))

    def deciles(self, parts: int = 10) -> list[dict[str, float]]:
        """Gain and lift of the first tenth, two tenths, … of the rows.

        >>> curve = GainCurve.from_scores(np.arange(10) < 2, -np.arange(10.0))
        >>> curve.deciles()[0]
        {'share': 0.1, 'gain': 0.5, 'lift': 5.0}
        """
        shares = np.arange(1, parts + 1) / parts
        gains = self.at(shares)
        return [{"share": float(s), "gain": float(g), "lift": float(g / s)} for s, g in zip(shares, gains, strict=True)]


@dataclass(frozen=True)
class CalibrationCurve:
    """Mean predicted probability against the observed frequency, bin by bin.

    Attributes
    ----------
    predicted, observed, weight : ndarray
        Mean probability, share of rows of the class, and weight of the rows, per bin that has rows.
    low, high : ndarray
        Wilson's interval of the share of each bin.
    """

    predicted: np.ndarray
    observed: np.ndarray
    weight: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def from_scores(
        cls,
        positive: np.ndarray,
        probability: np.ndarray,
        weight: np.ndarray | None = None,
        *,
        n_bins: int = 10,
        strategy: str = "uniform",
        effect: float = 1.0,
        confidence: float = 0.95,
    ) -> CalibrationCurve:
        """Put rows into bins by their probability.

        Parameters
        ----------
        positive : ndarray of bool
            True for the rows of the class.
        probability : ndarray
        weight : ndarray, optional
        n_bins : int
        strategy : {"uniform", "quantile"}
            Bins of equal width or of equal size.
        effect : float
            By how much variances exceed those of independent rows (``design_effect``).
        confidence : float
        """
        if strategy not in ("uniform", "quantile"):
            raise InputError(
                "unknown-choice",
                "{name} is {value!r}; it must be {allowed}.",
                name="strategy",
                value=strategy,
                allowed=listed(("uniform", "quantile"), quoted=True, last="or"),
            )
        if n_bins < 1:
            raise InputError("bins-out-of-range", "n_bins is {n}; it must be at least 1.", n=n_bins)
        if len(probability) and (probability.min() < 0 or probability.max() > 1):
            raise InputError(
                "scores-not-probabilities",
                "Calibration needs probabilities, but some scores are outside 0 to 1.",
            )
        edges = np.linspace(0, 1, n_bins + 1)
        if strategy == "quantile":
            edges = np.quantile(probability, edges)
        # Same bins as scikit-learn's calibration_curve, which does not take weights or give counts.
        bins = np.searchsorted(edges[1:-1], probability)
        weight = np.ones(len(probability)) if weight is None else weight
        size = np.bincount(bins, weights=weight, minlength=n_bins)
        used = size > 0
        predicted = np.bincount(bins, weights=weight * probability, minlength=n_bins)[used] / size[used]
        observed = np.bincount(bins, weights=weight * positive, minlength=n_bins)[used] / size[used]
        # As many unweighted, independent rows as carry the same information.
        rows = size[used] ** 2 / np.bincount(bins, weights=weight * weight, minlength=n_bins)[used] / effect
        bands = [wilson_interval(share * n, n, confidence) for share, n in zip(observed.tolist(), rows.tolist())]
        low, high = (np.array([getattr(band, end) for band in bands]) for end in ("low", "high"))
        return cls(predicted, observed, size[used], low, high)

    @property
    def expected_error(self) -> float:
        """Mean distance between predicted probability and observed frequency, weighted by the rows of each bin."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.weight))

    @property
    def perfect_error(self) -> float:
        """What :attr:`expected_error` would be on average if every probability were exactly right.

        It is above 0, because few rows of a bin are never met in exactly their proportion. De Moivre's formula of the
        mean deviation of a binomial count, with the weights of the rows taken for counts.
        """
        n, p = np.maximum(self.weight, 1.0), np.clip(self.predicted, 0.0, 1.0)
        least = np.floor(n * p) + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            chosen = gammaln(n + 1) - gammaln(least + 1) - gammaln(n - least + 1)
            logarithm = np.log(2 * least / n) + chosen + xlogy(least, p) + xlog1py(n - least + 1, -p)
        deviation = np.where((p > 0) & (p < 1) & (least <= n), np.exp(logarithm), 0.0)
        return float(np.average(deviation, weights=self.weight))
