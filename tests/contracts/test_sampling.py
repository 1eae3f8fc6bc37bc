"""Learners that can draw new rows draw rows like those they were trained on, before and after the model is saved."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.contracts.estimators import all_estimators, classifiers, name_of

import vaglio
from vaglio.errors import NotSupportedError

ROWS = 1500
DRAWN = 6000
# Learners that keep counts alone: of a number they know how often it occurs, not how large it is.
COUNTS = ("BernoulliNB", "MultinomialNB")
DENSITIES = ("GaussianMAPClassifier", "GaussianMixtureClassifier")


def generative() -> list:
    variants = [vaglio.NaiveBayesClassifier(kind) for kind in ("mdl", "gaussian", "kde")]
    return [*(estimator for estimator in all_estimators() if hasattr(estimator, "sample")), *variants]


def has_density(estimator) -> bool:
    """Whether numbers have a normal density: mean and deviation are those of the rows, the shape is normal."""
    return type(estimator).__name__ in DENSITIES or getattr(estimator, "likelihood", "") == "gaussian"


def mixed_table() -> tuple[pd.DataFrame, np.ndarray]:
    """One column of every kind, the class showing in each of them."""
    rng = np.random.default_rng(0)
    y = rng.choice(["few", "many"], ROWS, p=[0.3, 0.7])
    many = y == "many"
    start = np.datetime64("2024-01-01")
    X = pd.DataFrame(
        {
            "skewed": rng.exponential(np.where(many, 3.0, 1.0)),
            "normal": rng.normal(np.where(many, 1.0, -1.0)),
            "whole": rng.poisson(np.where(many, 60, 30)),
            "small": rng.poisson(np.where(many, 2, 1)),
            "word": np.where(rng.random(ROWS) < np.where(many, 0.7, 0.2), "x", rng.choice(["y", "z"], ROWS)),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], ROWS), categories=["low", "mid", "high"], ordered=True
            ),
            "flag": rng.random(ROWS) < np.where(many, 0.8, 0.4),
            "day": start + rng.integers(0, 300, ROWS).astype("timedelta64[D]"),
        }
    )
    X.loc[rng.random(ROWS) < 0.2, "normal"] = np.nan
    X.loc[rng.random(ROWS) < 0.2, "word"] = None
    return X, y


def learn(estimator, X: pd.DataFrame, y: np.ndarray):
    if type(estimator).__name__ == "JointBayesClassifier":
        estimator.set_params(max_cells=10**9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y)


def numeric_part(X: pd.DataFrame) -> pd.DataFrame:
    return X.select_dtypes("number")


def table_for(estimator) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = mixed_table()
    if type(estimator).__name__ in COUNTS:  # counts only: no negative numbers, and no dates
        X = X[["small", "word", "flag"]]
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize("estimator", generative(), ids=name_of)
def test_shares_of_categories_are_those_of_the_class(estimator) -> None:
    X, y = table_for(estimator)
    model = learn(estimator, X, y)
    for label in model.classes_:
        drawn = model.sample(DRAWN, label=label, random_state=1)
        for name in X.columns.intersection(["word", "grade", "flag"]):
            true = X[name][y == label].value_counts(normalize=True)
            found = drawn[name].value_counts(normalize=True).reindex(true.index, fill_value=0.0)
            np.testing.assert_allclose(found, true, atol=0.03, err_msg=name)
            assert drawn[name].dtype == X[name].dtype


@pytest.mark.slow
@pytest.mark.parametrize("estimator", generative(), ids=name_of)
def test_numbers_have_mean_deviation_and_quantiles_of_the_class(estimator) -> None:
    X, y = table_for(estimator)
    model = learn(estimator, X, y)
    name_of_class = type(estimator).__name__
    for label in model.classes_:
        drawn = numeric_part(model.sample(DRAWN, label=label, random_state=1))
        for name, values in numeric_part(X)[y == label].items():
            found = drawn[name].to_numpy(dtype=float)
            true = values.dropna().to_numpy(dtype=float)
            if name_of_class == "BernoulliNB":
                assert found.mean() == pytest.approx((true > 0).mean(), abs=0.03)
                continue
            error = 5 * true.std() * np.sqrt(1 / len(true) + 1 / DRAWN)
            assert found.mean() == pytest.approx(true.mean(), abs=error), name
            if name_of_class in COUNTS:
                continue
            # A density is cut at the ends of the training range, which takes a little of its deviation.
            loss = 0.2 if has_density(estimator) else 0.06
            assert found.std() == pytest.approx(true.std(), rel=loss), name
            if not has_density(estimator):
                # The joint table has only rows without a missing value, so a smaller sample of the class.
                assert stats.ks_2samp(found, true).statistic < 0.08, name


@pytest.mark.slow
@pytest.mark.parametrize("estimator", generative(), ids=name_of)
def test_whole_numbers_and_dates_stay_what_they_are_within_the_range(estimator, tmp_path) -> None:
    X, y = table_for(estimator)
    model = learn(estimator, X, y)
    model.save(tmp_path / "model")
    for drawn in (model.sample(2000, random_state=3), vaglio.load(tmp_path / "model").sample(2000, random_state=3)):
        for name in X.columns.intersection(["whole", "small"]):
            assert drawn[name].dtype.kind == "i", name
        for name in X.columns.intersection(["skewed", "normal", "whole", "day"]):
            assert drawn[name].min() >= X[name].min(), name
            assert drawn[name].max() <= X[name].max(), name
        if "day" in X:
            assert drawn["day"].dtype.kind == "M"
            assert (drawn["day"] == drawn["day"].dt.normalize()).all()
        assert not drawn.isna().any().any(), "missing values are not drawn"


@pytest.mark.slow
@pytest.mark.parametrize("estimator", generative(), ids=name_of)
def test_a_loaded_model_draws_the_same_rows(estimator, tmp_path) -> None:
    X, y = table_for(estimator)
    model = learn(estimator, X, y)
    model.save(tmp_path / "model")
    again = vaglio.load(tmp_path / "model")
    for label in (None, "many"):
        here, there = (m.sample(50, label=label, random_state=2) for m in (model, again))
        pd.testing.assert_frame_equal(here, there, check_dtype=False, check_categorical=False)


@pytest.mark.parametrize("estimator", generative(), ids=name_of)
def test_a_class_or_column_without_values_still_draws(estimator) -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 3, "b": [None, None, "x", "y"] * 3, "c": [np.nan] * 12})
    model = learn(estimator, X, np.array(["p", "p", "q", "q"] * 3))
    drawn = model.sample(40, label="p", random_state=0)
    assert list(drawn.columns) == ["a", "b", "c"]
    assert set(drawn["b"].dropna()) <= {"x", "y"}


@pytest.mark.parametrize(
    "estimator", [e for e in classifiers() if not hasattr(e, "sample")], ids=lambda e: type(e).__name__
)
def test_the_others_say_that_they_cannot(estimator) -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    model = learn(estimator, X.to_frame(), np.asarray(y))
    with pytest.raises(NotSupportedError, match="cannot draw new"):
        model.fitted_.sample(1)
