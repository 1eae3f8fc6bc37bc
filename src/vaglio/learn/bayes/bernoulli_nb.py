"""Bernoulli naive Bayes: presence and absence."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import CountBlock, EncodedMatrix
from vaglio.learn.bayes._count_bayes import CountBayes
from vaglio.model.bayes.count_bayes import BernoulliModel, binarized
from vaglio.model.bayes.posterior import log_of


class BernoulliNB(CountBayes):
    """Bernoulli naive Bayes: what is absent speaks as well as what is there.

    For 0/1 columns, dense or sparse, or a table with text columns, whose words are looked for inside. Missing values
    are neither there nor absent: they are left out.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to the count of rows that have a column and of those that do not.
    force_alpha : bool, default=True
        If False, alpha is at least 1e-10.
    binarize : float or None, default=0.0
        A value above it counts as present; None takes X to be 0 and 1 already.
    fit_prior : bool, default=True
        Learn the class priors from the frequencies; else they are equal.
    class_prior : array-like of shape (n_classes,), optional
        Priors given.
    class_weight : dict, "balanced" or None

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_columns)
    feature_log_prob_ : ndarray of shape (n_classes, n_columns)

    Examples
    --------
    >>> from vaglio import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    >>> model.predict([[1, 0]]).tolist()
    ['a']
    """

    _learner_id = "bernoulli-nb"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "force_alpha": ["boolean"],
        "binarize": [None, Real],
        "fit_prior": ["boolean"],
        "class_prior": [None, "array-like"],
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight

    def _count(self, block: CountBlock) -> Any:
        return binarized(block.values, self.binarize)

    def _model(self, matrix: EncodedMatrix, prior: np.ndarray) -> BernoulliModel:
        return BernoulliModel(
            matrix.features,
            self.class_count_,
            prior,
            self.feature_count_,
            self._seen,
            self._alpha(),
            binarize=None if self.binarize is None else float(self.binarize),
        )

    def _log_theta(self, count: np.ndarray, seen: np.ndarray) -> np.ndarray:
        return log_of((count + self._alpha()) / np.maximum(seen + 2 * self._alpha(), np.finfo(float).tiny))
