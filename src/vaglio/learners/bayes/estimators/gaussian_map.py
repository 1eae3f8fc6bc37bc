"""The MAP classifier with one multivariate Gaussian per class."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Facts, Passes
from vaglio.learners.bayes.estimators.covariance import fit_class_gaussians
from vaglio.learners.bayes.estimators.generative import Generative, resolve_priors
from vaglio.learners.bayes.estimators.naive_part import naive_part, naive_part_of, numeric_columns
from vaglio.learners.bayes.model.gaussian_mixture import GaussianMixtureModel
from vaglio.learners.bayes.passes.counting import CountingPlan
from vaglio.learners.bayes.passes.gaussians import gaussian_passes
from vaglio.learners.inputs import note_belief
from vaglio.learners.parameters import FROM_0_TO_1, NOT_NEGATIVE, estimator


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
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``); a
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

    covariance: str = field(default="full", kw_only=False)
    shrinkage: float | str = "auto"
    alpha: float = 1.0
    nominal_guard: float | None = 0.0
    priors: Any = None
    class_weight: Any = None
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> GaussianMixtureModel:
        k = len(self.classes_)
        index, x = numeric_columns(matrix)
        fitted = fit_class_gaussians(
            x, y, weight, self.classes_, self.covariance, self.shrinkage, matrix.ranges.missing
        )
        self.class_prior_ = resolve_priors(self.priors, fitted.weight)
        self.means_, self.covariances_ = fitted.mean, fitted.covariance
        naive = naive_part(matrix, y, weight, self.class_prior_, float(self.alpha), self.nominal_guard, self._threads())
        note_belief(self, matrix.features, naive.table.reliabilities)
        return GaussianMixtureModel(naive, index, np.arange(k + 1), np.ones(k), fitted.mean, fitted.covariance)

    def _passes(self, facts: Facts) -> Passes:
        features, k = facts.codebook.features, facts.n_classes
        block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
        columns = [at for at, j in enumerate(block) if features[j].kind == "numeric"]
        fitted = yield from gaussian_passes(facts, columns, self.covariance, self.shrinkage)
        self.class_prior_ = resolve_priors(self.priors, fitted.weight)
        self.means_, self.covariances_ = fitted.mean, fitted.covariance
        plan = CountingPlan.of(facts)
        statistics = (yield plan.counting("counts of categories")).statistics(plan, facts)
        naive = naive_part_of(statistics, self.class_prior_, float(self.alpha), self.nominal_guard, self._threads())
        note_belief(self, features, naive.table.reliabilities)
        index = np.array([block[at] for at in columns], dtype=np.int64)
        return GaussianMixtureModel(naive, index, np.arange(k + 1), np.ones(k), fitted.mean, fitted.covariance)
