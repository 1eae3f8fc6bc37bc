"""Trees that test linear combinations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio.learners.trees.model.binary_nodes import LINEAR


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
