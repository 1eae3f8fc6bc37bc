"""AdaBoost against its formulas."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio import AdaBoostClassifier, DecisionTreeClassifier
from vaglio.errors import DataWarning
from vaglio.learn.ensembles.adaboost import vote_weight


@pytest.fixture(scope="module")
def data():
    return make_classification(400, 8, n_informative=5, n_classes=3, flip_y=0.05, random_state=0)


def test_alpha_by_hand():
    assert vote_weight(0.25, 2) == pytest.approx(0.5 * np.log(3))
    assert vote_weight(0.25, 4) == pytest.approx(0.5 * (np.log(3) + np.log(3)))
    assert np.isfinite(vote_weight(0.0, 2))


def test_rounds_by_hand(data):
    """Weights start equal, wrong rows gain e^α, right ones lose e^-α, and the sum stays N."""
    X, y = data
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6, random_state=0).fit(X, y)
    weight = np.full(len(y), 1 / len(y))
    for member, error, alpha in zip(model.estimators_, model.estimator_errors_, model.estimator_weights_):
        wrong = member.predict(X) != y
        assert error == pytest.approx(weight[wrong].sum(), abs=1e-3)
        assert alpha == pytest.approx(0.5 * (np.log((1 - error) / error) + np.log(2)))
        weight = weight * np.exp(np.where(wrong, alpha, -alpha))
        weight /= weight.sum()


def test_the_vote_by_hand(data):
    X, y = data
    model = AdaBoostClassifier(n_estimators=12, random_state=0).fit(X, y)
    votes = np.zeros((len(y), 3))
    for member, alpha in zip(model.estimators_, model.estimator_weights_):
        votes[np.arange(len(y)), member.predict(X)] += alpha
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("sampling", ["weights", "resample"])
def test_boosting_lowers_the_error(sampling):
    X, y = make_moons(600, noise=0.2, random_state=0)
    weak = DecisionTreeClassifier(max_depth=1)
    alone = weak.fit(X[:300], y[:300]).score(X[300:], y[300:])
    boosted = AdaBoostClassifier(weak, n_estimators=60, sampling=sampling, random_state=0).fit(X[:300], y[:300])
    assert boosted.score(X[300:], y[300:]) > alone + 0.05


def test_curves_round_by_round(data):
    X, y = data
    model = AdaBoostClassifier(n_estimators=15, random_state=0).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 15
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    scores = list(model.staged_score(X, y))
    assert scores[-1] == model.score(X, y) > scores[0]


def test_a_round_without_error_ends_it():
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9).astype(int)
    model = AdaBoostClassifier(random_state=0).fit(X, y)
    assert len(model.estimators_) == 1
    assert model.estimator_errors_[0] == 0
    assert np.isfinite(model.estimator_weights_[0])
    assert model.score(X, y) == 1


def test_a_round_no_better_than_guessing_resets_and_is_retried():
    X, y = np.zeros((40, 1)), np.tile([0, 1], 20)
    model = AdaBoostClassifier(DummyClassifier(strategy="constant", constant=0), max_resets=3, random_state=0)
    with pytest.warns(DataWarning, match="no round was better than guessing"):
        model.fit(X, y)
    assert [entry.alpha for entry in model.rounds_] == [None] * 4
    assert len(model.estimators_) == 1


def test_another_librarys_estimator(data):
    X, y = data
    model = AdaBoostClassifier(GaussianNB(), n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.5


def test_saved_and_loaded_it_predicts_the_same(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    model.save(tmp_path / "boosted.vaglio")
    loaded = vaglio.load(tmp_path / "boosted.vaglio")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.learner == "adaboost"


def test_weights_are_repetitions(data):
    """But for the grid on which factors are rounded, which is as fine as the number of rows allows."""
    X, y = data[0][:80], data[1][:80]
    weight = np.random.default_rng(0).integers(0, 4, 80)
    weighted = AdaBoostClassifier(n_estimators=8, random_state=0).fit(X, y, weight)
    repeated = AdaBoostClassifier(n_estimators=8, random_state=0).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)
