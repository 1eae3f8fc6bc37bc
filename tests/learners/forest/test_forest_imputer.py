"""The imputer: better than means, and it says how it went."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import vaglio
from vaglio import ForestImputer
from vaglio.errors import DataWarning, InputError, NotSupportedError


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_better_than_means(load):
    X, y = load(return_X_y=True)
    removed = np.random.default_rng(0).random(X.shape) < 0.15
    holes = np.where(removed, np.nan, X)
    filled = ForestImputer(60, random_state=0).fit_transform(holes, y)
    np.testing.assert_array_equal(filled[~removed], X[~removed])
    means = np.where(removed, np.nanmean(holes, axis=0), X)

    def error(guess):
        return np.sqrt((((guess - X) / X.std(axis=0))[removed] ** 2).mean())

    assert error(filled) < 0.85 * error(means)


def test_categories_are_filled_by_the_mode_of_similar_rows():
    random = np.random.default_rng(0)
    y = random.choice(["a", "b"], 300)
    X = pd.DataFrame({"colour": np.where(y == "a", "red", "blue"), "size": np.where(y == "a", 1.0, 5.0)})
    X["size"] += 0.1 * random.standard_normal(300)
    truth = X["colour"].copy()
    removed = random.random(300) < 0.2
    X.loc[removed, "colour"] = None
    filled = ForestImputer(30, random_state=0).fit_transform(X, y)
    assert list(filled.columns) == ["colour", "size"]
    assert (filled["colour"].astype(str)[removed] == truth[removed]).mean() > 0.98


def test_it_says_how_it_went():
    X, y = load_iris(return_X_y=True)
    X[::7, 1] = np.nan
    imputer = ForestImputer(40, random_state=0).fit(X, y)
    assert imputer.converged_
    assert imputer.n_iter_ == len(imputer.history_) <= 10
    assert imputer.history_[-1] <= 0.005 < imputer.history_[0]
    bounded = ForestImputer(5, max_iter=1, tol=0, random_state=0).fit(X, y)
    assert bounded.n_iter_ == 1
    assert not bounded.converged_


def test_numbers_as_target_and_new_rows():
    random = np.random.default_rng(0)
    X = random.random((200, 3))
    y = X[:, 0] * 3 + random.random(200) * 0.01
    X[:, 1] = X[:, 0]
    imputer = ForestImputer(40, random_state=0).fit(X, y)
    new = np.array([[0.9, np.nan, 0.5], [0.1, np.nan, 0.5]])
    filled = imputer.transform(new)
    assert filled[0, 1] > filled[1, 1] + 0.2


def test_complete_rows_stay_as_they_are():
    X, y = load_iris(return_X_y=True)
    imputer = ForestImputer(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(imputer.transform(X), X)
    assert imputer.history_ == [0.0]


def test_text_is_refused():
    from vaglio.table import Column, Table

    table = Table([Column("words", "text", np.array(["a b", "c d"], dtype=object))])
    with pytest.raises(NotSupportedError, match="'words'"):
        ForestImputer(2).fit(table, [0, 1])


def test_a_known_value_is_never_changed_and_types_stay():
    random = np.random.default_rng(0)
    y = random.choice(["a", "b"], 120)
    X = pd.DataFrame(
        {
            "colour": np.where(y == "a", "red", "blue"),
            "whole": random.integers(0, 50, 120),
            "flag": random.random(120) < 0.5,
            "size": random.normal(size=120),
            "grade": pd.Categorical(random.choice(["lo", "hi"], 120), categories=["lo", "hi"], ordered=True),
        }
    )
    X.loc[::7, "size"] = np.nan
    X.loc[::11, "colour"] = None
    imputer = ForestImputer(10, random_state=0).fit(X, y)
    new = X.head(20).copy()
    new.loc[1, "colour"] = "green"
    new.loc[3, "colour"] = None
    filled = imputer.transform(new)
    known = new.notna()
    assert not filled.isna().any().any()
    for name in X.columns:
        assert filled[name][known[name]].tolist() == new[name][known[name]].tolist(), name
    for name in ("whole", "flag", "grade", "colour", "size"):
        assert filled[name].dtype == new[name].dtype, name
    pd.testing.assert_frame_equal(new, X.head(20).assign(colour=new["colour"]))


def test_a_complete_table_comes_back_as_it_is():
    X = pd.DataFrame({"n": np.arange(40), "w": ["p", "q"] * 20})
    imputer = ForestImputer(5, random_state=0).fit(X, ["a", "b"] * 20)
    pd.testing.assert_frame_equal(imputer.transform(X), X)


def test_a_column_without_a_value_stays_missing():
    frame = pd.DataFrame(
        {
            "a": [1, 2, np.nan, 4] * 10,
            "e": [np.nan] * 40,
            "w": ["x", "y", None, "x"] * 10,
            "v": pd.Series([None] * 40, dtype="string"),
        }
    )
    y = [0, 1] * 20
    imputer = vaglio.ForestImputer(n_estimators=5, random_state=0)
    with pytest.warns(DataWarning, match="Columns 'e' and 'v' have no value in the training rows"):
        filled = imputer.fit(frame, y).transform(frame)
    assert filled.isna().sum().to_dict() == {"a": 0, "e": 40, "w": 0, "v": 40}
    # A later value of such a column stays.
    assert imputer.transform(frame.assign(e=7.0))["e"].tolist() == [7.0] * 40
    array = frame[["a", "e"]].to_numpy()
    with pytest.warns(DataWarning, match="not filled"):
        filled = imputer.fit(array, y).transform(array)
    assert np.isnan(filled).sum(axis=0).tolist() == [0, 40]


def test_without_classes_it_says_what_it_needs() -> None:
    with pytest.raises(InputError, match="requires y"):
        ForestImputer().fit_transform([[1.0, None], [2.0, 3.0]])
