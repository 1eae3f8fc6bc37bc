"""The statistics and the changes of values that a measurement level permits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from vaglio.errors import InputError
from vaglio.quality import (
    check_transformation,
    describe,
    permitted_statistics,
    statistic,
    transform,
)
from vaglio.table import Column


def test_each_level_permits_what_the_one_below_does_and_more():
    levels = ["nominal", "ordinal", "interval", "ratio"]
    for below, above in itertools.pairwise(levels):
        assert set(permitted_statistics(below)) < set(permitted_statistics(above))
    with pytest.raises(InputError, match="no level"):
        permitted_statistics("logarithmic")


def test_only_permitted_statistics_are_shown():
    colour = Column.nominal("colour", [0, 1, 1], ("red", "blue"))
    facts = describe(colour)
    assert facts["mode"] == "blue"
    assert facts["entropy"] == pytest.approx(0.9183, abs=1e-4)
    assert "median" not in facts
    assert "mean" not in facts
    with pytest.raises(InputError, match="has no mean"):
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
def test_statistics_of_numbers_agree_with_scipy(values):
    facts = describe(Column.numeric("v", values))
    assert facts["geometric_mean"] == pytest.approx(stats.gmean(values))
    assert facts["harmonic_mean"] == pytest.approx(stats.hmean(values))
    assert facts["variation"] == pytest.approx(stats.variation(values, ddof=1))
    assert facts["median"] == pytest.approx(np.median(values))


def test_zero_and_negative_numbers_have_no_geometric_mean():
    assert describe(Column.numeric("v", [0.0, 2.0]))["geometric_mean"] is None
    assert describe(Column.numeric("v", [np.nan]))["distinct"] == 0


def test_an_identifier_has_no_mean():
    key = Column.numeric("key", [1.0, 2, 3, 4], role="identifier")
    assert "mean" not in describe(key)
    assert "median" not in describe(key)
    with pytest.raises(InputError, match="'key' is an identifier and has no mean"):
        statistic(key, "mean")


@pytest.mark.slow
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.floats(0, 100))
@settings(max_examples=60, deadline=None)
def test_any_percentile_may_be_asked_for(values, percent):
    percent = float(f"{percent:g}") if percent >= 1e-4 else 0.0
    column = Column.numeric("x", values)
    assert statistic(column, f"p{percent:g}") == pytest.approx(np.percentile(values, percent))
    assert describe(column, [percent])[f"p{percent:g}"] == statistic(column, f"p{percent:g}")


def test_percentiles_go_by_the_level():
    size = Column.nominal("size", [0, 2, 1, 1, 2], ("S", "M", "L"), level="ordinal")
    assert statistic(size, "p90") == "L"
    with pytest.raises(InputError, match="has no p90"):
        statistic(Column.nominal("colour", [0, 1], ("red", "blue")), "p90")
    with pytest.raises(InputError, match="between p0 and p100"):
        statistic(size, "p101")


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
        with pytest.raises(InputError, match=f"The {level} level permits only"):
            transform(column, function)


def test_renaming_keeps_different_values_different():
    column = Column.nominal("c", [0, 1], ("a", "b"))
    assert transform(column, str.upper).categories == ("A", "B")
    with pytest.raises(InputError, match="nominal level"):
        transform(column, lambda value: "same")
    check_transformation("nominal", list("aab"), list("xxy"))
    with pytest.raises(InputError, match="text"):
        transform(Column.text("t", ["a"]), str.upper)
    with pytest.raises(InputError, match="Pass two flat lists of equal length"):
        check_transformation("ratio", [1, 2], [1])
