from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from vaglio.evaluation.metrics.intervals import effective_size, percentile_interval, wilson_interval


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
