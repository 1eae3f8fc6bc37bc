"""The page Learn and its runs: choices, progress, results, cancelling, and what a restart finds."""

from __future__ import annotations

import json
import re
import time

import numpy as np
import pytest
from tests.studio.conftest import messy_table

import vaglio
from vaglio.learners.registry import LEARNERS
from vaglio.studio.jobs.runner import Jobs
from vaglio.studio.pages.runs import choose_run
from vaglio.studio.project.folder import Project


@pytest.mark.slow
def test_every_learner_has_a_card_with_its_parameters(learned):
    page = learned.get("/learn").text
    for name in LEARNERS:
        assert f'value="{name}"' in page
    assert 'name="c45.min_samples_leaf"' in page
    assert 'name="svm.kernel"' in page


@pytest.mark.slow
def test_results_are_those_of_the_command_line(learned):
    run = learned.studio.jobs.latest("learn")
    found = {each["id"]: each for each in run.result["learners"]}
    assert set(found) == {"c45", "ripper", "naive-bayes"}
    model = vaglio.load(run.folder / "c45.vaglio")
    assert model.digest == found["c45"]["digest"]
    assert 0.8 < found["c45"]["accuracy"][0] <= 1
    assert found["c45"]["rows"] == 103
    page = learned.get("/learn").text
    assert "hold-out set of 30%" in page
    assert 'class="chosen"' in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "where", "said"),
    [
        ({"learner": []}, "learners", "Choose at least one learner"),
        ({"learner": ["c45"], "c45.min_samples_leaf": "-3"}, "learner-c45", "min_samples_leaf"),
        ({"learner": ["c45"], "c45.no_such": "1"}, "learner-c45", "has no parameter"),
        ({"learner": ["c45"], "seed": "x"}, "seed", "must be an integer"),
        ({"learner": ["c45"], "cost.0-1": "much"}, "costs", "A cost must be a number"),
        ({"learner": ["c45"], "cost.0-1": "inf"}, "costs", "finite"),
        ({"learner": ["c45"], "cost.0-9": "1"}, "costs", "another table"),
        ({"learner": ["c45"], "cost.0-1": "1"}, "costs", "the cost of every error"),
        ({"learner": ["c45"], "cost.missed": "5", "cost.positive": "0"}, "costs", "another table"),
    ],
)
def test_a_wrong_choice_starts_nothing_and_is_said_beside_the_field(learned, fields, where, said):
    before = learned.studio.project.run_names()
    answer = learned.post("/learn/start", **{"plan": "folds_3", "seed": "0", **fields})
    assert answer.status_code == 422
    assert f'id="problem-{where}"' in answer.text
    assert said in answer.text
    assert learned.studio.project.run_names() == before


@pytest.mark.slow
def test_too_few_rows_for_the_folds(enter):
    visitor = enter()
    visitor.upload("few.csv", "a,y\n1,p\n2,q\n3,p\n4,q\n")
    visitor.post("/table/target", column="y")
    answer = visitor.post("/learn/start", learner=["c45"], plan="folds_10", seed="0")
    assert answer.status_code == 422
    assert "cannot be divided into 10 folds" in answer.text


@pytest.mark.slow
def test_without_a_table_or_a_class_the_page_says_so(enter):
    visitor = enter()
    assert "There is no table yet" in visitor.get("/learn").text
    visitor.upload("few.csv", "a,b\n1,2\n2,3\n")
    assert "Which column do you want to predict?" in visitor.get("/learn").text


@pytest.mark.slow
def test_a_learner_that_fails_does_not_stop_the_others(enter):
    visitor = enter()
    visitor.open("penguins")
    name = visitor.learn_here("joint-bayes", "c45", **{"joint-bayes.max_cells": "2"})
    result = {each["id"]: each["error"] for each in visitor.studio.jobs.get(name).result["learners"]}
    assert result["c45"] == ""
    assert result["joint-bayes"]
    assert result["joint-bayes"] in visitor.get("/learn").text.replace("&#39;", "'")


@pytest.mark.slow
def test_long_work_is_cancelled_at_once_and_found_after_a_restart(enter):
    visitor = enter()
    visitor.open("digits")
    many = {"random-forest.n_estimators": "5000"}
    visitor.post("/learn/start", learner=["naive-bayes", "random-forest"], plan="folds_10", seed="0", **many)
    run = visitor.studio.jobs.latest("learn")
    while not any(task["state"] == "running" for task in visitor.studio.jobs.get(run.name).progress["tasks"]):
        time.sleep(0.02)
    page = visitor.get("/learn").text
    assert "<progress" in page
    assert "Cancel" in page
    process = visitor.studio.jobs._processes[run.name]
    visitor.post("/learn/cancel", run=run.name)
    # Fifty thousand trees take minutes: a run that was waited for would be done, not cancelled.
    assert process.poll() is not None
    assert "cancelled" in visitor.get("/learn").text
    visitor.close()
    again = Jobs(Project(visitor.studio.project.folder))
    assert again.get(run.name).state == "cancelled"


