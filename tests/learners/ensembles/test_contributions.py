"""Shapley values of many trees are the sums of those of each tree, and add up to the prediction."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)


def penguins():
    X, y = vaglio.datasets.load("penguins").xy("species")
    return X.to_frame(), np.asarray(y)


@pytest.mark.parametrize("made", [RandomForestClassifier, RandomForestRegressor])
def test_a_forest_adds_up_its_trees(made):
    X, y = penguins()
    target = X["body_mass_g"].fillna(0).to_numpy() if made is RandomForestRegressor else y
    fitted = made(20, random_state=0).fit(X, target).fitted_
    model, rows = fitted.model, X.iloc[::40]
    matrix = fitted.codebook.encode(rows)
    direction = np.random.default_rng(0).normal(size=(len(rows), model.leaf_values.shape[1]))
    trees = [model.tree(i, fitted.codebook.features) for i in range(model.n_trees)]
    expected = sum(t.contributions(matrix, t.value if t.regression else t.says, direction) for t in trees)
    found = model.contributions(matrix, direction[:, None])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    predicted = model.predict(matrix)[:, None] if model.regression else model.predict_proba(matrix)
    np.testing.assert_allclose(found.sum(axis=1), model.n_trees * (predicted * direction).sum(axis=1), rtol=1e-9)


@pytest.mark.parametrize("made", [HistGradientBoostingClassifier, HistGradientBoostingRegressor])
def test_boosted_trees_speak_for_their_outputs(made):
    X, y = penguins()
    target = X["body_mass_g"].fillna(0).to_numpy() if made is HistGradientBoostingRegressor else y
    fitted = made(max_iter=15, early_stopping=False, random_state=0).fit(X, target).fitted_
    matrix = fitted.codebook.encode(X.iloc[::40])
    direction = np.random.default_rng(0).normal(size=(matrix.n_rows, fitted.model.outputs))
    found = fitted.model.forest.contributions(matrix, direction[:, :, None]).sum(axis=1)
    scores = fitted.model.raw(matrix) - fitted.model.baseline
    np.testing.assert_allclose(found, (scores * direction).sum(axis=1), rtol=1e-9, atol=1e-9)


def test_any_number_of_threads_gives_the_same_bits():
    X, y = penguins()
    fitted = RandomForestClassifier(40, random_state=0, n_jobs=3).fit(X, y)
    explained = [e.to_dict() for e in fitted.explain(X.head(3), counterfactual=False)]
    alone = RandomForestClassifier(40, random_state=0, n_jobs=1).fit(X, y)
    assert [e.to_dict() for e in alone.explain(X.head(3), counterfactual=False)] == explained


def test_rows_explained_together_have_the_bits_of_rows_explained_alone():
    X, y = penguins()
    fitted = RandomForestClassifier(10, random_state=0).fit(X, y).fitted_
    matrix = fitted.codebook.encode(X)
    direction = np.random.default_rng(0).normal(size=(matrix.n_rows, 1, 3))
    together = fitted.model.contributions(matrix, direction)
    for row in (0, 31, 32, matrix.n_rows - 1):
        alone = fitted.model.contributions(matrix.take(np.array([row])), direction[row : row + 1])
        np.testing.assert_array_equal(together[row], alone[0])
