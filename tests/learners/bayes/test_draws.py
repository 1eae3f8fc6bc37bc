"""Numbers drawn from what a model knows of an interval, and words and counts from what it counted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse as sp

from vaglio.learners.bayes.model.count_bayes import binarized
from vaglio.learners.bayes.model.quantiles import NO_QUANTILES, joined


def test_without_quantiles_a_number_lies_anywhere_in_its_interval():
    points = np.array([0.0, 1.0, 5.0])
    cells = np.repeat([0, 1], 500)
    drawn = NO_QUANTILES.draw(0, np.zeros(1000, int), cells, points, np.random.default_rng(0))
    for cell in (0, 1):
        low, high = points[cell], points[cell + 1]
        own = drawn[cells == cell]
        assert own.min() >= low
        assert own.max() <= high
        assert own.mean() == pytest.approx((low + high) / 2, abs=0.2)
    assert NO_QUANTILES.clipped(0, drawn) is drawn


def test_a_class_without_rows_in_an_interval_draws_as_another_class_does():
    empty = np.empty(0)
    some = np.array([0.0, 0.5, 1.0]), np.array([1.0, 2.0, 4.0])
    other = np.array([0.0, 1.0]), np.array([6.0, 8.0])
    quantiles = joined({2: [some, (empty, empty), other]}, {}, 3)
    points = np.array([0.0, 5.0, 9.0])
    rng = np.random.default_rng(0)
    assert [part.tolist() for part in quantiles.knots(2, 0)] == [[0, 0.5, 1], [1, 2, 4]]
    low = quantiles.draw(2, np.array([0, 1, 2] * 200), np.zeros(600, int), points, rng)
    assert low.min() >= 1
    assert low.max() <= 4
    high = quantiles.draw(2, np.array([0, 1, 2] * 200), np.ones(600, int), points, rng)
    assert high.min() >= 6
    assert high.max() <= 8
    assert (low < 2).mean() == pytest.approx(0.5, abs=0.06)
    assert quantiles.clipped(2, np.array([0.0, 3.0, 99.0])).tolist() == [1, 3, 8]
    nowhere = quantiles.draw(2, np.zeros(50, int), np.zeros(50, int), np.array([9.0, 10.0, 11.0]), rng)
    assert nowhere.min() >= 9
    assert nowhere.max() <= 10


@pytest.mark.parametrize("threshold", [None, -1.0, 0.0, 1.0])
def test_values_above_a_threshold_dense_and_sparse(threshold):
    values = np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 3.0]])
    expected = values if threshold is None else (values > threshold).astype(float)
    for form in (values, sp.csr_array(values)):
        found = binarized(form, threshold)
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)
    assert sp.issparse(binarized(sp.csr_array(values), 0.0))
