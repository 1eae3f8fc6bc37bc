"""Random forests: the same for any number of threads, as good and half as large as the peer's."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn import ensemble as peers
from sklearn.datasets import make_classification, make_friedman1
from sklearn.inspection import partial_dependence

import vaglio
from vaglio import RandomForestClassifier, RandomForestRegressor
from vaglio.errors import InputError


@pytest.fixture(scope="module")
def data():
    return make_classification(1500, 12, n_informative=6, n_classes=3, random_state=0)


def arrays_of(model):
    arrays, _ = model.fitted_.model.state()
    return b"".join(arrays[name].tobytes() for name in sorted(arrays))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_the_same_bytes_for_any_number_of_threads(data, kind):
    X, y = data
    one = arrays_of(kind(7, random_state=5).fit(X, y))
    for n_jobs in (2, 7):
        assert arrays_of(kind(7, random_state=5, n_jobs=n_jobs).fit(X, y)) == one
    for prefer in ("threads", "processes"):
        with parallel_config(n_jobs=2):
            fitted = Parallel(prefer=prefer)(delayed(kind(7, random_state=5).fit)(X, y) for _ in range(2))
        assert [arrays_of(model) for model in fitted] == [one, one]


def test_probabilities_are_the_same_for_any_number_of_threads(data):
    X, y = data
    one = RandomForestClassifier(7, random_state=5, oob_score=True, permutation_importance=True).fit(X, y)
    two = RandomForestClassifier(7, random_state=5, oob_score=True, permutation_importance=True, n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)
    np.testing.assert_array_equal(one.permutation_importances_, two.permutation_importances_)


@pytest.mark.slow
def test_as_accurate_as_the_peer(data):
    X, y = data
    ours = RandomForestClassifier(60, random_state=0).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    theirs = peers.RandomForestClassifier(60, random_state=0).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    assert ours > theirs - 0.03


def test_half_the_size_of_the_peer_in_memory_and_on_disk(data, tmp_path):
    X, y = data
    ours = RandomForestClassifier(20, random_state=0).fit(X, y)
    theirs = peers.RandomForestClassifier(20, random_state=0).fit(X, y)
    ours.save(tmp_path / "forest.vaglio")
    size = (tmp_path / "forest.vaglio").stat().st_size
    nodes = sum(tree.tree_.node_count for tree in theirs.estimators_)
    per_node = size / ours.fitted_.model.n_nodes
    assert per_node < 0.5 * len(pickle.dumps(theirs)) / nodes
    held = sum(getattr(ours.fitted_.model, name).nbytes for name in ("nodes", "starts", "tables", "leaves"))
    assert held / ours.fitted_.model.n_nodes < 0.5 * len(pickle.dumps(theirs)) / nodes


def test_the_out_of_bag_score_is_near_the_score_on_new_rows(data):
    X, y = data
    model = RandomForestClassifier(100, oob_score=True, random_state=0).fit(X[:1000], y[:1000])
    assert abs(model.oob_score_ - model.score(X[1000:], y[1000:])) < 0.05
    assert model.oob_decision_function_.shape == (1000, 3)


def test_rows_that_every_tree_drew_have_no_estimate(data):
    X, y = data[0][:60], data[1][:60]
    model = RandomForestClassifier(5, oob_score=True, random_state=2)
    with pytest.warns(vaglio.errors.DataWarning, match="drawn for every tree"):
        model.fit(X, y)
    known = ~np.isnan(model.oob_decision_function_[:, 0])
    np.testing.assert_allclose(model.oob_decision_function_[known].sum(axis=1), 1)
    assert 0 < (~known).sum() < 30


def test_importances_find_the_columns_that_matter():
    random = np.random.default_rng(0)
    X = random.standard_normal((600, 6))
    y = (X[:, 2] + 0.5 * X[:, 4] > 0).astype(int)
    model = RandomForestClassifier(50, permutation_importance=True, random_state=0).fit(X, y)
    for importances in (model.feature_importances_, model.permutation_importances_):
        assert set(np.argsort(importances)[-2:]) == {2, 4}
    np.testing.assert_allclose(model.feature_importances_.sum(), 1)
    assert abs(model.permutation_importances_[0]) < 0.02


def test_columns_per_tree():
    X, y = make_classification(200, 10, random_state=0)
    model = RandomForestClassifier(15, features_per_tree=2, random_state=0).fit(X, y)
    used = [set(tree.tree_.feature[tree.tree_.feature >= 0].tolist()) for tree in model]
    assert max(len(features) for features in used) <= 2
    assert len(set().union(*used)) > 5


@pytest.mark.parametrize("max_features", ["sqrt", "log2", "third", 3, 0.5, None])
def test_columns_per_split(data, max_features):
    X, y = data
    model = RandomForestClassifier(10, max_features=max_features, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9


def test_nominal_and_missing_values_as_they_are(tmp_path):
    random = np.random.default_rng(0)
    X = pd.DataFrame({"colour": random.choice(list("abcdef"), 400), "size": random.random(400)})
    y = X["colour"].isin(["b", "e"]).to_numpy()
    X.loc[::9, "size"] = np.nan
    X.loc[::11, "colour"] = None
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    model.save(tmp_path / "forest.vaglio")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "forest.vaglio").predict_proba(X), model.predict_proba(X))
    assert model.predict(pd.DataFrame({"colour": ["never seen"], "size": [0.5]})).shape == (1,)


def test_the_regressor():
    X, y = make_friedman1(600, random_state=0)
    model = RandomForestRegressor(60, oob_score=True, permutation_importance=True, random_state=0).fit(X[:400], y[:400])
    theirs = peers.RandomForestRegressor(60, max_features=1 / 3, random_state=0).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > theirs.score(X[400:], y[400:]) - 0.03
    assert abs(model.oob_score_ - model.score(X[400:], y[400:])) < 0.08
    assert set(np.argsort(model.permutation_importances_)[-5:]) == set(range(5))


def test_partial_dependence_through_scikit_learn(data):
    X, y = data
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    assert partial_dependence(model, X[:100], [0], grid_resolution=5)["average"].shape == (3, 5)


@pytest.mark.parametrize("option", [{"oob_score": True}, {"max_samples": 0.5}, {"permutation_importance": True}])
def test_what_needs_bootstrap_says_so(data, option):
    X, y = data
    with pytest.raises(InputError, match="bootstrap=True"):
        RandomForestClassifier(3, bootstrap=False, **option).fit(X, y)
