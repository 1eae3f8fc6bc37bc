"""Votes and AdaBoost of numbers against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.svm import SVR

import vaglio
from vaglio.errors import InputError, ModelFileError, NotSupportedError
from vaglio.fitted.file import from_bytes, to_bytes


def diabetes() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    return X[:200], y[:200]


def test_a_vote_of_numbers_is_the_weighted_mean_of_its_members():
    X, y = diabetes()
    vote = vaglio.VotingRegressor(["linear", ("tree", vaglio.DecisionTreeRegressor(max_depth=3)), ("ridge", Ridge())])
    vote.set_params(weights=[1, 2, 5]).fit(X, y)
    alone = [vaglio.LinearRegression(), vaglio.DecisionTreeRegressor(max_depth=3), Ridge()]
    said = np.column_stack([member.fit(X, y).predict(X) for member in alone])
    np.testing.assert_allclose(vote.transform(X), said)
    np.testing.assert_allclose(vote.predict(X), said @ [1, 2, 5] / 8)
    assert vote.get_feature_names_out().tolist() == [f"votingregressor_{n}" for n in ("linear", "tree", "ridge")]
    with pytest.raises(InputError, match="'ripper' predicts classes, not numbers"):
        vaglio.VotingRegressor(["ripper"]).fit(X, y)
    with pytest.raises(InputError, match="'linear' predicts numbers, not classes"):
        vaglio.VotingClassifier(["linear"]).fit(X, y > 100)


def test_a_vote_of_numbers_says_what_its_members_say_and_is_saved_and_exported():
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    vote = vaglio.VotingRegressor(["linear", "cart"]).fit(X, y)
    why = vote.explain(X[[0]], counterfactual=False)[0]
    assert sum(reason.weight for reason in why.reasons) == pytest.approx(why.decision)
    assert {note.values["member"] for note in why.notes} == {"linear", "cart"}
    again = from_bytes(to_bytes(vote.fitted_))
    np.testing.assert_array_equal(again.predict(X), vote.predict(X))
    assert again.predict_one(X.to_frame().iloc[3].to_dict()) == pytest.approx(vote.predict(X)[3])
    assert {"c", "javascript", "onnx", "pmml"} <= set(vaglio.fitted.export_formats(vote.fitted_))


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_rounds_follow_drucker(loss: str):
    """Weights, errors and the median, computed from the members alone."""
    X, y = diabetes()
    model = vaglio.AdaBoostRegressor(n_estimators=8, loss=loss, learning_rate=0.7, random_state=1).fit(X, y)
    share = np.full(len(y), 1 / len(y))
    said = np.column_stack([member.predict(X) for member in model.estimators_])
    for column, error, weight in zip(said.T, model.estimator_errors_, model.estimator_weights_):
        part = np.abs(column - y) / np.abs(column - y).max()
        losses = {"linear": part, "square": part**2, "exponential": 1 - np.exp(-part)}[loss]
        assert error == pytest.approx(share @ losses)
        assert weight == pytest.approx(0.7 * np.log((1 - error) / error))
        share = share * (error / (1 - error)) ** (0.7 * (1 - losses))
        share /= share.sum()
    for row, numbers in enumerate(said):
        below = [model.estimator_weights_[numbers <= value].sum() for value in numbers]
        half = model.estimator_weights_.sum() / 2
        assert model.predict(X[[row]])[0] == min(v for v, w in zip(numbers, below) if w >= half)
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_adaboost_is_better_than_one_of_its_trees_and_takes_any_member():
    X, y = load_diabetes(return_X_y=True)
    one = vaglio.DecisionTreeRegressor(max_depth=3).fit(X[:300], y[:300]).score(X[300:], y[300:])
    many = vaglio.AdaBoostRegressor(random_state=0).fit(X[:300], y[:300])
    assert many.score(X[300:], y[300:]) > one + 0.05
    foreign = vaglio.AdaBoostRegressor(SVR(kernel="linear", C=100), n_estimators=5, random_state=0).fit(X, y)
    assert foreign.score(X, y) > 0.3
    with pytest.raises(NotSupportedError, match="cannot be saved"):
        to_bytes(foreign.fitted_)


def test_a_median_is_explained_by_the_member_in_the_middle_and_exported_by_no_sum():
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    model = vaglio.AdaBoostRegressor(n_estimators=7, random_state=0).fit(X, y)
    explained = model.explain(X[[0, 5, 9]], counterfactual=False)
    assert [why.decision for why in explained] == model.predict(X[[0, 5, 9]]).tolist()
    assert all("weighted median of 7 members" in str(why) for why in explained)
    assert all(why.reasons for why in explained)
    with pytest.raises(NotSupportedError, match="median"):
        model.fitted_.export("sql")
    data = from_bytes(to_bytes(model.fitted_))
    np.testing.assert_array_equal(data.predict(X), model.predict(X))
    arrays, meta = model.fitted_.model.state()
    with pytest.raises(ModelFileError, match="its vote is unknown"):
        type(model.fitted_.model).from_state(arrays, {**meta, "vote": "hard"}, model.fitted_.codebook.features, 0)


def test_a_perfect_member_ends_the_rounds():
    X = np.arange(20.0)[:, None]
    model = vaglio.AdaBoostRegressor(random_state=0).fit(X, np.full(20, 3.0))
    assert len(model.estimators_) == 1
    np.testing.assert_array_equal(model.predict(X), 3.0)
