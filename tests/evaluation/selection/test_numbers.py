"""Numbers as targets: comparing, choosing and tuning go by errors, the mean and quantiles, not by classes."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score, root_mean_squared_error
from sklearn.tree import DecisionTreeRegressor

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import RegressionEvaluation, SplitRules, make_folds
from vaglio.evaluation.comparison.significance import Contrast
from vaglio.evaluation.metrics.scoring import resolve_scorer, row_scores

LEARNERS = {"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=3), "mean": DummyRegressor()}
FAST = {"noise": (), "missing": (), "sizes": ()}


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def compared(diabetes):
    return vaglio.compare(*diabetes, learners=LEARNERS, folds=5)


def test_learners_are_compared_by_their_errors(diabetes, compared):
    X, y = diabetes
    predicted = np.empty_like(y)
    scores = []
    for train, test in make_folds(y, 5, rules=SplitRules(seed=0), task="regression"):
        predicted[test] = LinearRegression().fit(X[train], y[train]).predict(X[test])
        scores.append(r2_score(y[test], predicted[test]))
    assert compared.task == "regression"
    rows = {row["learner"]: row for row in compared.to_rows()}
    assert list(rows) == ["line", "tree", "mean"]
    line = rows["line"]
    assert "accuracy" not in line
    assert line["R²"] == pytest.approx(r2_score(y, predicted))
    assert line["RMSE"] == pytest.approx(root_mean_squared_error(y, predicted))
    assert line["low"] < line["R²"] < line["high"]
    assert compared.reports[0].scores == pytest.approx(scores)
    assert line["noise 20%"] < line["R²"]
    assert compared.differ("line", "mean")
    told = " ".join(map(str, compared.notes()))
    assert "line and mean differ significantly" in told
    assert "in R² on four of five such tables" in told
    assert "mean: R² 0.0" in told
    assert "line: R²" not in told
    assert json.loads(json.dumps(compared.to_dict()))["task"] == "regression"


@pytest.mark.slow
def test_repeated_folds_allow_for_the_rows_they_share(diabetes):
    once = vaglio.compare(*diabetes, learners=LEARNERS, folds=3, **FAST)
    thrice = vaglio.compare(*diabetes, learners=LEARNERS, folds=3, repeats=3, **FAST)
    for one, more in zip(once.reports, thrice.reports, strict=True):
        assert 0.7 < (more.score.high - more.score.low) / (one.score.high - one.score.low) < 1.4


@pytest.mark.slow
def test_learners_over_several_tables(diabetes):
    X, y = diabetes
    tables = {"all": (X, y), "half": (X[::2], y[::2]), "few": (X[:, :4], y)}
    found = vaglio.compare(tables, learners=LEARNERS, folds=3, **FAST)
    assert found.task == "regression"
    assert found.to_rows()[-1]["learner"] == "mean"
    with pytest.raises(InputError, match="different tasks"):
        vaglio.compare({"few": tables["few"], "classes": (X, y > 140)}, learners=["linear"], folds=2)


def test_equal_learners_seldom_differ_whatever_the_unit(diabetes):
    """The test of numbers holds its level: ridge on half of the columns each, of pure noise."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = 1e9 * rng.standard_t(3, 60)
        a, b = (-np.square(y - 1e9 * rng.normal(size=60)) / np.var(y) for _ in range(2))
        of_folds = (a - b).reshape(10, 6).mean(axis=1)
        found += Contrast.of_rows(a - b, of_folds, n_train=54, n_test=6, shares=False).p < 0.05
    assert found <= 6


@pytest.mark.parametrize("scoring", ["r2", "mae", "mse"])
def test_what_rows_contribute_has_the_weighted_score_as_its_mean(scoring):
    rng = np.random.default_rng(0)
    y, predicted, weight = rng.normal(size=30), rng.normal(size=30), rng.integers(1, 5, 30).astype(float)
    scorer = resolve_scorer(scoring, None, "regression")[1]
    score = scorer._sign * scorer._score_func(y, predicted, sample_weight=weight)
    assert row_scores(scorer, y, predicted, weight).mean() == pytest.approx(score)
    assert row_scores(scorer, y, predicted).mean() == pytest.approx(scorer._sign * scorer._score_func(y, predicted))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["zero", "quick", "standard", "validation", "cross-validation"])
def test_every_strategy_selects_by_errors(diabetes, strategy):
    found = vaglio.select(*diabetes, learners=["cart", "linear"], strategy=strategy, folds=3, n_iter=1)
    assert isinstance(found.evaluation, RegressionEvaluation)
    assert found.scoring == "r2"
    assert found.task == "regression"
    assert "R²" in str(found.headline())
    assert "accuracy" not in found.to_text()
    assert found.score == pytest.approx(found.evaluation.r2)
    assert vaglio.load(_saved(found)).task == "regression"


