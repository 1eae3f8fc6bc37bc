"""Explanations of forests: what the columns contributed adds up."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import vaglio
from vaglio import AdaBoostClassifier, RandomForestClassifier, RandomForestRegressor


def contributions(explanation):
    return sum(reason.weight for reason in explanation.reasons + explanation.against)


def test_contributions_lead_from_the_root_to_the_answer():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(25, random_state=0).fit(X, y)
    start = np.mean([tree.distribution[0] for tree in forest.estimators_], axis=0)
    for row in (0, 70, 133):
        explanation = forest.explain(X[row : row + 1])[0]
        code = int(explanation.decision)
        assert explanation.probability == pytest.approx(start[code] + contributions(explanation))


def test_a_forest_of_numbers():
    X = load_iris().data
    forest = RandomForestRegressor(10, random_state=0).fit(X[:, :3], X[:, 3])
    start = np.mean([tree.value[0, 0] for tree in forest.estimators_])
    explanation = forest.explain(X[:1, :3])[0]
    assert explanation.decision == pytest.approx(start + contributions(explanation))


def test_in_the_users_words():
    X, y = vaglio.datasets.load("penguins").xy("species")
    for model in (RandomForestClassifier(20, random_state=0), AdaBoostClassifier(n_estimators=20, random_state=0)):
        explanation = model.fit(X, y).explain(X[[200]])[0]
        assert explanation.decision == "Gentoo"
        assert "flipper_length_mm = 213" in explanation.to_text()
