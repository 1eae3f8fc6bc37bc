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
