"""The same values in another dtype or another library are the same rows, for every estimator, in both directions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import vaglio
from vaglio.errors import DataWarning

from ..estimators import all_estimators, classifiers, name_of, others_nightly
from ..test_tables import output, target_for

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

predictors = [e for e in all_estimators() if hasattr(e, "predict")]

Form = Callable[[pd.Series], Any]
TRUTH: dict[str, Form] = {
    "bool": lambda flags: flags,
    "int": lambda flags: flags.astype(int),
    "float": lambda flags: flags.astype(float),
    "words": lambda flags: flags.astype(str),
    "digits": lambda flags: flags.astype(int).astype(str),
    "decimals": lambda flags: flags.astype(float).astype(str),
    "object": lambda flags: flags.astype(object),
    "mixed objects": lambda flags: pd.Series([bool(v) if i % 2 else int(v) for i, v in enumerate(flags)], dtype=object),
    "nullable": lambda flags: flags.astype("boolean"),
    "category": lambda flags: flags.astype("category"),
    "category of digits": lambda flags: flags.astype(int).astype(str).astype("category"),
}
CODES: dict[str, Form] = {
    "category": lambda codes: codes.astype("category"),
    "float": lambda codes: codes.astype(float),
    "digits": lambda codes: codes.astype(str),
    "decimals": lambda codes: codes.astype(float).astype(str),
    "category of digits": lambda codes: codes.astype(str).astype("category"),
    "int": lambda codes: codes,
}


def truth_table(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Three boolean columns that decide the class."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.random(n) < 0.5 for name in ("hot", "wet", "late")})
    return X, np.where(X["hot"] & ~X["wet"], "stay", np.where(X["late"], "go", "wait"))


def code_table(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"zone": rng.integers(1, 5, n), "ward": rng.integers(10, 13, n)})
    return X, np.where((X["zone"] > 2) ^ (X["ward"] == 11), "a", "b")


def in_form(X: pd.DataFrame, form: Form) -> pd.DataFrame:
    return pd.DataFrame({name: form(X[name]) for name in X})


def in_libraries(X: pd.DataFrame) -> dict[str, Any]:
    """The same rows as other libraries hold them."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    arrow = pyarrow.Table.from_pandas(X, preserve_index=False)
    return {
        "numpy": X.to_numpy(),
        "pandas": X,
        "polars": polars.from_arrow(arrow),
        "pyarrow": arrow,
        "lists": X.to_numpy(dtype=object).tolist(),
        "dicts": X.to_dict("records"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("fitted_as", ["bool", pytest.param("int", marks=pytest.mark.nightly), "digits"])
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_truth_values_are_zero_and_one_in_any_dtype(estimator: Any, fitted_as: str) -> None:
    X, y = truth_table()
    known = in_form(X, TRUTH[fitted_as])
    fitted = clone(estimator).fit(known, target_for(estimator, y))
    expected = output(fitted, known)
    for name, form in TRUTH.items():
        np.testing.assert_array_equal(output(fitted, in_form(X, form)), expected, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("fitted_as", ["category", "digits"])
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_codes_are_the_same_in_any_dtype(estimator: Any, fitted_as: str) -> None:
    X, y = code_table()
    known = in_form(X, CODES[fitted_as])
    fitted = clone(estimator).fit(known, target_for(estimator, y))
    expected = output(fitted, known)
    for name, form in CODES.items():
        np.testing.assert_array_equal(output(fitted, in_form(X, form)), expected, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("made", [truth_table, code_table], ids=["truth", "codes"])
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_same_rows_from_any_library(estimator: Any, made: Any) -> None:
    X, y = made()
    if made is code_table:
        X = in_form(X, CODES["digits"])
    libraries = in_libraries(X)
    y = target_for(estimator, y)
    expected = output(clone(estimator).fit(X, y), X)
    for fitted_as in ("pandas", "lists"):
        fitted = clone(estimator).fit(libraries[fitted_as], y)
        # What has no dtype is numbers, where it can be: 0 and 1, not categories.
        same = expected if fitted_as == "pandas" else output(fitted, libraries["lists"])
        for name, rows in libraries.items():
            np.testing.assert_array_equal(output(fitted, rows), same, err_msg=f"{fitted_as} -> {name}")


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_numbers_and_dates_given_as_words(estimator: Any) -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame(
        {
            "size": rng.integers(1, 9, 40) / 4,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 40), "D"),
        }
    )
    y = target_for(estimator, np.where(X["size"] > 1, "big", np.where(X["day"] > "2024-02-01", "late", "early")))
    fitted = clone(estimator).fit(X, y)
    words = X.assign(size=X["size"].astype(str), day=X["day"].dt.strftime("%Y-%m-%d"))
    for rows in (words, words.astype("category"), X.astype(object), X.to_numpy()):
        np.testing.assert_array_equal(output(fitted, rows), output(fitted, X))
    by_word = clone(estimator).fit(words[["day"]], y)
    np.testing.assert_array_equal(output(by_word, X[["day"]]), output(by_word, words[["day"]]))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_a_column_of_strange_values_is_named(estimator: Any) -> None:
    X, y = truth_table()
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    with pytest.warns(DataWarning, match=r"Most values of column 'wet' .*'maybe'.*training") as caught:
        fitted.predict(X.assign(wet="maybe"))
    assert len([w for w in caught if w.category is DataWarning]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        fitted.predict(in_form(X, TRUTH["digits"]))


@pytest.mark.parametrize("name", ["BernoulliNB", "MultinomialNB"])
def test_a_boolean_column_is_counted_once(name: str) -> None:
    X, y = truth_table()
    learner = getattr(vaglio, name)
    as_numbers = learner().fit(X.astype(float), y)
    for form in (X, X.astype("boolean"), in_form(X, TRUTH["category"]), in_form(X, TRUTH["digits"])):
        np.testing.assert_allclose(learner().fit(form, y).predict_proba(form), as_numbers.predict_proba(X))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(classifiers()), ids=name_of)
def test_classes_are_the_same_in_any_dtype(estimator: Any) -> None:
    X, _ = truth_table()
    y = X["hot"]
    forms = [y, y.to_numpy(), y.astype(int), y.astype(str), y.astype(int).astype(str), y.tolist()]
    for known in forms:
        fitted = clone(estimator).fit(X, known)
        expected = fitted.score(X, known)
        assert expected > 0.7
        for given in (*forms, y.astype(float)):
            assert fitted.score(X, given) == expected
            assert vaglio.evaluate(fitted, X, given).accuracy.value == pytest.approx(expected)
