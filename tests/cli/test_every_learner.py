"""Every learner of the registry with the commands train, inspect, predict, rules, export and explain."""

from __future__ import annotations

import json

import pytest
from tests.contracts.estimators import others_nightly

from vaglio.learners.registry import LEARNERS, REGRESSORS

from .conftest import run_here

# Models of many trees are many pages in every format; a few trees ask the same questions.
FEW = {
    "gradient-boosting": ["--set", "max_iter=5"],
    "adaboost": ["--set", "n_estimators=5"],
    "random-forest": ["--set", "n_estimators=10"],
    "bagging": ["--set", "n_estimators=5"],
}


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_train_inspect_predict(learner, penguins, tmp_path):
    use_every_command("species", learner, penguins, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(REGRESSORS))
def test_train_inspect_predict_numbers(learner, penguins, tmp_path):
    use_every_command("body_mass_g", learner, penguins, tmp_path)


def use_every_command(target, learner, penguins, tmp_path):
    model, out = tmp_path / "m.vaglio", tmp_path / "predictions.csv"
    options = ["--target", target, "--learner", learner, *FEW.get(learner, []), "--holdout", "0.3"]
    trained = run_here("train", penguins, *options, "-o", model)
    assert trained.code == 0, trained.err
    assert ("accuracy" if target == "species" else "RMSE") in trained.out
    inspected = run_here("inspect", model)
    assert inspected.code == 0, inspected.err
    assert learner in inspected.out
    predicted = run_here("predict", model, penguins, "--out", out)
    assert predicted.code == 0, predicted.err
    assert len(out.read_text().splitlines()) == 345
    rules = run_here("rules", model)
    formats = json.loads(run_here("export", model, "--json").out)["formats"]
    assert rules.code == (0 if "text" in formats else 1)
    if learner != "additive":  # whose text is a table per term
        assert ("IF " in rules.out) == (rules.code == 0)
    for format in formats:
        place = ["--out", out.with_name("model.onnx")] if format == "onnx" else []  # a binary file
        assert run_here("export", model, "--format", format, *place).code == 0
    explained = run_here("explain", model, penguins, "--row", "339")
    assert explained.code == 0, explained.err
    assert ("because" if target == "species" else "predicted") in explained.out
    assert "Row 339, " in explained.out
