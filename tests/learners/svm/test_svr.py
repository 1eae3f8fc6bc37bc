"""Support vector regression against LIBSVM, and in any unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR as LibSVR

import vaglio
from vaglio.errors import InputError, ModelFileError, NotSupportedError
from vaglio.fitted.file import from_bytes, to_bytes


def diabetes(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    return X[:n] * 20, y[:n]


def plain(spread: float, C: float = 30.0, epsilon: float = 10.0, **params: Any) -> vaglio.SVR:
    """Return the machine whose parameters are in the unit of the target."""
    given = {"C": C / spread, "epsilon": epsilon / spread, "tol": 1e-7 / spread, "gamma": 0.1, "preprocess": None}
    return vaglio.SVR(**{**given, **params})


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_equals_libsvm(kernel: str):
    X, y = diabetes()
    for weight in (None, np.random.default_rng(0).integers(1, 4, len(y)).astype(float)):
        spread = float(np.sqrt(np.cov(y, aweights=weight, ddof=0)))
        params = {"kernel": kernel, "gamma": 0.01 if kernel == "sigmoid" else 0.1}
        theirs = LibSVR(C=30.0, epsilon=10.0, tol=1e-7, **params).fit(X, y, weight)
        found = plain(spread, **params).fit(X, y, weight)
        # LIBSVM holds kernel values in single precision; with a linear kernel they are nearly all alike.
        within = 1e-2 if kernel == "linear" else 1e-4
        np.testing.assert_allclose(found.predict(X), theirs.predict(X), atol=within)
        assert found.intercept_[0] == pytest.approx(theirs.intercept_[0], abs=within)
        if kernel == "linear":
            assert _loss(found, X, y, weight) <= _loss(theirs, X, y, weight) * (1 + 1e-9)
        if kernel == "rbf":
            np.testing.assert_array_equal(found.support_, theirs.support_)
            np.testing.assert_allclose(found.dual_coef_, theirs.dual_coef_, atol=1e-4)
        assert found.n_support_ == len(found.support_) == len(found.support_vectors_)
        assert found.kkt_gap_ <= found.tol
        assert found.fit_status_ == 0


def _loss(machine: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
    """Return what is minimised, in the unit of the target."""
    beyond = np.maximum(np.abs(machine.predict(X) - y) - 10.0, 0.0)
    return float(0.5 * (machine.coef_**2).sum() + 30.0 * (beyond if weight is None else weight * beyond).sum())


def test_other_forms_of_the_kernel_give_the_same():
    X, y = diabetes(80)
    spread = float(y.std())
    expected = plain(spread, kernel="rbf").fit(X, y).predict(X)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    given = plain(spread, kernel="precomputed").fit(np.exp(-0.1 * squares), y)
    np.testing.assert_allclose(given.predict(np.exp(-0.1 * squares)), expected, atol=1e-5)

    def gaussian(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        values: np.ndarray = np.exp(-0.1 * ((a[:, None] - b[None]) ** 2).sum(axis=2))
        return values

    function = plain(spread, kernel=gaussian).fit(X, y)
    np.testing.assert_allclose(function.predict(X), expected, atol=1e-5)
    with pytest.raises(NotSupportedError, match="cannot be saved"):
        to_bytes(function.fitted_)
    linear = plain(spread, kernel="linear").fit(X, y)
    sparse = plain(spread, kernel="linear").fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.predict(X), linear.predict(X), atol=1e-4)
    with pytest.raises(InputError, match="square matrix"):
        plain(spread, kernel="precomputed").fit(X, y)
    with pytest.raises(InputError, match="positive weight"):
        plain(spread, kernel="precomputed").fit(np.exp(-squares), y, np.arange(80.0))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_no_unit_changes_the_model(kernel: str):
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    expected = vaglio.SVR(kernel=kernel).fit(X, y)
    for factor in (2.0**-40, 2.0**40, 1e-12, 1e12):
        found = vaglio.SVR(kernel=kernel).fit(X, y * factor)
        np.testing.assert_allclose(found.predict(X) / factor, expected.predict(X), rtol=1e-3)
    constant = vaglio.SVR(kernel=kernel).fit(X, np.full(len(y), 7.0))
    np.testing.assert_allclose(constant.predict(X), 7.0)


def test_rows_within_epsilon_are_no_support_vectors():
    X, y = diabetes()
    model = vaglio.SVR(epsilon=1.0, tol=1e-6).fit(X, y)
    errors = np.abs(model.predict(X) - y) / y.std()
    inside = np.setdiff1d(np.arange(len(y)), model.support_)
    assert 0 < len(inside) < len(y)
    assert (errors[inside] <= 1 + 1e-5).all()
    assert (errors[model.support_] >= 1 - 1e-5).all()


def test_rows_of_weight_zero_are_no_support_vectors_and_names_are_those_of_the_table():
    X, y = diabetes(60)
    weight = (np.arange(60) % 3 > 0).astype(float)
    model = vaglio.SVR().fit(X, y, weight)
    assert (weight[model.support_] == 1).all()
    np.testing.assert_array_equal(model.predict(X), vaglio.SVR().fit(X[weight > 0], y[weight > 0]).predict(X))


def test_the_terms_of_a_linear_kernel_add_up():
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    model = vaglio.SVR(kernel="linear").fit(X, y)
    why = model.explain(X[[3]], counterfactual=False)[0]
    assert why.total == pytest.approx(why.decision)
    assert model.fitted_.coefficients()[0]["name"] == "(intercept)"
    curved = vaglio.SVR().fit(X, y).explain(X[[3]], counterfactual=False)[0]
    assert curved.total is None
    assert "training row" in str(curved)


def test_a_solver_that_stops_early_warns():
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        model = vaglio.SVR(max_iter=3).fit(*diabetes())
    assert model.fit_status_ == 1


def test_a_damaged_file_is_refused():
    X, y = diabetes(40)
    fitted = vaglio.SVR().fit(X, y).fitted_
    np.testing.assert_array_equal(from_bytes(to_bytes(fitted)).predict(X), fitted.predict(X))
    arrays, meta = fitted.model.state()
    read = type(fitted.model).from_state
    features = fitted.codebook.features
    with pytest.raises(ModelFileError, match="two classes"):
        read(arrays, meta, features, 1)
    with pytest.raises(ModelFileError, match="no votes"):
        read(arrays, {**meta, "scheme": "ovo"}, features, 0)
    with pytest.raises(ModelFileError, match="sorted by class"):
        read({**arrays, "class_starts": np.array([0, 1], dtype=np.int64)}, meta, features, 0)
