"""The density of a number in naive Bayes, computed again from its definition: normal, kernels, named distributions."""

from __future__ import annotations

import math

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import count, fixed
from vaglio.document.training import Training
from vaglio.learners.bayes.model.named_likelihood import possible
from vaglio.learners.bayes.trace.product import Factor
from vaglio.messages.numbers import short_number


def _gaussian(page: Page, training: Training, j: int) -> Factor | None:
    group = training.model.gaussian
    t = int(np.flatnonzero(group.feature == j)[0])
    mean, used = _normal(page, training, _column(training, j), group.mean[t], group.variance[t], "gaussian_density")
    value = _asked(page, training, j)
    if np.isnan(value):
        return None
    return _factor(training, j, value, np.exp(-((value - mean) ** 2) / (2 * used)) / np.sqrt(2 * math.pi * used))


def _normal(
    page: Page, training: Training, x: np.ndarray, mean_else: np.ndarray, variance_else: np.ndarray, formula: str
) -> tuple[np.ndarray, np.ndarray]:
    """Write and return mean and smoothed variance of each class."""
    say = page.say
    rows, mean, variance = class_moments(x, training.y, training.weight, len(training.classes))
    extra = float(training.estimator.var_smoothing)
    within = float(rows @ variance / max(rows.sum(), 1e-300))
    used = (rows * variance + extra * within) / np.maximum(rows + extra, 1e-300)
    # A class without values, or a constant column, has no variance of its own: the model has a substitute.
    odd = (used <= 0) | (rows <= 0)
    mean, used = np.where(odd, mean_else, mean), np.where(odd, variance_else, used)
    lines = [
        [label, count(n), fixed(m), fixed(v), fixed(u)]
        for label, n, m, v, u in zip(training.classes, rows, mean, variance, used)
    ]
    page.table([say(column) for column in ("class", "rows", "mean", "variance", "variance_used")], lines)
    page.text(say(formula, smoothing=count(extra)))
    return mean, used


def _lognormal(page: Page, training: Training, j: int) -> Factor | None:
    group = training.model.named
    t = int(np.flatnonzero(group.feature == j)[0])
    logarithms = np.log(_column(training, j))
    mean, used = _normal(page, training, logarithms, group.mean[t], group.variance[t], "lognormal_density")
    value = _asked(page, training, j, "lognormal")
    if np.isnan(value):
        return None
    density = np.exp(-((math.log(value) - mean) ** 2) / (2 * used)) / (value * np.sqrt(2 * math.pi * used))
    return _factor(training, j, value, density)


def _poisson(page: Page, training: Training, j: int) -> Factor | None:
    mean = _smoothed_means(page, training, j, "poisson")
    value = _asked(page, training, j, "poisson")
    if np.isnan(value):
        return None
    return _factor(training, j, value, np.exp(value * np.log(mean) - mean - math.lgamma(value + 1)))


def _exponential(page: Page, training: Training, j: int) -> Factor | None:
    mean = _smoothed_means(page, training, j, "exponential")
    value = _asked(page, training, j, "exponential")
    return None if np.isnan(value) else _factor(training, j, value, np.exp(-value / mean) / mean)


def _smoothed_means(page: Page, training: Training, j: int, kind: str) -> np.ndarray:
    """Write and return the mean of each class, with that of all rows mixed in."""
    say, alpha = page.say, float(training.estimator.alpha)
    rows, mean, _ = class_moments(_column(training, j), training.y, training.weight, len(training.classes))
    overall = float(rows @ mean / max(rows.sum(), 1e-300))
    used: np.ndarray = (rows * mean + alpha * overall) / np.maximum(rows + alpha, 1e-300)
    group = training.model.named
    used = np.where(used <= 0, group.mean[int(np.flatnonzero(group.feature == j)[0])], used)
    lines = [[label, count(n), fixed(m), fixed(u)] for label, n, m, u in zip(training.classes, rows, mean, used)]
    page.table([say(column) for column in ("class", "rows", "mean", "mean_used")], lines)
    page.text(say(f"{kind}_density", smoothing=count(alpha)))
    return used


def _kernel(page: Page, training: Training, j: int) -> Factor | None:
    say, group = page.say, training.model.kernel
    t = int(np.flatnonzero(group.feature == j)[0])
    page.table([say("class"), say("bandwidth")], zip(training.classes, map(fixed, group.bandwidth[t])))
    page.text(say("kernel_density"))
    x, value = _column(training, j), _asked(page, training, j)
    if np.isnan(value):
        return None
    density = np.zeros(len(training.classes))
    for c in range(len(density)):
        here = (training.y == c) & ~np.isnan(x)
        points, w = (x[here], training.weight[here]) if here.any() else (x[~np.isnan(x)], training.weight[~np.isnan(x)])
        h = float(group.bandwidth[t, c])
        bumps = np.exp(-((value - points) ** 2) / (2 * h * h)) / (h * math.sqrt(2 * math.pi))
        density[c] = float(np.average(bumps, weights=w))
    return _factor(training, j, value, density)


def _column(training: Training, j: int) -> np.ndarray:
    values: np.ndarray = training.matrix.numeric[:, training.matrix.position[j]]
    return values


def _asked(page: Page, training: Training, j: int, kind: str | None = None) -> float:
    """Return the value of the row to classify; NaN if there is none that counts, which is said."""
    if training.row is None:
        return math.nan
    value = float(training.row.numeric[0, training.matrix.position[j]])
    name = training.features[j].name
    if math.isnan(value):
        page.text(page.say("missing_left_out", name=name))
    elif kind is not None and not possible(kind, np.array([value]))[0]:
        page.text(page.say("impossible_left_out", name=name))
        return math.nan
    return value


def _factor(training: Training, j: int, value: float, density: np.ndarray) -> Factor:
    return Factor(f"{training.features[j].name} = {short_number(value)}", tuple(map(fixed, density)), density)


def class_moments(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, mean and variance of a column's known values in each class."""
    known = ~np.isnan(x)
    x, y, weight = x[known], y[known], weight[known]
    rows = np.bincount(y, weight, minlength=k)
    safe = np.maximum(rows, 1e-300)
    mean = np.bincount(y, weight * x, minlength=k) / safe
    return rows, mean, np.bincount(y, weight * (x - mean[y]) ** 2, minlength=k) / safe


# Likelihood -> what writes its table and returns the factor of the row.
DENSITIES = {
    "gaussian": _gaussian,
    "kde": _kernel,
    "poisson": _poisson,
    "exponential": _exponential,
    "lognormal": _lognormal,
}
