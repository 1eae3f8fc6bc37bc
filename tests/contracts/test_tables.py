"""Every public classifier and regressor meets the tables of real life: mixed, missing, unseen, tiny."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import vaglio
from vaglio.errors import InputError

from .estimators import all_estimators, classifiers, name_of, others_nightly, regressors

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

# Learners that only take numbers as they are, each with its reason.
NUMBERS_ONLY: dict[str, str] = {}

predictors = [e for e in all_estimators() if hasattr(e, "predict")]
on_mixed = [e for e in predictors if type(e).__name__ not in NUMBERS_ONLY]


def mixed_table(n: int = 60, seed: int = 0, holes: float = 0.1) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numeric columns, two nominal ones, holes, and three classes that depend on them."""
    rng = np.random.default_rng(seed)
    size = rng.normal(10, 3, n)
    colour = rng.choice(["red", "green", "blue"], n)
    y = np.where(size > 11, "big", np.where(colour == "red", "red one", "other"))
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < holes, np.nan, size),
            "count": rng.integers(0, 5, n),
            "colour": pd.Series(colour).where(rng.random(n) >= holes),
            "flag": rng.random(n) < 0.5,
        }
    )
    return frame, y


def target_for(estimator: Any, y: np.ndarray) -> np.ndarray:
    return y if is_classifier(estimator) else np.unique(y, return_inverse=True)[1].astype(float)


def output(estimator: Any, X: Any, like: Any = None) -> np.ndarray:
    """Return the finest output the estimator (or the one it is like) has."""
    for method in ("predict_proba", "decision_function"):
        if hasattr(like or estimator, method):
            return getattr(estimator, method)(X)
    return estimator.predict(X)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", on_mixed, ids=name_of)
def test_mixed_columns_with_holes(estimator: Any) -> None:
    X, y = mixed_table()
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    assert len(fitted.predict(X)) == len(X)
    assert np.isfinite(output(fitted, X)).all()
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(on_mixed), ids=name_of)
def test_same_from_pandas_polars_arrow_and_table(estimator: Any) -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X, y = mixed_table()
    y = target_for(estimator, y)
    expected = output(clone(estimator).fit(X, y), X)
    arrow = pyarrow.Table.from_pandas(X, preserve_index=False)
    for other in (polars.from_arrow(arrow), arrow, vaglio.Table.from_any(X)):
        np.testing.assert_array_equal(output(clone(estimator).fit(other, y), other), expected)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", on_mixed, ids=name_of)
def test_unseen_category_counts_as_missing(estimator: Any) -> None:
    X, y = mixed_table()
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    strange, holed = X.head(5).copy(), X.head(5).copy()
    strange["colour"] = "never seen"
    holed["colour"] = None
    np.testing.assert_array_equal(output(fitted, strange), output(fitted, holed))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", on_mixed, ids=name_of)
def test_all_missing_and_constant_columns(estimator: Any) -> None:
    X, y = mixed_table()
    X["nothing"] = np.nan
    X["always"] = 1.0
    X["word"] = "same"
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    assert np.isfinite(output(fitted, X)).all()


@pytest.mark.parametrize("estimator", classifiers(), ids=name_of)
def test_one_class(estimator: Any) -> None:
    X = np.arange(12.0).reshape(6, 2)
    y = ["only"] * 6
    if type(estimator)._min_classes > 1:
        with pytest.raises(InputError, match="one"):
            clone(estimator).fit(X, y)
    else:
        assert set(clone(estimator).fit(X, y).predict(X)) == {"only"}


@pytest.mark.parametrize("estimator", predictors, ids=name_of)
def test_one_row(estimator: Any) -> None:
    """A single row gives a defined result, or one clear sentence."""
    X, y = np.array([[1.0, 2.0]]), ["a"] if is_classifier(estimator) else [1.0]
    try:
        fitted = clone(estimator).fit(X, y)
    except ValueError as error:
        assert "\n" not in str(error)
        assert len(str(error)) > 20
    else:
        assert fitted.predict(X)[0] == y[0]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [e for e in predictors if "n_jobs" in e.get_params()], ids=name_of)
def test_same_result_for_any_n_jobs(estimator: Any) -> None:
    X, y = mixed_table(120)
    if type(estimator).__name__ in NUMBERS_ONLY:
        X = X[["count"]].astype(float)
    y = target_for(estimator, y)
    seed = {"random_state": 0} if "random_state" in estimator.get_params() else {}
    outputs = [output(clone(estimator).set_params(n_jobs=jobs, **seed).fit(X, y), X) for jobs in (1, 2, 7)]
    for other in outputs[1:]:
        np.testing.assert_array_equal(other, outputs[0])


@pytest.mark.slow
@pytest.mark.parametrize("estimator", predictors, ids=name_of)
def test_saved_and_loaded_gives_the_same_bytes(estimator: Any, tmp_path: Any) -> None:
    X, y = mixed_table()
    if type(estimator).__name__ in NUMBERS_ONLY:
        X = X[["count"]].astype(float)
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    path = tmp_path / "model.vaglio"
    fitted.save(path)
    loaded = vaglio.load(path)
    np.testing.assert_array_equal(output(loaded, X, like=fitted), output(fitted, X))
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    loaded.save(tmp_path / "again.vaglio")
    assert (tmp_path / "again.vaglio").read_bytes() == path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("estimator", predictors, ids=name_of)
def test_pickled_gives_the_same(estimator: Any) -> None:
    X, y = mixed_table()
    if type(estimator).__name__ in NUMBERS_ONLY:
        X = X[["count"]].astype(float)
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    np.testing.assert_array_equal(output(pickle.loads(pickle.dumps(fitted)), X), output(fitted, X))


@pytest.mark.parametrize("estimator", predictors, ids=name_of)
def test_infinite_number_is_refused_by_name(estimator: Any) -> None:
    X, y = mixed_table()
    if type(estimator).__name__ in NUMBERS_ONLY:
        X = X[["count"]].astype(float)
    X = X.astype({"count": float})
    X.loc[3, "count"] = np.inf
    with pytest.raises(ValueError, match="count"):
        clone(estimator).fit(X, target_for(estimator, y))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", regressors(), ids=name_of)
def test_a_word_among_the_numbers_to_predict_is_named(estimator: Any) -> None:
    X, _ = mixed_table()
    y = np.arange(len(X)).astype(object)
    fitted = clone(estimator).fit(X, y.astype(str))
    np.testing.assert_array_equal(fitted.predict(X), clone(estimator).fit(X, y.astype(float)).predict(X))
    y[4] = "many"
    with pytest.raises(InputError, match=r"'many' in row 5.*classifier"):
        clone(estimator).fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", on_mixed, ids=name_of)
def test_explains_every_row(estimator: Any) -> None:
    X, y = mixed_table(30)
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    explanations = fitted.explain(X.head(4))
    assert len(explanations) == 4
    for explanation, label in zip(explanations, fitted.predict(X.head(4))):
        assert explanation.decision == label or not is_classifier(estimator)
        assert str(label) in explanation.to_text() or not is_classifier(estimator)
        assert explanation.to_dict()["decision"] is not None


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [*classifiers(), *regressors()], ids=name_of)
def test_model_says_its_size(estimator: Any) -> None:
    X, y = mixed_table(30)
    if type(estimator).__name__ in NUMBERS_ONLY:
        X = X[["count"]].astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        size = clone(estimator).fit(X, target_for(estimator, y)).fitted_.model.size()
    assert size
    assert all(isinstance(value, int) and value >= 0 for value in size.values())
