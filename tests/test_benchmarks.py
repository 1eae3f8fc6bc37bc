"""The benchmark runner, the accuracy comparison, the panel and the interface to Weka, without measuring times."""

from __future__ import annotations

import csv
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from benchmarks import growth_curves, parity, quick, runner, weka
from benchmarks.panel import families, numbers
from benchmarks.panel.leave_out import groups_of, leave_tables_out
from benchmarks.panel.noise import measure_losses, noise_sides, tables_for_noise, with_noise
from benchmarks.panel.pairs import PAIRS
from benchmarks.panel.peers import read_distributions
from benchmarks.panel.printing import enough
from benchmarks.panel.records import Records
from benchmarks.panel.scores import Score, cross_validate, mean_and_error, probability_figures
from benchmarks.panel.tables import PanelTable
from benchmarks.panel.winners import Winner, settings_tried, sides
from benchmarks.runner import Row
from benchmarks.tasks import growth
from rich.console import Console
from sklearn.dummy import DummyClassifier

import vaglio
from vaglio import datasets, read
from vaglio.errors import NotSupportedError
from vaglio.learners.registry import LEARNERS, ONE_PER_FAMILY, REGRESSORS


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


def test_every_learner_has_a_curve_of_its_time():
    found = growth_curves.curves()
    ours = [curve for curve in found if curve.who == runner.OURS]
    measured = {type(curve.make()) for curve in ours}
    assert {learner.cls for learner in LEARNERS.values()} <= measured
    assert len({curve.learner for curve in ours}) == len(ours)
    assert len({(curve.learner, curve.who) for curve in found}) == len(found)


def test_a_curve_stops_where_its_next_fit_would_take_too_long(monkeypatch):
    curve = growth_curves.Curve("tree", runner.OURS, DummyClassifier)
    monkeypatch.setattr(growth, "curves", lambda: [curve])
    found = {("tree", runner.OURS, 100): (1.0, 0.5)}
    assert [rows for rows, _ in growth.rounds(dict(found), limit=2.0)] == []
    assert next(iter(growth.rounds(dict(found), limit=4.0)))[0] == 316


@pytest.mark.slow
def test_a_curve_ends_where_its_learner_refuses_the_rows(monkeypatch, tmp_path):
    class OfFewRows(DummyClassifier):
        def fit(self, X, y):
            if len(X) > 100:
                raise NotSupportedError("too many rows")
            return super().fit(X, y)

    made = [growth_curves.Curve(kind.__name__, runner.OURS, kind) for kind in (OfFewRows, DummyClassifier)]
    monkeypatch.setattr(growth, "curves", lambda: made)
    monkeypatch.setattr(growth, "RECORDS", tmp_path / "growth.csv")
    monkeypatch.setenv("ROWS", "1000")
    asked = [row.task for row in growth.run()]
    assert asked == ["OfFewRows, 100 rows", *(f"DummyClassifier, {rows} rows" for rows in (100, 316, 1000))]


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


# -- the panel ---------------------------------------------------------------------------------------------------------
def test_probabilities_are_scored_by_hand():
    """Four rows, two classes: sure and right twice, sure and wrong once, undecided once."""
    probability = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    is_class = np.array([[True, False, False, True], [False, True, True, False]])
    log_loss, error, reliability = probability_figures(probability, is_class)
    assert log_loss == pytest.approx((0 + 0 - np.log(1e-6) + np.log(2)) / 4)
    # Three rows at 1.0 of which two are right, one at 0.5 that is right.
    assert error == pytest.approx((3 * (1 - 2 / 3) + 1 * (1 - 0.5)) / 4)
    # Per class: two rows at 1.0 of which one is right, one at 0.0 that is right, one at 0.5; and the reverse.
    first = (2 * 0.5**2 + 1 * 0.0**2 + 1 * 0.5**2) / 4
    second = (2 * 0.5**2 + 1 * 0.0**2 + 1 * 0.5**2) / 4
    assert reliability == pytest.approx(first + second)


def test_the_reliability_is_zero_for_frequencies_that_come_true():
    probability = np.tile([0.25, 0.75], (8, 1))
    truth = np.array([0, 1, 1, 1] * 2)
    _, error, reliability = probability_figures(probability, truth == np.arange(2)[:, None])
    assert (error, reliability) == pytest.approx((0, 0))


