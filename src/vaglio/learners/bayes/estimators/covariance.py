"""Means and covariances of each class: weighted, with missing values left out, made regular where they are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.encode import Ranges
from vaglio.errors import DataWarning, warn
from vaglio.learners.inputs import scaled_to_rows
from vaglio.messages.sentences import listed

# Under this ratio of least to largest eigenvalue, in units of the columns' own variances, a matrix counts as singular.
SINGULAR = 1e-10
# Added to the diagonal of a matrix that stays singular, in the same units: small beside any real variance.
RIDGE = 1e-6


@dataclass(frozen=True)
class ClassGaussians:
    """One Gaussian per class.

    Attributes
    ----------
    weight : ndarray (K,)
    mean : ndarray (K, p)
    covariance : ndarray (K, p, p)
    """

    weight: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True)
class Scatter:
    """Sums behind a covariance: products of deviations, and the weight of the rows that know both columns."""

    product: np.ndarray
    weight: np.ndarray
    mean: np.ndarray
    centred: np.ndarray

    def covariance(self) -> np.ndarray:
        """Return the covariance of largest likelihood; zero for columns that no row knows together."""
        covariance: np.ndarray = np.divide(
            self.product, self.weight, out=np.zeros_like(self.product), where=self.weight > 0
        )
        return covariance


def fit_class_gaussians(
    x: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None,
    classes: np.ndarray,
    kind: str,
    shrinkage: float | str,
    ranges: Ranges,
) -> ClassGaussians:
    """Estimate the Gaussian of each class.

    Parameters
    ----------
    ranges : Ranges
        Of the columns of ``x``, whose squares must be numbers.
    kind : {"full", "diagonal", "tied", "shrunk"}
    shrinkage : float or "auto"
        For "shrunk": share of the way towards the diagonal; "auto" is Ledoit and Wolf's estimate.
    """
    # What mends a covariance counts rows; its other uses do not depend on the scale of the weights.
    rows = None if weight is None else scaled_to_rows(weight)
    w = np.ones(len(y)) if rows is None else rows
    of_class = [np.flatnonzero(y == c) for c in range(len(classes))]
    if not ranges.missing and all(len(here) for here in of_class):
        parts = [_scatter_of_complete(x.take(here, axis=0), w[here]) for here in of_class]
        total = _variance_of_parts(parts)
    else:
        overall = scatter(x, w, None)
        total = np.diag(overall.product) / np.maximum(np.diag(overall.weight), np.finfo(float).tiny)
        parts = [scatter(x[here], w[here], overall.mean) for here in of_class]
    # What is left of a constant column is a rounding error.
    total = np.where(ranges.low < ranges.high, total, 0.0)
    shares = [float(shrinkage) if isinstance(shrinkage, (int, float)) else 0.0] * len(classes)
    if kind == "shrunk" and shrinkage == "auto":
        shares = [ledoit_wolf_share(part.centred, w[here]) for here, part in zip(of_class, parts)]
    weights = np.bincount(y, weight, minlength=len(classes)).astype(np.float64)
    return gaussians_of(parts, total, weights, classes, kind, shares)


def gaussians_of(
    parts: list[Scatter], total: np.ndarray, weight: np.ndarray, classes: np.ndarray, kind: str, shares: list[float]
) -> ClassGaussians:
    """Return the Gaussians from the sums of each class.

    Parameters
    ----------
    parts : list of Scatter
    total : ndarray
        Variance of each column over all classes.
    weight : ndarray
        Weight of each class.
    shares : list of float
        For "shrunk": share of the way of each class towards the diagonal.
    """
    scale = np.where(total > 0, total, 1.0)
    pooled = _pooled(parts, scale)
    mean = np.stack([part.mean for part in parts])
    by_class = np.stack([_class_covariance(part, pooled, kind, share) for part, share in zip(parts, shares)])
    # A column that never varies tells no class from another: it has variance one in all, and makes no matrix singular.
    varies = np.flatnonzero(total > 0)
    block = np.ix_(np.arange(len(parts)), varies, varies)
    covariance = np.tile(np.eye(len(scale)), (len(parts), 1, 1))
    covariance[block] = _regular(by_class[block], parts, pooled[np.ix_(varies, varies)], scale[varies], classes, kind)
    return ClassGaussians(weight, mean, covariance)


def scatter(x: np.ndarray, w: np.ndarray, fallback: np.ndarray | None) -> Scatter:
    """Sum products of deviations over the rows where both columns are known."""
    if len(x) and not np.isnan(x).any():
        return _scatter_of_complete(x, w)
    known = (~np.isnan(x)).astype(np.float64)
    filled = np.where(known > 0, x, 0.0)
    rows = w @ known
    instead = np.zeros(x.shape[1]) if fallback is None else fallback
    mean = np.where(rows > 0, np.divide(w @ filled, rows, out=instead.copy(), where=rows > 0), instead)
    centred = np.where(known > 0, x - mean, 0.0)
    # A second step takes away what rounding left of the mean, which counts for columns far from zero.
    step = np.divide(w @ centred, rows, out=np.zeros(x.shape[1]), where=rows > 0)
    mean = mean + step
    centred = np.where(known > 0, centred - step, 0.0)
    weighted = centred * w[:, None]
    return Scatter(weighted.T @ centred, (known * w[:, None]).T @ known, mean, centred)


def _scatter_of_complete(x: np.ndarray, w: np.ndarray) -> Scatter:
    """Return the same sums, bit by bit, of rows that know all columns."""
    n, p = x.shape
    alike = bool((w == 1.0).all())
    # Sums of ones are whole numbers, which are exact in any order.
    rows = np.full(p, float(n)) if alike else w @ np.ones_like(x)
    mean = (w @ x) / rows
    centred = x - mean
    step = (w @ centred) / rows
    centred -= step
    if alike:
        # A copy, because BLAS adds up the product of a matrix with itself in another order.
        return Scatter(centred.copy().T @ centred, np.full((p, p), float(n)), mean + step, centred)
    each, known = w[:, None], np.ones_like(x)
    return Scatter((centred * each).T @ centred, (known * each).T @ known, mean + step, centred)


def _variance_of_parts(parts: list[Scatter]) -> np.ndarray:
    """Return the variance of each column over all classes, from the sums of rows that know all columns."""
    weight, mean = np.stack([np.diag(part.weight) for part in parts]), np.stack([part.mean for part in parts])
    within = np.sum([np.diag(part.product) for part in parts], axis=0)
    rows = weight.sum(axis=0)
    between = (weight * (mean - (weight * mean).sum(axis=0) / rows) ** 2).sum(axis=0)
    variance: np.ndarray = (within + between) / rows
    return variance


def _pooled(parts: list[Scatter], scale: np.ndarray) -> np.ndarray:
    """Return the covariance within the classes together, in which a column that never varies has variance one."""
    whole = Scatter(
        sum((part.product for part in parts), np.zeros_like(parts[0].product)),
        sum((part.weight for part in parts), np.zeros_like(parts[0].weight)),
        parts[0].mean,
        parts[0].centred,
    )
    pooled = whole.covariance()
    constant = np.diag(pooled) <= SINGULAR * scale
    pooled[constant, :] = 0.0
    pooled[:, constant] = 0.0
    pooled[constant, constant] = scale[constant]
    return pooled


def _class_covariance(part: Scatter, pooled: np.ndarray, kind: str, share: float) -> np.ndarray:
    if kind == "tied":
        return pooled
    covariance = part.covariance()
    if kind == "diagonal":
        return np.diag(np.diag(covariance))
    if kind == "shrunk":
        diagonal = np.diag(np.diag(covariance))
        return (1 - share) * covariance + share * diagonal
    return covariance


def ledoit_wolf_share(centred: np.ndarray, w: np.ndarray) -> float:
    """Return Ledoit and Wolf's shrinkage for columns brought to unit variance, so that no unit of measure counts."""
    total = w.sum()
    spread = np.sqrt(w @ centred**2 / total)
    z = centred[:, spread > 0] / spread[spread > 0]
    p = z.shape[1]
    if p < 2 or total <= 1:
        return 0.0
    correlation = (z * w[:, None]).T @ z / total
    return share_of_sums(correlation, float(w @ (z**2).sum(axis=1) ** 2), total)


