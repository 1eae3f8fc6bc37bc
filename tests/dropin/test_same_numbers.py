"""Classes of ``vaglio.sklearn`` whose learning is deterministic have scikit-learn's numbers to six digits."""

from __future__ import annotations

import importlib
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris

import vaglio.sklearn as dropin
from vaglio.errors import NotSupportedError

pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::SyntaxWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

TIGHT = {"tol": 1e-9, "max_iter": 5000}
LOGISTIC: list[dict[str, Any]] = [
    {},
    {"max_iter": 7},  # the same steps: also where they end early
    {"class_weight": "balanced", "C": 0.1},
    {"C": 100.0, "solver": "newton-cholesky", **TIGHT},
    {"fit_intercept": False, "solver": "newton-cg", **TIGHT},
    {"solver": "newton-cholesky", **TIGHT},
    {"solver": "sag", "random_state": 0, **TIGHT},
    {"solver": "saga", "l1_ratio": 0.5, "C": 0.1, "random_state": 0, **TIGHT},
]
TWO_CLASSES: list[dict[str, Any]] = [
    {"solver": "liblinear", **TIGHT},
    {"solver": "liblinear", "dual": True, "random_state": 0, "tol": 1e-12, "max_iter": 100_000, "C": 0.01},
    {"solver": "liblinear", "l1_ratio": 1.0, "intercept_scaling": 3.0, "C": 0.1, **TIGHT},
]
SVMS: list[dict[str, Any]] = [
    {"tol": 1e-10},
    {"kernel": "linear", "tol": 1e-7},
    {"kernel": "poly", "degree": 2, "coef0": 1.0, "tol": 1e-10},
    {"kernel": "sigmoid", "gamma": 0.01, "tol": 1e-10},
    {"class_weight": "balanced", "gamma": "auto", "tol": 1e-10},
    {"decision_function_shape": "ovo", "tol": 1e-10},
    {"kernel": lambda a, b: (a @ b.T + 1) ** 2, "tol": 1e-10},
]
PERCEPTRONS: list[dict[str, Any]] = [
    {},
    {"random_state": 3, "eta0": 0.1},
    {"tol": None, "max_iter": 9},
    {"shuffle": False, "class_weight": "balanced"},
    {"penalty": "l2", "alpha": 0.01},
    {"penalty": "elasticnet", "alpha": 0.0},
    {"early_stopping": True},
    {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 2, "random_state": 5, "tol": 0.01},
    {"early_stopping": True, "tol": None, "max_iter": 4, "shuffle": False, "fit_intercept": False},
]
NEIGHBORS: list[dict[str, Any]] = [
    {},
    {"weights": "distance", "p": 1},
    {"p": 3, "algorithm": "ball_tree", "leaf_size": 5},
    {"metric": "cosine", "algorithm": "brute"},
    {"metric": "chebyshev", "algorithm": "kd_tree", "weights": None},
    {"metric": "cityblock", "weights": lambda d: np.exp(-d)},
    {"metric": "canberra", "n_neighbors": 3},
    {"metric": "minkowski", "metric_params": {"w": [1.0, 2.0, 3.0, 4.0]}},
]
BAYES: dict[str, list[dict[str, Any]]] = {
    "MultinomialNB": [
        {},
        {"alpha": 0.1, "fit_prior": False},
        {"class_prior": [0.2, 0.3, 0.5]},
        {"alpha": [1, 2, 3, 4]},
    ],
    "BernoulliNB": [{"binarize": 2.0}, {"binarize": 1.0, "alpha": 0.5}],
    "GaussianNB": [{}, {"priors": [0.2, 0.3, 0.5]}, {"var_smoothing": 1e-2}],
    "CategoricalNB": [{}, {"alpha": 0.2, "fit_prior": False}, {"min_categories": 9}],
}
CASES = [
    *[("linear_model", "LogisticRegression", params) for params in LOGISTIC],
    *[("svm", "SVC", params) for params in SVMS],
    *[("linear_model", "Perceptron", params) for params in PERCEPTRONS],
    *[("neighbors", "KNeighborsClassifier", params) for params in NEIGHBORS],
    *[("neighbors", "KNeighborsRegressor", params) for params in NEIGHBORS],
    *[("naive_bayes", name, params) for name, every in BAYES.items() for params in every],
    ("neural_network", "MLPClassifier", {"max_iter": 15, "random_state": 0}),
]
# Public attributes in which the classes may differ: how many steps another solver took, and the support vectors of
# weight near zero, which one solver finds and another does not.
OTHER_STEPS = {"n_iter_", "support_", "support_vectors_", "n_support_", "dual_coef_", "learner_", "t_"}


def rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    # No two distances are equal: which of two rows at the same distance is the neighbour is anybody's choice.
    X = X + np.random.default_rng(0).uniform(0, 0.05, X.shape)
    if name in ("CategoricalNB", "MultinomialNB"):
        return np.rint(X), y
    # Solvers that stop at a tolerance end near the same minimum only where it is not in a flat valley.
    return ((X - X.mean(axis=0)) / X.std(axis=0), y) if name in ("LogisticRegression", "SVC") else (X, y)


def pair(module: str, name: str, params: dict[str, Any]) -> tuple[Any, Any]:
    theirs, ours = (
        getattr(importlib.import_module(f"{root}.{module}"), name) for root in ("sklearn", "vaglio.sklearn")
    )
    return theirs(**params), ours(**params)


def assert_same(theirs: Any, ours: Any, X: Any, digits: float = 1e-6) -> None:
    for method in ("predict_proba", "decision_function", "predict"):
        if hasattr(theirs, method):
            found, expected = getattr(ours, method)(X), getattr(theirs, method)(X)
            np.testing.assert_allclose(found, expected, rtol=digits, atol=digits, err_msg=method)
    for attribute in sorted(a for a in vars(theirs) if a.endswith("_") and not a.startswith("_")):
        if attribute in OTHER_STEPS:
            assert np.shape(getattr(ours, attribute))[:1] or np.ndim(getattr(theirs, attribute)) == 0
            continue
        found, expected = getattr(ours, attribute), getattr(theirs, attribute)
        if isinstance(expected, (list, tuple)):
            assert len(found) == len(expected)
            for one, other in zip(found, expected):
                np.testing.assert_allclose(one, other, rtol=digits, atol=digits, err_msg=attribute)
        elif isinstance(expected, (str, dict, type(None))):
            assert found == expected, attribute
        else:
            found, expected = (value.toarray() if sp.issparse(value) else value for value in (found, expected))
            np.testing.assert_allclose(found, expected, rtol=digits, atol=digits, err_msg=attribute)


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "params"), CASES, ids=lambda value: None if isinstance(value, str) else "")
def test_the_numbers_are_scikit_learns(module: str, name: str, params: dict[str, Any]) -> None:
    X, y = rows(name)
    theirs, ours = pair(module, name, params)
    assert_same(theirs.fit(X, y), ours.fit(X, y), X)
    again = pickle.loads(pickle.dumps(clone(ours).fit(X, y))) if not any(map(callable, params.values())) else ours
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


@pytest.mark.parametrize("params", TWO_CLASSES)
def test_a_penalised_intercept(params: dict[str, Any]) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs, ours = pair("linear_model", "LogisticRegression", params)
    assert_same(theirs.fit(X, y), ours.fit(X, y), X, digits=3e-5)


def test_an_absolute_penalty_is_solved_to_the_last_digits_that_tol_asks_for() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, sign = (X - X.mean(axis=0)) / X.std(axis=0), 2 * y - 1
    model = pair("linear_model", "LogisticRegression", {"solver": "saga", "l1_ratio": 1.0, "tol": 1e-12})[1].fit(X, y)
    weights = model.coef_[0]
    slope = X.T @ (-sign / (1 + np.exp(sign * model.decision_function(X))))
    # At the minimum the slope is 1 against each coefficient, and at most 1 where it is 0.
    wrong = np.where(weights != 0, np.abs(slope + np.sign(weights)), np.maximum(np.abs(slope) - 1, 0))
    assert 0 < np.count_nonzero(weights) < len(weights)
    assert wrong.max() < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "params"),
    [
        ("linear_model", "LogisticRegression", {}),
        ("linear_model", "Perceptron", {}),
        ("svm", "SVC", {"tol": 1e-10}),
        ("svm", "SVC", {"kernel": "linear", "tol": 1e-6}),
        ("neighbors", "KNeighborsClassifier", {}),
        ("naive_bayes", "MultinomialNB", {}),
        ("naive_bayes", "BernoulliNB", {"binarize": 2.0}),
        ("neural_network", "MLPClassifier", {"max_iter": 5, "random_state": 0}),
    ],
)
def test_sparse_rows_and_weights(module: str, name: str, params: dict[str, Any]) -> None:
    X, y = rows(name)
    X = sp.csr_array(np.where(np.quantile(X, 0.3) < X, X, 0.0))
    theirs, ours = pair(module, name, params)
    options = {} if module == "neighbors" else {"sample_weight": np.random.default_rng(1).uniform(0.5, 2, len(y))}
    assert_same(theirs.fit(X, y, **options), ours.fit(X, y, **options), X)


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor"])
def test_several_targets_of_neighbours(name: str) -> None:
    X, y = rows(name)
    Y = np.column_stack([y, (X[:, 0] > 5.8).astype(int)])
    theirs, ours = pair("neighbors", name, {"weights": "distance"})
    theirs.fit(X, Y), ours.fit(X, Y)
    np.testing.assert_allclose(ours.predict(X[::3] + 0.1), theirs.predict(X[::3] + 0.1))
    if is_classifier(ours):
        for found, expected in zip(ours.predict_proba(X + 0.1), theirs.predict_proba(X + 0.1)):
            np.testing.assert_allclose(found, expected)
    for arguments in ({}, {"mode": "distance", "n_neighbors": 3}):
        np.testing.assert_allclose(
            ours.kneighbors_graph(**arguments).toarray(), theirs.kneighbors_graph(**arguments).toarray()
        )


