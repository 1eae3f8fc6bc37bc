"""Nominal columns of many values: noise costs little, what values tell is found, and few values are never touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.learners.registry import LEARNERS, REGRESSORS, Learner

# One branch or one cell per value is what the first two are; the audit says so. The others count words, or are made of
# other learners.
_EXEMPT = {"id3", "joint-bayes", "multinomial-nb", "bernoulli-nb", "voting"}
_SMALL = {
    "random-forest": {"n_estimators": 20},
    "bagging": {"n_estimators": 10},
    "adaboost": {"n_estimators": 10},
    "mlp": {"hidden_layer_sizes": (20,), "max_iter": 60},
    "perceptron": {"max_iter": 50},
    "gaussian-mixture": {"max_components": 2},
}
_LEARNERS = [pytest.param(learner, id=learner.id) for learner in LEARNERS.values() if learner.id not in _EXEMPT]
_GUARDED = [each for each in _LEARNERS if "high_cardinality" in each.values[0].make().get_params()]
_SAYING = [
    each
    for each in _GUARDED
    if each.values[0].family != "trees"
    and each.id != "random-forest"  # trees correct in every node, the others once for the whole table
    and each.values[0].make().high_cardinality is not None
]

# A condition, a vote and a step of a network cannot count in part.
_WHOLLY = [
    each
    for each in _SAYING
    if (each.values[0].family in ("rules", "ensembles") or each.id == "mlp") and each.id != "gradient-boosting"
]


def _make(learner: Learner, **params: Any) -> Any:
    made = learner.make(**_SMALL.get(learner.id, {}), **params)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


def _noise(random: np.random.Generator, values: int, rows: int) -> list[str]:
    return [f"v{code}" for code in random.integers(0, values, rows)]


def _told(seed: int = 3, rows: int = 1000) -> tuple[pd.DataFrame, np.ndarray]:
    """Three classes that a number and a category of four values tell, of which two are rare."""
    random = np.random.default_rng(seed)
    y = random.choice(3, rows, p=[0.6, 0.25, 0.15])
    category = np.where(random.random(rows) < 0.7, y, random.integers(0, 4, rows))
    return pd.DataFrame({"number": random.normal(size=rows) + 1.5 * y, "category": [f"c{c}" for c in category]}), y


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", _LEARNERS)
def test_columns_of_noise_cost_little(learner: Learner) -> None:
    X, y = _told()
    random = np.random.default_rng(5)
    noisy = X.assign(**{f"noise{j}": _noise(random, 75, len(X)) for j in range(6)})
    train, test = slice(300), slice(300, None)
    without = _make(learner).fit(X[train], y[train]).score(X[test], y[test])
    assert _make(learner).fit(noisy[train], y[train]).score(noisy[test], y[test]) > without - 0.04


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", REGRESSORS.values(), ids=lambda learner: learner.id)
def test_columns_of_noise_cost_little_of_a_number(learner: Learner) -> None:
    X, classes = _told()
    random = np.random.default_rng(5)
    y = 2 * classes + 0.7 * random.normal(size=len(X))
    noisy = X.assign(**{f"noise{j}": _noise(random, 75, len(X)) for j in range(6)})
    train, test = slice(300), slice(300, None)
    without = _make(learner).fit(X[train], y[train]).score(X[test], y[test])
    assert _make(learner).fit(noisy[train], y[train]).score(noisy[test], y[test]) > without - 0.04


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", REGRESSORS.values(), ids=lambda learner: learner.id)
def test_what_many_values_tell_of_a_number_is_found(learner: Learner) -> None:
    X, classes = _planted(0.9)
    y = 3 * classes + 0.5 * np.random.default_rng(0).normal(size=len(X))
    assert _make(learner).fit(X[:500], y[:500]).score(X[500:], y[500:]) > 0.3  # at most 0.6


def _planted(share: float) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of fifty values, twenty rows per value; of each value one of two classes has this share."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 50, 1000)
    often = np.where(random.random(50) < 0.5, 1 - share, share)
    y = (random.random(1000) < often[codes]).astype(int)
    return pd.DataFrame({"code": [f"v{code}" for code in codes], "number": random.normal(size=1000)}), y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", _LEARNERS)
def test_what_many_values_tell_is_found(learner: Learner) -> None:
    X, y = _planted(0.9)
    assert _make(learner).fit(X[:500], y[:500]).score(X[500:], y[500:]) > 0.7  # at most 0.9


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", _WHOLLY)
@pytest.mark.parametrize(("share", "used"), [(0.8, True), (0.65, False)])
def test_learners_that_cannot_believe_in_part_believe_what_tells_more_than_chance(
    learner: Learner, share: float, used: bool
) -> None:
    X, y = (part[:500] for part in _planted(share))
    model = _make(learner).fit(X, y)
    assert model.reliability_["code"] > 0
    others = X.assign(code=X["code"].iloc[::-1].to_numpy())
    assert (model.predict(others) != model.predict(X)).any() == used


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", _GUARDED)
def test_the_guard_can_be_switched_off_and_leaves_ten_values_alone(learner: Learner) -> None:
    random = np.random.default_rng(2)
    X, y = _told(rows=150)
    X["ten"] = random.choice(list("abcdefghij"), 150)
    proba = [_make(learner, high_cardinality=guard).fit(X, y).predict(X) for guard in (0.0, None)]
    assert (proba[0] == proba[1]).all()
    X["noise"] = _noise(random, 40, 150)
    free = _make(learner, high_cardinality=None).fit(X, y)
    assert getattr(free, "reliability_", {}) == {}
    assert "reliability" not in free.fitted_.provenance


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", _SAYING)
def test_a_model_says_what_it_left_out_and_keeps_it_in_its_file(learner: Learner, tmp_path: Any) -> None:
    random = np.random.default_rng(4)
    X, y = _told(rows=300)
    X = X.assign(noise=_noise(random, 75, 300), place=[f"p{12 * c + random.integers(12)}" for c in y])
    model = _make(learner).fit(X, y)
    assert set(model.reliability_) == {"noise", "place"}
    assert model.reliability_["noise"] == 0
    assert model.reliability_["place"] > 0.5
    model.save(tmp_path / "model")
    loaded = vaglio.load(tmp_path / "model")
    assert loaded.provenance["reliability"] == model.reliability_
    rows = X.assign(noise=X["noise"].iloc[::-1].to_numpy())  # other values of the column left out change nothing
    assert (loaded.predict(rows) == model.predict(X)).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", _SAYING)
def test_the_first_part_is_corrected_as_a_whole_table(learner: Learner) -> None:
    random = np.random.default_rng(4)
    X, y = _told(rows=300)
    X = X.assign(noise=_noise(random, 75, 300))
    whole, part = _make(learner).fit(X, y), _make(learner)
    if not hasattr(part, "partial_fit"):
        pytest.skip("learns from a whole table only")
    part = part.partial_fit(X, y, classes=np.unique(y))
    assert part.reliability_ == whole.reliability_ == {"noise": 0.0}
