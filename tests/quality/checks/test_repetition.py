"""Duplicates, repeated content and equal rows of different classes."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import the


def test_duplicates_and_rows_that_repeat_without_their_identifier():
    names = [f"animal {i}" for i in range(99)] + ["frog", "frog"]
    legs = np.arange(101) % 7
    table = Table.from_any(
        {"name": names, "legs": legs * 1.0, "tail": np.where(legs > 3, "yes", "no"), "y": legs % 2 == 0}
    )
    found = vaglio.audit(table, "y")
    identifier = the(found, "identifier")
    assert "nearly an identifier (100 values in 101 rows)" in identifier.message
    assert the(found, "repeated-content").n_rows == 101 - 7
    assert the(found, "repeated-key").rows.tolist() == [99, 100]
    assert not found.of_kind("duplicates")
    twice = table[np.append(np.arange(101), [4, 4, 9])]
    again = the(vaglio.audit(twice, "y"), "duplicates")
    assert again.n_rows == 3
    assert again.rows.tolist() == [101, 102, 103]


def test_equal_rows_of_different_classes_are_counted():
    table = Table.from_any(
        {"u": ["x", "x", "y", "y", "z"] * 10, "v": np.repeat(np.arange(10.0), 5), "y": ["p", "q", "p", "p", "q"] * 10}
    )
    found = the(vaglio.audit(table, "y"), "inconsistent")
    assert (found.n_rows, found.details["groups"]) == (20, 10)
    assert found.rows.tolist()[:4] == [0, 1, 5, 6]
