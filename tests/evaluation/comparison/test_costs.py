"""With costs, learners are compared by what a row costs: order, intervals, tests, words and pictures."""

from __future__ import annotations

import json

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from tests.cli.conftest import run_here

import vaglio
from vaglio.evaluation.comparison.significance import Contrast

WORDS = "missed=50,alarm=1,of=yes"
SMALL = {"folds": 5, "noise": (0.2,), "missing": (), "sizes": ()}


def rows(n=300, seed=3):
    """A rare class that a sign finds, with many false alarms: who never sounds one is right most often."""
    rng = np.random.default_rng(seed)
    gone = rng.random(n) < 0.12
    sign = np.where(gone, rng.random(n) < 0.95, rng.random(n) < 0.3)
    return vaglio.Table.from_any({"sign": sign.astype(float), "gone": np.where(gone, "yes", "no")})


LEARNERS = {"bayes": vaglio.NaiveBayesClassifier(), "silent": DummyClassifier(strategy="constant", constant="no")}


@pytest.fixture(scope="module")
def found():
    return vaglio.compare(rows(), "gone", LEARNERS, cost=WORDS, **SMALL)


def test_the_order_is_that_of_the_costs_not_of_the_accuracy(found):
    by_accuracy = vaglio.compare(rows(), "gone", LEARNERS, **SMALL)
    first, last = (by_accuracy.to_rows()[k] for k in (0, -1))
    assert first["accuracy"] >= last["accuracy"]
    cheap, dear = found.to_rows()
    assert (cheap["learner"], dear["learner"]) == ("bayes", "silent")
    assert list(cheap)[1] == "mean cost"
    assert cheap["low"] < cheap["mean cost"] < cheap["high"]
    assert cheap["mean cost"] < dear["mean cost"]
    assert cheap["noise 20%"] >= 0
    assert cheap["saved"] > dear["saved"]


def test_the_costs_are_those_of_the_predictions_over_the_folds(found):
    report = found.ranked[0]
    assert report.score.value == pytest.approx(report.evaluation.mean_cost)
    assert np.mean(report.scores) == pytest.approx(report.score.value, rel=0.02)
    a, b = (next(r for r in found.reports if r.learner == found.pairs[0][side]) for side in "ab")
    assert found.pairs[0]["difference"] == pytest.approx(np.mean(a.scores) - np.mean(b.scores))


def test_money_comes_first_in_text_data_page_and_picture(found):
    assert found.differ("bayes", "silent")
    for shown in (found.to_text(), found.to_html()):
        assert shown.index("bayes costs least. The predictions cost") < shown.index("mean cost")
        assert "less per row than silent, which is significant" in shown
    data = json.loads(json.dumps(found.to_dict()))
    assert data["scoring"] == "minus mean cost"
    assert "costs least" in data["headline"][0]
    assert "costa di meno" in found.to_text(lang="it")
    axes = found.plot()
    assert axes.get_xlabel() == "mean cost per row"
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "bayes", "the cheapest is on top"
    plt.close("all")


def test_numbers_have_costs_too():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    learners = {"line": LinearRegression(), "mean": DummyRegressor()}
    found = vaglio.compare(x, x[:, 0] + rng.normal(size=200), learners, cost={"over": 1, "under": 3}, **SMALL)
    assert [row["learner"] for row in found.to_rows()] == ["line", "mean"]
    assert found.headline()[0].startswith("line costs least: ")
    assert found.differ("line", "mean")


def test_over_several_tables_the_cheapest_has_the_first_rank():
    tables = {str(seed): (rows(seed=seed), "gone") for seed in (1, 2, 3, 4)}
    found = vaglio.compare(tables, learners=LEARNERS, cost=WORDS, folds=3)
    assert [row["learner"] for row in found.to_rows()] == ["bayes", "silent"]
    assert found.to_rows()[0]["mean rank"] == 1
    assert all(costs["bayes"] < costs["silent"] for costs in found.by_table.values())


@pytest.mark.parametrize("n", [60, 400])
def test_equal_learners_rarely_differ_in_costs(n):
    """One sounds no alarm and misses a dear row now and then, the other always does: as dear, and never varying."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        dear = rng.random(n) < 0.12
        missed = np.where(dear & (rng.random(n) < 0.88 / (0.12 * 50)), 50.0, 0.0)
        difference = missed - np.where(dear, 0.0, 1.0)
        of_folds = difference.reshape(10, -1).mean(axis=1)
        found = Contrast.of_rows(difference, of_folds, n_train=0.9 * n, n_test=0.1 * n, shares=False, dearest=50)
        wrong += found.p < 0.05
    assert wrong <= 20


def test_a_dear_error_that_did_not_occur_is_allowed_for():
    """The tests and the interval of what is saved tell the same."""
    always = {"bayes": LEARNERS["bayes"], "alarm": DummyClassifier(strategy="constant", constant="yes")}
    result = vaglio.compare(rows(60), "gone", always, cost=WORDS, **SMALL)
    cheap = result.ranked[0]
    assert cheap.learner == "bayes"
    assert (cheap.evaluation.savings.saved.low > 0) == result.differ("bayes", "alarm")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [["--cost-missed", "50", "--cost-alarm", "1", "--positive", "yes"], ["--cost", "costs.csv"]],
)
def test_the_command_takes_the_same_costs(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vaglio.table.write(rows(), "rows.csv")
    (tmp_path / "costs.csv").write_text("true;no;yes\nno;0;1\nyes;50;0\n")
    learners = ["--learner", "naive-bayes", "--learner", "knn"]
    outcome = run_here(
        "compare", "rows.csv", "-t", "gone", *learners, "--folds", "4", "--accuracy-only", *options, "--json"
    )
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert found["learners"][0]["mean cost"] <= found["learners"][1]["mean cost"]
    shown = run_here("compare", "rows.csv", "-t", "gone", *learners, "--folds", "4", "--accuracy-only", *options)
    assert "--cost" in shown.err, "the commands that follow keep the costs"
    for command in (["evaluate", "rows.csv", "-t", "gone", "--learner", "naive-bayes", "--folds", "3"],):
        assert run_here(*command, *options).err.count("--cost") >= 2
    assert run_here("compare", "rows.csv", "-t", "gone", "--cost", "none.csv").code == 2