def test_neighbours_of_sparse_queries_and_without_votes() -> None:
    X, y = rows("KNeighborsClassifier")
    for params in ({"algorithm": "brute"}, {"algorithm": "kd_tree"}, {"weights": np.zeros_like}):
        theirs, ours = (estimator.fit(X, y) for estimator in pair("neighbors", "KNeighborsClassifier", params))
        queries = X[:5] if "weights" in params else sp.csr_array(X[:5])
        if params == {"algorithm": "brute"}:
            np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries))
            continue
        with pytest.raises(ValueError, match=r"does not work with sparse|zero weights"):
            theirs.predict(queries)
        with pytest.raises(ValueError, match=r"does not work with sparse|zero weights"):
            ours.predict(queries)


PARTS = [
    ("linear_model", "Perceptron"),
    *(("naive_bayes", name) for name in BAYES),
    ("neural_network", "MLPClassifier"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name"), PARTS)
def test_learning_in_parts_and_after_a_fit(module: str, name: str) -> None:
    X, y = rows(name)
    theirs, ours = pair(module, name, {"random_state": 0} if name == "MLPClassifier" else {})
    order = np.random.default_rng(0).permutation(len(y))
    for estimator in (theirs, ours):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(X, y).partial_fit(X[order[:40]], y[order[:40]]).partial_fit(X[order[40:]], y[order[40:]])
    assert_same(theirs, ours, X)


@pytest.mark.parametrize("name", ["LogisticRegression", "Perceptron"])
def test_a_warm_start_and_set_coefficients(name: str) -> None:
    X, y = rows(name)
    theirs, ours = pair("linear_model", name, {"warm_start": True, "max_iter": 5, "tol": 1e-4})
    for estimator in (theirs, ours):
        estimator.fit(X, y).fit(X, y)
        estimator.coef_ = estimator.coef_.copy()
        estimator.coef_[0] *= 2.0
        estimator.fit(X, y).sparsify()
    assert sp.issparse(ours.coef_)
    assert_same(theirs, ours, X)
    np.testing.assert_allclose(ours.decision_function(X), X @ ours.coef_.toarray().T + ours.intercept_)


@pytest.mark.slow
@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_perceptron_with_given_starts_and_rows_without_weight(two: bool, early: bool, form: Any) -> None:
    X, y = rows("Perceptron")
    X, y = (X[50:], y[50:]) if two else (X, y)
    random = np.random.default_rng(2)
    weight = np.where(random.random(len(y)) < 0.2, 0.0, random.uniform(0.5, 2, len(y)))
    start = {"coef_init": random.standard_normal((1 if two else 3, 4)), "intercept_init": np.ones(1 if two else 3)}
    before = sum(case.count for case in dropin.fallbacks() if case.name == "linear_model.Perceptron")
    theirs, ours = pair("linear_model", "Perceptron", {"early_stopping": early, "max_iter": 12, "random_state": 1})
    for arguments in (start, {"coef_init": start["coef_init"]}, {"intercept_init": start["intercept_init"]}, {}):
        for estimator in (theirs, ours):
            copied = {name: value.copy() for name, value in arguments.items()}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator.fit(form(X), y, sample_weight=weight, **copied)
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)
        assert ours.n_iter_ == theirs.n_iter_
    assert before == sum(case.count for case in dropin.fallbacks() if case.name == "linear_model.Perceptron")
    for wrong in ({"coef_init": np.zeros((2, 3))}, {"intercept_init": np.zeros(7)}):
        for estimator in (theirs, ours):
            with pytest.raises(ValueError, match="does not match dataset"):
                estimator.fit(X, y, **wrong)


@pytest.mark.slow
def test_what_is_vaglios_is_explained_and_saved_and_what_is_not_says_so(tmp_path: Any) -> None:
    for module, name, params in CASES:
        estimator = pair(module, name, params)[1].fit(*rows(name))
        if estimator.learner_ is None:
            assert any(case.count for case in dropin.fallbacks() if case.name == f"{module}.{name}")
            with pytest.raises(NotSupportedError, match="scikit-learn's own code"):
                estimator.explain(rows(name)[0][:1])
        elif not any(map(callable, params.values())) and name != "KNeighborsRegressor":
            assert len(estimator.explain(rows(name)[0][:1], counterfactual=False)) == 1
            estimator.save(tmp_path / "model")
