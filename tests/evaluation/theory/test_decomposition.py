"""Bias, variance and noise; the majority of independent learners."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import LinearRegression

import vaglio
from vaglio import BaggingClassifier, CARTClassifier, DecisionTreeClassifier, DecisionTreeRegressor, bias_variance
from vaglio.cli.main import main
from vaglio.errors import InputError
from vaglio.evaluation import majority_vote_error
from vaglio.learners.registry import LEARNERS


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


def flipped_rows(n: int, share: float, columns: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes on both sides of a line, a share of the labels turned over: the noise is share·(1 − share)."""
    random = np.random.default_rng(seed)
    X = random.random((n, columns))
    return X, ((X[:, 0] + X[:, 1] > 1) ^ (random.random(n) < share)).astype(int)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_noise_of_classes_from_neighbours(share):
    X, y = flipped_rows(1500, share)
    parts = bias_variance(DecisionTreeClassifier(max_depth=6), X, y, n_rounds=5, random_state=0)
    assert parts.noise_source == "neighbours"
    assert parts.noise == pytest.approx(share * (1 - share), abs=0.02)
    assert "noise from neighbors" in str(parts)


@pytest.mark.parametrize("deviation", [0.1, 0.5])
def test_noise_of_numbers_from_neighbours(deviation):
    random = np.random.default_rng(1)
    X = random.random((1500, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + deviation * random.standard_normal(1500)
    parts = bias_variance(DecisionTreeRegressor(max_depth=6), X, y, n_rounds=5, random_state=0)
    assert parts.noise == pytest.approx(deviation**2, rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 1e9])
def test_the_parts_of_numbers_are_those_of_many_training_sets(unit):
    """Of a known function: its bias and variance from 400 fresh training sets, and the noise that was added."""
    random = np.random.default_rng(0)

    def rows(n):
        X = random.random((n, 1))
        return X, unit * (np.sin(6 * X[:, 0]) + 0.3 * random.standard_normal(n))

    grid = np.linspace(0, 1, 200)[:, None]
    tree = DecisionTreeRegressor(max_depth=3)
    drawn = np.array([tree.fit(*rows(200)).predict(grid) for _ in range(400)])
    bias = float(np.square(drawn.mean(axis=0) - unit * np.sin(6 * grid[:, 0])).mean())
    parts = bias_variance(tree, *rows(600), noise=(0.3 * unit) ** 2, n_rounds=100, random_state=0)
    assert parts.train_rows == 200
    assert parts.variance == pytest.approx(drawn.var(axis=0).mean(), rel=0.25)
    assert parts.bias == pytest.approx(bias, abs=0.012 * unit**2)
    assert parts.error == pytest.approx(parts.bias + parts.variance + parts.noise, rel=1e-12)
    assert len(str(parts)) < 150


def test_few_whole_numbers_are_numbers_to_a_regressor():
    random = np.random.default_rng(0)
    X = random.random((300, 1))
    parts = bias_variance(DecisionTreeRegressor(max_depth=2), X, np.round(3 * X[:, 0]), n_rounds=4, random_state=0)
    assert 0 < parts.error < 0.2


def test_one_contradicting_pair_says_nothing_of_the_other_rows():
    X, y = vaglio.datasets.load("iris").xy("species")
    X, y = X.to_frame(), np.asarray(y)
    odd = np.flatnonzero(y != y[0])[0]
    X.iloc[odd] = X.iloc[0]
    parts = bias_variance(DecisionTreeClassifier(), X, y, n_rounds=10, random_state=0)
    assert parts.noise < 0.03
    assert parts.bias > 0


def test_equal_rows_count_by_their_share():
    X, y = flipped_rows(1000, 0.2)
    X[:500] = X[:10].repeat(50, axis=0)
    y[:500] = (X[:500].sum(axis=1) > 1) ^ (np.random.default_rng(5).random(500) < 0.4)
    parts = bias_variance(DecisionTreeClassifier(max_depth=3), X, y, n_rounds=5, random_state=0)
    assert parts.noise_source == "equal rows and neighbours"
    assert parts.noise == pytest.approx(0.5 * 0.4 * 0.6 + 0.5 * 0.2 * 0.8, abs=0.03)


def test_bias_and_noise_together_where_no_rows_are_alike():
    X, y = flipped_rows(200, 0.2, columns=60)
    parts = bias_variance(DecisionTreeClassifier(), X, y, n_rounds=5, random_state=0)
    assert (parts.noise_source, parts.noise) == ("", 0.0)
    assert "bias² and noise together" in str(parts)
    assert parts.error == pytest.approx(parts.bias + parts.variance)
    given = bias_variance(DecisionTreeClassifier(), X, y, n_rounds=5, noise=0.16, random_state=0)
    assert (given.noise_source, given.noise) == ("given", 0.16)
    assert "as given" in str(given)


def test_variance_of_the_training_set_is_no_bias():
    random = np.random.default_rng(0)
    X = random.random((300, 2))
    off = 0.5 * random.standard_normal(300)
    y = np.sin(6 * X[:, 0]) + off
    parts = bias_variance(DecisionTreeRegressor(), X, y, noise=float((off**2).mean()), n_rounds=30, random_state=0)
    assert abs(parts.bias) < 0.06
    assert parts.variance > 0.2
    assert parts.train_rows == 100


def test_all_learners_have_the_noise_of_the_table():
    X, y = flipped_rows(600, 0.1)
    learners = (DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier(), BaggingClassifier(None, 5))
    assert len({bias_variance(each, X, y, n_rounds=4, random_state=0).noise for each in learners}) == 1


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


@pytest.mark.slow
def test_the_command_divides_the_error_as_the_function_does(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["evaluate", "iris", "--target", "species", "--learner", "cart", "--folds", "3", "--bias-variance"]
    with pytest.raises(SystemExit):
        main([*command, "--json"])
    shown = json.loads(capsys.readouterr().out)["bias_variance"]
    X, y = vaglio.datasets.load("iris").xy("species")
    learner = LEARNERS["cart"].make().set_params(random_state=0)
    assert shown == bias_variance(learner, X, y, random_state=0).to_dict()
    with pytest.raises(SystemExit):
        main([*command, "--lang", "it"])
    assert "bias²" in capsys.readouterr().out
