"""MAP classifiers with multivariate Gaussians: one per class, or a mixture; all other columns as in naive Bayes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from threadpoolctl import threadpool_limits

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Passes, TableSummary
from vaglio.learners.bayes.estimators.class_statistics import Statistics
from vaglio.learners.bayes.estimators.covariance import ClassGaussians, fit_class_gaussians
from vaglio.learners.bayes.estimators.generative import Generative, in_order_of, resolve_priors
from vaglio.learners.bayes.estimators.intervals import (
    counts_in_rows,
    has_few_values,
    learn_quantiles,
    numeric_columns,
    ranges_for_densities,
    rows_per_weight,
)
from vaglio.learners.bayes.estimators.likelihoods import (
    NumericGroups,
    NumericTable,
    assemble,
    value_table,
)
from vaglio.learners.bayes.model.gaussian_mixture import GaussianMixtureModel
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.passes import CountingPlan, gaussian_passes
from vaglio.learners.inputs import in_whole_proportions, note_reliability
from vaglio.learners.parameters import COUNT, FROM_0_TO_1, NOT_NEGATIVE, estimator
from vaglio.typing import ClassWeight, Priors, RandomState

# Weights that are not whole are counted in this many parts of the mean weight.
WEIGHT_PARTS = 16
# Added to every variance, in columns of unit variance: without it a Gaussian shrinks onto values that repeat.
LEAST_VARIANCE = 1e-3


def naive_part(
    statistics: Statistics,
    prior: np.ndarray,
    alpha: float,
    guard: float | None,
    threads: int,
    tables: Sequence[NumericTable] = (),
) -> NaiveBayesModel:
    """Return naive Bayes over nominal, ordinal and text attributes and these tables; it also holds the priors."""
    groups = NumericGroups.without_choice(len(prior), tables=tables)
    # What is under a joint density is drawn within its range.
    quantiles = learn_quantiles({}, statistics.numeric_ranges(), len(prior))
    return replace(assemble(statistics, prior, groups, alpha, guard, threads), quantiles=quantiles)


@estimator
class GaussianMAPClassifier(Generative):
    """argmax P(x|c)·P(c) with a multivariate Gaussian P(x|c) = N(x; μ_c, Σ_c) over the numeric columns.

    Nominal, ordinal and text columns are independent of the others given the class, with smoothed frequencies. A
    missing number is integrated out at prediction; in training each mean and covariance uses the rows that know its
    columns. Covariances are those of largest likelihood (divided by the number of rows).

    Parameters
    ----------
    covariance : {"full", "diagonal", "tied", "shrunk"}
        One covariance per class (quadratic discriminant analysis), only its diagonal, one for all classes (linear
        discriminant analysis), or a full one drawn towards its diagonal. A singular one is mixed with the covariance
        within all classes, and a warning says so.
    shrinkage : float or "auto"
        For "shrunk": share of the way to the diagonal; "auto" is Ledoit and Wolf's estimate.
    alpha : float
        Added to the counts of columns that are not numeric.

    Attributes
    ----------
    class_prior_ : ndarray of shape (n_classes,)
        Prior of each class.
    means_ : ndarray of shape (n_classes, n_numeric)
        Mean of the numeric columns in each class.
    covariances_ : ndarray of shape (n_classes, n_numeric, n_numeric)
        Covariance of the numeric columns in each class.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vaglio import GaussianMAPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> round(GaussianMAPClassifier().fit(X, y).score(X, y), 2)
    0.98
    """

    _learner_id = "gaussian-map"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "covariance": [StrOptions({"full", "diagonal", "tied", "shrunk"})],
        "shrinkage": [StrOptions({"auto"}), *FROM_0_TO_1],
        "alpha": NOT_NEGATIVE,
    }

    covariance: Literal["full", "diagonal", "tied", "shrunk"] = field(default="full", kw_only=False)
    shrinkage: float | Literal["auto"] = "auto"
    alpha: float = 1.0
    high_cardinality: float | None = 0.0
    priors: Priors = None
    class_weight: ClassWeight = None
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> GaussianMixtureModel:
        index = np.flatnonzero([feature.kind == "numeric" for feature in matrix.features])
        x, ranges = numeric_columns(matrix, index), ranges_for_densities(matrix, index)
        fitted = fit_class_gaussians(x, y, weight, self.classes_, self.covariance, self.shrinkage, ranges)
        statistics = Statistics.gather(matrix, y, weight, len(self.classes_), self._threads())
        return self._noted(index, fitted, statistics)

    def _passes(self, facts: TableSummary) -> Passes:
        features = facts.codebook.features
        block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
        columns = [at for at, j in enumerate(block) if features[j].kind == "numeric"]
        fitted = yield from gaussian_passes(facts, columns, self.covariance, self.shrinkage)
        plan = CountingPlan.of(facts)
        statistics = (yield plan.counting("counts of categories")).statistics(plan, facts)
        return self._noted(np.array([block[at] for at in columns], dtype=np.int64), fitted, statistics)

    def _noted(self, index: np.ndarray, fitted: ClassGaussians, statistics: Statistics) -> GaussianMixtureModel:
        """Keep what a user may look up, and return the model; ``index`` are the features under the densities."""
        k = len(fitted.weight)
        self.class_prior_ = resolve_priors(in_order_of(self.classes_, self.priors), fitted.weight)
        self.means_, self.covariances_ = fitted.mean, fitted.covariance
        naive = naive_part(statistics, self.class_prior_, float(self.alpha), self.high_cardinality, self._threads())
        note_reliability(self, statistics.features, naive.table.reliabilities)
        return GaussianMixtureModel(naive, index, np.arange(k + 1), np.ones(k), fitted.mean, fitted.covariance)


@estimator
class GaussianMixtureClassifier(Generative):
    """argmax P(x|c)·P(c) with a mixture of Gaussians per class; the Bayesian information criterion gives their number.

    Each class's mixture is fitted by scikit-learn's GaussianMixture on its complete rows, in columns brought to unit
    variance; a missing number is integrated out at prediction. Nominal, ordinal and text columns, and numbers with at
    most ten distinct values, are independent of the others given the class, with smoothed frequencies.
    Weights count as repetitions in the densities, and weights that are not multiples of the least one are rounded to
    sixteenths of their mean; the criterion counts the rows.

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
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
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
    covariance_type: Literal["full", "tied", "diag", "spherical"] = "full"
    alpha: float = 1.0
    high_cardinality: float | None = 0.0
    priors: Priors = None
    class_weight: ClassWeight = None
    random_state: RandomState = 0
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> GaussianMixtureModel:
        index = np.flatnonzero([feature.kind == "numeric" for feature in matrix.features])
        x = numeric_columns(matrix, index)
        counts = _core.value_counts(x, y, weight, len(self.classes_), self._threads())
        in_rows = counts_in_rows(counts, y, weight)
        # A density of few distinct values would be spikes.
        tables = [
            value_table(int(j), column, len(self.classes_))
            for j, column, rows in zip(index, counts, in_rows)
            if has_few_values(rows)
        ]
        dense = ~np.isin(index, [table.feature for table in tables])
        index, x = index[dense], x[:, dense]
        ranges = ranges_for_densities(matrix, index)
        with warnings.catch_warnings():
            # A singular covariance of a class is no fault here: the mixture is fitted instead.
            warnings.simplefilter("ignore")
            single = fit_class_gaussians(x, y, weight, self.classes_, "full", "auto", ranges)
        self.class_prior_ = resolve_priors(in_order_of(self.classes_, self.priors), single.weight)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        mixtures, self.bic_ = [], []
        # Small fits would spend their time starting threads, and in a forked child OpenMP waits for threads that the
        # parent has and the child has not.
        repetitions = None if weight is None else in_whole_proportions(weight)
        scale = rows_per_weight(y, repetitions)
        with threadpool_limits(1):
            for c in range(len(self.classes_)):
                rows, total = _repeated(x[y == c], None if repetitions is None else repetitions[y == c])
                mixture, bic = self._fit_class(rows, total * scale, single, c, seed)
                mixtures.append(mixture)
                self.bic_.append(bic)
        parts = [np.concatenate(part) for part in zip(*mixtures)]
        self.n_components_ = np.array([len(mixture[0]) for mixture in mixtures])
        statistics = Statistics.gather(matrix, y, weight, len(self.classes_), self._threads())
        guard, threads = self.high_cardinality, self._threads()
        naive = naive_part(statistics, self.class_prior_, float(self.alpha), guard, threads, tables)
        note_reliability(self, matrix.features, naive.table.reliabilities)
        return GaussianMixtureModel(naive, index, np.cumsum([0, *self.n_components_]), *parts)

    def _fit_class(
        self, x: np.ndarray, n: float, single: ClassGaussians, c: int, seed: int
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Return weights, means and covariances of the class's mixture, and the BIC of each size tried."""
        scale = np.sqrt(np.diagonal(single.covariance[c]))
        distinct, p = len(np.unique(x, axis=0)) if x.size else 0, x.shape[1]
        # The numbers one component has: its mean, its covariance, its share.
        numbers = p + {"diag": p, "spherical": 1}.get(self.covariance_type, p * (p + 1) // 2) + 1
        # With fewer than two rows per number it estimates, a component would describe single rows and no density.
        most = min(self.max_components, distinct // (2 * numbers))
        if most < 1:
            return (np.ones(1), single.mean[c : c + 1], single.covariance[c : c + 1]), np.empty(0)
        z = (x - single.mean[c]) / scale
        how = {"covariance_type": self.covariance_type, "reg_covar": LEAST_VARIANCE, "random_state": seed}
        with warnings.catch_warnings():
            # A mixture may stop at the limit of its iterations: the BIC compares what was reached.
            warnings.simplefilter("ignore", ConvergenceWarning)
            tried = [GaussianMixture(size, **how).fit(z) for size in range(1, most + 1)]
        bic = np.array([-2 * mixture.score(z) * n + mixture._n_parameters() * np.log(n) for mixture in tried])
        best = tried[int(np.argmin(bic))]
        covariance = _full_covariances(best) * np.outer(scale, scale)
        covariance = (covariance + covariance.transpose(0, 2, 1)) / 2
        return (best.weights_, best.means_ * scale + single.mean[c], covariance), bic


def _repeated(x: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, float]:
    """Return complete rows, each as often as it counts, in an order of their own, and their true weight."""
    complete = ~np.isnan(x).any(axis=1)
    x = x[complete]
    # The start of the fit depends on the order of the rows: sorted, the same rows give the same mixture.
    order = np.lexsort(x.T) if x.shape[1] else np.arange(len(x))
    if weight is None:
        return x[order], float(len(x))
    weight = weight[complete]
    times = weight
    if not np.array_equal(weight, np.rint(weight)) or weight.sum() > WEIGHT_PARTS * len(x):
        times = np.maximum(np.rint(weight / weight.mean() * WEIGHT_PARTS), 1)
    return np.repeat(x[order], times[order].astype(np.int64), axis=0), float(weight.sum())


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
