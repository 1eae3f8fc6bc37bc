"""An ensemble's file: what it holds is checked, also inside its members."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier

import vaglio
from vaglio import AdaBoostClassifier
from vaglio.encode import Feature
from vaglio.errors import ModelFileError, NotSupportedError
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.ensembles.model import Ensemble

FEATURES = (Feature("x0"), Feature("x1"))


@pytest.fixture
def state():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    return AdaBoostClassifier(n_estimators=4, random_state=0).fit(X, y).fitted_.model.state()


def test_it_is_read_back(state):
    assert len(Ensemble.from_state(*state, FEATURES, 2).members) == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("0:classes", np.array([0, 5])),
        ("0:classes", np.array([0, 0])),
        ("1:features", np.array([1, 0])),
        ("1:features", np.array([7])),
        ("2.threshold", np.array([np.nan])),
        ("2.first_child", np.full(3, 2**30, np.int32)),
    ],
)
def test_hostile_arrays_are_refused(state, name, value):
    arrays, meta = state
    with pytest.raises(ModelFileError):
        Ensemble.from_state(arrays | {name: value}, meta, FEATURES, 2)


def test_hostile_descriptions_are_refused(state):
    arrays, meta = state
    member = meta["members"][0]
    wrong = [
        {"vote": "mean"},
        {"vote": "loud"},
        {"members": []},
        {"members": "many"},
        {"members": [None]},
        {"members": [member | {"weight": -1.0}]},
        {"members": [member | {"weight": 0.0}]},
        {"members": [member | {"kind": "ensemble"}]},
        {"members": [member | {"kind": "unheard of"}]},
        {"members": [member | {"model": 3}]},
    ]
    for entry in wrong:
        with pytest.raises(ModelFileError):
            Ensemble.from_state(arrays, meta | entry, FEATURES, 2)


def test_members_of_another_library_vote_by_their_labels():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["x", "y", "z"])[y]
    model = vaglio.BaggingClassifier(RidgeClassifier(), n_estimators=3, random_state=0).fit(X, labels)
    members = [member.model.estimator.predict(X) for member in model.fitted_.model.members]
    votes = np.array([[(found == label).sum() for label in "xyz"] for found in np.array(members).T])
    np.testing.assert_allclose(model.predict_proba(X), votes / 3)
    assert model.fitted_.model.members[0].model.size() == {"estimators": 1}
    with pytest.raises(NotSupportedError, match="An ensemble of RidgeClassifier cannot be saved"):
        to_bytes(model.fitted_)


@pytest.mark.parametrize(
    ("ensemble", "why"),
    [
        (vaglio.BaggingClassifier(vaglio.Perceptron(), 2), "has no rules"),
        (vaglio.BaggingClassifier(vaglio.C45Classifier(), 2, voting="hard"), "distribute a row with missing values"),
        (vaglio.BaggingClassifier(vaglio.RandomForestClassifier(2), 2, voting="hard"), "its members are forests"),
    ],
    ids=["perceptron", "shared rows", "forests"],
)
def test_an_ensemble_without_rules_says_why(ensemble, why):
    X, y = vaglio.datasets.load("play").xy("play")
    model = ensemble.set_params(random_state=0).fit(X, y).fitted_
    with pytest.raises(NotSupportedError, match=why):
        model.model.rules(model.codebook.features, model.classes)


def test_the_last_stage_is_the_prediction():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(vaglio.C45Classifier(max_depth=1), n_estimators=5, random_state=0).fit(X, y)
    rows = model._encode(X)
    stages = list(model.fitted_.model.staged(rows))
    assert len(stages) == len(model.fitted_.model.members) > 2
    for stage in stages:
        np.testing.assert_allclose(stage.sum(axis=1), 1)
    np.testing.assert_allclose(stages[-1], model.fitted_.model.predict_proba(rows))


def test_an_ensemble_of_numbers_is_read_back():
    X, y = load_iris(return_X_y=True)
    fitted = vaglio.BaggingRegressor(n_estimators=2, random_state=0).fit(X, y * 1.5).fitted_
    again = from_bytes(to_bytes(fitted))
    assert again.classes is None
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
