"""A sparse X is the same rows as the dense one for the classes of ``vaglio.sklearn``, and vaglio learns from it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.base import clone, is_classifier

import vaglio.sklearn as dropin
from vaglio.sklearn import ensemble, linear_model, naive_bayes, neighbors, neural_network, svm, tree

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ESTIMATORS: list[Any] = [
    tree.DecisionTreeClassifier(),
    tree.DecisionTreeRegressor(criterion="absolute_error"),
    tree.ExtraTreeClassifier(),
    tree.ExtraTreeRegressor(),
    ensemble.RandomForestClassifier(4, oob_score=False),
    ensemble.RandomForestRegressor(4),
    ensemble.ExtraTreesClassifier(4),
    ensemble.ExtraTreesRegressor(4),
    ensemble.BaggingClassifier(n_estimators=4),
    ensemble.BaggingRegressor(n_estimators=4),
    ensemble.AdaBoostClassifier(n_estimators=4),
    neighbors.KNeighborsClassifier(4),
    neighbors.KNeighborsClassifier(4, metric="cosine", weights="distance"),
    neighbors.KNeighborsRegressor(4, p=1),
    neural_network.MLPClassifier((5,), max_iter=5),
    svm.SVC(),
    svm.SVC(kernel="linear"),
    svm.SVC(kernel="poly", degree=2),
    svm.SVC(kernel="sigmoid"),
    linear_model.LogisticRegression(),
    naive_bayes.MultinomialNB(),
    naive_bayes.BernoulliNB(),
]


def _rows() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.poisson(0.7, (60, 4)) * random.normal(1, 0.1, (60, 4))
    return X, X[:, 0] + X[:, 1] + 0.3 * random.normal(size=60)


def _answers(model: Any, X: Any) -> np.ndarray:
    for name in ("predict_proba", "decision_function"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(X))
    return np.asarray(model.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array])
def test_it_learns_and_predicts_the_same(estimator: Any, make: Any) -> None:
    X, numbers = _rows()
    y = (numbers > np.median(numbers)).astype(int) if is_classifier(estimator) else numbers
    if "random_state" in estimator.get_params():
        estimator = clone(estimator).set_params(random_state=0)
    left = {(entry.name, entry.case): entry.count for entry in dropin.fallbacks() if entry.case != "training"}
    dense, sparse = (clone(estimator).fit(given, y) for given in (X, make(X)))
    np.testing.assert_allclose(_answers(sparse, make(X)), _answers(dense, X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(_answers(sparse, X), _answers(dense, X), rtol=1e-6, atol=1e-7)
    now = {(entry.name, entry.case): entry.count for entry in dropin.fallbacks() if entry.case != "training"}
    assert now == left


def test_neighbours_of_sparse_rows_are_scikit_learns() -> None:
    from sklearn.neighbors import KNeighborsClassifier as Theirs

    X, numbers = _rows()
    y, rows = numbers > np.median(numbers), sp.csr_array(X)
    for params in ({}, {"metric": "cosine"}, {"p": 1}, {"algorithm": "kd_tree"}):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            ours, theirs = (cls(3, **params).fit(rows, y) for cls in (neighbors.KNeighborsClassifier, Theirs))
        assert len({str(warning.message) for warning in seen}) == len(seen) // 2
        np.testing.assert_allclose(ours.kneighbors(rows)[0], theirs.kneighbors(rows)[0], atol=1e-7)
        assert ours.learner_ is not None
    with pytest.raises(ValueError, match="not valid for sparse input"):
        neighbors.KNeighborsClassifier(p=3).fit(rows, y)
