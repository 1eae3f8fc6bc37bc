"""Gradient boosting of ``vaglio.sklearn`` has scikit-learn's numbers, and what reads its trees reads vaglio's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as theirs
from sklearn.inspection import partial_dependence
from threadpoolctl import threadpool_limits

import vaglio
import vaglio.sklearn as dropin
import vaglio.sklearn.ensemble as ours


@pytest.fixture(autouse=True)
def one_thread():
    """Small tables: threads that wait for each other cost more than they bring."""
    with threadpool_limits(1):
        yield


NUMBERS: list[dict[str, Any]] = [
    {},
    {"max_leaf_nodes": None, "max_depth": 2, "min_samples_leaf": 5, "l2_regularization": 2.0, "max_bins": 20},
    {"loss": "absolute_error"},
    {"loss": "quantile", "quantile": 0.3},
    {"loss": "poisson"},
    {"loss": "gamma"},
    {"monotonic_cst": [1, -1, 0, 0]},
    {"interaction_cst": [{0, 1}]},
    {"early_stopping": True, "learning_rate": 0.5, "max_iter": 60, "n_iter_no_change": 3},
    {"early_stopping": True, "validation_fraction": None, "tol": 0.5, "max_iter": 60},
]
CLASSES: list[dict[str, Any]] = [{}, {"class_weight": "balanced"}, {"early_stopping": True, "learning_rate": 0.5}]


def rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(600, 4))
    y = np.exp(X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * random.normal(size=600))
    X[random.uniform(size=X.shape) < 0.05] = np.nan
    return X, y


def fitted(name: str, params: dict[str, Any], *data: Any, **options: Any) -> tuple[Any, Any]:
    # Large nodes: of splits that gain the same to the last digit, rounding decides in scikit-learn.
    params = {"max_iter": 8, "max_leaf_nodes": 6, "max_bins": 40, "random_state": 0, **params}
    made = [getattr(home, f"HistGradientBoosting{name}")(**params).fit(*data, **options) for home in (theirs, ours)]
    assert made[1].learner_ is not None
    return made[0], made[1]


def assert_same(one: Any, other: Any, X: Any) -> None:
    found, expected = (getattr(e, "decision_function", e.predict)(X) for e in (other, one))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert other.n_iter_ == one.n_iter_
    for scores in ("train_score_", "validation_score_"):
        np.testing.assert_allclose(getattr(other, scores), getattr(one, scores), rtol=1e-6, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("params", NUMBERS, ids=str)
def test_boosting_for_numbers_is_scikit_learns(params: dict[str, Any], weighted: bool) -> None:
    X, y = rows()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    assert_same(*fitted("Regressor", params, X, y, sample_weight=weight), X)


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [[1.0], [0.5, 2.0]], ids=["two", "three"])
@pytest.mark.parametrize("params", CLASSES, ids=str)
def test_boosting_for_classes_is_scikit_learns(params: dict[str, Any], cuts: list[float]) -> None:
    X, y = rows()
    one, other = fitted("Classifier", params, X, np.array(["a", "b", "c"])[np.digitize(y, cuts)])
    assert_same(one, other, X)
    for found, expected in zip(other.staged_predict_proba(X), one.staged_predict_proba(X), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)
    assert (pickle.loads(pickle.dumps(other)).predict(X) == other.predict(X)).all()


def test_a_constant_target_leaves_nothing_to_learn() -> None:
    X, _ = rows()
    for weight in (None, np.linspace(0.1, 3.0, len(X))):
        one, other = fitted("Regressor", {}, X, np.full(len(X), 0.3), sample_weight=weight)
        assert (other.predict(X) == 0.3).all()
        assert [len(tree.nodes) for (tree,) in other._predictors] == [1] * one.n_iter_


def test_rows_to_stop_by() -> None:
    X, y = rows()
    more, targets = rows(1)
    options = {"X_val": more, "y_val": targets, "sample_weight_val": np.linspace(1, 2, len(more))}
    params = {"early_stopping": True, "max_iter": 50, "n_iter_no_change": 3}
    assert_same(*fitted("Regressor", params, X, y, **options), X)


def frame() -> tuple[pd.DataFrame, np.ndarray]:
    X, y = rows()
    codes = np.arange(len(y)) % 7
    text = np.array([f"v{code}" for code in codes], dtype=object)
    text[::50] = None
    return pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(text), "b": X[:, 1]}), y + codes % 3


def test_categories() -> None:
    X, y = frame()
    one, other = fitted("Regressor", {"max_leaf_nodes": 12}, X, y)
    assert_same(one, other, X)
    unseen = X.assign(kind=pd.Categorical(["new"] * len(X)))
    np.testing.assert_allclose(other.predict(unseen), one.predict(unseen), rtol=1e-6)
    np.testing.assert_allclose(other.learner_.predict(X), other.predict(X))
    # And the learner holds the names and values of the user's table.
    assert {"a", "kind", "b"} == set(other.learner_.feature_names_in_)


def test_what_reads_the_trees_reads_vaglios(tmp_path: Any) -> None:
    X, y = rows()
    one, other = fitted("Regressor", {}, X, y)
    found, expected = (partial_dependence(e, X, [0], method="recursion")["average"] for e in (other, one))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    other.save(tmp_path / "model.vaglio")
    np.testing.assert_allclose(vaglio.load(tmp_path / "model.vaglio").predict(X), other.predict(X))
    classes = fitted("Classifier", {}, X, y > 1)[1]
    assert len(classes.explain(X[:1], counterfactual=False)) == 1


def test_more_rows_than_scikit_learn_is_shown() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    y = (X[:, 0] + random.normal(size=3000) > 0).astype(int)
    y[2990:] = 2  # the last class is at the end
    one, other = fitted("Classifier", {"max_iter": 2, "max_leaf_nodes": 3}, X, y)
    assert_same(one, other, X)
    with pytest.raises(ValueError, match="poisson"):
        ours.HistGradientBoostingRegressor(loss="poisson").fit(X, np.where(np.arange(3000) < 2999, 1.0, -1.0))
    X[2999, 0] = np.inf
    assert ours.HistGradientBoostingClassifier(max_iter=2).fit(X, y).learner_ is None


def test_what_is_left_to_scikit_learn_is_counted() -> None:
    X, y = rows()
    stops = {"early_stopping": True}
    for params in ({"warm_start": True, **stops}, {"scoring": "r2", **stops}):
        model = ours.HistGradientBoostingRegressor(max_iter=3, random_state=0, **params).fit(X, y)
        assert model.learner_ is None
    assert sum(entry.count for entry in dropin.fallbacks() if "HistGradientBoostingRegressor" in entry.name) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Regressor", "Classifier"])
@pytest.mark.parametrize("max_features", [1.0, 0.5])
def test_more_rounds_join_those_there_are(name: str, max_features: float) -> None:
    X, y = rows()
    target = y if name == "Regressor" else np.digitize(y, [0.5, 2.0])
    make = getattr(ours, f"HistGradientBoosting{name}")
    params = {"random_state": 0, "max_features": max_features, "max_leaf_nodes": 6}
    grown = make(max_iter=3, **params).fit(X, target)
    grown.set_params(warm_start=True, max_iter=8).fit(X, target).fit(X, target)
    at_once = make(max_iter=8, **params).fit(X, target)
    assert grown.learner_ is not None
    assert grown.n_iter_ == 8
    for one, other in zip(grown._predictors, at_once._predictors, strict=True):
        for tree, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(tree.nodes, same.nodes)
    with pytest.raises(ValueError, match="max_iter=5 must be larger than or equal to n_iter_=8"):
        grown.set_params(max_iter=5).fit(X, target)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Regressor", "Classifier"])
def test_whole_weights_are_repetitions(name: str) -> None:
    X, y = rows()
    target = y if name == "Regressor" else np.digitize(y, [0.5, 2.0])
    times = np.random.default_rng(0).integers(0, 4, len(y))
    model = getattr(ours, f"HistGradientBoosting{name}")(max_iter=20, min_samples_leaf=1)
    weighted = model.fit(X, target, sample_weight=times)
    assert weighted.learner_ is not None
    raw = weighted._raw_predict(X)
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(target, times))
    np.testing.assert_array_equal(raw, repeated._raw_predict(X))


def test_categories_that_are_numbers_keep_their_order() -> None:
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=2000), random.integers(-3, 60, 2000)])
    y = random.normal(size=63)[X[:, 1].astype(int)] + X[:, 0]
    X[::40, 1] = np.nan
    for columns in ([1], np.array([False, True])):
        one, other = fitted("Regressor", {"categorical_features": columns, "max_leaf_nodes": 12, "max_bins": 80}, X, y)
        assert_same(one, other, X)
        np.testing.assert_allclose(
            other.learner_.predict(pd.DataFrame({"x0": X[:, 0], "x1": _words(X[:, 1])})), other.predict(X)
        )


def _words(values: np.ndarray) -> list[str | None]:
    return [None if np.isnan(value) else str(value) for value in values]


@pytest.mark.parametrize("name", ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"])
def test_boosted_trees_are_added_in_scikit_learns_order(name: str) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 4))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    model = getattr(ours, name)(max_iter=20, random_state=0).fit(rows, rng.integers(0, 3, 300))
    rows[0], rows[1] = np.inf, -np.inf
    for asked in (rows, rows[:1], rows.astype(np.float32)):
        # Stage by stage, scikit-learn's own loop asks one tree after the other.
        *_, last = model._staged_raw_predict(asked)
        np.testing.assert_array_equal(model._raw_predict(asked), last)


@pytest.mark.slow
@pytest.mark.parametrize("direction", [1, -1])
def test_a_node_whose_rows_all_lie_beyond_its_bound_is_split_as_by_scikit_learn(direction: int) -> None:
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.uniform(-1, 1, (800, 3)) * [direction, 1, 1]
        # Below the bound that the first column sets, most rows of a node would rise above it.
        held = np.where(X[:, 1] > 0, np.where(X[:, 2] > 0.6, -4, 4), -14)
        y = np.where(direction * X[:, 0] < -0.4, held, 3) + random.normal(size=800)
        one, other = fitted("Regressor", {"monotonic_cst": [direction, 0, 0], "max_iter": 5}, X, y)
        assert_same(one, other, X)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Regressor", "Classifier"])
def test_boosting_under_constraints_that_the_rows_oppose_is_scikit_learns(name: str) -> None:
    for seed in range(12):
        random = np.random.default_rng(seed)
        X = random.normal(size=(300, 4))
        y = np.sin(3 * X[:, 0]) - X[:, 1] + X[:, 2] * X[:, 3] + random.normal(size=300)
        params = {"monotonic_cst": random.integers(-1, 2, 4), "l2_regularization": seed % 3}
        one, other = fitted(name, params, X, y if name == "Regressor" else y > 0)
        assert_same(one, other, X)


def test_monotonic_constraints_may_be_given_by_name():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] + np.sin(X[:, 1])
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    by_name, by_place = (
        ours.HistGradientBoostingRegressor(max_iter=5, monotonic_cst=given).fit(frame, y).predict(frame)
        for given in ({"b": -1}, [0, -1, 0])
    )
    np.testing.assert_array_equal(by_name, by_place)