@pytest.mark.slow
def test_a_run_ends_with_the_server(enter):
    visitor = enter()
    visitor.open("digits")
    visitor.post(
        "/learn/start", learner=["random-forest"], plan="folds_10", seed="0", **{"random-forest.n_estimators": "5000"}
    )
    process = next(iter(visitor.studio.jobs._processes.values()))
    visitor.close()
    assert process.poll() is not None


@pytest.mark.slow
def test_times_are_measured_and_learners_that_cannot_are_named(enter):
    visitor = enter()
    visitor.open("play")
    visitor.post("/learn/measure")
    visitor.wait("timing")
    known = visitor.studio.jobs.latest("timing").result["learners"]
    assert set(known) == set(LEARNERS)
    assert all((each["seconds"] is None) == bool(each["error"]) for each in known.values())
    assert "training time: less than a second" in visitor.get("/learn").text


@pytest.mark.slow
def test_an_earlier_state_of_the_table_is_said(enter):
    visitor = enter()
    visitor.open("play")
    visitor.learn_here("c45")
    visitor.post("/table/column", column="windy", role="ignored", at="column-3")
    assert "trained on a different state of the table" in visitor.get("/learn").text
    assert "There is no model of this table yet" in visitor.get("/compare").text
    assert np.unique([run.name for run in visitor.studio.jobs.all("learn")]).size == 1


PRICES = {"cost.missed": "5", "cost.alarm": "1,5", "cost.right": "0.5"}


@pytest.mark.slow
@pytest.mark.parametrize("positive", [0, 1])
def test_costs_in_a_sentence_lead_every_page(enter, positive):
    visitor = enter()
    visitor.upload("messy.csv", messy_table())
    visitor.post("/table/target", column="buys")
    page = visitor.get("/learn").text
    assert 'name="cost.missed"' in page
    visitor.learn_here("c45", "naive-bayes", **PRICES, **{"cost.positive": str(positive)})
    run = visitor.studio.jobs.latest("learn")
    labels = ["no", "yes"]
    yes, no = labels[positive], labels[1 - positive]
    given = {(each["true"], each["predicted"]): each["cost"] for each in run.request["cost"]}
    assert given == {(yes, no): 5.0, (no, yes): 1.5, (yes, yes): 0.5}
    models = choose_run(visitor.studio.jobs, visitor.studio.bench.need_table())
    for model in models:
        e = model.evaluation()
        names = np.array(e.labels)
        paid = [given.get(pair, 0.0) for pair in zip(names[e.true], names[e.predicted])]
        assert model.facts["mean_cost"] == pytest.approx(np.mean(paid))
        always = {label: np.mean([given.get((t, label), 0.0) for t in names[e.true]]) for label in labels}
        assert model.facts["trivial"]["cost"] == pytest.approx(min(always.values()))
        assert always[model.facts["trivial"]["label"]] == min(always.values())
    best = min(models, key=lambda model: model.facts["mean_cost"])
    for path in ("/learn", "/compare"):
        page = visitor.get(path).text
        assert re.search(rf'class="money">{best.id} costs .* against always predicting', page), path
        assert page.index(">Cost per row<") < page.index(">Accuracy</th>"), path
    data = json.loads(re.search(r'id="compare-data">(.*?)</script>', visitor.get(f"/compare?class={yes}").text)[1])
    assert data["cost"] == [1.5, 5.0, 0.5]
    assert data["start"] == round(100 * 1.5 / (1.5 + 5 - 0.5))
    # The form is as it was filled in, and the program repeats the model.
    page = visitor.get("/learn").text
    assert 'name="cost.alarm" value="1,5"' in page
    assert f"cost = {given!r}" in visitor.get(f"/export/program?model={best.name}").text


@pytest.mark.slow
def test_a_model_that_gives_one_answer_is_called_so(enter):
    visitor = enter()
    visitor.upload("messy.csv", messy_table())
    visitor.post("/table/target", column="buys")
    visitor.learn_here("naive-bayes", **{"cost.positive": "1", "cost.missed": "100000", "cost.alarm": "1"})
    page = visitor.get("/learn").text
    assert "naive-bayes gives every row of the evaluation the same class, yes." in page
    assert "saves nothing: always predicting yes costs" in page
