"""Explanations by neighbours, and the local tree."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import vaglio
from vaglio import KNeighborsClassifier, KNeighborsRegressor
from vaglio.errors import InputError


@pytest.fixture(scope="module")
def penguins():
    return vaglio.datasets.load("penguins").xy("species")


def test_neighbours_speak_for_and_against(penguins):
    X, y = penguins
    model = KNeighborsClassifier(9).fit(X, y)
    for row in range(0, 344, 40):
        explanation = model.explain(X[[row]])[0]
        assert explanation.decision == model.predict(X[[row]])[0]
        assert sum(reason.weight for reason in explanation.reasons) == pytest.approx(explanation.probability)
        assert sum(r.weight for r in explanation.reasons + explanation.against) == pytest.approx(1)
        assert "neighbourhood of 50 rows: IF" in explanation.notes[0]


def test_numbers_are_explained_too():
    X = load_iris().data
    model = KNeighborsRegressor(3).fit(X[:, :3], X[:, 3])
    explanation = model.explain(X[:1, :3])[0]
    assert explanation.decision == pytest.approx(model.predict(X[:1, :3])[0])
    assert len(explanation.reasons) == 3


def test_the_local_tree_is_grown_on_the_nearest_rows(penguins):
    X, y = penguins
    model = KNeighborsClassifier().fit(X, y)
    local = model.local_tree(X[[160]], n_neighbors=60)
    np.testing.assert_array_equal(local.rows, model.kneighbors(X[[160]], 60, return_distance=False)[0])
    assert local.tree.weight[0] == 60
    assert local.tree.depth <= 3
    assert local.rule in list(local.rules)
    assert float(local.rule.match(model._encode(X[[160]]))[0]) > 0
    assert "60 nearest rows" in str(local)


def test_one_row_in_any_form():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier().fit(X, y)
    assert str(model.local_tree(X[70])) == str(model.local_tree(X[70].tolist())) == str(model.local_tree(X[70:71]))
    with pytest.raises(InputError, match="one row"):
        model.local_tree(X[:2])
