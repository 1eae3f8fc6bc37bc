"""An ensemble's file: what it holds is checked, also inside its members."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio import AdaBoostClassifier
from vaglio.encode import Feature
from vaglio.errors import ModelFileError
from vaglio.model.ensembles.ensemble import Ensemble

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
