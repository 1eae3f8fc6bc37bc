"""The benchmark runner, the accuracy comparison and the interface to Weka, without measuring times."""

from __future__ import annotations

import csv

import pytest
from benchmarks import parity, runner, weka
from benchmarks.runner import Row

from vaglio import datasets, read


def test_ratios_are_against_our_row_of_the_same_task():
    rows = [Row("fit", "vaglio", 1, 2.0), Row("fit", "peer", 1, 5.0), Row("predict", "peer", 1, 1.0)]
    assert runner.ratios(rows) == [1.0, 2.5, None]


def test_measure_gives_the_median_and_the_result():
    seconds, result = runner.measure(lambda: "done", repeats=3)
    assert seconds >= 0
    assert result == "done"


def test_results_of_a_task_replace_its_last(tmp_path):
    path = tmp_path / "results.csv"
    runner._merge(path, "b", [Row("fit", "vaglio", 1, 2.0)])
    runner._merge(path, "a", [Row("fit", "vaglio", 1, 1.0, 0.5)])
    runner._merge(path, "b", [Row("fit", "vaglio", 2, 3.0)])
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["benchmark"], line["seconds"]) for line in lines] == [("a", "1"), ("b", "3")]


def test_arff_written_for_weka_reads_back(tmp_path):
    table = datasets.load("penguins")
    weka.write_arff(table, "species", tmp_path / "penguins.arff")
    again = read(tmp_path / "penguins.arff", target="species")
    assert again.columns[-1] == "species"
    assert again["island"].tolist() == table["island"].tolist()
    assert again.column("sex").n_missing == table.column("sex").n_missing


def test_weka_output_is_read_from_its_test_part():
    output = """
Number of Leaves  : 	5
Time taken to build model: 0.25 seconds
=== Error on training data ===
Correctly Classified Instances         147               98      %
=== Error on test data ===
Correctly Classified Instances          45               90.5    %
"""
    assert weka.parse(output) == weka.WekaRun(0.25, 0.905, 5)


def test_parity_finds_tables_and_their_test_files(tmp_path):
    for name in ("b.arff", "a.csv", "c-train.csv", "c-test.csv", "notes.txt"):
        (tmp_path / name).write_text("")
    found = [(name, None if test is None else test.name) for name, _, test in parity.tables(tmp_path)]
    assert found == [("b", None), ("a", None), ("c", "c-test.csv")]


def test_the_reference_holds_the_peers_on_every_table():
    reference = parity.load_reference()
    assert reference["iris", "J48"] == (93.1, 4.5)
    assert len({table for table, _ in reference}) == 27
    for peer, _ in parity.PEER_OF.values():
        assert len([key for key in reference if key[1] == peer]) >= 26


def test_the_standard_error_is_over_tables():
    results = [parity.Result(name, ours, None, 90.0, None, 0.0) for name, ours in (("a", 91.0), ("b", 93.0))]
    mean, error = parity.mean_difference(results)
    assert (mean, error) == pytest.approx((2.0, 1.0))
