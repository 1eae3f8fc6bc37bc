"""inspect, rules and datasets."""

from __future__ import annotations

import json
import sqlite3

import pytest

import vaglio

from .conftest import run_here


def test_inspect_shows_what_the_file_holds(model):
    outcome = run_here("inspect", model)
    assert outcome.code == 0
    for word in ("c45", "Adelie, Chinstrap, Gentoo", "344 rows", "bill_length_mm", "Biscoe, Dream, Torgersen"):
        assert word in outcome.out
    data = json.loads(run_here("inspect", model, "--json").out)
    assert data["learner"] == "c45"
    assert data["provenance"]["training"]["rows"] == 344


def test_rules_of_the_play_table(play, tmp_path):
    model = tmp_path / "play.vaglio"
    assert run_here("train", play, "--target", "play", "--out", model).code == 0
    outcome = run_here("rules", model)
    assert outcome.out.count("IF ") == 5
    data = json.loads(run_here("rules", model, "--json").out)
    assert len(data["rules"]) == 5
    to_file = run_here("rules", model, "--out", tmp_path / "rules.txt")
    assert (to_file.code, to_file.out) == (0, "")
    assert (tmp_path / "rules.txt").read_text() == outcome.out


def test_rules_as_python_decide_like_the_model(model, penguins):
    space: dict = {}
    exec(run_here("rules", model, "--format", "python").out, space)
    decide = next(value for name, value in space.items() if callable(value) and not name.startswith("_"))
    table = vaglio.read(penguins)
    predicted = vaglio.load(model).predict(table)
    complete = [row for row in range(0, 344, 7) if not any(table.column(c).missing[row] for c in table.columns)]
    rows = table.to_frame().to_dict("records")
    assert [decide(rows[row]) for row in complete] == [predicted[row] for row in complete]


def test_rules_as_sql_classify_in_a_database(model, penguins):
    query = run_here("rules", model, "--format", "sql").out
    table = vaglio.read(penguins)
    with sqlite3.connect(":memory:") as database:
        table.to_frame().to_sql("data", database, index=False)
        labels = [row[0] for row in database.execute(f"SELECT prediction FROM ({query})")]
    assert labels == vaglio.load(model).predict(table).tolist()


def test_exact_rules_read_back(model, penguins):
    rules = vaglio.RuleSet.parse(run_here("rules", model, "--format", "exact").out)
    table = vaglio.read(penguins)
    assert rules.predict(table).tolist() == vaglio.load(model).predict(table).tolist()


def test_datasets_lists_and_writes(tmp_path):
    listing = run_here("datasets")
    assert "penguins" in listing.out
    assert {entry["name"] for entry in json.loads(run_here("datasets", "--json").out)} == set(vaglio.datasets.names())
    out = tmp_path / "iris.parquet"
    outcome = run_here("datasets", "iris", "--out", out)
    assert "--target species" in outcome.err
    assert vaglio.read(out).shape == (150, 5)


def test_a_dataset_that_is_not_there():
    outcome = run_here("datasets", "penguin")
    assert outcome.code == 1
    assert "did you mean 'penguins'" in outcome.err


@pytest.mark.parametrize("command", ["inspect", "rules"])
def test_a_damaged_model_is_refused(model, tmp_path, command):
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged = tmp_path / "damaged.vaglio"
    damaged.write_bytes(content)
    outcome = run_here(command, damaged)
    assert outcome.code == 1
    assert "damaged" in outcome.err
