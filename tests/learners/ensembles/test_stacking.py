"""Weights of a vote by rows left out: least squares over the simplex, every answer by a member without the row."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LinearRegression as PeerLine
from sklearn.utils._param_validation import InvalidParameterError

import vaglio
from vaglio.errors import NotSupportedError
from vaglio.learners.ensembles.estimators.stacking import dealt, error_products, weights_of_least_error

SIMPLEX = np.array([w for w in product(np.arange(0, 41), repeat=3) if sum(w) == 40]) / 40


@given(seed=st.integers(0, 10_000), rank=st.integers(1, 3), size=st.sampled_from([1e-200, 1.0, 1e200]))
@settings(max_examples=50, deadline=None)
def test_no_weights_of_a_grid_have_a_smaller_error(seed: int, rank: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    products = error_products(rng.normal(size=(3, rank, 1)) * size, np.zeros((rank, 1)), rng.uniform(0.5, 2, rank))
    w = weights_of_least_error(products)
    assert w.min() >= 0
    assert w.sum() == pytest.approx(1)
    tried = np.einsum("ni,ij,nj->n", SIMPLEX, products, SIMPLEX)
    assert w @ products @ w <= tried.min() + 1e-12


@pytest.mark.slow
def test_members_without_an_error_and_without_rows_share_alike() -> None:
    np.testing.assert_array_equal(weights_of_least_error(np.zeros((2, 2))), [0.5, 0.5])
    np.testing.assert_array_equal(weights_of_least_error(np.diag([0.0, 1.0])), [1.0, 0.0])
    assert vaglio.VotingRegressor(weights="cv").fit([[1.0]], [2.0]).weights_.tolist() == pytest.approx([1 / 3] * 3)


def penguins(target: str) -> tuple[Any, np.ndarray]:
    task = "regression" if target == "body_mass_g" else "classification"
    return vaglio.datasets.load("penguins")[::3].xy(target, task=task)


CASES = {
    "numbers": (vaglio.VotingRegressor(weights="cv"), "body_mass_g"),
    "probabilities": (vaglio.VotingClassifier(["cart", "knn", "naive-bayes"], voting="soft", weights="cv"), "species"),
    "votes": (vaglio.VotingClassifier(["cart", "knn", "naive-bayes"], weights="cv"), "species"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "weighted"),
    [
        ("numbers", False),
        ("probabilities", True),
        ("votes", True),
        pytest.param("numbers", True, marks=pytest.mark.nightly),
        pytest.param("probabilities", False, marks=pytest.mark.nightly),
        pytest.param("votes", False, marks=pytest.mark.nightly),
    ],
)
def test_weights_are_those_of_members_trained_without_the_fold(case: str, weighted: bool) -> None:
    prototype, target = CASES[case]
    X, y = penguins(target)
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    # Naive Bayes counts: it is the ensemble that brings weights to the number of rows.
    w = None if w is None else w * len(y) / w.sum()
    model = clone(prototype).fit(X, y, sample_weight=w)
    classes = getattr(model, "classes_", None)
    codes = y if classes is None else np.searchsorted(classes, y)
    fold = dealt(codes, 0 if classes is None else len(classes))
    truth = y[:, None] if classes is None else np.eye(len(classes))[codes]
    said = np.zeros((3, *truth.shape))
    for number in range(5):
        train, held = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for m, (_, member) in enumerate(model._pairs()):
            fitted = clone(member).fit(X[train], y[train], sample_weight=None if w is None else w[train])
            if classes is None:
                said[m, held, 0] = fitted.predict(X[held])
            elif model.voting == "soft":
                said[m, held] = fitted.predict_proba(X[held])
            else:
                said[m, held] = np.eye(len(classes))[np.searchsorted(classes, fitted.predict(X[held]))]
    np.testing.assert_allclose(model.weights_, weights_of_least_error(error_products(said, truth, w)), atol=1e-7)
    np.testing.assert_array_equal(model.fitted_.model.shares, model.weights_ / model.weights_.sum())
    facts = vaglio.trace(model, X, y).facts
    if not weighted:
        assert facts["weights"] == model.weights_.tolist()
        assert facts["least"] <= min(np.diag(facts["products"])) + 1e-12


def test_a_member_of_noise_gets_nothing_and_units_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    members = [("line", PeerLine()), ("far", vaglio.KNeighborsRegressor(50)), ("out", "drop")]
    model = vaglio.VotingRegressor(members, weights="cv").fit(X, y)
    assert model.weights_[0] > 0.98
    assert len(model.weights_) == 2
    for unit in (1e-12, 1e12):
        other = vaglio.VotingRegressor(members, weights="cv").fit(X, y * unit)
        np.testing.assert_allclose(other.weights_, model.weights_, atol=1e-6)
    threads = vaglio.VotingRegressor(members, weights="cv", n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(threads.weights_, model.weights_)


def test_a_class_of_one_row_stays_among_the_rows_that_are_learned_from() -> None:
    X, y = np.arange(12.0).reshape(-1, 1), np.array([*"aaaaaabbbbb", "c"])
    model = vaglio.VotingClassifier(["cart", "knn"], voting="soft", weights="cv").fit(X, y)
    assert model.weights_.sum() == pytest.approx(1)
    two = vaglio.VotingClassifier(["cart", "logistic"], weights="cv").fit(X[:3], ["a", "a", "b"])
    assert two.weights_.sum() == pytest.approx(1)


def test_other_words_and_rows_out_of_core_are_refused(tmp_path: Any) -> None:
    X, y = penguins("body_mass_g")
    with pytest.raises(InvalidParameterError, match="weights' parameter"):
        vaglio.VotingRegressor(weights="best").fit(X, y)
    frame = vaglio.datasets.load("penguins").to_frame().dropna()
    frame.to_parquet(tmp_path / "t.parquet")
    scanned = vaglio.scan(tmp_path / "t.parquet")
    with pytest.raises(NotSupportedError, match="on folds, which needs all rows in memory"):
        vaglio.VotingRegressor(["linear"], weights="cv").fit(*scanned.xy("body_mass_g"))
