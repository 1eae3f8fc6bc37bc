"""Samples of the rows of large tables."""

from __future__ import annotations

import numpy as np

from vaglio.quality.profile import sample_rows, sample_table
from vaglio.table import Table


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
