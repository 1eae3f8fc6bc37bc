"""Weights in trees beside scikit-learn's, and cost-complexity pruning by error rate and by impurity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as peers

import vaglio


def noisy_rows(seed: int, n: int = 150) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0).astype(int) + (X[:, 2] > 1)
    return X, y, np.exp(rng.normal(size=n))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(
    "params",
    [
        {"min_samples_leaf": 12},
        {"min_samples_split": 40},
        {"min_samples_leaf": 0.1},
        {"min_weight_fraction_leaf": 0.1},
        {"min_samples_leaf": 9, "min_weight_fraction_leaf": 0.05, "max_depth": 4},
    ],
    ids=str,
)
def test_minimums_count_rows_as_in_scikit_learn(seed: int, scale: float, params: dict[str, Any]) -> None:
    X, y, weight = noisy_rows(seed)
    ours = vaglio.CARTClassifier(**params).fit(X, y, sample_weight=weight * scale)
    peer = peers.DecisionTreeClassifier(**params, random_state=0).fit(X, y, sample_weight=weight * scale)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-9)
    numbers = vaglio.DecisionTreeRegressor(**params).fit(X, X[:, 0] * y, sample_weight=weight * scale)
    other = peers.DecisionTreeRegressor(**params, random_state=0).fit(X, X[:, 0] * y, sample_weight=weight * scale)
    np.testing.assert_allclose(numbers.predict(X), other.predict(X), atol=1e-9)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 20),
    st.sampled_from(["gini", "entropy", "gain_ratio", "error"]),
    st.sampled_from(["learned", "branch"]),
    st.booleans(),
)
def test_no_leaf_has_fewer_rows_than_the_minimum(
    seed: int, least: int, criterion: str, missing: str, random: bool
) -> None:
    X, y, weight = noisy_rows(seed, 120)
    params = {"criterion": criterion, "missing": missing, "min_samples_leaf": least}
    model = vaglio.DecisionTreeClassifier(**params, splitter="random" if random else "best", random_state=seed)
    leaves = model.fit(X, y, sample_weight=weight).apply(X)
    assert np.unique(leaves, return_counts=True)[1].min() >= least


def test_a_row_in_several_branches_counts_its_share() -> None:
    """Twelve rows and four with a missing value: with six rows per leaf, each branch has six known ones and shares."""
    X = np.array([[1.0]] * 6 + [[2.0]] * 6 + [[np.nan]] * 4)
    y = np.array([0] * 6 + [1] * 6 + [0, 0, 1, 1])
    weight = np.where(np.isnan(X[:, 0]), 5.0, 0.25)
    params = {"criterion": "gain_ratio", "missing": "fractional"}
    split = vaglio.DecisionTreeClassifier(**params, min_samples_leaf=6).fit(X, y, sample_weight=weight)
    assert split.get_n_leaves() == 2
    whole = vaglio.DecisionTreeClassifier(**params, min_samples_leaf=7).fit(X, y, sample_weight=weight)
    assert whole.get_n_leaves() == 1


def test_pruning_takes_weights_for_counts_of_rows() -> None:
    X, y, weight = noisy_rows(3)
    for params in ({"pruning": "error_based"}, {"pruning": "pessimistic"}, {"chi2_alpha": 0.01}):
        sizes = [
            vaglio.DecisionTreeClassifier(criterion="entropy", **params).fit(X, y, sample_weight=factor * weight)
            for factor in (1e-6, 1.0, 1e6)
        ]
        assert len({model.get_n_leaves() for model in sizes}) == 1
        assert 1 < sizes[0].get_n_leaves() < vaglio.CARTClassifier().fit(X, y).get_n_leaves()
        assert sizes[0].tree_.weight[0] == pytest.approx(len(y))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["gini", "entropy", "error"]),
    st.sampled_from(["impurity", "error"]),
    st.booleans(),
)
def test_every_price_of_the_path_is_a_price(seed: int, criterion: str, risk: str, weighted: bool) -> None:
    X, y, weight = noisy_rows(seed, 60)
    weights = weight if weighted else None
    params = {"criterion": criterion, "ccp_risk": risk}
    path = vaglio.CARTClassifier(**params).cost_complexity_pruning_path(X, y, sample_weight=weights)
    assert path.ccp_alphas[0] == 0
    assert (np.diff(path.ccp_alphas) >= 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    assert (np.diff(path.impurities) >= -1e-12).all()
    for alpha, leaves in list(zip(path.ccp_alphas, path.n_leaves))[1::4]:
        pruned = vaglio.CARTClassifier(**params, ccp_alpha=alpha).fit(X, y, sample_weight=weights)
        assert alpha == 0 or pruned.get_n_leaves() == leaves


@pytest.mark.parametrize("seed", range(3))
def test_the_risk_may_be_the_error_rate(seed: int) -> None:
    X, y, weight = noisy_rows(seed)
    by_error = {"ccp_risk": "error", "max_leaf_nodes": 15}
    path = vaglio.CARTClassifier(**by_error).cost_complexity_pruning_path(X, y, sample_weight=weight)
    for alpha, risk in zip(path.ccp_alphas[1:], path.impurities[1:]):
        pruned = vaglio.CARTClassifier(**by_error, ccp_alpha=alpha + 1e-12).fit(X, y, sample_weight=weight)
        assert 1 - pruned.score(X, y, sample_weight=weight) == pytest.approx(risk)
    assert path.impurities[-1] == pytest.approx(1 - np.bincount(y, weight).max() / weight.sum())


def test_the_shape_of_a_tree() -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    tree = vaglio.ID3Classifier().fit(X, y).tree_
    # Ten of fourteen rows pass two tests, the four overcast ones pass one; three tests have 3, 2 and 2 branches.
    assert tree.mean_shape() == pytest.approx({"mean_path": 24 / 14, "branching": 7 / 3})
    assert vaglio.CARTClassifier(max_depth=3).fit([[0.0], [1.0]], [1, 1]).tree_.mean_shape() == {
        "mean_path": 0.0,
        "branching": 0.0,
    }
