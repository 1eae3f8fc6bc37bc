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
