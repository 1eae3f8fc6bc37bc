"""Calibration: predicted probabilities against observed frequencies, in bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.errors import InputError

__all__ = ["CalibrationCurve"]


@dataclass(frozen=True)
class CalibrationCurve:
    """Mean predicted probability against the observed frequency, bin by bin.

    Attributes
    ----------
    predicted, observed, weight : ndarray
        Mean probability, share of rows of the class, and weight of the rows, per bin that has rows.
    """

    predicted: np.ndarray
    observed: np.ndarray
    weight: np.ndarray

    @classmethod
    def from_scores(
        cls,
        positive: np.ndarray,
        probability: np.ndarray,
        weight: np.ndarray | None = None,
        *,
        n_bins: int = 10,
        strategy: str = "uniform",
    ) -> CalibrationCurve:
        """Put rows into bins by their probability; ``positive`` is true for the rows of the class."""
        if strategy not in ("uniform", "quantile"):
            raise InputError(f"strategy is {strategy!r}; it can be 'uniform' or 'quantile'.")
        if len(probability) and (probability.min() < 0 or probability.max() > 1):
            raise InputError("Calibration needs probabilities: some scores lie outside 0 to 1.")
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
        return cls(predicted, observed, size[used])

    @property
    def expected_error(self) -> float:
        """Mean distance between predicted probability and observed frequency, weighted by the rows of each bin."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.weight))
