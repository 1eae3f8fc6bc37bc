"""The perceptron with a penalty: scikit-learn's numbers, bit for bit."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Theirs

import vaglio.sklearn as dropin
from vaglio.sklearn.linear_model import Perceptron

PENALTIES: list[dict[str, Any]] = [
    {"penalty": "l2", "alpha": 1e-4},
    {"penalty": "l2", "alpha": 0.05, "eta0": 0.1},
    {"penalty": "l2", "alpha": 0.9},  # the common scale falls below its least value within a pass
    {"penalty": "l2", "alpha": 5.0},  # no weight is left after a row
    {"penalty": "l1", "alpha": 1e-4},
    {"penalty": "l1", "alpha": 0.02, "eta0": 0.5},
    {"penalty": "elasticnet", "alpha": 1e-3},
    {"penalty": "elasticnet", "alpha": 0.05, "l1_ratio": 0.7},
    {"penalty": "elasticnet", "alpha": 0.3, "l1_ratio": 0.0},
    {"penalty": "elasticnet", "alpha": 0.01, "l1_ratio": 1.0},
]
ENDS: list[dict[str, Any]] = [
    {},
    {"tol": None, "max_iter": 7, "shuffle": False, "fit_intercept": False},
    {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 3, "tol": 0.01, "random_state": 4},
    {"class_weight": "balanced", "random_state": 1, "max_iter": 40},
]


def rows(classes: int, sparse: bool) -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = make_classification(150, 9, n_informative=5, n_classes=classes, flip_y=0.1, random_state=classes)
    random = np.random.default_rng(classes)
    weight = np.where(random.random(len(y)) < 0.2, 0.0, random.uniform(0.5, 2, len(y)))
    return (sp.csr_array(X * (random.random(X.shape) < 0.4)) if sparse else X), y, weight


def fit_both(params: dict[str, Any], X: Any, y: Any, times: int = 1, **arguments: Any) -> tuple[Any, Any]:
    both = Theirs(**params), Perceptron(**params)
    for estimator in both:
        for _ in range(times):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                estimator.fit(X, y, **arguments)
    return both


def assert_same_bits(theirs: Any, ours: Any) -> None:
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("end", ENDS, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_a_penalty_has_the_same_bits(penalty: dict[str, Any], end: dict[str, Any], classes: int, sparse: bool) -> None:
    X, y, weight = rows(classes, sparse)
    for given in (None, weight):
        theirs, ours = fit_both({**penalty, **end}, X, y, sample_weight=given)
        assert_same_bits(theirs, ours)
        assert ours.learner_ is not None


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_penalty_goes_on_from_a_warm_start_and_from_given_weights(penalty: str, classes: int) -> None:
    X, y, weight = rows(classes, False)
    params = {"penalty": penalty, "alpha": 0.01, "max_iter": 5, "tol": None}
    theirs, ours = fit_both({**params, "warm_start": True}, X, y, times=3, sample_weight=weight)
    assert_same_bits(theirs, ours)
    outputs = 1 if classes == 2 else classes
    start = np.random.default_rng(0).standard_normal((outputs, X.shape[1]))
    for estimator in (theirs := Theirs(**params), ours := Perceptron(**params)):
        estimator.fit(X, y, coef_init=start.copy(), intercept_init=np.ones(outputs))
    assert_same_bits(theirs, ours)


def test_no_penalty_is_left_to_scikit_learn() -> None:
    X, y, _ = rows(2, False)
    before = sum(case.count for case in dropin.fallbacks() if case.name == "linear_model.Perceptron")
    _, ours = fit_both({"penalty": "l1", "alpha": 0.1}, X, y)
    assert before == sum(case.count for case in dropin.fallbacks() if case.name == "linear_model.Perceptron")
    assert (ours.coef_ == 0).any()
    assert len(ours.explain(X[:1], counterfactual=False)) == 1


def test_weights_that_overflow_are_refused() -> None:
    X, y, _ = rows(2, False)
    for estimator in (Theirs(penalty="l2", eta0=1e200), Perceptron(penalty="l2", eta0=1e200)):
        with pytest.raises(ValueError, match="Floating-point under-/overflow occurred at epoch #1"):
            estimator.fit(X * 1e200, y)
