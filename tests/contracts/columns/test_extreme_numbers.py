"""Finite numbers of any size: probabilities are numbers that add up to one, or an error of ours says why not."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from tests.contracts.estimators import classifiers, mostly_slow, name_of, others_nightly, regressors

import vaglio
from vaglio.errors import NotSupportedError, VaglioError

EXTREMES = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-308, 1e-154, 1e154, 1e300, 1.7e308, -1.7e308, 1e16, 1.5]
SIZE = st.sampled_from(EXTREMES) | st.floats(allow_nan=False, allow_infinity=False, width=64)
TABLES = arrays(np.float64, st.tuples(st.integers(4, 12), st.integers(1, 3)), elements=SIZE)
WEIGHTS = st.sampled_from([1.0, 1e-300, 1e99, 1e308, 5e-324, 3.0])
SLOW_OPTIONS = {"MLPClassifier": {"max_iter": 5}, "RandomForestClassifier": {"n_estimators": 3}}
SLOW_OPTIONS |= {"RandomForestRegressor": {"n_estimators": 3}, "BaggingClassifier": {"n_estimators": 2}}
SLOW_OPTIONS |= {"BaggingRegressor": {"n_estimators": 2}, "AdaBoostClassifier": {"n_estimators": 3}}

FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def small(estimator: Any) -> Any:
    return clone(estimator).set_params(**SLOW_OPTIONS.get(type(estimator).__name__, {}))


def check_file(model: Any, rows: np.ndarray, predicted: np.ndarray) -> None:
    """What cannot be loaded again is not saved; what is loaded predicts the same."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            model.save(f"{folder}/m.vaglio")
        except NotSupportedError as error:
            assert "its file could not be loaded" in str(error)
            assert np.abs(rows).max() > 1e30 or np.abs(predicted).max() > 1e30
            return
        assert np.array_equal(vaglio.load(f"{folder}/m.vaglio").predict(rows), predicted)


@pytest.mark.parametrize("estimator", others_nightly(mostly_slow(classifiers())), ids=name_of)
@FEW
@given(X=TABLES, unseen=arrays(np.float64, 3, elements=SIZE), weight=st.none() | WEIGHTS, constant=st.booleans())
@example(X=np.array([[0.0], [5e-324], [5e-324], [5e-324]]), unseen=np.zeros(3), weight=None, constant=False)
def test_probabilities_are_numbers_that_add_up_to_one(
    estimator: Any, X: np.ndarray, unseen: np.ndarray, weight: float | None, constant: bool
) -> None:
    if constant:
        X[:, 0] = X[0, 0]
    y = np.arange(len(X)) % 3
    given = None if weight is None else np.where(np.arange(len(X)) % 2, weight, 1.0)
    rows = np.vstack([X, np.resize(unseen, (1, X.shape[1]))])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = small(estimator).fit(X, y, sample_weight=given)
            labels = model.predict(rows)
            probabilities = model.predict_proba(rows) if hasattr(model, "predict_proba") else None
        except VaglioError as error:
            assert "\n" not in str(error)
            return
    assert set(labels) <= {0, 1, 2}
    check_file(model, rows, labels)
    if probabilities is not None:
        assert np.isfinite(probabilities).all()
        assert (probabilities >= 0).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-9)


@pytest.mark.parametrize("estimator", others_nightly(mostly_slow(regressors())), ids=name_of)
@FEW
@given(X=TABLES, target=SIZE)
@example(X=np.zeros((4, 1)), target=1.7e308)
@example(X=np.full((4, 3), 5e-324), target=0.0)
def test_predicted_numbers_are_numbers(estimator: Any, X: np.ndarray, target: float) -> None:
    y = np.where(np.arange(len(X)) % 2, target, 1.0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = small(estimator).fit(X, y)
            found = model.predict(X)
        except VaglioError:
            return
    check_file(model, X, found)
    assert np.isfinite(found).all()
