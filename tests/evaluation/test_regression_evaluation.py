"""Evaluations of predicted numbers: figures, their intervals, baselines, folds, and what is said about them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import sklearn.metrics
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import EvaluationPlan, RegressionEvaluation, UnitCost, evaluate_by_folds, train_and_evaluate
from vaglio.evaluation.figures import ALSO, FIGURES, names_of

SCIKIT_LEARN = {
    "rmse": sklearn.metrics.root_mean_squared_error,
    "mae": sklearn.metrics.mean_absolute_error,
    "median_ae": sklearn.metrics.median_absolute_error,
    "r2": sklearn.metrics.r2_score,
    "explained_variance": sklearn.metrics.explained_variance_score,
    "mape": sklearn.metrics.mean_absolute_percentage_error,
}


def drawn(n: int = 80, *, seed: int = 0, unit: float = 1.0, **options: object) -> RegressionEvaluation:
    """True numbers around 50 and predictions that are off by a few of them."""
    rng = np.random.default_rng(seed)
    true = 50 + 10 * rng.normal(size=n)
    return RegressionEvaluation.from_predictions(unit * true, unit * (true + 1 + 3 * rng.normal(size=n)), **options)


def table(n: int = 60, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 20 + X @ [3.0, 1.0, 0.0] + rng.normal(size=n)


@pytest.mark.parametrize("name", SCIKIT_LEARN)
@pytest.mark.parametrize("weighted", [False, True])
def test_figures_equal_those_of_scikit_learn(name: str, weighted: bool) -> None:
    weight = np.random.default_rng(1).integers(1, 5, 80).astype(float) if weighted else None
    e = drawn(sample_weight=weight)
    expected = SCIKIT_LEARN[name](e.true, e.predicted, sample_weight=weight)
    assert getattr(e, name) == pytest.approx(expected, rel=1e-12)
    assert float(e.estimate(name)) == pytest.approx(expected, rel=1e-12)


def test_bias_is_the_mean_of_predicted_minus_true() -> None:
    e = drawn()
    assert e.bias == pytest.approx((e.predicted - e.true).mean(), rel=1e-12)
    assert (e.residuals == e.true - e.predicted).all()


@pytest.mark.parametrize("n", [5, 60, 3000])
def test_every_figure_lies_in_an_interval_with_width(n: int) -> None:
    e = drawn(n, cost={"over": 1, "under": 3})
    for name in (*FIGURES["regression"], "mean_cost", "mean_error"):
        found = e.estimate(name)
        if name == "rows":
            assert math.isnan(found.low)
        else:
            assert found.low < found.value < found.high, name


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_another_unit_gives_the_same_figures_in_that_unit(unit: float) -> None:
    plain, scaled = (drawn(unit=u, cost=UnitCost(1, 3)) for u in (1.0, unit))
    for name in FIGURES["regression"]:
        one, other = plain.estimate(name), scaled.estimate(name)
        factor = unit if name in ("rmse", "mae", "median_ae", "bias", "cost") else 1.0
        assert (other.value, other.low, other.high) == pytest.approx(
            (one.value * factor, one.low * factor, one.high * factor), rel=1e-9, nan_ok=True
        ), name


def test_only_the_proportions_of_weights_count_and_rows_of_weight_zero_do_not() -> None:
    weight = np.where(np.arange(80) < 60, 1.0, 0.0)
    e, heavier = drawn(sample_weight=weight), drawn(sample_weight=7 * weight)
    kept = RegressionEvaluation.from_predictions(e.true[:60], e.predicted[:60])
    for name in ("rmse", "mae", "median_ae", "r2", "bias"):
        for other in (heavier, kept):
            assert other.estimate(name).to_dict() == pytest.approx(e.estimate(name).to_dict()), name


def test_figures_of_folds_are_about_the_learner_and_wider() -> None:
    X, y = table()
    folds = evaluate_by_folds(vaglio.LinearRegression(alpha=0.0), X, y, n_splits=5)
    alone = RegressionEvaluation.from_predictions(folds.true, folds.predicted)
    assert (folds.about, alone.about) == ("learner", "model")
    assert (folds.true == y).all()
    for name in ("rmse", "mae", "r2", "bias"):
        wide, narrow = folds.estimate(name), alone.estimate(name)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low), name
    assert [row["rows"] for row in folds.per_fold()] == [12] * 5
    assert [row["measure"] for row in folds.spread()] == ["RMSE", "MAE", "R²"]


def test_folds_have_the_same_share_of_small_and_large_numbers() -> None:
    y = table(200)[1]
    for _, test in vaglio.evaluation.make_folds(y, 10):
        assert abs(int((y[test] > np.median(y)).sum()) - 10) <= 1
    train, test = vaglio.evaluation.make_holdout(y, 0.3)
    assert abs((y[test] > np.median(y)).mean() - 0.5) < 0.02
    assert len(train) + len(test) == 200


def test_same_seed_same_intervals() -> None:
    assert drawn().estimate("rmse") == drawn().estimate("rmse")
    assert RegressionEvaluation.from_predictions([1, 2, 4], [1, 3, 5], seed=1).estimate("rmse") is not None


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_a_constant_prediction_is_said_to_be_no_better_than_the_mean(strategy: str) -> None:
    X, y = table(40)
    e = evaluate_by_folds(DummyRegressor(strategy=strategy), X, y, n_splits=5)
    assert e.advice[0].code in ("no-better-than-mean", "worse-than-mean")
    rows = {row["prediction"]: row for row in e.baselines()}
    assert rows["the mean"]["RMSE"] == pytest.approx(np.std(y))
    assert rows["the median"]["MAE"] == pytest.approx(np.abs(y - np.median(y)).mean())


def test_good_predictions_are_said_to_explain_the_variance() -> None:
    assert drawn().advice[0].code == "better-than-mean"
    assert "biased-high" in [line.code for line in drawn().advice]
    assert "biased-low" in [line.code for line in RegressionEvaluation.from_predictions(
        drawn().true, drawn().predicted - 4).advice]  # fmt: skip


def test_percentages_are_left_out_where_a_target_is_near_zero() -> None:
    e = drawn()
    true = e.true.copy()
    true[3] = 1e-3
    near = RegressionEvaluation.from_predictions(true, e.predicted)
    assert near.mape is None is near.estimate("mape")
    assert "no-percentages" in [line.code for line in near.advice]
    assert "MAPE" not in [row["measure"] for row in near.measures()]
    assert e.mape is not None


def test_what_cannot_be_measured_is_not_made_up() -> None:
    exact = RegressionEvaluation.from_predictions([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])
    assert (exact.rmse, exact.mae, exact.r2, exact.bias) == (0.0, 0.0, 1.0, 0.0)
    assert math.isnan(exact.estimate("rmse").low)
    constant = RegressionEvaluation.from_predictions([3.3, 3.3, 3.3], [3.0, 4.0, 5.0])
    assert constant.r2 is None is constant.explained_variance
    assert constant.advice[0].code == "constant-target"
    one = RegressionEvaluation.from_predictions([3.0], [5.0])
    assert (one.mae, one.r2) == (2.0, None)
    assert math.isnan(one.estimate("mae").low)
    assert one.to_dict()["measures"][0]["low"] is None


def test_asymmetric_costs_are_reported_and_decide_the_quantile() -> None:
    X, y = table(150)
    plan = EvaluationPlan(holdout=0.4)
    plain = train_and_evaluate(vaglio.HistGradientBoostingRegressor(random_state=0), X, y, plan)
    learner = vaglio.HistGradientBoostingRegressor(random_state=0)
    careful = train_and_evaluate(learner, X, y, plan, cost="over=1,under=9")
    assert (learner.loss, learner.quantile) == ("quantile", 0.9)
    over = [float((e.predicted > e.true).mean()) for e in (plain.evaluation, careful.evaluation)]
    assert over[1] > over[0] + 0.15
    assert (
        careful.evaluation.mean_cost
        < RegressionEvaluation.from_predictions(
            plain.evaluation.true, plain.evaluation.predicted, cost=UnitCost(1, 9)
        ).mean_cost
    )
    with pytest.warns(UserWarning, match="gradient-boosting"):
        found = evaluate_by_folds(vaglio.LinearRegression(), X, y, n_splits=3, cost={"over": 1, "under": 9})
    assert found.mean_cost > 0


@pytest.mark.parametrize("cost", ["over=-1", {"over": 0, "under": 0}, {"yes": 1}, "costs.csv", [[0, 1], [1, 0]]])
def test_other_costs_are_refused(cost: object) -> None:
    with pytest.raises(InputError):
        UnitCost.from_any(cost)


def test_evaluate_takes_models_of_vaglio_and_of_others() -> None:
    X, y = table()
    for model in (vaglio.LinearRegression(alpha=0.0), LinearRegression()):
        e = vaglio.evaluate(model.fit(X[:40], y[:40]), X[40:], y[40:], sample_weight=np.ones(20))
        assert isinstance(e, RegressionEvaluation)
        assert e.r2 == pytest.approx(model.score(X[40:], y[40:]))
    seen = vaglio.evaluate(vaglio.LinearRegression().fit(X, y).fitted_, X, y)
    assert seen.overlap is not None
    assert seen.overlap.what().code == "number-rows-used-for-training"


@pytest.mark.parametrize("option", [{"pos_label": "a"}, {"decide": "argmax"}])
def test_options_of_classes_are_refused(option: dict[str, object]) -> None:
    X, y = table()
    with pytest.raises(InputError, match="classes"):
        vaglio.evaluate(vaglio.LinearRegression().fit(X, y), X, y, **option)


@pytest.mark.parametrize(
    "plan", [EvaluationPlan(folds=3), EvaluationPlan(holdout=0.3), EvaluationPlan(holdout=0.3, repeat=3),
             EvaluationPlan(folds=3, repeat=2), EvaluationPlan(leave_one_out=True)], ids=str
)  # fmt: skip
def test_every_plan_works(plan: EvaluationPlan) -> None:
    X, y = table(24)
    found = train_and_evaluate(vaglio.LinearRegression(alpha=0.0), X, y, plan)
    assert isinstance(found.evaluation, RegressionEvaluation)
    assert found.evaluation.r2 > 0.3
    assert found.n_rows == (17 if plan.held_out else 24)


def test_criteria_of_acceptance() -> None:
    e = drawn()
    assert e.accept("rmse < 4 and r2 > 0.5 and mae.high < 4")
    assert not e.accept("rmse < 1 or bias < 0")
    with pytest.raises(InputError, match="accuracy is a measure of predicted classes"):
        e.accept("accuracy > 0.9")
    with pytest.raises(InputError, match="rmse is a measure of predicted numbers"):
        vaglio.evaluation.Evaluation.from_predictions(["a", "b"], ["a", "b"]).accept("rmse < 1")
    assert "rmse is" in str(RegressionEvaluation.from_predictions([1e6, 3e6], [2e6, 2e6]).accept("rmse < 1e7"))


def test_all_names_of_figures_are_told_apart() -> None:
    shared = set(FIGURES["classification"]) & set(FIGURES["regression"])
    assert shared == {"cost", "rows"}
    assert set(ALSO) <= {name for task in FIGURES for name in names_of(task)}


@pytest.mark.parametrize("lang", ["en", "it"])
def test_text_html_and_data_show_the_same_measures(lang: str) -> None:
    X, y = table()
    e = evaluate_by_folds(vaglio.LinearRegression(alpha=0.0), X, y, n_splits=5)
    written = e.to_text(lang=lang)
    for shown in (written, e.to_html(lang=lang)):
        assert "RMSE" in shown
        assert "R²" in shown
    data = e.to_dict()
    assert data["task"] == "regression"
    assert data["measures"][0]["value"] == e.rmse
    assert len(data["folds"]) == 5
    assert repr(e) == e.to_text()


@pytest.mark.parametrize("bad", [["a", "b"], [1.0, math.inf], [1.0], []])
def test_what_is_no_number_is_refused(bad: list[object]) -> None:
    with pytest.raises(InputError):
        RegressionEvaluation.from_predictions(bad, [1.0, 2.0])


OF_ALL_TARGETS = ("rmse", "mae", "r2", "explained_variance", "bias", "median_ae")


def _scaled(power: int) -> RegressionEvaluation:
    true = np.arange(60.0)  # a target of 0 among them
    error = np.random.default_rng(0).normal(size=60)
    return RegressionEvaluation.from_predictions(np.ldexp(true, power), np.ldexp(true + error, power))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-1000, -500, 20, 500, 1000])
def test_the_unit_of_the_target_changes_no_figure_and_no_interval(power):
    plain, scaled = _scaled(0), _scaled(power)
    for name in OF_ALL_TARGETS:
        at = 0 if name in ("r2", "explained_variance") else -power
        expected, found = plain.estimate(name), scaled.estimate(name)
        ends = [math.ldexp(value, at) for value in (found.value, found.low, found.high)]
        assert ends == pytest.approx([expected.value, expected.low, expected.high], rel=1e-9)
        assert expected.low < expected.value < expected.high


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-1000, 20, 1000])
def test_the_unit_of_the_target_changes_no_figure_of_a_fold_but_its_unit(power):
    plain, scaled = (dataclasses.replace(_scaled(each), folds=np.arange(60) % 3) for each in (0, power))
    for expected, found in zip([*plain.per_fold(), *plain.spread()], [*scaled.per_fold(), *scaled.spread()]):
        for name, value in found.items():
            in_units = name in ("RMSE", "MAE") or (isinstance(value, float) and found.get("measure") in ("RMSE", "MAE"))
            assert (math.ldexp(value, -power) if in_units else value) == expected[name]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("target", [1e-300, 1e-100, 1.0, 1e100, 1e300])
@pytest.mark.parametrize("error", [1e-300, 1e-100, 1.0, 1e100, 1e300])
def test_errors_and_targets_of_any_two_sizes(target, error):
    true = np.array([0.0, 1.0, 2.0, 0.5, 1.5]) * target
    found = RegressionEvaluation.from_predictions(true, true + np.array([0.5, -0.25, 0.125, 0.0, 0.0]) * error)
    for name in OF_ALL_TARGETS:
        estimate = found.estimate(name)
        assert not math.isnan(estimate.value)
        assert not estimate.low > estimate.value
    assert found.to_text()
