from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from vaglio.evaluation.metrics.curves import GainCurve, PrecisionRecallCurve, RocCurve, area_intervals
from vaglio.evaluation.metrics.thresholds import ThresholdTable, top_rows


@st.composite
def scored(draw):
    n = draw(st.integers(2, 40))
    positive = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    positive[0], positive[1] = True, False
    score = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=n, max_size=n)))
    weight = draw(st.none() | st.lists(st.floats(0.1, 3), min_size=n, max_size=n).map(np.array))
    return positive, score, weight


@given(scored())
@settings(max_examples=60, deadline=None)
def test_areas_agree_with_scikit_learn(case):
    positive, score, weight = case
    roc, precision = area_intervals(positive, score, weight, n_resamples=20)
    assert roc.value == pytest.approx(metrics.roc_auc_score(positive, score, sample_weight=weight))
    assert precision.value == pytest.approx(metrics.average_precision_score(positive, score, sample_weight=weight))
    assert roc.low <= roc.value <= roc.high


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


def test_interval_of_the_area_covers_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(60):
        positive = rng.random(80) < 0.4
        score = rng.normal(size=80) + positive
        roc, _ = area_intervals(positive, score, n_resamples=200)
        covered += 0.7602 in roc  # the area of two normals one deviation apart
    assert covered >= 51


def test_many_levels_are_merged_for_the_interval_only():
    rng = np.random.default_rng(1)
    positive = rng.random(9000) < 0.3
    score = rng.normal(size=9000) + positive
    roc, precision = area_intervals(positive, score, n_resamples=30)
    assert roc.value == pytest.approx(metrics.roc_auc_score(positive, score))
    assert roc.high - roc.low < 0.04
    assert precision.low < precision.value < precision.high


def test_best_threshold_and_top_rows():
    positive, score = np.array([0, 0, 1, 1], bool), np.array([0.1, 0.6, 0.4, 0.9])
    table = ThresholdTable.from_scores(positive, score)
    assert table.best("f1") == 0.4
    assert table.best("precision") == np.inf
    assert top_rows(score, 2).tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match="cannot be taken"):
        top_rows(score, 5)
    with pytest.raises(ValueError, match="no measure"):
        table.best("gini")
    assert "threshold" in repr(table)
    assert table._repr_html_().startswith("<table")


def test_scores_must_be_numbers():
    with pytest.raises(ValueError, match="row 1 is NaN"):
        RocCurve.from_scores(np.array([True, False]), np.array([0.1, np.nan]))
