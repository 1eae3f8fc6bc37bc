"""Trees that test linear combinations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio.learners.trees.model.tree import LINEAR


def slanted(seed: int = 0, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1, 10, 100, 1]
    return X, np.where(X[:, 0] + X[:, 1] / 10 - X[:, 2] / 100 > 0.2, "over", "under")


def test_a_slanted_border_takes_one_test() -> None:
    X, y = slanted()
    oblique, plain = vaglio.ObliqueTreeClassifier(max_depth=1).fit(X, y), vaglio.CARTClassifier(max_depth=1).fit(X, y)
    assert oblique.tree_.node_kind[0] == LINEAR
    assert oblique.score(X, y) > 0.95 > plain.score(X, y)
    fresh, truth = slanted(1)
    assert vaglio.ObliqueTreeClassifier().fit(X, y).score(fresh, truth) > vaglio.CARTClassifier().fit(X, y).score(
        fresh, truth
    )


@given(seed=st.integers(0, 1000), criterion=st.sampled_from(["gini", "entropy", "gain_ratio", "error"]))
@settings(max_examples=20, deadline=None)
def test_the_root_is_never_worse_than_its_axis_parallel_choice(seed: int, criterion: str) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).round(1)
    y = rng.integers(0, 3, 60)
    options = {"max_depth": 1, "criterion": criterion}
    oblique = vaglio.ObliqueTreeClassifier(**options).fit(X, y).tree_
    plain = vaglio.DecisionTreeClassifier(**options).fit(X, y).tree_
    assert oblique.gain[0] >= plain.gain[0] - 1e-12


def test_same_tree_for_any_number_of_threads_and_every_time() -> None:
    X, y = slanted(n=3000)
    trees = [vaglio.ObliqueTreeClassifier(n_jobs=jobs).fit(X, y).tree_ for jobs in (1, 2, 7)]
    for other in trees[1:]:
        np.testing.assert_array_equal(other.linear_coef, trees[0].linear_coef)
        np.testing.assert_array_equal(other.threshold, trees[0].threshold)


@pytest.mark.parametrize("pruning", ["error_based", "pessimistic", "reduced_error"])
def test_pruning_carries_the_combinations(pruning: str) -> None:
    X, y = slanted(4)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, "over", y)
    full = vaglio.ObliqueTreeClassifier().fit(X, y)
    pruned = vaglio.ObliqueTreeClassifier(pruning=pruning, epsilon=1.0).fit(X, y)
    assert pruned.get_n_leaves() < full.get_n_leaves()
    assert pruned.score(X, y) > 0.8
    assert (pruned.tree_.node_kind == LINEAR).any()
    assert "·" in pruned.to_text()
    assert pruned.feature_importances_.sum() == pytest.approx(1)


def test_nominal_columns_stay_usable_beside() -> None:
    X, y = slanted(5)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(np.arange(len(y)) % 2, "odd", "even"))
    label = np.where(frame["kind"] == "odd", "odd", y)
    model = vaglio.ObliqueTreeClassifier(max_depth=2).fit(frame, label)
    assert model.score(frame, label) > 0.9


def slope(seed: int = 0, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Counts that change along a slanted border."""
    X, label = slanted(seed, n)
    return X, np.where(label == "over", 7.0, 2.0) + np.random.default_rng(seed).poisson(1, n)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_along_a_slanted_border_take_one_test(criterion: str) -> None:
    X, y = slope()
    options = {"max_depth": 1, "criterion": criterion}
    oblique, plain = vaglio.ObliqueTreeRegressor(**options).fit(X, y), vaglio.DecisionTreeRegressor(**options).fit(X, y)
    assert oblique.tree_.node_kind[0] == LINEAR
    assert oblique.tree_.gain[0] > 1.5 * plain.tree_.gain[0]
    fresh, truth = slope(1)
    assert oblique.score(fresh, truth) > plain.score(fresh, truth) + 0.2


