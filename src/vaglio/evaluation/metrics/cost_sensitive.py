"""A wrapper that makes a learner take the costs of errors into account."""

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
    """Wrap a learner so that its predictions have the least expected cost.

    Parameters
    ----------
    estimator : classifier
    cost : CostMatrix, array, dict or path
        An array has the classes in sorted order.
    use : {"auto", "decision", "weights"}
        "decision": train as usual, then predict the class with the least expected cost; needs probabilities. "weights":
        train with rows weighted by the cost of an error on them. Both at once would count the costs twice.
        "auto": "decision" if the learner has probabilities, else "weights".

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
        """Fit the learner, with the costs as weights if ``use`` says so."""
        self.classes_: np.ndarray = np.unique(y)
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
            raise InputError(f"{name} has neither probabilities nor sample weights: it cannot use costs.")
        self.estimator_.fit(X, y) if weight is None else self.estimator_.fit(X, y, sample_weight=weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the least expected cost, or the prediction of a learner trained with weights."""
        check_is_fitted(self)
        if not self.decides_:
            return np.asarray(self.estimator_.predict(X))
        codes = self.cost_.decide(np.asarray(self.estimator_.predict_proba(X)))
        return np.asarray(self.classes_[codes])

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the learner, unchanged."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @property
    def fitted_(self) -> Any:
        """The trained model, if the learner is one of vaglio."""
        return self.estimator_.fitted_

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
