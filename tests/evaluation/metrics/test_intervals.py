from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from vaglio.evaluation.metrics.intervals import (
    accuracy_of_folds,
    design_effect,
    effective_size,
    mean_interval,
    overdispersion,
    percentile_interval,
    wilson_interval,
)


@pytest.mark.parametrize(("k", "n"), [(0, 5), (5, 5), (19, 27), (1, 1000)])
def test_wilson_agrees_with_scipy(k, n):
    expected = binomtest(k, n).proportion_ci(method="wilson")
    got = wilson_interval(k, n)
    np.testing.assert_allclose([got.low, got.high], [expected.low, expected.high], atol=1e-12)
    assert got.value in got
    assert float(got) == k / n


def test_nothing_to_divide_by_says_nothing():
    empty = wilson_interval(0, 0)
    assert np.isnan(empty.value)
    assert (empty.low, empty.high) == (0, 1)


def test_equal_weights_are_worth_their_rows():
    assert effective_size(np.full(8, 3.0), 8) == pytest.approx(8)
    assert effective_size(np.array([1.0, 0, 0]), 3) == pytest.approx(1)


def test_percentiles_leave_failed_replicates_out():
    estimate = percentile_interval(0.5, np.array([0.4, 0.6, np.nan]))
    assert 0.4 <= estimate.low < 0.5 < estimate.high <= 0.6


def test_an_estimate_and_its_complement():
    estimate = wilson_interval(19, 27, confidence=0.8)
    assert estimate.to_dict() == {"value": 19 / 27, "low": estimate.low, "high": estimate.high, "confidence": 0.8}
    other, expected = estimate.complement(), wilson_interval(8, 27, confidence=0.8)
    np.testing.assert_allclose([other.value, other.low, other.high], [expected.value, expected.low, expected.high])
    assert other.confidence == 0.8
    for end in (estimate.low, estimate.high):
        assert end in estimate
    assert estimate.low - 1e-9 not in estimate
    assert estimate.high + 1e-9 not in estimate


def test_weights_that_say_nothing():
    assert effective_size(None, 7) == 7.0
    assert effective_size(np.zeros(3), 3) == 0.0
    assert effective_size(np.array([3.0, 1.0]), 2) == pytest.approx(1.6)


def test_percentiles_hold_the_middle_and_the_value():
    replicates = np.arange(101.0)
    middle = percentile_interval(50.0, replicates, confidence=0.5)
    assert (middle.low, middle.high, middle.confidence) == (25.0, 75.0, 0.5)
    assert percentile_interval(50.0, replicates).to_dict()["confidence"] == 0.95
    assert percentile_interval(200.0, replicates).high == 200.0
    assert percentile_interval(-7.0, replicates).low == -7.0
    for value, drawn in ((np.nan, replicates), (0.5, np.array([np.nan]))):
        nothing = percentile_interval(value, drawn)
        assert np.isnan([nothing.low, nothing.high]).all()


def test_a_mean_of_rows_has_room_above_where_losses_are_skewed():
    losses = np.array([0.01] * 18 + [0.3, 0.9])
    found = mean_interval(losses)
    assert found.value == pytest.approx(losses.mean())
    assert found.high - found.value > 2 * (found.value - found.low)
    wider = mean_interval(losses, effect=2.1)
    assert wider.low < found.low
    assert wider.high > found.high
    even = mean_interval(np.array([0.0, 1.0, 2.0]))
    assert even.high - 1 == pytest.approx(1 - even.low) == pytest.approx(4.303 / np.sqrt(3) * np.sqrt(2 / 3), rel=1e-3)
    weighted = mean_interval(losses, np.full(20, 5.0))
    np.testing.assert_allclose([weighted.low, weighted.high], [found.low, found.high])
    for told_nothing in (mean_interval(np.ones(5)), mean_interval(np.array([0.3]))):
        assert np.isnan(told_nothing.low)


def test_folds_count_as_fewer_rows_than_they_have():
    scores = np.full(10, 0.9)
    found = accuracy_of_folds(scores, n_train=90, n_test=10)
    rows = 100 / design_effect(10)
    expected = wilson_interval(0.9 * rows, rows)
    assert (found.value, found.low, found.high) == pytest.approx((0.9, expected.low, expected.high))
    # Folds that differ by more than their rows explain widen it; further divisions of the same rows do not narrow it.
    apart = accuracy_of_folds(np.tile([0.5, 1.0, 1.0, 1.0, 1.0], 2), n_train=90, n_test=10)
    assert apart.high - apart.low > found.high - found.low
    assert accuracy_of_folds(np.tile(scores, 5), n_train=90, n_test=10) == found
    assert accuracy_of_folds(np.ones(10), n_train=54, n_test=6).low < 0.93
    assert overdispersion(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 1.0
