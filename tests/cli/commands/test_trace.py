"""``vaglio trace``."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here


def test_a_trace_as_text_json_and_files(play, tmp_path):
    given = ["trace", play, "--target", "play", "--learner", "id3"]
    outcome = run_here(*given)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("Step by step: ID3\n")
    assert json.loads(run_here(*given, "--json").out)["facts"]["leaves"] == 5
    for name, start in (("work.html", "<!doctype html>"), ("work.tex", r"\documentclass")):
        outcome = run_here(*given, "--out", tmp_path / name)
        assert outcome.err == f"The trace is in {tmp_path / name}.\n"
        assert (tmp_path / name).read_text().startswith(start)
    assert run_here(*given, "--format", "latex").out.startswith(r"\documentclass")


@pytest.mark.parametrize(("learner", "traced"), [("", "cart"), ("linear", "linear"), ("knn", "knn")])
def test_a_target_of_numbers_is_traced_by_learners_of_numbers(tmp_path, learner, traced):
    table = tmp_path / "homes.csv"
    table.write_text("\n".join(["size,rooms,price", *(f"{i % 11}.5,{i % 4},{i * 3.1:.2f}" for i in range(30))]))
    chosen = ["--learner", learner] if learner else []
    given = ["trace", table, "--target", "price", "--row", "3.5,2", *chosen]
    outcome = run_here(*given, "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["facts"]["learner"] == traced
    assert run_here(*given, "--out", tmp_path / "work.html").code == 0
    assert "c45" in run_here("trace", table, "--target", "price", "--learner", "c45").err


def test_a_row_from_a_file(play, tmp_path):
    row = tmp_path / "row.csv"
    row.write_text("windy,outlook,temperature,humidity\ntrue,sunny,cool,high\n")
    given = ["trace", play, "-t", "play", "-l", "naive-bayes", "--json"]
    by_file = json.loads(run_here(*given, "--row-file", row).out)
    by_hand = json.loads(run_here(*given, "--row", "sunny, cool, high, true").out)
    assert by_file["facts"] == by_hand["facts"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--learner", "id3"], 2, "Give the table"),
        (["PLAY", "-t", "play", "-l", "knn"], 1, "needs a row to classify"),
        (["PLAY", "-t", "play", "-l", "nb"], 2, "nb"),
        (["PLAY", "-t", "play", "--max-rows", "10"], 1, "14 rows; a trace can be followed up to 10"),
        (["PLAY", "-t", "play", "-l", "naive-bayes", "--row", "sunny"], 1, "1 value for 4 columns"),
        (["PLAY", "-t", "play", "--row", "a", "--row-file", "b"], 2, "either --row or --row-file"),
        (["PLAY", "-t", "play", "--lang", "de"], 2, "de"),
        (["--about", "vote", "--set", "error=2"], 1, "between 0 and 1"),
        (["--about", "vote", "--set", "error=x"], 1, "not a number"),
        (["--about", "vote", "--set", "learners=4"], 1, "must be odd, from 1 to 99"),
        (["--about", "vote", "--set", "n=4"], 2, "no parameter 'n'"),
        (["--about", "kernel", "--set", "x=[1,2]"], 1, "same length"),
        (["--about", "metrics"], 1, "confusion matrix"),
        (["--about", "metrics", "--set", "matrix=[[1,2]]"], 1, "square"),
        (["PLAY", "-t", "play", "--about", "metrics"], 1, "no column 'predicted'"),
        (["PLAY", "--about", "shattering"], 1, "rows of numbers"),
        (["PLAY", "-t", "play", "--about", "split", "--set", "test_size=3"], 1, "must be between 0 and 1"),
    ],
)
def test_what_does_not_work_is_one_line(play, arguments, code, says):
    outcome = run_here("trace", *(play if word == "PLAY" else word for word in arguments))
    assert outcome.code == code, outcome.err
    assert says in outcome.err.splitlines()[-1]
    assert outcome.err.count("\n") == 1
