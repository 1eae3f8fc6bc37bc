"""``vaglio predict``."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pyarrow.parquet as parquet
import pytest
from tests.cli.conftest import run_here, run_program

import vaglio


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_come_back_with_class_and_probabilities(model, penguins):
    outcome = run_here("predict", model, penguins)
    assert outcome.code == 0
    rows, given = _rows(outcome.out), _rows(penguins.read_text())
    assert len(rows) == 344
    assert list(rows[0])[-4:] == ["predicted", "p_Adelie", "p_Chinstrap", "p_Gentoo"]
    assert [{name: row[name] for name in given[0]} for row in rows] == given
    assert "344 rows classified" in outcome.err
    fitted = vaglio.load(model)
    expected = fitted.predict_proba(vaglio.read(penguins))
    found = np.array([[float(row[f"p_{label}"]) for label in fitted.classes] for row in rows])
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_the_name_of_the_file_says_the_format(model, penguins, tmp_path, suffix):
    out = tmp_path / f"predictions.{suffix}"
    outcome = run_here("predict", model, penguins, "--out", out, "--json")
    assert json.loads(outcome.out)["rows"] == 344
    if suffix == "csv":
        labels = [row["predicted"] for row in _rows(out.read_text())]
    elif suffix == "parquet":
        labels = parquet.read_table(out).column("predicted").to_pylist()
    else:
        labels = [json.loads(line)["predicted"] for line in out.read_text().splitlines()]
    assert labels == vaglio.load(model).predict(vaglio.read(penguins)).tolist()


def test_json_rows_on_standard_output(model, penguins):
    outcome = run_here("predict", model, penguins, "--json")
    first = json.loads(outcome.out.splitlines()[3])
    assert first["bill_length_mm"] is None
    assert first["predicted"] == "Adelie"


@pytest.mark.slow
def test_standard_input_in_chunks_gives_the_same_rows(model, penguins, monkeypatch):
    from vaglio.table import read_chunks

    whole = run_here("predict", model, penguins).out
    monkeypatch.setattr(read_chunks, "__defaults__", (50, None))
    assert run_here("predict", model, penguins).out == whole
    assert run_program("predict", model, "-", input=penguins.read_text()).stdout == whole


def test_columns_in_another_order_extra_ones_and_a_taken_name(model, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text(
        "predicted,year,sex,island,flipper_length_mm,bill_depth_mm,bill_length_mm,body_mass_g,note\n"
        "?,2009,male,Biscoe,230,15,50,5700,big\n"
    )
    (row,) = _rows(run_here("predict", model, table).out)
    assert row["predicted_2"] == "Gentoo"
    assert row["note"] == "big"


def test_a_missing_column_is_named(model, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("island,sex\nBiscoe,male\n")
    out = tmp_path / "out.csv"
    outcome = run_here("predict", model, table, "--out", out)
    assert outcome.code == 1
    assert "lacks the columns 'bill_length_mm'" in outcome.err
    assert not out.exists()


def test_a_word_among_numbers_is_placed_however_many_rows_there_are(model, penguins, tmp_path):
    bad = tmp_path / "bad.csv"
    header, *rows = penguins.read_text().splitlines(keepends=True)
    rows[0] = rows[0].replace("3750", "heavy")
    for n in (1, 3, len(rows)):
        bad.write_text("".join([header, *rows[:n]]))
        outcome = run_here("predict", model, bad)
        assert outcome.code == 1
        assert "row 1, column 'body_mass_g': 'heavy' is not a number. Correct it" in outcome.err
        assert "(--missing heavy)" in outcome.err
        assert run_here("predict", model, bad, "--missing", "heavy", "--out", tmp_path / "out.csv").code == 0


def test_columns_that_are_not_of_the_model_may_hold_anything(model, penguins, tmp_path):
    header, *rows = penguins.read_text().splitlines()
    # The target is not one of the model's columns either.
    notes = [f"{at}" for at in range(len(rows) - 1)] + ["1.5 or so"]
    new, written = tmp_path / "new.csv", {}
    new.write_text("".join(f"{line},{note}\n" for line, note in zip([header, *rows], ["note", *notes])))
    for way in ((), ("--memory", "4GB")):
        outcome = run_here("predict", model, new, "--out", tmp_path / "out.jsonl", *way)
        assert (outcome.code, "counts as missing" in outcome.err) == (0, False)
        written[way] = (tmp_path / "out.jsonl").read_text()
    assert len(set(written.values())) == 1
    assert [json.loads(line)["note"] for line in written[()].splitlines()] == notes


def test_a_file_that_is_no_model(penguins):
    outcome = run_here("predict", penguins, penguins)
    assert outcome.code == 1
    assert "not a vaglio model file" in outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("learner", [vaglio.LinearRegression(), vaglio.SVR(), vaglio.VotingRegressor()])
def test_numbers_are_told_by_mean_and_range(learner, tmp_path):
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    fitted = learner.fit(X, y).fitted_
    fitted.save(tmp_path / "mass.vaglio")
    X.to_frame().to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "told.csv"
    outcome = run_here("predict", tmp_path / "mass.vaglio", tmp_path / "rows.csv", "--out", out, "--json")
    told = json.loads(outcome.out)
    expected = fitted.predict(X)
    assert told["rows"] == len(y)
    assert told["predicted"] == pytest.approx({"mean": expected.mean(), "min": expected.min(), "max": expected.max()})
    assert [float(row["predicted"]) for row in _rows(out.read_text())] == pytest.approx(expected.tolist())
    shown = run_here("predict", tmp_path / "mass.vaglio", tmp_path / "rows.csv").err
    assert f"{len(y)} numbers predicted (mean {expected.mean():.6g}" in shown
    X[:1].to_frame().to_csv(tmp_path / "one.csv", index=False)
    shown = run_here("predict", tmp_path / "mass.vaglio", tmp_path / "one.csv").err
    assert f"1 number predicted ({expected[0]:.6g})." in shown
    # What differs from the defaults of this learner of numbers, not from the classifier of this id.
    assert "alpha=auto" not in run_here("inspect", tmp_path / "mass.vaglio").out
    assert "epsilon" not in run_here("inspect", tmp_path / "mass.vaglio").out


def test_intervals_of_numbers_are_written_beside_them(penguins, tmp_path):
    model, out = tmp_path / "mass.vaglio", tmp_path / "rows.csv"
    trained = run_here(
        "train", penguins, "--target", "body_mass_g", "--learner", "linear", "--folds", 5, "--out", model
    )
    assert trained.code == 0, trained.err
    outcome = run_here("predict", model, penguins, "--interval", "0.8", "--out", out)
    assert "about 80% of such rows, by out-of-fold errors of 342 rows" in " ".join(outcome.err.split())
    rows = _rows(out.read_text())
    fitted = vaglio.load(model)
    ends = np.array([[float(row["low"]), float(row["high"])] for row in rows])
    assert np.array_equal(ends, fitted.predict_interval(vaglio.read(penguins), 0.8))
    truth = np.array([float(row["body_mass_g"] or "nan") for row in rows])
    inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert 0.77 < inside[~np.isnan(truth)].mean() < 0.85
    again = tmp_path / "disk.csv"
    assert run_here("predict", model, penguins, "--interval", 0.8, "--memory", "4GB", "--out", again).code == 0
    assert again.read_text() == out.read_text()
    beyond = run_here("predict", model, penguins, "--interval", "0.999")
    assert beyond.code == 2
    assert "342 residuals give intervals of 99.41% at most" in " ".join(beyond.err.split())


def test_models_without_errors_and_of_classes_have_no_intervals(model, penguins):
    outcome = run_here("predict", model, penguins, "--interval", "0.9")
    assert "Intervals are for models of numbers" in " ".join(outcome.err.split())
    assert outcome.code != 0
