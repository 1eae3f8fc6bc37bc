"""Coefficients that a user sets after fitting are those that predict, for every estimator that has any."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.base import clone

import vaglio
from vaglio.errors import InputError

from .estimators import all_estimators, name_of
from .test_tables import output

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

NAMES = ("coef_", "intercept_", "dual_coef_", "coefs_", "intercepts_")


def variants() -> list[Any]:
    """Every public estimator, and those whose options decide which coefficients there are."""
    return [*all_estimators(), vaglio.SVC(kernel="linear"), vaglio.SVC(multi_class="ovr"), vaglio.SVC(phi=np.square)]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [e for e in variants() if hasattr(e, "predict")], ids=name_of)
def test_what_is_set_predicts(estimator: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).uniform(1, 2, (60, 3))
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [3.2, 4.0])
    fitted = clone(estimator).fit(X, y)
    for name in NAMES:
        if not hasattr(fitted, name):
            continue
        changed = copy.deepcopy(fitted)
        held = getattr(fitted, name)
        doubled = [2 * part + 1 for part in held] if isinstance(held, list) else 2 * held + 1
        try:
            setattr(changed, name, doubled)
        except AttributeError as refused:
            assert "set coef_" in str(refused)
            continue
        np.testing.assert_equal(getattr(changed, name), doubled)
        assert not np.allclose(output(changed, X), output(fitted, X)), name
        np.testing.assert_array_equal(output(pickle.loads(pickle.dumps(changed)), X), output(changed, X))
        if getattr(estimator, "phi", None) is None:
            changed.save(tmp_path / "model")
            np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict(X), changed.predict(X))
        with pytest.raises((InputError, ValueError)):
            setattr(changed, name, np.ones((17, 5)))


def linear() -> list[Any]:
    return [e for e in all_estimators() if hasattr(e, "sparsify")]


@pytest.mark.parametrize("estimator", linear(), ids=name_of)
def test_the_decision_is_that_of_the_coefficients(estimator: Any) -> None:
    X = np.random.default_rng(1).normal(size=(50, 4))
    fitted = clone(estimator).set_params(preprocess=None).fit(X, X[:, 0] - X[:, 1] > 0.2)
    fitted.coef_, fitted.intercept_ = [[1.0, 0.0, -2.0, 0.0]], 0.5
    np.testing.assert_allclose(fitted.decision_function(X), X @ [1, 0, -2, 0] + 0.5)
    np.testing.assert_array_equal(fitted.predict(X), fitted.decision_function(X) > 0)
    fitted.coef_[0, 1] = 3.0  # in place
    np.testing.assert_allclose(fitted.decision_function(X), X @ [1, 3, -2, 0] + 0.5)
    before = fitted.decision_function(X)
    assert sp.issparse(fitted.sparsify().coef_)
    assert fitted.coef_.nnz == 3
    np.testing.assert_array_equal(fitted.decision_function(X), before)
    np.testing.assert_array_equal(fitted.densify().coef_, [[1, 3, -2, 0]])


@pytest.mark.parametrize("estimator", linear(), ids=name_of)
def test_learning_goes_on_from_what_is_set(estimator: Any) -> None:
    X = np.random.default_rng(1).normal(size=(50, 2))
    y = X[:, 0] > 0
    fitted = clone(estimator).set_params(preprocess=None).partial_fit(X, y, classes=[False, True])
    fitted.coef_ = [[0.0, 100.0]]
    fitted.partial_fit(X[:3], y[:3])
    assert fitted.coef_[0, 1] > 50
