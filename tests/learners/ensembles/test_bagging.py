"""Bagging of any learner, ours or another library's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import vaglio
from vaglio import BaggingClassifier, BaggingRegressor, KNeighborsClassifier
from vaglio.errors import DataWarning, InputError, NotSupportedError


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [None, KNeighborsClassifier(), LogisticRegression(max_iter=500)])
@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_any_estimator(iris, estimator, voting):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = BaggingClassifier(estimator, 8, voting=voting, random_state=0).fit(X, names)
    assert model.score(X, names) > 0.93
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


class _WithoutWeights(vaglio.DecisionTreeClassifier):
    def fit(self, X, y):
        self.rows_ = len(y)
        return super().fit(X, y)


def test_a_tree_whose_own_fit_takes_no_weights_gets_the_rows_as_often_as_drawn(iris):
    bag = BaggingClassifier(_WithoutWeights(), n_estimators=2, random_state=0).fit(*iris)
    assert [tree.rows_ for tree in bag.estimators_] == [len(iris[1])] * 2


def test_the_vote_by_hand(iris):
    X, y = iris
    model = BaggingClassifier(None, 5, voting="hard", random_state=0).fit(X, y)
    votes = np.stack([member.predict(X) for member in model.estimators_])
    counts = (votes[:, :, None] == np.arange(3)).sum(axis=0)
    np.testing.assert_allclose(model.predict_proba(X), counts / 5)


def test_another_librarys_pipeline_sees_the_users_columns():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"colour": random.choice(["red", "blue"], 120), "size": random.random(120)})
    y = np.where(X["colour"] == "red", "warm", "cold")
    inner = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough"), LogisticRegression()
    )
    assert BaggingClassifier(inner, 4, random_state=0).fit(X, y).score(X, y) == 1


def test_out_of_bag_by_hand(iris):
    X, y = iris
    model = BaggingClassifier(None, 30, oob_score=True, random_state=1).fit(X, y)
    sums, asked = np.zeros((150, 3)), np.zeros(150)
    for member, rows in zip(model.estimators_, model.estimators_samples_):
        unseen = np.setdiff1d(np.arange(150), rows)
        sums[unseen] += member.predict_proba(X[unseen])
        asked[unseen] += 1
    np.testing.assert_allclose(model.oob_decision_function_, sums / asked[:, None])
    assert model.oob_score_ == np.mean(sums.argmax(axis=1) == y)


@pytest.mark.parametrize(
    "options",
    [
        {"max_features": 2},
        {"max_features": 0.5, "bootstrap_features": True},
        {"bootstrap": False, "max_samples": 0.6},
    ],
)
def test_rows_and_columns(iris, options, tmp_path):
    X, y = iris
    model = BaggingClassifier(None, 12, random_state=0, **options).fit(X, y)
    assert model.score(X, y) > 0.9
    if "max_features" in options:
        assert max(len(columns) for columns in model.estimators_features_) <= 2
    if options.get("bootstrap") is False:
        assert all(len(np.unique(rows)) == len(rows) == 90 for rows in model.estimators_samples_)
    model.save(tmp_path / "bag.vaglio")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "bag.vaglio").predict_proba(X), model.predict_proba(X))


def test_a_sample_may_lack_a_class(iris):
    X, y = iris
    few = np.r_[0:50, 50:100, 100:101]
    model = BaggingClassifier(None, 10, max_samples=0.3, random_state=0).fit(X[few], y[few])
    assert any(len(member.classes) == 2 for member in model.fitted_.model.members)
    assert model.predict_proba(X).shape == (150, 3)


def test_the_same_for_any_number_of_threads(iris):
    X, y = iris
    one, two = (BaggingClassifier(None, 9, n_jobs=n, random_state=4).fit(X, y) for n in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_foreign_estimators_are_not_saved_and_nothing_is_written(iris, tmp_path):
    X, y = iris
    model = BaggingClassifier(LogisticRegression(max_iter=500), 3, random_state=0).fit(X, y)
    with pytest.raises(NotSupportedError, match="LogisticRegression"):
        model.save(tmp_path / "bag.vaglio")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("estimator", [None, Ridge()])
def test_the_regressor(estimator):
    X, y = make_friedman1(300, random_state=0)
    model = BaggingRegressor(estimator, 20, oob_score=True, random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.6
    assert abs(model.oob_score_ - model.score(X[200:], y[200:])) < 0.15


def test_out_of_bag_needs_bootstrap(iris):
    with pytest.raises(InputError, match="bootstrap=True"):
        BaggingClassifier(None, 3, bootstrap=False, oob_score=True).fit(*iris)


def test_more_rows_than_there_are(iris):
    with pytest.raises(InputError, match="150 rows"):
        BaggingClassifier(None, 3, max_samples=151).fit(*iris)


def test_explanations(iris):
    X, y = iris
    for estimator in (None, KNeighborsClassifier()):
        explanation = BaggingClassifier(estimator, 6, random_state=0).fit(X, y).explain(X[:1])[0]
        assert explanation.decision == 0
        assert explanation.notes


@pytest.mark.parametrize("member", [vaglio.Perceptron(random_state=0), vaglio.SVC()], ids=["perceptron", "svm"])
def test_members_without_probabilities_vote(member):
    X, y = vaglio.datasets.load("iris").xy()
    model = vaglio.BaggingClassifier(member, 5, random_state=0).fit(X, y)
    votes = np.array([each.decide(model.fitted_.codebook.encode(X)) for each in model.fitted_.model.members])
    shares = np.array([(votes == k).mean(axis=0) for k in range(3)]).T
    np.testing.assert_allclose(model.predict_proba(X), shares)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("member", [vaglio.LogisticRegression(), vaglio.SVC(), LogisticRegression(max_iter=500)])
def test_decision_values_are_the_mean_of_the_members(iris, member):
    X, y = iris
    model = BaggingClassifier(member, 4, max_features=3, random_state=0).fit(X, y)
    parts = zip(model.estimators_, model.estimators_features_)
    expected = np.mean([one.decision_function(X[:, columns]) for one, columns in parts], axis=0)
    np.testing.assert_allclose(model.decision_function(X), expected)


def test_members_without_decision_values_give_none(iris):
    assert not hasattr(BaggingClassifier(), "decision_function")
    assert not hasattr(BaggingClassifier(KNeighborsClassifier()).fit(*iris), "decision_function")


def test_a_member_that_lacks_a_class_has_no_decision_values_to_average(iris):
    X, y = iris[0][:101], iris[1][:101]  # one row of the third class
    model = BaggingClassifier(vaglio.LogisticRegression(), 20, random_state=1).fit(X, y)
    with pytest.raises(InputError, match="has not seen every class"):
        model.decision_function(X)


class _Watched(vaglio.LogisticRegression):
    """A learner of the user's, whose ``fit`` does something more."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = len(X)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("ensemble", [BaggingClassifier, vaglio.AdaBoostClassifier])
