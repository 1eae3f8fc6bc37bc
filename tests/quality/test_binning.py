"""Codes for the values of a column."""

from __future__ import annotations

import numpy as np

from vaglio.quality.profile import contingency, value_codes
from vaglio.table import Column


def test_missing_values_have_the_code_minus_one():
    assert value_codes(Column.text("t", ["b", None, "a", "b"])).tolist() == [1, -1, 0, 1]
    assert value_codes(Column.numeric("n", [2.0, np.nan, 1.0])).tolist() == [1, -1, 0]
    assert value_codes(Column.nominal("c", [1, -1, 0], ("x", "y"))).tolist() == [1, -1, 0]


def test_many_numbers_are_cut_at_quantiles():
    codes = value_codes(Column.numeric("n", np.arange(100.0)), max_bins=4)
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]


def test_pairs_with_a_missing_value_are_not_counted():
    table = contingency(np.array([0, 0, 2, -1]), np.array([1, 1, 0, 0]))
    assert table.tolist() == [[0, 2], [1, 0]]
