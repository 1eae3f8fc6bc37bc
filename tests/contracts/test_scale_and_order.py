"""What must not change a model: units of columns, constant columns, the order of columns and rows, and names."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_wine
from tests.contracts.estimators import all_estimators, mostly_slow, name_of, others_nightly, regressors
from tests.contracts.test_tables import output

import vaglio
from vaglio.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
CHANGES = ("columns", "rows", "categories", "classes", "constant")


def documented() -> dict[str, set[str]]:
    """Return what may change the predictions of an estimator, by the table of the documentation."""
    section = PAGE.read_text(encoding="utf-8").split("## The same table, written differently")[1].split("\n## ")[0]
    lines = re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \|$", section, re.M)
    return {name: set(what.split(", ")) for names, what, _ in lines for name in re.findall(r"`(\w+)`", names)}


MATTERS = documented()
# Learners that take numbers as they are: counts.
UNSCALED = {"MultinomialNB"}
predictors = [e for e in all_estimators() if hasattr(e, "predict")]
further = [
    *(vaglio.NaiveBayesClassifier(likelihood) for likelihood in ("mdl", "kde", "gaussian", "lognormal")),
    *(vaglio.GaussianMAPClassifier(covariance) for covariance in ("tied", "shrunk", "diagonal")),
    vaglio.SVC(kernel="linear"),
]


def wine(estimator: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order][:, [0, 1, 2, 3, 9]], y[order]
    return X[:100], y[:100] if is_classifier(estimator) else y[:100].astype(float), X[100:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator", others_nightly([e for e in predictors if name_of(e) not in UNSCALED]) + further, ids=name_of
)
@pytest.mark.parametrize(
    "powers", [(-300, 20, 900), pytest.param((-900, -20, 300), marks=pytest.mark.nightly)], ids=["three", "three more"]
)
def test_a_power_of_two_in_a_column_changes_no_prediction(estimator: Any, powers: tuple[int, ...]) -> None:
    X, y, new = wine(estimator)
    expected = output(clone(estimator).fit(X, y), new)
    for power in powers:
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


@pytest.mark.parametrize("estimator", mostly_slow(regressors()), ids=name_of)
def test_the_unit_of_the_numbers_to_predict_changes_nothing_but_the_unit(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.integers(0, 5, 120), "c": rng.choice(list("xyz"), 120)})
    y = (3 * X["a"] + X["b"] + 2 * (X["c"] == "x") + rng.normal(size=120)).to_numpy()
    small = {"n_estimators": 5, "max_rounds": 20} | ({"max_iter": 20} if hasattr(estimator, "learning_rate") else {})
    estimator.set_params(**{name: value for name, value in small.items() if name in estimator.get_params()})
    expected = clone(estimator).fit(X, y).predict(X)
    for unit in (2.0**40, 2.0**-40):
        np.testing.assert_allclose(clone(estimator).fit(X, y * unit).predict(X) / unit, expected, rtol=1e-9, atol=1e-9)
    # Another decimal unit rounds the targets, and may decide a tie of bootstrapped rows otherwise.
    for unit in (1e12, 1e-12):
        found = clone(estimator).fit(X, y * unit).predict(X) / unit
        assert np.median(np.abs(found - expected)) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [e for e in predictors if "constant" not in MATTERS.get(type(e).__name__, ())] + further,
    ids=name_of,
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


TURNED = ["e", "c", "d", "b", "a"]
SPELLED = {"d": {"x": "zz", "y": "k", "z": "bb", "w": "aa"}, "e": {"p": "q2", "q": "a1"}}
NAMED = {"one": "zeta", "two": "alpha", "three": "mid"}


def changed_by(estimator: Any, seed: int) -> set[str]:
    """Return which ways of writing the same table change a prediction for its last 50 rows."""
    X, labels = mixed(seed)
    numbers = not is_classifier(estimator)
    y = np.array([list(NAMED).index(label) * 1.5 for label in labels]) if numbers else labels

    def predicted(rows: pd.DataFrame, target: np.ndarray) -> np.ndarray:
        found: np.ndarray = clone(estimator).fit(rows[:100], target[:100]).predict(rows[100:])
        return found

    expected = predicted(X, y)
    order = np.r_[np.random.default_rng(9).permutation(100), 100:150]
    shuffled = X.iloc[order].reset_index(drop=True)
    spelled = X.assign(**{name: X[name].map(words) for name, words in SPELLED.items()})
    found = {
        "columns": predicted(X[TURNED], y),
        "names": predicted(X.set_axis(list("zyxwv"), axis=1), y),
        "rows": predicted(shuffled, y[order]),
        "categories": predicted(spelled, y),
    }
    if not numbers:
        back = {new: old for old, new in NAMED.items()}
        renamed = predicted(X, np.array([NAMED[label] for label in y]))
        found["classes"] = np.array([back[label] for label in renamed])
    same = partial(np.allclose, rtol=1e-9, atol=1e-9) if numbers else np.array_equal
    return {name for name, prediction in found.items() if not same(prediction, expected)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator", others_nightly(e for e in predictors if name_of(e) != "MultinomialNB"), ids=name_of
)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_no_order_and_no_name_changes_a_prediction_but_as_documented(estimator: Any, seed: int) -> None:
    assert changed_by(estimator, seed) <= MATTERS.get(type(estimator).__name__, set())


def test_the_table_of_what_matters_names_estimators_and_changes() -> None:
    assert set(MATTERS) <= {type(e).__name__ for e in predictors}
    assert set().union(*MATTERS.values()) == set(CHANGES)
