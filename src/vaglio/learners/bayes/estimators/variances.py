"""Means and smoothed variances of numbers in each class."""

from __future__ import annotations

import numpy as np

from vaglio.learners.bayes.estimators.class_statistics import Moments
from vaglio.learners.bayes.model.likelihood import GaussianGroup

# A class that shows one value only still gets a density: no variance falls below this share of the column's own.
LEAST_VARIANCE = 1e-9


def gaussian_group(features: np.ndarray, moments: Moments, var_smoothing: float) -> GaussianGroup:
    """Return normal densities of these features."""
    return GaussianGroup(features, *class_densities(moments, var_smoothing))


def class_densities(moments: Moments, var_smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Return means and smoothed variances, each (columns, K).

    A class's variance is estimated as if ``var_smoothing`` more rows had shown the variance within the classes taken
    together, as α adds rows to a frequency.
    """
    whole = moments.overall()
    total = np.divide(whole.deviation, whole.weight, out=np.zeros_like(whole.weight), where=whole.weight > 0)[0]
    within = np.divide(moments.deviation.sum(axis=0), whole.weight[0], out=np.zeros_like(total), where=total > 0)
    rows = moments.weight + var_smoothing
    variance = np.divide(moments.deviation + var_smoothing * within, rows, out=np.zeros_like(rows), where=rows > 0)
    empty = moments.weight <= 0
    variance = np.where(empty, total, np.maximum(variance, LEAST_VARIANCE * total))
    mean = np.where(empty, whole.mean, moments.mean)
    # A column that never varies is equally likely everywhere, whatever variance it is given.
    return mean.T.copy(), np.where(total > 0, variance, 1.0).T.copy()
