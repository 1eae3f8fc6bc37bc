"""Sums that do not depend on the order."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaglio.engines.exact_sums import ExactSum, Grid
from vaglio.errors import InputError

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.slow
@given(st.lists(FLOATS, max_size=60), st.integers(0, 60))
def test_exact_sum_is_rounded_once(terms, cut):
    exact = sum(map(Fraction, terms), Fraction(0))
    try:
        expected = float(exact)
    except OverflowError:
        with pytest.raises(OverflowError):
            _ = ExactSum.of(terms).value
        return
    assert ExactSum.of(terms).value == expected
    parts = ExactSum.of(terms[cut:]).merge(ExactSum.of(terms[:cut]))
    assert np.array_equal(parts.limbs, ExactSum.of(terms[::-1]).limbs)


@pytest.mark.slow
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80),
    st.integers(0, 80),
    st.randoms(use_true_random=False),
)
def test_grid_sums_have_no_order_and_are_near_the_true_sum(terms, cut, random):
    bound = max(*map(abs, terms), 1e-200)  # what is below 2^-900 counts as nothing
    grid = Grid.for_bound([bound])
    column = np.array(terms)[:, None]
    whole = grid.sums(column)
    order = list(range(len(terms)))
    random.shuffle(order)
    shuffled = column[order]
    assert np.array_equal(whole, grid.sums(shuffled[cut:]) + grid.sums(shuffled[:cut]))
    assert abs(float(grid.value(whole)[0]) - math.fsum(terms)) <= len(terms) * bound * 2.0**-59 + 1e-12 * bound


def test_grid_sums_by_class_are_those_of_each_class():
    random = np.random.default_rng(1)
    terms, y = random.normal(size=(500, 3)), random.integers(0, 4, 500)
    grid = Grid.for_bound(np.abs(terms).max(axis=0))
    by_class = grid.class_sums(terms, y, 4)
    for c in range(4):
        assert np.array_equal(by_class[:, c], grid.sums(terms[y == c]))


def test_numbers_that_have_no_sum_are_refused():
    with pytest.raises(InputError, match="cannot be added up"):
        ExactSum.of([1.0, np.inf])
    with pytest.raises(InputError, match="too large"):
        Grid.for_bound([1e300])