def _saved(selection):
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "m.vaglio"
    selection.fitted.save(path)
    return path


def test_a_loss_is_told_as_a_loss(diabetes):
    found = vaglio.select(*diabetes, learners=LEARNERS, folds=3, search="none", scoring="rmse", outer_folds=3)
    assert found.best.learner == "line"
    assert f"RMSE {found.evaluation.rmse:.1f}"[:7] in str(found.headline())
    best = found.by_learner()[0]
    assert best["score"] == pytest.approx(-found.best.score)
    assert 50 < best["score"] < 60
    assert found.choices()[0]["inner score"] > 0
    told = next(str(note) for note in found.notes() if "Nested" in str(note))
    # The inner loss is lower than the outer one where the choice was optimistic.
    assert ("lower" in told) == (-found.best.score < -found.score)


def test_a_race_stops_what_is_clearly_worse(diabetes):
    learners = {"line": LinearRegression(), "mean": DummyRegressor()}
    found = vaglio.select(*diabetes, learners=learners, folds=5, search="none", race=True)
    assert [trial.learner for trial in found.stopped] == ["mean"]
    assert any("paired test of the rows" in str(note) for note in found.notes())
    with pytest.raises(InputError, match="Select by r2 and mae"):
        vaglio.select(*diabetes, learners=learners, race=True, scoring="rmse")


@pytest.mark.slow
def test_costs_of_a_unit_of_error_decide_the_quantile(diabetes):
    cost = {"over": 1, "under": 3}
    found = vaglio.select(*diabetes, learners=["gradient-boosting", "cart"], folds=3, n_iter=1, cost=cost)
    assert found.best_estimator.quantile == 0.75
    assert found.best_estimator.loss == "quantile"
    assert found.evaluation.mean_cost == pytest.approx(-found.score)
    assert "mean cost" in str(found.headline())
    with pytest.warns(vaglio.errors.DataWarning, match="does not predict quantiles"):
        vaglio.tune("cart", *diabetes, folds=3, n_iter=1, cost=cost)


@pytest.mark.slow
@pytest.mark.parametrize("search", ["grid", "halving"])
def test_parameters_of_one_learner_are_tuned(diabetes, search):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        space = {"max_depth": [1, 2, 3], "ccp_alpha": [0.0]}
        found = vaglio.tune("cart", *diabetes, space, folds=3, search=search, scoring="neg_mean_absolute_error")
    assert found.best.learner == "cart"
    assert found.measure == "MAE"


@pytest.mark.slow
def test_the_task_decides_about_whole_numbers(diabetes):
    X, y = diabetes
    few = np.round(y / 40)
    assert vaglio.select(X, few, learners=["cart"], folds=3, search="none").task == "classification"
    assert vaglio.select(X, few, learners=["cart"], folds=3, search="none", task="regression").task == "regression"
    assert vaglio.compare(X, few, learners=["linear", "svm"], folds=3, **FAST).task == "regression"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"learners": ["c45"]}, "predicts classes, not numbers"),
        ({"learners": ["linear"], "scoring": "accuracy"}, "is a score of predicted classes"),
        ({"learners": ["linear"], "cost": [[0, 1], [1, 0]]}, "cost is that of a unit of error"),
    ],
)
def test_what_is_for_classes_alone_is_refused(diabetes, options, told):
    with pytest.raises(InputError, match=told):
        vaglio.select(*diabetes, folds=3, **options)


def test_a_constant_target_is_refused(diabetes):
    with pytest.raises(InputError, match="in every row"):
        vaglio.select(diabetes[0], np.full(442, 2.5), learners=["linear"])


@pytest.mark.slow
def test_the_same_choice_in_processes(diabetes, monkeypatch):
    monkeypatch.setattr("vaglio.evaluation.tasks.LONG_WORK", 0.0)
    one, two = (
        vaglio.compare(*diabetes, learners=["cart", "linear"], folds=3, n_jobs=n, **FAST).to_rows() for n in (1, 2)
    )
    for a, b in zip(one, two, strict=True):
        assert {k: v for k, v in a.items() if not k.endswith(" s")} == {
            k: v for k, v in b.items() if not k.endswith(" s")
        }


@pytest.mark.slow
def test_rows_on_disk_are_chosen_on_by_errors(diabetes, tmp_path):
    X, y = diabetes
    path = tmp_path / "d.csv"
    rows = np.column_stack([X[:, :4], y])
    path.write_text("a,b,c,d,y\n" + "\n".join(",".join(map(str, row)) for row in rows.tolist()))
    found = vaglio.select(vaglio.scan(path), "y", learners=["cart"], folds=2, n_iter=1)
    assert found.task == "regression"
    assert "R²" in str(found.headline())
