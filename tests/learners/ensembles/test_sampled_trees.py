"""Bagged trees that share one table are those of a table per sample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.learners.ensembles.estimators import bagging


def table(n=300, seed=0):
    """Columns of few and many values and of categories, with values missing, three classes and weights."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "few": rng.integers(0, 6, n).astype(float),
            "colour": rng.choice(["red", "green", "blue"], n),
            "town": rng.choice([f"town{i}" for i in range(20)], n),
        }
    )
    y = (frame.x > 0).astype(int) + (frame.colour == "red")
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)
    return frame.mask(rng.random(frame.shape) < 0.05), y, rng.random(n) + 0.1


def same_members(one, other):
    for a, b in zip(one.estimators_, other.estimators_, strict=True):
        (arrays, meta), (expected, described) = a.fitted_.model.state(), b.fitted_.model.state()
        assert meta == described
        assert arrays.keys() == expected.keys()
        for name in arrays:
            np.testing.assert_array_equal(arrays[name], expected[name], err_msg=name)
        assert a.get_params() == b.get_params()
        assert a.fitted_.params == b.fitted_.params
        np.testing.assert_array_equal(a.classes_, b.classes_) if hasattr(b, "classes_") else None


def both_ways(monkeypatch, ensemble, *given, **weights):
    shared = ensemble.fit(*given, **weights)
    members = shared.estimators_, shared.predict(given[0])
    asked = []
    monkeypatch.setattr(bagging, "share_a_table", lambda *about: asked.append(about))
    apart = type(ensemble)(**ensemble.get_params(deep=False)).fit(*given, **weights)
    assert asked
    assert len(members[0]) == len(apart.estimators_)
    np.testing.assert_array_equal(members[1], apart.predict(given[0]))
    same_members(shared, apart)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": "entropy", "min_samples_leaf": 4},
        {"criterion": "gain_ratio", "nominal_split": "multiway", "missing": "fractional", "pruning": "error_based"},
        {"min_samples_split": 0.05, "max_features": 2, "high_cardinality": 0.02},
        {"ccp_alpha": 0.01, "missing": "branch"},
        {"max_leaf_nodes": 9, "shrinkage": 5.0},
        {"splitter": "random", "max_depth": 5},
        {"class_weight": "balanced"},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_of_classes(monkeypatch, options, weighted):
    X, y, weight = table()
    ensemble = vaglio.BaggingClassifier(vaglio.DecisionTreeClassifier(**options), n_estimators=4, random_state=1)
    both_ways(monkeypatch, ensemble, X, y, **({"sample_weight": weight} if weighted else {}))


@pytest.mark.parametrize("sampling", [{"max_samples": 0.5}, {"bootstrap": False, "max_samples": 0.6}, {"n_jobs": 2}])
def test_of_other_samples(monkeypatch, sampling):
    X, y, _ = table(seed=3)
    both_ways(monkeypatch, vaglio.BaggingClassifier(n_estimators=4, random_state=1, **sampling), X, y)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_of_numbers(monkeypatch, criterion):
    X, y, weight = table(seed=4)
    tree = vaglio.DecisionTreeRegressor(criterion=criterion, min_samples_leaf=3)
    ensemble = vaglio.BaggingRegressor(tree, n_estimators=3, random_state=1)
    both_ways(monkeypatch, ensemble, X, y + weight.round(1), sample_weight=weight)


def test_a_sample_may_lack_a_class(monkeypatch):
    X, y, _ = table(40, seed=5)
    y = np.where(np.arange(40) == 7, 3, np.minimum(y, 1))
    ensemble = vaglio.BaggingClassifier(n_estimators=12, random_state=0)
    both_ways(monkeypatch, ensemble, X, y)
    assert {len(member.classes_) for member in ensemble.estimators_} == {2, 3}