def test_a_class_that_a_fold_lacks_has_probability_zero():
    X, y = pd.DataFrame({"x": np.arange(7.0)}), np.array(list("aaabbbc"))
    score = cross_validate(lambda seed: DummyClassifier(), X, y, seed=1, folds=3)
    assert score.accuracy == pytest.approx(100 * 3 / 7, abs=15)
    # The row of class c is predicted by a model that does not know it.
    assert score.log_loss > -np.log(1e-6) / 7


def test_the_difference_has_the_error_over_tables():
    assert mean_and_error([1.0, 3.0]) == pytest.approx((2.0, 1.0))
    assert np.isnan(mean_and_error([1.0])[1])


@pytest.mark.parametrize(("mean", "error", "is_enough"), [(-0.3, 0.1, True), (-0.4, 0.1, False), (0.1, 0.0, True)])
def test_a_default_may_be_a_little_below_its_peer(mean, error, is_enough):
    assert enough(mean, error) == is_enough


def test_tables_left_out_do_not_take_part_in_the_choice():
    """A candidate that shines on one table alone is chosen everywhere but there, where it would have shone."""
    accuracy = {"default": np.full(10, 80.0), "lucky": np.r_[95.0, np.full(9, 79.0)]}
    found = leave_tables_out(accuracy, groups=10)
    assert found.chosen == {"default": 1, "lucky": 9}
    assert found.gain == pytest.approx(-0.9)
    assert found.each["lucky"][0] == pytest.approx(0.6)
    assert found.justified


def test_a_default_that_others_beat_everywhere_is_not_justified():
    accuracy = {"default": np.full(12, 80.0), "better": 81 + np.arange(12) / 10}
    found = leave_tables_out(accuracy, groups=4)
    assert found.chosen == {"better": 4}
    assert not found.justified


def test_every_group_has_tables_of_every_part():
    assert groups_of(7, 3).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert groups_of(2, 10).tolist() == [0, 1]


def test_scores_in_a_file_are_not_computed_again(tmp_path):
    asked = []

    def make(seed):
        asked.append(seed)
        return DummyClassifier()

    table = PanelTable("t", "generated", pd.DataFrame({"x": np.arange(6.0)}), np.array(list("ababab")))
    first = Records(tmp_path / "scores.jsonl", [1, 2], 2).score("dummy", make, table)
    assert Records(tmp_path / "scores.jsonl", [1, 2], 2).score("dummy", make, table) == first
    assert len(asked) == 4


@pytest.mark.slow
def test_a_score_that_takes_too_much_processor_time_is_given_up(tmp_path):
    def endless():
        while True:
            pass

    records = Records(tmp_path / "scores.jsonl", cpu_seconds=1)
    assert np.isnan(records.kept(("endless", "table", 1, 2), endless).accuracy)
    assert records.kept(("short", "table", 1, 2), lambda: Score(90.0, 0.1, 0.0, 0.0, 0.1)).accuracy == 90.0
    with pytest.raises(RuntimeError, match="the measurement failed"):
        records.kept(("wrong", "table", 1, 2), lambda: Score())
    # It is remembered, so that the next run does not try again.
    assert np.isnan(Records(tmp_path / "scores.jsonl").kept(("endless", "table", 1, 2), endless).accuracy)


def test_pairs_and_candidates_can_be_made():
    names = [(pair.name, pair.peer) for pair in PAIRS]
    assert len(set(names)) == len(names)
    for pair in PAIRS:
        pair.ours(1)._validate_params()
        if pair.peer != "interpret" or find_spec("interpret"):  # the tests do without it
            pair.theirs(1)
        for parameters in pair.candidates.values():
            pair.candidate(parameters, 1)._validate_params()


def test_generated_tables_depend_on_their_name_and_seed_alone():
    assert len(families.FAMILIES) >= 20
    X, y = families.make("mixed", 3)
    again, labels = families.make("mixed", 3)
    pd.testing.assert_frame_equal(X, again)
    assert y.tolist() == labels.tolist() != families.make("mixed", 4)[1].tolist()


def test_probabilities_are_read_from_the_output_of_weka():
    output = """
=== Predictions on test data ===

 inst#     actual  predicted error distribution
     1        1:a        2:b   +   0.25,*0.75
     2        1:a        1:a       *0.5,0.5
     3 1:'build w 2:build wi   +   0,*1
"""
    np.testing.assert_allclose(read_distributions(output), [[0.25, 0.75], [0.5, 0.5], [0, 1]], atol=1e-5)
    assert read_distributions(output)[1].argmax() == 0


