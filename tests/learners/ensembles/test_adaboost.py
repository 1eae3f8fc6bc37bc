"""AdaBoost against its formulas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio import AdaBoostClassifier, DecisionTreeClassifier
from vaglio.errors import DataWarning
from vaglio.learners.ensembles.estimators.adaboost import vote_weight


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
    with pytest.warns(DataWarning, match="no round was better than chance"):
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


def test_a_column_that_is_believed_less_than_by_half_casts_no_vote():
    """A round counts by its errors on the rows it was learned from, and many values fit these too well."""
    random = np.random.default_rng(0)
    codes, y = random.integers(0, 150, 600), random.integers(0, 2, 600)
    weak = np.where(random.random(150) < 0.5, 0.4, 0.6)[codes] < random.random(600)  # the values tell a little
    y = np.where(random.random(600) < 0.6, weak, y).astype(int)
    X = pd.DataFrame({"code": [f"v{code}" for code in codes], "number": random.normal(size=600) + 0.3 * y})
    model = AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert model.reliability_["code"] < 0.5
    assert all(member.features.tolist() == [1] for member in model.fitted_.model.members)
    other = X.assign(code=X["code"].iloc[::-1].to_numpy())
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(X))
    memory = DecisionTreeClassifier(max_depth=1, high_cardinality=None)
    free = AdaBoostClassifier(memory, high_cardinality=None, n_estimators=10, random_state=0)
    assert free.fit(X, y).estimator_errors_.min() < 0.8 * model.estimator_errors_.min()


def test_a_trace_names_the_columns_that_the_members_test():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"code": [f"v{c}" for c in random.integers(0, 30, 60)], "number": np.arange(60.0)})
    page = vaglio.trace(AdaBoostClassifier(n_estimators=1, random_state=0), X, np.where(X["number"] > 40, "yes", "no"))
    assert "number" in page.to_text()
    assert "code" not in page.to_text()


@pytest.mark.parametrize("depth", [1, 4])
def test_what_rounds_share_changes_no_member(data, depth):
    """The orders of the columns are kept from round to round; a member grown alone is the same."""
    X, y = data
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = AdaBoostClassifier(n_estimators=4, max_depth=depth, random_state=0).fit(X, y)
    weight = np.ones(len(y))
    for entry, fitted, member in zip(model.rounds_, model.estimators_, model.fitted_.model.members):
        alone = clone(fitted)
        alone._draws_ties = True
        alone.fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(member.model.feature, alone.tree_.feature)
        np.testing.assert_array_equal(member.model.threshold, alone.tree_.threshold)
        wrong = alone.predict(X) != y
        weight = weight * np.exp(np.where(wrong, entry.alpha, -entry.alpha))
        weight *= len(y) / weight.sum()


def test_members_of_a_sample_of_columns_see_those(data):
    X, y = data
    frame = pd.DataFrame(X).add_prefix("x")
    frame["name"] = [f"row {i}" for i in range(len(y))]
    model = AdaBoostClassifier(n_estimators=5, random_state=0).fit(frame, y)
    assert {tuple(member.features) for member in model.fitted_.model.members} == {tuple(range(8))}
    assert model.score(frame, y) > 0.6


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_values_by_hand(data, n_classes):
    """A vote for a class counts 1, one for another -1/(K-1); of two classes the difference counts."""
    X, y = data[0], data[1] % n_classes
    model = AdaBoostClassifier(n_estimators=8, random_state=0).fit(X, y)
    weights = model.estimator_weights_ / model.estimator_weights_.sum()
    chosen = np.stack([member.predict(X) for member in model.estimators_])[:, :, None] == model.classes_
    values = np.einsum("m,mnk->nk", weights, np.where(chosen, 1.0, -1 / (n_classes - 1)))
    expected = values if n_classes > 2 else values[:, 1] - values[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    for staged, votes in zip(model.staged_decision_function(X), model.staged_predict_proba(X), strict=True):
        assert staged.shape == expected.shape
        assert votes.shape == (len(X), n_classes)
    np.testing.assert_allclose(staged, expected, atol=1e-12)
    np.testing.assert_allclose(votes, model.predict_proba(X))


def test_importances_are_those_of_the_members_by_weight(data):
    X, y = data
    model = AdaBoostClassifier(n_estimators=8, max_depth=2, random_state=0).fit(X, y)
    expected = np.average(
        [member.feature_importances_ for member in model.estimators_], axis=0, weights=model.estimator_weights_
    )
    np.testing.assert_allclose(model.feature_importances_, expected)
    assert not hasattr(AdaBoostClassifier(GaussianNB(), n_estimators=3).fit(X, y), "feature_importances_")


def test_importances_of_columns_the_members_are_not_given():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"name": [f"row {i}" for i in range(60)], "size": random.random(60)})
    model = AdaBoostClassifier(n_estimators=3).fit(frame, frame["size"] > 0.5)
    assert model.feature_importances_.tolist() == [0.0, 1.0]
