from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from vaglio.errors import InputError
from vaglio.evaluation.metrics.curves import (
    CalibrationCurve,
    GainCurve,
    PrecisionRecallCurve,
    RocCurve,
)
from vaglio.evaluation.metrics.intervals import wilson_interval
from vaglio.evaluation.metrics.rates import RATES, Rates
from vaglio.evaluation.metrics.thresholds import ThresholdTable, top_rows


@st.composite
def scored(draw):
    n = draw(st.integers(2, 40))
    positive = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    positive[0], positive[1] = True, False
    score = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=n, max_size=n)))
    weight = draw(st.none() | st.lists(st.floats(0.1, 3), min_size=n, max_size=n).map(np.array))
    return positive, score, weight


@pytest.mark.slow
@given(scored())
@settings(max_examples=40, deadline=None)
def test_one_point_for_each_distinct_score_from_corner_to_corner(case):
    positive, score, weight = case
    points = len(np.unique(score)) + 1
    roc = RocCurve.from_scores(positive, score, weight)
    gain = GainCurve.from_scores(positive, score, weight)
    precision = PrecisionRecallCurve.from_scores(positive, score, weight)
    for curve in (roc.fpr, gain.share, precision.recall):
        assert len(curve) == points
    assert (roc.fpr[0], roc.tpr[0]) == (0, 0)
    np.testing.assert_allclose((roc.fpr[-1], roc.tpr[-1], gain.share[-1], gain.gain[-1]), 1)
    assert (precision.recall[0], precision.precision[0]) == (0, 1)
    assert (np.diff(gain.share) >= -1e-12).all()


@pytest.mark.slow
@given(scored())
@settings(max_examples=40, deadline=None)
def test_the_threshold_table_is_the_confusion_matrix_at_each_threshold(case):
    positive, score, weight = case
    table = ThresholdTable.from_scores(positive, score, weight)
    for i, threshold in enumerate(table.thresholds):
        (tn, fp), (fn, tp) = metrics.confusion_matrix(
            positive, score >= threshold, labels=[False, True], sample_weight=weight
        )
        np.testing.assert_allclose((table.tn[i], table.fp[i], table.fn[i], table.tp[i]), (tn, fp, fn, tp), atol=1e-9)
    measures = table.measures()
    # Raising the threshold (towards the front) lowers both rates.
    assert (np.diff(measures["tpr"]) >= -1e-12).all()
    assert (np.diff(measures["fpr"]) >= -1e-12).all()
    assert measures["precision"][0] == 1


def test_gains_and_lift_by_hand():
    # Twenty rows in order of score; positives at places 1, 2, 4, 9 (from 1).
    positive = np.zeros(20, dtype=bool)
    positive[[0, 1, 3, 8]] = True
    curve = GainCurve.from_scores(positive, -np.arange(20.0))
    rows = curve.deciles()
    assert [round(row["gain"], 9) for row in rows] == [0.5, 0.75, 0.75, 0.75, 1, 1, 1, 1, 1, 1]
    np.testing.assert_allclose([row["lift"] for row in rows][:5], [5, 3.75, 2.5, 1.875, 2])
    assert curve.lift[1] == pytest.approx(5)
    assert np.isnan(curve.lift[0])


def test_rows_of_one_score_share_their_gain_evenly():
    curve = GainCurve.from_scores(np.array([True, False, True, False]), np.zeros(4))
    assert curve.at(0.25) == pytest.approx(0.25)
    assert len(curve.share) == 2


def test_best_threshold_and_top_rows():
    positive, score = np.array([0, 0, 1, 1], bool), np.array([0.1, 0.6, 0.4, 0.9])
    table = ThresholdTable.from_scores(positive, score)
    assert table.best("f1") == 0.4
    assert table.best("precision") == np.inf
    assert top_rows(score, 2).tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match="cannot take"):
        top_rows(score, 5)
    with pytest.raises(ValueError, match="no measure"):
        table.best("gini")
    assert "threshold" in repr(table)
    assert table._repr_html_().startswith("<table")


def test_scores_must_be_numbers():
    with pytest.raises(ValueError, match="row 2 is NaN"):
        RocCurve.from_scores(np.array([True, False]), np.array([0.1, np.nan]))


@given(scored())
@settings(max_examples=30, deadline=None)
def test_the_measures_of_the_threshold_table_are_the_rates_of_its_confusion_matrices(case):
    positive, score, weight = case
    table = ThresholdTable.from_scores(positive, score, weight)
    measures = table.measures()
    costs = np.array([[1.0, 2.0], [7.0, -3.0]])
    for i in range(len(table)):
        confusion = np.array([[table.tn[i], table.fp[i]], [table.fn[i], table.tp[i]]])
        rates = Rates(confusion)
        for name in RATES:
            value = 1.0 if name == "precision" and i == 0 else rates.of(name, warn=False)[1]
            assert measures[name][i] == pytest.approx(value)
        assert measures["accuracy"][i] == pytest.approx(rates.accuracy)
        assert measures["predicted"][i] == pytest.approx(confusion[:, 1].sum() / confusion.sum())
        assert table.cost(costs)[i] == pytest.approx((costs * confusion).sum() / confusion.sum())


