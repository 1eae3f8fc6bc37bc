"""The facts about a column, codes of its values, and samples of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.quality.profile import contingency, profile_column, sample_rows, sample_table, value_codes
from vaglio.table import Column, Table


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, 100.0, float("nan")]), min_size=1, max_size=1500))
@settings(max_examples=30, deadline=None)
def test_a_profile_agrees_with_a_direct_computation(values):
    data = np.array(values)
    profile = profile_column(Column.numeric("v", data))
    present = data[~np.isnan(data)]
    assert profile.n_missing == np.isnan(data).sum()
    assert profile.n_distinct == len(np.unique(present))
    if len(present):
        quantiles = np.quantile(present, [0, 0.25, 0.5, 0.75, 1])
        np.testing.assert_allclose(profile.quantiles, quantiles)
        reach = 1.5 * (quantiles[3] - quantiles[1])
        inside = present[(present >= quantiles[1] - reach) & (present <= quantiles[3] + reach)]
        assert profile.whiskers == (inside.min(), inside.max())
        assert profile.n_outliers == len(present) - len(inside)
        assert profile.n_zero == (present == 0).sum()


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


def test_a_sample_has_different_rows_in_ascending_order():
    rows = sample_rows(np.arange(10, 1000), 50, seed=3)
    assert len(set(rows.tolist())) == 50
    assert rows.min() >= 10
    assert (np.diff(rows) > 0).all()
    assert np.array_equal(rows, sample_rows(np.arange(10, 1000), 50, seed=3))


def test_a_small_table_is_not_sampled():
    table = Table.from_any({"a": [1.0, 2.0, 3.0]})
    assert sample_table(table, seed=0, most=3) is table
    assert len(sample_table(table, seed=0, most=2)) == 2
