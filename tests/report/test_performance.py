"""Counts along the threshold, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.evaluation import Evaluation
from vaglio.report.limits import Limits
from vaglio.report.performance import curves_summary
from vaglio.report.pictures import class_data


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 10)), min_size=4, max_size=60), st.integers(4, 30))
def test_counts_are_those_of_the_rows(rows, points):
    truth = np.array([row[0] for row in rows])
    score = np.array([row[1] for row in rows]) / 10
    if truth.all() or not truth.any():
        return
    evaluation = Evaluation.from_predictions(truth, y_score=score)
    one = curves_summary(evaluation, Limits(points=points))["classes"][0]
    assert one["threshold"][-1] is None
    for threshold, tp, fp in zip(one["threshold"], one["tp"], one["fp"]):
        predicted = score >= threshold if threshold is not None else np.zeros(len(score), bool)
        assert (tp, fp) == (np.sum(predicted & truth), np.sum(predicted & ~truth))
    at = one["start"]
    assert (one["tp"][at], one["fp"][at]) in [
        (np.sum(rule & truth), np.sum(rule & ~truth)) for rule in (score >= 0.5, score > 0.5)
    ]
    assert one["as_decided"]


def test_positions_of_the_points_on_the_panels():
    evaluation = Evaluation.from_predictions([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
    data = class_data(curves_summary(evaluation, Limits())["classes"][0])
    roc = data["panels"]["roc"]["points"]
    # From all rows predicted positive, at the top right, to none, at the bottom left.
    assert roc[0] > roc[-1]
    assert roc[0][1] < roc[-1][1]
    assert all(
        len(panel["points"]) == len(data["tp"]) for name, panel in data["panels"].items() if name != "calibration"
    )


def test_without_scores_or_with_one_class_the_reason_is_given():
    bare = Evaluation.from_predictions(["a", "b"], ["a", "a"])
    assert "predicts only classes" in curves_summary(bare, Limits())["why_none"]
    alone = Evaluation.from_predictions(["b", "b"], y_score=[0.2, 0.7], labels=["a", "b"])
    assert "one class" in curves_summary(alone, Limits())["why_none"]


def test_every_one_of_three_classes_has_curves():
    scores = np.array([[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.1, 0.5, 0.4]])
    evaluation = Evaluation.from_predictions(["a", "b", "c", "b"], y_score=scores, labels=["a", "b", "c"])
    summary = curves_summary(evaluation, Limits())
    assert [one["label"] for one in summary["classes"]] == ["b", "a", "c"]
    assert summary["classes"][0]["positives"] == pytest.approx(2)


def test_without_probabilities_the_slider_starts_where_as_many_rows_are_predicted():
    scores = np.array([[2.5, 1.1, 0.2], [0.3, 2.4, 1.2], [1.2, 0.1, 2.6], [0.2, 2.2, 1.4]])
    evaluation = Evaluation.from_predictions(["a", "b", "c", "b"], y_score=scores, labels=["a", "b", "c"])
    one = curves_summary(evaluation, Limits())["classes"][0]
    assert one["label"] == "b"
    assert one["tp"][one["start"]] + one["fp"][one["start"]] == 2
