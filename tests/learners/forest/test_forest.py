"""The compact forest: against its own trees, its file against damage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from vaglio import RandomForestClassifier, RandomForestRegressor
from vaglio.errors import ModelFileError
from vaglio.learners.forest.model.forest import Forest


def mixed(n=300, seed=0):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.standard_normal(n),
            "colour": random.choice(["red", "green", "blue", "grey"], n),
            "b": random.integers(0, 9, n).astype(float),
        }
    )
    y = np.where((X["a"] > 0) ^ (X["colour"] == "red"), "yes", "no")
    X.loc[random.random(n) < 0.1, "a"] = np.nan
    X.loc[random.random(n) < 0.1, "colour"] = None
    return X, y


def trees_of(model):
    return [member.tree_ for member in model.estimators_]


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed()
    model = RandomForestClassifier(12, random_state=3).fit(X, y)
    return model, model._encode(mixed(150, seed=1)[0])


def test_the_forest_is_the_mean_of_its_trees(fitted):
    model, rows = fitted
    mean = np.mean([tree.predict_proba(rows) for tree in trees_of(model)], axis=0)
    np.testing.assert_allclose(model.fitted_.model.predict_proba(rows), mean, atol=1e-15)


def test_leaves_are_those_of_its_trees(fitted):
    model, rows = fitted
    forest = model.fitted_.model
    own = np.stack([tree.apply(rows) for tree in trees_of(model)], axis=1)
    np.testing.assert_array_equal(forest.apply(rows) - forest.starts[:-1], own)


def test_depths_and_thresholds_are_those_of_its_trees(fitted):
    learner, matrix = fitted
    model, features = learner.fitted_.model, matrix.features
    trees = [model.tree(i, features) for i in range(model.n_trees)]
    np.testing.assert_array_equal(model.node_depths, np.concatenate([tree.depth_of for tree in trees]))
    for j, feature in enumerate(features):
        if not feature.is_nominal:
            tested = [tree.threshold[(tree.feature == j) & (tree.n_children > 0)] for tree in trees]
            found = np.unique(np.concatenate(tested))
            np.testing.assert_array_equal(model.cuts[j], found[np.isfinite(found)])


def test_a_forest_of_numbers_is_the_mean_of_its_trees():
    X, _ = mixed()
    y = X["b"].to_numpy() * 2 + X["a"].fillna(0).to_numpy()
    model = RandomForestRegressor(8, random_state=0).fit(X, y)
    rows = model._encode(X)
    mean = np.mean([tree.predict(rows) for tree in trees_of(model)], axis=0)
    np.testing.assert_allclose(model.predict(X), mean)


def test_rules_of_all_trees_decide_like_the_forest(fitted):
    model, rows = fitted
    complete = ~rows.missing.any(axis=1)
    rules = model.rules()
    assert len(rules) == sum(tree.n_leaves for tree in trees_of(model))
    ours = model.fitted_.model.predict_proba(rows)[complete]
    np.testing.assert_allclose(rules.predict_proba(rows.take(complete)), ours, atol=1e-12)


def test_equal_leaves_are_kept_once():
    X, y = make_classification(2000, 8, random_state=0)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y).fitted_.model
    assert len(np.unique(forest.leaves, axis=0)) == len(forest.leaves) < forest.size()["leaves"]


def test_the_file_keeps_the_forest(fitted):
    model, rows = fitted
    forest = model.fitted_.model
    again = Forest.from_state(*forest.state(), features=rows.features, n_classes=2)
    assert again.nodes.tobytes() == forest.nodes.tobytes()
    np.testing.assert_array_equal(again.predict_proba(rows), forest.predict_proba(rows))


def _first_inner(arrays):
    return int(np.flatnonzero(arrays["link"] >= 0)[0])


def damaged(arrays, what):
    arrays = {name: value.copy() for name, value in arrays.items()}
    if what == "cycle":
        arrays["link"][_first_inner(arrays)] = 0
    elif what == "child beyond the tree":
        arrays["link"][_first_inner(arrays)] = 2**31 - 1
    elif what == "leaf without content":
        arrays["link"][np.flatnonzero(arrays["link"] < 0)[0]] = -(2**31)
    elif what == "unknown feature":
        arrays["feature"][0] = 60000
    elif what == "threshold not a number":
        arrays["threshold"][:] = np.nan
    elif what == "table out of range":
        arrays["tables"] = arrays["tables"][:0]
    elif what == "trees out of order":
        arrays["starts"][1] = arrays["starts"][2]
    elif what == "negative class weight":
        arrays["leaves"] *= -1
    elif what == "lengths":
        arrays["threshold"] = arrays["threshold"][1:]
    elif what == "no starts":
        del arrays["starts"]
    return arrays


@pytest.mark.parametrize(
    "what",
    [
        "cycle",
        "child beyond the tree",
        "leaf without content",
        "unknown feature",
        "threshold not a number",
        "table out of range",
        "trees out of order",
        "negative class weight",
        "lengths",
        "no starts",
    ],
)
def test_a_hostile_file_is_refused(fitted, what):
    model, rows = fitted
    arrays, meta = model.fitted_.model.state()
    with pytest.raises(ModelFileError):
        Forest.from_state(damaged(arrays, what), meta, rows.features, 2)


def test_a_forest_that_splits_nothing_has_no_importances():
    forest = RandomForestClassifier(3, random_state=0).fit(np.zeros((6, 2)), list("aabbab"))
    assert forest.fitted_.model.importances.tolist() == [0, 0]
    assert forest.fitted_.model.size()["trees"] == 3


@pytest.mark.parametrize(("column", "stored"), [(3, np.uint16), (65_535, np.uint16), (65_536, np.uint32)])
def test_a_file_holds_the_number_of_any_column(fitted, column, stored):
    forest = fitted[0].fitted_.model
    nodes = forest.nodes.copy()
    nodes["feature"][nodes["link"] >= 0] = column
    feature = replace(forest, nodes=nodes).state()[0]["feature"]
    assert feature.dtype == stored
    assert set(feature.tolist()) == {column}
