"""Nominal columns of very many values: what chance explains is no gain, and what the values tell is found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio.encode import reliability


def values_and_classes(seed: int, values: int, rows: int, strength: float) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of many values beside two of noise; the odds of two classes depend on the value by ``strength``."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, values, rows)
    odds = np.where(random.random(values) < 0.5, 0.5 - strength, 0.5 + strength)
    X = pd.DataFrame(
        {
            "code": [f"v{code}" for code in codes],
            "number": random.normal(size=rows),
            "letter": random.choice(["a", "b", "c"], rows),
        }
    )
    return X, np.where(random.random(rows) < odds[codes], "yes", "no")


TREES = {
    "c45": vaglio.C45Classifier(),
    "cart": vaglio.CARTClassifier(max_depth=3),
    "forest": vaglio.RandomForestClassifier(10, max_features=None, random_state=0),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(("values", "per_value"), [(200, 20), (50, 10)])
def test_a_column_of_many_values_that_tells_the_class_is_used(name: str, values: int, per_value: int) -> None:
    X, y = values_and_classes(1, values, 2 * values * per_value, 0.4)
    half = len(y) // 2
    assert TREES[name].fit(X[:half], y[:half]).score(X[half:], y[half:]) > 0.8  # at most 0.9


@pytest.mark.parametrize("seed", range(5))
def test_a_column_of_noise_is_not_tested_at_the_root(seed: int) -> None:
    X, y = values_and_classes(seed, 100, 400, 0.0)
    X["number"] += 0.7 * (y == "yes")
    for tree in (vaglio.CARTClassifier(max_depth=1), vaglio.C45Classifier(max_depth=1)):
        assert tree.fit(X, y).tree_.feature[0] == 1
    unguarded = vaglio.CARTClassifier(max_depth=1, high_cardinality=None).fit(X, y)
    assert unguarded.tree_.feature[0] == 0  # the values fit the class far better, on these rows


def test_a_column_that_names_the_rows_is_never_tested() -> None:
    X = pd.DataFrame({"id": [f"r{i}" for i in range(60)], "same": ["x"] * 60})
    y = np.arange(60) % 2
    for tree in (vaglio.CARTClassifier(), vaglio.C45Classifier(pruning=None)):
        assert tree.fit(X, y).get_n_leaves() == 1


def test_columns_of_ten_values_are_as_without_the_guard() -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({f"x{j}": random.choice(list("abcdefghij"), 80) for j in range(4)})
    y = random.integers(0, 2, 80)
    for kind in (vaglio.CARTClassifier, vaglio.C45Classifier):
        guarded, free = kind().fit(X, y), kind(high_cardinality=None).fit(X, y)
        assert guarded.to_text() == free.to_text()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), values=st.integers(12, 40), weighted=st.booleans())
def test_the_gain_is_the_best_gain_times_the_expected_part(seed: int, values: int, weighted: bool) -> None:
    X, y = values_and_classes(seed, values, 150, 0.3)
    weight = np.random.default_rng(seed).uniform(0.5, 2, 150) if weighted else None
    options = {"max_depth": 1, "criterion": "gini"}
    free = vaglio.DecisionTreeClassifier(high_cardinality=None, **options).fit(X[["code"]], y, weight)
    if free.get_n_leaves() == 1:
        return
    w = np.ones(150) if weight is None else weight
    codes = pd.factorize(X["code"], sort=True)[0]
    table = np.column_stack([np.bincount(codes, w * (y == label)) for label in ("no", "yes")])
    part = reliability(table, np.bincount(codes, w**2)) ** 2
    guarded = vaglio.DecisionTreeClassifier(**options).fit(X[["code"]], y, weight)
    if part == 0:
        assert guarded.get_n_leaves() == 1
    else:
        assert guarded.tree_.gain[0] == pytest.approx(free.tree_.gain[0] * part, rel=1e-9)


@pytest.mark.parametrize("classes", [2, 5])
def test_values_that_tell_nothing_explain_as_much_as_the_formula_says(classes: int) -> None:
    """Mean (V − 1) / (N − 1) of the Gini index over random orders; the spread is not above the formula's."""
    random = np.random.default_rng(3)
    codes, y = random.integers(0, 30, 120), random.integers(0, classes, 120)
    values, rows = len(np.unique(codes)), 120
    explained = []
    for _ in range(2000):
        table = np.zeros((30, classes))
        np.add.at(table, (codes, random.permutation(y)), 1)
        size = np.maximum(table.sum(axis=1), 1)
        within = (size - (table**2).sum(axis=1) / size)[table.sum(axis=1) > 0].sum()
        total = rows - (table.sum(axis=0) ** 2).sum() / rows
        explained.append(1 - within / total)
    used, free = values - 1, rows - 1
    assert np.mean(explained) == pytest.approx(used / free, rel=0.02)
    assert np.std(explained) < 1.1 * np.sqrt(2 * used * (free - used) / (free**2 * (free + 2)))


def test_numbers_are_guarded_too() -> None:
    random = np.random.default_rng(2)
    X = pd.DataFrame({"code": [f"v{c}" for c in random.integers(0, 100, 400)], "x": random.normal(size=400)})
    y = 0.3 * X["x"] + random.normal(size=400)
    assert vaglio.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_.feature[0] == 1
    assert vaglio.DecisionTreeRegressor(max_depth=1, high_cardinality=None).fit(X, y).tree_.feature[0] == 0
