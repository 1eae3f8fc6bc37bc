"""``vaglio report``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.cli.conftest import run_here

from vaglio import load
from vaglio.evaluation.selection import search

QUICK = ("--learner", "c45", "--holdout", "0.3")


def test_a_page_is_written_and_named(penguins, tmp_path):
    page, model = tmp_path / "page.html", tmp_path / "kept.vaglio"
    outcome = run_here("report", penguins, "--target", "species", *QUICK, "--out", page, "--model", model)
    assert outcome.code == 0, outcome.err
    assert "test rows correctly" in outcome.out
    assert f"The report is in {page}" in outcome.err
    text = page.read_text()
    assert "vaglio report penguins.csv --target species --learner c45 --holdout 0.3 --seed 0" in text
    kept = load(model)
    assert kept.provenance["command"].startswith("vaglio report penguins.csv")
    assert "write_report" in kept.provenance["python"]


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "code"), [("accuracy >= 0.5", 0), ("accuracy >= 0.999 and f1[Adelie] >= 1", 3)])
def test_a_criterion_accepts_or_rejects_the_choice(penguins, tmp_path, criterion, code):
    page, model = tmp_path / "page.html", tmp_path / "kept.vaglio"
    words = ("report", penguins, "--target", "species", *QUICK, "--accept", criterion, "--out", page, "--model", model)
    outcome = run_here(*words)
    assert outcome.code == code, outcome.err
    verdict = "Rejected" if code else "Accepted"
    assert f"{verdict}: accuracy is" in outcome.out
    assert load(model).provenance["acceptance"]["accepted"] == (code == 0)
    assert f"--accept '{criterion}'" in load(model).provenance["command"]
    told = json.loads(run_here(*words, "--json", "--force").out)["acceptance"]
    assert told["accepted"] == (code == 0)


def test_a_criterion_that_is_none_is_refused_before_any_work(penguins, tmp_path):
    outcome = run_here("report", penguins, "--target", "species", "--accept", "accuracy is good")
    assert outcome.code == 2
    assert "--accept:" in outcome.err


def test_json_names_the_page_and_the_figures(penguins, tmp_path):
    page = tmp_path / "page.html"
    outcome = run_here("report", penguins, "-t", "species", *QUICK, "--out", page, "--json")
    data = json.loads(outcome.out)
    assert data["report"] == str(page)
    assert data["bytes"] == page.stat().st_size < 3_000_000
    assert 0.8 < data["accuracy"]["value"] <= 1
    assert 0 < data["guessing"] < 0.6


def test_another_table_evaluates(penguins, tmp_path):
    page = tmp_path / "page.html"
    outcome = run_here("report", penguins, "-t", "species", "-l", "c45", "--test", penguins, "--out", page)
    assert outcome.code == 0, outcome.err
    assert "of the test table" in page.read_text()


def test_costs_and_the_positive_class(play, tmp_path):
    cost = tmp_path / "cost.csv"
    cost.write_text(",no,yes\nno,0,4\nyes,1,0\n")
    page = tmp_path / "page.html"
    words = ("--cost", cost, "--positive", "no", "--folds", "3", "-l", "naive-bayes", "--out", page)
    outcome = run_here("report", play, "-t", "play", *words)
    assert outcome.code == 0, outcome.err
    assert "Costs of errors" in page.read_text()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--folds", "5", "--holdout", "0.3"), 2, "Use only one of"),
        (("--strategy", "guess"), 2, "no strategy"),
        (("--strategy", "quick", "--folds", "5"), 2, "--folds needs"),
        (("--strategy", "quick", "--test", "x.csv"), 2, "--test evaluates"),
        (("--set", "colour=red"), 2, "has this parameter"),
        (("--learner", "c54"), 2, "c45"),
        (("--out", "page.pdf"), 2, ".html"),
        (("--cost", "absent.csv"), 2, "no such file"),
        (("--positive", "Emperor", *QUICK), 1, "There is no class"),
    ],
)
def test_wrong_use_is_one_line(penguins, tmp_path, monkeypatch, words, code, said):
    monkeypatch.chdir(tmp_path)
    outcome = run_here("report", penguins, "-t", "species", *words)
    assert outcome.code == code
    assert said in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert not Path("report.html").exists()


def test_a_setting_goes_to_the_learners_that_have_it(penguins, tmp_path):
    page = tmp_path / "page.html"
    words = ("-l", "c45", "-l", "naive-bayes", "--set", "max_depth=2", "--holdout", "0.3", "--out", page)
    assert run_here("report", penguins, "-t", "species", *words).code == 0
    assert "vaglio.C45Classifier(leaf_smoothing='m-estimate', max_depth=2)" in page.read_text().replace("&#39;", "'")


@pytest.fixture
def interrupted(monkeypatch, request):
    """Ctrl-C comes after the first trial of some choice, the first or a later one, as if pressed by a person."""
    tried, calls = search.run_trials, count(1)

    def stopped(*given: object, **more: object) -> Iterator[object]:
        last = next(calls) == getattr(request, "param", 1)
        for trial in tried(*given, **more):
            yield trial
            if last:
                raise KeyboardInterrupt

    monkeypatch.setattr(search, "run_trials", stopped)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("interrupted", "more"),
    [(1, ("--holdout", "0.3")), (1, ("--folds", "3")), (3, ("--folds", "3"))],
    indirect=["interrupted"],
)
def test_an_interrupted_report_leaves_the_old_page(penguins, tmp_path, interrupted, more):
    page = tmp_path / "page.html"
    page.write_text("the old page")
    words = ("--target", "species", "--learner", "c45", "--learner", "naive-bayes", *more)
    outcome = run_here("report", penguins, *words, "--force", "--out", page)
    assert outcome.code == 130
    assert "Interrupted. No file was left incomplete." in outcome.err
    assert page.read_text() == "the old page"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["select", "tune"])
def test_an_interrupted_search_keeps_the_best_so_far_and_says_so_first(penguins, tmp_path, interrupted, command):
    model = tmp_path / "m.vaglio"
    words = ("--learner", "c45", "--search", "random") if command == "tune" else ()
    outcome = run_here(command, penguins, "--target", "species", *words, "--out", model)
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines()[0] == "The search was interrupted: this is the best of the finished trials."
    assert load(model).provenance["target"] == "species"


def test_a_page_of_numbers_is_written(penguins, tmp_path):
    page, model = tmp_path / "page.html", tmp_path / "kept.vaglio"
    given = ("--target", "body_mass_g", "--learner", "linear", "--holdout", "0.3", "--accept", "rmse < 500")
    outcome = run_here("report", penguins, *given, "--out", page, "--model", model, "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert 200 < told["rmse"]["value"] < told["guessing"]
    assert told["acceptance"]["accepted"]
    assert "Predicted against true" in page.read_text()
    kept = load(model)
    assert kept.residuals.rows == told["rows_judged"]
    refused = run_here("report", penguins, *given, "--positive", "high", "--out", page)
    assert refused.code == 2
    assert "numbers are predicted here" in refused.err
