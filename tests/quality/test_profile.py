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
        low, high = profile.fences
        if quantiles[1] < quantiles[3]:
            reach = 1.5 * (quantiles[3] - quantiles[1])
            np.testing.assert_allclose((low, high), (quantiles[1] - reach, quantiles[3] + reach))
        else:  # where half of the values are equal, the fences would have no width: only far values are outside
            assert profile.n_outliers == profile.n_far
        inside = present[(present >= low) & (present <= high)]
        assert profile.whiskers == (inside.min(), inside.max())
        assert profile.n_outliers == len(present) - len(inside)
        assert profile.n_far <= profile.n_outliers
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


CLEAN = {
    "normal": lambda r, n: r.normal(50, 10, n),
    "uniform": lambda r, n: r.random(n),
    "skewed": lambda r, n: r.lognormal(2, 1, n),
    "heavy-tailed": lambda r, n: r.standard_t(3, n),
    "two groups": lambda r, n: r.normal(size=n) + 6 * (r.random(n) < 0.3),
    "counts": lambda r, n: r.poisson(0.2, n) * 1.0,
    "whole numbers": lambda r, n: r.normal(50, 10, n).round(),
    "mostly zero": lambda r, n: r.exponential(3, n) * (r.random(n) < 0.4),
}


def far(values):
    """How many values of a column are far, and which."""
    profile = profile_column(Column.numeric("v", np.asarray(values, dtype=float)))
    return profile.n_far, profile.far


def test_values_of_clean_columns_are_not_far_and_planted_ones_are():
    for n in (100, 1000):
        false = [far(draw(np.random.default_rng(seed), n))[0] > 0 for draw in CLEAN.values() for seed in range(25)]
        assert np.mean(false) <= 0.01
        for seed in range(5):
            x = CLEAN["normal"](np.random.default_rng(seed), n)
            assert far([*x, 1000]) == (1, (1000,))
            assert far([-400, *x, -300]) == (2, (-400,))
            assert far([-400, *x, 1000]) == (2, (-400, 1000))


def test_one_value_far_outside_is_found_however_few_values_differ():
    nine = np.arange(1.0, 10)
    assert far([*nine, 30])[0] == 1
    assert far([*nine, 14])[0] == 0
    assert far([*np.repeat(nine, 20), 40])[0] == 1
    assert far(np.repeat(3.0, 50))[0] == 0
    assert far([0.0] * 40 + [1.0] * 20 + [500.0])[0] == 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_far_values_of_any_numbers_are_counted_without_a_warning(values):
    profile = profile_column(Column.numeric("v", np.array(values)))
    assert 0 <= profile.n_far < len(values)
