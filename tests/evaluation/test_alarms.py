"""What makes figures misleading is said before them, everywhere, with what mends it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.evaluation import Evaluation
from vaglio.report import report_html


def constant(cost=None):
    return Evaluation.from_predictions(["no"] * 80 + ["yes"] * 20, ["no"] * 100, cost=cost)


def leaking(folder):
    """A table whose column "why" is filled in only for one class."""
    rng = np.random.default_rng(0)
    gone = rng.random(200) < 0.3
    rows = "".join(f"{rng.normal() + g:.3f},{'price' if g else ''},{'yes' if g else 'no'}\n" for g in gone)
    path = folder / "rows.csv"
    path.write_text("x,why,gone\n" + rows)
    return path


def test_a_model_with_one_answer_is_named_and_the_trivial_policies_are_priced():
    alarm = constant("missed=10,alarm=1").alarms[0]
    assert alarm.kind == "constant"
    assert "always yes costs 0.8 per row, always no costs 2 per row" in alarm.message
    assert constant().to_text().startswith("WARNING: This model gives every row the same answer, no.")
    assert constant().to_html().startswith('<p role="alert"')
    assert constant().to_dict()["alarms"][0]["code"] == "constant-model"


@pytest.mark.parametrize(
    ("true", "predicted", "kind"),
    [(["a", "a"], ["a", "b"], "unusable"), (["a", "b", "a"], ["a", "b", "b"], "unusable"), (["a", "b"] * 40, None, "")],
)
def test_rows_that_are_too_few_or_of_one_class_are_no_estimate(true, predicted, kind):
    found = Evaluation.from_predictions(true, predicted or true).alarms
    assert [alarm.kind for alarm in found] == ([kind] if kind else [])


def test_rows_of_the_training_come_first():
    table = vaglio.datasets.load("iris")
    evaluation = vaglio.evaluate(vaglio.C45Classifier().fit(*table.xy("species")).fitted_, table, "species")
    assert evaluation.to_text().startswith("WARNING: 150 of 150 rows were used for training")


def test_numbers_that_are_all_the_same_are_named():
    X = np.arange(40.0)[:, None]
    model = vaglio.DecisionTreeRegressor(max_depth=1, min_samples_leaf=30).fit(X, X[:, 0])
    evaluation = vaglio.evaluate(model, X + 100, X[:, 0])
    assert [alarm.kind for alarm in evaluation.alarms] == ["constant"]


@pytest.mark.parametrize(
    "command",
    [
        ["train", "--learner", "c45", "--out", "m.vaglio"],
        ["evaluate", "--learner", "c45"],
        ["select", "--learner", "c45", "--strategy", "quick", "--out", "m.vaglio"],
        ["tune", "--learner", "c45", "--trials", "1", "--folds", "2", "--out", "m.vaglio"],
        ["report", "--learner", "c45", "--strategy", "quick", "--out", "r.html"],
    ],
    ids=lambda command: command[0],
)
def test_a_leak_stands_above_everything_with_the_command_that_mends_it(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    said = [name, leaking(tmp_path).name, "--target", "gone", *options]
    lines = run_here(*said).out.splitlines()
    assert lines[0].startswith("WARNING: Whether column 'why' is missing determines the class")
    mended = lines[1].removeprefix("Run: vaglio ").split()
    assert mended[-2:] == ["--ignore", "why"]
    assert "'why'" not in run_here(*mended).out
    found = json.loads(run_here(*said, "--json").out)["alarms"]
    assert found[0]["kind"] == "leak"
    assert found[0]["command"] == " ".join(["vaglio", *mended])


def test_the_page_begins_with_a_leak_and_the_data_have_it(tmp_path):
    study = vaglio.Study(leaking(tmp_path), "gone", learners=["c45"], strategy="quick").run(progress=False)
    page = report_html(study, command="vaglio report rows.csv --target gone")
    assert page.index('class="alarm"') < page.index("<h1>")
    assert "vaglio report rows.csv --target gone --ignore why" in page
    assert study.to_dict()["alarms"][0]["kind"] == "leak"
    assert "WARNING" in study.to_text().splitlines()[0]
