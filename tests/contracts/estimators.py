"""Finds every public estimator by itself: a new learner is under contract from its first day."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, is_classifier, is_regressor

import vaglio


def all_estimators() -> list[Any]:
    """Return one instance of each public estimator, with its defaults; what draws at random gets a seed."""
    values = [getattr(vaglio, name) for name in vaglio.__all__]
    classes = [value for value in values if isinstance(value, type) and issubclass(value, BaseEstimator)]
    made = [cls() for cls in sorted(set(classes), key=lambda cls: cls.__name__)]
    return [e.set_params(random_state=0) if "random_state" in e.get_params() else e for e in made]


def classifiers() -> list[Any]:
    return [estimator for estimator in all_estimators() if is_classifier(estimator)]


def regressors() -> list[Any]:
    return [estimator for estimator in all_estimators() if is_regressor(estimator)]


def name_of(value: Any) -> str | None:
    """Return the id of a parametrised test: the class of the estimator."""
    return type(value).__name__ if isinstance(value, BaseEstimator) else None
