"""Finds every public estimator by itself: a new learner is under contract from its first day."""

from __future__ import annotations

from sklearn.base import BaseEstimator

import vaglio


def estimator_classes() -> list[type[BaseEstimator]]:
    values = [getattr(vaglio, name) for name in vaglio.__all__]
    return [value for value in values if isinstance(value, type) and issubclass(value, BaseEstimator)]


def classifiers() -> list[type[BaseEstimator]]:
    return [
        cls
        for cls in estimator_classes()
        if getattr(cls, "_estimator_type", None) == "classifier"
        or hasattr(cls, "predict_proba")
        or cls.__name__.endswith("Classifier")
    ]
