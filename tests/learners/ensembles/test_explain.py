"""Explanations of forests: what the columns contributed adds up."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import vaglio
from vaglio import (
    AdaBoostClassifier,
    BaggingClassifier,
    LogisticRegression,
    RandomForestClassifier,
    RandomForestRegressor,
)


def contributions(explanation):
    return sum(reason.weight for reason in explanation.reasons + explanation.against)


def test_contributions_lead_from_the_root_to_the_answer():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(25, random_state=0).fit(X, y)
    start = np.mean([tree.tree_.says[0] for tree in forest], axis=0)
    for row in (0, 70, 133):
        explanation = forest.explain(X[row : row + 1])[0]
        assert explanation.probability == pytest.approx(explanation.total) == pytest.approx(contributions(explanation))
        (told,) = [reason.weight for reason in explanation.reasons if reason.text.startswith("start")]
        assert told == pytest.approx(start[int(explanation.decision)])


def test_a_forest_of_numbers():
    X = load_iris().data
    forest = RandomForestRegressor(10, random_state=0).fit(X[:, :3], X[:, 3])
    explanation = forest.explain(X[:1, :3])[0]
    assert explanation.decision == pytest.approx(contributions(explanation))


def test_the_votes_and_the_most_typical_tree():
    X, y = vaglio.datasets.load("penguins").xy("species")
    forest = RandomForestClassifier(15, random_state=0).fit(X, y)
    explanation = forest.explain(X[[200]])[0]
    assert explanation.notes[0].startswith("votes of 15 trees: Gentoo ")
    number = int(explanation.notes[1].split("number ")[1].split(")")[0])
    rules = forest.estimators_[number - 1].tree_.rules(forest.fitted_.codebook.features, forest.classes_)
    (fired,) = [rule for rule in rules if rule.match(forest._encode(X[[200]]))[0] > 0]
    path = " AND ".join(str(condition) for condition in fired.conditions)
    assert f"IF {path} THEN Gentoo" in explanation.notes[1]


def test_members_that_are_no_trees_are_told_by_their_votes():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(LogisticRegression(), n_estimators=5, random_state=0).fit(X, y)
    explanation = model.explain(X[:1])[0]
    assert explanation.notes == ("votes of 5 members: 0 100%",)
    assert explanation.counterfactual is not None


def test_in_the_users_words():
    X, y = vaglio.datasets.load("penguins").xy("species")
    for model in (RandomForestClassifier(20, random_state=0), AdaBoostClassifier(n_estimators=20, random_state=0)):
        explanation = model.fit(X, y).explain(X[[200]])[0]
        assert explanation.decision == "Gentoo"
        assert "flipper_length_mm = 213" in explanation.to_text()
