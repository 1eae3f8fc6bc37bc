"""The MAP classifier with several Gaussians per class."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from threadpoolctl import threadpool_limits

from vaglio.encode import EncodedMatrix
from vaglio.learners.bayes.estimators.covariance import ClassGaussians, fit_class_gaussians
from vaglio.learners.bayes.estimators.generative import Generative, resolve_priors
from vaglio.learners.bayes.estimators.naive_part import few_valued_tables, naive_part, numeric_columns
from vaglio.learners.bayes.model.gaussian_mixture import GaussianMixtureModel
from vaglio.learners.inputs import note_belief
from vaglio.learners.parameters import COUNT, NOT_NEGATIVE, estimator

# Weights that are not whole are counted in this many parts of the mean weight.
WEIGHT_PARTS = 16
# Added to every variance, in columns of unit variance: without it a Gaussian shrinks onto values that repeat.
LEAST_VARIANCE = 1e-3


@estimator
class GaussianMixtureClassifier(Generative):
    """argmax P(x|c)·P(c) with a mixture of Gaussians per class; the Bayesian information criterion gives their number.

    Each class's mixture is fitted by scikit-learn's GaussianMixture on its complete rows, in columns brought to unit
    variance; a missing number is integrated out at prediction. Nominal, ordinal and text columns, and numbers with at
    most ten distinct values, are independent of the others given the class, with smoothed frequencies.
    Weights count as repetitions; weights that are not whole are rounded to sixteenths of their mean.

    Parameters
    ----------
    max_components : int
        Largest number of Gaussians tried for a class; the least BIC decides.
    covariance_type : {"full", "tied", "diag", "spherical"}
        Shape of the Gaussians: a full covariance each, one for all Gaussians of a class, only variances, one variance.
    alpha : float
        Added to the counts of columns that are not numeric.
    random_state : int, RandomState or None
        Seed of the start of each fit; the default always gives the same model for the same rows.

    Attributes
    ----------
    class_prior_ : ndarray of shape (n_classes,)
        Prior of each class.
    n_components_ : ndarray of shape (n_classes,)
        Gaussians of each class.
    bic_ : list of ndarray
        BIC of 1, 2, … components, for each class; empty where a class has too few rows to try.
    reliability_ : dict of str to float
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``); a
        column of 0 has no effect.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vaglio import GaussianMixtureClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianMixtureClassifier(covariance_type="tied").fit(X, y).score(X, y) > 0.95
    True
    """

    _learner_id = "gaussian-mixture"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_components": COUNT,
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "alpha": NOT_NEGATIVE,
    }

    max_components: int = field(default=5, kw_only=False)
    covariance_type: str = "full"
    alpha: float = 1.0
    nominal_guard: float | None = 0.0
    priors: Any = None
    class_weight: Any = None
    random_state: Any = 0
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> GaussianMixtureModel:
        index, x = numeric_columns(matrix)
        tables = few_valued_tables(index, x, y, weight, len(self.classes_), self._threads())
        dense = ~np.isin(index, [table.feature for table in tables])
        index, x = index[dense], x[:, dense]
        with warnings.catch_warnings():
            # A singular covariance of a class is no fault here: the mixture is fitted instead.
            warnings.simplefilter("ignore")
            single = fit_class_gaussians(x, y, weight, self.classes_, "full", "auto", matrix.ranges.missing)
        self.class_prior_ = resolve_priors(self.priors, single.weight)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        mixtures, self.bic_ = [], []
        # Small fits would spend their time starting threads, and in a forked child OpenMP waits for threads that the
        # parent has and the child has not.
        with threadpool_limits(1):
            for c in range(len(self.classes_)):
                rows = _repeated(x[y == c], None if weight is None else weight[y == c])
                mixture, bic = self._fit_class(rows, single, c, seed)
                mixtures.append(mixture)
                self.bic_.append(bic)
        parts = [np.concatenate(part) for part in zip(*mixtures)]
        self.n_components_ = np.array([len(mixture[0]) for mixture in mixtures])
        naive = naive_part(
            matrix, y, weight, self.class_prior_, float(self.alpha), self.nominal_guard, self._threads(), tables
        )
        note_belief(self, matrix.features, naive.table.reliabilities)
        return GaussianMixtureModel(naive, index, np.cumsum([0, *self.n_components_]), *parts)

    def _fit_class(
        self, rows: _Repeated, single: ClassGaussians, c: int, seed: int
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Return weights, means and covariances of the class's mixture, and the BIC of each size tried."""
        scale = np.sqrt(np.diagonal(single.covariance[c]))
        distinct = len(np.unique(rows.x, axis=0)) if rows.x.size else 0
        # With fewer than two rows per number it estimates, a component would describe single rows and no density.
        enough = distinct // (2 * self._numbers_each(rows.x.shape[1]))
        most = min(self.max_components, enough)
        if most < 1:
            return (np.ones(1), single.mean[c : c + 1], single.covariance[c : c + 1]), np.empty(0)
        z = (rows.x - single.mean[c]) / scale
        tried = [self._mixture(size, seed).fit(z) for size in range(1, most + 1)]
        n = rows.weight
        bic = np.array([-2 * mixture.score(z) * n + mixture._n_parameters() * np.log(n) for mixture in tried])
        best = tried[int(np.argmin(bic))]
        covariance = _full_covariances(best) * np.outer(scale, scale)
        covariance = (covariance + covariance.transpose(0, 2, 1)) / 2
        return (best.weights_, best.means_ * scale + single.mean[c], covariance), bic

    def _numbers_each(self, p: int) -> int:
        """Numbers one component has: its mean, its covariance, its share."""
        spread = {"diag": p, "spherical": 1}.get(self.covariance_type, p * (p + 1) // 2)
        return p + spread + 1

    def _mixture(self, size: int, seed: int) -> Any:
        return _Quiet(size, covariance_type=self.covariance_type, reg_covar=LEAST_VARIANCE, random_state=seed)


class _Quiet(GaussianMixture):
    """A mixture that stops at the limit of its iterations without a warning: the BIC compares what was reached."""

    def fit(self, X: Any, y: Any = None) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit(X, y)


class _Repeated:
    """Complete rows of a class, each as often as it counts, in an order of their own, and their true weight."""

    def __init__(self, x: np.ndarray, weight: float) -> None:
        self.x = x
        self.weight = weight


def _repeated(x: np.ndarray, weight: np.ndarray | None) -> _Repeated:
    complete = ~np.isnan(x).any(axis=1)
    x = x[complete]
    # The start of the fit depends on the order of the rows: sorted, the same rows give the same mixture.
    order = np.lexsort(x.T) if x.shape[1] else np.arange(len(x))
    if weight is None:
        return _Repeated(x[order], float(len(x)))
    weight = weight[complete]
    times = weight
    if not np.array_equal(weight, np.rint(weight)) or weight.sum() > WEIGHT_PARTS * len(x):
        times = np.maximum(np.rint(weight / weight.mean() * WEIGHT_PARTS), 1)
    return _Repeated(np.repeat(x[order], times[order].astype(np.int64), axis=0), float(weight.sum()))


def _full_covariances(mixture: GaussianMixture) -> np.ndarray:
    """Return the covariances of a mixture as full matrices, shape (components, p, p)."""
    m, p = mixture.means_.shape
    given: np.ndarray = mixture.covariances_
    if mixture.covariance_type == "full":
        return given
    if mixture.covariance_type == "tied":
        return np.repeat(given[None], m, axis=0)
    diagonal = given if mixture.covariance_type == "diag" else np.repeat(given[:, None], p, axis=1)
    return diagonal[:, :, None] * np.eye(p)