def losses(criterion: str, y: np.ndarray, w: np.ndarray) -> float:
    """Loss of the best constant, from its definition."""
    if criterion == "absolute_error":
        return min(float(w @ np.abs(y - middle)) for middle in y)
    mean = float(w @ y / w.sum())
    if criterion == "poisson":
        return float(w @ (y * np.log(np.maximum(y, 1e-300) / mean)))
    return float(w @ (y - mean) ** 2)


@given(seed=st.integers(0, 1000), criterion=st.sampled_from(["squared_error", "absolute_error", "poisson"]))
@settings(max_examples=20, deadline=None)
def test_the_gain_of_a_sum_is_that_of_its_best_threshold(seed: int, criterion: str) -> None:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(40, 3)).round(1), rng.integers(1, 4, 40).astype(float)
    y = np.floor(np.exp(X @ [1.0, 1.0, 0.5] / 2)) + 1
    options = {"max_depth": 1, "criterion": criterion, "min_samples_leaf": 3}
    tree = vaglio.ObliqueTreeRegressor(**options).fit(X, y, sample_weight=w).tree_
    plain = vaglio.DecisionTreeRegressor(**options).fit(X, y, sample_weight=w).tree_
    assert tree.gain[0] >= plain.gain[0] - 1e-12
    if tree.node_kind[0] != LINEAR:
        return
    sums = X[:, tree.linear_feature] @ tree.linear_coef
    values = np.unique(sums)
    sides = [sums <= cut for cut in (values[:-1] + values[1:]) / 2]
    sides = [side for side in sides if min(side.sum(), (~side).sum()) >= 3]
    left = [losses(criterion, y[side], w[side]) + losses(criterion, y[~side], w[~side]) for side in sides]
    assert tree.gain[0] == pytest.approx((losses(criterion, y, w) - min(left)) / w.sum(), rel=1e-9)


@pytest.mark.parametrize("regression", [False, True])
def test_a_constrained_column_keeps_its_direction(regression: bool) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 3))
        score = X @ [2.0, 1.0, -1.0] + rng.normal(size=200)
        grid = np.repeat(X[:40], 21, axis=0)
        grid[:, 0] = np.tile(np.linspace(-3, 3, 21), 40)
        options = {"monotonic_cst": [-1, 0, 0], "max_depth": 6}
        if regression:
            model = vaglio.ObliqueTreeRegressor(**options).fit(X, score)
            said = model.predict(grid)
        else:
            model = vaglio.ObliqueTreeClassifier(**options).fit(X, score > 0)
            said = model.predict_proba(grid)[:, 1]
        assert (model.tree_.node_kind == LINEAR).any()
        assert np.diff(said.reshape(40, 21), axis=1).max() <= 1e-12


@pytest.mark.slow
def test_missing_values_nominal_columns_and_pruning_of_numbers() -> None:
    X, y = slope(4)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(np.arange(len(y)) % 2, "odd", "even"))
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.05)
    full = vaglio.ObliqueTreeRegressor().fit(frame, y)
    for options in ({"ccp_alpha": "cv"}, {"pruning": "reduced_error"}, {"max_leaf_nodes": 6}):
        small = vaglio.ObliqueTreeRegressor(**options).fit(frame, y)
        assert small.get_n_leaves() < full.get_n_leaves()
        assert small.score(frame, y) > 0.6
        assert (small.tree_.node_kind == LINEAR).any()


def test_the_steps_of_an_explanation_add_up_to_the_number() -> None:
    X, y = slope(5)
    frame = pd.DataFrame(X, columns=list("abcd")).mask(np.random.default_rng(1).random(X.shape) < 0.05)
    model = vaglio.ObliqueTreeRegressor(max_depth=4).fit(frame, y)
    sums = 0
    for row, told in enumerate(model.explain(frame[:40], counterfactual=False)):
        reasons = [*told.reasons, *told.against]
        assert sum(reason.weight for reason in reasons) == pytest.approx(model.predict(frame[row : row + 1])[0])
        sums += sum("*" in reason.text and reason.weight != 0 for reason in reasons)
    assert sums > 40
