"""Arrays that are plainly sound take a short way: the answers are those of scikit-learn's own methods."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from vaglio.sklearn._checks import class_codes

MODELS = {
    "linear_model.LogisticRegression": {},
    "linear_model.Perceptron": {"random_state": 0},
    "naive_bayes.BernoulliNB": {"binarize": 2.0},
    "naive_bayes.CategoricalNB": {},
    "naive_bayes.GaussianNB": {},
    "naive_bayes.MultinomialNB": {},
    "neighbors.KNeighborsClassifier": {},
    "neighbors.KNeighborsRegressor": {},
    "svm.SVC": {},
    "tree.DecisionTreeClassifier": {"random_state": 0},
    "tree.DecisionTreeRegressor": {"random_state": 0},
    "tree.ExtraTreeClassifier": {"random_state": 0},
    "tree.ExtraTreeRegressor": {"random_state": 0},
    "ensemble.RandomForestClassifier": {"random_state": 0, "n_estimators": 7},
    "ensemble.RandomForestRegressor": {"random_state": 0, "n_estimators": 7},
    "ensemble.ExtraTreesClassifier": {"random_state": 0, "n_estimators": 7},
    "ensemble.BaggingClassifier": {"random_state": 0},
    "ensemble.AdaBoostClassifier": {"random_state": 0, "n_estimators": 5},
}
METHODS = ("predict", "predict_proba", "decision_function")


def made(name: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return an estimator, rows of whole numbers (so that every learner takes them) and classes."""
    module, _, cls = name.partition(".")
    X, y = load_iris(return_X_y=True)
    X = np.unique(np.floor(X), return_inverse=True)[1].reshape(X.shape).astype(np.float64)
    return getattr(importlib.import_module(f"vaglio.sklearn.{module}"), cls)(**MODELS[name]), X, y


@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_the_long_way(name: str) -> None:
    model, X, y = made(name)
    model.fit(X, y)
    for method in METHODS:
        if hasattr(model, method):
            for rows in (X, X[:1], X[3:10]):
                short, long = getattr(model, method)(rows), getattr(model, method)(rows.tolist())
                np.testing.assert_array_equal(short, long)
                assert short.dtype == long.dtype


@pytest.mark.parametrize("name", MODELS)
def test_what_is_learned_is_what_the_long_way_learns(name: str) -> None:
    model, X, y = made(name)
    short = model.fit(X, y).predict(X)
    again, _, _ = made(name)
    np.testing.assert_array_equal(again.fit(X.tolist(), y.tolist()).predict(X), short)
    assert again.n_features_in_ == model.n_features_in_


def test_whole_numbers_as_categories_take_the_short_way() -> None:
    model, X, y = made("naive_bayes.CategoricalNB")
    whole, again = X.astype(np.int64), made("naive_bayes.CategoricalNB")[0]
    short = model.fit(whole, y).predict_proba(whole)
    np.testing.assert_array_equal(short, again.fit(X.tolist(), y).predict_proba(X.tolist()))
    with pytest.raises(ValueError, match="Negative"):
        model.predict(whole - 9)
    with pytest.raises(ValueError, match="features"):
        model.predict(whole[:, :2])
    with pytest.raises(ValueError, match="Negative"):
        model.fit(whole - 1, y)


@pytest.mark.parametrize("name", MODELS)
def test_what_is_wrong_is_still_refused(name: str) -> None:
    model, X, y = made(name)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(ValueError, match=r"inconsistent|does not match"):
        model.fit(X, y[:-1])
    model.fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"[Ii]nf"):
        model.predict(np.where(np.equal(X, X[0]), np.inf, X))
    with pytest.raises(ValueError, match=r"sample|empty"):
        model.predict(X[:0])
    with pytest.raises(ValueError, match=r"1D|1-dim|2D|dim"):
        model.predict(X[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_names_of_columns_are_still_compared(name: str) -> None:
    model, X, y = made(name)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model.fit(frame, y)
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(X), model.predict(frame))
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("name", ["tree.DecisionTreeClassifier", "ensemble.RandomForestRegressor"])
def test_numbers_too_large_for_single_precision_are_refused(name: str) -> None:
    model, X, y = made(name)
    with pytest.raises(ValueError, match="too large"):
        model.fit(X * 1e300, y)
    with pytest.raises(ValueError, match="too large"):
        model.fit(X, y).predict(X * 1e300)


@pytest.mark.slow
@given(
    arrays.arrays(
        st.sampled_from([np.int64, np.uint8, np.bool_, np.float64, np.float32]),
        st.integers(1, 30),
        elements={"min_value": 0, "max_value": 3},
    ).map(lambda y: np.round(y) if y.dtype.kind == "f" else y)
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_codes_of_classes_are_those_of_sorting(y: np.ndarray) -> None:
    classes, codes = class_codes(y)
    expected, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, places)
    assert classes.dtype == y.dtype


@pytest.mark.parametrize("y", [[0.5] * 6, [0.0, np.nan] * 3, [1e300, 0.25] * 3])
def test_numbers_that_are_no_classes_are_refused(y: list[float]) -> None:
    with pytest.raises(ValueError, match=r"label type|NaN"):
        class_codes(np.array(y))


def test_parameters_out_of_range_are_refused_in_scikit_learns_words() -> None:
    model, X, y = made("svm.SVC")
    with pytest.raises(ValueError, match="The 'C' parameter of SVC must be"):
        model.set_params(C=-1.0).fit(X, y)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(wrong: float) -> None:
    model, X, y = made("tree.DecisionTreeRegressor")
    weight = np.ones(len(y))
    whole = model.fit(X, y, weight).predict(X)
    np.testing.assert_array_equal(model.fit(X, y, weight.tolist()).predict(X), whole)
    weight[3] = wrong
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.fit(X, y, weight)
    with pytest.raises(ValueError, match=r"sample_weight\.shape"):
        model.fit(X, y, np.ones(len(y) - 1))


# scikit-learn's own CategoricalNB counts the columns by it.
@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"naive_bayes.CategoricalNB"}))
def test_a_model_that_does_not_know_its_columns_answers_as_scikit_learns(name):
    """scikit-learn does not ask how many columns there are where nobody noted it."""
    model, X, y = made(name)
    expected = model.fit(X, y).predict(X)
    del model.n_features_in_
    np.testing.assert_array_equal(model.predict(X), expected)
