"""A learner that minds what errors cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from vaglio.errors import InputError
from vaglio.evaluation.metrics.costs import CostMatrix

__all__ = ["CostSensitiveClassifier"]


def _has_probabilities(self: CostSensitiveClassifier) -> bool:
    return hasattr(self.estimator, "predict_proba")


class CostSensitiveClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Wrap a learner so that its decisions cost least.

    Parameters
    ----------
    estimator : classifier
    cost : CostMatrix, array, dict or path
        An array has the classes in sorted order.
    use : {"auto", "decision", "weights"}
        "decision": learn as usual, then call the class of least expected cost; needs probabilities. "weights":
        learn with rows weighted by what an error on them costs. Both at once would count the costs twice.
        "auto": the decision where there are probabilities.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> plain = GaussianNB().fit(X, y)
    >>> careful = CostSensitiveClassifier(GaussianNB(), {(1, 0): 100, (0, 1): 1}).fit(X, y)
    >>> plain.predict([[1.2]]).tolist(), careful.predict([[1.2]]).tolist()
    ([0], [1])
    """

    def __init__(self, estimator: Any, cost: Any, *, use: str = "auto") -> None:
        self.estimator = estimator
        self.cost = cost
        self.use = use

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CostSensitiveClassifier:
        """Learn, with the costs in the weights where they are used so."""
        self.classes_ = np.unique(y)
        self.cost_ = CostMatrix.from_any(self.cost, labels=self.classes_.tolist())
        if self.use not in ("auto", "decision", "weights"):
            raise InputError(f"use is {self.use!r}; it can be 'auto', 'decision' or 'weights'.")
        self.decides_ = self.use == "decision" or (self.use == "auto" and hasattr(self.estimator, "predict_proba"))
        self.estimator_ = clone(self.estimator)
        if self.decides_:
            weight = sample_weight
        else:
            per_class = self.cost_.class_weight()
            weight = np.array([per_class[label] for label in np.asarray(y).tolist()])
            weight = weight if sample_weight is None else weight * sample_weight
        if weight is not None and not has_fit_parameter(self.estimator_, "sample_weight"):
            name = type(self.estimator_).__name__
            raise InputError(f"{name} has neither probabilities nor weights, so it cannot mind costs.")
        self.estimator_.fit(X, y) if weight is None else self.estimator_.fit(X, y, sample_weight=weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of least expected cost, or the learner's own answer if it learnt with weights."""
        check_is_fitted(self)
        if not self.decides_:
            return self.estimator_.predict(X)
        return self.classes_[self.cost_.decide(self.estimator_.predict_proba(X))]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The learner's probabilities, as they are."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @property
    def fitted_(self) -> Any:
        """The trained model of one of our learners."""
        return self.estimator_.fitted_

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
