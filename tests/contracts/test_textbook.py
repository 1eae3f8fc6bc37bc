"""One word gives the choices of the textbook: each is a parameter that differs from the default, with its reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.cli.conftest import run_here

import vaglio
from vaglio.errors import InputError
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.registry import LEARNERS

pytestmark = pytest.mark.filterwarnings("ignore")
WITH_CHOICES = {learner.id: learner for learner in LEARNERS.values() if learner.textbook}


def test_every_choice_differs_from_what_is_given_otherwise_and_says_why() -> None:
    assert set(WITH_CHOICES) >= {"naive-bayes", "bagging", "random-forest", "adaboost", "svm", "foil"}
    for learner in WITH_CHOICES.values():
        usual, made = learner.cls().get_params(), learner.make(textbook=True)
        for name, choice in learner.textbook.items():
            assert getattr(made, name) == choice.value != {**usual, **learner.settings}[name], (learner.id, name)
            assert str(choice.why).endswith("."), (learner.id, name)
        assert type(made).textbook().get_params() == made.get_params(), learner.id
        name = next(iter(learner.textbook))
        assert getattr(type(made).textbook(**{name: usual[name]}), name) == usual[name]


@pytest.mark.slow
def test_every_learner_trains_and_is_saved_as_the_textbook_has_it(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for learner in WITH_CHOICES:
        said = run_here("train", "play", "--target", "play", "--learner", learner, "--textbook", "--out", "m.vaglio")
        assert said.code == 0, (learner, said.err)
        assert "as the textbook has them" in run_here("inspect", "m.vaglio").out, learner
        data = json.loads(run_here("inspect", "m.vaglio", "--json").out)
        assert set(data["textbook"]) == set(LEARNERS[learner].textbook)
        run_here("train", "play", "--target", "play", "--learner", learner, "--out", "m.vaglio")
        assert all(
            str(choice.why)[:20] in run_here("inspect", "m.vaglio", "-v").out
            for choice in LEARNERS[learner].textbook.values()
        )


def test_gaussian_likelihood_and_laplace_are_those_of_the_formulas() -> None:
    X, y = load_iris(return_X_y=True)
    p = vaglio.NaiveBayesClassifier.textbook().fit(X, y).predict_proba(X[:5])
    density = np.array([
        [np.prod(np.exp(-((row - X[y == k].mean(0)) ** 2) / (2 * s)) / np.sqrt(2 * np.pi * s))
         for k in range(3) for s in [X[y == k].var(0, ddof=1)]]
        for row in X[:5]
    ])  # fmt: skip
    biased = np.array([
        [np.prod(np.exp(-((row - X[y == k].mean(0)) ** 2) / (2 * s)) / np.sqrt(2 * np.pi * s))
         for k in range(3) for s in [X[y == k].var(0)]]
        for row in X[:5]
    ])  # fmt: skip
    shares = [each / each.sum(axis=1, keepdims=True) for each in (density, biased)]
    assert any(np.allclose(p, share, atol=1e-9) for share in shares)
    many = [[str(i % 12)] for i in range(48)]
    labels = np.array(["a", "b"])[(np.arange(48) % 12 < 3).astype(int)]
    first = vaglio.NaiveBayesClassifier.textbook().fit(many, labels).predict_proba([["0"]])[0]
    # "0" occurs 4 times, always with b: 12 rows of b, 36 of a, 12 values.
    a, b = 36 / 48 * (0 + 1) / (36 + 12), 12 / 48 * (4 + 1) / (12 + 12)
    assert first == pytest.approx([a / (a + b), b / (a + b)])


def test_trees_of_a_forest_vote() -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    forest = vaglio.RandomForestClassifier(25, max_depth=2, voting="hard", random_state=0).fit(X, y)
    soft = vaglio.RandomForestClassifier(25, max_depth=2, random_state=0).fit(X, y)
    votes = np.stack([tree.predict(X) for tree in soft.estimators_])
    shares = np.stack([(votes == label).mean(axis=0) for label in soft.classes_], axis=1)
    assert np.allclose(forest.predict_proba(X), shares)
    assert (forest.predict(X) == forest.classes_[shares.argmax(axis=1)]).all()
    assert not np.allclose(shares, soft.predict_proba(X))
    again = from_bytes(to_bytes(forest.fitted_))
    assert np.allclose(again.predict_proba(X), shares)
    rows = X.to_frame().astype(object).where(X.to_frame().notna(), None).to_dict("records")
    assert again.predict_proba_one(rows[0]) == pytest.approx(shares[0].tolist())
    assert "SELECT" in forest.fitted_.export("sql")
    with pytest.raises(InputError, match="majority of each leaf"):
        vaglio.RandomForestClassifier(5, voting="hard", shrinkage=1.0).fit(X, y)


def test_columns_of_a_tree_by_name() -> None:
    X, y = load_iris(return_X_y=True)
    for name, count in {"sqrt": 2, "third": 1, "log2": 2, "two_thirds": 3}.items():
        drawn = vaglio.RandomForestClassifier(9, features_per_tree=name, max_features=None, random_state=0).fit(X, y)
        for tree in drawn.estimators_:
            used = tree.fitted_.model.feature[~tree.fitted_.model.is_leaf]
            assert len(set(used.tolist())) <= count, name


def test_foil_goes_on_until_no_positive_row_is_left() -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    rules = vaglio.FOILClassifier.textbook().fit(X, y)
    assert rules.score(X, y) == 1.0
    usual = vaglio.FOILClassifier().fit(X, y)
    assert len(rules.fitted_.rules()) > len(usual.fitted_.rules())


def test_one_subtree_is_cut_in_each_step() -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    told = vaglio.trace(vaglio.CARTClassifier(ccp_alpha=0.1), X, y).to_text()
    leaves = [int(step[1]) for step in re.findall(r"^ *(\d+) +[\d.]+ +(\d+) +[\d.]+", told, re.MULTILINE)]
    assert len(leaves) > 2
    assert leaves[-1] == 1
    assert "one in each step" in told
