from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from vaglio.errors import InputError
from vaglio.quality import check_transformation, describe, permitted_statistics, statistic, transform
from vaglio.quality.profile import profile_column
from vaglio.table import Column


def test_each_level_permits_what_the_one_below_does_and_more():
    levels = ["nominal", "ordinal", "interval", "ratio"]
    for below, above in itertools.pairwise(levels):
        assert set(permitted_statistics(below)) < set(permitted_statistics(above))
    with pytest.raises(InputError, match="no level"):
        permitted_statistics("logarithmic")


def test_only_the_permitted_are_shown():
    colour = Column.nominal("colour", [0, 1, 1], ("red", "blue"))
    facts = describe(colour)
    assert facts["mode"] == "blue"
    assert facts["entropy"] == pytest.approx(0.9183, abs=1e-4)
    assert "median" not in facts
    assert "mean" not in facts
    with pytest.raises(InputError, match="it has no mean"):
        statistic(colour, "mean")
    size = Column.nominal("size", [0, 2, 1, 1, 2], ("S", "M", "L"), level="ordinal")
    assert statistic(size, "median") == "M"
    assert statistic(size, "max") == "L"
    assert "mean" not in describe(size)
    celsius = Column.numeric("celsius", [10.0, 20, 30], level="interval")
    assert statistic(celsius, "mean") == 20
    assert "geometric_mean" not in describe(celsius)


@given(st.lists(st.floats(0.01, 1e4), min_size=2, max_size=40))
@settings(max_examples=40, deadline=None)
def test_numbers_agree_with_scipy(values):
    facts = describe(Column.numeric("v", values))
    assert facts["geometric_mean"] == pytest.approx(stats.gmean(values))
    assert facts["harmonic_mean"] == pytest.approx(stats.hmean(values))
    assert facts["variation"] == pytest.approx(stats.variation(values, ddof=1))
    assert facts["median"] == pytest.approx(np.median(values))


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, 100.0, float("nan")]), min_size=1, max_size=1500))
@settings(max_examples=30, deadline=None)
def test_a_profile_agrees_with_a_plain_look(values):
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


def test_zero_and_negative_numbers_have_no_geometric_mean():
    assert describe(Column.numeric("v", [0.0, 2.0]))["geometric_mean"] is None
    assert describe(Column.numeric("v", [np.nan]))["distinct"] == 0


@pytest.mark.parametrize(
    ("level", "function", "permitted"),
    [
        ("ratio", lambda x: 2.54 * x, True),
        ("ratio", lambda x: x + 1, False),
        ("interval", lambda x: 1.8 * x + 32, True),
        ("interval", lambda x: -x, False),
        ("interval", np.log, False),
        ("ordinal", np.log, True),
        ("ordinal", lambda x: -x, False),
        ("ordinal", np.floor, False),
    ],
)
def test_transformations_are_checked_against_the_level(level, function, permitted):
    column = Column.numeric("v", [1.0, 2.5, 2.7, 9.0, np.nan], level=level)
    if permitted:
        changed = transform(column, function)
        assert np.isnan(changed.data[-1])
        np.testing.assert_allclose(changed.data[:-1], function(column.data[:-1]))
    else:
        with pytest.raises(InputError, match=f"On the {level} level"):
            transform(column, function)


def test_renaming_keeps_different_values_different():
    column = Column.nominal("c", [0, 1], ("a", "b"))
    assert transform(column, str.upper).categories == ("A", "B")
    with pytest.raises(InputError, match="nominal level"):
        transform(column, lambda value: "same")
    check_transformation("nominal", list("aab"), list("xxy"))
    with pytest.raises(InputError, match="text"):
        transform(Column.text("t", ["a"]), str.upper)
    with pytest.raises(InputError, match="give two flat lists of equal length"):
        check_transformation("ratio", [1, 2], [1])