def test_a_fit_of_ones_own_is_called(iris, ensemble):
    X, y = iris
    model = ensemble(_Watched(), n_estimators=3, random_state=0).fit(X, y)
    assert [member.seen_ for member in model.estimators_] == [len(X)] * len(model.estimators_)
    assert model.score(X, y) > 0.9


@pytest.mark.filterwarnings("ignore:The model already has 4 members")
@pytest.mark.parametrize("n", [4, 7])
def test_a_warm_start_is_a_fit_from_the_start(iris, n):
    X, y = iris
    warm = BaggingClassifier(None, 4, max_features=3, warm_start=True, random_state=0).fit(X, y)
    first = list(warm.estimators_)
    warm.set_params(n_estimators=n).fit(X, y)
    assert warm.estimators_[:4] == first
    cold = BaggingClassifier(None, n, max_features=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(warm.predict_proba(X), cold.predict_proba(X))
    for name in ("estimators_samples_", "estimators_features_"):
        np.testing.assert_array_equal(getattr(warm, name), getattr(cold, name))


def test_a_warm_start_refuses_what_it_cannot_go_on_from(iris):
    X, y = iris
    model = BaggingClassifier(None, 4, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(InputError, match="already has 4 members"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(InputError, match="columns and classes of the previous fit"):
        model.set_params(n_estimators=6).fit(X, y + 1)
    with pytest.raises(InputError, match="Use warm_start=False"):
        model.set_params(oob_score=True).fit(X, y)
    with pytest.warns(DataWarning, match="warm_start trained no further"):
        model.set_params(oob_score=False, n_estimators=4).fit(X, y)


@pytest.mark.parametrize("learner", [BaggingClassifier, vaglio.RandomForestClassifier])
def test_out_of_bag_estimates_are_those_of_the_last_fit(iris, learner):
    model = learner(n_estimators=30, oob_score=True, random_state=0).fit(*iris)
    assert model.oob_score_ > 0.9
    model.set_params(oob_score=False).fit(*iris)
    assert not hasattr(model, "oob_score_")
    assert not hasattr(model, "oob_decision_function_")


@pytest.mark.parametrize("n_estimators", [2, 5, 11])
def test_disjoint_groups_divide_the_rows(n_estimators):
    X, y = vaglio.datasets.load("iris").xy("species")
    options = {"n_estimators": n_estimators, "bootstrap": "disjoint"}
    member = vaglio.KNeighborsClassifier(n_neighbors=1)
    bag = vaglio.BaggingClassifier(member, **options, random_state=1).fit(X.to_frame(), y)
    samples = bag.estimators_samples_
    assert np.array_equal(np.sort(np.concatenate(samples)), np.arange(150))
    assert {len(rows) for rows in samples} <= {150 // n_estimators, -(-150 // n_estimators)}
    # Each member is the learner trained on its group alone.
    frame, labels = X.to_frame(), np.asarray(y)
    alone = [vaglio.KNeighborsClassifier(n_neighbors=1).fit(frame.iloc[rows], labels[rows]) for rows in samples]
    assert all((a.predict(frame) == b.predict(frame)).all() for a, b in zip(alone, bag.estimators_, strict=True))
    # Another seed divides them otherwise; the same seed alike.
    other = vaglio.BaggingClassifier(**options, random_state=2).fit(X, y)
    assert not all(np.array_equal(a, b) for a, b in zip(samples, other.estimators_samples_, strict=True))


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"max_samples": 0.5}, "disjoint-with-other-draws"),
        ({"n_estimators": 151}, "more-groups-than-rows"),
    ],
)
def test_disjoint_groups_that_cannot_be_are_refused(options, code):
    X, y = vaglio.datasets.load("iris").xy("species")
    with pytest.raises(InputError) as refused:
        vaglio.BaggingClassifier(bootstrap="disjoint", **options).fit(X, y)
    assert refused.value.message.code == code
