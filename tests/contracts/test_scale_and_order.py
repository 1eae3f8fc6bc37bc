"""What must not change a model: units of columns, constant columns, the order of columns and rows, and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_wine
from tests.contracts.estimators import all_estimators, name_of
from tests.contracts.test_tables import output

import vaglio
from vaglio.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

_DRAWS = "draws by the position of columns"
_COUNTS = "smooths the counts of every column"
# Learners that a constant column changes, each with its reason.
CONSTANT_MATTERS = {
    "BernoulliNB": _COUNTS,
    "MultinomialNB": _COUNTS,
    "ExplainableBoostingClassifier": _DRAWS,
    "ExplainableBoostingRegressor": _DRAWS,
    "MLPClassifier": _DRAWS,
    "RandomForestClassifier": _DRAWS,
    "RandomForestRegressor": _DRAWS,
}
# Learners that take numbers as they are: counts.
UNSCALED = {"MultinomialNB"}
predictors = [e for e in all_estimators() if hasattr(e, "predict")]
further = [
    *(vaglio.NaiveBayesClassifier(likelihood) for likelihood in ("mdl", "kde", "gaussian", "lognormal")),
    *(vaglio.GaussianMAPClassifier(covariance) for covariance in ("tied", "shrunk", "diagonal")),
    vaglio.SVC(kernel="linear"),
]
# Learners of which no order and no name decides anything.
ORDERLESS = [
    vaglio.BayesianNetworkClassifier(),
    vaglio.GaussianMAPClassifier(),
    vaglio.LogisticRegression(),
    vaglio.NaiveBayesClassifier(),
]


def wine(estimator: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order][:, [0, 1, 2, 3, 9]], y[order]
    return X[:100], y[:100] if is_classifier(estimator) else y[:100].astype(float), X[100:]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [e for e in predictors if name_of(e) not in UNSCALED] + further, ids=name_of)
def test_a_power_of_two_in_a_column_changes_no_prediction(estimator: Any) -> None:
    X, y, new = wine(estimator)
    expected = output(clone(estimator).fit(X, y), new)
    for power in (-900, -300, -20, 20, 300, 900):
        for column in (1, slice(None)):
            train, test = X.copy(), new.copy()
            train[:, column], test[:, column] = np.ldexp(X[:, column], power), np.ldexp(new[:, column], power)
            try:
                found = output(clone(estimator).fit(train, y), test)
            except InputError as error:
                assert "whose squares are beyond" in str(error)
                assert abs(power) > 450
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator", [e for e in predictors if name_of(e) not in CONSTANT_MATTERS] + further, ids=name_of
)
def test_a_constant_column_changes_nothing(estimator: Any) -> None:
    X, y, new = wine(estimator)
    expected = output(clone(estimator).fit(X, y), new)
    for place in (0, 5):
        train, test = (np.insert(rows, place, 7.1, axis=1) for rows in (X, new))
        np.testing.assert_allclose(output(clone(estimator).fit(train, y), test), expected, rtol=1e-9, atol=1e-9)


def mixed(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 150)
    X = pd.DataFrame(
        {
            "a": rng.normal(y, 1.0),
            "b": rng.normal(-y * 0.7, 1.0) ** 3,
            "c": rng.normal(0, 1, 150).round(2),
            "d": np.array(["x", "y", "z", "w"])[np.clip(y + rng.integers(0, 2, 150), 0, 3)],
            "e": np.array(["p", "q"])[rng.integers(0, 2, 150)],
        }
    )
    X.loc[rng.random(150) < 0.05, "a"] = np.nan
    X.loc[rng.random(150) < 0.05, "d"] = None
    return X, np.array(["one", "two", "three"])[y]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ORDERLESS, ids=name_of)
@pytest.mark.parametrize("seed", range(3))
def test_no_order_and_no_name_changes_a_prediction(estimator: Any, seed: int) -> None:
    X, y = mixed(seed)
    order = np.random.default_rng(9).permutation(100)
    expected = clone(estimator).fit(X[:100], y[:100]).predict(X[100:])

    def found(rows: pd.DataFrame, labels: np.ndarray, new: pd.DataFrame) -> np.ndarray:
        return clone(estimator).fit(rows, labels).predict(new)

    turned = X[["e", "c", "d", "b", "a"]]
    np.testing.assert_array_equal(found(turned[:100], y[:100], turned[100:]), expected)
    np.testing.assert_array_equal(found(X.iloc[order].reset_index(drop=True), y[order], X[100:]), expected)
    spelled = X.assign(d=X["d"].map({"x": "zz", "y": "k", "z": "bb", "w": "aa"}), e=X["e"].map({"p": "q2", "q": "a1"}))
    np.testing.assert_array_equal(found(spelled[:100], y[:100], spelled[100:]), expected)
    names = {"one": "zeta", "two": "alpha", "three": "mid"}
    renamed = found(X[:100], np.array([names[label] for label in y[:100]]), X[100:])
    np.testing.assert_array_equal(renamed, [names[label] for label in expected])