@pytest.mark.slow
def test_the_peers_of_a_selection_try_as_many_settings_as_it_does():
    X, y = families.make("small-and-wide", 0)
    tried = vaglio.select(X, y, learners=["c45", "naive-bayes"], n_iter=3, folds=2, progress=False).trials
    assert settings_tried(("c45", "naive-bayes"), 3) == len(tried)
    assert settings_tried(("c45", "naive-bayes"), 0) == 2
    budget = settings_tried(ONE_PER_FAMILY["classification"], 3)
    for name in ("select", "forest", "SVC"):
        assert f"{name}, {budget} settings" in sides(3)
    assert sides(3)[f"forest, {budget} settings"](1)[-1].n_iter == budget


@pytest.mark.slow
def test_the_winner_of_a_selection_is_an_estimator():
    X, y = families.make("small-and-wide", 0)
    winner = Winner(("naive-bayes", "logistic"), 0, 1).fit(X, y)
    assert winner.chosen_ in ("naive-bayes", "logistic")
    assert set(winner.predict(X)) <= set(y)


def test_what_fell_against_its_peers_is_marked(tmp_path):
    results = tmp_path / "results.csv"
    rows = [("iris", "vaglio", 1.0, 1), ("iris", "scikit-learn 1.9.1", 4.0, 4), ("wine", "scikit-learn 1.9.1", 2.0, 2)]
    header = "benchmark,task,who,threads,seconds,score,ratio"
    results.write_text("\n".join([header, *(f"small,{t},{who},1,{s},,{r}" for t, who, s, r in rows)]))
    before = quick.last_ratios(results)
    iris, wine = (("small", task, "scikit-learn") for task in ("iris", "wine"))
    assert before == {iris: 4.0, wine: 2.0}
    assert quick.fallen(before, {iris: 3.3, wine: 2.5}) == [iris]
    assert quick.fallen(before, {iris: 3.5, ("small", "new", "scikit-learn"): 0.1}) == []


def test_noise_is_lost_points_on_the_same_folds():
    X, y = families.make("small-and-wide", 0)
    table = PanelTable("t", "generated", X.iloc[:, :3], y)
    noisy = with_noise(table.X, 2, 1)
    assert [noisy[f"noise{j}"].nunique() <= len(y) // 4 for j in range(2)] == [True, True]
    assert tables_for_noise([table], named=False) == tables_for_noise([table], named=True) == [table]
    everyone = noise_sides(["naive-bayes", "adaboost"], PAIRS)
    assert everyone["adaboost, no guard"](1).estimator.high_cardinality is None
    sides = {name: everyone[name] for name in ("naive-bayes", "naive-bayes, no guard")}
    losses = measure_losses(sides, [table], Records(None, [1, 2], 3), [2])
    assert losses["naive-bayes"][2] == [0.0, 0.0]
    assert len(losses["naive-bayes"][0]) == 2
    assert len(losses["naive-bayes, no guard"][2]) == 1  # the first seed only


def test_the_panel_of_numbers_has_a_peer_for_each_learner_and_unit_free_figures(capsys):
    missing: list[str] = []
    beside = numbers.peers(missing)
    assert set(beside) == set(REGRESSORS) - {"voting"}
    tables = {table.name: table for table in numbers.tables(60, missing)}
    assert {"diabetes", "penguins", "friedman1", "friedman2", "friedman3"} <= set(tables)
    assert all(
        len(table.y) == 60 and np.isfinite(table.y).all() for table in tables.values() if table.source == "vaglio"
    )
    named = {**numbers.STATSMODELS, **numbers.VEGA, **numbers.ISLP}
    assert len(tables) + len(named) >= 12
    table = tables["penguins"]
    makers = {"vaglio": numbers.ours("linear"), **beside["linear"]}
    found = {who: {"penguins": numbers.errors_of(make, table, 3, 1)} for who, make in makers.items()}
    numbers.print_learner(Console(width=120), "linear", found)
    assert "RMSE as a share" in capsys.readouterr().out
    larger = numbers.NumberTable("penguins", "vaglio", table.X, 1e9 * table.y)
    ours = numbers.errors_of(makers["vaglio"], larger, 3, 1)
    assert ours.rmse / ours.of_mean == pytest.approx(
        found["vaglio"]["penguins"].rmse / found["vaglio"]["penguins"].of_mean
    )
