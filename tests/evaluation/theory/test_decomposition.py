"""Bias, variance and noise; the majority of independent learners."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import LinearRegression

import vaglio
from vaglio import BaggingClassifier, CARTClassifier, DecisionTreeClassifier, DecisionTreeRegressor, bias_variance
from vaglio.errors import InputError
from vaglio.evaluation import majority_vote_error


@pytest.fixture(scope="module")
def moons():
    return make_moons(400, noise=0.3, random_state=0)


def test_the_parts_sum_to_the_error(moons):
    parts = bias_variance(CARTClassifier(), *moons, n_rounds=15, random_state=0)
    assert parts.error == pytest.approx(parts.bias + parts.variance + parts.noise)
    assert "bias²" in str(parts)


def test_bagging_lowers_variance(moons):
    alone = bias_variance(DecisionTreeClassifier(), *moons, n_rounds=15, random_state=0)
    bagged = bias_variance(BaggingClassifier(None, 15), *moons, n_rounds=15, random_state=0)
    assert bagged.variance < 0.7 * alone.variance
    assert abs(bagged.bias - alone.bias) < 0.05


def test_noise_from_equal_rows():
    random = np.random.default_rng(0)
    X = np.repeat(np.arange(40.0), 40)[:, None]
    y = 2 * X[:, 0] + random.standard_normal(1600)
    parts = bias_variance(LinearRegression(), X, y, n_rounds=10, random_state=0)
    assert parts.noise == pytest.approx(1.0, abs=0.1)
    assert parts.bias < 0.1
    assert parts.variance < 0.05
    flipped = np.where(random.random(1600) < 0.2, 1 - (X[:, 0] > 19), X[:, 0] > 19).astype(int)
    parts = bias_variance(DecisionTreeClassifier(max_depth=1), X, flipped, n_rounds=10, random_state=0)
    assert parts.noise == pytest.approx(0.2 * 0.8, abs=0.02)


def test_against_complexity():
    random = np.random.default_rng(0)
    X = random.random((300, 1))
    y = np.sin(6 * X[:, 0]) + 0.3 * random.standard_normal(300)
    curve = bias_variance(
        DecisionTreeRegressor(),
        X,
        y,
        param_name="max_depth",
        param_range=[1, 3, 9],
        n_rounds=10,
        random_state=0,
    )
    assert curve.parts[0].bias > curve.parts[2].bias
    assert curve.parts[0].variance < curve.parts[2].variance
    assert len(curve.plot().get_lines()) == 4


def test_a_table_as_rows():
    X, y = vaglio.datasets.load("penguins").xy("species")
    parts = bias_variance(CARTClassifier(), X, y, n_rounds=4, n_jobs=2, random_state=0)
    again = bias_variance(CARTClassifier(), X, y, n_rounds=4, random_state=0)
    assert parts == again
    assert 0 <= parts.error < 0.2


def test_one_round_has_no_variance(moons):
    with pytest.raises(InputError, match="at least 2"):
        bias_variance(CARTClassifier(), *moons, n_rounds=1)


def test_three_learners_with_an_error_of_a_third():
    assert majority_vote_error(1 / 3, 3) == pytest.approx(7 / 27)
    assert majority_vote_error([1 / 3] * 3) == pytest.approx(7 / 27)


@pytest.mark.parametrize("errors", [[0.1, 0.4, 0.3], [0.2, 0.5, 0.6, 0.1], [0.3]])
def test_every_outcome_counted(errors):
    total = 0.0
    for outcome in product([False, True], repeat=len(errors)):
        chance = np.prod([e if wrong else 1 - e for e, wrong in zip(errors, outcome)])
        share = sum(outcome) / len(errors)
        total += chance * (share > 0.5) + 0.5 * chance * (share == 0.5)
    assert majority_vote_error(errors) == pytest.approx(total)


@pytest.mark.parametrize("wrong", [(1.5, 3), (0.2, None), (0.2, 0), ([], None)])
def test_impossible_questions(wrong):
    with pytest.raises(InputError):
        majority_vote_error(*wrong)
