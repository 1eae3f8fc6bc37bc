"""The whole flow on small tables, with our own learners."""

from __future__ import annotations

import json

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.quality import Policy

LEARNERS = ["naive-bayes", "c45"]


@pytest.fixture(scope="module")
def study() -> vaglio.Study:
    return vaglio.Study(
        vaglio.datasets.load("penguins"), "species", learners=LEARNERS, selection_options={"folds": 3, "n_iter": 3}
    ).run(progress=False)


@pytest.mark.slow
def test_it_ends_with_a_model_that_predicts_explains_and_can_be_saved(study, tmp_path):
    X, y = vaglio.datasets.load("penguins").xy("species")
    assert (study.predict(X) == y).mean() > 0.9
    path = tmp_path / "penguins.vaglio"
    study.fitted.save(path)
    loaded = vaglio.load(path)
    np.testing.assert_array_equal(loaded.predict(X), study.predict(X))
    assert loaded.provenance["selection"]["reliability"] == "very good"
    assert loaded.provenance["target"] == "species"
    assert study.explain(X[[0]])[0].decision == study.predict(X[[0]])[0]


def test_every_part_is_there(study):
    assert study.audit.target == "species"
    assert study.evaluation.n_rows == pytest.approx(0.2 * 344, abs=1)
    assert {trial.learner for trial in study.selection.trials} == set(LEARNERS)
    data = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert data["selection"]["learner"] in LEARNERS
    assert "Reliability: very good" in repr(study)
    assert "<table" in study._repr_html_()


@pytest.mark.slow
def test_same_seed_same_study(study):
    again = vaglio.Study(
        vaglio.datasets.load("penguins"), "species", learners=LEARNERS, selection_options={"folds": 3, "n_iter": 3}
    ).run(progress=False)
    assert json.dumps(study.fitted.params) == json.dumps(again.fitted.params)
    np.testing.assert_array_equal(study.evaluation.scores, again.evaluation.scores)


def test_costs_go_through_to_the_decision():
    rng = np.random.default_rng(0)
    y = np.array(["ill", "well"])[rng.integers(0, 2, 200)]
    table = vaglio.Table.from_any({"a": rng.normal(size=200) + (y == "ill"), "y": y})
    plain, careful = (
        vaglio.Study(table, "y", learners=["naive-bayes"], strategy="quick", cost=cost).run(progress=False)
        for cost in (None, {("ill", "well"): 20, ("well", "ill"): 1})
    )
    assert (careful.predict(table) == "ill").sum() > (plain.predict(table) == "ill").sum()
    assert careful.cost_matrix is not None
    assert plain.cost_matrix is None


def test_cleaning_first():
    rng = np.random.default_rng(1)
    y = np.tile(["p", "q"], 50)
    table = vaglio.Table.from_any(
        {"key": [f"k{i}" for i in range(100)], "same": ["x"] * 100, "a": rng.normal(size=100) + (y == "p"), "y": y}
    )
    study = vaglio.Study(table, "y", learners=["naive-bayes"], strategy="quick", clean=Policy()).run(progress=False)
    assert len(study.cleaning_log) == 2
    assert [feature.name for feature in study.fitted.codebook.features] == ["a"]
    with pytest.raises(InputError, match="Costs by row"):
        vaglio.Study(table, "y", cost=np.ones(100), clean=Policy()).run()


def test_side_by_side_on_request():
    study = vaglio.Study(vaglio.datasets.load("play"), "play", learners=LEARNERS, strategy="zero").run(progress=False)
    assert len(study.comparison.reports) == 2


def test_before_it_has_run():
    study = vaglio.Study(vaglio.datasets.load("play"), "play")
    assert "not run yet" in repr(study)
    assert "not run yet" in study._repr_html_()
    with pytest.raises(InputError, match=r"Call run\(\) first"):
        study.evaluation  # noqa: B018
    with pytest.raises(InputError, match="Name the target"):
        vaglio.Study(vaglio.Table.from_any({"a": [1.0, 2.0]}))


@pytest.mark.slow
def test_a_study_of_numbers():
    table = vaglio.datasets.load("penguins").take(np.arange(0, 344, 3))
    options = {"folds": 3, "search": "none"}
    study = vaglio.Study(table, "body_mass_g", learners=["cart", "linear"], selection_options=options).run()
    assert study.evaluation.task == "regression"
    assert "target body_mass_g, a number." in study.summary()[0]
    assert "accuracy" not in study.to_text()
    assert study.comparison.task == "regression"
    found = study.fitted
    assert found.task == "regression"
    assert study.predict(table)[:3] == pytest.approx(found.predict(table)[:3])
    assert "<table" in study.to_html()
    json.dumps(study.to_dict())
    again = vaglio.Study.of_results(study.table, "body_mass_g", study.audit, study.selection)
    assert again.rows.task == "regression"


def test_the_task_of_a_study_may_be_told():
    table = vaglio.datasets.load("penguins")
    options = {"strategy": "quick", "selection_options": {"search": "none"}}
    asked = vaglio.Study(table, "year", learners=["cart"], task="regression", **options)
    assert asked.run().evaluation.task == "regression"
    assert vaglio.Study(table, "year", learners=["cart"], **options).rows.task == "classification"