def share_of_sums(correlation: np.ndarray, fourth: float, total: float) -> float:
    """Return the shrinkage from the correlations and the sum of the squared lengths, squared, of the rows."""
    p = len(correlation)
    if p < 2 or total <= 1:
        return 0.0
    square = float((correlation**2).sum())
    noise = (fourth / total - square) / (p * total)
    distance = (square - p) / p
    return 0.0 if distance <= 0 or noise <= 0 else min(noise / distance, 1.0)


def _regular(
    covariance: np.ndarray,
    parts: list[Scatter],
    pooled: np.ndarray,
    scale: np.ndarray,
    classes: np.ndarray,
    kind: str,
) -> np.ndarray:
    """Mend singular matrices and say so.

    A singular class is estimated as if as many rows as there are columns had shown the covariance within all classes;
    if that is singular too, a ridge is added.
    """
    p = len(scale)
    singular = np.flatnonzero(_are_singular(covariance, scale)).tolist()
    mended = covariance.copy()
    for c in singular:
        rows = float(np.diag(parts[c].weight).max(initial=0.0))
        mended[c] = (rows * covariance[c] + p * pooled) / (rows + p)
        if kind == "diagonal":
            mended[c] = np.diag(np.diag(mended[c]))
        if _are_singular(mended[c][None], scale)[0]:
            mended[c] = mended[c] + RIDGE * np.diag(scale)
            mended[c] = _positive(mended[c], scale)
    if singular:
        shown = listed(classes[singular].tolist(), 5, quoted=True)
        rows = min(float(np.diag(parts[c].weight).max(initial=0.0)) for c in singular)
        warn(
            DataWarning(
                "singular-covariance",
                "The covariance of class {label} is singular: {p} columns, as few as {rows:g} rows, or "
                "columns that determine each other or never vary there. It was mixed with the covariance "
                "within all classes. covariance='tied' or 'shrunk' avoids this.",
                label=shown,
                p=p,
                rows=rows,
            )
        )
    symmetric: np.ndarray = (mended + mended.transpose(0, 2, 1)) / 2
    return symmetric


def _are_singular(covariances: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return which of several covariances count as singular; without columns none does."""
    if not len(scale):
        return np.zeros(len(covariances), dtype=bool)
    values = np.linalg.eigvalsh(in_units(covariances, scale))
    singular: np.ndarray = values[:, 0] <= SINGULAR * np.maximum(values[:, -1], SINGULAR)
    return singular


def _positive(covariance: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Lift eigenvalues to the ridge: products over different rows (missing values) may give negative ones."""
    values, vectors = np.linalg.eigh(in_units(covariance, scale))
    if values[0] >= RIDGE / 2:
        return covariance
    deviation = np.sqrt(scale)
    lifted: np.ndarray = deviation[:, None] * ((vectors * np.maximum(values, RIDGE)) @ vectors.T) * deviation
    return lifted


def in_units(covariances: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return covariances of columns divided by their deviations, of which ``scale`` has the squares."""
    deviation = np.sqrt(scale)  # one after the other: the product of two variances may be no number
    divided: np.ndarray = covariances / deviation[:, None] / deviation
    return divided
