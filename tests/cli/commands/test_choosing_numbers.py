"""``compare``, ``select`` and ``tune`` of a numeric target."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here

import vaglio

TARGET = ("--target", "body_mass_g", "--jobs", "1")


@pytest.mark.slow
def test_compare_by_errors(penguins, tmp_path):
    out = tmp_path / "c.json"
    learners = ("-l", "cart", "-l", "linear")
    found = run_here("compare", penguins, *TARGET, *learners, "--folds", "3", "--accuracy-only", "--out", out)
    assert found.code == 0, found.err
    assert "R²" in found.out
    assert "RMSE" in found.out
    assert "accuracy" not in found.out
    rows = json.loads(out.read_text())["learners"]
    assert rows[0]["learner"] == "linear"
    assert 0.7 < rows[0]["R²"] < 0.95
    italian = run_here("--lang", "it", "compare", penguins, *TARGET, *learners, "--folds", "3", "--accuracy-only")
    assert "di R² su quattro tabelle simili" in italian.out


def test_the_learners_of_numbers_are_the_default(penguins, monkeypatch):
    asked = {}
    monkeypatch.setattr("vaglio.evaluation.compare", lambda rows, **options: asked.update(options) or 1 / 0)
    run_here("compare", penguins, *TARGET)
    assert asked["learners"] == list(vaglio.learners.registry.ONE_PER_FAMILY["regression"])


@pytest.mark.slow
def test_select_and_tune_keep_a_model_of_numbers(penguins, tmp_path):
    model = tmp_path / "m.vaglio"
    options = ("--folds", "3", "--trials", "2", "--out", model)
    found = run_here("select", penguins, *TARGET, *options, "-l", "cart", "-l", "linear", "--accept", "rmse < 500")
    assert found.code == 0, found.err
    assert "R² 0.8" in found.out
    assert "Accepted: rmse is" in found.out
    kept = vaglio.load(model)
    assert kept.task == "regression"
    assert {"rmse", "mae", "r2"} <= set(kept.provenance["scores"])
    rejected = run_here("tune", penguins, *TARGET, *options, "--scoring", "rmse", "--accept", "rmse < 100")
    assert rejected.code == 3, rejected.err
    assert "Chosen: cart" in rejected.out
    assert "RMSE" in rejected.out


def test_costs_of_a_unit_are_kept_in_the_recipe(penguins, tmp_path):
    model = tmp_path / "m.vaglio"
    options = ("--folds", "2", "--trials", "1", "--out", model, "-l", "gradient-boosting", "--cost", "over=1,under=3")
    found = run_here("tune", penguins, *TARGET, *options)
    assert found.code == 0, found.err
    assert "mean cost" in found.out
    kept = vaglio.load(model)
    assert kept.params["quantile"] == 0.75
    assert "cost='over=1,under=3'" in kept.provenance["python"]
    assert "--cost over=1,under=3" in kept.provenance["command"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("compare", "-l", "c45", "-l", "knn"), "predicts classes, not numbers"),
        (("select", "-l", "c45"), "predicts classes, not numbers"),
        (("tune", "-l", "c45"), "predicts classes, not numbers"),
        (("select", "--scoring", "accuracy"), "score of predicted classes"),
        (("select", "--accept", "accuracy > 0.5"), "measure of predicted classes"),
    ],
)
def test_what_is_for_classes_alone_is_refused_before_the_work(penguins, arguments, told):
    command, *more = arguments
    found = run_here(command, penguins, "--target", "bill_length_mm", *more)
    assert found.code != 0
    assert told in found.err


def test_the_task_may_be_told(penguins, tmp_path):
    model = tmp_path / "m.vaglio"
    learner = ("--learner", "cart", "--folds", "2", "--trials", "1", "--out", model)
    run_here("tune", penguins, "--target", "year", *learner, "--task", "regression")
    kept = vaglio.load(model)
    assert kept.task == "regression"
    assert "task='regression'" in kept.provenance["python"]