def test_rows_to_print_are_spread_from_the_first_to_the_last():
    table = ThresholdTable.from_scores(np.arange(50) > 20, np.arange(50.0))
    assert len(table.rows()) == 20
    assert len(table.rows(1000)) == len(table) == 51
    shown = [row["threshold"] for row in table.rows(6)]
    assert shown == [np.inf, 40.0, 30.0, 20.0, 10.0, 0.0]
    assert set(table.rows()[0]) == {"threshold", "TP", "FP", "TN", "FN", *table.measures()}
    assert top_rows(np.arange(3.0), 0).tolist() == [False] * 3
    assert top_rows(np.arange(3.0), 3).tolist() == [True] * 3


def test_with_one_class_what_can_be_measured_is_measured():
    score = np.array([0.1, 0.4, 0.4, 0.8])
    for positive in (np.ones(4, bool), np.zeros(4, bool)):
        assert np.isnan(RocCurve.from_scores(positive, score).auc)
        np.testing.assert_allclose(GainCurve.from_scores(positive, score).share, [0, 0.25, 0.75, 1])
    assert PrecisionRecallCurve.from_scores(np.ones(4, bool), score).average_precision == 1
    assert np.isnan(PrecisionRecallCurve.from_scores(np.zeros(4, bool), score).average_precision)
    for curve in (RocCurve, PrecisionRecallCurve, GainCurve):
        with pytest.raises(InputError, match="no rows"):
            curve.from_scores(np.zeros(0, bool), np.zeros(0))


def test_the_thresholds_of_a_curve_begin_above_every_score():
    positive, score = np.array([0, 1, 0, 1], bool), np.array([0.1, 0.4, 0.4, 0.8])
    for curve in (RocCurve, PrecisionRecallCurve, GainCurve):
        assert curve.from_scores(positive, score).thresholds.tolist() == [np.inf, 0.8, 0.4, 0.1]
    precision = PrecisionRecallCurve.from_scores(positive, score)
    assert (precision.recall.tolist(), precision.prevalence) == ([0, 0.5, 1, 1], 0.5)
    assert GainCurve.from_scores(positive, score).deciles(2)[0].keys() == {"share", "gain", "lift"}


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 1))])
def test_one_score_per_row(wrong):
    with pytest.raises(ValueError, match="one of each per row"):
        RocCurve.from_scores(np.array([True, False]), wrong)
    with pytest.raises(ValueError, match="one of each per row"):
        RocCurve.from_scores(np.ones((2, 1), bool), np.zeros((2, 1)))


def test_bins_by_hand():
    positive = np.array([0, 1, 1, 0, 1], dtype=bool)
    curve = CalibrationCurve.from_scores(positive, np.array([0.0, 0.25, 0.3, 0.75, 1.0]), n_bins=4)
    # The upper edge belongs to a bin: 0 and 0.25 to the first, 0.3 to the second, 0.75 to the third.
    assert curve.predicted.tolist() == [0.125, 0.3, 0.75, 1.0]
    assert curve.observed.tolist() == [0.5, 1.0, 0.0, 1.0]
    assert curve.weight.tolist() == [2, 1, 1, 1]
    assert curve.expected_error == pytest.approx((2 * 0.375 + 0.7 + 0.75 + 0) / 5)


def test_every_bin_has_the_interval_of_a_share():
    positive, probability = np.array([True] * 9 + [False]), np.full(10, 0.8)
    curve = CalibrationCurve.from_scores(positive, probability)
    wilson = wilson_interval(9, 10)
    assert (curve.low[0], curve.high[0]) == (wilson.low, wilson.high)
    # Folds share rows, and rows of unequal weight tell less.
    for less in ({"effect": 2.0}, {"weight": np.arange(1.0, 11.0)}):
        wider = CalibrationCurve.from_scores(positive, probability, **less)
        assert wider.high[0] - wider.low[0] > wilson.high - wilson.low


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_a_weight_is_a_repetition(strategy):
    rng = np.random.default_rng(0)
    probability, times = rng.permutation(20) / 19, rng.integers(1, 4, 20)
    positive = rng.random(20) < probability
    bins = {"n_bins": 5, "strategy": strategy}
    weighted = CalibrationCurve.from_scores(positive, probability, times.astype(float), **bins)
    if strategy == "uniform":
        repeated = CalibrationCurve.from_scores(np.repeat(positive, times), np.repeat(probability, times), **bins)
        for name in ("predicted", "observed", "weight"):
            np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name))
    else:  # the edges are those of the rows: as many in each bin
        rows = CalibrationCurve.from_scores(positive, probability, **bins)
        assert rows.weight.tolist() == [4, 4, 4, 4, 4]
        assert weighted.weight.sum() == times.sum()


def test_what_is_no_probability_is_refused():
    for wrong in (-0.1, 1.1):
        with pytest.raises(InputError, match="outside 0 to 1"):
            CalibrationCurve.from_scores(np.array([True]), np.array([wrong]))
    with pytest.raises(InputError, match="strategy is 'even'"):
        CalibrationCurve.from_scores(np.array([True]), np.array([0.5]), strategy="even")
    assert len(CalibrationCurve.from_scores(np.zeros(0, bool), np.zeros(0)).weight) == 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 60, 500])
def test_exact_probabilities_score_what_chance_alone_gives(n):
    random = np.random.default_rng(n)
    found = []
    for _ in range(200):
        probability = random.random(n)
        curve = CalibrationCurve.from_scores(random.random(n) < probability, probability)
        found.append((curve.expected_error, curve.perfect_error))
    observed, expected = np.mean(found, axis=0)
    assert observed == pytest.approx(expected, rel=0.1)
    assert CalibrationCurve.from_scores(np.ones(3, bool), np.ones(3)).perfect_error == 0
