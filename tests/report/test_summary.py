"""What a report says is plain data, true, and bounded."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.report.conftest import run_study

import vaglio
from vaglio.errors import InputError
from vaglio.report import report_html, summarize_study
from vaglio.table import Table


def sentences(summary: dict) -> str:
    return " ".join(" ".join(chapter["lead"]) for chapter in summary.values() if "lead" in chapter)


def test_a_summary_is_plain_data(penguins):
    summary = summarize_study(penguins, name="penguins.csv", command="vaglio report penguins.csv")
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert "344 rows and 8 columns" in sentences(summary)
    assert summary["method"]["command"] == "vaglio report penguins.csv"


def test_accuracy_and_confusion_matrix_are_those_of_the_evaluation(two_classes):
    summary = summarize_study(two_classes)
    evaluation = two_classes.evaluation
    assert summary["performance"]["headline"]["value"] == pytest.approx(evaluation.accuracy.value)
    cells = [[cell["text"] for cell in row["cells"]] for row in summary["performance"]["confusion"]["rows"]]
    assert cells == [[f"{n:,}" for n in row] for row in evaluation.confusion.tolist()]


def test_costs_are_reported_and_set_the_threshold(two_classes):
    summary = summarize_study(two_classes, positive="ill")
    one = summary["performance"]["curves"]["classes"][0]
    assert one["label"] == "ill"
    assert one["usual"] == pytest.approx(1 / 6)
    assert "which costs" in " ".join(summary["performance"]["lead"])
    assert one["as_decided"]


def test_an_unknown_positive_class_is_named(two_classes):
    with pytest.raises(InputError, match="There is no class"):
        summarize_study(two_classes, positive="dead")


def test_the_winner_is_compared_with_the_others(penguins):
    rows = summarize_study(penguins)["learners"]["rows"]
    assert [row["winner"] for row in rows] == [True, False, False]
    assert all(row["p"] is not None for row in rows[1:])
    assert all(row["low"] <= row["score"] <= row["high"] for row in rows)


def test_rows_without_a_class_are_counted_and_set_aside():
    table = vaglio.datasets.load("penguins").to_frame()
    table.loc[table.index[:20], "species"] = None
    study = run_study(Table.from_any(table), "species", selection_options={"test_size": 0.3})
    summary = summarize_study(study)
    assert summary["data"]["classes"]["unknown"] == 20
    assert "20 rows without a target" in sentences(summary)
    numbers = {int(e["row"].replace(",", "")) for g in summary["examples"]["groups"] for e in g["examples"]}
    assert numbers
    assert min(numbers) > 20


def test_examples_have_the_values_of_their_row(two_classes):
    frame = two_classes.table.to_frame()
    for group in summarize_study(two_classes)["examples"]["groups"]:
        for example in group["examples"]:
            row = frame.iloc[int(example["row"].replace(",", "")) - 1]
            assert row["state"] == example["true"]
            assert {cell["name"]: cell["value"] for cell in example["cells"]}["group"] == row["group"]


def test_correct_and_wrong_predictions_are_shown(two_classes):
    groups = summarize_study(two_classes)["examples"]["groups"]
    assert {example["correct"] for group in groups[:1] for example in group["examples"]} == {True}
    assert {example["correct"] for group in groups[1:2] for example in group["examples"]} == {False}


def test_a_tiny_table_with_one_row_of_a_class():
    table = Table.from_any({"x": [1.0, 2, 3, 4, 5, 6], "y": ["a", "a", "a", "a", "a", "b"]})
    summary = summarize_study(run_study(table, "y", strategy="quick", selection_options={"test_size": 0.5}))
    assert "not significantly better than the baseline" in sentences(summary)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["zero", "quick", "standard", "validation"])
def test_every_strategy_names_the_rows_it_was_evaluated_on(strategy):
    study = run_study(vaglio.datasets.load("penguins"), "species", ["c45", "naive-bayes"], strategy=strategy)
    said = sentences(summarize_study(study))
    assert ("training rows correctly" in said) == (strategy == "zero")
    assert ("test rows correctly" in said) == (strategy != "zero")


def test_a_model_of_another_library_has_a_report():
    from sklearn.naive_bayes import GaussianNB

    X, y = vaglio.datasets.load("iris").xy()
    table = Table.from_any({**{name: X[name] for name in X.columns}, "iris": y})
    study = run_study(table, "iris", [GaussianNB()])
    assert "another library" in sentences(summarize_study(study))
    assert "<!doctype html>" in report_html(study)


def odd_tables() -> dict[str, Table]:
    n, rng = 40, np.random.default_rng(3)
    x, y = rng.normal(size=n), rng.choice(["a", "b"], n)
    return {
        "dates": Table.from_any({"d": np.arange(n).astype("datetime64[D]"), "y": y}),
        "text": Table.from_any({"t": [f"some words {i % 7} to read at leisure" for i in range(n)], "x": x, "y": y}),
        "constant and empty": Table.from_any({"c": ["k"] * n, "m": np.full(n, np.nan), "x": x, "y": y}),
        "numbers as classes": Table.from_any({"x": x, "y": rng.integers(0, 2, n).astype(float)}),
        "three rows": Table.from_any({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}),
        "awkward names": Table.from_any({"": x, "naïve «漢»": rng.choice(["é", ""], n), "y": y}),
        "huge numbers": Table.from_any({"x": x * 1e300, "w": x * 1e-300, "y": y}),
        "a name a row": Table.from_any({"id": [f"row {i}" for i in range(n)], "x": x, "y": y}),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", odd_tables())
def test_odd_tables_have_reports(name):
    study = run_study(odd_tables()[name], "y", strategy="quick", selection_options={"test_size": 0.5})
    page = report_html(study)
    assert ">nan<" not in page
    assert ">inf<" not in page


def test_learners_with_the_same_score_are_reported_as_such():
    table = Table.from_any({"x": [1.0] * 20, "y": ["a", "b"] * 10})
    learners = summarize_study(run_study(table, "y", ["c45", "ripper"]))["learners"]
    assert "tied with ripper" in learners["lead"][0]
    assert all(row["low"] < row["score"] < row["high"] for row in learners["rows"])


def test_learners_that_were_stopped_in_a_race_are_said_to_be():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1200, 2))
    flip = rng.random(1200) < 0.1
    table = Table.from_any({"a": x[:, 0], "b": x[:, 1], "y": np.where((x[:, 0] > x[:, 1]) ^ flip, "u", "v")})
    learners = {"majority": DummyClassifier(), "logistic": "logistic", "naive-bayes": "naive-bayes"}
    study = vaglio.Study(
        table, "y", learners=learners, selection_options={"search": "none", "folds": 3, "race": True}
    ).run(progress=False)
    summary = summarize_study(study)
    rows = {row["learner"]: row for row in summary["learners"]["rows"]}
    assert rows["majority"]["verdict"] == "clearly behind after 1 of 3 folds, not continued"
    assert rows["majority"]["p"] < 0.01
    assert rows["majority"]["low"] < rows["majority"]["score"] < rows["majority"]["high"]
    assert list(rows)[-1] == "majority"
    assert any("not tried on the others" in line and "majority" in line for line in summary["learners"]["lead"])
    assert "not tried on the others" in summary["method"]["lead"][0]
