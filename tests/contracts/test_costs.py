"""A cost matrix given to a training, a selection or a study is carried by the model of every learner.

A model with probabilities predicts the class of least expected cost everywhere: in Python, in its file, on the
command line and in its explanations. A learner without probabilities is trained with the costs as weights.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run_here
from tests.contracts.estimators import others_nightly

import vaglio
from vaglio.errors import DataWarning
from vaglio.evaluation import (
    CostMatrix,
    CostSensitiveClassifier,
    EvaluationPlan,
    UnitCost,
    evaluate_by_folds,
    train_and_evaluate,
)
from vaglio.fitted import Fitted
from vaglio.learners.registry import LEARNERS, REGRESSORS

pytestmark = pytest.mark.filterwarnings("ignore")

# Learners that give no probabilities with their default parameters.
BY_WEIGHTS = ("perceptron", "svm")
LABELS = ("high", "low", "mid")
# Far from symmetric, with a gain, a right prediction that costs something, and classes that are hardly worth an error.
COSTS = np.array([[-1.0, 40.0, 5.0], [1.0, 0.0, 0.5], [3.0, 20.0, 0.25]])


def rows(n: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Overlapping classes, so that probabilities are unsure; every learner takes the columns."""
    rng = np.random.default_rng(seed)
    y = rng.choice(LABELS, n)
    centre = np.select([y == "low", y == "mid"], [0.0, 1.5], 3.0)
    colour = np.where(rng.random(n) < 0.6, y, rng.choice(["low", "mid", "high"], n))
    frame = pd.DataFrame({"size": centre + rng.normal(0, 1.5, n), "colour": colour, "flag": rng.random(n) < 0.5})
    frame["size"] = frame["size"].round(2) + 5
    return frame, y


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("costs") / "table.csv"
    frame, y = rows()
    frame.assign(level=y).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def cost_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The costs with their classes in another order than the labels."""
    path = tmp_path_factory.mktemp("costs") / "costs.csv"
    order = [2, 0, 1]
    lines = [",".join(["", *(LABELS[j] for j in order)])]
    lines += [",".join([LABELS[i], *(repr(float(COSTS[i, j])) for j in order)]) for i in order]
    path.write_text("\n".join(lines) + "\n")
    return path


def cheapest(fitted: Fitted, X: Any) -> list[Any]:
    """The class of least expected cost of each row, by the definition."""
    assert fitted.classes is not None
    return [fitted.classes[int(np.argmin([sum(p * COSTS[:, j]) for j in range(3)]))] for p in fitted.predict_proba(X)]


def make(learner: str) -> Any:
    estimator = LEARNERS[learner].make()
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_every_way_to_a_model_carries_the_costs(learner: str, tmp_path: Path):
    X, y = rows()
    wrapped = CostSensitiveClassifier(make(learner), COSTS).fit(X, y)
    trained = train_and_evaluate(make(learner), vaglio.Table.from_any(X), y, EvaluationPlan(holdout=0.3), cost=COSTS)
    fitted = wrapped.fitted_
    assert isinstance(fitted, Fitted)
    np.testing.assert_array_equal(fitted.cost.matrix, COSTS)
    fitted.save(tmp_path / "m.vaglio")
    loaded = vaglio.load(tmp_path / "m.vaglio")
    if learner not in BY_WEIGHTS:
        wanted = cheapest(fitted, X)
        alone = fitted.with_decision_rule("argmax")
        assert wanted != alone.predict(X).tolist(), "costs as extreme as these change predictions"
        for model in (wrapped, wrapped.estimator_, fitted, loaded, alone.with_decision_rule("cost")):
            assert model.predict(X).tolist() == wanted
        assert fitted.predict_with_proba(X)[0].tolist() == wanted
        assert [fitted.predict(X[i : i + 1])[0] for i in range(5)] == wanted[:5], "row by row as all at once"
    else:
        plain = make(learner).fit(X, y)
        assert plain.predict(X).tolist() != fitted.predict(X).tolist(), "the costs are weights of the rows"
        assert loaded.predict(X).tolist() == fitted.predict(X).tolist() == wrapped.predict(X).tolist()
    for evaluation in (vaglio.evaluate(loaded, X, y), vaglio.evaluate(wrapped.estimator_, X, y)):
        codes = {label: i for i, label in enumerate(LABELS)}
        paid = [COSTS[codes[a], codes[b]] for a, b in zip(y, fitted.predict(X))]
        assert evaluation.mean_cost == pytest.approx(np.mean(paid))
        assert {"mean cost per row"} <= {row["measure"] for row in evaluation.to_dict()["measures"]}
    assert trained.evaluation is not None
    assert trained.evaluation.mean_cost is not None
    assert trained.estimator.fitted_.cost is not None


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_the_program_decides_by_costs(learner: str, table: Path, cost_file: Path, tmp_path: Path):
    model, out = tmp_path / "m.vaglio", tmp_path / "rows.csv"
    how = ("--target", "level", "--learner", learner, "--cost", cost_file, "-o", model, "--folds", "3")
    trained = run_here("train", table, *how)
    assert trained.code == 0, trained.err
    assert ("the costs as weights of the rows" if learner in BY_WEIGHTS else "least expected cost") in trained.out
    assert "mean cost per row" in trained.out
    assert "mean cost" in run_here("inspect", model).out
    fitted = vaglio.load(model)
    X, _ = vaglio.read(table, "level").xy()
    predicted = {}
    for decide in ((), ("--decide", "argmax")):
        assert run_here("predict", model, table, "--out", out, *decide).code == 0
        predicted[decide] = pd.read_csv(out)["predicted"].tolist()
    assert predicted[()] == fitted.predict(X).tolist()
    if learner not in BY_WEIGHTS:
        assert predicted[()] == cheapest(fitted, X)
        assert predicted[()] != predicted["--decide", "argmax"]
    assert predicted["--decide", "argmax"] == fitted.with_decision_rule("argmax").predict(X).tolist()
    evaluated = json.loads(run_here("evaluate", model, table, "--json").out)
    assert any(row["measure"] == "mean cost per row" for row in evaluated["measures"])


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_explanations_say_what_the_costs_decided(learner: str):
    X, y = rows()
    fitted = CostSensitiveClassifier(make(learner), COSTS).fit(X, y).fitted_
    few = X[:12]
    explanations = fitted.explain(few)
    assert [e.decision for e in explanations] == fitted.predict(few).tolist()
    if learner in BY_WEIGHTS:
        assert all(e.expected_costs is None for e in explanations)
        return
    expected = fitted.predict_proba(few) @ COSTS
    for explanation, costs, chance in zip(explanations, expected, fitted.predict_proba(few)):
        assert list(explanation.expected_costs) == list(LABELS)
        assert list(explanation.expected_costs.values()) == pytest.approx(costs.tolist(), abs=1e-12)
        assert explanation.likeliest == LABELS[int(np.argmax(chance))]
        assert "decided by least expected cost" in explanation.to_text()
        assert "decided by least expected cost" in explanation.to_html()
        assert explanation.to_dict()["expected_costs"] == explanation.expected_costs
        if explanation.counterfactual is not None:
            assert explanation.counterfactual.decision != explanation.decision
    alone = fitted.with_decision_rule("argmax").explain(few, counterfactual=False)
    assert [e.decision for e in alone] == fitted.with_decision_rule("argmax").predict(few).tolist()
    assert all(e.expected_costs is None for e in alone)


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_a_selection_and_a_study_hand_the_costs_on(learner: str):
    X, y = rows()
    study = vaglio.Study(
        X.assign(level=y), "level", learners={learner: make(learner)}, strategy="quick", cost=COSTS
    ).run(progress=False)
    assert study.fitted.cost is not None
    assert study.evaluation.mean_cost == pytest.approx(-study.selection.score)
    assert study.predict(X).tolist() == study.fitted.predict(X).tolist()
    if learner not in BY_WEIGHTS:
        assert study.fitted.predict(X).tolist() == cheapest(study.fitted, X)


@pytest.mark.parametrize(
    ("costs", "word"),
    [
        ({("low", "high"): 1}, None),
        ([[0, 1], [1, 0]], "3×3"),
        ([[0, 1, np.nan], [1, 0, 1], [1, 1, 0]], "finite"),
        ({("low", "none"): 1}, "not a .true, predicted. pair"),
        ({("low", "high"): "much"}, "not a number"),
        (CostMatrix(np.ones((2, 2)) - np.eye(2), ("low", "mid")), "no class 'high'"),
        ("nowhere.csv", "nowhere.csv"),
        ([["a"]], "square array of numbers"),
    ],
)
def test_costs_that_fit_and_costs_that_do_not(costs: Any, word: str | None):
    X, y = rows()
    fitted = make("naive-bayes").fit(X, y).fitted_
    if word is None:
        assert set(fitted.with_cost(costs).predict(X)) == {"low"}, "what costs nothing; the first among equals"
        return
    for give in (fitted.with_cost, lambda c: CostSensitiveClassifier(make("c45"), c).fit(X, y)):
        with pytest.raises(vaglio.errors.InputError, match=word):
            give(costs)


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(REGRESSORS))
def test_costs_of_a_unit_of_error_decide_the_quantile_or_are_said_to_be_reported_only(learner: str) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=600), "b": random.choice(list("xyz"), 600)})
    y = (3 * X["a"] + 2 * (X["b"] == "x") + random.normal(size=600)).to_numpy()
    cost, entry = {"over": 1, "under": 4}, REGRESSORS[learner]
    small = {"n_estimators": 10, "random_state": 0}

    def made() -> Any:
        estimator = entry.make()
        return estimator.set_params(**{name: v for name, v in small.items() if name in estimator.get_params()})

    def reached(**options: Any) -> tuple[float, float]:
        found = evaluate_by_folds(made(), X, y, n_splits=2, **options)
        costs = UnitCost(1, 4).of_rows(found.true, found.predicted)
        return float((found.true <= found.predicted).mean()), float(costs.mean())

    if entry.quantile is None:
        with pytest.warns(DataWarning, match="does not predict quantiles"):
            assert reached(cost=cost) == reached()
        return
    share, paid = reached(cost=cost)
    assert share == pytest.approx(0.8, abs=0.08)
    assert paid < 0.9 * reached()[1]
