"""Finds every public estimator by itself: a new learner is under contract from its first day."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from sklearn.base import BaseEstimator, is_classifier, is_regressor

import vaglio
from vaglio.learners.registry import LEARNERS


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


def kind_of(estimator: Any) -> str:
    """Return the kind of the models of an estimator; what the registry does not list is a kind of its own."""
    learner = LEARNERS.get(getattr(estimator, "_learner_id", None))
    return learner.kind if learner is not None else type(estimator).__name__


def one_per_kind() -> list[Any]:
    """Return an estimator of each kind of model, the most used one where there are several."""
    preferred = (vaglio.C45Classifier, vaglio.BaggingClassifier, vaglio.LogisticRegression, vaglio.RIPPERClassifier)
    found: dict[str, Any] = {}
    for estimator in sorted(all_estimators(), key=lambda made: not isinstance(made, preferred)):
        found.setdefault(kind_of(estimator), estimator)
    return list(found.values())


def mostly_slow(estimators: list[Any]) -> list[Any]:
    """Return them as parameters of which few are left in a fast run: a tree, a table of counts and a linear model."""
    quick = (vaglio.C45Classifier, vaglio.NaiveBayesClassifier, vaglio.LogisticRegression, vaglio.DecisionTreeRegressor)
    return [
        pytest.param(estimator, marks=[] if isinstance(estimator, quick) else [pytest.mark.slow])
        for estimator in estimators
    ]


def others_nightly(cases: Iterable[Any]) -> list[Any]:
    """Return estimators, or ids of learners, as parameters: one of each kind of model by day, the others nightly.

    Of models of numbers a tree and a line are kept. Cases that are parameters already keep their marks.
    """
    kept = [*one_per_kind(), vaglio.DecisionTreeRegressor(), vaglio.LinearRegression()]
    by_day = {type(estimator) for estimator in kept} | {getattr(estimator, "_learner_id", None) for estimator in kept}
    return [
        case
        if (value if isinstance(value := case.values[0], str) else type(value)) in by_day
        else pytest.param(value, marks=[*case.marks, pytest.mark.nightly], id=case.id)
        for case in (each if hasattr(each, "marks") else pytest.param(each) for each in cases)
    ]


def name_of(value: Any) -> str | None:
    """Return the id of a parametrised test: the class of the estimator."""
    return type(value).__name__ if isinstance(value, BaseEstimator) else None
