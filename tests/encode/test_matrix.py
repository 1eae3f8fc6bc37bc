"""Encoded rows: ranks of some rows, from the ranks of all of them or anew, are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vaglio import _core
from vaglio.encode import EncodedMatrix

numbers = st.one_of(st.sampled_from([0.0, -0.0, 1.5, np.nan, np.inf]), st.floats(-1e6, 1e6))


@pytest.mark.slow
@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=numbers), st.data())
def test_ranks_of_taken_rows_are_those_of_rows_ranked_anew(values, data):
    whole = EncodedMatrix.from_arrays(values)
    rows = np.array(data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=60)))
    expected = EncodedMatrix.from_arrays(values[rows]).ranks()
    whole.ranks()
    found = whole.take(rows).ranks()
    np.testing.assert_array_equal(found.ranks, expected.ranks)
    for mine, theirs in zip(found.firsts, expected.firsts, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_rows_may_be_taken_by_mask_and_slice():
    whole = EncodedMatrix.from_arrays(np.array([[3.0], [1.0], [2.0], [1.0]]))
    whole.ranks()
    assert whole.take(np.array([True, False, True, True])).ranks().ranks.ravel().tolist() == [2, 1, 0]
    assert whole.take(slice(1, 4)).ranks().ranks.ravel().tolist() == [0, 1, 0]


def test_rows_and_ranks_out_of_range_are_refused():
    ranks = EncodedMatrix.from_arrays(np.array([[1.0], [2.0]])).ranks()
    with pytest.raises(ValueError, match="row is out of range"):
        _core.take_ranks(ranks.ranks, np.array([2], np.uint64), np.array([2]))
    with pytest.raises(ValueError, match="rank is out of range"):
        _core.take_ranks(ranks.ranks, np.array([1], np.uint64), np.array([0]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:All-NaN:RuntimeWarning")
@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(0, 12)), elements=numbers), st.integers(1, 3))
def test_ranges_are_those_of_plain_minima_and_maxima(values, threads):
    for block in (values, np.asfortranarray(values), values[::-1, ::-1], np.repeat(values, 2, axis=1)[:, ::2]):
        found = EncodedMatrix.from_arrays(block)
        found.threads = threads
        ranges = found.ranges
        np.testing.assert_array_equal(ranges.low, np.fmin.reduce(block, axis=0))
        np.testing.assert_array_equal(ranges.high, np.fmax.reduce(block, axis=0))
        assert not (np.signbit(ranges.low) & (ranges.low == 0)).any()
        assert (ranges.missing, ranges.bounded) == (np.isnan(block).any(), not np.isinf(block).any())
        assert (found.has_missing, found.all_finite) == (ranges.missing, np.isfinite(block).all())


def test_ranges_without_rows_are_unknown():
    ranges = EncodedMatrix.from_arrays(np.empty((0, 2))).ranges
    assert np.isnan([*ranges.low, *ranges.high]).all()
    assert not ranges.missing
    assert ranges.bounded
