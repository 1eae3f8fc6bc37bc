from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from vaglio.evaluation.metrics.areas import mean_area, precision_area, roc_area

from .test_curves import scored

AREAS = {"roc": (roc_area, metrics.roc_auc_score), "precision": (precision_area, metrics.average_precision_score)}


def interval(area, effect=1.0, confidence=0.95, which="roc"):
    return (area.roc_interval if which == "roc" else area.logit_interval)(effect, confidence)


@pytest.mark.slow
@given(scored())
@settings(max_examples=60, deadline=None)
def test_areas_agree_with_scikit_learn_and_lie_in_their_intervals(case):
    positive, score, weight = case
    for which, (own, theirs) in AREAS.items():
        found = own(positive, score, weight)
        assert found.value == pytest.approx(theirs(positive, score, sample_weight=weight))
        ends = interval(found, which=which)
        assert 0 <= ends.low <= ends.value + 1e-12
        assert ends.value - 1e-12 <= ends.high <= 1


@pytest.mark.slow
@given(scored(), st.integers(0, 39))
@settings(max_examples=60, deadline=None)
def test_what_a_row_contributes_is_how_the_area_changes_with_its_weight(case, row):
    positive, score, weight = case
    row %= len(score)
    weight = np.ones(len(score)) if weight is None else weight
    own = positive == positive[row]
    step = 1e-5
    heavier = weight.copy()
    heavier[row] += step
    for own_area, _ in AREAS.values():
        area = own_area(positive, score, weight)
        slope = (own_area(positive, score, heavier).value - area.value) / step
        n = own.sum()
        unbiased = np.sqrt(n / (n - 1)) if n > 1 else 1.0
        assert area.errors[row] == pytest.approx(weight[row] * slope * unbiased, abs=2e-3)


def test_pairs_of_rows_of_different_folds_are_not_compared():
    positive = np.array([True, False, True, False])
    score = np.array([0.3, 0.2, 0.9, 0.8])
    folds = np.array([0, 0, 1, 1])
    assert roc_area(positive, score).value == 0.75
    assert roc_area(positive, score, folds=folds).value == 1.0
    # A fold with rows of one class only has no pairs.
    assert roc_area(positive, score, folds=np.array([0, 0, 1, 2])).value == 1.0
    assert np.isnan(roc_area(positive, score, folds=np.arange(4)).value)


def test_separated_classes_leave_room_for_doubt():
    positive, score = np.arange(20) >= 10, np.arange(20.0)
    for which, (own, _) in AREAS.items():
        ends = interval(own(positive, score), which=which)
        assert (ends.value, ends.high) == (1.0, pytest.approx(1.0))
        assert 0.7 < ends.low < 0.9


def test_intervals_grow_with_confidence_and_with_the_design():
    rng = np.random.default_rng(5)
    positive = rng.random(60) < 0.5
    score = rng.normal(size=60) + positive
    for which, (own, _) in AREAS.items():
        area = own(positive, score)
        usual = interval(area, which=which)
        for narrow, wide in ((interval(area, 1.0, 0.5, which), usual), (usual, interval(area, 2.1, 0.95, which))):
            assert wide.low < narrow.low < narrow.value == wide.value < narrow.high < wide.high


def test_the_mean_of_areas_leaves_classes_without_rows_out():
    score = np.array([0.1, 0.4, 0.35, 0.8])
    some, none = roc_area(np.array([False, False, True, True]), score), roc_area(np.zeros(4, bool), score)
    assert mean_area([some, none]).value == some.value
    assert np.isnan(mean_area([none]).value)
    assert np.isnan(interval(none).low)
