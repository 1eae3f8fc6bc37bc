"""``vaglio rules``."""

from __future__ import annotations

import json
import sqlite3

from tests.cli.conftest import run_here

import vaglio


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


def test_models_without_rules_of_their_own_are_printed_for_reading(play, tmp_path):
    for learner, said in (("gradient-boosting", "tree 1 of yes"), ("additive", "moves the score by")):
        model = tmp_path / f"{learner}.vaglio"
        assert run_here("train", play, "--target", "play", "--learner", learner, "--out", model).code == 0
        outcome = run_here("rules", model)
        assert (outcome.code, said in outcome.out) == (0, True)
        assert json.loads(run_here("rules", model, "--json").out)["text"] == outcome.out
        assert run_here("rules", model, "--format", "sql").out.startswith("SELECT")
        assert "cannot be exported as exact" in run_here("rules", model, "--format", "exact").err
        run_here("rules", model, "--out", tmp_path / "read.txt")
        assert (tmp_path / "read.txt").read_text() == outcome.out


def test_dates_are_written_in_the_sql_of_a_database(tmp_path):
    path, model = tmp_path / "days.csv", tmp_path / "days.vaglio"
    rows = [f"2024-{1 + k % 12:02}-{1 + k % 28:02},{k % 7},{'ab'[(k % 12) > 5]}" for k in range(120)]
    path.write_text("\n".join(["when,size,kind", *rows]))
    assert run_here("train", path, "--target", "kind", "--learner", "logistic", "--out", model).code == 0
    refused = run_here("export", model, "--format", "sql")
    assert refused.code == 1
    assert "--dialect" in refused.err
    written = run_here("export", model, "--format", "sql", "--dialect", "sqlite")
    assert written.code == 0, written.err
    assert "julianday" in written.out
    assert run_here("export", model, "--format", "c", "--dialect", "sqlite").code == 2
